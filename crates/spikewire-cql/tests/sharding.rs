//! What a Scylla server reports about its shards, and which of them has a token. The shards of
//! tokens are those computed by `scylla-driver` 3.29 (`cassandra.shard_info.ShardingInfo`).

use spikewire_cql::response::Supported;
use spikewire_cql::sharding::{MOST_SHARDS, Sharding};

const HERE: Sharding =
    Sharding { shard: 3, shards: 12, ignored_bits: 12, port: Some(19_042), tls_port: Some(19_142) };

/// The result for this server's options after one of them is changed or removed.
fn read(changed: &str, value: Option<&str>) -> Option<Sharding> {
    let options = HERE.options();
    let options = options.iter().filter_map(|(key, values)| {
        let values = if *key == changed { value? } else { values };
        Some((*key, vec![values]))
    });
    Sharding::of(&Supported(options.collect()))
}

#[test]
fn shards_of_tokens_match_scylla() {
    let tokens = [
        i64::MIN,
        i64::MIN + 1,
        -9_219_783_007_514_621_794,
        9_222_582_454_147_032_830,
        -1,
        0,
        1,
        i64::MAX,
        -4_069_959_284_402_364_209,
        356_242_581_507_269_238,
    ];
    let vectors: [(u16, u8, [u16; 10]); 7] = [
        (4, 12, [0, 0, 3, 3, 3, 0, 0, 3, 1, 0]),
        (12, 12, [0, 0, 9, 9, 11, 0, 0, 11, 3, 1]),
        (7, 0, [0, 0, 0, 6, 3, 3, 3, 6, 1, 3]),
        (256, 12, [0, 0, 204, 211, 255, 0, 0, 255, 73, 26]),
        (1, 12, [0; 10]),
        (3, 63, [0, 1, 0, 0, 1, 0, 1, 1, 1, 0]),
        (4096, 5, [0, 0, 25, 4090, 4095, 0, 0, 4095, 3849, 2531]),
    ];
    for (shards, ignored_bits, expected) in vectors {
        let sharding = Sharding { shards, ignored_bits, ..HERE };
        assert_eq!(tokens.map(|token| sharding.shard_of(token)), expected, "{sharding:?}");
    }
}

#[test]
fn sharding_options_of_a_server_parse() {
    assert_eq!(read("", None), Some(HERE));
    let values = HERE.options();
    let of = |key: &str| values.iter().find(|(name, _)| *name == key).unwrap().1.as_str();
    assert_eq!(
        [of("SCYLLA_SHARD"), of("SCYLLA_NR_SHARDS"), of("SCYLLA_SHARDING_IGNORE_MSB")],
        ["3", "12", "12"]
    );
    assert_eq!(of("SCYLLA_SHARDING_ALGORITHM"), "biased-token-round-robin");
    assert_eq!(of("SCYLLA_SHARD_AWARE_PORT"), "19042");
    assert_eq!(Sharding::of(&Supported::default()), None, "Cassandra");
}

#[test]
fn invalid_options_are_ignored() {
    for (key, value) in [
        ("SCYLLA_SHARD", "12"),
        ("SCYLLA_SHARD", "-1"),
        ("SCYLLA_SHARD", "three"),
        ("SCYLLA_SHARD", ""),
        ("SCYLLA_NR_SHARDS", "0"),
        ("SCYLLA_NR_SHARDS", "3"),
        ("SCYLLA_NR_SHARDS", "70000"),
        ("SCYLLA_NR_SHARDS", "4097"),
        ("SCYLLA_NR_SHARDS", "99999999999999999999999999"),
        ("SCYLLA_NR_SHARDS", "12.0"),
        ("SCYLLA_SHARDING_IGNORE_MSB", "64"),
        ("SCYLLA_SHARDING_IGNORE_MSB", "256"),
        ("SCYLLA_SHARDING_IGNORE_MSB", "-12"),
        ("SCYLLA_SHARDING_IGNORE_MSB", "0xc"),
        ("SCYLLA_SHARDING_ALGORITHM", "another"),
        ("SCYLLA_PARTITIONER", "org.apache.cassandra.dht.RandomPartitioner"),
    ] {
        assert_eq!(read(key, Some(value)), None, "{key} {value}");
        assert_eq!(read(key, None), None, "without {key}");
    }
    let most = MOST_SHARDS.to_string();
    assert_eq!(read("SCYLLA_NR_SHARDS", Some(&most)).map(|read| read.shards), Some(MOST_SHARDS));
    // An option without values, and one with several.
    let none = Supported(vec![("SCYLLA_SHARD", Vec::new())]);
    assert_eq!(Sharding::of(&none), None);
}

#[test]
fn an_invalid_shard_port_keeps_the_sharding() {
    for value in [None, Some("0"), Some("65536"), Some("-1"), Some("cql"), Some("")] {
        let read = read("SCYLLA_SHARD_AWARE_PORT", value);
        assert_eq!(read, Some(Sharding { port: None, ..HERE }), "{value:?}");
    }
}
