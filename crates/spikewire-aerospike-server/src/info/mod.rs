//! Info requests: text commands about the node and its cluster.
//!
//! | module | what it holds |
//! |---|---|
//! | [`identity`] | who the node is, what it can do |
//! | [`addresses`] | service lists and peers |
//! | [`ownership`] | partition maps |
//! | [`storage`] | namespaces, sets, statistics, configuration |
//! | [`modules`] | user-defined functions |
//! | `indexes`, `set_indexes`, [`index_stat`] | secondary indexes, set indexes, and how far they are |
//! | [`queries`] | queries and background jobs |
//! | [`truncate`] | truncation |
//! | `operator` | what operators ask of nodes that have logs, devices and a heartbeat |

pub mod addresses;
pub mod identity;
pub mod index_stat;
mod indexes;
pub mod modules;
mod operator;
pub mod ownership;
pub mod queries;
mod set_indexes;
pub mod storage;
pub mod truncate;

use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use spikewire_aerospike_protocol::frame::{self, Kind};
use spikewire_aerospike_protocol::info::{self, Command};
use spikewire_aerospike_protocol::result_code::ResultCode;

use crate::index::Index;
use crate::security;
use crate::security::access::Access;
use crate::state::ClusterState;
use crate::state::index_build::IndexBuild;
use crate::state::node::Node;
use crate::state::user_agents::UserAgent;
use crate::storage::namespace::Namespace;

const NO_NAMESPACE: &str = "namespace not found on node";

/// The node that an info request arrived at, and its client.
#[derive(Debug)]
pub struct InfoTarget<'a> {
    /// The cluster.
    pub state: &'a Arc<ClusterState>,
    /// The number of the node.
    pub number: usize,
    /// The address by which the client connected.
    pub local: IpAddr,
    /// The user's privileges, with security.
    pub access: Option<&'a Access>,
    /// The client's user agent, once sent or due.
    pub user_agent: &'a mut Option<UserAgent>,
}

impl InfoTarget<'_> {
    /// The node.
    pub fn node(&self) -> &Node {
        &self.state.nodes[self.number]
    }

    /// Builds a created index, or clears a deleted one, in the background.
    fn build(&self, namespace: usize, index: Arc<Index>) {
        let build = IndexBuild::new(self.state.clone(), namespace, index);
        self.state.background.add(Box::new(build));
    }
}

/// Formats an error.
pub(crate) fn error(code: ResultCode, text: &str) -> String {
    format!("ERROR:{}:{text}", code.0)
}

/// Replies to the commands in `body` with one frame.
pub fn answer(target: &mut InfoTarget<'_>, body: &[u8], out: &mut Vec<u8>) {
    let start = frame::begin(out, Kind::Info);
    if body.is_empty() {
        for line in ["features", "node", "edition", "version", "statistics"] {
            let value = value(target, &Command::parse(line));
            info::answer(out, line, &value);
        }
    }
    for command in info::commands(body) {
        let value = value(target, &command);
        info::answer(out, command.line, &value);
    }
    frame::finish(out, start);
}

fn value(target: &mut InfoTarget<'_>, command: &Command<'_>) -> String {
    if let Some(missing) = target.access.and_then(|access| security::info::missing(access, command))
    {
        let name = missing.name();
        return error(
            ResultCode::ROLE_VIOLATION,
            &format!("role violation - requires permission '{name}'"),
        );
    }
    match command.name {
        "user-agent-set" => return set_user_agent(target, command),
        "features" if target.user_agent.is_none() => {
            *target.user_agent = Some(target.node().user_agents.register_unknown());
        }
        _ => {}
    }
    identity::value(target, command)
        .or_else(|| addresses::value(target, command))
        .or_else(|| ownership::value(target, command))
        .or_else(|| storage::value(target, command))
        .or_else(|| modules::value(target, command))
        .or_else(|| truncate::value(target, command))
        .or_else(|| queries::value(target, command))
        .or_else(|| indexes::value(target, command))
        .or_else(|| operator::value(target, command))
        .unwrap_or_else(|| error(ResultCode::PARAMETER, "unrecognized command"))
}

fn namespace_param<'a>(command: &Command<'a>) -> Option<&'a str> {
    command.param("namespace").or(command.param("ns"))
}

/// The namespace with this name, or the error message.
fn named_namespace<'a>(
    target: &'a InfoTarget<'_>,
    name: Option<&str>,
) -> Result<&'a Namespace, String> {
    let name = name.filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| error(ResultCode::NAMESPACE, "missing 'namespace'"))?;
    let namespace = target.state.namespace(name.as_bytes());
    namespace
        .map(|(_, namespace)| namespace)
        .ok_or_else(|| error(ResultCode::NAMESPACE, NO_NAMESPACE))
}

/// Sets the client's user agent, once per connection.
fn set_user_agent(target: &mut InfoTarget<'_>, command: &Command<'_>) -> String {
    let Some(value) = command.param("value") else {
        return error(ResultCode::PARAMETER, "missing 'value'");
    };
    match STANDARD.decode(value) {
        Err(_) => error(ResultCode::PARAMETER, "'value' invalid base64"),
        Ok(text) if text.len() > 63 => error(ResultCode::PARAMETER, "'value' value too long"),
        Ok(_) if target.user_agent.as_ref().is_some_and(UserAgent::is_known) => {
            error(ResultCode::PARAMETER, "already set")
        }
        Ok(_) => {
            *target.user_agent = Some(target.node().user_agents.register(value));
            "ok".to_owned()
        }
    }
}
