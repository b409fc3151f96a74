//! Precomputed replicas of every token.

use std::collections::HashSet;
use std::sync::Arc;

use super::nodes::{Place, Ring, entry_of};
use super::strategy::Strategy;

/// The replicas of a keyspace, or of several with the same strategy, for every token.
#[derive(Debug, Clone)]
pub struct Replicas {
    tokens: Arc<[i64]>,
    /// One list per entry of the ring; equal lists are shared.
    lists: Box<[Arc<[u32]>]>,
}

impl Replicas {
    /// The nodes that hold a token, in the order of the strategy, as indexes into [`Ring::nodes`];
    /// the first one is the primary. Empty if the ring is empty.
    pub fn of(&self, token: i64) -> &[u32] {
        entry_of(&self.tokens, token).and_then(|at| self.lists.get(at)).map_or(&[], |list| list)
    }
}

impl<N> Ring<N> {
    /// The replicas of every token; `None` if any node will do.
    ///
    /// Takes time proportional to the number of tokens times the number of nodes.
    pub fn replicas(&self, strategy: &Strategy) -> Option<Replicas> {
        // Going backwards, the owner of an entry is moved to the front of all nodes, so that they
        // are always in the order in which a forward walk meets them. The first round is for owners
        // past the end. A node that is skipped once stays skipped, so meeting each node once is
        // enough.
        let mut order: Vec<u32> = Vec::with_capacity(self.places.len());
        for owner in self.owners.iter().rev() {
            to_front(&mut order, *owner);
        }
        let mut pick = match strategy {
            Strategy::Simple(factor) => Pick::Simple(factor.all as usize),
            Strategy::NetworkTopology(factors) => {
                let quota = |dc: &String| factors.get(dc).map_or(0, |factor| factor.all as usize);
                Pick::network(
                    order.iter().map(|node| self.places[*node as usize]),
                    self.dcs.iter().map(quota),
                )
            }
            Strategy::Anywhere => return None,
        };
        let mut known: HashSet<Arc<[u32]>> = HashSet::new();
        let mut list_of_owner = Vec::new();
        let mut lists: Vec<_> = self
            .owners
            .iter()
            .rev()
            .map(|owner| {
                to_front(&mut order, *owner);
                list_of_owner.clear();
                pick.take(&order, &self.places, &mut list_of_owner);
                if let Some(list) = known.get(list_of_owner.as_slice()) {
                    return list.clone();
                }
                let list: Arc<[u32]> = list_of_owner.as_slice().into();
                known.insert(list.clone());
                list
            })
            .collect();
        lists.reverse();
        Some(Replicas { tokens: self.tokens.clone(), lists: lists.into() })
    }
}

/// Moves a node to the front; it may be new.
fn to_front(order: &mut Vec<u32>, node: u32) {
    match order.iter().position(|known| *known == node) {
        Some(at) => order[..=at].rotate_right(1),
        None => order.insert(0, node),
    }
}

/// Picks replicas from nodes in the order in which they are met.
enum Pick {
    /// This many.
    Simple(usize),
    /// Per datacenter.
    Network {
        dcs: Vec<Quota>,
        /// What is left in the current walk.
        left: Vec<Quota>,
    },
}

/// How many replicas a datacenter has to provide.
#[derive(Debug, Clone)]
struct Quota {
    replicas: usize,
    /// How many of them may be in a rack that already has one.
    repeats: usize,
    /// Which racks already have one.
    racks: Vec<bool>,
}

impl Pick {
    /// For nodes at these locations; nodes without a token do not count.
    fn network(places: impl Iterator<Item = Place>, quotas: impl Iterator<Item = usize>) -> Self {
        let places: Vec<_> = places.collect();
        let dcs: Vec<_> = quotas
            .enumerate()
            .map(|(dc, factor)| {
                let here = || places.iter().filter(|place| place.dc as usize == dc);
                // Racks without an owner count as taken.
                let mut racks = Vec::new();
                for place in here() {
                    racks.resize(racks.len().max(place.rack as usize + 1), true);
                    racks[place.rack as usize] = false;
                }
                let free = racks.iter().filter(|used| !**used).count();
                Quota {
                    replicas: factor.min(here().count()),
                    repeats: factor.saturating_sub(free),
                    racks,
                }
            })
            .collect();
        Self::Network { left: dcs.clone(), dcs }
    }

    fn take(&mut self, order: &[u32], places: &[Place], replicas: &mut Vec<u32>) {
        let (dcs, left) = match self {
            Self::Simple(factor) => return replicas.extend(order.iter().take(*factor)),
            Self::Network { dcs, left } => (dcs, left),
        };
        left.clone_from_slice(dcs);
        let mut remaining: usize = dcs.iter().map(|dc| dc.replicas).sum();
        for node in order {
            if remaining == 0 {
                break;
            }
            let place = places[*node as usize];
            let dc = &mut left[place.dc as usize];
            if dc.replicas == 0 {
                continue;
            }
            let rack = &mut dc.racks[place.rack as usize];
            if *rack {
                let Some(repeats) = dc.repeats.checked_sub(1) else { continue };
                dc.repeats = repeats;
            }
            *rack = true;
            dc.replicas -= 1;
            remaining -= 1;
            replicas.push(*node);
        }
    }
}
