//! Cursors have the same bytes in Rust and in Python. `tests/cursors.txt` contains some of each,
//! with the records that follow; its counterpart is `tests/behaviour/test_cursors.py`.

mod support;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use spikewire::{Client, IndexRange, IndexType, NewIndex, Query, QueryRecord, Value, op};

use support::{LONG, builder, cluster};

/// Position of the query hash in a cursor.
const FINGERPRINT: std::ops::Range<usize> = 5..13;

/// The queries of the file.
fn query(client: &Client, name: &str) -> Query {
    let query = client.query("test", "cursors");
    match name {
        "scan" => query,
        "bins" => query.filter("$.n >= 5").bins(["n"]),
        "limit" => query.bins(["n", "missing"]).limit(25),
        "digests" => query.include_values(false),
        "index" => query.index(IndexRange::between("n", 5, 35)),
        "operations" => query.operations([op::get("n"), op::read("twice", "$.n * 2")]),
        "parts" => query.partitions(1000..3000),
        other => panic!("unknown query {other}"),
    }
}

#[test]
fn a_cursor_of_either_language_goes_on() {
    let cluster = cluster(1);
    let client = builder().connect(cluster.seeds()).unwrap();
    let data = client.dataset("test", "cursors").unwrap();
    data.put_many((0..40).map(|n| (n, [("n", n)]))).unwrap().check().unwrap();
    let number = |record: &QueryRecord| {
        (0..40_i64).find(|n| data.digest(*n) == record.digest).expect("one of ours")
    };
    let index = NewIndex::new("test", "cursors", "n", IndexType::Numeric);
    let index = client.indexes().create(&index).unwrap();
    client.indexes().wait("test", &index, LONG).unwrap();

    let mut wrong = Vec::new();
    let file = include_str!("../../../tests/cursors.txt");
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        let parts: Vec<&str> = line.split(' ').collect();
        let [name, maker, cursor, rest] = parts[..] else { panic!("{line}") };
        // Some of the records, and then the cursor, as in the file except for the order of reading.
        let mut records = query(&client, name).records().unwrap();
        let seen: Vec<i64> = records.by_ref().take(10).map(|it| number(&it.unwrap())).collect();
        let own = records.cursor();
        let mut left: Vec<i64> = match name {
            "limit" => (0..40).filter(|number| !seen.contains(number)).collect(),
            _ => records.map(|record| number(&record.unwrap())).collect(),
        };
        left.sort_unstable();
        let partitions: Vec<String> = left.iter().map(ToString::to_string).collect();
        let fresh = format!("{name} rust {} {}", STANDARD.encode(&own), partitions.join(","));
        let cursor = STANDARD.decode(cursor).unwrap();
        if cursor.get(FINGERPRINT) != own.get(FINGERPRINT) {
            wrong.push(fresh);
            continue;
        }
        let expected: Vec<i64> = rest.split(',').map(|number| number.parse().unwrap()).collect();
        // A cursor contains the remaining partitions.
        let base = if name == "parts" { "scan" } else { name };
        let resumed = query(&client, base).resume(cursor).records().unwrap();
        let records: Vec<QueryRecord> = resumed.map(Result::unwrap).collect();
        let mut numbers: Vec<i64> = records.iter().map(number).collect();
        numbers.sort_unstable();
        if name == "limit" {
            assert_eq!(numbers.len(), 15, "{name} by {maker}");
            assert!(numbers.iter().all(|number| expected.contains(number)), "{name} by {maker}");
        } else {
            assert_eq!(numbers, expected, "{name} by {maker}");
        }
        if name == "operations" {
            let doubled =
                |record: &QueryRecord| record.get("twice") == Some(&Value::Int(number(record) * 2));
            assert!(records.iter().all(doubled));
        }
    }
    assert!(wrong.is_empty(), "the file should have:\n{}", wrong.join("\n"));
}
