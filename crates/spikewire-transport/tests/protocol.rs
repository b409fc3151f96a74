//! The boundary to databases, tested with a second protocol: out-of-order ids, a handshake in three
//! steps, events, sealed writes.

mod support;

use std::collections::HashSet;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use spikewire_transport::topology::Settings;
use spikewire_transport::{Command, FaultKind, Multiplexer, OrderKey, Outcome, Tick};
use support::{
    Bench, DONE, IDS, LAST_WORD, LONG, MORE, Manners, RETRY, RETRY_DOUBTFUL, Request, SOON, Script,
    Server, Ticket, Toy, VERDICT, Writes, event, frame, nodes, policy, settings,
};

/// A list of the requests that arrived, and a script that records them and replies with `answer`.
fn script(
    mut answer: impl FnMut(&Request, &[Request]) -> Vec<u8> + Send + 'static,
) -> (Arc<Mutex<Vec<Request>>>, Script) {
    let all = Arc::new(Mutex::new(Vec::new()));
    let own = all.clone();
    let script = move |request: Request| {
        let mut all = own.lock().unwrap();
        all.push(request.clone());
        answer(&request, &all)
    };
    (all, Box::new(script))
}

fn echo(request: &Request, _: &[Request]) -> Vec<u8> {
    request.answer(DONE, &request.body)
}

fn polite(script: Script) -> (Server, Bench<false>) {
    let server = Server::start(false, Manners::Polite, script);
    let bench = Bench::new(server.address, settings());
    (server, bench)
}

#[test]
fn answers_find_their_commands_in_whatever_order_they_come() {
    // All at once, when the last request has arrived: in reverse, each in two parts, interleaved.
    let (_, script) = script(|_, all| {
        let reversed = || all.iter().rev();
        let firsts = reversed().map(|request| request.answer(MORE, &request.body));
        let lasts = reversed().map(|request| request.answer(DONE, b" again"));
        if all.len() < 6 { Vec::new() } else { firsts.chain(lasts).flatten().collect() }
    });
    let (server, mut bench) = polite(script);
    for number in 0..6 {
        bench.submit(number, format!("number {number}").as_bytes(), policy(LONG));
    }
    for number in 0..6 {
        let (body, attempts) = bench.ending(number).unwrap();
        assert_eq!(String::from_utf8(body).unwrap(), format!("number {number} again"));
        assert_eq!(attempts, 1);
    }
    assert_eq!(server.accepted.load(SeqCst), 1);
}

#[test]
fn commands_wait_for_the_handshake() {
    let (requests, script) = script(echo);
    let (server, mut bench) = polite(script);
    bench.submit(1, b"early", policy(LONG));
    assert_eq!(bench.ending(1).unwrap().0, b"early");
    assert!(!server.hasty.load(SeqCst));
    assert_eq!(requests.lock().unwrap().len(), 1);
}

#[test]
fn a_rejected_handshake_reports_why() {
    let (_, script) = script(echo);
    let server = Server::start(false, Manners::Rude, script);
    let mut bench = Bench::<false>::new(server.address, settings());
    bench.nodes.node.breaker.reset(1);
    bench.submit(1, b"x", policy(LONG));
    let failed = bench.failure(1);
    assert_eq!((failed.kind, failed.in_doubt), (Some(FaultKind::Connection), false));
    assert!(failed.message.contains("does not like us"), "{failed:?}");
    assert!(!bench.nodes.node.breaker.is_open(), "one event counts once");
    assert!(bench.nodes.refreshes.load(SeqCst) > 0);
}

#[test]
fn a_handshake_has_a_time_of_its_own() {
    let (_, script) = script(echo);
    let server = Server::start(false, Manners::Silent, script);
    let connect_timeout = 4 * SOON;
    let settings = Settings { connect_timeout, ..settings() };
    let mut bench = Bench::<false>::new(server.address, settings);
    bench.submit(1, b"hasty", policy(SOON));
    bench.submit(2, b"patient", policy(LONG));
    let hasty = bench.failure(1);
    assert_eq!((hasty.kind, hasty.in_doubt), (Some(FaultKind::Timeout), false));
    // The first caller's timeout did not close the connection.
    assert_eq!(server.accepted.load(SeqCst), 1);
    let patient = bench.failure(2);
    assert_eq!((patient.kind, patient.in_doubt), (Some(FaultKind::Connection), false));
    assert!(patient.message.contains("connect timeout"));
}

#[test]
fn server_events_are_delivered_between_replies() {
    let (_, script) = script(|request, _| {
        [event(b"before"), request.answer(DONE, &request.body), event(b"after")].concat()
    });
    let server = Server::start(false, Manners::Chatty, script);
    let mut bench = Bench::<false>::new(server.address, settings());
    for number in 1..3 {
        bench.submit(number, b"x", policy(LONG));
        assert_eq!(bench.ending(number).unwrap().0, b"x");
        let expected = 1 + 2 * number;
        bench.turn_until("an event on an idle connection", |bench| {
            bench.nodes.events.lock().unwrap().len() == expected
        });
    }
    let events = bench.nodes.events.lock().unwrap().clone();
    assert_eq!(events, [&b"welcome"[..], b"before", b"after", b"before", b"after"]);
    assert_eq!(server.accepted.load(SeqCst), 1);
}

#[test]
fn ids_that_run_out_make_commands_wait() {
    // Answered in batches of as many as there are ids, the odd ones first.
    let (requests, script) = script({
        let mut held: Vec<Request> = Vec::new();
        move |request, all| {
            held.push(request.clone());
            if held.len() < usize::from(IDS) && all.len() < 30 {
                return Vec::new();
            }
            let mut bunch = std::mem::take(&mut held);
            let ids: HashSet<u16> = bunch.iter().map(|request| request.id).collect();
            assert_eq!(ids.len(), bunch.len(), "an id twice");
            assert!(ids.iter().all(|id| *id < IDS));
            bunch.sort_by_key(|request| request.id % 2 == 0);
            bunch.iter().flat_map(|request| request.answer(DONE, &request.body)).collect()
        }
    });
    let (server, mut bench) = polite(script);
    for number in 0..30 {
        bench.submit(number, &[number as u8], policy(LONG));
    }
    for number in 0..30 {
        assert_eq!(bench.ending(number).unwrap(), (vec![number as u8], 1));
    }
    assert_eq!(requests.lock().unwrap().len(), 30);
    assert_eq!(server.accepted.load(SeqCst), 1);
}

#[test]
fn an_orphan_keeps_its_id_until_its_late_answer_frees_it() {
    // The first request is answered when the eighth other one has arrived. That one needs the
    // orphan's id, so the reply is triggered by "late", which is neither.
    let (requests, script) = script(|request, all| match &request.body[..] {
        b"slow" | b"held" => Vec::new(),
        b"late" => [all[0].answer(DONE, b"slow"), request.answer(DONE, b"late")].concat(),
        body => request.answer(DONE, body),
    });
    let (_server, mut bench) = polite(script);
    bench.submit(0, b"slow", policy(SOON));
    let failed = bench.failure(0);
    assert_eq!((failed.kind, failed.in_doubt), (Some(FaultKind::Timeout), true));
    let slow = requests.lock().unwrap()[0].id;
    for number in 1..usize::from(IDS) - 1 {
        bench.submit(number, b"held", policy(LONG));
    }
    bench.turn_until("all but one id in use", |_| {
        requests.lock().unwrap().len() == usize::from(IDS) - 1
    });
    // The last free id is reused repeatedly while the orphan's is not available.
    for number in 20..30 {
        bench.submit(number, b"x", policy(LONG));
        assert_eq!(bench.ending(number).unwrap().0, b"x");
    }
    assert_eq!(requests.lock().unwrap().iter().filter(|request| request.id == slow).count(), 1);
    bench.submit(40, b"late", policy(LONG));
    assert_eq!(bench.ending(40).unwrap().0, b"late");
    // Two at once: one of them has the id that the late reply freed.
    bench.submit(41, b"held", policy(LONG));
    bench.submit(42, b"x", policy(LONG));
    assert_eq!(bench.ending(42).unwrap().0, b"x");
    assert_eq!(requests.lock().unwrap().iter().filter(|request| request.id == slow).count(), 2);
}

#[test]
fn a_connection_with_too_many_orphans_is_replaced_once_it_is_drained() {
    let (requests, script) = script(|request, _| match &request.body[..] {
        b"slow" | b"held" => Vec::new(),
        body => request.answer(DONE, body),
    });
    let (server, mut bench) = polite(script);
    let orphans = usize::from(IDS) / 2 + 1;
    bench.submit(20, b"held", policy(LONG));
    for number in 0..orphans {
        bench.submit(number, b"slow", policy(SOON));
    }
    for number in 0..orphans {
        assert_eq!(bench.failure(number).kind, Some(FaultKind::Timeout));
    }
    // It still has ids, but new commands go to a new connection.
    for number in 10..15 {
        bench.submit(number, b"x", policy(LONG));
        assert_eq!(bench.ending(number).unwrap(), (b"x".to_vec(), 1));
        assert_eq!(requests.lock().unwrap().last().unwrap().connection, 1);
    }
    assert_eq!((server.accepted.load(SeqCst), server.ended.load(SeqCst)), (2, 0));
    // What was sent there before is answered there, and then it closes.
    let held = requests.lock().unwrap().iter().find(|it| it.body == b"held").cloned().unwrap();
    server.send(0, &held.answer(DONE, b"at last"));
    assert_eq!(bench.ending(20).unwrap(), (b"at last".to_vec(), 1));
    bench.turn_until("the old connection to end", |_| server.ended.load(SeqCst) == 1);
    bench.submit(30, b"x", policy(LONG));
    bench.ending(30).unwrap();
    assert_eq!(server.accepted.load(SeqCst), 2);
}

#[test]
fn bytes_that_are_not_the_protocol_end_the_connection() {
    type Answer = fn(&Request) -> Vec<u8>;
    let nonsense: [(Answer, &str); 4] = [
        (|_| vec![0xff; 7], "4294967295 bytes"),
        (|request| request.answer(9, b""), "kind 9"),
        (|request| frame(request.id + 1, DONE, b""), "nobody asked for"),
        (|_| frame(30_000, DONE, b""), "nobody asked for"),
    ];
    for (answer, expected) in nonsense {
        let (_, script) = script(move |request, all| match all.len() {
            1 => answer(request),
            _ => request.answer(DONE, b"fine"),
        });
        let (server, mut bench) = polite(script);
        bench.submit(1, b"x", policy(LONG));
        let failed = bench.failure(1);
        assert_eq!((failed.kind, failed.in_doubt), (Some(FaultKind::Malformed), true));
        assert!(failed.message.contains(expected), "{failed:?}");
        bench.submit(2, b"x", policy(LONG));
        assert_eq!(bench.ending(2).unwrap().0, b"fine");
        assert_eq!(server.accepted.load(SeqCst), 2);
    }
}

#[test]
fn server_errors_are_retried_and_doubt_stays() {
    let (_, script) = script(|request, all| match (&request.body[..], all.len()) {
        (b"busy", 1..3) => request.answer(RETRY, b""),
        (b"who knows", _) => request.answer(RETRY_DOUBTFUL, b""),
        (body, _) => request.answer(DONE, body),
    });
    let (_server, mut bench) = polite(script);
    let patient = spikewire_transport::Policy { max_retries: 5, ..policy(LONG) };
    bench.submit(1, b"busy", patient);
    assert_eq!(bench.ending(1).unwrap(), (b"busy".to_vec(), 3));
    bench.submit(2, b"who knows", patient);
    let failed = bench.failure(2);
    assert_eq!((failed.kind, failed.in_doubt, failed.attempts), (None, true, 1));
}

#[test]
fn a_final_reply_completes_its_command_and_ends_the_connection() {
    let (_, script) = script(|request, _| match &request.body[..] {
        b"last" => request.answer(LAST_WORD, b"bye"),
        b"held" => Vec::new(),
        body => request.answer(DONE, body),
    });
    let (server, mut bench) = polite(script);
    bench.submit(1, b"held", policy(LONG));
    bench.submit(2, b"last", policy(LONG));
    assert_eq!(bench.ending(2).unwrap().0, b"bye");
    let failed = bench.failure(1);
    assert_eq!((failed.kind, failed.in_doubt), (Some(FaultKind::Connection), true));
    bench.submit(3, b"x", policy(LONG));
    assert_eq!(bench.ending(3).unwrap().0, b"x");
    assert_eq!(server.accepted.load(SeqCst), 2);
}

#[test]
fn a_connection_error_fails_every_command_with_its_message() {
    let (_, script) = script(|request, _| match &request.body[..] {
        b"wrong" => frame(VERDICT, DONE, b"a checksum is wrong"),
        b"held" => Vec::new(),
        body => request.answer(DONE, body),
    });
    let (server, mut bench) = polite(script);
    for number in 0..3 {
        bench.submit(number, b"held", policy(LONG));
    }
    bench.submit(3, b"wrong", policy(LONG));
    for number in 0..4 {
        let failed = bench.failure(number);
        assert_eq!((failed.kind, failed.in_doubt), (Some(FaultKind::Connection), true));
        assert!(failed.message.contains("ended the connection: a checksum is wrong"), "{failed:?}");
    }
    bench.submit(5, b"x", policy(LONG));
    assert_eq!(bench.ending(5).unwrap().0, b"x");
    assert_eq!(server.accepted.load(SeqCst), 2);
}

#[test]
fn the_requests_of_a_turn_are_sealed_together() {
    let (requests, script) = script(echo);
    let server = Server::start(true, Manners::Polite, script);
    let mut bench = Bench::<true>::new(server.address, settings());
    bench.submit(0, b"first", policy(LONG));
    bench.ending(0).unwrap();
    for turn in 1..3 {
        for number in 0..5 {
            bench.submit(10 * turn + number, &[number as u8], policy(LONG));
        }
        bench.flush();
        for number in 0..5 {
            assert_eq!(bench.ending(10 * turn + number).unwrap().0, [number as u8]);
        }
    }
    let segments: Vec<usize> =
        requests.lock().unwrap().iter().map(|request| request.segment).collect();
    assert_eq!(segments, [0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2]);
}

#[test]
fn sealed_answers_are_opened() {
    // Events, parts and frames of many segments, with segment boundaries anywhere.
    let large: Vec<u8> = (0..300_000_u32).map(|at| (at % 251) as u8).collect();
    let answer = large.clone();
    let (_, script) = script(move |request, _| {
        let parts = [request.answer(MORE, b"one"), event(b"between"), request.answer(MORE, b"")];
        [parts.concat(), request.answer(DONE, &answer)].concat()
    });
    let server = Server::start(true, Manners::Chatty, script);
    let mut bench = Bench::<true>::new(server.address, settings());
    for turn in 0..3 {
        for number in 0..5 {
            bench.submit(10 * turn + number, b"x", policy(LONG));
        }
        for number in 0..5 {
            let (body, attempts) = bench.ending(10 * turn + number).unwrap();
            assert!(body == [b"one", &large[..]].concat(), "{} bytes", body.len());
            assert_eq!(attempts, 1);
        }
    }
    let events = bench.nodes.events.lock().unwrap().clone();
    assert_eq!((events[0].as_slice(), events.len()), (&b"welcome"[..], 16));
    assert!(!server.hasty.load(SeqCst));
    assert_eq!(server.accepted.load(SeqCst), 1);
}

#[test]
fn a_large_request_is_sealed_in_pieces() {
    let (requests, script) = script(|request, _| request.answer(DONE, &request.body[..3]));
    let server = Server::start(true, Manners::Polite, script);
    let mut bench = Bench::<true>::new(server.address, settings());
    let large: Vec<u8> = (0..5_000_000_u32).map(|at| (at % 251) as u8).collect();
    bench.submit(0, &large, policy(LONG));
    bench.submit(1, b"small", policy(LONG));
    assert_eq!(bench.ending(0).unwrap().0, [0, 1, 2]);
    assert_eq!(bench.ending(1).unwrap().0, b"sma");
    let requests = requests.lock().unwrap();
    assert!(requests[0].body == large);
    assert!(requests[0].segment > 1, "{}", requests[0].segment);
}

#[test]
fn a_sealed_request_abandoned_half_sent_is_never_finished() {
    // The server does not process the large segment before all of it has arrived.
    let (requests, script) = script(echo);
    let server = Server::start(true, Manners::Polite, script);
    let mut bench = Bench::<true>::new(server.address, settings());
    let lock = requests.lock().unwrap();
    bench.submit(0, b"stops the server", policy(LONG));
    bench.flush();
    bench.turn_until("the connection", |_| server.accepted.load(SeqCst) == 1);
    (0..50).for_each(|_| bench.turn());
    bench.submit(1, &vec![1; 48 << 20], policy(SOON));
    bench.submit(2, b"neighbour", policy(LONG));
    let failed = bench.failure(1);
    assert_eq!((failed.kind, failed.in_doubt), (Some(FaultKind::Timeout), false));
    drop(lock);
    assert_eq!(bench.ending(0).unwrap(), (b"stops the server".to_vec(), 1));
    assert_eq!(bench.ending(2).unwrap(), (b"neighbour".to_vec(), 1));
    let largest = requests.lock().unwrap().iter().map(|request| request.body.len()).max();
    assert!(largest.unwrap() < 100);
}

/// As many ids as Cassandra has.
type Wide = Toy<false, 32_767>;

#[test]
fn more_commands_than_ids_share_a_connection() {
    // Nothing is answered until every id is in use; then all are, the latest first.
    const ALL: usize = 40_000;
    let (requests, script) = script({
        let mut held: Vec<Request> = Vec::new();
        move |request, all| {
            held.push(request.clone());
            if all.len() < 32_767 {
                return Vec::new();
            }
            let bunch = std::mem::take(&mut held);
            let ids: HashSet<u16> = bunch.iter().map(|request| request.id).collect();
            assert!(ids.len() == bunch.len() && ids.iter().all(|id| (1..=32_767).contains(id)));
            bunch.iter().rev().flat_map(|request| request.answer(DONE, &request.body)).collect()
        }
    });
    let server = Server::start(false, Manners::Polite, script);
    let settings = Settings { depth: usize::MAX, queue: ALL, ..settings() };
    let nodes = nodes(server.address, settings);
    let mut multiplexer: Multiplexer<Wide, Ticket> = Multiplexer::new(nodes).unwrap();
    for number in 0..ALL {
        let bytes = frame(0, DONE, &number.to_be_bytes());
        let ticket = Ticket(number, Vec::new());
        let command =
            Command::new(bytes, Writes(false, OrderKey::NONE), policy(LONG), Tick::now(), ticket);
        multiplexer.submit(command, Tick::now());
    }
    let mut ended = HashSet::new();
    let mut deliver = |Ticket(number, _), outcome: Outcome<'_, Wide>| {
        let reply = outcome.unwrap();
        assert_eq!((&reply.body[1..], reply.attempts.count), (&number.to_be_bytes()[..], 1));
        assert!(ended.insert(number));
    };
    multiplexer.flush(Tick::now(), &mut deliver);
    while multiplexer.in_flight() > 0 {
        multiplexer.turn(Some(Duration::from_millis(10)), &mut deliver).unwrap();
        if multiplexer.alarm() <= Tick::now() {
            multiplexer.expire(Tick::now(), &mut deliver);
        }
    }
    assert_eq!(ended.len(), ALL);
    assert_eq!(requests.lock().unwrap().len(), ALL);
    assert_eq!(server.accepted.load(SeqCst), 1);
}
