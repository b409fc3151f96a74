//! What error replies of 8.2 say beyond their result code, byte by byte.

mod wire;

use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::batch::{Kind, Writer, flag};
use spikewire_aerospike_protocol::error_details::trace::{Outcome, Phase};
use spikewire_aerospike_protocol::error_details::{DetailLevel, ErrorDetails, subcode};
use spikewire_aerospike_protocol::frame;
use spikewire_aerospike_protocol::key::{UserKey, digest};
use spikewire_aerospike_protocol::message::{Header, Message, field, info1, info3, op};
use spikewire_aerospike_protocol::request::address;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::particle;
use spikewire_aerospike_server::{Cluster, Options};
use wire::{Request, SET, Wire, hex};

fn of(build: &str) -> Cluster {
    Cluster::start(Options { build: build.to_owned(), ..Options::default() }).unwrap()
}

fn home() -> (Cluster, Wire) {
    let cluster = of("8.2");
    let mut wire = Wire::to(&cluster, 0);
    let put = Request::write("k").text(op::WRITE, "s", "Zo\u{e9}").int(op::WRITE, "n", 7);
    let list = put.op(op::WRITE, "l", particle::LIST, &hex("93 01 02 03"));
    assert_eq!(wire.code(list), 0);
    (cluster, wire)
}

/// The code of an error reply and its field 45.
fn field_of(wire: &mut Wire, request: &Request) -> (u8, Option<Vec<u8>>) {
    wire.send(&request.bytes());
    let (_, body) = wire.frame().unwrap();
    let (message, used) = Message::parse(&body).unwrap();
    assert_eq!(used, body.len());
    assert_ne!(message.header.result, 0);
    (message.header.result, message.field(field::ERROR_DETAILS).map(<[u8]>::to_vec))
}

/// What an error reply says at this level.
fn details(wire: &mut Wire, request: Request, level: DetailLevel) -> Option<ErrorDetails> {
    let (_, field) = field_of(wire, &request.info4(level.flags()));
    field.map(|field| ErrorDetails::read(&field).expect("details"))
}

fn string_read(payload: &str) -> Request {
    Request::read("k").op(op::STRING_READ, "s", particle::STRING, &hex(payload))
}

fn list_read(payload: &str) -> Request {
    Request::read("k").op(op::CDT_READ, "l", particle::BLOB, &hex(payload))
}

/// The value of a text as an integer, which is none.
fn to_int() -> Request {
    string_read("91 07")
}

#[test]
fn the_level_decides_what_a_reply_says() {
    let (_cluster, mut wire) = home();
    let code = ResultCode::OP_NOT_APPLICABLE.0;
    assert_eq!(field_of(&mut wire, &to_int()), (code, None));
    let (_, field) = field_of(&mut wire, &to_int().info4(0x20));
    assert_eq!(field, Some(hex("81 01 0a")));
    let (_, field) = field_of(&mut wire, &to_int().info4(0x40));
    let message = "the string is not a number of this kind";
    let expected = [&hex("82 01 0a 02 d9 27")[..], message.as_bytes()].concat();
    assert_eq!(field, Some(expected));
    let (_, again) = field_of(&mut wire, &to_int().info4(0x60));
    assert_eq!(again, field, "there is no expression to trace");
    // The reply has the same code and metadata, whatever it says.
    let detailed = wire.ask_raw(&to_int().info4(0x20));
    let plain = wire.ask_raw(&to_int());
    assert_eq!(Header { fields: 0, ..detailed }, plain);
}

#[test]
fn success_says_nothing_more() {
    let (_cluster, mut wire) = home();
    assert_eq!(wire.ask(Request::get("k").info4(0x60)).code(), 0);
    // Its flag makes a success of the failure: the next one of the command has its own reason.
    let lenient = Request::write("k")
        .op(op::STRING_MODIFY, "s", particle::STRING, &hex("94 33 7f a20378 04"))
        .op(op::CDT_MODIFY, "l", particle::BLOB, &hex("92 05 09"));
    let details = details(&mut wire, lenient, DetailLevel::Subcode).unwrap();
    assert_eq!(details.subcode, Some(subcode::CDT_INDEX.number));
}

#[test]
fn reasons_have_their_subcodes() {
    let (_cluster, mut wire) = home();
    let number = |wire: &mut Wire, request: Request| {
        let (code, field) = field_of(wire, &request.info4(0x20));
        let details = field.and_then(|field| ErrorDetails::read(&field));
        (code, details.and_then(|it| it.subcode).unwrap_or(0))
    };
    let modify = |payload: &str| {
        Request::write("k").op(op::STRING_MODIFY, "s", particle::STRING, &hex(payload))
    };
    let cases = [
        (string_read("91 08"), subcode::STRING_CONVERSION),
        (string_read("91 0f"), subcode::BASE64),
        (string_read("92 32 00"), subcode::STRING_PARAMETERS),
        (string_read("93 10 a3035b61 00"), subcode::REGEX),
        (string_read("92 04 a303ff61"), subcode::ARGUMENT_ENCODING),
        (string_read("92 38 00"), subcode::STRING_OP),
        (modify("94 33 09 a20378 00"), subcode::STRING_INDEX),
        (modify("94 3f ff a2032d 00"), subcode::STRING_PARAMETERS),
        (list_read("92 11 09"), subcode::CDT_INDEX),
        (list_read("93 15 07 09"), subcode::CDT_RANK),
        (Request::put("k", 1).ttl(400_000_000), subcode::TTL),
        (
            Request::write("k").op(op::HLL_MODIFY, "h", particle::BLOB, &hex("91 03")),
            subcode::HLL_MISSING,
        ),
    ];
    for (request, expected) in cases {
        let subcode = number(&mut wire, request);
        assert_eq!(subcode, (expected.code.0, expected.number), "{}", expected.name);
    }
    assert_eq!(number(&mut wire, Request::get("none")), (2, 0), "there is nothing more to say");
}

#[test]
fn a_generation_is_named() {
    let (_cluster, mut wire) = home();
    let mut put = Request::put("k", 1).generation(9);
    put.header.info2 |= spikewire_aerospike_protocol::message::info2::GENERATION;
    let details = details(&mut wire, put, DetailLevel::Message).unwrap();
    assert_eq!((details.subcode, &*details.message.unwrap()), (None, "the generation is 1, not 9"));
}

#[test]
fn older_nodes_say_nothing() {
    for build in ["8.1.2.0", "8.0.0.0"] {
        let cluster = of(build);
        let mut wire = Wire::to(&cluster, 0);
        let request = Request::put("k", 1).ttl(400_000_000).info4(0x60);
        assert_eq!(field_of(&mut wire, &request), (ResultCode::PARAMETER.0, None), "{build}");
    }
}

/// `$.n / 0 == 1`, for an integer bin.
const DIVISION: &str = "93 01 93 17 93 51 02 a16e 00 01";

#[test]
fn a_trace_leads_to_the_operation_without_a_value() {
    let (_cluster, mut wire) = home();
    let read = |expression: &str| {
        let value = hex(&format!("92 {expression} 00"));
        Request::read("k").op(op::EXP_READ, "e", particle::BLOB, &value)
    };
    let details = details(&mut wire, read(DIVISION), DetailLevel::Trace).unwrap();
    assert_eq!(details.message.as_deref(), Some("the expression has no value"));
    let trace = *details.trace.unwrap();
    assert_eq!((trace.phase, trace.outcome), (Some(Phase::Evaluation), Some(Outcome::Fault)));
    assert_eq!((trace.offset, trace.depth, trace.op.as_deref()), (Some(2), Some(1), Some("/")));
    assert_eq!(
        (&trace.path[..], &trace.operands[..]),
        (&["==", "/"].map(str::to_owned)[..], &["7", "0"].map(str::to_owned)[..])
    );
    assert_eq!(trace.snippet.as_deref(), Some("$.n:INT / 0"));
    assert_eq!((trace.language, trace.line), (None, None));
    // A bin that is not there.
    let missing = self::details(&mut wire, read("93 03 93 51 02 a178 05"), DetailLevel::Trace);
    let trace = *missing.unwrap().trace.unwrap();
    assert_eq!((trace.outcome, trace.offset), (Some(Outcome::Absent), Some(2)));
    assert_eq!((trace.op.as_deref(), trace.snippet.as_deref()), (Some("bin"), Some("$.x:INT")));
    // A test that was true: the other branch was not evaluated.
    let cond = "94 7b c3 93 51 02 a178 93 51 02 a17a";
    let trace = *self::details(&mut wire, read(cond), DetailLevel::Trace).unwrap().trace.unwrap();
    assert_eq!(trace.snippet.as_deref(), Some("$.x:INT"));
}

#[test]
fn a_filter_says_what_made_it_false() {
    let (_cluster, mut wire) = home();
    // n > 5 and n < 6
    let both = "93 10 93 03 93 51 02 a16e 05 93 05 93 51 02 a16e 06";
    let get = Request::get("k").field(field::FILTER, &hex(both));
    let details = details(&mut wire, get, DetailLevel::Trace).unwrap();
    assert_eq!(details.message.as_deref(), Some("the filter is false"));
    let trace = *details.trace.unwrap();
    assert_eq!((trace.outcome, trace.op.as_deref()), (Some(Outcome::False), Some("<")));
    assert_eq!((trace.offset, &trace.operands[..]), (Some(10), &["7", "6"].map(str::to_owned)[..]));
}

#[test]
fn an_expression_that_does_not_build_says_where() {
    let (_cluster, mut wire) = home();
    // n == (an unknown operator)
    let get = Request::get("k").field(field::FILTER, &hex("93 01 93 51 02 a16e 91 cd03e7"));
    let details = details(&mut wire, get, DetailLevel::Trace).unwrap();
    assert_eq!(details.message.as_deref(), Some("invalid expression: an unknown operator"));
    let trace = *details.trace.unwrap();
    assert_eq!((trace.phase, trace.offset), (Some(Phase::Build), Some(7)));
    assert_eq!((trace.op.as_deref(), trace.depth), (Some("op 999"), Some(1)));
    for rubbish in ["", "c1", "93", "81 01", "93 01 93 51"] {
        let get = Request::get("k").field(field::FILTER, &hex(rubbish));
        let details = self::details(&mut wire, get, DetailLevel::Trace).unwrap();
        assert_eq!(details.trace.unwrap().phase, Some(Phase::Build), "{rubbish}");
    }
}

#[test]
fn rows_of_a_batch_say_what_they_or_their_batch_asks_for() {
    let (_cluster, mut wire) = home();
    let record = digest(SET, &UserKey::Str("k"));
    let mut kind =
        Kind::new(&Header { info1: info1::READ, ..Header::default() }, &address("test", SET));
    let read = |out: &mut Vec<u8>| {
        out.extend_from_slice(&[0x91, 0x07]);
        Ok::<_, ()>(particle::STRING)
    };
    kind.op_with(op::STRING_READ, b"s", read).unwrap();
    kind.finish().unwrap();
    let mut asking = Vec::new();
    kind.ask(DetailLevel::Subcode, &mut asking);
    // The form with a fourth info byte.
    assert_eq!(asking[..5], [0x1a, 1, 0, 0, 0x20]);
    assert_eq!(asking[5..], kind.as_bytes()[4..]);
    for level in [DetailLevel::Off, DetailLevel::Message] {
        let mut bytes = Vec::new();
        let mut batch = Writer::begin(&mut bytes, 1000, flag::RESPOND_ALL);
        batch.row(1, &record, &asking, true);
        batch.row(2, &record, kind.as_bytes(), true);
        batch.finish().unwrap();
        bytes[frame::HEADER_LEN + 4] |= level.flags();
        wire.send(&bytes);
        let (_, body) = wire.frame().unwrap();
        let (first, used) = Message::parse(&body).unwrap();
        let (second, _) = Message::parse(&body[used..]).unwrap();
        assert_eq!(first.field(field::ERROR_DETAILS), Some(&hex("81 01 0a")[..]));
        let second = second.field(field::ERROR_DETAILS).and_then(ErrorDetails::read);
        assert_eq!(second.and_then(|it| it.message).is_some(), level == DetailLevel::Message);
        let (_, last) = wire.frame().unwrap();
        assert_ne!(Message::parse(&last).unwrap().0.header.info3 & info3::LAST, 0);
    }
}

#[test]
fn nodes_that_return_are_silent_until_they_are_in_sync() {
    let time = Duration::from_millis(300);
    for (build, waits) in [("8.2", true), ("8.1.2", false)] {
        let build = build.to_owned();
        let options = Options { nodes: 2, build, sync_time: time, ..Options::default() };
        let cluster = Cluster::start(options).unwrap();
        // Not when the cluster starts.
        assert!(!Wire::to(&cluster, 1).info("node").is_empty());
        cluster.kill(1).unwrap();
        let start = Instant::now();
        cluster.restart(1).unwrap();
        let mut wire = Wire::to(&cluster, 1);
        assert!(!wire.info("node").is_empty());
        if waits {
            assert!(start.elapsed() >= time);
        }
        assert!(!wire.info("node").is_empty() && !Wire::to(&cluster, 1).info("node").is_empty());
    }
}
