//! Scans and index queries: requests, and the records streamed back.
//!
//! A query sends one request per node and round, with the partitions that the node is to read.
//! Records are returned in frames of many messages; a message with the last flag ends the stream.
//! The order of records within a partition never changes, so that reading can resume after a
//! [`Point`].
//!
//! | module | what it holds |
//! |---|---|
//! | [`range`] | the index range: which values, of what |
//! | [`request`] | composing a request |
//! | [`node_query`] | reading a request, on the side of the server |
//! | [`answer`] | the messages of the stream, both ways |
//! | [`text`] | filters as text: asking a server for its plan, and the index that it chooses |

pub mod answer;
pub mod node_query;
pub mod range;
pub mod request;
pub mod text;

pub use answer::{Answer, Row};
pub use node_query::{NodeQuery, Work};
pub use range::{Collection, Index, Range, Subject};
pub use request::{Query, Share, Task};
pub use text::{ChosenIndex, Explain, Plan, PlanReply, TextFilter};

use crate::key::Digest;

/// Where to resume reading a partition: after this record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// The last record that was read; its digest also determines the partition.
    pub digest: Digest,
    /// Its index value, as sent by the server; 0 for a scan.
    pub value: u64,
}
