//! The blocking face: the calling thread drives the connection itself.

use std::net::SocketAddr;
use std::sync::Arc;

use spikewire_engine::cluster::Cluster;
use spikewire_engine::transport::{Batches, Lanes, Reply, buffer};

use crate::answer::{self, Answer};
use crate::batch::Batch;
use crate::cluster;
use crate::many::{Many, many};
use crate::options::{Builder, CallOptions, Defaults, Seeds};
use crate::record::Record;
use crate::space::Space;
use crate::verbs::{Place, Request, verbs};
use crate::{Error, Kind, Node, Result};

/// A blocking client. Cheap to clone; all clones share the connections, from any number of
/// threads. The connections end with the last clone and the last dataset, or with
/// [`Client::close`].
#[derive(Debug, Clone)]
pub struct Client {
    core: Arc<Core>,
}

#[derive(Debug)]
struct Core {
    cluster: Arc<Cluster>,
    lanes: Arc<Lanes>,
    batches: Arc<Batches>,
    defaults: Defaults,
}

impl Client {
    /// Finds the cluster through these seeds, with default options.
    pub fn connect(seeds: impl Seeds) -> Result<Self> {
        Self::builder().connect(seeds)
    }

    /// Options first.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A namespace and a set of it; `""` for the records outside of all sets.
    pub fn dataset(&self, namespace: &str, set: &str) -> Result<Dataset> {
        let space = Space::new(namespace, set)?;
        Ok(Dataset { core: self.core.clone(), space, options: CallOptions::new() })
    }

    /// The nodes of the cluster as it was seen last.
    pub fn nodes(&self) -> Vec<Node> {
        cluster::nodes(&self.core.cluster)
    }

    /// A node's answer to an info command such as `"namespaces"`.
    pub fn info(&self, node: SocketAddr, command: &str) -> Result<String> {
        cluster::info(&self.core.cluster, node, command)
    }

    /// Ends every connection. Calls under way in other threads fail at once, later ones too.
    pub fn close(&self) {
        self.core.close();
    }
}

impl Builder {
    /// Finds the cluster through these seeds.
    pub fn connect(self, seeds: impl Seeds) -> Result<Client> {
        let (options, defaults, _) = self.finish(&seeds)?;
        let cluster = Cluster::connect(options)?;
        let lanes = Lanes::new(cluster.clone());
        let batches = Batches::new(cluster.clone());
        Ok(Client { core: Arc::new(Core { cluster, lanes, batches, defaults }) })
    }
}

impl Core {
    fn close(&self) {
        self.lanes.close();
        self.batches.close();
        self.cluster.close();
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        self.close();
    }
}

/// A namespace and a set of a [`Client`], with the verbs. Cheap to clone, and to keep.
#[derive(Debug, Clone)]
pub struct Dataset {
    core: Arc<Core>,
    space: Arc<Space>,
    options: CallOptions,
}

impl Dataset {
    fn place(&self) -> Place<'_> {
        Place { space: &self.space, defaults: &self.core.defaults, options: &self.options }
    }

    fn run<A: Answer>(&self, request: Result<Request>, plan: A::Plan) -> Result<A> {
        let Request { bytes, target, policy } = request?;
        let mut body = buffer::take();
        let outcome = self.core.lanes.run(&bytes, &target, &policy, &mut body);
        let answer = outcome.and_then(|(node, attempts)| {
            answer::check(&Reply { body: &body, node: &node, attempts }, A::MISS)?;
            answer::read(&body, &plan).map_err(|error| error.on(node.to_string()))
        });
        buffer::give(body);
        buffer::give(bytes);
        answer
    }

    fn run_many(&self, many: Result<Many>) -> Result<Batch> {
        let Many { mut rows, plan } = many?;
        if self.core.cluster.is_closed() {
            return Err(Error::new(Kind::Closed, "the client is closed"));
        }
        self.core.batches.run(&mut rows, None)?;
        Ok(Batch::new(rows, plan))
    }
}

verbs!(Dataset, Result);
many!(Dataset, Result<Batch>);
