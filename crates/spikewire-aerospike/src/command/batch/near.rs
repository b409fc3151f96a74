//! The near cache and the rows of a batch.

use std::sync::Arc;

use super::{Batch, Body, Records, RowState};
use crate::clock::Tick;
use crate::cluster::{Cluster, Node};
use crate::command::near::is_strong_namespace;
use crate::command::refresh;
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
}

impl Batch {
    /// The batch is about to be sent: rows that the client's near cache answers have their reply,
    /// and it knows of those that write.
    #[inline]
    pub(crate) fn enter_near_cache(&mut self, cluster: &Arc<Cluster>) {
        if let Some(cache) = cluster.near_cache() {
            self.consult(cache, cluster);
        }
    }

    #[cold]
    fn consult(&mut self, cache: &Arc<NearCache<Node>>, cluster: &Arc<Cluster>) {
        let now = Tick::now();
        let (mut claims, mut guards) = (Vec::new(), Vec::new());
        let cacheable = |kind: &super::RowKind| {
            kind.replica != ReplicaPolicy::Master && !is_strong_namespace(cluster, &kind.namespace)
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
                Lookup::Hit(entry) => {
                    self.answer_by(index, &entry);
                    if cache.claims_refresh(&entry, now) {
                        refresh::refresh_soon(cache, cluster, entry);
                    }
                }
                Lookup::Miss(Some(claim)) if self.sink.is_none() => {
                    claims.push((index as u32, claim));
                }
                Lookup::Miss(_) => {}
            }
        }
        if !claims.is_empty() || !guards.is_empty() {
            let cache = cache.clone();
            self.near = Some(Box::new(NearRows { cache, claims, _guards: guards }));
        }
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
    pub(crate) fn reply_of(&self, index: usize) -> Option<(&[u8], &Arc<Node>)> {
        match &self.rows[index].state {
            RowState::Answered(body, range) => {
                Some((self.message(*body, range), &self.bodies[*body as usize].node))
            }
            _ => None,
        }
    }
}
