//! The verbs on many records: one call, one result, in input order.
//!
//! | module | what it holds |
//! |---|---|
//! | [`gather`] | keys become rows |
//! | [`alike`] | verbs that do the same to every row |
//! | [`put`](mod@put) | writing bins of its own into each row |
//! | [`mixed`] | batches whose rows differ |

pub mod alike;
pub mod gather;
pub mod mixed;
pub mod put;
