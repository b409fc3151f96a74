//! The verbs on many records: one call, one result, in input order.
//!
//! | module | what it holds |
//! |---|---|
//! | [`gather`] | keys to rows |
//! | [`alike`] | verbs that treat every row alike |
//! | [`put`](mod@put) | writing different bins to each row |
//! | [`table`] | writing the rows of a table |
//! | [`mixed`] | batches whose rows differ |
//! | [`timed`] | batches whose stages are timed |

pub mod alike;
pub mod gather;
pub mod mixed;
pub mod put;
pub mod table;
mod timed;
