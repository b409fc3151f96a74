//! The verbs on many records: one call, one result, in input order.
//!
//! | module | contents |
//! |---|---|
//! | [`gather`] | collects rows and their keys |
//! | [`alike`] | verbs that treat all rows alike |
//! | [`put`](mod@put) | writing bins, from mappings, pairs and tables |
//! | [`mixed`] | batches whose rows differ |
//! | [`plan`] | the built batch, and how to convert its replies |

mod alike;
mod gather;
pub mod mixed;
mod plan;
mod put;

pub use alike::{apply, delete, exists, get, get_numpy, operate};
pub use gather::{Resolve, keys, whole};
pub use plan::{BatchCall, BatchPlan, NextWindow};
pub use put::put;
