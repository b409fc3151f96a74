//! What drop-ins do for each row of a batch: checking keys and values, and creating the objects
//! that programs of another client expect, without running Python code per row.
//!
//! Nothing here talks to a server: calls go through [`crate::aerospike::verbs`] and [`crate::aerospike::many`]. Whatever
//! is not plain is left to the drop-in's Python code.
//!
//! | module | contents |
//! |---|---|
//! | [`plain`] | keys and values that need no Python code |
//! | [`official`], [`shapes`] | results of the official client |
//! | [`row`], [`rows`], [`field`] | its batch rows and their results |
//! | [`operations`], [`collections`], [`steps`] | its operations on whole bins, on lists and maps |
//! | [`single`](mod@single) | its `operate` |
//! | [`writes`] | its `batch_write` |
//! | [`named`] | the named tuples of aerospike-py |

mod collections;
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
