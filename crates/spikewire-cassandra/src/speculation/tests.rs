//! Copies against handwritten replies, and their routes through an in-memory cluster.

mod nodes;

use spikewire_cql::request::BatchKind;
use spikewire_cql::version::Version;
use spikewire_transport::topology::{Target as _, Topology as _};
use spikewire_transport::{Attempts, Reply};

use super::*;
use crate::cluster::{Cluster, Node, sample};
use crate::connection::Outcome;
use crate::execution::{Answer, Execution, ExecutionAction};
use crate::options::{Limits, Options, Speculation, SpeculativeDelay};
use crate::routing::{Target, choose};
use crate::session::{Call, NoValues, Session};
use crate::statement::StatementOptions;

/// Longer than an answer takes on a busy machine.
const DELAY: Duration = Duration::from_millis(250);
const SELECT: &str = "SELECT * FROM t";
const SET: &str = "UPDATE t SET v = 1 WHERE k = 1";

fn session_of(speculation: Speculation) -> Arc<Session> {
    let limits = Limits { speculation, ..Limits::default() };
    let local_datacenter = Some("dc1".to_owned());
    let options = Options { local_datacenter, limits, ..Options::new(Vec::new()) };
    let places = [("dc1", "r1"), ("dc1", "r2"), ("dc1", "r3")];
    let snapshot = sample::snapshot(&places, &[], &options);
    Session::sample(sample::cluster(snapshot, options, Version::V5))
}

fn session() -> Arc<Session> {
    session_of(Speculation { delay: Some(DELAY.into()), attempts: 2 })
}

fn query(session: &Arc<Session>, text: &str, options: &StatementOptions) -> Call {
    session.query(text, options, NoValues).unwrap()
}

fn marked(idempotent: bool) -> StatementOptions {
    StatementOptions { idempotent: Some(idempotent), ..StatementOptions::default() }
}

/// A copy that was sent to its node.
struct Sent {
    target: Target,
    execution: Box<Execution>,
    node: Arc<Node>,
}

/// This many copies of a statement, each sent after the previous one.
fn send(session: &Arc<Session>, text: &str, copies: usize) -> Vec<Sent> {
    let Call { mut target, execution, .. } = query(session, text, &marked(true));
    let mut execution = Some(execution);
    let mut sent = Vec::new();
    for _ in 0..copies {
        let next = target.begins();
        let node = choose(&session.cluster().snapshot(), &target, 0).unwrap();
        let own = execution.take().unwrap();
        execution = own.copy();
        sent.push(Sent { target, execution: own, node });
        let Some((delay, following)) = next else { break };
        assert_eq!(delay, DELAY);
        target = following;
    }
    sent
}

fn frame(opcode: u8, body: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x85, 0, 0, 1, opcode];
    frame.extend_from_slice(&(body.len() as u32).to_be_bytes());
    frame.extend_from_slice(body);
    frame
}

fn error_frame(code: u16, rest: &[u8]) -> Vec<u8> {
    let mut body = vec![0, 0];
    body.extend_from_slice(&code.to_be_bytes());
    body.extend_from_slice(b"\0\x04why?");
    body.extend_from_slice(rest);
    frame(0, &body)
}

const OVERLOADED: u16 = 0x1001;
const SYNTAX: u16 = 0x2000;
const INVALID: u16 = 0x2200;

impl Sent {
    fn on_reply<'a>(&'a mut self, body: &'a [u8]) -> ExecutionAction<'a> {
        let attempts = Attempts { count: 1, ..Attempts::default() };
        self.execution.on_outcome(Ok(Reply { body, node: &self.node, attempts }))
    }

    fn fails(&mut self, kind: Kind) -> ExecutionAction<'_> {
        let error = Error::new(kind, format!("{kind:?}")).on(self.node.to_string());
        let outcome: Outcome<'_> = Err(error.after(1, false));
        self.execution.on_outcome(outcome)
    }
}

fn answered(action: ExecutionAction<'_>) -> Answer<'_> {
    match action {
        ExecutionAction::Done(Ok(answer)) => answer,
        other => panic!("no answer: {other:?}"),
    }
}

fn failed(action: &ExecutionAction<'_>) -> Error {
    match action {
        ExecutionAction::Done(Err(error)) => error.clone(),
        other => panic!("no error: {other:?}"),
    }
}

fn is_left(action: &ExecutionAction<'_>) -> bool {
    matches!(action, ExecutionAction::Left)
}

#[test]
fn only_idempotent_statements_are_speculated() {
    let session = session();
    let has = |text: &str, options: &StatementOptions| query(&session, text, options).speculates();
    let silent = StatementOptions::default();
    assert!(has(SELECT, &silent), "as for retries, reading is idempotent");
    assert!(!has(SELECT, &marked(false)));
    assert!(!has(SET, &silent) && !has(SET, &marked(false)) && has(SET, &marked(true)));
    let conditional = "UPDATE t SET v = 1 WHERE k = 1 IF v = 0";
    assert!(!has(conditional, &silent) && has(conditional, &marked(true)));
    for never in ["USE k", "CREATE TABLE t (k int PRIMARY KEY)", "BEGIN COUNTER BATCH APPLY BATCH"]
    {
        assert!(!has(never, &marked(true)), "{never}");
    }
    let node = Some(session.cluster().snapshot().nodes[0].clone());
    assert!(!has(SELECT, &StatementOptions { node, ..silent.clone() }), "no other node may do");
    for (kind, may) in
        [(BatchKind::Logged, true), (BatchKind::Unlogged, true), (BatchKind::Counter, false)]
    {
        let batch = |options: &StatementOptions| {
            let mut batch = session.batch(kind, options).unwrap();
            batch.add_text(SET).unwrap();
            session.run_batch(batch, options).unwrap().speculates()
        };
        assert_eq!((batch(&silent), batch(&marked(true))), (false, may), "{kind:?}");
    }
}

#[test]
fn a_statement_overrides_its_session() {
    let never = session_of(Speculation::default());
    assert!(!query(&never, SELECT, &StatementOptions::default()).speculates());
    let mut options = StatementOptions::default();
    options.speculation_mut().attempts = Some(2);
    assert!(!query(&never, SELECT, &options).speculates(), "without a delay there are none");
    options.speculation_mut().delay = Some(Some(DELAY.into()));
    let mut target = query(&never, SELECT, &options).target;
    let mut copies = 0;
    while let Some((_, next)) = target.begins() {
        (copies, target) = (copies + 1, next);
    }
    assert_eq!(copies, 2);
    options.speculation_mut().delay = Some(None);
    assert!(!query(&session(), SELECT, &options).speculates());
}

#[test]
fn invalid_speculation_options_are_rejected() {
    let of = |delay: Option<u64>, attempts| {
        Speculation { delay: delay.map(|micros| Duration::from_micros(micros).into()), attempts }
            .check()
    };
    assert!(of(None, 1).is_ok() && of(Some(1000), 32).is_ok());
    for (bad, name) in [
        (of(Some(999), 1), "speculative_delay"),
        (of(Some(0), 1), "speculative_delay"),
        (of(None, 0), "speculative_attempts"),
        (of(Some(1000), 33), "speculative_attempts"),
    ] {
        let error = bad.unwrap_err();
        assert!(error.message().contains(name), "{error}");
    }
}

#[test]
fn the_first_answer_counts() {
    let session = session();
    let void = frame(8, &[0, 0, 0, 1]);
    for winner in 0..3 {
        let mut sent = send(&session, SET, 3);
        let nodes: std::collections::BTreeSet<_> =
            sent.iter().map(|copy| copy.node.number).collect();
        assert_eq!(nodes.len(), 3, "each on a node of its own");
        assert!(sent.iter().all(|copy| !copy.execution.is_left()));
        let answer = answered(sent[winner].on_reply(&void));
        assert_eq!(answer.attempts.count, 3, "those of all copies");
        for other in (0..3).filter(|other| *other != winner) {
            assert!(sent[other].execution.is_left());
            assert!(is_left(&sent[other].on_reply(&void)));
        }
    }
}

#[test]
fn a_node_that_fails_leaves_it_to_the_others() {
    let session = session();
    let mut sent = send(&session, SELECT, 3);
    assert!(is_left(&sent[1].on_reply(&error_frame(OVERLOADED, &[]))));
    assert!(is_left(&sent[0].fails(Kind::Connection)));
    let void = frame(8, &[0, 0, 0, 1]);
    assert_eq!(answered(sent[2].on_reply(&void)).attempts.count, 3);

    let mut sent = send(&session, SELECT, 3);
    assert!(is_left(&sent[2].on_reply(&error_frame(OVERLOADED, &[]))));
    assert!(is_left(&sent[0].fails(Kind::Connection)));
    let error = failed(&sent[1].fails(Kind::CircuitOpen));
    assert_eq!((error.kind(), error.attempts()), (Kind::CircuitOpen, 3));
    let earlier: Vec<_> = error.earlier().iter().map(Error::kind).collect();
    assert_eq!(earlier, [Kind::Server, Kind::Connection]);
    let nodes: Vec<_> = error.earlier().iter().filter_map(Error::node).collect();
    assert_eq!(nodes, [sent[2].node.to_string(), sent[0].node.to_string()]);
}

#[test]
fn one_that_has_not_begun_is_not_waited_for() {
    let session = session();
    let mut sent = send(&session, SELECT, 1);
    assert_eq!(failed(&sent[0].fails(Kind::Connection)).attempts(), 1);
}

#[test]
fn errors_that_every_node_would_report_end_the_statement() {
    let session = session();
    for code in [SYNTAX, INVALID, 0x2100] {
        let mut sent = send(&session, SET, 2);
        let error = failed(&sent[0].on_reply(&error_frame(code, &[])));
        assert_eq!(error.kind(), Kind::Server);
        assert!(!error.in_doubt(), "no node executes it");
        assert!(is_left(&sent[1].on_reply(&error_frame(code, &[]))));
    }
    for kind in [Kind::Timeout, Kind::Closed] {
        let mut sent = send(&session, SET, 2);
        let error = failed(&sent[0].fails(kind));
        assert_eq!((error.kind(), error.attempts()), (kind, 2));
        assert!(error.in_doubt(), "the other copy may be executed");
        let failed_nodes: Vec<_> = error.failed_attempts().filter_map(|(node, _)| node).collect();
        assert_eq!(failed_nodes, [sent[1].node.to_string(), sent[0].node.to_string()]);
        assert!(is_left(&sent[1].fails(kind)));
    }
    let mut sent = send(&session, SELECT, 2);
    assert!(!failed(&sent[0].fails(Kind::Timeout)).in_doubt());
}

#[test]
fn a_copy_prepares_its_statement_where_it_goes() {
    let session = session();
    let known = {
        let call = session.prepare(SELECT, &StatementOptions::default()).unwrap();
        let crate::session::Preparation::Ask(call) = call else { panic!("it is known") };
        assert!(call.speculates(), "to prepare it twice does no harm");
        let mut prepared = vec![0, 0, 0, 4, 0, 3];
        // Its id, that of its result; no parameters, no columns of a key; no columns of a result.
        prepared.extend_from_slice(b"one\0\x01r");
        prepared.extend_from_slice(&[0; 12]);
        prepared.extend_from_slice(&[0, 0, 0, 4, 0, 0, 0, 0]);
        let node = session.cluster().snapshot().nodes[0].clone();
        let frame = frame(8, &prepared);
        let mut execution = call.execution;
        let attempts = Attempts { count: 1, ..Attempts::default() };
        let action = execution.on_outcome(Ok(Reply { body: &frame, node: &node, attempts }));
        match answered(action).content {
            crate::execution::Content::Prepared(known) => known,
            other => panic!("{other:?}"),
        }
    };
    let call = session.execute(&known, &StatementOptions::default(), NoValues).unwrap();
    let Call { mut target, execution: first, bytes, .. } = call;
    let (_, mut second) = target.begins().unwrap();
    let mut copy = first.copy().unwrap();
    choose(&session.cluster().snapshot(), &target, 0).unwrap();
    assert!(second.begins().is_some());
    let there = choose(&session.cluster().snapshot(), &second, 0).unwrap();
    let unknown = error_frame(0x2500, b"\0\x03one");
    copy.returned(bytes.clone());
    let attempts = Attempts { count: 1, ..Attempts::default() };
    let ExecutionAction::Send(mut draft) =
        copy.on_outcome(Ok(Reply { body: &unknown, node: &there, attempts }))
    else {
        panic!("it is not prepared")
    };
    assert_eq!(draft.bytes[4], 9, "PREPARE");
    assert!(draft.target.begins().is_none(), "no copies of what lies in between");
}

/// The nodes of a copy's attempts, each of which loses its connection.
fn walk(cluster: &Cluster, target: &mut Target, attempts: u32) -> Vec<Result<u8, Kind>> {
    let attempt = |step| {
        let node = match choose(&cluster.snapshot(), target, step) {
            Ok(node) => node,
            Err(error) => return Err(error.kind()),
        };
        let lost = Error::new(Kind::Connection, "lost").on(node.to_string());
        cluster.attempt_failed(target, &lost, step + 1);
        Ok(node.host_id[0])
    };
    (0..attempts).map(attempt).collect()
}

#[test]
fn retries_go_to_nodes_that_no_copy_was_sent_to() {
    let session = session();
    let cluster = session.cluster();
    let mut sent = send(&session, SELECT, 2);
    let nodes = [0, 1].map(|copy: usize| sent[copy].node.host_id[0]);
    let third = (1..=3).find(|node| !nodes.contains(node)).unwrap();
    let [first, second] = &mut sent[..] else { unreachable!() };
    // It retries elsewhere until it has failed there; then the third one is left, then none.
    let walked = walk(cluster, &mut first.target, 3);
    assert_eq!(walked, [Ok(nodes[0]), Ok(third), Err(Kind::NoNode)]);
    // For want of a node it is given up, without an error of its own.
    assert!(is_left(&first.fails(Kind::NoNode)));
    // The last one starts its plan over.
    let walked = walk(cluster, &mut second.target, 3);
    assert!(walked.iter().all(Result::is_ok), "{walked:?}");
    let error = failed(&second.fails(Kind::Connection));
    assert_eq!(error.earlier().len(), 5, "{error:?}");
    assert!(error.earlier().iter().all(|error| error.kind() == Kind::Connection));
}

#[test]
fn no_copy_goes_where_another_one_is() {
    let session = session_of(Speculation { delay: Some(DELAY.into()), attempts: 5 });
    let cluster = session.cluster();
    let sent = send(&session, SELECT, 3);
    let mut fourth = {
        let last = sent.last().unwrap().target.contender.as_ref().unwrap();
        sent[0].target.of(Contender { begins: true, ..last.next() })
    };
    assert!(fourth.begins().is_some());
    assert_eq!(choose(&cluster.snapshot(), &fourth, 0).unwrap_err().kind(), Kind::NoNode);
}

#[test]
fn a_shared_request_is_sent_once() {
    let mut own = Share::Own(1);
    assert_eq!(
        (own.ask(|it| *it), own.take().copied(), own.take().copied()),
        (Some(1), Some(1), Some(1))
    );
    let mut second = own.share();
    let third = second.share();
    assert_eq!((own.ask(|it| *it), second.ask(|it| *it)), (Some(1), Some(1)));
    assert_eq!(second.take().copied(), Some(1));
    assert_eq!((own.take(), third.ask(|it| *it), third.into_own()), (None, None, None));
    assert_eq!(second.into_own(), Some(1));
}
