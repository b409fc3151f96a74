//! Addresses of this node and its peers.
//!
//! Every node listens on the address to which the cluster is bound. If that is the wildcard
//! address, the address by which the client connected is advertised.

use std::sync::atomic::Ordering;

use spikewire_aerospike_protocol::info::Command;
use spikewire_aerospike_protocol::peers::{Address, Peer, Peers};

use super::InfoTarget;

pub(super) fn value(target: &InfoTarget<'_>, command: &Command<'_>) -> Option<String> {
    if let Some(tls) = &target.state.tls {
        return encrypted(target, command, &tls.name);
    }
    Some(match command.name {
        "service-clear-std" | "service" => address(target, target.number).to_string(),
        "service-clear-alt" | "admin-clear-std" | "admin-tls-std" | "services-alternate" => {
            String::new()
        }
        "services" => list(target, others(target, true)),
        "services-alumni" => list(target, others(target, false)),
        "peers-clear-std" => peers(target, others(target, true), ""),
        "peers-clear-alt" => peers(target, Vec::new(), ""),
        "alumni-clear-std" => peers(target, others(target, false), ""),
        _ => return None,
    })
}

/// The same for nodes with TLS only, under this name.
fn encrypted(target: &InfoTarget<'_>, command: &Command<'_>, name: &str) -> Option<String> {
    Some(match command.name {
        "service-tls-std" => address(target, target.number).to_string(),
        "peers-tls-std" => peers(target, others(target, true), name),
        "alumni-tls-std" => peers(target, others(target, false), name),
        "peers-tls-alt" | "alumni-tls-alt" | "peers-clear-std" | "peers-clear-alt"
        | "alumni-clear-std" => peers(target, Vec::new(), ""),
        "service" | "services" | "services-alumni" | "services-alternate" | "service-tls-alt"
        | "service-clear-std" | "service-clear-alt" | "admin-clear-std" | "admin-tls-std" => {
            String::new()
        }
        _ => return None,
    })
}

/// The other nodes: the live ones, or all that ever existed.
fn others(target: &InfoTarget<'_>, alive: bool) -> Vec<usize> {
    let nodes = &target.state.nodes;
    (0..nodes.len())
        .filter(|node| *node != target.number && (!alive || nodes[*node].is_alive()))
        .collect()
}

fn address(target: &InfoTarget<'_>, node: usize) -> Address {
    Address {
        host: target.local.to_canonical().to_string(),
        port: target.state.nodes[node].address.port(),
    }
}

fn list(target: &InfoTarget<'_>, nodes: Vec<usize>) -> String {
    let texts: Vec<_> = nodes.into_iter().map(|node| address(target, node).to_string()).collect();
    texts.join(";")
}

fn peers(target: &InfoTarget<'_>, nodes: Vec<usize>, tls_name: &str) -> String {
    let peer = |node: usize| Peer {
        name: target.state.nodes[node].name.clone(),
        tls_name: tls_name.to_owned(),
        addresses: vec![address(target, node)],
    };
    let generation = target.node().peers_generation.load(Ordering::Acquire);
    Peers { generation, peers: nodes.into_iter().map(peer).collect() }.format()
}
