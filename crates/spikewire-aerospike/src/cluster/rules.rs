//! The rules for adding and removing nodes, independent of I/O.

use std::net::SocketAddr;

use super::address;

/// Consecutive failures after which a node is removed while no node at all replies.
const PATIENCE: u32 = 5;

/// The facts that determine whether a node stays.
#[derive(Debug, Clone, Copy)]
pub(super) struct PeerHealth {
    /// Another node has replaced it.
    pub replaced: bool,
    /// Consecutive passes without a reply.
    pub failures: u32,
    /// Nodes that list it as a peer.
    pub listed_by: u32,
}

/// Whether a node is removed. Of `members` nodes in the cluster, `answered` listed their peers in
/// this pass; `mapped`: the node holds partitions.
pub(super) fn leaves(
    node: PeerHealth,
    members: usize,
    answered: usize,
    mapped: impl FnOnce() -> bool,
) -> bool {
    if node.replaced {
        return true;
    }
    if answered == 0 {
        // No node replies: this client may be disconnected. When all nodes are gone, the seeds are
        // tried again.
        return node.failures >= PATIENCE;
    }
    members > 1 && node.listed_by == 0 && (node.failures > 0 || !mapped())
}

/// Whether a node's partition map counts: a node without peers, while others reply, has lost its
/// cluster and would claim everything.
pub(super) fn may_map(peers: usize, answered: usize) -> bool {
    peers > 0 || answered <= 1
}

/// How a listed peer relates to a known node of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PeerLocation {
    /// The same node.
    Same,
    /// The node has moved to another address.
    Moved,
}

/// Whether a known node may be at another address now.
pub(super) fn may_have_moved(failures: u32, at: SocketAddr) -> bool {
    failures > 0 && !address::is_local(at)
}

/// A known node counts as moved only if it fails at its old address, and that is not this machine
/// (which others naturally list by another address).
pub(super) fn locate(
    failures: u32,
    at: SocketAddr,
    listed: impl FnOnce() -> Vec<SocketAddr>,
) -> PeerLocation {
    if !may_have_moved(failures, at) || listed().iter().any(|address| address::same(*address, at)) {
        PeerLocation::Same
    } else {
        PeerLocation::Moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINE: PeerHealth = PeerHealth { replaced: false, failures: 0, listed_by: 2 };

    fn stays(node: PeerHealth, members: usize, answered: usize, mapped: bool) -> bool {
        !leaves(node, members, answered, || mapped)
    }

    #[test]
    fn a_healthy_node_stays() {
        assert!(stays(FINE, 3, 3, true));
        assert!(stays(FINE, 3, 3, false), "a new node has no partitions yet");
        assert!(!stays(PeerHealth { replaced: true, ..FINE }, 3, 3, true));
    }

    #[test]
    fn an_unlisted_node_goes_when_it_fails_or_holds_nothing() {
        let alone = PeerHealth { listed_by: 0, ..FINE };
        assert!(stays(alone, 3, 3, true), "it answers and holds partitions");
        assert!(!stays(alone, 3, 3, false));
        assert!(!stays(PeerHealth { failures: 1, ..alone }, 3, 2, true), "in that very pass");
        assert!(stays(PeerHealth { failures: 9, ..FINE }, 3, 2, true), "still listed");
    }

    #[test]
    fn the_only_node_stays_until_it_has_failed_for_long() {
        let alone = PeerHealth { listed_by: 0, ..FINE };
        assert!(stays(alone, 1, 1, false));
        assert!(stays(PeerHealth { failures: 4, ..alone }, 1, 0, true));
        assert!(!stays(PeerHealth { failures: 5, ..alone }, 1, 0, true));
    }

    #[test]
    fn nodes_stay_until_the_fifth_failure_if_none_answers() {
        let failing = PeerHealth { failures: 4, listed_by: 0, ..FINE };
        assert!(stays(failing, 3, 0, false));
        assert!(!stays(PeerHealth { failures: 5, ..failing }, 3, 0, true));
    }

    #[test]
    fn an_isolated_node_does_not_map() {
        assert!(may_map(2, 3));
        assert!(!may_map(0, 3));
        assert!(may_map(0, 1), "a cluster of one");
    }

    #[test]
    fn a_node_moves_only_when_it_fails_and_is_elsewhere() {
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        let old = at("10.0.0.1:3000");
        let listed = || vec![at("10.0.0.9:3000")];
        assert_eq!(locate(0, old, listed), PeerLocation::Same);
        assert_eq!(locate(1, old, listed), PeerLocation::Moved);
        assert_eq!(locate(1, old, || vec![at("10.0.0.9:3000"), old]), PeerLocation::Same);
        assert_eq!(locate(1, at("127.0.0.1:3000"), listed), PeerLocation::Same);
    }
}
