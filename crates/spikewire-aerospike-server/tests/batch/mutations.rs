//! Any batch gets a complete reply, and the connection stays usable.

use spikewire_aerospike_protocol::frame::Kind;
use spikewire_aerospike_protocol::message::{Message, info1, info2, info3, op};

use crate::rows::{ALL, Batch, Row};
use crate::wire::{Request, Wire, cluster};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let counted = Row::write().info1(info1::READ).int(op::ADD, "a", 1).bin("a").ttl(100);
    let mixed = |flags: u8| {
        Batch::new(flags)
            .row("k0", &Row::put(7).key("k0"))
            .row("k1", &counted)
            .repeat("k0")
            .row("k1", &Row::get())
            .repeat("none")
            .row("k1", &Row::delete().generation(1))
            .row("k0", &Row::put(1).info2(info2::CREATE_ONLY).info3(info3::COMMIT_MASTER))
            .row("k0", &Row::head())
            .bytes()
    };
    vec![
        mixed(ALL),
        mixed(0),
        mixed(8),
        Batch::each(ALL, &Row::get(), ["k0", "k1", "none"]).bytes(),
        Batch::new(ALL).parent(43, &[0x93, 1, 1, 1]).row("k0", &Row::get()).bytes(),
    ]
}

/// Changes some bytes behind the header that says how long the request is.
fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(3) {
        let at = 8 + random.below(bytes.len() - 8);
        match random.below(5) {
            0 => bytes[at] = random.below(256) as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
            3 => bytes.truncate(at.max(31)),
            _ => bytes.insert(at, random.below(256) as u8),
        }
    }
    bytes[9] |= info1::BATCH;
    let len = (bytes.len() - 8) as u32;
    bytes[4..8].copy_from_slice(&len.to_be_bytes());
}

#[test]
fn every_changed_batch_has_an_end() {
    let cluster = cluster(3);
    let mut wire = Wire::to(&cluster, 0);
    let (seeds, mut random) = (seeds(), Random(7));
    let mut codes = [0_usize; 256];
    for _ in 0..4000 {
        let mut bytes = seeds[random.below(seeds.len())].clone();
        mutate(&mut bytes, &mut random);
        wire.send(&bytes);
        loop {
            let (kind, body) = wire.frame().unwrap();
            assert_eq!(kind, Kind::Message);
            let (first, used) = Message::parse(&body).unwrap();
            // Fields that are none are answered as in any other request: by one message.
            let malformed = used == body.len() && first.header.result == 4;
            if first.header.info3 & info3::LAST != 0 || malformed && is_malformed(&bytes) {
                assert_eq!(used, body.len());
                codes[usize::from(first.header.result)] += 1;
                break;
            }
        }
    }
    assert!(codes[0] > 500 && codes[4] > 500, "{codes:?}");
    assert_eq!(wire.ask(Request::put("k9", 1)).head(), (0, 1, 0));
}

/// Whether the fields of the request itself cannot be told apart.
fn is_malformed(bytes: &[u8]) -> bool {
    let Some(head) = bytes.get(26..28) else { return true };
    let fields = u16::from_be_bytes([head[0], head[1]]);
    spikewire_aerospike_protocol::message::split_parts(&bytes[30..], fields, 0).is_err()
}
