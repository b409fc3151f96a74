//! Tokens and routing keys computed by a server for the same keys.

use spikewire_cql::token::{is_murmur3, put_partition_key, shard_of, token};

#[test]
fn tokens_of_bytes_match_the_server() {
    let run = |from: u8, to: u8| (from..=to).collect::<Vec<u8>>();
    let vectors: [(Vec<u8>, i64); 16] = [
        (vec![0], 5_048_724_184_180_415_669),
        (b"a".to_vec(), -8_839_064_797_231_613_815),
        (vec![0x80], -5_284_281_814_142_962_636),
        (vec![0xff], -4_442_228_696_663_692_417),
        (b"abc".to_vec(), -5_434_086_359_492_102_041),
        (b"1234567".to_vec(), 3_232_113_351_312_417_698),
        (b"12345678".to_vec(), 4_272_337_174_398_058_908),
        (b"123456789".to_vec(), 4_360_720_697_772_133_540),
        (run(0x00, 0x0f), 4_920_504_430_128_807_728),
        (run(0x78, 0x87), -7_401_734_793_636_492_071),
        (run(0xf1, 0xff), 8_349_053_656_087_373_769),
        (vec![0xff; 15], -2_195_530_867_418_009_455),
        (vec![0xff; 16], -2_824_192_546_314_762_522),
        (vec![0xff; 17], -4_128_212_798_341_382_003),
        (vec![0x80; 33], 8_320_964_553_149_094_587),
        (run(0x00, 0xff), 2_060_892_794_568_774_329),
    ];
    for (key, expected) in vectors {
        assert_eq!(token(&key), expected, "{key:02x?}");
    }
}

#[test]
fn tokens_of_values_match_the_server() {
    let ints = [
        (0, -3_485_513_579_396_041_028),
        (1, -4_069_959_284_402_364_209),
        (-1, 7_297_452_126_230_313_552),
        (42, -7_160_136_740_246_525_330),
        (i32::MAX, -765_994_672_030_311_617),
    ];
    for (key, expected) in ints {
        assert_eq!(token(&i32::to_be_bytes(key)), expected, "{key}");
    }
    let texts = [
        ("cassandra", 356_242_581_507_269_238),
        ("héllo", 4_427_587_122_518_744_475),
        ("日本語", 2_587_241_856_907_040_145),
    ];
    for (key, expected) in texts {
        assert_eq!(token(key.as_bytes()), expected, "{key}");
    }
    let uuid = 0x123e_4567_e89b_12d3_a456_4266_1417_4000_u128.to_be_bytes();
    assert_eq!(token(&uuid), -44_119_901_388_393_997);
    assert_eq!(token(&[]), i64::MIN);
}

#[test]
fn several_columns_form_one_routing_key() {
    let vectors: [(i32, &str, &[u8], i64); 3] = [
        (1, "x", &[0xff], 5_724_355_951_675_392_157),
        (-7, "", &[], 4_704_673_392_716_534_604),
        (42, "müller", &[0; 20], -6_077_421_546_591_258_237),
    ];
    for (a, b, c, expected) in vectors {
        let mut key = Vec::new();
        put_partition_key([&a.to_be_bytes()[..], b.as_bytes(), c], &mut key).unwrap();
        assert_eq!(token(&key), expected, "{a} {b} {c:02x?}");
    }
    let mut key = b"before".to_vec();
    put_partition_key([&1_i32.to_be_bytes()[..], b"x", &[0xff]], &mut key).unwrap();
    assert_eq!(key, b"before\x00\x04\x00\x00\x00\x01\x00\x00\x01x\x00\x00\x01\xff\x00");
}

#[test]
fn one_column_is_the_key() {
    let mut key = Vec::new();
    put_partition_key([&b"alone"[..]], &mut key).unwrap();
    assert_eq!(key, b"alone");
}

#[test]
fn keys_that_are_too_long_are_rejected() {
    let mut key = b"before".to_vec();
    let longest = vec![0; 65_535];
    put_partition_key([&longest[..]], &mut key).unwrap();
    key.truncate(6);
    assert_eq!(put_partition_key([&vec![0; 65_536][..]], &mut key).unwrap_err().len, 65_536);
    let half = vec![0; 40_000];
    assert_eq!(put_partition_key([&half[..], &half[..]], &mut key).unwrap_err().len, 80_006);
    assert!(put_partition_key([&vec![0; 65_536][..], b""], &mut key).is_err());
    assert_eq!(key, b"before");
}

#[test]
fn tokens_map_to_shards() {
    // The shards divide the ring into equal parts.
    let quarter = 1_i64 << 62;
    let tokens = [i64::MIN, -quarter - 1, -quarter, -1, 0, quarter - 1, quarter, i64::MAX];
    assert_eq!(tokens.map(|token| shard_of(token, 4, 0)), [0, 0, 1, 1, 2, 2, 3, 3]);
    // Without the two most significant bits, each quarter is divided among all shards.
    assert_eq!(tokens.map(|token| shard_of(token, 4, 2)), [0, 3, 0, 3, 0, 3, 0, 3]);
    assert_eq!(tokens.map(|token| shard_of(token, 1, 12)), [0; 8]);
    assert_eq!(tokens.map(|token| shard_of(token, 0, 200)), [0; 8]);
}

#[test]
fn only_murmur3_is_recognized() {
    assert!(is_murmur3("org.apache.cassandra.dht.Murmur3Partitioner"));
    assert!(!is_murmur3("org.apache.cassandra.dht.RandomPartitioner"));
}
