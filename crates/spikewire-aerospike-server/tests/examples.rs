//! The worked examples of the protocol notes: bytes a live server was sent, bytes it answered.

mod wire;

use wire::{Request, Wire, cluster, hex};

const GET_A: &str = "02030000 0000004a 16010000 00000000 00000000 0000 000003e8 0003 0001
    00000005 00 74657374 00000005 01 64656d6f
    00000015 04 b747f5854d0b33259928d0cfab7fad81d6abfbf6 00000005 01000001 61";
const PUT_TWO: &str = "02030000 0000005d 16000100 00000000 00000000 0000 000003e8 0003 0002
    00000005 00 74657374 00000005 01 64656d6f
    00000015 04 b747f5854d0b33259928d0cfab7fad81d6abfbf6
    0000000d 02010001 61 0000000000000007 00000007 02030001 62 6869";
const WRITTEN: &str = "02030000 00000016 16000000 00000000 00010000 00000000 00000000 0000";
const NOT_FOUND: &str = "02030000 00000016 16000000 00020000 00000000 00000000 00000000 0000";

#[test]
fn get_put_and_operate_match_the_examples() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    wire.exchange(GET_A, NOT_FOUND);
    wire.exchange(PUT_TWO, WRITTEN);
    wire.exchange(
        GET_A,
        "02030000 00000027 16000000 00000000 00010000 00000000 00000000 0001
         0000000d 01010001 61 0000000000000007",
    );
    let add_then_read = "02030000 0000005b 16018100 00000000 00000000 0000 000003e8 0003 0002
        00000005 00 74657374 00000005 01 64656d6f
        00000015 04 b747f5854d0b33259928d0cfab7fad81d6abfbf6
        0000000d 05010001 61 0000000000000001 00000005 01000001 61";
    wire.exchange(
        add_then_read,
        "02030000 00000030 16000000 00000000 00020000 00000000 00000000 0002
         00000005 05000001 61 0000000d 01010001 61 0000000000000008",
    );
}

/// Example 4 but for its void time: a reply to get-all.
#[test]
fn get_all_matches_example_4() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    wire.exchange(PUT_TWO, WRITTEN);
    wire.send(&Request::get("k1").bytes());
    wire.exchange(
        "",
        "02030000 00000032 16000000 00000000 00010000 00000000 00000000 0002
         0000000d 01010001 61 0000000000000007 00000007 01030001 62 6869",
    );
}

#[test]
fn an_info_request_is_answered_as_in_the_notes() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let node = cluster.node_name(0).unwrap();
    wire.send(&hex("02 01 00 00 00 00 00 0b 6e 6f 64 65 0a 62 75 69 6c 64 0a"));
    let (_, body) = wire.frame().unwrap();
    assert_eq!(String::from_utf8(body).unwrap(), format!("node\t{node}\nbuild\t8.1.2.0\n"));
}

#[test]
fn login_is_not_supported() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let rejection = "02020000 00000010 00330000 00000000 00000000 00000000";
    wire.exchange(
        "02020000 0000005b 00001402 00000000 00000000 00000000 00000006 00 61646d696e
         0000003d 03 24326124 31302437 45714a74 71393868 50714558 37664e5a 6146576f
         4f316d56 4f2f344d 4c704767 7a736f6a 7a364539 47656636 6958446a 58644461",
        rejection,
    );
    wire.exchange("02020000 00000000", rejection);
    wire.exchange(GET_A, NOT_FOUND);
}
