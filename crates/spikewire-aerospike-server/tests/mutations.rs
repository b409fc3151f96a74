//! Whatever comes in, the server answers or closes, and goes on serving others.

mod wire;

use std::io::{Read, Write};
use std::time::Duration;

use spikewire_aerospike_protocol::message::{field, info1, info2, op};
use wire::{Request, Wire, cluster};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let map = [0x83, 0xc7, 0, 1, 0xc0, 1, 0x92, 2, 3, 0xa2, 3, b'x', 0xcb, 0, 0, 0, 0, 0, 0, 0, 0];
    let geo = [&[0, 0, 0], &br#"{"type":"Point","coordinates":[1,2]}"#[..]].concat();
    let mut info = Vec::new();
    spikewire_aerospike_protocol::info::request(
        &mut info,
        &["replicas:max=2", "sets/test/demo", "truncate:namespace=test;set=demo", "statistics"],
    );
    vec![
        Request::put("k", 7).key("k").ttl(100).bytes(),
        Request::get("k").key("k").bytes(),
        Request::delete("k").bytes(),
        Request::write("k").op(op::WRITE, "m", 19, &map).op(op::WRITE, "g", 23, &geo).bytes(),
        Request::write("k").op(op::WRITE, "l", 20, &[0x93, 1, 0x91, 0xa1, 4, 0xc3]).bytes(),
        // Paths: with a path inside a filter, a change, a removal.
        Request::read("k")
            .op(
                op::CDT_READ,
                "m",
                4,
                &wire::hex(
                    "93ccfe 94 04 9303957f02009110 957f0400 93ccfe9204c301 937a0401 01 04c3 11",
                ),
            )
            .bytes(),
        Request::write("k")
            .op(op::CDT_MODIFY, "m", 4, &wire::hex("94ccfe 94 04c3 1001 14 9314937a020101"))
            .op(op::CDT_MODIFY, "l", 4, &wire::hex("94ccfe 94 1000 cd0204c3 04 9164"))
            .bytes(),
        Request::write("k")
            .info1(info1::READ)
            .info2(info2::RESPOND_ALL_OPS)
            .int(op::ADD, "a", 1)
            .text(op::APPEND, "s", "x")
            .bin("a")
            .op(op::TOUCH, "", 0, b"")
            .bytes(),
        Request::bare().info1(info1::BATCH).field(field::BATCH, &[0, 0, 0, 1, 5]).bytes(),
        info,
    ]
}

/// Changes a valid request somewhere, but keeps its length field right so that it is looked into.
fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let at = 8 + random.below(bytes.len() - 8);
        match random.below(5) {
            0 => bytes[at] = random.below(256) as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
            3 => bytes.truncate(at.max(9)),
            _ => bytes.insert(at, random.below(256) as u8),
        }
    }
    let len = (bytes.len() - 8) as u64;
    bytes[2..8].copy_from_slice(&len.to_be_bytes()[2..]);
}

#[test]
fn every_changed_request_has_exactly_one_reply() {
    let cluster = cluster(2);
    let mut wire = Wire::to(&cluster, 0);
    let mut random = Random(20_260_101);
    let seeds = seeds();
    for round in 0..400 {
        let group: Vec<Vec<u8>> = (0..50)
            .map(|_| {
                let mut bytes = seeds[random.below(seeds.len())].clone();
                mutate(&mut bytes, &mut random);
                bytes
            })
            .collect();
        wire.send(&group.concat());
        for bytes in &group {
            let reply = wire.frame();
            assert!(reply.is_ok(), "round {round}: {bytes:02x?}");
        }
    }
    assert_eq!(wire.code(Request::put("alive", 1)), 0);
}

#[test]
fn random_bytes_end_at_most_their_own_connection() {
    let cluster = cluster(1);
    let mut random = Random(7);
    let seeds = seeds();
    for round in 0..200 {
        let mut wire = Wire::to(&cluster, 0);
        wire.0.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let mut bytes: Vec<u8> = (0..random.below(300)).map(|_| random.below(256) as u8).collect();
        if round % 2 == 0 {
            bytes = [seeds[random.below(seeds.len())].clone(), bytes].concat();
        }
        if round % 3 == 0 && bytes.len() > 2 {
            // A header that promises more than there is.
            bytes[0] = 2;
            bytes[1] = 1 + random.below(4) as u8;
        }
        let _ = wire.0.write_all(&bytes);
        let _ = wire.0.shutdown(std::net::Shutdown::Write);
        let _ = wire.0.read_to_end(&mut Vec::new());
    }
    assert_eq!(Wire::to(&cluster, 0).code(Request::put("alive", 1)), 0);
}
