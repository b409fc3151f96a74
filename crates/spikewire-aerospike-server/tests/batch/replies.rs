//! Blocks, ends, and what stops a batch.

use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::batch::flag;
use spikewire_aerospike_protocol::message::{field, info1, op};
use spikewire_aerospike_protocol::value::particle;

use crate::rows::{ALL, Answers, Batch, Row};
use crate::wire::{Request, ResultBin, Wire, cluster, hex};

const BLOCK: usize = 131_032;
/// An answer with one bin named by one letter, without the value.
const ANSWER: usize = 22 + 9;

fn blob(len: usize) -> Row {
    Row::write().op(op::WRITE, "a", particle::BLOB, &vec![7; len])
}

/// Writes a blob of this length to each key, and reads all of them.
fn read_blobs(lens: &[usize]) -> Answers {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let keys: Vec<String> = (0..lens.len()).map(|i| format!("k{i}")).collect();
    for (key, len) in keys.iter().zip(lens) {
        assert_eq!(wire.batch(&Batch::new(ALL).row(key, &blob(*len))).codes(), [0]);
    }
    let answers = wire.batch(&Batch::each(ALL, &Row::get(), keys.iter().map(String::as_str)));
    assert_eq!(answers.code, 0);
    let actual: Vec<usize> = answers.rows.iter().map(|(_, row)| row.bins[0].value.len()).collect();
    assert_eq!(actual, lens);
    answers
}

#[test]
fn blocks_are_filled_to_the_last_byte() {
    let half = BLOCK / 2 - ANSWER;
    assert_eq!(read_blobs(&[half, half]).blocks, [BLOCK]);
    assert_eq!(read_blobs(&[half, half + 1]).blocks, [BLOCK / 2, BLOCK / 2 + 1]);
    let blocks = read_blobs(&[1, 1000, half, half, 1]).blocks;
    assert_eq!(blocks, [2 * ANSWER + 1001 + BLOCK / 2, BLOCK / 2 + ANSWER + 1]);
}

#[test]
fn an_answer_above_a_block_has_its_own() {
    let more = BLOCK - ANSWER + 1;
    assert_eq!(read_blobs(&[more]).blocks, [BLOCK + 1]);
    let blocks = read_blobs(&[1, more, 1, 1, 1_000_000, 500_000, 2]).blocks;
    let small = ANSWER + 1;
    let large = [1_000_000 + ANSWER, 500_000 + ANSWER];
    assert_eq!(blocks, [small, BLOCK + 1, 2 * small, large[0], large[1], ANSWER + 2]);
}

#[test]
fn malformed_batch_headers_are_rejected_as_a_whole() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let mut empty = Batch::new(ALL).row("k", &Row::put(1));
    empty.extra = -1;
    let mut other = Batch::new(ALL).row("k", &Row::put(1));
    other.field = field::TASK_ID;
    for batch in [Batch::new(ALL), empty, other] {
        let answers = wire.batch(&batch);
        assert_eq!((answers.code, answers.rows.len()), (4, 0));
    }
    let short = Request::bare().info1(info1::BATCH).field(field::BATCH, &[0, 0, 0, 1]);
    wire.send(&short.bytes());
    assert_eq!(wire.answers().code, 4);
    wire.send(&Request::bare().info1(info1::BATCH).bytes());
    assert_eq!(wire.answers().code, 4);
    // Also where the fields cannot be read: its client waits for the last message.
    let mut broken = Request::bare().info1(info1::BATCH);
    broken.header.fields = 1;
    wire.send(&broken.bytes());
    assert_eq!(wire.answers().code, 4);
    // A filter of all rows that cannot be read is looked at before the rows.
    let filtered = Batch::new(ALL).parent(field::FILTER, &[0xc1]).row("k", &Row::put(1));
    let answers = wire.batch(&filtered);
    assert_eq!((answers.code, answers.rows.len()), (4, 0));
    assert_eq!(wire.code(Request::get("k")), 2);
}

#[test]
fn bytes_after_the_fields_are_ignored() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let mut batch = Batch::each(ALL, &Row::put(1), ["k"]);
    batch.header.ops = 3;
    let mut bytes = batch.bytes();
    bytes.extend_from_slice(b"whatever");
    let len = (bytes.len() - 8) as u32;
    bytes[4..8].copy_from_slice(&len.to_be_bytes());
    wire.send(&bytes);
    assert_eq!(wire.answers().codes(), [0]);
}

/// Rows before the fault have happened; the answers that were not in a whole block are lost.
#[test]
fn a_malformed_row_ends_the_batch_after_the_rows_before_it() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let unknown = Row::of("nowhere", "demo").info1(info1::READ);
    let late = Row::bare().field(field::SET, b"demo").field(field::NAMESPACE, b"test");
    let none = Row::bare().field(field::SET, b"demo").info1(info1::READ);
    let mut short = Batch::new(ALL).row("k", &Row::put(1));
    short.extra = 1;
    let begin = || Batch::new(ALL).row("k", &Row::put(1));
    let breaks = [
        begin().row("after", &unknown).row("after", &Row::put(1)),
        begin().row("after", &late.info1(info1::READ)).row("after", &Row::put(1)),
        begin().row("after", &none).row("after", &Row::put(1)),
        begin().row("k", &Row::get().key("k")).repeat("k").row("after", &Row::put(1)),
        begin().repeat("k").row("after", &Row::put(1)).cut(1),
        begin().row("after", &Row::put(1)).cut(30),
        short,
    ];
    for (at, batch) in breaks.into_iter().enumerate() {
        let answers = wire.batch(&batch);
        assert_eq!((answers.code, answers.rows.len()), (4, 0), "break {at}");
        assert_eq!(wire.code(Request::delete("k")), 0, "break {at}");
        assert_eq!(wire.code(Request::get("after")), 2, "break {at}");
    }
    let first = Batch::new(ALL).repeat("k").row("after", &Row::put(1));
    assert_eq!((wire.batch(&first).code, wire.code(Request::get("after"))), (4, 2));
    // More rows than are counted do not matter.
    let mut long = begin().row("after", &unknown);
    long.extra = -1;
    let answers = wire.batch(&long);
    assert_eq!((answers.code, answers.codes()), (0, vec![0]));
}

#[test]
fn a_malformed_row_keeps_the_complete_blocks() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let reads = || Batch::each(ALL, &Row::get(), ["k"; 5]);
    assert_eq!(wire.batch(&Batch::new(ALL).row("k", &blob(60_000))).codes(), [0]);
    assert_eq!(wire.batch(&reads()).blocks.len(), 3);
    let broken = reads().row("k", &Row::of("nowhere", "demo"));
    let answers = wire.batch(&broken);
    assert_eq!((answers.code, answers.indexes()), (4, vec![0, 1, 2, 3]));
}

#[test]
fn without_respond_all_every_row_is_run_and_the_first_error_reported() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let rows = |flags: u8| {
        let fails = Row::write().int(op::WRITE, "sixteen letters.", 1);
        let create = Row::put(1).info2(spikewire_aerospike_protocol::message::info2::CREATE_ONLY);
        Batch::new(flags)
            .row("none", &Row::get())
            .row("k", &Row::put(1))
            .row("k", &fails)
            .row("k", &create)
            .row("k", &Row::put(2))
    };
    for (flags, code, codes) in [
        (flag::RESPOND_ALL, 0, vec![2, 0, 21, 5, 0]),
        (ALL, 0, vec![2, 0, 21, 5, 0]),
        (flag::REPORT_ERROR, 21, vec![2, 0, 21, 5, 0]),
        (flag::INLINE, 21, vec![]),
    ] {
        let answers = wire.batch(&rows(flags));
        assert_eq!((answers.code, answers.codes()), (code, codes), "flags {flags}");
        let bins = wire.ask(Request::get("k")).bins;
        assert_eq!(bins, [ResultBin::int(1, "a", 2)], "every row is run");
        assert_eq!(wire.code(Request::delete("k")), 0);
    }
    let good = Batch::each(0, &Row::put(1), ["k"]).row("none", &Row::get());
    let answers = wire.batch(&good);
    assert_eq!((answers.code, answers.codes()), (0, vec![0, 2]));
}

#[test]
fn a_cut_reply_ends_with_its_block() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.batch(&Batch::new(ALL).row("k", &blob(60_000))).codes(), [0]);
    let fails = Row::get().key("other");
    assert_eq!(wire.code(Request::touch("k").key("k")), 0);
    // Two reads fill a block; the failing row stands in the second one.
    let rows = |flags: u8| {
        let batch = Batch::each(flags, &Row::get(), ["k"; 3]).row("k", &fails);
        let batch = batch.row("k", &Row::get()).row("k", &Row::get()).row("k", &fails);
        batch.row("last", &Row::put(9))
    };
    let answers = wire.batch(&rows(flag::RESPOND_ALL));
    assert_eq!((answers.code, answers.blocks.len()), (0, 3));
    let answers = wire.batch(&rows(flag::REPORT_ERROR));
    assert_eq!((answers.code, answers.indexes()), (19, vec![0, 1, 2, 3, 4]));
    let answers = wire.batch(&rows(0));
    assert_eq!((answers.code, answers.indexes()), (19, vec![0, 1]));
    assert_eq!(wire.ask(Request::get("last")).head(), (0, 3, 0));
}

/// Requests before and after a batch are answered in their order.
#[test]
fn pipelined_batches_and_requests_are_answered_in_order() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let batch = Batch::each(ALL, &Row::put(1), ["k", "k2"]).bytes();
    let bytes = [Request::put("k", 0).bytes(), batch.clone(), batch, Request::get("k").bytes()];
    wire.send(&bytes.concat());
    assert_eq!(wire.reply().unwrap().head(), (0, 1, 0));
    assert_eq!(wire.answers().heads(), [(0, 2, 0), (0, 1, 0)]);
    assert_eq!(wire.answers().heads(), [(0, 3, 0), (0, 2, 0)]);
    assert_eq!(wire.reply().unwrap().head(), (0, 3, 0));
}

#[test]
fn a_batch_of_ten_thousand_rows_is_answered() {
    let cluster = cluster(3);
    let mut wire = Wire::to(&cluster, 0);
    let keys: Vec<String> = (0..10_000).map(|i| format!("k{i}")).collect();
    let keys = || keys.iter().map(String::as_str);
    let (put, get) =
        (Batch::each(ALL, &Row::put(1), keys()), Batch::each(ALL, &Row::get(), keys()));
    let started = Instant::now();
    assert!(wire.batch(&put).heads().iter().all(|head| *head == (0, 1, 0)));
    let answers = wire.batch(&get);
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    assert_eq!(answers.rows.len(), 10_000);
    let full = BLOCK / (ANSWER + 8) * (ANSWER + 8);
    let (last, others) = answers.blocks.split_last().unwrap();
    assert!(others.iter().all(|len| *len == full) && *last <= full);
}

/// A batch that takes long does not keep other connections waiting for all of it.
#[test]
fn others_are_served_between_batches() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let mut other = Wire::to(&cluster, 0);
    let bytes = Batch::each(ALL, &Row::put(1), std::iter::repeat_n("k", 2000)).bytes();
    let count = 300;
    let sender = std::thread::spawn(move || {
        let mut writer = Wire(wire.0.try_clone().unwrap());
        let sending = std::thread::spawn(move || (0..count).for_each(|_| writer.send(&bytes)));
        let generations: Vec<u32> =
            (0..count).map(|_| wire.answers().rows.last().unwrap().1.header.generation).collect();
        sending.join().unwrap();
        generations
    });
    let mut seen = Vec::new();
    while !sender.is_finished() {
        seen.push(other.ask(Request::head("k")).header.generation);
    }
    assert_eq!(sender.join().unwrap().len(), count);
    seen.dedup();
    assert!(seen.len() > 3, "{seen:?}");
}

/// A client that asks for much and reads nothing holds up its own batch, at a bound, and no
/// other client. Once it reads, everything comes.
#[test]
fn a_client_that_does_not_read_holds_up_only_its_own_batch() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let mut other = Wire::to(&cluster, 0);
    assert_eq!(wire.batch(&Batch::new(ALL).row("k", &blob(100_000))).codes(), [0]);
    let count = 2000;
    wire.send(&Batch::each(ALL, &Row::get(), std::iter::repeat_n("k", count)).bytes());
    let reads = || cluster.stats(0).unwrap().counters.reads;
    // Rows are run for as long as the sockets take their answers, and no longer.
    let mut seen = 0;
    loop {
        for _ in 0..100 {
            assert_eq!(other.code(Request::head("missing")), 2);
        }
        let now = reads();
        if now - seen == 100 && now > 100 {
            break;
        }
        seen = now;
    }
    assert!(reads() < count as u64, "{} rows of 100 kB were answered and not read", reads());
    assert_eq!(wire.answers().rows.len(), count);
    assert_eq!(wire.code(Request::head("k")), 0);
}

#[test]
fn rows_with_paths_answer_with_the_code_of_a_read() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let list = Row::write().op(op::WRITE, "l", particle::LIST, &[0x93, 1, 2, 3]);
    assert_eq!(wire.batch(&Batch::new(ALL).row("k", &list)).codes(), [0]);
    let all = hex("93ccfe 92 04c3 01");
    let more = hex("94ccfe 92 04c3 04 9314937a020101");
    let read = Row::read().op(op::CDT_READ, "l", particle::BLOB, &all);
    let write = Row::write().respond().op(op::CDT_MODIFY, "l", particle::BLOB, &more);
    let answers = wire.batch(&Batch::new(ALL).row("k", &write).row("k", &read));
    let bins: Vec<_> = answers.rows.iter().flat_map(|(_, row)| row.bins.clone()).collect();
    let value = ResultBin {
        code: op::READ,
        name: "l".to_owned(),
        particle: particle::LIST,
        value: vec![0x93, 2, 3, 4],
    };
    assert_eq!(bins, [ResultBin::null(op::READ, "l"), value]);
}
