//! What happens to the commands of a node that does not answer.
//!
//! A connection that awaits a reply in silence for much longer than usual makes its node suspected
//! ([`Health`](crate::Health)). Commands that may be sent again, and for which there is another
//! node, go there at once; their requests become orphans. The others stay, because the node may
//! only be slow. New commands that only this node can take wait for it, or for another
//! partition map. Once the cluster's own requests are unanswered, too, both kinds fail after half of
//! their time: those sent in doubt if they write, the others not sent.

use std::time::Duration;

use super::Multiplexer;
use crate::attempts::Failure;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::fault::Fault;
use crate::pipeline::AbandonedCommand;
use crate::policy::Policy;
use crate::protocol::{CommandOf, NodeOf, Protocol};
use crate::topology::{Endpoint as _, Target as _, Topology as _};

/// How long replies may take longer than usual while the node answers elsewhere: a command may be
/// slow.
const LOST: Duration = Duration::from_secs(1);

/// How long a command without a time limit waits for a node that does not answer.
const WITHOUT_LIMIT: Duration = Duration::from_secs(5);

/// How long a mute node is waited for.
fn patience<R>(policy: &Policy<R>) -> Duration {
    if policy.timeout.is_zero() { WITHOUT_LIMIT } else { policy.timeout / 2 }
}

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// Takes away the commands that need not wait for a connection whose silence lasts long, and
    /// suspects its node, unless that answers elsewhere. A connection that lost its replies, as far as
    /// can be told, is retired then.
    #[cold]
    pub(super) fn leave_silent(&mut self, index: usize, now: Tick) {
        let Some(connection) = &mut self.connections[index] else { return };
        let node = connection.node.clone();
        let long_since = connection.silence_lasts_long();
        if connection.dial.is_none() && node.health().answered_probe_since(long_since) {
            let pipeline = &mut connection.pipeline;
            if pipeline.awaited() == 0 || long_since.after(LOST) <= now {
                pipeline.retire();
            }
        } else if !connection.pipeline.is_draining() && !node.health().answered_lately(now) {
            node.health().suspect(now);
            self.topology.suspects(&node);
        }
        let mute_since = node.health().is_mute_since();
        let topology = self.topology.clone();
        let moves = |command: &CommandOf<P, T>| {
            let (policy, attempts) = (&command.policy, &command.attempts);
            // Where other nodes fail it, the last retry is for one that may only be slow.
            let reserved = u32::from(attempts.has_failed());
            let is_tried_again =
                attempts.count + reserved <= policy.max_retries || command.target.regroups();
            let may_repeat = !command.target.writes() || policy.flags.in_doubt();
            may_repeat
                && is_tried_again
                && topology.has_alternative(&command.target, policy.replica, &node)
        };
        let mut leaving = Vec::new();
        connection.pipeline.commit(connection.wire.committed());
        let displaced = connection.pipeline.expire(
            |command, _| {
                let patience = patience(&command.policy);
                let is_in_vain = || mute_since.is_some_and(|at| at.after(patience) <= now);
                moves(command) || command.target.writes() && is_in_vain()
            },
            |abandoned| leaving.push(abandoned),
        );
        for AbandonedCommand { mut command, sent } in leaving {
            let is_moved = moves(&command);
            if is_moved {
                let (policy, attempts) = (&mut command.policy, &mut command.attempts);
                if attempts.silences == 0 && policy.max_retries > 0 {
                    // The node may only be slow, and the others worse: the retries are for what
                    // they answer. Only once: if all nodes are slow, going on and on would never
                    // get an answer.
                    policy.max_retries = policy.max_retries.saturating_add(1);
                }
                attempts.silences = attempts.silences.saturating_add(1);
            }
            let error = Fault::mute(&*node).into();
            let failure = if sent { Failure::Lost(error) } else { Failure::NotSent(error) };
            // That is no more load for the node that has too much already.
            self.failed_or_moved(command, failure, false, now);
        }
        for mut command in displaced {
            command.attempts.count -= 1;
            self.attempt(command, now);
        }
    }

    /// An attempt at a command that only this node can take, which is suspected to be mute: it waits
    /// for the node, or for another partition map.
    #[cold]
    pub(super) fn wait_for(&mut self, mut command: CommandOf<P, T>, node: &NodeOf<P>, now: Tick) {
        let mute_since = node.health().is_mute_since();
        if mute_since.is_some_and(|at| at.after(patience(&command.policy)) <= now) {
            // It was not sent.
            command.attempts.count -= 1;
            return self.fail(command, Fault::mute(node).into());
        }
        let sharing = P::sharing(command.bytes.len(), command.rows, command.kind);
        let order = self.key(&command);
        self.wait(command, node, order, (node.key(), sharing));
    }
}
