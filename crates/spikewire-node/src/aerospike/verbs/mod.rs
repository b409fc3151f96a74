//! The verbs. Each turns validated arguments into a request; the driver sends it.
//!
//! | module | what it holds |
//! |---|---|
//! | [`connection`] | connecting, closing, the nodes |
//! | [`single`] | the verbs on one record |
//!
//! The verbs on many records are in [`crate::aerospike::many`].

pub mod connection;
pub mod single;
