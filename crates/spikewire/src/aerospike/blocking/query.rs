//! Queries as iterators: the thread that consumes the records reads them.

use super::Client;
use crate::aerospike::client_kind::ClientKind as _;
use crate::aerospike::query_plan::PreparedQuery;
use crate::aerospike::query_plan::RunningQuery;
use crate::{Page, QueryRecord, Result};

/// The records of a query, on the calling thread: an iterator of results.
///
/// Nodes send at the pace at which records are consumed: at most [`window`](crate::Query::window)
/// bytes per node are buffered, however many records there are. After an error there are no more
/// records; [`cursor`](Self::cursor) still returns the caller's position. Dropping it ends the
/// query, and the nodes stop.
#[derive(Debug)]
pub struct Records {
    reading: RunningQuery,
    /// Keeps the connections open while records are read.
    _client: Client,
}

impl Records {
    pub(crate) fn new(client: &Client, plan: PreparedQuery) -> Result<Self> {
        Ok(Self {
            reading: RunningQuery::new(client.context().streams.clone(), plan)?,
            _client: client.clone(),
        })
    }

    /// The caller's position, as bytes: [`Query::resume`](crate::Query::resume) on the same query
    /// continues after the last record that was taken, in this process or another one, in Rust or
    /// in Python.
    pub fn cursor(&self) -> Vec<u8> {
        self.reading.cursor()
    }
}

impl Iterator for Records {
    type Item = Result<QueryRecord>;

    #[inline]
    fn next(&mut self) -> Option<Result<QueryRecord>> {
        self.reading.next()
    }
}

impl std::iter::FusedIterator for Records {}

/// The records of a query page by page, on the calling thread. No page is empty. After an error
/// there are no more: resume from the cursor of the page before it.
#[derive(Debug)]
pub struct Pages {
    reading: RunningQuery,
    size: usize,
    _client: Client,
}

impl Pages {
    pub(crate) fn new(client: &Client, plan: PreparedQuery, size: usize) -> Result<Self> {
        let reading = RunningQuery::new(client.context().streams.clone(), plan)?;
        Ok(Self { reading, size, _client: client.clone() })
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.reading.page(self.size)
    }
}

impl std::iter::FusedIterator for Pages {}
