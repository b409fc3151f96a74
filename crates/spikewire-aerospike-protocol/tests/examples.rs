//! Byte-for-byte examples: requests accepted and replies sent by a live Community Edition 8.1.2.
//! Namespace `test`, set `demo`, keys `k1` and `k2`, timeout 1000 ms.

use spikewire_aerospike_protocol::auth;
use spikewire_aerospike_protocol::frame::{self, Frame, Kind};
use spikewire_aerospike_protocol::info;
use spikewire_aerospike_protocol::key::{UserKey, digest};
use spikewire_aerospike_protocol::limits::EPOCH_2010;
use spikewire_aerospike_protocol::message::{
    self, Header, Message, field, info1, info2, info3, op,
};
use spikewire_aerospike_protocol::msgpack::{Reader, Token};
use spikewire_aerospike_protocol::request::{self, Request};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::{Value, particle};
use spikewire_aerospike_protocol::void_time;

/// Parses a hex dump; other characters are separators.
fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|sign| sign.to_digit(16)).collect();
    digits.chunks_exact(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
}

/// The only frame in `bytes`.
fn whole(bytes: &[u8], kind: Kind) -> &[u8] {
    let (Frame { kind: frame_kind, body }, used) = frame::split(bytes).unwrap().unwrap();
    assert_eq!((frame_kind, used), (kind, bytes.len()));
    body
}

/// The messages of a reply frame.
fn messages(bytes: &[u8]) -> Vec<Message<'_>> {
    let mut rest = whole(bytes, Kind::Message);
    let mut messages = Vec::new();
    while !rest.is_empty() {
        let (message, used) = Message::parse(rest).unwrap();
        messages.push(message);
        rest = &rest[used..];
    }
    messages
}

/// A message's operations as code, bin name and value.
fn bins<'a>(message: &Message<'a>) -> Vec<Bin<'a>> {
    let name = |bytes| std::str::from_utf8(bytes).unwrap();
    message
        .ops()
        .map(|op| (op.code, name(op.name), Value::decode(op.particle, op.value).unwrap()))
        .collect()
}

/// An operation of a reply: code, bin name, value.
type Bin<'a> = (u8, &'a str, Value);

/// Writes a reply frame the way a server does.
fn reply(entries: &[(Header, &[Bin<'_>])]) -> Vec<u8> {
    let mut out = Vec::new();
    let start = frame::begin(&mut out, Kind::Message);
    for (header, ops) in entries {
        out.extend_from_slice(&Header { ops: ops.len() as u16, ..*header }.to_bytes());
        for (code, name, value) in *ops {
            let at = message::begin_op(&mut out, *code, name.as_bytes());
            let particle = value.encode(&mut out);
            message::finish_op(&mut out, at, particle);
        }
    }
    frame::finish(&mut out, start);
    out
}

/// Writes a request for key `k1` the way a client does.
fn for_k1(header: Header, ops: &[(u8, &str, Option<Value>)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut request = Request::begin(&mut out, &Header { timeout: 1000, ..header });
    request.encoded_fields(2, &request::address("test", "demo"));
    request.digest(&digest("demo", &UserKey::Str("k1")));
    for (code, name, value) in ops {
        match value {
            None => request.op(*code, name.as_bytes()),
            Some(value) => {
                request
                    .op_with(*code, name.as_bytes(), |out| Ok::<_, ()>(value.encode(out)))
                    .unwrap();
            }
        }
    }
    request.finish().unwrap();
    out
}

const FIELDS: &str = "00000005 00 74657374  00000005 01 64656d6f
    00000015 04 b747f5854d0b33259928d0cfab7fad81d6abfbf6";

/// Checks a request in both directions.
fn check_request(header: Header, ops: &[(u8, &str, Option<Value>)], expected: &[u8]) {
    assert_eq!(for_k1(header, ops), expected);
    let parsed = &messages(expected)[0];
    assert_eq!(parsed.header, Header { timeout: 1000, fields: 3, ops: ops.len() as u16, ..header });
    assert_eq!(parsed.field(field::NAMESPACE), Some(&b"test"[..]));
    assert_eq!(parsed.field(field::SET), Some(&b"demo"[..]));
    assert_eq!(parsed.field(field::DIGEST).unwrap(), digest("demo", &UserKey::Str("k1")).0);
    assert_eq!(parsed.field(field::KEY), None);
    let ops: Vec<_> = ops
        .iter()
        .map(|(code, name, value)| (*code, *name, value.clone().unwrap_or(Value::Nil)))
        .collect();
    assert_eq!(bins(parsed), ops);
}

#[test]
fn example_1_info_request() {
    let expected = hex("02010000 0000000b 6e6f64650a6275696c640a");
    let mut out = Vec::new();
    info::request(&mut out, &["node", "build"]);
    assert_eq!(out, expected);
    let lines: Vec<_> = info::commands(whole(&expected, Kind::Info)).map(|c| c.line).collect();
    assert_eq!(lines, ["node", "build"]);
}

#[test]
fn example_2_info_reply() {
    let expected = hex("02010000 00000023 6e6f6465094242393032303031314143343230320a
        6275696c6409382e312e322e300a");
    let mut out = Vec::new();
    let start = frame::begin(&mut out, Kind::Info);
    info::answer(&mut out, "node", "BB9020011AC4202");
    info::answer(&mut out, "build", "8.1.2.0");
    frame::finish(&mut out, start);
    assert_eq!(out, expected);
    let body = std::str::from_utf8(whole(&expected, Kind::Info)).unwrap();
    assert_eq!(info::value(body, "node"), Ok("BB9020011AC4202"));
    assert_eq!(info::value(body, "build"), Ok("8.1.2.0"));
}

#[test]
fn example_3_get_one_bin() {
    let expected = hex(&format!(
        "02030000 0000004a 16010000 00000000 00000000 0000 000003e8 0003 0001
         {FIELDS} 00000005 01000001 61"
    ));
    let header = Header { info1: info1::READ, ..Header::default() };
    check_request(header, &[(op::READ, "a", None)], &expected);
}

#[test]
fn example_4_reply_to_get_all() {
    let expected = hex("02030000 00000032 16000000 00000000 00011e13 b5a0 00000000 0000 0002
        0000000d 01010001 61 0000000000000007 00000007 01030001 62 6869");
    let header = Header { generation: 1, ttl: 0x1E13_B5A0, ..Header::default() };
    let ops = [(op::READ, "a", Value::Int(7)), (op::READ, "b", Value::from("hi"))];
    assert_eq!(reply(&[(header, &ops)]), expected);
    let parsed = &messages(&expected)[0];
    assert_eq!(parsed.header, Header { ops: 2, ..header });
    assert_eq!(bins(parsed), ops);
    let now = EPOCH_2010 + 0x1E13_B5A0 - 3600;
    assert_eq!(void_time::seconds_left(parsed.header.ttl, now), Some(3600));
}

#[test]
fn example_5_put_two_bins() {
    let expected = hex(&format!(
        "02030000 0000005d 16000100 00000000 00000000 0000 000003e8 0003 0002
         {FIELDS} 0000000d 02010001 61 0000000000000007 00000007 02030001 62 6869"
    ));
    let ops = [(op::WRITE, "a", Some(Value::Int(7))), (op::WRITE, "b", Some(Value::from("hi")))];
    check_request(Header { info2: info2::WRITE, ..Header::default() }, &ops, &expected);
}

#[test]
fn example_6_write_reply() {
    let expected = hex("02030000 00000016 16000000 00000000 00010000 0000 00000000 0000 0000");
    let header = Header { generation: 1, ..Header::default() };
    assert_eq!(reply(&[(header, &[])]), expected);
    assert_eq!(messages(&expected)[0].header, header);
    assert_eq!(void_time::seconds_left(header.ttl, EPOCH_2010), None);
}

#[test]
fn example_7_not_found() {
    let expected = hex("02030000 00000016 16000000 00020000 00000000 0000 00000000 0000 0000");
    let header = Header { result: ResultCode::NOT_FOUND.0, ..Header::default() };
    assert_eq!(reply(&[(header, &[])]), expected);
    assert_eq!(messages(&expected)[0].header, header);
}

#[test]
fn example_8_operate_add_and_read() {
    let expected = hex(&format!(
        "02030000 0000005b 16018100 00000000 00000000 0000 000003e8 0003 0002
         {FIELDS} 0000000d 05010001 61 0000000000000001 00000005 01000001 61"
    ));
    let header = Header {
        info1: info1::READ,
        info2: info2::WRITE | info2::RESPOND_ALL_OPS,
        ..Header::default()
    };
    check_request(header, &[(op::ADD, "a", Some(Value::Int(1))), (op::READ, "a", None)], &expected);
}

#[test]
fn example_9_reply_to_the_operate() {
    let expected = hex("02030000 00000030 16000000 00000000 00020000 0000 00000000 0000 0002
        00000005 05000001 61 0000000d 01010001 61 0000000000000008");
    let header = Header { generation: 2, ..Header::default() };
    let ops = [(op::ADD, "a", Value::Nil), (op::READ, "a", Value::Int(8))];
    assert_eq!(reply(&[(header, &ops)]), expected);
    assert_eq!(bins(&messages(&expected)[0]), ops);
}

/// Only the frame of the batch; its rows are tested elsewhere.
#[test]
fn example_10_batch_parent() {
    let rows = hex("00000002 0d 00000000 b747f5854d0b33259928d0cfab7fad81d6abfbf6
        0a03000000000000 0002 0000 00000005 00 74657374 00000005 01 64656d6f
        00000001 a933ee0e8f82c106697150d15e504f08b2b2e01d 01");
    let mut expected =
        hex("02030000 0000006f 16080000 00000000 00000000 0000 000003e8 0001 0000 00000055 29");
    expected.extend_from_slice(&rows);
    let header = Header { info1: info1::BATCH, timeout: 1000, ..Header::default() };
    let mut out = Vec::new();
    let mut request = Request::begin(&mut out, &header);
    request.field(field::BATCH, &rows);
    request.finish().unwrap();
    assert_eq!(out, expected);
    assert_eq!(messages(&expected)[0].field(field::BATCH), Some(&rows[..]));
}

#[test]
fn example_11_batch_reply() {
    let expected = hex("02030000 0000003d 16000000 00000000 00010000 0000 00000000 0000 0001
        0000000d 01010001 61 0000000000000007
        16000000 00020000 00000000 0000 00000001 0000 0000");
    let existing = Header { generation: 1, ..Header::default() };
    let missing = Header { result: ResultCode::NOT_FOUND.0, timeout: 1, ..Header::default() };
    let ops = [(op::READ, "a", Value::Int(7))];
    assert_eq!(reply(&[(existing, &ops), (missing, &[])]), expected);
    let parsed = messages(&expected);
    assert_eq!((parsed.len(), parsed[0].header.timeout, parsed[1].header), (2, 0, missing));
}

#[test]
fn example_12_batch_end() {
    let expected = hex("02030000 00000016 16000001 00000000 00000000 0000 00000000 0000 0000");
    let header = Header { info3: info3::LAST, ..Header::default() };
    assert_eq!(reply(&[(header, &[])]), expected);
    assert_eq!(messages(&expected)[0].header, header);
}

#[test]
fn examples_13_and_14_login() {
    let login = hex("02020000 0000005b 00001402 00000000 00000000 00000000
        00000006 00 61646d696e 0000003d 03
        2432612431302437 45714a7471393868 50714558 37664e5a61 46576f4f31 6d56
        4f2f344d4c70477a 73716f6a7a364539 47656636 6958446a58 64446 1");
    let credential = "$2a$10$7EqJtq98hPqEX7fNZaFWoO1mVO/4MLpGzsqojz6E9Gef6iXDjXdDa";
    let request = auth::Request::Login {
        user: "admin",
        credential: credential.as_bytes(),
        clear_password: None,
    };
    let mut out = Vec::new();
    request.encode(&mut out);
    assert_eq!(out, login);
    assert_eq!(auth::Request::parse(whole(&login, Kind::Admin)), Ok(request));

    let rejection = hex("02020000 00000010 00330000 00000000 00000000 00000000");
    let reply = auth::Reply::parse(whole(&rejection, Kind::Admin)).unwrap();
    assert_eq!(reply.result, ResultCode::SECURITY_NOT_SUPPORTED);
    assert_eq!(reply.session, None);
}

/// Order flags before the items of a container.
#[test]
fn container_flags() {
    let list = hex("91 c7 00 01");
    let map = hex("81 c7 00 01 c0");
    assert_eq!(Value::decode(particle::LIST, &list), Ok(Value::List(vec![])));
    assert_eq!(Value::decode(particle::MAP, &map), Ok(Value::Map(vec![])));

    let mut reader = Reader::new(&list);
    assert_eq!((reader.next(), reader.flags()), (Ok(Token::Array(1)), Some(1)));
    assert!(reader.is_at_end());
    let mut reader = Reader::new(&map);
    assert_eq!((reader.next(), reader.flags()), (Ok(Token::Map(1)), Some(1)));
    assert_eq!((reader.next(), reader.is_at_end()), (Ok(Token::Nil), true));

    // The flags count as one of the announced items.
    let list = hex("94 c7 00 01 01 02 03");
    let ints = Value::List(vec![1.into(), 2.into(), 3.into()]);
    assert_eq!(Value::decode(particle::LIST, &list), Ok(ints));
    let map = hex("82 c7 00 03 c0 a2 03 6b cb 3ff8000000000000");
    let pairs = Value::Map(vec![("k".into(), 1.5.into())]);
    assert_eq!(Value::decode(particle::MAP, &map), Ok(pairs));
}

/// Wildcard and infinity are items, not flags.
#[test]
fn wildcard_and_infinity_are_extension_items() {
    for (text, token) in [
        ("d4 ff 00", Token::Ext(0xff, &[0])),
        ("d4 ff 01", Token::Ext(0xff, &[1])),
        ("c7 01 ff 00", Token::Ext(0xff, &[0])),
        ("c7 01 ff 01", Token::Ext(0xff, &[1])),
        ("d4 05 2a", Token::Ext(5, &[0x2a])),
    ] {
        let bytes = hex(text);
        let mut reader = Reader::new(&bytes);
        assert_eq!(reader.flags(), None, "{text}");
        assert_eq!((reader.next(), reader.is_at_end()), (Ok(token), true), "{text}");
    }
}

/// Scalars inside containers: strings and blobs share one family, distinguished by their first byte.
#[test]
fn scalars_in_containers_match_the_notes() {
    let list = Value::List(vec![
        Value::Nil,
        false.into(),
        true.into(),
        (-32).into(),
        127.into(),
        "hi".into(),
        vec![0xffu8].into(),
        Value::GeoJson("{}".into()),
        Value::Hll(vec![9]),
    ]);
    let bytes = hex("99 c0 c2 c3 e0 7f a3 03 6869 a2 04 ff a3 17 7b7d a2 12 09");
    let mut out = Vec::new();
    assert_eq!(list.encode(&mut out), particle::LIST);
    assert_eq!(out, bytes);
    assert_eq!(Value::decode(particle::LIST, &bytes), Ok(list));
    // Decoded as by servers: an unsigned integer of 2^63 or more becomes negative, a 32-bit float
    // is accepted, a byte string without a type becomes bytes.
    let odd = hex("94 cf ffffffffffffffff ca 3fc00000 a0 d9 02 03 61");
    let expected = Value::List(vec![(-1).into(), 1.5.into(), Vec::<u8>::new().into(), "a".into()]);
    assert_eq!(Value::decode(particle::LIST, &odd), Ok(expected));
}

/// Shorter integers are zero-extended; a `GeoJSON` reply has cells before its text.
#[test]
fn integers_are_zero_extended_and_geojson_cells_skipped() {
    assert_eq!(Value::decode(particle::INTEGER, &[0xfe]), Ok(Value::Int(254)));
    assert_eq!(Value::decode(particle::INTEGER, &[0xff, 0xfe]), Ok(Value::Int(65_534)));
    assert_eq!(Value::decode(particle::INTEGER, &[0xff; 4]), Ok(Value::Int(0xffff_ffff)));
    assert_eq!(Value::decode(particle::INTEGER, &[0xff; 8]), Ok(Value::Int(-1)));
    for len in [0, 3, 5, 6, 7, 9] {
        assert!(Value::decode(particle::INTEGER, &vec![0; len]).is_err(), "{len} bytes");
    }
    let geo = hex("00 0001 0102030405060708 7b7d");
    assert_eq!(Value::decode(particle::GEOJSON, &geo), Ok(Value::GeoJson("{}".into())));
    assert!(Value::decode(particle::GEOJSON, &geo[..10]).is_err());
    for bytes in [&[][..], &[2], &[0, 0]] {
        assert!(Value::decode(particle::BOOL, bytes).is_err());
    }
    // A map sent as a list, the reverse, a scalar, nothing, and bytes after the end.
    for (particle, bytes) in [
        (particle::LIST, &[0x80][..]),
        (particle::MAP, &[0x90]),
        (particle::LIST, &[0x07]),
        (particle::LIST, &[]),
        (particle::LIST, &[0x90, 0xc0]),
    ] {
        assert!(Value::decode(particle, bytes).is_err(), "{particle} {bytes:02x?}");
    }
}

/// The table of the protocol notes, except for double, which this client does not support as a key.
#[test]
fn digests_and_partitions() {
    let cases: [(&str, UserKey<'_>, &str, u16); 11] = [
        ("demo", UserKey::Str("k1"), "b747f5854d0b33259928d0cfab7fad81d6abfbf6", 1975),
        ("demo", UserKey::Str("k2"), "a933ee0e8f82c106697150d15e504f08b2b2e01d", 937),
        ("demo", UserKey::Int(1), "b7f4b83889e2da67de683e1df6919a1eacc446c8", 1207),
        ("", UserKey::Str("k1"), "50149955959c2fef0a83613ae80c78bb9c96b269", 1104),
        ("set", UserKey::Int(0), "93d943aae37b017ad7e011b0c1d2e2143c2fb37d", 2451),
        ("set", UserKey::Int(-1), "22116d253745e29fc63fdf760b6e26f7e197e01d", 290),
        ("set", UserKey::Int(i64::MIN), "7185c2a47fb02c996daed26b4e01b83240aee9d4", 1393),
        ("set", UserKey::Str("s"), "607cddba7cd111745ef0a3d783d57f0e83c8f311", 3168),
        ("set", UserKey::Str(""), "2819b1ff6e346a43b4f5f6b77a88bc3eaac22a83", 2344),
        ("set", UserKey::Bytes(b"s"), "ca2d96dc9a184d15a7fa2927565e844e9254e001", 3530),
        ("set", UserKey::Bytes(b""), "327e2877b8815c7aeede0d5a8620d4ef8df4a4b4", 3634),
    ];
    for (set, key, expected, partition) in cases {
        let digest = digest(set, &key);
        assert_eq!((&digest.0[..], digest.partition()), (&hex(expected)[..], partition), "{key:?}");
    }
}
