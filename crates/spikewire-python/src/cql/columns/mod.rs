//! Results as columns, and columns as parameters.
//!
//! | module | what it holds |
//! |---|---|
//! | `arrow` | the rows of a result as one Arrow table |
//! | `numpy` | its columns as arrays of NumPy |
//! | `fixed` | its rows as one structured array |
//! | `frame` | its columns as a frame of pandas or polars |
//! | `parameters` | tables as the parameters of many executions |
//! | `given` | values of Arrow arrays as values of statements |

mod arrow;
mod fixed;
mod frame;
mod given;
mod numpy;
mod parameters;

pub use arrow::to_arrow;
pub use fixed::to_structured;
pub use frame::{to_pandas, to_polars};
pub use numpy::to_arrays;
pub use parameters::{is_table, table_rows};
