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
    stage: AgreementStage,
    peers: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AgreementStage {
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
pub enum AgreementStep {
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
        Self { until, stage: AgreementStage::Own, peers: versions::PEERS }
    }

    /// Takes a reply, or the end of a pause. Any other outcome of a pause means that nothing will
    /// be sent any more.
    pub fn on_outcome(&mut self, outcome: Outcome<'_>, snapshot: &Snapshot) {
        self.stage = match self.stage {
            AgreementStage::Own => {
                let schema = rows(outcome).ok().and_then(|schema| schema.first()?.1);
                schema.map_or(AgreementStage::Failed, AgreementStage::Others)
            }
            AgreementStage::Others(own) => match rows(outcome) {
                Ok(others) if versions::agree(own, &others, snapshot) => {
                    AgreementStage::Agreed(Tick::now())
                }
                Ok(_) => AgreementStage::Paused,
                Err(Some(Code::Invalid)) if self.peers == versions::PEERS => {
                    self.peers = versions::OLD_PEERS;
                    AgreementStage::Others(own)
                }
                Err(_) => AgreementStage::Failed,
            },
            AgreementStage::Paused | AgreementStage::Agreed(_) if !ends_pause(&outcome) => {
                AgreementStage::Failed
            }
            AgreementStage::Paused => AgreementStage::Own,
            stage @ (AgreementStage::Agreed(_) | AgreementStage::Failed) => stage,
        };
    }

    /// The next step.
    pub fn step(&self, cluster: &Cluster, now: Tick) -> AgreementStep {
        match self.stage {
            AgreementStage::Own => AgreementStep::Ask(versions::LOCAL),
            AgreementStage::Others(_) => AgreementStep::Ask(self.peers),
            AgreementStage::Paused => AgreementStep::Pause(now.after(PAUSE).min(self.until)),
            AgreementStage::Agreed(since) if cluster.has_agreed(since, self.until) => {
                AgreementStep::Over(true)
            }
            AgreementStage::Agreed(_) => {
                AgreementStep::Pause(now.after(SHORT_PAUSE).min(self.until))
            }
            AgreementStage::Failed => AgreementStep::Over(false),
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
