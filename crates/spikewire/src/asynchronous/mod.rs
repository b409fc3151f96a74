//! The face of futures: the same verbs, on any executor.

mod cell;
mod future;
mod many;
#[cfg(feature = "tokio")]
mod tokio;
mod transport;

use std::net::SocketAddr;
use std::sync::Arc;

use spikewire_engine::cluster::Cluster;

use crate::answer::Answer;
use crate::cluster;
use crate::many::{Many, many as many_verbs};
use crate::options::{Builder, CallOptions, Defaults, Seeds};
use crate::record::Record;
use crate::space::Space;
use crate::verbs::{Place, Request, verbs};
use crate::{Node, Result};

pub use future::Pending;
pub use many::PendingBatch;
use transport::Transport;

/// A client whose verbs return futures. Cheap to clone; all clones share the connections.
///
/// Connected with [`AsyncClient::connect`], it works on any executor: a thread of its own turns
/// the connections. With the feature `tokio`, `AsyncClient::connect_tokio` turns them on a tokio
/// runtime instead, without a thread.
///
/// The connections end with the last clone, dataset and future, or with [`AsyncClient::close`].
#[derive(Debug, Clone)]
pub struct AsyncClient {
    core: Arc<Core>,
}

#[derive(Debug)]
struct Core {
    cluster: Arc<Cluster>,
    transport: Transport,
    defaults: Defaults,
}

impl AsyncClient {
    /// Finds the cluster through these seeds, with default options; for any executor.
    pub fn connect(seeds: impl Seeds) -> impl Future<Output = Result<Self>> + Send + 'static {
        Self::builder().connect_async(seeds)
    }

    /// Finds the cluster through these seeds, with default options; the connections are turned by
    /// the tokio runtime that this is awaited on.
    #[cfg(feature = "tokio")]
    pub fn connect_tokio(seeds: impl Seeds) -> impl Future<Output = Result<Self>> + Send + 'static {
        Self::builder().connect_tokio(seeds)
    }

    /// Options first.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A namespace and a set of it; `""` for the records outside of all sets.
    pub fn dataset(&self, namespace: &str, set: &str) -> Result<AsyncDataset> {
        let space = Space::new(namespace, set)?;
        Ok(AsyncDataset { core: self.core.clone(), space, options: CallOptions::new() })
    }

    /// The nodes of the cluster as it was seen last.
    pub fn nodes(&self) -> Vec<Node> {
        cluster::nodes(&self.core.cluster)
    }

    /// A node's answer to an info command such as `"namespaces"`.
    pub fn info(
        &self,
        node: SocketAddr,
        command: &str,
    ) -> impl Future<Output = Result<String>> + Send + 'static {
        let cluster = self.core.cluster.clone();
        let command = command.to_owned();
        future::on_a_thread(move || cluster::info(&cluster, node, &command))
    }

    /// Ends every connection. Futures that wait fail, and so does every later call.
    pub fn close(&self) {
        self.core.close();
    }
}

impl Builder {
    /// Finds the cluster through these seeds, for futures on any executor.
    pub fn connect_async(
        self,
        seeds: impl Seeds,
    ) -> impl Future<Output = Result<AsyncClient>> + Send + 'static {
        let checked = self.finish(&seeds);
        async move {
            let (options, defaults, threads) = checked?;
            future::on_a_thread(move || {
                let cluster = Cluster::connect(options)?;
                let transport = Transport::native(&cluster, threads)?;
                Ok(AsyncClient { core: Arc::new(Core { cluster, transport, defaults }) })
            })
            .await
        }
    }

    /// Finds the cluster through these seeds, for futures on the tokio runtime that this is
    /// awaited on; its I/O and time drivers must be enabled. [`Builder::threads`] does not matter
    /// here: the runtime turns the connections.
    #[cfg(feature = "tokio")]
    pub fn connect_tokio(
        self,
        seeds: impl Seeds,
    ) -> impl Future<Output = Result<AsyncClient>> + Send + 'static {
        let checked = self.finish(&seeds);
        async move {
            let (options, defaults, _) = checked?;
            let cluster = future::on_a_thread(move || Cluster::connect(options)).await?;
            let transport = Transport::tokio(&cluster)?;
            Ok(AsyncClient { core: Arc::new(Core { cluster, transport, defaults }) })
        }
    }
}

impl Core {
    fn close(&self) {
        self.transport.close();
        self.cluster.close();
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        self.close();
    }
}

/// A namespace and a set of an [`AsyncClient`], with the verbs as futures. Cheap to clone, and to
/// keep.
///
/// Arguments are checked and encoded when a verb is called; the request is sent when the future is
/// first polled. The future borrows nothing, so it can be moved to another task. Dropping it
/// abandons the answer; a request that was sent may still be carried out by the server.
#[derive(Debug, Clone)]
pub struct AsyncDataset {
    core: Arc<Core>,
    space: Arc<Space>,
    options: CallOptions,
}

impl AsyncDataset {
    fn place(&self) -> Place<'_> {
        Place { space: &self.space, defaults: &self.core.defaults, options: &self.options }
    }

    fn run<A: Answer>(&self, request: Result<Request>, plan: A::Plan) -> Pending<A> {
        Pending::new(self.core.clone(), request, plan)
    }

    fn run_many(&self, many: Result<Many>) -> PendingBatch {
        PendingBatch::new(self.core.clone(), many)
    }
}

verbs!(AsyncDataset, Pending);
many_verbs!(AsyncDataset, PendingBatch);
