//! Whether all nodes have one schema after a change.
//!
//! The node that made the change is asked, for it alone is sure to know of it: what others say may
//! be what was before. When it says so, the picture of the cluster is read anew, too.

use std::time::Duration;

use spikewire_cql::response::Code;
use spikewire_transport::Tick;

use super::answer;
use crate::cluster::{Cluster, HostId, Snapshot, versions};
use crate::connection::Outcome;

/// Pause between two questions.
const PAUSE: Duration = Duration::from_millis(100);

/// Pause while the picture of the cluster is read.
const SHORT_PAUSE: Duration = Duration::from_millis(10);

/// How far the question has come.
#[derive(Debug)]
pub struct Agreement {
    /// When that must be over.
    pub until: Tick,
    stage: Stage,
    peers: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The node is asked for its own schema.
    Own,
    /// It has this one, and is asked for those of the others.
    Others(HostId),
    /// They differed.
    Paused,
    /// All have one; the picture of the cluster is read since.
    Agreed(Tick),
    /// There is no answer.
    Failed,
}

/// What comes next.
#[derive(Debug)]
pub enum Step {
    /// The node is asked this.
    Ask(&'static str),
    /// Nothing happens until then.
    Pause(Tick),
    /// It is over: whether all have one schema.
    Over(bool),
}

impl Agreement {
    /// Nothing is known yet.
    pub fn new(until: Tick) -> Self {
        Self { until, stage: Stage::Own, peers: versions::PEERS }
    }

    /// Takes an answer, or the end of a pause.
    pub fn hear(&mut self, outcome: Outcome<'_>, snapshot: &Snapshot) {
        self.stage = match self.stage {
            Stage::Own => {
                let found = rows(outcome).ok().and_then(|found| found.first()?.1);
                found.map_or(Stage::Failed, Stage::Others)
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
            Stage::Paused => Stage::Own,
            stage @ (Stage::Agreed(_) | Stage::Failed) => stage,
        };
    }

    /// What comes next.
    pub fn step(&self, cluster: &Cluster, now: Tick) -> Step {
        match self.stage {
            Stage::Own => Step::Ask(versions::LOCAL),
            Stage::Others(_) => Step::Ask(self.peers),
            Stage::Paused => Step::Pause(now.after(PAUSE).min(self.until)),
            Stage::Agreed(since) if cluster.has_agreed(since) => Step::Over(true),
            Stage::Agreed(_) => Step::Pause(now.after(SHORT_PAUSE).min(self.until)),
            Stage::Failed => Step::Over(false),
        }
    }
}

/// Nodes and their schemas; otherwise the server's refusal, if it was one.
fn rows(outcome: Outcome<'_>) -> Result<Vec<versions::Version>, Option<Code>> {
    let reply = outcome.map_err(|_| None)?;
    if let Some(error) = answer::error_of(&reply) {
        return Err(error.ok().map(|error| error.code));
    }
    versions::read(reply.body).ok_or(None)
}
