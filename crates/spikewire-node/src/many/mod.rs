//! The verbs on many records: one call, one result, in input order.
//!
//! | module | what it holds |
//! |---|---|
//! | [`gather`] | keys become rows |
//! | [`alike`] | verbs that do the same to every row |

pub mod alike;
mod gather;
