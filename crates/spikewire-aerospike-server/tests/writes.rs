//! Writes: the order of checks, generations, keys, expiry.

mod wire;

use spikewire_aerospike_protocol::limits::TTL_SECONDS;
use spikewire_aerospike_protocol::message::{field, info1, info2, info3, op};
use spikewire_aerospike_protocol::value::particle;
use spikewire_aerospike_server::NamespaceOptions;
use wire::{Request, ResultBin, Wire, cluster, with};

#[test]
fn invalid_writes_are_rejected_before_the_record_is_read() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    let w = || Request::write("k");
    assert_eq!(wire.ask(w()).head(), (4, 0, 0));
    assert_eq!(wire.code(w().int(op::WRITE, "sixteen_bytes_xx", 1)), 21);
    assert_eq!(wire.code(w().int(op::WRITE, "fifteen_bytes_x", 1)), 0);
    assert_eq!(wire.code(w().int(op::WRITE, "a\0b", 1)), 21);
    for replace in [info3::CREATE_OR_REPLACE, info3::REPLACE_ONLY] {
        let r = || w().info3(replace);
        assert_eq!(wire.code(r().op(op::TOUCH, "", 0, b"")), 4);
        assert_eq!(wire.code(r().op(op::WRITE, "a", 0, b"")), 4);
        assert_eq!(wire.code(r().op(op::DELETE, "", 0, b"")), 4);
        assert_eq!(wire.code(r().int(op::ADD, "a", 1)), 4);
        assert_eq!(wire.code(r().text(op::APPEND, "a", "x")), 4);
        assert_eq!(wire.code(r().text(op::PREPEND, "a", "x")), 4);
    }
    assert_eq!(wire.code(w().bin("a")), 4, "a read operation without READ");
    let all = || w().info1(info1::READ | info1::GET_ALL);
    assert_eq!(wire.code(all().bin("").bin("")), 4);
    assert_eq!(wire.code(all().bin("").bin("a")), 4);
    assert_eq!(wire.code(all().int(op::WRITE, "a", 1)), 4);
    assert_eq!(wire.code(all().bin("").info2(info2::RESPOND_ALL_OPS)), 4);
    assert_eq!(wire.code(all().bin("").int(op::WRITE, "b", 1)), 0);
    assert_eq!(wire.code(w().info1(info1::READ | info1::NO_BINS).int(op::WRITE, "a", 1)), 0);
    // A long list of operations is served to the last one allowed.
    let many = |count: usize| (0..count).fold(w(), |w, at| w.int(op::ADD, "n", at as i64));
    assert_eq!(wire.code(many(32_768)), 0);
    assert_eq!(wire.code(many(32_769)), 4);
}

#[test]
fn exists_policies_reject_missing_or_existing_records() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    for flags in [info3::UPDATE_ONLY, info3::REPLACE_ONLY] {
        assert_eq!(wire.ask(Request::put("k", 1).info3(flags)).head(), (2, 0, 0));
    }
    assert_eq!(wire.ask(Request::touch("k")).head(), (2, 0, 0));
    // A touch anywhere makes the whole command need its record.
    assert_eq!(wire.code(Request::put("k", 1).op(op::TOUCH, "", 0, b"")), 2);
    assert_eq!(wire.code(Request::put("k", 1).info2(info2::CREATE_ONLY)), 0);
    assert_eq!(wire.ask(Request::put("k", 2).info2(info2::CREATE_ONLY)).head(), (5, 1, 0));
    let more = Request::write("k").text(op::WRITE, "b", "x");
    assert_eq!(wire.ask(more.clone().info3(info3::UPDATE_ONLY)).head(), (0, 2, 0));
    assert_eq!(wire.ask(Request::get("k")).bins.len(), 2);
    assert_eq!(wire.ask(more.clone().info3(info3::REPLACE_ONLY)).head(), (0, 3, 0));
    assert_eq!(wire.ask(Request::get("k")).bins, [ResultBin::text(1, "b", "x")]);
    assert_eq!(wire.ask(Request::put("k", 9).info3(info3::CREATE_OR_REPLACE)).head(), (0, 4, 0));
    assert_eq!(wire.ask(Request::get("k")).bins, [ResultBin::int(1, "a", 9)]);
    assert_eq!(wire.ask(Request::put("new", 9).info3(info3::CREATE_OR_REPLACE)).head(), (0, 1, 0));
}

#[test]
fn checks_against_the_record_come_in_order() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let all_wrong = |create| {
        Request::new("other", "k")
            .info2(info2::WRITE | info2::GENERATION | create)
            .generation(7)
            .key("other")
            .ttl(TTL_SECONDS + 1)
            .int(77, "a", 1)
    };
    // Nothing there: generation first, then the time, then the operations.
    assert_eq!(wire.ask(all_wrong(info2::CREATE_ONLY)).head(), (3, 0, 0));
    assert_eq!(wire.code(all_wrong(0).generation(0)), 4);
    assert_eq!(wire.ask(Request::put("k", 1).key("k")).head(), (0, 1, 0));
    let at = |code| (code, 1, 0);
    assert_eq!(wire.ask(all_wrong(info2::CREATE_ONLY)).head(), at(5));
    assert_eq!(wire.ask(all_wrong(0)).head(), at(3));
    assert_eq!(wire.ask(all_wrong(0).generation(1)).head(), at(4));
    let right_set = Request::put("k", 1).field(field::FILTER, b"\xc2").key("other");
    assert_eq!(wire.ask(right_set).head(), at(27));
    assert_eq!(wire.ask(Request::put("k", 1).key("other").ttl(TTL_SECONDS + 1)).head(), at(19));
    assert_eq!(wire.ask(Request::put("k", 1).ttl(TTL_SECONDS + 1)).head(), at(4));
    assert_eq!(wire.ask(Request::put("k", 1).ttl(0xFFFF_FFFD)).head(), at(4));
    assert_eq!(wire.ask(Request::write("k").int(77, "a", 1)).head(), at(4));
    assert_eq!(wire.ask(Request::write("k").op(op::WRITE, "a", 13, b"")).head(), at(4));
    assert_eq!(wire.ask(Request::write("k").op(op::WRITE, "a", 20, b"")).head(), at(1));
    for code in [7, 8] {
        let empty = Request::write("k").info1(info1::READ).op(code, "a", 4, b"");
        assert_eq!(wire.ask(empty).head(), at(4), "operation {code}");
    }
    // A failing operation takes everything back.
    let half = Request::write("k").int(op::WRITE, "b", 1).text(op::ADD, "a", "x");
    assert_eq!(wire.ask(half).head(), at(12));
    assert_eq!(wire.ask(Request::get("k")).bins, [ResultBin::int(1, "a", 1)]);
    // An absent set does not match a record that has one; a set name may be too long.
    assert_eq!(wire.ask(Request::new("", "k").info2(info2::WRITE).int(2, "a", 1)).head(), at(4));
    let long = "s".repeat(64);
    assert_eq!(wire.code(Request::new(&long, "n").info2(info2::WRITE).int(2, "a", 1)), 4);
    assert_eq!(wire.code(Request::new(&long[1..], "n").info2(info2::WRITE).int(2, "a", 1)), 0);
}

#[test]
fn generation_checks_reject_stale_writes() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let equal = |n| Request::put("k", 1).info2(info2::GENERATION).generation(n);
    let greater = |n| Request::put("k", 1).info2(info2::GENERATION_GT).generation(n);
    assert_eq!(wire.code(equal(1)), 3);
    assert_eq!(wire.code(greater(0)), 3);
    assert_eq!(wire.ask(equal(0)).head(), (0, 1, 0));
    assert_eq!(wire.ask(equal(0)).head(), (3, 1, 0));
    assert_eq!(wire.code(equal(1)), 0);
    assert_eq!(wire.code(greater(2)), 3);
    assert_eq!(wire.code(greater(3)), 0);
    assert_eq!(wire.code(equal(0x1_0003)), 3, "all 32 bits are compared");
    assert_eq!(wire.code(greater(0x1_0003)), 0);
    let both = Request::put("k", 1).info2(info2::GENERATION | info2::GENERATION_GT).generation(9);
    assert_eq!(wire.code(both), 3, "with both flags only equality is tested");
    assert_eq!(wire.ask(Request::get("k").info2(info2::GENERATION).generation(9)).code(), 0);
    assert_eq!(wire.code(Request::delete("new").info2(info2::GENERATION).generation(9)), 2);
    // Writes that change nothing count too.
    let reads = Request::write("k").info1(info1::READ).bin("a");
    assert_eq!(wire.ask(reads).head(), (0, 5, 0));
    assert_eq!(wire.ask(Request::write("k").op(op::WRITE, "none", 0, b"")).head(), (0, 6, 0));
    let reads = Request::write("absent").info1(info1::READ).bin("a");
    assert_eq!(wire.ask(reads).head(), (2, 0, 0));
    // 65535 is followed by 1.
    let touch = Request::touch("k").bytes();
    for _ in 0..65_529 / 100 {
        wire.send(&touch.repeat(100));
        for _ in 0..100 {
            assert_eq!(wire.reply().unwrap().code(), 0);
        }
    }
    let mut last = wire.ask(Request::touch("k")).header.generation;
    while last < 65_535 {
        last = wire.ask(Request::touch("k")).header.generation;
    }
    assert_eq!((last, wire.ask(Request::touch("k")).header.generation), (65_535, 1));
}

#[test]
fn a_record_without_bins_is_deleted() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let clear = || Request::write("k").op(op::WRITE, "a", 0, b"ignored");
    assert_eq!(wire.ask(clear()).head(), (2, 0, 0));
    assert_eq!(wire.code(Request::write("k").op(op::DELETE, "", 0, b"")), 2);
    assert_eq!(wire.code(Request::put("k", 1).ttl(100)), 0);
    assert_eq!(wire.ask(clear().info2(info2::DURABLE_DELETE)).code(), 25);
    assert_eq!(wire.code(Request::put("k", 1).info2(info2::DURABLE_DELETE)), 0);
    assert_eq!(wire.ask(clear()).head(), (0, 0, 0));
    assert_eq!(wire.code(Request::get("k")), 2);
    let anew = Request::write("k").op(op::DELETE, "", 0, b"").int(op::WRITE, "b", 2);
    assert_eq!(wire.ask(anew.clone()).head(), (0, 1, 0));
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    assert_eq!(wire.ask(anew).head(), (0, 3, 0));
    assert_eq!(wire.ask(Request::get("k")).bins, [ResultBin::int(1, "b", 2)]);
}

#[test]
fn delete_removes_the_record_or_reports_it_missing() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let d = || Request::delete("k");
    assert_eq!(wire.ask(d()).head(), (2, 0, 0));
    assert_eq!(wire.code(Request::put("k", 1).key("k").ttl(100)), 0);
    let other_set = Request::new("other", "k").info2(info2::WRITE | info2::DELETE);
    assert_eq!(wire.ask(other_set.info2(info2::GENERATION).generation(9)).head(), (4, 0, 0));
    assert_eq!(wire.ask(d().info2(info2::GENERATION).generation(9).key("x")).head(), (3, 0, 0));
    assert_eq!(wire.ask(d().key("x")).head(), (19, 0, 0));
    assert_eq!(wire.ask(d().info2(info2::DURABLE_DELETE)).head(), (25, 0, 0));
    // Operations, READ and exists bits are ignored.
    let odd = d().info1(info1::READ).info2(info2::CREATE_ONLY).int(op::WRITE, "a", 1);
    assert_eq!(wire.ask(odd.info2(info2::GENERATION).generation(1)).head(), (0, 0, 0));
    assert_eq!(wire.code(d()), 2);
}

#[test]
fn a_stored_key_must_match_the_sent_key() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let put = |key: &[u8]| Request::put("k", 1).field(field::KEY, key);
    assert_eq!(wire.code(put(b"")), 16);
    assert_eq!(wire.code(put(b"\x01\0\0\0\x07")), 16);
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    assert_eq!(wire.code(put(b"")), 16);
    // Stored the first time it comes, with a touch too; kept by writes without it.
    assert_eq!(wire.code(Request::touch("k").key("k")), 0);
    assert_eq!(wire.code(Request::put("k", 2)), 0);
    assert_eq!(wire.code(put(b"")), 19);
    assert_eq!(wire.code(put(b"\x03x")), 19);
    assert_eq!(wire.code(put(b"\x04k")), 19);
    assert_eq!(wire.code(put(b"\x03k")), 0);
    assert_eq!(wire.code(Request::get("k").key("x")), 19);
    // A replaced record keeps its key.
    assert_eq!(wire.code(Request::put("k", 3).info3(info3::CREATE_OR_REPLACE)), 0);
    assert_eq!(wire.code(Request::get("k").key("x")), 19);
    // The empty string and keys of other types are keys.
    assert_eq!(wire.code(Request::put("e", 1).field(field::KEY, b"\x03")), 0);
    assert_eq!(wire.code(Request::get("e").field(field::KEY, b"\x03")), 0);
    assert_eq!(wire.code(Request::put("o", 1).field(field::KEY, b"\x11z")), 0);
}

#[test]
fn the_time_to_live_of_a_write_sets_the_void_time() {
    let cluster = with(NamespaceOptions { default_ttl: 500, ..NamespaceOptions::default() });
    let mut wire = Wire::to(&cluster, 0);
    let mut void = |request: Request| wire.ask(request).header.ttl;
    let default = void(Request::put("k", 1));
    assert!(default > 0);
    let long = void(Request::put("k", 1).ttl(10_000));
    assert!((9_500..=9_510).contains(&(long - default)));
    assert_eq!(void(Request::put("k", 1).ttl(u32::MAX - 1)), long);
    assert_eq!(void(Request::touch("k").ttl(u32::MAX)), 0);
    assert_eq!(void(Request::put("k", 1).ttl(u32::MAX - 1)), 0, "never stays never");
    let again = void(Request::put("k", 1));
    assert!((0..=10).contains(&(again - default)));
    let created = void(Request::put("new", 1).ttl(u32::MAX - 1));
    assert!((0..=10).contains(&(created - default)), "on a new record it is the default");
    assert!(void(Request::put("k", 1).ttl(TTL_SECONDS)) > 0);
    drop(cluster);
    let cluster = with(NamespaceOptions { nsup_period: 0, ..NamespaceOptions::default() });
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k", 1).ttl(1)), 22);
    assert_eq!(wire.code(Request::put("k", 1).ttl(u32::MAX)), 0);
}

#[test]
fn a_record_beyond_the_size_limit_is_rejected() {
    let cluster = with(NamespaceOptions { max_record_size: 2000, ..NamespaceOptions::default() });
    let mut wire = Wire::to(&cluster, 0);
    let blob = |len| Request::write("k").op(op::WRITE, "b", particle::BLOB, &vec![7; len]);
    assert_eq!(wire.code(blob(1900)), 0);
    assert_eq!(wire.ask(blob(2000)).head(), (13, 1, 0));
    assert_eq!(wire.ask(Request::get("k")).bins[0].value.len(), 1900);
    let grow = Request::write("k").op(op::APPEND, "b", particle::BLOB, &[8; 100]);
    assert_eq!(wire.code(grow), 13);
    drop(cluster);

    // As servers count: 35 bytes, the set, one bin, and 4 bytes that mark the end.
    let cluster = with(NamespaceOptions::default());
    let mut wire = Wire::to(&cluster, 0);
    let room = 1_048_576 - (35 + 5 + 1 + 2 + 5 + 4);
    assert_eq!((wire.code(blob(room)), wire.code(blob(room + 1))), (0, 13));
    drop(cluster);

    let cluster = cluster_with_room();
    let mut wire = Wire::to(&cluster, 0);
    let bins = |from: usize, to: usize| {
        (from..to).fold(Request::write("many"), |w, at| w.int(op::WRITE, &format!("b{at}"), 1))
    };
    assert_eq!(wire.code(bins(0, 20_000)), 0);
    assert_eq!(wire.code(bins(20_000, 32_768)), 4);
    assert_eq!(wire.code(bins(20_000, 32_767)), 0);
    assert_eq!(wire.ask(Request::get("many")).header.ops, 32_767);
    assert_eq!(wire.code(bins(32_767, 32_768)), 4);
    let in_set = |at: usize| {
        Request::new(&format!("s{at}"), &at.to_string()).info2(info2::WRITE).int(2, "a", 1)
    };
    for at in 0..4094 {
        assert_eq!(wire.code(in_set(at)), 0);
    }
    assert_eq!(wire.code(in_set(5000)), 4, "one set more than a namespace can have");
    assert_eq!(wire.code(in_set(7)), 0);
}

fn cluster_with_room() -> spikewire_aerospike_server::Cluster {
    with(NamespaceOptions { max_record_size: 8 << 20, ..NamespaceOptions::default() })
}
