//! Moving partitions when nodes leave and return.
//!
//! A partition changes owners under its lock, in one step: the new owner's copy is complete before
//! it replies to anything, and no write can come in between.

use std::sync::atomic::Ordering;

use super::placement;
use crate::state::ClusterState;
use crate::storage::namespace::Namespace;

/// The initial balance: every partition gets its owners, all empty.
pub fn first(state: &ClusterState) {
    for namespace in &state.namespaces {
        let factor = state.factor(namespace);
        let alive = state.alive();
        for pid in Namespace::ids() {
            let owners = placement::owners(pid, &alive, &state.options.racks, factor);
            namespace.partition(pid).assign(&owners);
        }
    }
    state.settled.store(1, Ordering::Release);
    state.rebalances.store(1, Ordering::Release);
    for node in &state.nodes {
        node.partition_generation.store(0, Ordering::Release);
    }
}

/// A node died: its copies are gone, and the next replica becomes the master of its partitions.
/// Partitions without another copy start empty.
pub fn remove(state: &ClusterState, node: usize) {
    // Done first, so that a running migration does not assign anything to the dead node.
    state.rebalances.fetch_add(1, Ordering::AcqRel);
    let alive = state.alive();
    for namespace in &state.namespaces {
        let factor = state.factor(namespace);
        for pid in Namespace::ids() {
            let mut partition = namespace.partition(pid);
            if partition.drop_node(node) && partition.master().is_none() {
                partition.assign(&placement::owners(pid, &alive, &state.options.racks, factor));
            }
        }
        namespace.sets.forget(node);
    }
    membership_changed(state, None);
}

/// A node returned, empty: it gets its partitions by migration.
pub fn add(state: &ClusterState, node: usize) {
    state.rebalances.fetch_add(1, Ordering::AcqRel);
    if state.alive() == [node] {
        // There is no other node to copy from.
        for namespace in &state.namespaces {
            for pid in Namespace::ids() {
                namespace.partition(pid).assign(&[node]);
            }
        }
    }
    membership_changed(state, Some(node));
}

fn membership_changed(state: &ClusterState, returned: Option<usize>) {
    let alive = state.alive();
    state.migrations.store(count(state), Ordering::Release);
    for &node in &alive {
        let generation = &state.nodes[node].peers_generation;
        if returned == Some(node) {
            generation.store(alive.len() as u64, Ordering::Release);
        } else {
            generation.fetch_add(1, Ordering::AcqRel);
        }
    }
    ownership_changed(state);
}

/// Increases the generation of every node, including dead ones: a node that returns must not report
/// a generation that it has reported before.
fn ownership_changed(state: &ClusterState) {
    for node in &state.nodes {
        node.partition_generation.fetch_add(1, Ordering::AcqRel);
    }
}

/// Number of partitions without their intended owners.
fn count(state: &ClusterState) -> usize {
    let alive = state.alive();
    state
        .namespaces
        .iter()
        .map(|namespace| {
            let factor = state.factor(namespace);
            Namespace::ids()
                .filter(|pid| {
                    let intended = placement::owners(*pid, &alive, &state.options.racks, factor);
                    !namespace.partition(*pid).owners().eq(intended)
                })
                .count()
        })
        .sum()
}

/// Moves partitions to their intended owners, one at a time, until all are moved, the membership
/// changes again or `keep_on` returns false. `keep_on` is called after every moved partition.
pub fn migrate(state: &ClusterState, keep_on: impl Fn() -> bool) {
    let epoch = state.rebalances.load(Ordering::Acquire);
    let alive = state.alive();
    for namespace in &state.namespaces {
        let factor = state.factor(namespace);
        for pid in Namespace::ids() {
            let intended = placement::owners(pid, &alive, &state.options.racks, factor);
            let mut partition = namespace.partition(pid);
            if state.rebalances.load(Ordering::Acquire) != epoch {
                return;
            }
            if !partition.assign(&intended) {
                continue;
            }
            drop(partition);
            ownership_changed(state);
            let left = |left: usize| Some(left.saturating_sub(1));
            let _ = state.migrations.fetch_update(Ordering::AcqRel, Ordering::Acquire, left);
            if !keep_on() {
                return;
            }
        }
    }
    // If the membership has changed in the meantime, this is not the current rebalance.
    state.settled.store(epoch, Ordering::Release);
}
