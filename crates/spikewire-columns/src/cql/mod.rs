//! CQL rows as Arrow columns, in one pass over the bytes of a page.
//!
//! | type | becomes |
//! |---|---|
//! | `tinyint`, `smallint`, `int`, `bigint`, `counter` | 8-bit to 64-bit integers |
//! | `boolean`, `float`, `double` | the same |
//! | `text`, `ascii`, `inet` | text; with 64-bit offsets for 2 GB or more |
//! | `blob`, classes without a CQL spelling | bytes, likewise |
//! | `timestamp`, `date`, `time` | `timestamp[ms, UTC]`, `date32`, `time64[ns]` |
//! | `uuid`, `timeuuid` | 16 bytes, marked `arrow.uuid` |
//! | `varint`, `decimal` | decimals of 38 or 76 digits that hold all values of the column exactly; else text |
//! | `duration` | an interval of months, days and nanoseconds |
//! | `list`, `set` | a list |
//! | `vector` | a list of fixed size |
//! | `map` | a map |
//! | tuple, user-defined type | a struct; the fields of a tuple are named `0`, `1` and so on |
//!
//! Empty values (zero bytes, for types whose values otherwise have some) become null.
//!
//! | module | contents |
//! |---|---|
//! | `table` | all columns |
//! | `arrow_value` | the reverse: values of Arrow arrays as values of statements |
//! | `column` | the memory of a column |
//! | `block` | blocks of rows, converted column by column |
//! | `sink` | values into columns |
//! | `decimals` | arbitrary-precision integers and decimals |
//! | `finish` | conversion to arrays |

mod arrow_value;
mod block;
mod column;
mod decimals;
mod finish;
mod sink;
mod table;

pub use arrow_value::ArrowValue;
pub use table::Table;
