//! What drop-ins do for each row of a batch: looking at keys and values, and making the objects that
//! programs of another client expect, without a step of Python's for each.
//!
//! Nothing here reaches a server: calls are those of [`crate::verbs`] and [`crate::many`]. What is
//! not plain is left to the drop-in's Python.
//!
//! | module | what it holds |
//! |---|---|
//! | [`plain`] | keys and values that need no look of Python's |
//! | [`official`], [`shapes`] | results of the vendor's client |
//! | [`row`], [`rows`], [`field`] | its rows of batches, and what becomes of them |
//! | [`operations`], [`steps`] | its operations on whole bins |
//! | [`single`](mod@single) | its `operate` |
//! | [`writes`] | its `batch_write` |
//! | [`named`] | the named tuples of aerospike-py |

mod field;
pub mod named;
pub mod official;
pub mod operations;
pub mod plain;
pub mod row;
mod rows;
mod shapes;
mod single;
mod steps;
pub mod writes;
