//! What the faces have in common, where a command is rare enough to be written once for all of
//! them.

use std::sync::Arc;

use spikewire_engine::cluster::{Cluster, Node};
use spikewire_engine::command::CommandDefaults;
use spikewire_engine::transport::Streams;
use spikewire_protocol::info;
use spikewire_protocol::result_code::ResultCode;

use crate::query::plan::Plan;
use crate::{Error, Kind, Result};

/// A client as [`Query`](crate::Query), [`Indexes`](crate::Indexes), [`Modules`](crate::Modules)
/// and [`Job`](crate::Job) see it: [`Client`](crate::Client) or
/// [`AsyncClient`](crate::AsyncClient).
pub trait Face: Clone + Send + Sync + sealed::Sealed + 'static {
    /// What a command answers: `Result<T>`, or [`Working<T>`](crate::Working), a future of it.
    type Answer<T: Send + 'static>;
    /// What reads a query record by record: [`Records`](crate::Records) or
    /// [`AsyncRecords`](crate::AsyncRecords).
    type Records;
    /// What reads it page by page: [`Pages`](crate::Pages) or [`AsyncPages`](crate::AsyncPages).
    type Pages;

    /// What commands work with.
    #[doc(hidden)]
    fn tools(&self) -> &Tools;

    /// Does something that blocks: here, or on a thread of its own.
    #[doc(hidden)]
    fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Tools, Wanted<'_>) -> Result<T> + Send + 'static,
    ) -> Self::Answer<T>;

    /// Begins a query.
    #[doc(hidden)]
    fn read(&self, plan: Plan) -> Result<Self::Records>;

    /// Begins a query of pages.
    #[doc(hidden)]
    fn read_pages(&self, plan: Plan, size: usize) -> Result<Self::Pages>;
}

/// Whether somebody still waits for what is being done.
pub type Wanted<'a> = &'a dyn Fn() -> bool;

/// What commands that are rare work with.
#[derive(Debug, Clone)]
pub struct Tools {
    pub(crate) cluster: Arc<Cluster>,
    pub(crate) streams: Arc<Streams>,
    pub(crate) defaults: CommandDefaults,
}

impl Tools {
    /// Ends what queries and everybody else lean on.
    pub(crate) fn close(&self) {
        self.cluster.close();
        // Afterwards, because a query that still runs gives its connections back until then.
        self.streams.close();
    }

    /// Every node of the cluster; there is one at least.
    pub(crate) fn nodes(&self) -> Result<Vec<Arc<Node>>> {
        let nodes = self.cluster.snapshot().nodes.clone();
        // Asked after the nodes, because closing takes them away.
        if self.cluster.is_closed() {
            return Err(Error::new(Kind::Closed, "the client is closed"));
        }
        if nodes.is_empty() {
            return Err(Error::new(Kind::NoNode, "no node of the cluster is reachable now"));
        }
        Ok(nodes)
    }

    /// A node's answer to an info command, whose refusal is an error.
    pub(crate) fn ask(&self, node: &Node, command: &str) -> Result<String> {
        let answer = self.cluster.info(node, &[command])?;
        info::value(&answer, command).map(str::to_owned).map_err(|error| {
            let code = Kind::Server(ResultCode(error.code));
            Error::new(code, error.to_string()).on(node.to_string())
        })
    }

    /// Some node's answer.
    pub(crate) fn ask_one(&self, command: &str) -> Result<String> {
        self.ask(&self.nodes()?[0], command)
    }
}

pub(crate) mod sealed {
    /// Only this crate's clients are faces.
    pub trait Sealed {}
}

/// The parts `name=value` of an info answer.
pub(crate) fn fields(answer: &str, separator: char) -> impl Iterator<Item = (&str, &str)> {
    answer.split(separator).filter_map(|part| part.split_once('='))
}

/// The value of one of them.
pub(crate) fn field<'a>(answer: &'a str, separator: char, name: &str) -> Option<&'a str> {
    fields(answer, separator).find(|(own, _)| *own == name).map(|(_, value)| value)
}

/// A name that goes into an info command.
pub(crate) fn word<'a>(what: &str, name: &'a str, longest: usize) -> Result<&'a str> {
    let odd = |sign| matches!(sign, ':' | ';' | '=' | ',' | '\n' | '\0');
    if name.is_empty() || name.len() > longest || name.contains(odd) {
        return Err(Error::invalid(format!(
            "{what} must have from 1 to {longest} bytes, none of : ; = , or a line break; got \
             {name:?}"
        )));
    }
    Ok(name)
}
