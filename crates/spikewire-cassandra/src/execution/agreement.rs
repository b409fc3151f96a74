//! Schema agreement: whether all nodes have the same schema after a change.
//!
//! The node that made the change is asked, because only that one is sure to know of it: others may
//! still report what was before. When it reports agreement, the cluster's snapshot is refreshed as
//! well.

use std::time::Duration;

use spikewire_cql::response::Code;
use spikewire_transport::Tick;

use super::{answer, ends_pause};
use crate::cluster::{Cluster, HostId, Snapshot, versions};
use crate::connection::Outcome;

/// Pause between two requests.
const PAUSE: Duration = Duration::from_millis(100);

/// Pause while the snapshot is refreshed.
const SHORT_PAUSE: Duration = Duration::from_millis(10);

/// The state of a check for agreement.
#[derive(Debug)]
pub struct Agreement {
    /// When to give up.
    pub until: Tick,
    stage: Stage,
    peers: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The node is asked for its own schema.
    Own,
    /// It has this schema, and is asked for those of the others.
    Others(HostId),
    /// They differed.
    Paused,
    /// All agreed at this time; the snapshot is being refreshed.
    Agreed(Tick),
    /// There was no reply.
    Failed,
}

/// The next step.
#[derive(Debug)]
pub enum Step {
    /// Ask the node this.
    Ask(&'static str),
    /// Do nothing until this time.
    Pause(Tick),
    /// Finished, with whether all nodes agree.
    Over(bool),
}

impl Agreement {
    /// A check that has not started.
    pub fn new(until: Tick) -> Self {
        Self { until, stage: Stage::Own, peers: versions::PEERS }
    }

    /// Takes a reply, or the end of a pause. Any other outcome of a pause means that nothing will be
    /// sent any more.
    pub fn on_outcome(&mut self, outcome: Outcome<'_>, snapshot: &Snapshot) {
        self.stage = match self.stage {
            Stage::Own => {
                let schema = rows(outcome).ok().and_then(|schema| schema.first()?.1);
                schema.map_or(Stage::Failed, Stage::Others)
            }
            Stage::Others(own) => match rows(outcome) {
                Ok(others) if versions::agree(own, &others, snapshot) => Stage::Agreed(Tick::now()),
                Ok(_) => Stage::Paused,
                Err(Some(Code::Invalid)) if self.peers == versions::PEERS => {
                    self.peers = versions::OLD_PEERS;
                    Stage::Others(own)
                }
                Err(_) => Stage::Failed,
            },
            Stage::Paused | Stage::Agreed(_) if !ends_pause(&outcome) => Stage::Failed,
            Stage::Paused => Stage::Own,
            stage @ (Stage::Agreed(_) | Stage::Failed) => stage,
        };
    }

    /// The next step.
    pub fn step(&self, cluster: &Cluster, now: Tick) -> Step {
        match self.stage {
            Stage::Own => Step::Ask(versions::LOCAL),
            Stage::Others(_) => Step::Ask(self.peers),
            Stage::Paused => Step::Pause(now.after(PAUSE).min(self.until)),
            Stage::Agreed(since) if cluster.has_agreed(since, self.until) => Step::Over(true),
            Stage::Agreed(_) => Step::Pause(now.after(SHORT_PAUSE).min(self.until)),
            Stage::Failed => Step::Over(false),
        }
    }
}

/// Nodes and their schema versions; otherwise the server's error, if it returned one.
fn rows(outcome: Outcome<'_>) -> Result<Vec<versions::Version>, Option<Code>> {
    let reply = outcome.map_err(|_| None)?;
    if let Some(error) = answer::error_of(&reply) {
        return Err(error.ok().map(|error| error.code));
    }
    versions::read(reply.body).ok_or(None)
}
