//! The near cache and the rows of a batch.

use std::sync::Arc;

use super::{Batch, Body, Records, RowState};
use crate::clock::Tick;
use crate::cluster::{Cluster, Node};
use crate::model::ReplicaPolicy;
use crate::near_cache::{Claim, Entry, Lookup, NearCache, ReadRequest, WriteGuard};

/// What the near cache has to do with a batch until its end.
#[derive(Debug)]
pub(super) struct NearRows {
    cache: Arc<NearCache<Node>>,
    /// Rows whose replies are stored.
    claims: Vec<(u32, Box<Claim>)>,
    /// Rows that write.
    _guards: Vec<WriteGuard>,
    /// Whether its event loop gets a turn before a batch without requests is completed.
    turn: bool,
}

impl Batch {
    /// The batch is about to be sent: rows that the client's near cache answers have their reply,
    /// and it knows of those that write. Returns whether the caller has to start what refreshes it.
    #[inline]
    #[must_use]
    pub(crate) fn enter_near_cache(&mut self, cluster: &Cluster) -> bool {
        match cluster.near_cache() {
            None => false,
            Some(cache) => self.consult(cache, cluster),
        }
    }

    #[cold]
    fn consult(&mut self, cache: &Arc<NearCache<Node>>, cluster: &Cluster) -> bool {
        let (now, mut starts) = (Tick::now(), false);
        let (mut claims, mut guards, mut turn) = (Vec::new(), Vec::new(), false);
        let cacheable = |kind: &super::RowKind| {
            kind.replica != ReplicaPolicy::Master && !cluster.is_strong(&kind.namespace)
        };
        let cacheable: Vec<bool> = self.kinds.iter().map(cacheable).collect();
        for index in 0..self.rows.len() {
            let row = &self.rows[index];
            let kind = &self.kinds[row.kind as usize];
            if kind.write {
                guards.push(cache.write(&row.digest.0));
                continue;
            }
            if !cacheable[row.kind as usize] || !matches!(row.state, RowState::Pending(None)) {
                continue;
            }
            let (header, fields, ops) = kind.row.parts();
            let Some(read) = ReadRequest::of_parts(&header, fields, &row.digest.0, ops) else {
                continue;
            };
            match cache.look_up(&read, now) {
                Lookup::Hit { entry, yields } => {
                    turn |= yields;
                    self.answer_by(index, &entry);
                    if cache.claims_refresh(&entry, now) {
                        starts |= cache.due.push(entry);
                    }
                }
                Lookup::Miss(Some(claim)) if self.sink.is_none() => {
                    claims.push((index as u32, claim));
                }
                Lookup::Miss(_) => {}
            }
        }
        if turn || !claims.is_empty() || !guards.is_empty() {
            let cache = cache.clone();
            self.near = Some(Box::new(NearRows { cache, claims, _guards: guards, turn }));
        }
        starts
    }

    /// Whether the caller's event loop gets a turn first. Only once.
    pub(crate) fn takes_turn(&mut self) -> bool {
        self.near.as_mut().is_some_and(|near| std::mem::take(&mut near.turn))
    }

    fn answer_by(&mut self, index: usize, entry: &Entry<Node>) {
        let mut bytes = Vec::new();
        match &self.sink {
            Some(sink) => {
                let (messages, rows) = (entry.body(), &[index as u32][..]);
                sink.take(Records { messages, rows, single: true, outcomes: &mut bytes });
            }
            None => bytes.extend_from_slice(entry.body()),
        }
        self.rows[index].state = RowState::Answered(self.bodies.len() as u32, 0..bytes.len());
        self.bodies.push(Body { bytes, node: entry.node().clone(), attempts: 0 });
    }

    /// The batch is over.
    #[inline]
    pub(super) fn leave_near_cache(&mut self) {
        if let Some(near) = self.near.take() {
            self.store(*near);
        }
    }

    #[cold]
    fn store(&self, near: NearRows) {
        for (index, claim) in &near.claims {
            if let Some((message, node)) = self.reply_of(*index as usize) {
                near.cache.fill(claim, message, node);
            }
        }
    }

    /// The reply to a row, and the node that sent it.
    pub fn reply_of(&self, index: usize) -> Option<(&[u8], &Arc<Node>)> {
        match &self.rows[index].state {
            RowState::Answered(body, range) => {
                Some((self.message(*body, range), &self.bodies[*body as usize].node))
            }
            _ => None,
        }
    }
}
