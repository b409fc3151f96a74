//! Running a procedure on the calling thread.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::{AdminAction, Procedure, Recipients};
use crate::clock::Tick;
use crate::cluster::{Cluster, Node};
use crate::error::{Error, Kind, Result};

/// How often a pause is left to look whether it should go on.
const SIGNAL_POLL: Duration = Duration::from_millis(50);

/// Where a procedure stands after [`advance`].
#[derive(Debug)]
pub enum AdminPause<T> {
    /// It goes on at this time.
    Until(Tick),
    /// It is over.
    Done(Result<T>),
}

/// Asks what the procedure wants to know until it pauses or is over; for callers that have a better
/// way to pause than to sleep, such as event loops. Blocks while nodes answer, each at most for the
/// connect timeout or the request's deadline. Ends with an error of [`Kind::Interrupted`] when
/// `interrupted` says so.
pub fn advance<P: Procedure + ?Sized>(
    cluster: &Cluster,
    procedure: &mut P,
    interrupted: &dyn Fn() -> bool,
) -> AdminPause<P::Output> {
    let mut answers = Vec::new();
    loop {
        let asked = match procedure.next(std::mem::take(&mut answers), Tick::now()) {
            AdminAction::Ask(nodes, command) => recipients(cluster, nodes)
                .and_then(|nodes| cluster.ask(&nodes, &command, interrupted)),
            AdminAction::Send(request) => {
                cluster.send(&request, interrupted).map(|answer| vec![answer])
            }
            AdminAction::Sleep(until) => return AdminPause::Until(until),
            AdminAction::Done(outcome) => return AdminPause::Done(outcome),
        };
        match asked {
            Ok(found) => answers = found,
            Err(error) => return AdminPause::Done(Err(error)),
        }
    }
}

/// Runs a procedure on this thread, pauses included.
pub fn run<P: Procedure + ?Sized>(
    cluster: &Cluster,
    procedure: &mut P,
    interrupted: &dyn Fn() -> bool,
) -> Result<P::Output> {
    loop {
        match advance(cluster, procedure, interrupted) {
            AdminPause::Until(until) => sleep(cluster, until, interrupted)?,
            AdminPause::Done(outcome) => return outcome,
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
            return Err(Error::new(Kind::Closed, "the client is closed"));
        }
        let left = until.since(Tick::now());
        if left.is_zero() {
            return Ok(());
        }
        thread::sleep(left.min(SIGNAL_POLL));
    }
}
