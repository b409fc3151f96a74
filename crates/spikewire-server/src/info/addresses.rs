//! Where this node and its peers can be reached.
//!
//! Every node listens on the address the cluster is bound to. A cluster bound to all addresses
//! names the one the client came in by.

use std::sync::atomic::Ordering;

use spikewire_protocol::info::Command;
use spikewire_protocol::peers::{Address, Peer, Peers};

use super::Asker;

pub(super) fn value(asker: &Asker<'_>, command: &Command<'_>) -> Option<String> {
    Some(match command.name {
        "service-clear-std" | "service" => address(asker, asker.number).to_string(),
        "service-clear-alt" | "admin-clear-std" | "admin-tls-std" | "services-alternate" => {
            String::new()
        }
        "services" => list(asker, others(asker, true)),
        "services-alumni" => list(asker, others(asker, false)),
        "peers-clear-std" => peers(asker, others(asker, true)),
        "peers-clear-alt" => peers(asker, Vec::new()),
        "alumni-clear-std" => peers(asker, others(asker, false)),
        _ => return None,
    })
}

/// The other nodes: the live ones, or all that ever were.
fn others(asker: &Asker<'_>, alive: bool) -> Vec<usize> {
    let nodes = &asker.state.nodes;
    (0..nodes.len())
        .filter(|node| *node != asker.number && (!alive || nodes[*node].is_alive()))
        .collect()
}

fn address(asker: &Asker<'_>, node: usize) -> Address {
    Address {
        host: asker.local.to_canonical().to_string(),
        port: asker.state.nodes[node].address.port(),
    }
}

fn list(asker: &Asker<'_>, nodes: Vec<usize>) -> String {
    let texts: Vec<_> = nodes.into_iter().map(|node| address(asker, node).to_string()).collect();
    texts.join(";")
}

fn peers(asker: &Asker<'_>, nodes: Vec<usize>) -> String {
    let peer = |node: usize| Peer {
        name: asker.state.nodes[node].name.clone(),
        tls_name: String::new(),
        addresses: vec![address(asker, node)],
    };
    let generation = asker.node().peers_generation.load(Ordering::Acquire);
    Peers { generation, peers: nodes.into_iter().map(peer).collect() }.format()
}
