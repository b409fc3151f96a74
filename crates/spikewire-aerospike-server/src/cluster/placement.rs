//! The intended owners of a partition: rendezvous hashing, spread over racks.

use crate::hash::mix;

/// The owners of partition `pid`, master first: up to `factor` of the `alive` nodes.
///
/// Each node gets a number for the partition, and the highest numbers win, so a leaving node moves
/// only the partitions it owned. With racks (one per node), a rack is used again only after all
/// others.
pub fn owners(pid: u16, alive: &[usize], racks: &[u32], factor: usize) -> Vec<usize> {
    let mut ranked: Vec<usize> = alive.to_vec();
    ranked.sort_by_key(|node| std::cmp::Reverse(draw(pid, *node)));
    let rack = |node: usize| racks.get(node).copied().unwrap_or(0);
    let mut chosen: Vec<usize> = Vec::with_capacity(factor.min(ranked.len()));
    while chosen.len() < factor && !ranked.is_empty() {
        let fresh = |node: &usize| !chosen.iter().any(|other| rack(*other) == rack(*node));
        let at = ranked.iter().position(fresh).unwrap_or(0);
        chosen.push(ranked.remove(at));
    }
    chosen
}

fn draw(pid: u16, node: usize) -> u64 {
    mix(mix(node as u64 + 1) ^ u64::from(pid))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_gets_its_share_of_every_role() {
        let alive: Vec<usize> = (0..5).collect();
        let mut counts = [[0; 5]; 2];
        for pid in 0..4096 {
            let owners = owners(pid, &alive, &[], 2);
            assert!(owners.len() == 2 && owners[0] != owners[1]);
            counts[0][owners[0]] += 1;
            counts[1][owners[1]] += 1;
        }
        for count in counts.as_flattened() {
            assert!((700..940).contains(count), "{counts:?}");
        }
    }

    #[test]
    fn a_node_that_leaves_moves_only_what_it_owned() {
        for pid in 0..4096 {
            let before = owners(pid, &[0, 1, 2], &[], 2);
            let after = owners(pid, &[0, 2], &[], 2);
            let heir = if before[0] == 1 { before[1] } else { before[0] };
            assert_eq!(after[0], heir);
        }
    }

    #[test]
    fn copies_are_spread_over_racks() {
        for pid in 0..4096 {
            let owners = owners(pid, &[0, 1, 2, 3], &[1, 1, 2, 2], 3);
            let racks: Vec<_> = owners.iter().map(|node| node / 2).collect();
            assert!(racks[0] != racks[1] && owners.len() == 3);
        }
        assert_eq!(owners(7, &[3], &[], 2), [3]);
        assert!(owners(7, &[], &[], 2).is_empty());
    }
}
