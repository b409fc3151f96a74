//! Identical reads that share a request, if their callers ask for it ([`ShareReads`]).
//!
//! The first of them becomes a command whose ticket has all callers; others join it. Each caller
//! keeps its own time limit and may leave: the command goes on for the rest, and is over when all
//! have left. It is attempted, retried and copied like any other; its outcome is that of everyone
//! who waits then. A read joins only if the client has written nothing about the record since the
//! first one was submitted ([`SharedReads`](crate::SharedReads)).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Multiplexer;
use super::counting::{Counting, count_failure};
use crate::attempts::Attempts;
use crate::buffer;
use crate::clock::Tick;
use crate::command::{Command, ResponseHandler};
use crate::connection::Connection;
use crate::fault::{CommandError as _, Fault, FaultKind};
use crate::metrics::EndedCommand;
use crate::policy::Policy;
use crate::protocol::{
    CommandOf, ErrorOf, PreferenceOf, Protocol, ReplyKind, RequestKind, TargetOf,
};
use crate::reply::{Outcome, Reply};
use crate::shared_reads::ShareReads;
use crate::ticket_handle::{Caller, SharedState, TicketHandle};
use crate::topology::{Target as _, Topology};

/// The reads of a multiplexer that have callers.
pub(super) struct ReadTable<P: Protocol, T> {
    all: Vec<Option<SharedRead<P, T>>>,
    vacant: Vec<usize>,
    /// The place of the one that others may join, by its request: the latest of each kind.
    latest: FxHashMap<Arc<[u8]>, usize>,
    /// A request without its time limit, to look it up.
    request: Vec<u8>,
    /// Callers who joined another one's request and still wait.
    followers: usize,
}

/// A read in flight.
struct SharedRead<P: Protocol, T> {
    state: Arc<SharedState<T>>,
    /// Without its time limit.
    request: Arc<[u8]>,
    target: TargetOf<P>,
    policy: Policy<PreferenceOf<P>>,
    /// How many writes the client had counted that may have been about the record.
    writes: u64,
}

impl<P: Protocol, T> Default for ReadTable<P, T> {
    fn default() -> Self {
        let (all, vacant, request) = (Vec::new(), Vec::new(), Vec::new());
        Self { all, vacant, latest: FxHashMap::default(), request, followers: 0 }
    }
}

impl<P: Protocol, T> std::fmt::Debug for ReadTable<P, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { all, vacant, followers, .. } = self;
        let reads = all.len() - vacant.len();
        f.debug_struct("ReadTable").field("reads", &reads).field("followers", followers).finish()
    }
}

/// Counts a write that starts or is about to be completed, if reads share requests.
#[inline(always)]
pub(super) fn count_write<P: Protocol, T>(topology: &P::Topology, command: &CommandOf<P, T>) {
    if command.target.writes()
        && let Some(reads) = topology.shared_reads()
    {
        reads.count_write(command.target.order());
    }
}

/// A command's caller, and the command without its ticket.
fn split<K, R: Copy, T>(command: Command<K, R, T>) -> Option<(Caller<T>, Command<K, R, ()>)> {
    let (mut command, ticket) = command.replace_ticket(TicketHandle::Own(()));
    let Command { start, deadline, policy, .. } = &mut command;
    // Each caller has its own deadline.
    let deadline = std::mem::replace(deadline, Tick::NEVER);
    let (timeout, metrics_flags) = (policy.timeout, policy.metrics_flags);
    let ticket = ticket.into_own()?;
    Some((Caller { ticket, start: *start, deadline, metrics_flags, timeout }, command))
}

impl<P: Protocol, T: ResponseHandler> ReadTable<P, T> {
    /// How many callers wait without a request of their own.
    pub fn followers(&self) -> usize {
        self.followers
    }

    /// The earliest deadline of a caller.
    pub fn deadline(&self) -> Tick {
        let reads = self.all.iter().flatten();
        reads.map(|read| read.state.deadline(Ord::min)).min().unwrap_or(Tick::NEVER)
    }

    /// The read that a read with this request may join, as far as that depends on it alone.
    fn find(&mut self, request: &[u8]) -> Option<&SharedRead<P, T>> {
        self.request.resize(request.len(), 0);
        self.request.copy_from_slice(request);
        if let Some(limit) = self.request.get_mut(P::time_limit(request)) {
            limit.fill(0);
        }
        self.all[*self.latest.get(&self.request[..])?].as_ref()
    }

    /// Adds a read whose request was looked up last.
    fn add(
        &mut self,
        caller: Caller<T>,
        target: TargetOf<P>,
        policy: Policy<PreferenceOf<P>>,
        writes: u64,
    ) -> TicketHandle<T> {
        let place = self.vacant.pop().unwrap_or_else(|| {
            self.all.push(None);
            self.all.len() - 1
        });
        let (ticket, state) = TicketHandle::of_read(place, caller);
        let request: Arc<[u8]> = Arc::from(&self.request[..]);
        self.latest.insert(request.clone(), place);
        self.all[place] = Some(SharedRead { state, request, target, policy, writes });
        ticket
    }

    /// Removes a read that is over, with this many callers at the end.
    fn remove(&mut self, place: usize, callers: usize) {
        self.followers -= callers.saturating_sub(1);
        let Some(read) = self.all[place].take() else { return };
        self.vacant.push(place);
        if self.latest.get(&read.request) == Some(&place) {
            self.latest.remove(&read.request);
        }
    }

    /// Completes the callers of a read that was answered; returns how many they were.
    #[cold]
    pub fn answer(
        &mut self,
        topology: &P::Topology,
        mut command: CommandOf<P, T>,
        (reply, kind): (Reply<'_, P>, ReplyKind),
        mut counting: Option<&mut Counting<'_>>,
        now: Tick,
        deliver: &mut impl FnMut(T, Outcome<'_, P>),
    ) -> usize {
        let Some((place, callers)) = command.ticket.callers() else { return 1 };
        let completed = callers.len();
        self.remove(place, completed);
        let explained = P::explain(reply.body, &command.bytes);
        let ending = reply.outcome(topology, &mut command.target, explained);
        for Caller { ticket, start, metrics_flags, .. } in callers {
            (command.start, command.policy.metrics_flags) = (start, metrics_flags);
            if let Some(counting) = &mut counting {
                counting.answered::<P, T>(&command, reply.body, kind, reply.node, now);
            }
            deliver(ticket, ending.clone());
        }
        buffer::give(command.bytes);
        completed
    }
}

impl<P: Protocol, T: ResponseHandler> SharedRead<P, T> {
    /// Whether no byte of its request was written.
    fn is_unsent(&self, connections: &[Option<Box<Connection<P, T>>>]) -> bool {
        let unsent = |at: usize, position| match &connections[at] {
            Some(connection) => {
                connection.pipeline.is_unsent(position, connection.wire.committed())
            }
            // The next attempt counts.
            None => true,
        };
        let place = self.state.place();
        !self.state.copy_began() && place.is_none_or(|at| unsent(at.connection, at.position))
    }
}

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// Whether a command may be a read that shares a request, or a write that such reads must know.
    #[inline(always)]
    pub(super) fn may_share(&self, command: &CommandOf<P, T>) -> bool {
        let Some(reads) = self.topology.shared_reads() else { return false };
        reads.is_enabled() | (command.target.shares() != ShareReads::Off)
    }

    /// Begins a command of a client whose reads share requests, or adds its caller to another one.
    #[cold]
    pub(super) fn submit_sharing(&mut self, command: CommandOf<P, T>, now: Tick) {
        let Self { topology, reads, connections, .. } = self;
        let shares = command.target.shares();
        let Some(shared) = topology.shared_reads() else { return self.enter(command, now) };
        if command.target.writes() || shares == ShareReads::Off {
            count_write::<P, T>(topology, &command);
            return self.enter(command, now);
        }
        debug_assert!(command.kind == RequestKind::Data && !command.stream, "a read of one record");
        let writes = shared.writes(command.target.order());
        let joined = reads.find(&command.bytes).filter(|read| {
            read.writes == writes
                && read.policy.is_like(&command.policy)
                && read.target.is_sent_like(&command.target)
                && (shares == ShareReads::InFlight || read.is_unsent(connections))
        });
        let joined = joined.map(|read| read.state.clone());
        let Some((mut caller, command)) = split(*command) else { return };
        let Some(state) = joined else {
            let Command { target, policy, .. } = &command;
            let ticket = reads.add(caller, target.clone(), *policy, writes);
            let command = Box::new(command.replace_ticket(ticket).0);
            return self.enter(command, now);
        };
        buffer::give(command.bytes);
        if state.place().is_some() && !caller.ticket.starts() {
            let withdrawn = Fault::new(FaultKind::Withdrawn, "withdrawn").into();
            return self.failed.push((caller.ticket, withdrawn));
        }
        shared.count_joined();
        reads.followers += 1;
        state.join(caller);
    }

    /// Ends the callers of shared reads whose time is over, or who were withdrawn.
    pub(super) fn end_late_callers(&mut self, now: Tick) {
        for place in 0..self.reads.all.len() {
            let Some(read) = &self.reads.all[place] else { continue };
            let left = |caller: &Caller<T>| caller.deadline <= now || caller.ticket.is_withdrawn();
            let (callers, is_over) = read.state.leave(left);
            if callers.is_empty() {
                continue;
            }
            let at = read.state.place();
            let connection = at.and_then(|at| self.connections[at.connection].as_ref());
            let node = connection.map(|connection| connection.node.clone());
            let sent = at.is_some() && !read.is_unsent(&self.connections);
            let attempts = at.map_or(Attempts::default(), |at| at.attempts);
            let count = callers.len();
            for Caller { ticket, start, metrics_flags, timeout, .. } in callers {
                let is_withdrawn = ticket.is_withdrawn();
                let error: ErrorOf<P> = if is_withdrawn {
                    attempts.annotate(Fault::new(FaultKind::Withdrawn, "withdrawn").into())
                } else {
                    let policy = Policy { timeout, ..read.policy };
                    let node = node.as_deref().map(|node| node as &dyn std::fmt::Display);
                    attempts.clone().timed_out(false, sent, node, &policy)
                };
                count_failure::<P>(
                    &self.topology,
                    &mut self.recorder,
                    metrics_flags,
                    &error,
                    || EndedCommand {
                        about: P::about(&read.request, &read.target, 1, RequestKind::Data),
                        result: if is_withdrawn { "withdrawn" } else { error.label() },
                        started: start,
                        ended: now,
                        attempts: attempts.count,
                        // Those of the request that it shares count with others.
                        bytes: (0, 0),
                    },
                );
                self.failed.push((ticket, error));
            }
            if is_over {
                // The command itself is in flight until it is taken away.
                self.in_flight += 1;
                self.reads.remove(place, count);
            } else {
                self.reads.followers -= count;
            }
        }
    }

    /// Fails all callers of a shared read.
    #[cold]
    pub(super) fn fail_callers(&mut self, mut command: CommandOf<P, T>, error: ErrorOf<P>) {
        let Some((place, callers)) = command.ticket.callers() else { return };
        self.reads.remove(place, callers.len());
        for Caller { ticket, start, metrics_flags, .. } in callers {
            (command.start, command.policy.metrics_flags) = (start, metrics_flags);
            self.count_ended(&command, &error, ticket.is_withdrawn());
            let error = self.topology.conclude(&mut command.target, error.clone());
            self.failed.push((ticket, command.attempts.annotate(error)));
        }
        buffer::give(command.bytes);
    }
}
