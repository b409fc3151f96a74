//! The native protocol of Apache Cassandra, versions 4 and 5: bytes to meaning and back. No I/O, no
//! threads, no engine.
//!
//! | module | what it holds |
//! |---|---|
//! | [`notation`] | the numbers, strings and byte runs that everything else is made of |
//! | [`types`] | the types of columns and bind markers |
//! | [`value`] | values by their types |
//! | [`token`] | where a partition lies |
//! | [`ring`] | which nodes hold it |

#![forbid(unsafe_code)]

pub mod notation;
pub mod ring;
pub mod token;
pub mod types;
pub mod value;
