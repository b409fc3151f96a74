//! A row has the same effect as a single-record command.

use spikewire_aerospike_protocol::batch::row_flag;
use spikewire_aerospike_protocol::message::{field, info1, info2, info3, op};
use spikewire_aerospike_server::{Cluster, NamespaceOptions, Options};

use crate::rows::{ALL, Batch, Row};
use crate::wire::{Request, ResultBin, Wire, cluster, partition};

/// Examples 10 to 12 of the protocol notes: bytes a live server was sent, bytes it answered.
#[test]
fn batches_match_the_examples_of_the_protocol_notes() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k1", 7)), 0);
    wire.exchange(
        "02030000 0000006f 16080000 00000000 00000000 0000 000003e8 0001 0000
         00000055 29 00000002 0d 00000000 b747f5854d0b33259928d0cfab7fad81d6abfbf6
         0a030000 00000000 00020000 00000005 00 74657374 00000005 01 64656d6f
         00000001 a933ee0e8f82c106697150d15e504f08b2b2e01d 01",
        "02030000 0000003d
         16000000 00000000 00010000 00000000 00000000 0001
         0000000d 01010001 61 0000000000000007
         16000000 00020000 00000000 00000000 00010000 0000
         02030000 00000016 16000001 00000000 00000000 00000000 00000000 0000",
    );
}

#[test]
fn a_batch_reads_records_and_reports_missing_ones() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    for (key, value) in [("k0", 0), ("k1", 1), ("k2", 2)] {
        assert_eq!(wire.code(Request::put(key, value).int(op::WRITE, "b", -value)), 0);
    }
    let batch = Batch::each(ALL, &Row::get(), ["k0", "none", "k1", "k2", "k1"]);
    let answers = wire.batch(&batch);
    assert_eq!((answers.code, answers.indexes()), (0, vec![0, 1, 2, 3, 4]));
    assert_eq!(answers.codes(), [0, 2, 0, 0, 0]);
    assert_eq!(answers.rows[3].1.bins, [ResultBin::int(1, "a", 2), ResultBin::int(1, "b", -2)]);
    assert_eq!(answers.rows[4].1, answers.rows[2].1);
    let chosen = Row::read().bin("b").bin("none").bin("b");
    let batch = Batch::new(ALL)
        .row("k1", &chosen)
        .repeat("none")
        .row("k2", &Row::head())
        .repeat("none")
        .row("k2", &Row::read())
        .row("k2", &Row::get().info1(0x90))
        .row("k2", &Row::get().bin("nothing looks"))
        .row("k2", &Row::read().int(op::ADD, "a", 1))
        .row("k2", &Row::read().bin("a").respond().bin("none"));
    let answers = wire.batch(&batch);
    assert_eq!(answers.codes(), [0, 2, 0, 2, 4, 0, 0, 4, 0]);
    assert_eq!(answers.rows[0].1.bins, [ResultBin::int(1, "b", -1), ResultBin::int(1, "b", -1)]);
    assert_eq!((answers.rows[2].1.head(), answers.rows[2].1.bins.len()), ((0, 1, 0), 0));
    assert_eq!(answers.rows[7].1.head(), (4, 1, 0), "a record was found");
    assert_eq!(answers.rows[8].1.bins, [ResultBin::int(1, "a", 2), ResultBin::null(1, "none")]);
}

#[test]
fn legacy_rows_read_bins_or_headers() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k1", 1)), 0);
    let mut legacy = Row::get();
    legacy.flags = 0;
    let mut uncounted = Row::bare().field(field::NAMESPACE, b"test").info1(info1::READ);
    uncounted.header.fields = 0;
    let mut batch = Batch::new(ALL).row("k1", &legacy).repeat("k1").row("k1", &uncounted.bin("a"));
    batch.field = 42;
    batch.header.info1 |= info1::READ;
    let answers = wire.batch(&batch);
    assert_eq!((answers.code, answers.codes()), (0, vec![0, 0, 0]));
    assert!(answers.rows.iter().all(|(_, reply)| reply.bins == [ResultBin::int(1, "a", 1)]));
    // Read modes of the whole request are those of rows that have no flags of their own.
    batch.header.info3 = info3::SC_READ_TYPE;
    assert_eq!(wire.batch(&batch).codes()[..2], [25, 25]);
    let linearized = Row::get().info3(info3::SC_READ_TYPE);
    let batch = Batch::new(ALL).row("k1", &linearized).row("k1", &Row::get()).row("k1", &legacy);
    assert_eq!(wire.batch(&batch).codes(), [25, 0, 0]);
}

#[test]
fn batched_writes_return_generations_and_bins() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let puts = Row::put(1).respond().int(op::WRITE, "b", 2);
    let answers = wire.batch(&Batch::each(ALL, &puts, ["k0", "k1", "k1"]));
    assert_eq!(answers.heads(), [(0, 1, 0), (0, 1, 0), (0, 2, 0)]);
    let nulls = [ResultBin::null(2, "a"), ResultBin::null(2, "b")];
    assert!(answers.rows.iter().all(|(_, reply)| reply.bins == nulls));
    let counted = Row::write().respond().info1(info1::READ);
    let counted = counted.int(op::ADD, "a", 10).bin("a").bin("none").op(op::TOUCH, "", 0, b"");
    let all = Row::write().info1(info1::READ | info1::GET_ALL).int(op::ADD, "a", 1).bin("");
    let batch = Batch::new(ALL)
        .row("k0", &counted)
        .row("k1", &all)
        .row("k1", &Row::get())
        .row("k0", &all.clone().respond())
        .row("k0", &Row::write().respond().op(op::TOUCH, "", 0, b""))
        .row("none", &Row::write().respond().op(op::TOUCH, "", 0, b""))
        .row("none", &counted);
    let answers = wire.batch(&batch);
    assert_eq!((answers.code, answers.codes()), (0, vec![0, 0, 0, 4, 0, 2, 2]));
    let expected =
        [ResultBin::null(5, "a"), ResultBin::int(1, "a", 11), ResultBin::null(1, "none")];
    assert_eq!(answers.rows[0].1.bins, expected);
    assert_eq!(answers.rows[1].1.bins, [ResultBin::int(1, "a", 2), ResultBin::int(1, "b", 2)]);
    assert_eq!(answers.rows[2].1.bins, answers.rows[1].1.bins, "rows see those before them");
    assert_eq!(answers.rows[4].1.head(), (0, 3, 0));
    assert_eq!(answers.rows[4].1.bins, []);
}

#[test]
fn batched_deletes_check_generations_and_missing_records() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k0", 1)), 0);
    let batch = Batch::each(ALL, &Row::delete(), ["k0", "k0"])
        .row("k0", &Row::put(3))
        .row("k0", &Row::delete().generation(2))
        .row("k0", &Row::delete().generation(1))
        .row("k0", &Row::delete().info2(info2::DURABLE_DELETE))
        .row("k0", &Row::head());
    let answers = wire.batch(&batch);
    let expected = [(0, 0, 0), (2, 0, 0), (0, 1, 0), (3, 0, 0), (0, 0, 0), (25, 0, 0), (2, 0, 0)];
    assert_eq!(answers.heads(), expected);
}

#[test]
fn batch_rows_have_their_own_exists_and_generation_policies() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let create = Row::put(1).info2(info2::CREATE_ONLY);
    let update = Row::put(2).info3(info3::UPDATE_ONLY);
    let replace = Row::write().int(op::WRITE, "z", 3).info3(info3::REPLACE_ONLY);
    let batch = Batch::new(ALL)
        .row("k", &update)
        .row("k", &create)
        .repeat("k")
        .row("k", &update)
        .row("k", &replace)
        .row("k", &Row::get())
        .row("k", &Row::put(4).generation(7))
        .row("k", &Row::put(4).generation(3))
        .row("k", &Row::put(5).generation(9).info2(info2::GENERATION_GT))
        .row("k", &Row::put(5).info2(info2::GENERATION_GT));
    let answers = wire.batch(&batch);
    assert_eq!(answers.codes(), [2, 0, 5, 0, 0, 0, 3, 0, 3, 3]);
    assert_eq!(answers.rows[5].1.bins, [ResultBin::int(1, "z", 3)]);
    assert_eq!(answers.rows[6].1.head(), (3, 3, 0));
}

#[test]
fn batch_rows_have_their_own_time_to_live() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let batch = Batch::new(ALL)
        .row("k0", &Row::put(1).ttl(1000))
        .row("k1", &Row::put(1).ttl(2000))
        .repeat("k2")
        .row("k0", &Row::put(1).ttl(u32::MAX - 1))
        .row("k1", &Row::put(1))
        .row("k3", &Row::put(1).ttl(u32::MAX - 2))
        // A read-touch percentage, of which 101 is none.
        .row("k2", &Row::head().ttl(100))
        .row("k2", &Row::head().ttl(101));
    let answers = wire.batch(&batch);
    assert_eq!(answers.codes(), [0, 0, 0, 0, 0, 4, 0, 4]);
    let void = |at: usize| answers.rows[at].1.header.ttl;
    assert_eq!((void(1) - void(0), void(2), void(3), void(4)), (1000, void(1), void(0), 0));
}

#[test]
fn keys_are_stored_and_compared() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let batch = Batch::new(ALL)
        .row("k0", &Row::put(0).key("k0"))
        .row("k1", &Row::put(1).key("k1"))
        .row("k1", &Row::get().key("k1"))
        .row("k1", &Row::get().key("k0"))
        .row("k1", &Row::delete().key("k0"));
    assert_eq!(wire.batch(&batch).codes(), [0, 0, 0, 19, 19]);
    assert_eq!(wire.code(Request::get("k0").key("k0")), 0);
    assert_eq!(wire.code(Request::get("k0").key("other")), 19);
}

#[test]
fn batch_rows_may_differ_in_namespace_and_set() {
    let names = ["test", "more"];
    let namespaces = names.into_iter().map(NamespaceOptions::named).collect();
    let cluster = Cluster::start(Options { namespaces, ..Options::default() }).unwrap();
    let mut wire = Wire::to(&cluster, 0);
    let put = |namespace: &str, set: &str, value: i64| {
        let row = Row::of(namespace, set).flags(row_flag::GENERATION).info2(info2::WRITE);
        row.int(op::WRITE, "a", value)
    };
    let get =
        |namespace: &str, set: &str| Row::of(namespace, set).info1(info1::READ | info1::GET_ALL);
    let no_set = Row::bare().field(field::NAMESPACE, b"more").info1(info1::READ | info1::GET_ALL);
    let batch = Batch::new(ALL)
        .row_in("demo", "k", &put("test", "demo", 1))
        .row_in("demo", "k", &put("more", "demo", 2))
        .row_in("s", "k", &put("more", "s", 3))
        .row_in("", "k", &put("more", "", 4))
        .row_in("demo", "k", &get("test", "demo"))
        .row_in("demo", "k", &get("more", "demo"))
        .row_in("s", "k", &get("more", "s"))
        .row_in("", "k", &get("more", ""))
        .row_in("", "k", &no_set)
        .row_in("s", "k", &get("test", "s"))
        .row_in("s", "k", &get("more", "demo"));
    let answers = wire.batch(&batch);
    assert_eq!(answers.codes(), [0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 4]);
    for (at, value) in [(4, 1), (5, 2), (6, 3), (7, 4), (8, 4)] {
        assert_eq!(answers.rows[at].1.bins, [ResultBin::int(1, "a", value)]);
    }
}

#[test]
fn rejected_rows() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    let udf = Row::write().field(30, b"package").field(31, b"function").field(32, &[0x90]);
    let batch = Batch::new(ALL)
        .row("k", &Row::of("test", "demo"))
        .row("k", &Row::of("test", "demo").info2(info2::DELETE))
        .row("k", &udf)
        .row("k", &Row::get().field(field::TRANSACTION, b"12345678"))
        .row("k", &Row::write())
        .row("k", &Row::write().int(op::WRITE, "sixteen letters.", 1))
        .row("k", &Row::read().bin("sixteen letters."))
        .row("k", &Row::write().int(99, "a", 1))
        .row("k", &Row::get());
    let answers = wire.batch(&batch);
    assert_eq!((answers.code, answers.codes()), (0, vec![4, 4, 100, 25, 4, 21, 21, 4, 0]));
}

/// Rows for partitions of other nodes are answered as single commands for them are.
#[test]
fn any_node_takes_any_row() {
    let cluster = cluster(3);
    let keys: Vec<String> = (0..300).map(|i| format!("k{i}")).collect();
    let keys = || keys.iter().map(String::as_str);
    let answers = Wire::to(&cluster, 0).batch(&Batch::each(ALL, &Row::put(5), keys()));
    assert!(answers.heads().iter().all(|head| *head == (0, 1, 0)));
    assert!(keys().map(partition).any(|pid| pid % 3 == 0));
    for node in 0..3 {
        let answers = Wire::to(&cluster, node).batch(&Batch::each(ALL, &Row::get(), keys()));
        assert!(answers.rows.iter().all(|(_, reply)| reply.bins == [ResultBin::int(1, "a", 5)]));
        assert_eq!(answers.indexes(), (0..300).collect::<Vec<_>>());
    }
    cluster.kill(1).unwrap();
    let answers = Wire::to(&cluster, 2).batch(&Batch::each(ALL, &Row::put(6), keys()));
    assert!(answers.heads().iter().all(|head| *head == (0, 2, 0)));
    cluster.restart(1).unwrap();
    assert!(cluster.wait_settled(std::time::Duration::from_secs(20)));
    let answers = Wire::to(&cluster, 1).batch(&Batch::each(ALL, &Row::head(), keys()));
    assert!(answers.heads().iter().all(|head| *head == (0, 2, 0)));
}
