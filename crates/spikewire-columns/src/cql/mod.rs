//! Rows of CQL as Arrow columns, in one pass over the bytes of a page.
//!
//! | type | becomes |
//! |---|---|
//! | `tinyint`, `smallint`, `int`, `bigint`, `counter` | integers of 8 to 64 bits |
//! | `boolean`, `float`, `double` | the same |
//! | `text`, `ascii`, `inet` | text; with offsets of 64 bits where there are 2 GB of it |
//! | `blob`, classes without a spelling | bytes, likewise |
//! | `timestamp`, `date`, `time` | `timestamp[ms, UTC]`, `date32`, `time64[ns]` |
//! | `uuid`, `timeuuid` | 16 bytes, marked `arrow.uuid` |
//! | `varint`, `decimal` | decimals of 38 or 76 digits that hold all values of the column exactly; else text |
//! | `duration` | an interval of months, days and nanoseconds |
//! | `list`, `set` | a list |
//! | `vector` | a list of fixed size |
//! | `map` | a map |
//! | tuple, user-defined type | a struct; the fields of a tuple are called `0`, `1` and so on |
//!
//! Values of no bytes, of types whose values have bytes, are null.
//!
//! | module | what it holds |
//! |---|---|
//! | `table` | all columns together |
//! | `column` | the memory of a column |
//! | `block` | some rows at a time, column by column |
//! | `sink` | values into columns |
//! | `exact` | integers and decimals of any size |
//! | `finish` | making the arrays |

mod block;
mod column;
mod exact;
mod finish;
mod sink;
mod table;

pub use table::Table;
