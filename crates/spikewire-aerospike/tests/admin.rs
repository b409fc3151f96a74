//! Procedures on a driver of many commands.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use spikewire_aerospike::admin::{
    self, AdminAction, AdminTicket, AdminWaiter, NodeAnswer, Procedure,
};
use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::transport::Next;
use spikewire_aerospike::{Error, Kind, Options, Result};
use spikewire_aerospike_protocol::host::parse_hosts;
use spikewire_aerospike_server::{Cluster as Server, Options as ServerOptions};

/// Pauses repeatedly, and counts how often it was called.
struct Pausing(Arc<AtomicUsize>);

impl Procedure for Pausing {
    type Output = ();

    fn next(&mut self, _: Vec<NodeAnswer>, now: Tick) -> AdminAction<()> {
        self.0.fetch_add(1, SeqCst);
        AdminAction::Sleep(now)
    }
}

#[derive(Clone, Default)]
struct Waiter {
    gone: Arc<AtomicBool>,
    outcomes: Arc<AtomicUsize>,
}

impl AdminWaiter<()> for Waiter {
    fn done(&self, outcome: Result<()>) {
        assert_eq!(outcome.unwrap_err().kind(), Kind::Closed);
        self.outcomes.fetch_add(1, SeqCst);
    }

    fn is_gone(&self) -> bool {
        self.gone.load(SeqCst)
    }
}

struct Ticket(AdminTicket<Ticket>);

impl From<AdminTicket<Ticket>> for Ticket {
    fn from(ticket: AdminTicket<Ticket>) -> Self {
        Self(ticket)
    }
}

fn started() -> (Server, Waiter, Arc<AtomicUsize>, Ticket) {
    let server = Server::start(ServerOptions::default()).unwrap();
    let cluster =
        Cluster::connect(Options::new(parse_hosts(&server.seeds()[0].to_string(), 3000).unwrap()));
    let (waiter, calls, mut next) = (Waiter::default(), Arc::default(), Next::default());
    let pausing = Pausing(Arc::clone(&calls));
    admin::start(cluster.unwrap(), pausing, waiter.clone(), &mut next);
    assert!(next.commands.is_empty());
    let (_, ticket) = next.pauses.pop().expect("it pauses");
    (server, waiter, calls, ticket)
}

/// The end of a pause.
fn over() -> Error {
    Error::new(Kind::Timeout, "the pause is over")
}

#[test]
fn a_procedure_goes_on_after_its_pause() {
    let (_server, _, calls, ticket) = started();
    let mut next = Next::default();
    ticket.0.complete(Err(over()), &mut next);
    assert_eq!((calls.load(SeqCst), next.pauses.len()), (2, 1));
}

#[test]
fn a_procedure_whose_outcome_is_not_needed_ends() {
    let (_server, waiter, calls, ticket) = started();
    waiter.gone.store(true, SeqCst);
    let mut next = Next::default();
    ticket.0.complete(Err(over()), &mut next);
    assert_eq!((calls.load(SeqCst), next.is_empty()), (1, true));
}

#[test]
fn a_lost_ticket_ends_a_procedure() {
    let (_server, waiter, _, ticket) = started();
    drop(ticket);
    assert_eq!(waiter.outcomes.load(SeqCst), 1);
}

#[test]
fn a_procedure_whose_pause_ends_because_all_closes_ends() {
    let (_server, waiter, calls, ticket) = started();
    let mut next = Next::default();
    ticket.0.complete(Err(Error::new(Kind::Closed, "closed")), &mut next);
    assert_eq!((calls.load(SeqCst), next.is_empty()), (1, true));
    assert_eq!(waiter.outcomes.load(SeqCst), 1);
}
