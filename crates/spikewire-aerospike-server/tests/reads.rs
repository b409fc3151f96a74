//! Reads: the order of checks and the shape of replies.

mod wire;

use spikewire_aerospike_protocol::limits::EPOCH_2010;
use spikewire_aerospike_protocol::message::{field, info1, info2, info3, op};
use spikewire_aerospike_server::NamespaceOptions;
use wire::{Request, ResultBin, Wire, cluster, eventually, with};

fn now() -> u32 {
    let unix = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    (unix.as_secs() - EPOCH_2010) as u32
}

#[test]
fn bins_come_as_requested() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let put = Request::write("k").int(op::WRITE, "a", 1).text(op::WRITE, "b", "two");
    assert_eq!(wire.ask(put).head(), (0, 1, 0));
    let (a, b) = (ResultBin::int(1, "a", 1), ResultBin::text(1, "b", "two"));
    assert_eq!(wire.ask(Request::get("k")).bins, [a.clone(), b.clone()]);
    let chosen = Request::read("k").bin("b").bin("z").bin("a").bin("b");
    assert_eq!(wire.ask(chosen.clone()).bins, [b.clone(), a.clone(), b.clone()]);
    let all = wire.ask(chosen.info2(info2::RESPOND_ALL_OPS)).bins;
    assert_eq!(all, [b.clone(), ResultBin::null(1, "z"), a.clone(), b.clone()]);
    let none = wire.ask(Request::read("k").bin("y").bin("z"));
    assert_eq!((none.head(), none.bins.len()), ((0, 1, 0), 0));
    let head = wire.ask(Request::head("k"));
    assert_eq!((head.head(), head.bins.len()), ((0, 1, 0), 0));
    // Both flags: no bins win. Operations beside GET_ALL are ignored.
    assert!(wire.ask(Request::head("k").info1(info1::GET_ALL)).bins.is_empty());
    assert_eq!(wire.ask(Request::get("k").bin("a")).bins, [a, b]);
    // An empty name without GET_ALL is the bin of that name.
    assert!(wire.ask(Request::read("k").bin("")).bins.is_empty());
}

#[test]
fn checks_come_in_order() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let long = "a_bin_name_of_19_by";
    assert_eq!(wire.ask(Request::read("k").bin(long)).head(), (2, 0, 0));
    assert_eq!(wire.code(Request::put("k", 1).key("k").ttl(1000)), 0);
    let void = wire.ask(Request::head("k")).header.ttl;
    let at = |code| (code, 1, void);
    assert_eq!(wire.ask(Request::read("k")).head(), at(4));
    assert_eq!(wire.ask(Request::read("k").bin(long)).head(), at(21));
    assert_eq!(wire.ask(Request::read("k").bin("a\0")).head(), at(21));
    assert_eq!(wire.ask(Request::read("k").int(op::WRITE, "a", 1)).head(), at(4));
    assert_eq!(wire.ask(Request::get("k").key("other")).head(), at(19));
    assert_eq!(wire.ask(Request::get("k").field(field::KEY, b"")).head(), at(19));
    assert_eq!(wire.ask(Request::get("k").key("k")).head(), at(0));
    // The filter is looked at before the key; a broken one before the record.
    let filtered = |filter: &[u8]| Request::get("k").key("x").field(field::FILTER, filter);
    assert_eq!(wire.ask(filtered(b"\xc2")).head(), at(27));
    assert_eq!(wire.ask(filtered(b"\xc3")).head(), at(19));
    assert_eq!(wire.ask(filtered(b"\xc1")).head(), (4, 0, 0));
    // The percentage for touching is checked because the record expires, before the key.
    assert_eq!(wire.ask(Request::get("k").ttl(101).key("x")).head(), at(4));
    // Another set: 4, before anything but existence. No set at all is accepted.
    let in_set = |set: &str| Request::new(set, "k").info1(info1::READ | info1::GET_ALL);
    assert_eq!(wire.ask(in_set("other")).head(), at(4));
    assert_eq!(wire.ask(in_set(&"s".repeat(64))).head(), at(4));
    assert_eq!(wire.ask(in_set("")).head(), at(0));
    assert_eq!(wire.code(Request::put("never", 1).key("n")), 0);
    assert_eq!(wire.code(Request::get("never").ttl(101)), 0);
    // A stored key is missing: an empty one sent with a read is ignored.
    assert_eq!(wire.code(Request::put("bare", 1)), 0);
    assert_eq!(wire.code(Request::get("bare").field(field::KEY, b"")), 0);
    assert_eq!(wire.code(Request::get("bare").key("whatever")), 0);
}

#[test]
fn a_read_needs_a_known_namespace_and_a_whole_digest() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    let digest = spikewire_aerospike_protocol::key::digest(
        "demo",
        &spikewire_aerospike_protocol::key::UserKey::Str("k"),
    );
    let bare = || Request::bare().info1(info1::READ | info1::GET_ALL);
    assert_eq!(wire.code(bare().field(4, &digest.0)), 20);
    assert_eq!(wire.code(bare().field(0, b"nowhere").field(4, &digest.0)), 20);
    assert_eq!(wire.code(bare().field(0, b"").field(4, &digest.0)), 20);
    assert_eq!(wire.code(bare().field(0, b"test").field(4, &digest.0[1..])), 4);
    // Field order is free, unknown fields are skipped, and the set may be left out.
    assert_eq!(wire.code(bare().field(99, b"?").field(4, &digest.0).field(0, b"test")), 0);
    for flags in [0, info1::GET_ALL, info1::NO_BINS] {
        assert_eq!(wire.code(Request::new("demo", "k").info1(flags)), 4);
    }
    assert_eq!(wire.code(Request::new("demo", "k").info1(info1::READ).info2(info2::DELETE)), 4);
}

#[test]
fn enterprise_only_flags_are_rejected() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    assert_eq!(wire.code(Request::get("k").field(field::TRANSACTION, b"")), 25);
    assert_eq!(wire.code(Request::get("k").info4(1)), 25);
    assert_eq!(wire.code(Request::get("k").info4(2)), 0);
    assert_eq!(wire.code(Request::put("k", 1).info4(2)), 25);
    assert_eq!(wire.code(Request::put("k", 1).info4(4)), 25);
    assert_eq!(wire.code(Request::put("k", 1).info4(1)), 0);
    assert_eq!(wire.code(Request::get("k").info3(info3::SC_READ_TYPE)), 25);
    assert_eq!(wire.code(Request::get("k").info3(info3::SC_READ_RELAX)), 0);
    assert_eq!(wire.code(Request::get("k").info3(0xC0)), 0);
    assert_eq!(wire.code(Request::put("k", 1).info3(info3::SC_READ_TYPE)), 0);
    // The bit that asks for compressed replies is ignored.
    assert_eq!(wire.code(Request::get("k").info1(info1::COMPRESS_RESPONSE)), 0);
}

#[test]
fn a_record_expires_when_its_time_to_live_ends() {
    let cluster = with(NamespaceOptions { nsup_period: 3600, ..NamespaceOptions::default() });
    let mut wire = Wire::to(&cluster, 0);
    let start = now();
    let void = wire.ask(Request::put("k", 1).ttl(3)).header.ttl;
    assert!((start + 3..=now() + 3).contains(&void));
    assert_eq!(wire.ask(Request::get("k")).head(), (0, 1, void));
    eventually("its time is over", || {
        assert!(wire.code(Request::get("k")) == 0 || now() > void, "gone before its time");
        now() > void
    });
    // Still in memory: the reply shows what was there. A write makes it afresh, a delete finds it.
    assert_eq!(wire.ask(Request::get("k")).head(), (2, 1, void));
    assert_eq!(wire.ask(Request::touch("k")).head(), (2, 1, void));
    assert_eq!(wire.code(Request::delete("k")), 0);
    assert_eq!(
        wire.ask(Request::put("k", 2).generation(0).info2(info2::GENERATION)).head(),
        (0, 1, 0)
    );
}

#[test]
fn a_read_renews_the_time_when_little_is_left() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let void = wire.ask(Request::put("k", 1).ttl(100)).header.ttl;
    for percent in [0, u32::MAX, 1, 50] {
        assert_eq!(wire.ask(Request::get("k").ttl(percent)).head(), (0, 1, void));
    }
    eventually("little is left", || now() >= void - 98);
    // The reply that renews it shows the old time; a header-only read counts too.
    assert_eq!(wire.ask(Request::head("k").ttl(99)).head(), (0, 1, void));
    let renewed = wire.ask(Request::get("k")).head();
    assert!(renewed.0 == 0 && renewed.1 == 1 && renewed.2 > void, "{renewed:?} after {void}");
}
