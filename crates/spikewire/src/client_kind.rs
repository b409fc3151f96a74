//! What the faces have in common, where a command is rare enough to be written once for all of
//! them.

use std::sync::Arc;

use spikewire_aerospike::admin::Procedure;
use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::CommandDefaults;
use spikewire_aerospike::transport::Streams;

use crate::Result;
use crate::query::plan::PreparedQuery;

/// A client as [`Query`](crate::Query), [`Indexes`](crate::Indexes), [`Modules`](crate::Modules)
/// and [`Job`](crate::Job) see it: [`Client`](crate::Client) or
/// [`AsyncClient`](crate::AsyncClient).
pub trait ClientKind: Clone + Send + Sync + sealed::Sealed + 'static {
    /// What a command answers: `Result<T>`, or [`AdminFuture<T>`](crate::AdminFuture), a future of it.
    type Answer<T: Send + 'static>;
    /// What reads a query record by record: [`Records`](crate::Records) or
    /// [`AsyncRecords`](crate::AsyncRecords).
    type Records;
    /// What reads it page by page: [`Pages`](crate::Pages) or [`AsyncPages`](crate::AsyncPages).
    type Pages;

    /// What commands work with.
    #[doc(hidden)]
    fn context(&self) -> &ClientContext;

    /// Does something that blocks: here, or on a thread of its own.
    #[doc(hidden)]
    fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&ClientContext, IsWanted<'_>) -> Result<T> + Send + 'static,
    ) -> Self::Answer<T>;

    /// Runs an administrative command: the calling thread waits for the nodes, or nothing does.
    #[doc(hidden)]
    fn administer<P: Procedure<Output: Send> + Send + 'static>(
        &self,
        about: Administration<'_>,
        procedure: Result<P>,
    ) -> Self::Answer<P::Output>;

    /// Begins a query.
    #[doc(hidden)]
    fn read(&self, plan: PreparedQuery) -> Result<Self::Records>;

    /// Begins a query of pages.
    #[doc(hidden)]
    fn read_pages(&self, plan: PreparedQuery, size: usize) -> Result<Self::Pages>;
}

/// What an administrative command does, and to what: for its span.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "tracing"), expect(dead_code, reason = "only spans read it"))]
pub struct Administration<'a> {
    pub(crate) operation: &'static str,
    /// Empty for the whole cluster.
    pub(crate) namespace: &'a str,
    /// Empty for none, or for all.
    pub(crate) set: &'a str,
}

impl Administration<'static> {
    /// Of the whole cluster.
    pub(crate) fn of(operation: &'static str) -> Self {
        Self { operation, namespace: "", set: "" }
    }
}

/// Whether the result is still wanted.
pub type IsWanted<'a> = &'a dyn Fn() -> bool;

/// What commands that are rare work with.
#[derive(Debug, Clone)]
pub struct ClientContext {
    pub(crate) cluster: Arc<Cluster>,
    pub(crate) streams: Arc<Streams>,
    pub(crate) defaults: CommandDefaults,
}

impl ClientContext {
    /// Ends what queries and all other calls depend on.
    pub(crate) fn close(&self) {
        self.cluster.close();
        // Afterwards, because a query that still runs gives its connections back until then.
        self.streams.close();
    }
}

pub(crate) mod sealed {
    /// Only this crate's clients are faces.
    pub trait Sealed {}
}
