//! Arrow tables from a batch.
//!
//! | module | contents |
//! |---|---|
//! | `fill` | creating a builder, and filling it with the rows of a batch |
//! | `schema` | the schema that a caller passes |
//! | `table` | the returned object |

mod fill;
mod schema;
mod table;

pub use fill::{fill, fill_keys, table_builder};
pub use table::{ArrowTable, refused};
