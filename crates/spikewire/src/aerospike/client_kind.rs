//! What the blocking and the asynchronous API share: commands that are rare enough to be
//! implemented once for both.

use std::sync::Arc;

use spikewire_aerospike::admin::Procedure;
use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::CommandDefaults;
use spikewire_aerospike::transport::Streams;

use super::administration::Administration;
use super::query_plan::PreparedQuery;
use crate::Result;

/// A client, as used by [`Query`](crate::Query), [`Indexes`](crate::Indexes),
/// [`Modules`](crate::Modules) and [`Job`](crate::Job): [`Client`](crate::Client) or
/// [`AsyncClient`](crate::AsyncClient).
pub trait ClientKind: Clone + Send + Sync + sealed::Sealed + 'static {
    /// The return type of a command: `Result<T>`, or [`AdminFuture<T>`](crate::AdminFuture).
    type Answer<T: Send + 'static>;
    /// Reads a query record by record: [`Records`](crate::Records) or
    /// [`AsyncRecords`](crate::AsyncRecords).
    type Records;
    /// Reads a query page by page: [`Pages`](crate::Pages) or [`AsyncPages`](crate::AsyncPages).
    type Pages;

    /// What commands need.
    #[doc(hidden)]
    fn context(&self) -> &ClientContext;

    /// Runs a blocking function, here or on a thread of its own.
    #[doc(hidden)]
    fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&ClientContext, IsNeeded<'_>) -> Result<T> + Send + 'static,
    ) -> Self::Answer<T>;

    /// Runs an administrative command: the calling thread waits for the nodes, or no thread does.
    #[doc(hidden)]
    fn administer<P: Procedure<Output: Send> + Send + 'static>(
        &self,
        about: Administration<'_>,
        procedure: Result<P>,
    ) -> Self::Answer<P::Output>;

    /// Starts a query.
    #[doc(hidden)]
    fn read(&self, plan: PreparedQuery) -> Result<Self::Records>;

    /// Starts a query in pages.
    #[doc(hidden)]
    fn read_pages(&self, plan: PreparedQuery, size: usize) -> Result<Self::Pages>;
}

/// Whether the result is still wanted.
pub type IsNeeded<'a> = &'a dyn Fn() -> bool;

/// What rare commands need.
#[derive(Debug, Clone)]
pub struct ClientContext {
    pub(crate) cluster: Arc<Cluster>,
    pub(crate) streams: Arc<Streams>,
    pub(crate) defaults: CommandDefaults,
}

impl ClientContext {
    /// Closes the connections of queries and of all other calls.
    pub(crate) fn close(&self) {
        self.cluster.close();
        // Afterwards, because a running query returns its connections until then.
        self.streams.close();
    }
}

pub(crate) mod sealed {
    /// Only this crate's clients implement it.
    pub trait Sealed {}
}
