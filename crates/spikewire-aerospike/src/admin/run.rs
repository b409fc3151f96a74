//! Runs procedures on the calling thread.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use spikewire_transport::OrderKey;

use super::{AdminAction, Procedure, Recipients};
use crate::clock::Tick;
use crate::cluster::{Cluster, Node};
use crate::model::{Error, Kind, Result};

/// How often a pause checks for interruption.
const SIGNAL_POLL: Duration = Duration::from_millis(50);

/// Runs a procedure on this thread, including pauses. Blocks while waiting for nodes, for each at
/// most for the connect timeout or the request's deadline. Fails with [`Kind::Interrupted`] if
/// `interrupted` returns true.
pub fn run<P: Procedure + ?Sized>(
    cluster: &Cluster,
    procedure: &mut P,
    interrupted: &dyn Fn() -> bool,
) -> Result<P::Output> {
    let mut answers = Vec::new();
    loop {
        // It may change records, and waits for jobs that do.
        cluster.invalidate_near_cache();
        match procedure.next(std::mem::take(&mut answers), Tick::now()) {
            AdminAction::Ask(nodes, command) => {
                let nodes = recipients(cluster, nodes)?;
                answers = cluster.ask(&nodes, &command, interrupted)?;
            }
            AdminAction::Send(request) => answers = vec![cluster.send(&request, interrupted)?],
            AdminAction::Manage(request) => {
                let nodes = recipients(cluster, Recipients::Any)?;
                answers = match nodes.first() {
                    Some(node) => vec![cluster.manage(node, &request, interrupted)?],
                    None => Vec::new(),
                };
            }
            AdminAction::Sleep(until) => sleep(cluster, until, interrupted)?,
            AdminAction::Done(outcome) => {
                // It may have changed any record, and no multiplexer knows.
                cluster.shared_reads().count_write(OrderKey::NONE);
                return outcome;
            }
        }
    }
}

pub(super) fn recipients(cluster: &Cluster, nodes: Recipients) -> Result<Vec<Arc<Node>>> {
    match nodes {
        Recipients::These(nodes) => Ok(nodes),
        Recipients::Every => cluster.members(),
        Recipients::Any => cluster.members().map(|mut nodes| {
            nodes.truncate(1);
            nodes
        }),
    }
}

fn sleep(cluster: &Cluster, until: Tick, interrupted: &dyn Fn() -> bool) -> Result<()> {
    loop {
        if interrupted() {
            return Err(Error::new(Kind::Interrupted, "a signal interrupted the wait"));
        }
        if cluster.is_closed() {
            return Err(Error::closed());
        }
        let left = until.since(Tick::now());
        if left.is_zero() {
            return Ok(());
        }
        thread::sleep(left.min(SIGNAL_POLL));
    }
}
