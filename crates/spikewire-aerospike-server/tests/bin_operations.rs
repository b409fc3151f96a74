//! Operations on what is inside a bin: what comes back, and what a failure undoes.

mod wire;

use spikewire_aerospike_protocol::message::{info1, info2, info3, op};
use spikewire_aerospike_protocol::value::particle;
use wire::{Request, ResultBin, Wire, cluster};

/// An operation on bin `v`.
fn with(request: Request, code: u8, payload: &[u8]) -> Request {
    request.op(code, "v", particle::BLOB, payload)
}

fn read(payloads: &[&[u8]]) -> Request {
    payloads.iter().fold(Request::read("k"), |all, payload| with(all, op::CDT_READ, payload))
}

fn modify(payloads: &[&[u8]]) -> Request {
    payloads.iter().fold(Request::write("k"), |all, payload| with(all, op::CDT_MODIFY, payload))
}

const SIZE: &[u8] = &[0x91, 16];

#[test]
fn appending_creates_a_list() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    // The bytes of the protocol notes.
    let reply = wire.ask(modify(&[&[0x92, 1, 5]]));
    assert_eq!((reply.head(), reply.bins), ((0, 1, 0), vec![ResultBin::int(4, "v", 1)]));
    let reply = wire.ask(modify(&[&[0x94, 1, 7, 1, 5], &[0x94, 1, 7, 1, 5]]));
    assert_eq!(reply.bins, [ResultBin::int(4, "v", 2), ResultBin::int(4, "v", 2)]);
    let reply = wire.ask(read(&[&[0x93, 0x15, 7, 0xff], SIZE]));
    assert_eq!(
        (reply.head().1, reply.bins),
        (2, vec![ResultBin::int(3, "v", 7), ResultBin::int(3, "v", 2)])
    );
    let bins = wire.ask(Request::get("k")).bins;
    assert_eq!((bins[0].particle, &bins[0].value[..]), (particle::LIST, &[0x92, 5, 7][..]));
}

#[test]
fn respond_all_returns_null_for_operations_without_a_result() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let clear: &[u8] = &[0x91, 11];
    let no_matches: &[u8] = &[0x93, 20, 7, 9];
    assert_eq!(wire.ask(modify(&[&[0x92, 1, 5], clear])).bins, [ResultBin::int(4, "v", 1)]);
    let all = modify(&[&[0x92, 1, 5], clear]).info2(info2::RESPOND_ALL_OPS);
    assert_eq!(wire.ask(all).bins, [ResultBin::int(4, "v", 1), ResultBin::null(4, "v")]);
    assert_eq!(wire.ask(read(&[no_matches])).bins, []);
    let all = read(&[no_matches]).info2(info2::RESPOND_ALL_OPS);
    assert_eq!(wire.ask(all).bins, [ResultBin::null(3, "v")]);
    // With a write beside it, a read without a value is shown; one of a missing bin is not.
    let mixed = with(Request::write("k").info1(info1::READ), op::CDT_READ, no_matches);
    let mixed = mixed.op(op::CDT_READ, "none", particle::BLOB, &[0x91, 99]).int(op::WRITE, "a", 1);
    assert_eq!(wire.ask(mixed.clone()).bins, [ResultBin::null(3, "v")]);
    let bins = wire.ask(mixed.info2(info2::RESPOND_ALL_OPS)).bins;
    assert_eq!(
        bins,
        [ResultBin::null(3, "v"), ResultBin::null(3, "none"), ResultBin::null(2, "a")]
    );
}

#[test]
fn a_failure_undoes_the_command() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.ask(modify(&[&[0x92, 1, 5], &[0x92, 5, 3]])).head(), (26, 0, 0));
    assert_eq!(wire.code(Request::get("k")), 2);
    assert_eq!(wire.code(modify(&[&[0x92, 5, 3]])), 2, "nothing to take from");
    assert_eq!(wire.code(modify(&[&[0x91, 13]])), 12);
    assert_eq!(wire.code(Request::put("k", 1).int(op::WRITE, "v", 7)), 0);
    assert_eq!(wire.ask(modify(&[&[0x92, 1, 5]])).head(), (12, 1, 0));
    assert_eq!(wire.ask(read(&[SIZE])).head(), (12, 1, 0));
    assert_eq!(wire.code(read(&[&[0x92, 1, 5]])), 4, "a modifying operation");
    assert_eq!(wire.code(modify(&[SIZE])), 4, "a reading operation");
    assert_eq!(wire.code(modify(&[&[0x92, 1, 5]]).info3(info3::CREATE_OR_REPLACE)), 4);
}
