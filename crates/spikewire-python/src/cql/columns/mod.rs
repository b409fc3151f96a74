//! Results as columns, and columns as parameters.
//!
//! | module | contents |
//! |---|---|
//! | `arrow` | the rows of a result as one Arrow table |
//! | `numpy` | the columns as NumPy arrays |
//! | `fixed` | the rows as one structured array |
//! | `frame` | the columns as a pandas or polars frame |
//! | `parameters` | tables as the parameters of many executions |

mod arrow;
mod fixed;
mod frame;
mod numpy;
pub mod parameters;

pub use arrow::to_arrow;
pub use fixed::to_structured;
pub use frame::{to_pandas, to_polars};
pub use numpy::to_arrays;
pub use parameters::{is_table, table_rows};
