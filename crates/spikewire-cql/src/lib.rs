//! The native protocol of Apache Cassandra, versions 4 and 5: bytes to meaning and back. No I/O, no
//! threads, no engine.
//!
//! | module | what it holds |
//! |---|---|
//! | [`notation`] | the numbers, strings and byte runs that everything else is made of |

#![forbid(unsafe_code)]

pub mod notation;
