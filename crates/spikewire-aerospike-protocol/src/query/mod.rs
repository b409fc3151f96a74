//! Scans and index queries: what a node is asked, and the records that stream back.
//!
//! A query is one request per node and round, for the partitions that the node is to read. Its
//! records come in frames of many messages; a message that is marked as the last ends the stream.
//! Within a partition the order of records never changes, so reading goes on after a [`Point`].
//!
//! | module | what it holds |
//! |---|---|
//! | [`range`] | the index range: which values, of what |
//! | [`request`] | composing a request |
//! | [`asked`] | reading a request, on the side of the server |
//! | [`answer`] | the messages of the stream, both ways |

pub mod answer;
pub mod asked;
pub mod range;
pub mod request;

pub use answer::{Answer, Row};
pub use asked::{Asked, Work};
pub use range::{Collection, Index, Range, Subject};
pub use request::{Query, Share, Task};

use crate::key::Digest;

/// Where reading a partition goes on: after this record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// The last record that was read; it also says which partition.
    pub digest: Digest,
    /// The index value it was found by, as the server gave it; 0 for a scan.
    pub value: u64,
}
