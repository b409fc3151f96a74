//! Executions against handwritten replies.

use std::time::Duration;

use spikewire_cql::request::BatchKind;
use spikewire_cql::response::{Code, Details};
use spikewire_cql::version::Version;

use super::preparing::MOST_PREPARES;
use super::*;
use crate::cluster::sample;
use crate::options::Options;
use crate::session::{Call, NoValues, Preparation, Session};
use crate::statement::{StatementOptions, Turn};

const SET: &str = "UPDATE t SET v = 1 WHERE k = 1";
const ADD: &str = "UPDATE t SET v = v + 1 WHERE k = 1";

pub(crate) fn session() -> Arc<Session> {
    let options = Options { local_datacenter: Some("dc1".to_owned()), ..Options::new(Vec::new()) };
    let places = [("dc1", "r1"), ("dc1", "r2"), ("dc1", "r3")];
    let snapshot = sample::snapshot(&places, &[], &options);
    Session::sample(sample::cluster(snapshot, options, Version::V4))
}

pub(crate) fn frame(opcode: u8, body: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x84, 0, 0, 1, opcode];
    frame.extend_from_slice(&(body.len() as u32).to_be_bytes());
    frame.extend_from_slice(body);
    frame
}

pub(crate) fn void() -> Vec<u8> {
    frame(8, &[0, 0, 0, 1])
}

/// The reply to preparing a statement without parameters and without a result.
fn prepared(id: &[u8]) -> Vec<u8> {
    let mut body = vec![0, 0, 0, 4, 0, id.len() as u8];
    body.extend_from_slice(id);
    // No parameters, no columns of a key; no columns of a result.
    body.extend_from_slice(&[0; 12]);
    body.extend_from_slice(&[0, 0, 0, 4, 0, 0, 0, 0]);
    frame(8, &body)
}

pub(crate) fn error_frame(code: u16, message: &str, rest: &[u8]) -> Vec<u8> {
    let mut body = vec![0, 0];
    body.extend_from_slice(&code.to_be_bytes());
    body.extend_from_slice(&(message.len() as u16).to_be_bytes());
    body.extend_from_slice(message.as_bytes());
    body.extend_from_slice(rest);
    frame(0, &body)
}

fn unprepared(id: &[u8]) -> Vec<u8> {
    let rest: Vec<u8> = [&[0, id.len() as u8], id].concat();
    error_frame(0x2500, "Prepared query not found", &rest)
}

pub(crate) fn node(session: &Session, at: usize) -> Arc<Node> {
    session.cluster().snapshot().nodes[at].clone()
}

#[expect(clippy::unnecessary_wraps, reason = "as executions get it")]
pub(crate) fn reply<'a>(body: &'a [u8], node: &'a Arc<Node>) -> Outcome<'a> {
    let attempts = Attempts { count: 1, ..Attempts::default() };
    Ok(Reply { body, node, attempts })
}

fn prepare(session: &Arc<Session>, text: &str, id: &[u8]) -> Arc<Prepared> {
    let Preparation::Ask(call) = session.prepare(text, &StatementOptions::default()).unwrap()
    else {
        panic!("it was prepared before");
    };
    let (_, mut execution) = call.split();
    match execution.on_outcome(reply(&prepared(id), &node(session, 0))) {
        ExecutionAction::Done(Ok(Answer { content: Content::Prepared(prepared), .. })) => prepared,
        other => panic!("{other:?}"),
    }
}

fn execute(session: &Arc<Session>, prepared: &Arc<Prepared>) -> (Draft, Box<Execution>) {
    let call = session.execute(prepared, &StatementOptions::default(), NoValues);
    call.unwrap().split()
}

/// The next request, which must follow.
fn sent(action: ExecutionAction<'_>) -> Draft {
    match action {
        ExecutionAction::Send(draft) => draft,
        other => panic!("nothing is sent: {other:?}"),
    }
}

fn failed(action: ExecutionAction<'_>) -> Error {
    match action {
        ExecutionAction::Done(Err(error)) => error,
        other => panic!("no error: {other:?}"),
    }
}

const OLD: [u8; 16] = [1; 16];
const NEW: [u8; 16] = [2; 16];

/// Rows of nodes and their schemas.
fn schemas(rows: &[([u8; 16], [u8; 16])]) -> Vec<u8> {
    let mut body = vec![0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2];
    let mut text = |text: &str| {
        body.extend_from_slice(&(text.len() as u16).to_be_bytes());
        body.extend_from_slice(text.as_bytes());
    };
    text("system");
    text("peers_v2");
    text("host_id");
    // The type uuid.
    body.extend_from_slice(&[0, 12]);
    body.extend_from_slice(b"\0\x0eschema_version\0\x0c");
    body.extend_from_slice(&(rows.len() as u32).to_be_bytes());
    for (host, version) in rows {
        for value in [host, version] {
            body.extend_from_slice(&16_u32.to_be_bytes());
            body.extend_from_slice(value);
        }
    }
    frame(8, &body)
}

const PREPARE: u8 = 9;
const EXECUTE: u8 = 10;
const BATCH: u8 = 13;

#[test]
fn a_node_that_does_not_know_a_statement_prepares_it() {
    let session = session();
    let statement = prepare(&session, SET, b"one");
    let (request, mut execution) = execute(&session, &statement);
    let there = node(&session, 2);
    execution.returned(request.bytes.clone());
    let draft = sent(execution.on_outcome(reply(&unprepared(b"one"), &there)));
    assert_eq!(draft.bytes[4], PREPARE);
    assert!(matches!(&draft.target.aim, Aim::Node(node) if Arc::ptr_eq(node, &there)));
    let draft = sent(execution.on_outcome(reply(&prepared(b"one"), &there)));
    assert_eq!(draft.bytes, request.bytes);
    assert!(draft.target.first.is_some_and(|node| Arc::ptr_eq(&node, &there)));
    assert!(!matches!(draft.target.aim, Aim::Node(_)), "another node may do if this one fails");
    assert!(matches!(execution.on_outcome(reply(&void(), &there)), ExecutionAction::Done(Ok(_))));
}

#[test]
fn another_id_is_an_error_and_no_loop() {
    let session = session();
    let statement = prepare(&session, SET, b"one");
    let (request, mut execution) = execute(&session, &statement);
    let there = node(&session, 0);
    execution.returned(request.bytes);
    sent(execution.on_outcome(reply(&unprepared(b"one"), &there)));
    let error = failed(execution.on_outcome(reply(&prepared(b"two"), &there)));
    assert!(error.message().contains("another id"), "{error}");
    assert!(!error.in_doubt());
}

#[test]
fn a_node_that_never_knows_it_is_abandoned() {
    let session = session();
    let statement = prepare(&session, SET, b"one");
    let (request, mut execution) = execute(&session, &statement);
    let there = node(&session, 0);
    for _ in 0..MOST_PREPARES {
        execution.returned(request.bytes.clone());
        let draft = sent(execution.on_outcome(reply(&unprepared(b"one"), &there)));
        assert_eq!(draft.bytes[4], PREPARE);
        assert_eq!(sent(execution.on_outcome(reply(&prepared(b"one"), &there))).bytes[4], EXECUTE);
    }
    execution.returned(request.bytes);
    let error = failed(execution.on_outcome(reply(&unprepared(b"one"), &there)));
    assert_eq!(error.kind(), Kind::Server);
    assert!(!error.in_doubt());
}

#[test]
fn the_statement_of_a_batch_is_prepared_that_is_missing() {
    let session = session();
    let (one, two) = (prepare(&session, SET, b"one"), prepare(&session, ADD, b"two"));
    let options = StatementOptions::default();
    let mut batch = session.batch(BatchKind::Logged, &options).unwrap();
    batch.add(&one, NoValues).unwrap();
    batch.add(&two, NoValues).unwrap();
    let (request, mut execution) = session.run_batch(batch, &options).unwrap().split();
    let there = node(&session, 0);
    execution.returned(request.bytes);
    let draft = sent(execution.on_outcome(reply(&unprepared(b"two"), &there)));
    assert!(draft.bytes.windows(ADD.len()).any(|part| part == ADD.as_bytes()));
    assert_eq!(sent(execution.on_outcome(reply(&prepared(b"two"), &there))).bytes[4], BATCH);
    let error = failed(execution.on_outcome(reply(&unprepared(b"three"), &there)));
    assert_eq!(error.kind(), Kind::Server, "none of its statements");
}

/// A node that lost its prepared statements names one of them at a time.
#[test]
fn all_statements_of_a_batch_are_prepared_that_are_missing() {
    let session = session();
    let names: Vec<String> = (0..100).map(|number| format!("s{number}")).collect();
    let options = StatementOptions::default();
    let mut batch = session.batch(BatchKind::Logged, &options).unwrap();
    for name in &names {
        let text = format!("{SET} AND c = {name}");
        batch.add(&prepare(&session, &text, name.as_bytes()), NoValues).unwrap();
    }
    let (request, mut execution) = session.run_batch(batch, &options).unwrap().split();
    let there = node(&session, 0);
    let mut knows: Vec<String> = Vec::new();
    let (mut draft, mut batches) = (request, 0);
    loop {
        if draft.bytes[4] == PREPARE {
            let is_for = |name: &&String| draft.bytes.ends_with(format!("c = {name}").as_bytes());
            let name = names.iter().find(is_for).unwrap();
            assert!(!knows.contains(name), "prepared twice");
            knows.push(name.clone());
            draft = sent(execution.on_outcome(reply(&prepared(name.as_bytes()), &there)));
            continue;
        }
        batches += 1;
        let Some(missing) = names.iter().find(|name| !knows.contains(name)) else { break };
        execution.returned(draft.bytes.clone());
        draft = sent(execution.on_outcome(reply(&unprepared(missing.as_bytes()), &there)));
    }
    assert_eq!((knows.len(), batches), (100, 3), "it is not sent once for each of them");
    assert!(matches!(execution.on_outcome(reply(&void(), &there)), ExecutionAction::Done(Ok(_))));
}

#[test]
fn requests_share_one_preparation_on_a_node() {
    let session = session();
    let statement = prepare(&session, SET, b"one");
    let there = node(&session, 0);
    let (first, mut one) = execute(&session, &statement);
    let (second, mut two) = execute(&session, &statement);
    let (third, mut three) = execute(&session, &statement);
    one.returned(first.bytes);
    two.returned(second.bytes);
    three.returned(third.bytes);
    sent(one.on_outcome(reply(&unprepared(b"one"), &there)));
    assert!(matches!(
        two.on_outcome(reply(&unprepared(b"one"), &there)),
        ExecutionAction::Pause(_)
    ));
    sent(one.on_outcome(reply(&prepared(b"one"), &there)));
    assert_eq!(sent(two.on_outcome(Err(pause_is_over()))).bytes[4], EXECUTE);
    // It was sent before the node knew the statement, and is told only now.
    assert_eq!(sent(three.on_outcome(reply(&unprepared(b"one"), &there))).bytes[4], EXECUTE);
}

/// Whoever prepares may be a driver that cannot go on before this one is closed, so that waiting for
/// it would never end.
#[test]
fn a_pause_that_ends_otherwise_ends_the_statement() {
    let session = session();
    let statement = prepare(&session, SET, b"one");
    let there = node(&session, 0);
    let (first, mut one) = execute(&session, &statement);
    one.returned(first.bytes);
    sent(one.on_outcome(reply(&unprepared(b"one"), &there)));
    let waiting = || {
        let (request, mut execution) = execute(&session, &statement);
        execution.returned(request.bytes);
        assert!(matches!(
            execution.on_outcome(reply(&unprepared(b"one"), &there)),
            ExecutionAction::Pause(_)
        ));
        execution
    };
    // Its driver is closed.
    let error = failed(waiting().on_outcome(Err(Error::closed())));
    assert_eq!((error.kind(), error.in_doubt()), (Kind::Closed, false));
    // The session is closed, of which a calling thread is not told.
    let mut caller = waiting();
    assert!(matches!(caller.on_outcome(Err(pause_is_over())), ExecutionAction::Pause(_)));
    session.cluster().close();
    assert_eq!(failed(caller.on_outcome(Err(pause_is_over()))).kind(), Kind::Closed);
}

#[test]
fn another_node_is_tried_where_preparing_fails() {
    let session = session();
    let statement = prepare(&session, SET, b"one");
    let (request, mut execution) = execute(&session, &statement);
    let there = node(&session, 1);
    execution.returned(request.bytes.clone());
    sent(execution.on_outcome(reply(&unprepared(b"one"), &there)));
    let lost = Error::new(Kind::Connection, "reset").on(there.to_string());
    let draft = sent(execution.on_outcome(Err(lost)));
    assert_eq!(draft.bytes, request.bytes);
    let next = crate::routing::choose(&session.cluster().snapshot(), &draft.target, 0).unwrap();
    assert!(!Arc::ptr_eq(&next, &there));
    // Whoever asks next there may prepare it.
    let (request, mut execution) = execute(&session, &statement);
    execution.returned(request.bytes);
    assert_eq!(sent(execution.on_outcome(reply(&unprepared(b"one"), &there))).bytes[4], PREPARE);
}

/// Node and reason of each failed attempt.
fn failures_of(error: &Error) -> Vec<(String, String)> {
    let failed = error.failed_attempts();
    failed.map(|(node, why)| (node.unwrap_or("none").to_owned(), why.to_owned())).collect()
}

#[test]
fn errors_before_preparing_are_listed() {
    let session = session();
    let statement = prepare(&session, SET, b"one");
    let (first, second) = (node(&session, 0), node(&session, 1));
    let lost = Error::new(Kind::Connection, "reset").on(first.to_string());
    let expected = [(first.to_string(), "reset"), (second.to_string(), "no")]
        .map(|(node, why)| (node, why.to_owned()));
    // An attempt fails, and the node of the next one does not know the statement.
    let unknown = || {
        let id = Details::Unprepared(b"one".to_vec());
        let error = ServerError { code: Code::Unprepared, message: "?".to_owned(), details: id };
        let error = Error::from_server(error).on(second.to_string()).after(2, true);
        error.with_earlier(vec![lost.clone()])
    };
    let (request, mut execution) = execute(&session, &statement);
    execution.returned(request.bytes.clone());
    let draft = sent(execution.on_outcome(Err(unknown())));
    assert_eq!(draft.bytes[4], PREPARE);
    assert!(matches!(&draft.target.aim, Aim::Node(node) if Arc::ptr_eq(node, &second)));
    let draft = sent(execution.on_outcome(reply(&prepared(b"one"), &second)));
    assert_eq!(draft.bytes, request.bytes);
    let error = failed(execution.on_outcome(reply(&error_frame(0x2200, "no", &[]), &second)));
    assert_eq!(failures_of(&error), expected);
    assert_eq!((error.attempts(), error.in_doubt()), (2, true));

    // The same if preparing fails.
    let (request, mut execution) = execute(&session, &statement);
    execution.returned(request.bytes);
    sent(execution.on_outcome(Err(unknown())));
    let error = failed(execution.on_outcome(reply(&error_frame(0x2200, "no", &[]), &second)));
    assert_eq!(failures_of(&error), expected);
}

/// What follows the first request has what is left of the time; errors tell the whole of it.
#[test]
fn all_requests_of_a_statement_share_its_time() {
    let session = session();
    let statement = prepare(&session, SET, b"one");
    let there = node(&session, 0);
    let (request, mut execution) = execute(&session, &statement);
    let (policy, until) = (request.policy, deadline(&request.policy, execution.since()));
    assert!(!policy.timeout.is_zero());
    execution.returned(request.bytes);
    let again = sent(execution.on_outcome(reply(&unprepared(b"one"), &there)));
    assert_eq!((again.policy.timeout, again.deadline), (policy.timeout, Some(until)));
    let command = again.into_command(Tick::now(), ());
    assert_eq!(command.deadline, until);
}

#[test]
fn errors_say_what_is_in_doubt() {
    let session = session();
    let statement = prepare(&session, SET, b"one");
    let there = node(&session, 0);
    // Consistency ONE, none of one, SIMPLE.
    let timed_out = error_frame(0x1100, "late", b"\0\x01\0\0\0\0\0\0\0\x01\0\x06SIMPLE");
    let (_, mut execution) = execute(&session, &statement);
    let error = failed(execution.on_outcome(reply(&timed_out, &there)));
    assert!(error.in_doubt());
    assert_eq!(error.node(), Some(there.to_string().as_str()));
    let (_, mut execution) = execute(&session, &statement);
    assert!(
        !failed(execution.on_outcome(reply(&error_frame(0x2200, "no", &[]), &there))).in_doubt()
    );
}

#[test]
fn the_answer_to_a_change_of_the_schema_waits_until_all_nodes_have_it() {
    let session = session();
    let there = node(&session, 0);
    let mut created = vec![0, 0, 0, 5];
    for text in ["CREATED", "KEYSPACE", "k"] {
        created.extend_from_slice(&(text.len() as u16).to_be_bytes());
        created.extend_from_slice(text.as_bytes());
    }
    let created = frame(8, &created);
    let call = || -> Call {
        session.query("CREATE KEYSPACE k", &StatementOptions::default(), NoValues).unwrap()
    };
    let over = || Err(pause_is_over());
    let other = node(&session, 1).host_id;
    let (_, mut execution) = call().split();
    // The node that made the change is asked, repeatedly while another node has the old schema.
    sent(execution.on_outcome(reply(&created, &there)));
    let draft = sent(execution.on_outcome(reply(&schemas(&[(there.host_id, NEW)]), &there)));
    assert!(matches!(&draft.target.aim, Aim::Node(node) if Arc::ptr_eq(node, &there)));
    let old = schemas(&[(other, OLD)]);
    assert!(matches!(execution.on_outcome(reply(&old, &there)), ExecutionAction::Pause(_)));
    sent(execution.on_outcome(over()));
    sent(execution.on_outcome(reply(&schemas(&[(there.host_id, NEW)]), &there)));
    // A node that is down does not count.
    sample::set_up(&node(&session, 2), false);
    let new = schemas(&[(other, NEW), (node(&session, 2).host_id, OLD)]);
    assert!(matches!(execution.on_outcome(reply(&new, &there)), ExecutionAction::Pause(_)));
    assert!(
        matches!(execution.on_outcome(over()), ExecutionAction::Pause(_)),
        "the cluster is looked at anew"
    );
    sample::agree(session.cluster());
    let ExecutionAction::Done(Ok(answer)) = execution.on_outcome(over()) else {
        panic!("it waits on")
    };
    assert!(answer.agreed && matches!(answer.content, Content::Schema(_)));

    // If the node is gone meanwhile, the change is made nevertheless.
    let (_, mut execution) = call().split();
    sent(execution.on_outcome(reply(&created, &there)));
    let lost = Error::new(Kind::Connection, "reset").on(there.to_string());
    let ExecutionAction::Done(Ok(answer)) = execution.on_outcome(Err(lost)) else {
        panic!("it waits on")
    };
    assert!(!answer.agreed);

    // The same if the driver is closed while the others have the old schema, or while the cluster is
    // looked at anew.
    for others in [OLD, NEW] {
        let (_, mut execution) = call().split();
        sent(execution.on_outcome(reply(&created, &there)));
        sent(execution.on_outcome(reply(&schemas(&[(there.host_id, NEW)]), &there)));
        let others = schemas(&[(other, others)]);
        assert!(matches!(execution.on_outcome(reply(&others, &there)), ExecutionAction::Pause(_)));
        let ExecutionAction::Done(Ok(answer)) = execution.on_outcome(Err(Error::closed())) else {
            panic!("it waits on")
        };
        assert!(!answer.agreed);
    }

    // Not forever: the statement's own limit applies if it is shorter.
    let options =
        StatementOptions { timeout: Some(Duration::from_nanos(1)), ..StatementOptions::default() };
    let call: Call = session.query("CREATE KEYSPACE k", &options, NoValues).unwrap();
    let (_, mut execution) = call.split();
    let ExecutionAction::Done(Ok(answer)) = execution.on_outcome(reply(&created, &there)) else {
        panic!("it waits beyond its limit")
    };
    assert!(!answer.agreed);
}

#[test]
fn malformed_replies_are_errors() {
    let session = session();
    let statement = prepare(&session, SET, b"one");
    let there = node(&session, 0);
    for body in [frame(8, &[]), frame(8, &[0, 0, 0, 9]), frame(0, &[0]), frame(2, &[])] {
        let (_, mut execution) = execute(&session, &statement);
        assert_eq!(failed(execution.on_outcome(reply(&body, &there))).kind(), Kind::Malformed);
    }
}

/// Version 4 has no field for the keyspace of a request, so that it is that of the connection.
#[test]
fn after_a_use_there_are_other_connections_in_version_4() {
    let session = session();
    let statement = prepare(&session, SET, b"one");
    let before = session.cluster().snapshot().nodes.clone();
    let call = session.query("USE other", &StatementOptions::default(), NoValues).unwrap();
    let (_, mut execution) = call.split();
    let used = frame(8, b"\0\0\0\x03\0\x05other");
    let action = execution.on_outcome(reply(&used, &before[0]));
    assert!(matches!(
        action,
        ExecutionAction::Done(Ok(Answer { content: Content::Keyspace("other"), .. }))
    ));
    assert_eq!(session.keyspace().as_deref(), Some("other"));
    let now = session.cluster().snapshot().nodes.clone();
    assert_eq!(now.len(), before.len());
    for (now, before) in now.iter().zip(&before) {
        assert!(now.number != before.number && now.host_id == before.host_id);
        assert!(before.is_active(), "what is in flight there goes on");
    }
    // The same text is another statement there.
    let again = session.prepare(SET, &StatementOptions::default()).unwrap();
    assert!(matches!(again, Preparation::Ask(_)));
    assert!(session.prepare_anew(&statement, &StatementOptions::default()).is_err());
}

/// Nodes that are gone, as after each USE in version 4 or where a cluster replaces its nodes, leave
/// their numbers to others: what is kept by number must not grow.
#[test]
fn nodes_that_are_gone_leave_their_numbers() {
    let session = session();
    let first = node(&session, 0);
    for _ in 0..100 {
        session.cluster().use_keyspace("other");
    }
    let mut numbers: Vec<_> =
        session.cluster().snapshot().nodes.iter().map(|node| node.number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert!(numbers.len() == 3 && numbers.iter().all(|number| *number < 7), "{numbers:?}");
    assert!(!numbers.contains(&first.number), "a node in use keeps its number");
}

/// Sessions number their nodes on their own, and may share a statement: what is known of a node is
/// kept by its id.
#[test]
fn sessions_that_share_a_statement_may_number_nodes_differently() {
    let (one, other) = (session(), session());
    let statement = prepare(&one, SET, b"one");
    let held = node(&other, 0);
    for _ in 0..2 {
        other.cluster().use_keyspace("other");
    }
    let (here, there, another) = (node(&one, 1), node(&other, 1), node(&other, 0));
    assert!(here.number != there.number && here.host_id == there.host_id);
    assert!(here.number == another.number && here.host_id != another.host_id);
    assert_eq!(another.host_id, held.host_id);
    let sent = Tick::now();
    let Turn::Prepare(preparing) = statement.turn(&here, sent) else {
        panic!("nobody prepares it")
    };
    assert!(matches!(statement.turn(&there, sent), Turn::Wait), "it is the same node");
    assert!(matches!(statement.turn(&another, sent), Turn::Prepare(_)), "it is another node");
    preparing.done();
    assert!(matches!(statement.turn(&there, sent), Turn::Again));
    assert!(matches!(statement.turn(&there, Tick::now()), Turn::Prepare(_)));
}

/// A statement is prepared again when the schema has changed, whoever changed it, so that values are
/// of the types that its parameters have now.
#[test]
fn a_change_of_the_schema_leads_to_preparing_again() {
    let session = session();
    let options = StatementOptions::default();
    let statement = prepare(&session, SET, b"one");
    let is_known = || matches!(session.prepare(SET, &options).unwrap(), Preparation::Known(_));
    assert!(is_known());
    sample::change_schema(session.cluster());
    assert!(statement.is_stale() && !is_known());
    let Preparation::Ask(call) = session.renew(&statement, &options).unwrap() else {
        panic!("it was prepared before")
    };
    let (_, mut execution) = call.split();
    execution.on_outcome(reply(&prepared(b"one"), &node(&session, 0)));
    assert!(is_known() && !statement.is_stale());
}

/// When the schema has changed, many requests find at once that their statement is stale.
#[test]
fn requests_share_one_renewal() {
    let session = session();
    let options = StatementOptions::default();
    let statement = prepare(&session, SET, b"one");
    sample::change_schema(session.cluster());
    let renewal = || match session.renew(&statement, &options).unwrap() {
        Preparation::Ask(call) => call.split().1,
        Preparation::Known(_) => panic!("it is stale"),
    };
    let (mut first, mut second, mut third) = (renewal(), renewal(), renewal());
    assert!(!first.waits() && second.waits() && third.waits());
    let over = || Err(pause_is_over());
    assert!(matches!(second.on_outcome(over()), ExecutionAction::Pause(_)));
    let there = node(&session, 0);
    let answer = prepared(b"one");
    assert!(matches!(first.on_outcome(reply(&answer, &there)), ExecutionAction::Done(Ok(_))));
    for other in [&mut second, &mut third] {
        let ExecutionAction::Done(Ok(Answer { content: Content::Prepared(renewed), .. })) =
            other.on_outcome(over())
        else {
            panic!("it is known")
        };
        assert!(Arc::ptr_eq(&renewed, &statement) && !renewed.is_stale());
    }
    // If the request that they rely on is lost or takes long, one other asks, not all of them: the
    // node has enough to do.
    sample::change_schema(session.cluster());
    let (_lost, mut waiting, mut other) = (renewal(), renewal(), renewal());
    assert!(waiting.waits());
    statement.give_up_renewal();
    assert!(other.waits(), "whether it is sent is decided when it is resumed");
    assert_eq!(sent(waiting.on_outcome(over())).bytes[4], PREPARE);
    assert!(!waiting.waits());
    assert!(matches!(other.on_outcome(over()), ExecutionAction::Pause(_)));
    let closed = Err(Error::closed());
    assert_eq!(failed(renewal().on_outcome(closed)).kind(), Kind::Closed);
}

/// A service that has just started executes the same text for many callers at once.
#[test]
fn requests_share_the_first_preparation_of_a_text() {
    let session = session();
    let there = node(&session, 0);
    let over = || Err(pause_is_over());
    let ask = |options: &StatementOptions| match session.prepare(SET, options).unwrap() {
        Preparation::Ask(call) => call.split().1,
        Preparation::Known(_) => panic!("it is known"),
    };
    let options = StatementOptions::default();
    let first_of_all = || ask(&options);
    let (mut first, mut second, mut third) = (first_of_all(), first_of_all(), first_of_all());
    assert!(!first.waits() && second.waits() && third.waits());
    let traced = StatementOptions { tracing: true, ..StatementOptions::default() };
    assert!(!ask(&traced).waits(), "a trace is of a request of its own");
    let other = session.prepare(ADD, &options).unwrap();
    let Preparation::Ask(other) = other else { panic!("another text") };
    assert!(!other.split().1.waits());
    assert!(matches!(second.on_outcome(over()), ExecutionAction::Pause(_)));
    let described = prepared(b"one");
    let ExecutionAction::Done(Ok(Answer { content: Content::Prepared(statement), .. })) =
        first.on_outcome(reply(&described, &there))
    else {
        panic!("it is prepared")
    };
    for other in [&mut second, &mut third] {
        let ExecutionAction::Done(Ok(Answer { content: Content::Prepared(known), .. })) =
            other.on_outcome(over())
        else {
            panic!("it is known")
        };
        assert!(Arc::ptr_eq(&known, &statement));
    }
    assert!(matches!(session.prepare(SET, &options).unwrap(), Preparation::Known(_)));
}

/// Nobody waits for a request that is gone, and what a node says about a text is for all.
#[test]
fn another_request_takes_over_a_first_preparation_that_is_gone() {
    let session = session();
    let there = node(&session, 0);
    let over = || Err(pause_is_over());
    let ask = || match session.prepare(SET, &StatementOptions::default()).unwrap() {
        Preparation::Ask(call) => call.split().1,
        Preparation::Known(_) => panic!("it is known"),
    };
    // Its caller went away.
    let (first, mut second, mut third) = (ask(), ask(), ask());
    drop(first);
    assert_eq!(sent(second.on_outcome(over())).bytes[4], PREPARE);
    assert!(!second.waits() && matches!(third.on_outcome(over()), ExecutionAction::Pause(_)));
    // It failed for a reason of its own.
    let lost = Err(Error::new(Kind::Connection, "the connection broke"));
    assert_eq!(failed(second.on_outcome(lost)).kind(), Kind::Connection);
    drop(second);
    assert_eq!(sent(third.on_outcome(over())).bytes[4], PREPARE);
    // The node does not take the text: it would not take it from the others either.
    let (mut fourth, mut fifth) = (ask(), ask());
    assert!(fourth.waits() && fifth.waits());
    let syntax = error_frame(0x2000, "line 1:0 no viable alternative", &[]);
    let refusal = failed(third.on_outcome(reply(&syntax, &there)));
    for other in [&mut fourth, &mut fifth] {
        assert_eq!(failed(other.on_outcome(over())).to_string(), refusal.to_string());
    }
    // One that comes later asks again.
    assert!(!ask().waits());
    drop((third, fourth, fifth));
    assert!(!ask().waits());
}

/// The text does not say that the statement is conditional, as that of a server's own extension.
#[test]
fn a_statement_that_the_server_marks_is_conditional() {
    use spikewire_cql::dialect::Extensions;
    for (offered, is_marked) in [(Some(1 << 31), true), (Some(1 << 30), false), (None, false)] {
        let session = session();
        let extensions = Extensions { lwt_mark: offered, ..Extensions::default() };
        node(&session, 0).shards.learn(None, &extensions);
        let Preparation::Ask(call) = session.prepare(SET, &StatementOptions::default()).unwrap()
        else {
            panic!("it was prepared before");
        };
        let (_, mut execution) = call.split();
        let mut marked = prepared(b"one");
        // The flags of its markers follow the header, the kind of the result and the id.
        let flags = 9 + 4 + 2 + 3;
        marked[flags] |= 0x80;
        let there = node(&session, 0);
        let ExecutionAction::Done(Ok(answer)) = execution.on_outcome(reply(&marked, &there)) else {
            panic!("it was not prepared");
        };
        let Content::Prepared(statement) = answer.content else { panic!("{answer:?}") };
        assert_eq!(statement.traits.conditional, is_marked, "{offered:?}");
    }
}
