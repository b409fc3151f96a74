//! Moving partitions when nodes leave and return.
//!
//! A partition changes owners under its own lock, in one step: the new owner's copy is complete
//! before it answers for anything, and no write can come in between.

use std::sync::atomic::Ordering;

use super::placement;
use super::state::ClusterState;
use crate::storage::namespace::Namespace;

/// The first balance: every partition gets its owners, all empty.
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

/// A node died: its copies are gone, and the next in line answers for what it was master of. What
/// no other node holds starts empty.
pub fn remove(state: &ClusterState, node: usize) {
    // First of all, so that a migration under way does not hand the dead node anything.
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
    }
    membership_changed(state, None);
}

/// A node came back, empty: it gets its partitions by migration.
pub fn add(state: &ClusterState, node: usize) {
    state.rebalances.fetch_add(1, Ordering::AcqRel);
    if state.alive() == [node] {
        // No other node is left to copy from.
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

/// Tells every node that a map was changed, dead ones too: a node that returns must not show a
/// generation it has shown before.
fn ownership_changed(state: &ClusterState) {
    for node in &state.nodes {
        node.partition_generation.fetch_add(1, Ordering::AcqRel);
    }
}

/// How many partitions do not have the owners they should have.
fn count(state: &ClusterState) -> usize {
    let alive = state.alive();
    state
        .namespaces
        .iter()
        .map(|namespace| {
            let factor = state.factor(namespace);
            Namespace::ids()
                .filter(|pid| {
                    let wanted = placement::owners(*pid, &alive, &state.options.racks, factor);
                    !namespace.partition(*pid).owners().eq(wanted)
                })
                .count()
        })
        .sum()
}

/// Moves partitions to the owners they should have, one at a time, until all are moved, the
/// membership changes again or `keep_on` says no. `keep_on` is asked after every partition moved.
pub fn migrate(state: &ClusterState, keep_on: impl Fn() -> bool) {
    let epoch = state.rebalances.load(Ordering::Acquire);
    let alive = state.alive();
    for namespace in &state.namespaces {
        let factor = state.factor(namespace);
        for pid in Namespace::ids() {
            let wanted = placement::owners(pid, &alive, &state.options.racks, factor);
            let mut partition = namespace.partition(pid);
            if state.rebalances.load(Ordering::Acquire) != epoch {
                return;
            }
            if !partition.assign(&wanted) {
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
    // If the membership has changed meanwhile, this is not the present rebalance.
    state.settled.store(epoch, Ordering::Release);
}
