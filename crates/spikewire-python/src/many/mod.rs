//! The verbs on many records: one call, one result, in input order.
//!
//! | module | what it holds |
//! |---|---|
//! | [`gather`] | keys become rows |
//! | [`alike`] | verbs that do the same to every row |
//! | [`put`](mod@put) | writing bins, from mappings, pairs and tables |
//! | [`mixed`] | batches whose rows differ |
//! | [`plan`] | the composed batch, and what becomes of its answers |

mod alike;
mod gather;
pub mod mixed;
mod plan;
mod put;

pub use alike::{apply, delete, exists, get, get_numpy, operate};
pub use gather::{Resolve, keys, whole};
pub use plan::{BatchCall, BatchPlan, Window};
pub use put::put;
