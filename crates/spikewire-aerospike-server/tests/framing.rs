//! Frames: malformed ones, split ones, many in one write.

mod wire;

use std::io::Write;
use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::compression::{Packer, Unpacker, inner_len};
use spikewire_aerospike_protocol::frame::{self, Kind};
use spikewire_aerospike_protocol::limits::PARTITIONS;
use spikewire_aerospike_protocol::message::info1;
use spikewire_aerospike_server::{Cluster, Edition, Options};
use wire::{Request, Wire, cluster, eventually, hex};

/// A message frame around a body.
fn framed(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let start = frame::begin(&mut out, Kind::Message);
    out.extend_from_slice(body);
    frame::finish(&mut out, start);
    out
}

#[test]
fn malformed_bodies_get_a_reply_and_the_connection_stays() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let good = Request::put("k", 1).bytes()[8..].to_vec();
    let mut bad: Vec<Vec<u8>> = (0..good.len()).map(|len| good[..len].to_vec()).collect();
    bad.push([&good[..], &[0]].concat());
    let mut changed = |at: usize, byte: u8| {
        let mut body = good.clone();
        body[at] = byte;
        bad.push(body);
    };
    changed(19, 2); // fewer fields than there are
    changed(19, 4); // more
    changed(21, 0);
    changed(21, 2);
    changed(25, 0); // a field of length 0
    changed(22, 1); // a field of 16 MiB
    let op = good.len() - 17;
    changed(op + 3, 3); // an operation too short for its own head
    changed(op + 7, 200); // a name beyond the operation
    for body in bad {
        wire.send(&framed(&body));
        assert_eq!(wire.reply().unwrap().head(), (4, 0, 0), "{body:02x?}");
    }
    // The header-size byte and the result byte are not checked.
    let mut odd = good.clone();
    (odd[0], odd[5]) = (7, 99);
    wire.send(&framed(&odd));
    assert_eq!(wire.reply().unwrap().code(), 0);
}

#[test]
fn bad_headers_end_the_connection() {
    let cluster = cluster(1);
    let good = Request::put("k", 1).bytes();
    for header in [
        "0303000000000016", // version
        "0200000000000016", // types
        "0206000000000016",
        "02ff000000000016",
        "0203000008000001", // a byte too long
        "1603010005010000", // the start of a TLS handshake
        "474554202f204854", // and of HTTP
    ] {
        let mut wire = Wire::to(&cluster, 0);
        wire.send(&[&good[..], &hex(header)].concat());
        assert_eq!(wire.reply().unwrap().code(), 0, "what came before is answered");
        assert!(wire.is_closed(), "{header}");
    }
    // 128 MiB itself is accepted: the rest of the body is waited for.
    let mut wire = Wire::to(&cluster, 0);
    wire.send(&hex("0203000008000000"));
    wire.0.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    assert!(wire.reply().unwrap_err().kind() != std::io::ErrorKind::UnexpectedEof);
}

#[test]
fn compressed_frames_are_rejected() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    wire.exchange(
        "0204000000000003 010203",
        "02030000 00000016 16000000 00190000 00000000 00000000 00000000 0000",
    );
    assert_eq!(wire.code(Request::put("k", 1)), 0);
}

/// What the C client sent for a put of 400 bytes, whose digest is that of another cluster's key.
const PUT: &str = "0204000000000053 00000000000001df
    78016362660002c6eb620c8c20061cb05f6060060bb13294a4169700c599188b81a428cb02ebdf396cb18ad60b36
    a966264f5994f06577cd46a009539980ea132b46c1a00a01009dbeca57";

fn enterprise() -> Cluster {
    Cluster::start(Options { edition: Edition::Enterprise, ..Options::default() }).unwrap()
}

/// A frame of the compressed kind around a length and a stream.
fn compressed(len: u64, stream: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let start = frame::begin(&mut out, Kind::Compressed);
    out.extend_from_slice(&len.to_be_bytes());
    out.extend_from_slice(stream);
    frame::finish(&mut out, start);
    out
}

#[test]
fn the_enterprise_edition_runs_compressed_requests() {
    let cluster = enterprise();
    let mut wire = Wire::to(&cluster, 0);
    wire.send(&hex(PUT));
    assert_eq!(wire.reply().unwrap().code(), 0);
    // Among others in one write, and byte by byte.
    let plain = Request::put("k", 1).bytes();
    let mut packed = Vec::new();
    assert!(Packer::default().pack(
        &Request::write("k").op(2, "b", 4, &[7; 300]).bytes(),
        0,
        &mut packed
    ));
    wire.send(&[&plain[..], &packed, &Request::get("k").bytes()].concat());
    let bins = [(); 3].map(|()| wire.reply().unwrap().bins.len());
    assert_eq!(bins, [0, 0, 2]);
    packed.chunks(1).for_each(|byte| wire.send(byte));
    assert_eq!(wire.reply().unwrap().code(), 0);
    eventually("the counts", || cluster.stats(0).unwrap().counters.compressed_requests == 3);
}

#[test]
fn replies_are_compressed_if_that_is_asked_for_and_saves_something() {
    let cluster = enterprise();
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::write("k").op(2, "b", 4, &[7; 300])), 0);
    assert_eq!(wire.code(Request::write("short").op(2, "b", 4, &[7; 50])), 0);
    let asks = |key| Request::get(key).info1(info1::COMPRESS_RESPONSE);
    wire.send(&asks("k").bytes());
    let (kind, body) = wire.frame().unwrap();
    assert_eq!(kind, Kind::Compressed);
    let mut message = vec![0; inner_len(&body).unwrap()];
    Unpacker::default().unpack(&body, &mut message).unwrap();
    wire.send(&Request::get("k").bytes());
    let (kind, body) = wire.frame().unwrap();
    assert_eq!((kind, &body[..]), (Kind::Message, &message[frame::HEADER_LEN..]));
    wire.send(&asks("short").bytes());
    assert_eq!(wire.frame().unwrap().0, Kind::Message);
    // The Community Edition does not look at the flag.
    let community = self::cluster(1);
    let mut wire = Wire::to(&community, 0);
    assert_eq!(wire.code(Request::write("k").op(2, "b", 4, &[7; 300])), 0);
    wire.send(&asks("k").bytes());
    assert_eq!(wire.frame().unwrap().0, Kind::Message);
}

/// A length that was believed would be allocated at once.
#[test]
fn damaged_compressed_requests_end_the_connection() {
    let cluster = enterprise();
    let good = hex(PUT);
    let mut twice = Vec::new();
    let mut inner = Request::write("k").op(2, "b", 4, &[7; 300]).bytes();
    inner[1] = Kind::Compressed as u8;
    assert!(Packer::default().pack(&inner, 0, &mut twice));
    for bad in [
        hex("0204000000000000"),
        hex("0204000000000003 010203"),
        compressed(479, &good[16..good.len() - 5]),
        compressed(478, &good[16..]),
        compressed(480, &good[16..]),
        compressed(479, &[&good[16..], b"x"].concat()),
        compressed(479, &[7; 80]),
        compressed(128 << 20, &good[16..]),
        compressed(u64::MAX, &good[16..]),
        twice,
    ] {
        let mut wire = Wire::to(&cluster, 0);
        wire.send(
            &[&Request::put("k", 1).bytes()[..], &bad, &Request::put("k", 2).bytes()].concat(),
        );
        assert_eq!(wire.reply().unwrap().code(), 0);
        assert_eq!(wire.reply().unwrap().code(), 1, "{bad:02x?}");
        assert!(wire.is_closed(), "{bad:02x?}");
    }
}

#[test]
fn requests_may_come_byte_by_byte() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let mut bytes = Request::put("k", 5).bytes();
    spikewire_aerospike_protocol::info::request(&mut bytes, &["node"]);
    bytes.extend_from_slice(&Request::get("k").bytes());
    for step in [1, 2, 7, 23] {
        for piece in bytes.chunks(step) {
            wire.send(piece);
        }
        assert_eq!(wire.reply().unwrap().code(), 0);
        assert_eq!(wire.frame().unwrap().0, Kind::Info);
        assert_eq!(wire.reply().unwrap().bins.len(), 1);
    }
}

#[test]
fn a_thousand_requests_in_one_write_are_answered_in_order() {
    let cluster = cluster(3);
    let mut wire = Wire::to(&cluster, 1);
    let mut bytes = Vec::new();
    for at in 0..1000 {
        bytes.extend_from_slice(&Request::put(&format!("k{}", at % 10), at).bytes());
        bytes.extend_from_slice(&Request::get(&format!("k{}", at % 10)).bytes());
    }
    wire.send(&bytes);
    for at in 0..1000_i64 {
        assert_eq!(wire.reply().unwrap().header.generation as i64, at / 10 + 1);
        assert_eq!(wire.reply().unwrap().bins[0].value, at.to_be_bytes());
    }
}

#[test]
fn a_client_that_does_not_read_is_served_no_further_and_then_to_the_end() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let big = Request::write("k").op(2, "b", 4, &vec![7; 500_000]);
    assert_eq!(wire.code(big), 0);
    let get = Request::get("k").bytes();
    wire.send(&get.repeat(200));
    // The pace of the test: time enough to make them all.
    std::thread::sleep(Duration::from_millis(100));
    // Most of the 200 replies of half a megabyte were not made yet.
    assert!(cluster.stats(0).unwrap().counters.reads < 100);
    // Others are served meanwhile.
    assert_eq!(Wire::to(&cluster, 0).code(Request::head("k")), 0);
    for _ in 0..200 {
        assert_eq!(wire.reply().unwrap().bins[0].value.len(), 500_000);
    }
}

/// The server gives up on such a client after ten seconds without any progress.
#[test]
fn a_client_that_never_reads_is_cut_off() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::write("k").op(2, "b", 4, &vec![7; 500_000])), 0);
    let started = Instant::now();
    wire.send(&Request::get("k").bytes().repeat(200));
    eventually("the end", || cluster.stats(0).unwrap().connections == 0);
    assert!(started.elapsed() >= Duration::from_secs(10));
}

#[test]
fn a_reply_that_no_frame_can_carry_is_rejected() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::write("k").op(2, "b", 4, &vec![7; 1_000_000])), 0);
    let read = |times: usize| (0..times).fold(Request::read("k"), |read, _| read.bin("b"));
    assert_eq!(wire.code(read(140)), 13);
    assert_eq!(wire.ask(read(20)).bins.len(), 20);
}

#[test]
fn a_large_request_grows_in_pieces() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let value = vec![9; 40 << 20];
    assert_eq!(wire.code(Request::write("k").op(2, "b", 4, &value)), 13);
    assert_eq!(wire.code(Request::put("k", 1)), 0);
}

#[test]
fn closing_the_sending_side_ends_the_connection() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    wire.0.shutdown(std::net::Shutdown::Write).unwrap();
    assert!(wire.is_closed());
    eventually("it is forgotten", || cluster.stats(0).unwrap().connections == 0);
}

#[test]
fn threads_share_the_connections() {
    let cluster = Cluster::start(Options { nodes: 2, threads: 3, ..Options::default() }).unwrap();
    let mut wires: Vec<Wire> = (0..20).map(|at| Wire::to(&cluster, at % 2)).collect();
    for round in 0..50 {
        for (at, wire) in wires.iter_mut().enumerate() {
            wire.send(&Request::put(&format!("k{at}"), round).bytes());
        }
        for wire in &mut wires {
            assert_eq!(wire.reply().unwrap().head(), (0, round as u32 + 1, 0));
        }
    }
    cluster.kill(0).unwrap();
    for (at, wire) in wires.iter_mut().enumerate() {
        assert_eq!(
            wire.0.write_all(&[]).is_ok() && wire.try_ask(&Request::get("k1")).is_ok(),
            at % 2 == 1
        );
    }
}

#[test]
fn starting_and_stopping_is_quick() {
    let started = Instant::now();
    let cluster = cluster(3);
    let mut wire = Wire::to(&cluster, 2);
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    let ready = started.elapsed();
    drop(cluster);
    assert!(wire.is_closed());
    println!("ready after {ready:?}, stopped after {:?} in all", started.elapsed());
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(PARTITIONS, 4096);
}
