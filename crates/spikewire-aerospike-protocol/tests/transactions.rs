//! The bytes of transactions: those that a public client sends.

use spikewire_aerospike_protocol::batch::{Kind, Rows, Writer, flag};
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::message::{Header, Message, field, info1, info2, op};
use spikewire_aerospike_protocol::request::{Request, address};
use spikewire_aerospike_protocol::transaction::{
    self, CommandFields, Place, ReplyFields, Version, add_records, monitor,
};

const ID: u64 = 0x7f36_d245_7c98_227a;
const MONITOR: &str = "44aae4476501f109c2a9d1d54b040305928d8269";
const RECORD: &str = "73d09c8061be050a5b105d55e898a9b12ba77567";
const VERSION: Version = Version([0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77]);
/// What the server said: its bytes are `4c3d2e1f`.
const DEADLINE: u32 = 0x1f2e_3d4c;

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16);
    digits.chunks(2).map(|pair| byte(pair).unwrap()).collect()
}

fn record() -> Digest {
    Digest(hex(RECORD).try_into().unwrap())
}

fn single(mut kind: Kind, digest: &Digest, timeout: u32) -> Vec<u8> {
    kind.finish().unwrap();
    let mut out = Vec::new();
    kind.request(&mut out, digest, timeout).unwrap();
    out
}

const NAMESPACE_AND_SET: &str = "00000005 00 74657374 00000002 01 73";
const MONITORS: &str = "00000005 00 74657374  00000009 01 3c45524f7e4d5254";

#[test]
fn a_read_in_a_transaction() {
    let header = Header { info1: info1::READ | info1::GET_ALL, ..Header::default() };
    let mut kind = Kind::new(&header, &address("test", "s"));
    CommandFields { id: ID, ..CommandFields::default() }.write(&mut kind);
    let expected = hex(&format!(
        "0203 00000000004b 16 03 00 00 00 00 00000000 00000000 000007d0 0004 0000
         {NAMESPACE_AND_SET} 00000015 04 {RECORD} 00000009 05 7a22987c45d2367f"
    ));
    assert_eq!(single(kind, &record(), 2000), expected);
}

#[test]
fn the_first_record_creates_the_monitor() {
    assert_eq!(monitor(ID).0[..], hex(MONITOR));
    let kind = add_records("test", ID, true, 5, &[record()]);
    let expected = hex(&format!(
        "0203 00000000007e 16 00 01 00 00 00 00000000 00000005 000007d0 0003 0002
         {MONITORS} 00000015 04 {MONITOR}
         0000000e 02 01 00 02 6964 7f36d2457c98227a
         00000023 04 04 00 05 6b65796473 94 01 b504 {RECORD} 01 0d"
    ));
    assert_eq!(single(kind, &monitor(ID), 2000), expected);
}

#[test]
fn many_records_are_added_by_one_operation() {
    let kind = add_records("test", ID, false, 0, &[record(), Digest([7; 20])]);
    let bytes = single(kind, &monitor(ID), 0);
    let (message, _) = Message::parse(&bytes[8..]).unwrap();
    let ops: Vec<_> = message.ops().collect();
    let expected = hex(&format!("94 02 92 b504 {RECORD} b504 {} 01 0d", "07".repeat(20)));
    assert_eq!((ops.len(), ops[0].name, ops[0].value), (1, &b"keyds"[..], &expected[..]));
}

#[test]
fn a_write_carries_the_version_that_was_read_and_the_deadline() {
    let header = Header { info2: info2::WRITE, ..Header::default() };
    let put = |version| {
        let mut kind = Kind::new(&header, &address("test", "s"));
        CommandFields { id: ID, version, deadline: Some(DEADLINE) }.write(&mut kind);
        let written: Result<(), ()> = kind.op_with(op::WRITE, b"a", |out| {
            out.extend_from_slice(&1_i64.to_be_bytes());
            Ok(1)
        });
        written.unwrap();
        single(kind, &record(), 2000)
    };
    let fields = "00000009 05 7a22987c45d2367f";
    let tail = "00000005 06 4c3d2e1f  0000000d 02 01 00 01 61 0000000000000001";
    let head = |len, count| {
        format!(
            "0203 0000000000{len} 16 00 01 00 00 00 00000000 00000000 000007d0 {count} 0001
             {NAMESPACE_AND_SET} 00000015 04 {RECORD}"
        )
    };
    let expected = hex(&format!("{} {fields} {tail}", head("65", "0005")));
    assert_eq!(put(None), expected);
    let version = "00000008 03 11223344556677";
    let expected = hex(&format!("{} {fields} {version} {tail}", head("71", "0006")));
    assert_eq!(put(Some(VERSION)), expected);
}

#[test]
fn records_are_verified_in_one_batch() {
    let mut kind = transaction::verify(&address("test", "s"), &VERSION);
    kind.finish().unwrap();
    let mut out = Vec::new();
    let flags = flag::INLINE | flag::RESPOND_ALL | flag::REPORT_ERROR;
    let mut batch = Writer::begin(&mut out, 0, flags);
    batch.row(0, &record(), kind.as_bytes(), kind.is_repeatable());
    batch.row(1, &Digest([7; 20]), kind.as_bytes(), kind.is_repeatable());
    batch.finish().unwrap();
    let expected = hex(&format!(
        "0203 000000000075 16 08 00 00 00 00 00000000 00000000 00000000 0001 0000
         0000005b 29 00000002 0d  00000000 {RECORD} 12 21 00 40 01 0003 0000
         {NAMESPACE_AND_SET} 00000008 03 11223344556677  00000001 {} 01",
        "07".repeat(20)
    ));
    assert_eq!(out, expected);
    let mut rows = Rows::parse(&out[8 + 22 + 5..]).unwrap();
    let row = rows.next().unwrap().unwrap();
    assert_eq!((row.header.info1, row.header.info3, row.header.info4), (0x21, 0x40, 1));
}

#[test]
fn the_mark_and_the_end_of_a_transaction() {
    let expected = hex(&format!(
        "0203 000000000051 16 00 01 00 00 00 00000000 00000000 00000000 0003 0001
         {MONITORS} 00000015 04 {MONITOR} 00000008 02 11 00 03 667764 01"
    ));
    assert_eq!(single(transaction::mark_forward("test"), &monitor(ID), 0), expected);
    let expected = hex(&format!(
        "0203 000000000045 16 00 13 00 00 00 00000000 00000000 00000000 0003 0000
         {MONITORS} 00000015 04 {MONITOR}"
    ));
    assert_eq!(single(transaction::close("test"), &monitor(ID), 0), expected);
}

/// A row has the deadline, a request for one record does not.
#[test]
fn records_are_rolled() {
    let fields = CommandFields { id: ID, version: None, deadline: Some(DEADLINE) };
    let mut kind = transaction::roll(&address("test", "s"), true, &fields);
    kind.finish().unwrap();
    let expected = hex(&format!(
        "12 00 11 00 02 0004 0000 {NAMESPACE_AND_SET}
         00000009 05 7a22987c45d2367f 00000005 06 4c3d2e1f"
    ));
    assert_eq!(kind.as_bytes(), expected);
    let fields = CommandFields { version: Some(VERSION), ..fields };
    let kind = transaction::roll(&address("test", "s"), false, &fields);
    let expected = hex(&format!(
        "0203 000000000057 16 00 11 00 04 00 00000000 00000000 00000000 0005 0000
         {NAMESPACE_AND_SET} 00000015 04 {RECORD}
         00000009 05 7a22987c45d2367f 00000008 03 11223344556677"
    ));
    assert_eq!(single(kind, &record(), 0), expected);
}

#[test]
fn replies_say_version_and_deadline() {
    let reply = |fields: &[(u8, &[u8])]| {
        let header = Header { fields: fields.len() as u16, ..Header::default() };
        let mut out = header.to_bytes().to_vec();
        for (id, data) in fields {
            spikewire_aerospike_protocol::message::write_field(&mut out, *id, data);
        }
        let (message, _) = Message::parse(&out).unwrap();
        ReplyFields::of(&message)
    };
    let version = (field::RECORD_VERSION, &VERSION.0[..]);
    let deadline = (field::DEADLINE, &[0x4c, 0x3d, 0x2e, 0x1f][..]);
    let both = ReplyFields { version: Some(VERSION), deadline: Some(DEADLINE) };
    assert_eq!(reply(&[version, deadline]), Ok(both));
    assert_eq!(reply(&[]), Ok(ReplyFields::default()));
    assert!(reply(&[(field::RECORD_VERSION, &[1; 8])]).is_err());
    assert!(reply(&[(field::DEADLINE, &[1; 8])]).is_err());
    assert_eq!(VERSION, Version::of(VERSION.number()));
    assert_eq!(VERSION.number(), 0x77_6655_4433_2211);
}

#[test]
fn ids_have_eight_bytes_and_are_not_zero() {
    assert_eq!(transaction::id(&ID.to_le_bytes()), Ok(ID));
    for odd in [&[0; 8][..], &[1; 7], &[]] {
        assert!(transaction::id(odd).is_err());
    }
}

/// An existing form must not change: a row that has a filter is sent by itself with its digest
/// after the address, like a command on one record.
#[test]
fn a_row_by_itself_has_the_order_of_a_single_request() {
    let header = Header { info1: info1::READ, ..Header::default() };
    let mut kind = Kind::new(&header, &address("test", "s"));
    kind.field(field::FILTER, b"f");
    kind.op(op::READ, b"a");
    let mut expected = Vec::new();
    let mut request = Request::begin(&mut expected, &Header { timeout: 9, ..header });
    request.encoded_fields(2, &address("test", "s"));
    request.digest(&record());
    request.field(field::FILTER, b"f");
    request.op(op::READ, b"a");
    request.finish().unwrap();
    assert_eq!(single(kind, &record(), 9), expected);
}

#[test]
fn whatever_deletes_a_record_is_durable() {
    let about = CommandFields { id: ID, ..CommandFields::default() };
    let header = Header { info2: info2::WRITE, ..Header::default() };
    let flags = |flags, write: &dyn Fn(&mut Kind)| {
        let header = Header { info2: header.info2 | flags, ..header };
        let mut kind = Kind::new(&header, &address("test", "s"));
        write(&mut kind);
        kind.finish().unwrap();
        transaction::command(&kind, &about).unwrap().parts().0.info2
    };
    let step = |code, particle| {
        move |kind: &mut Kind| {
            let written: Result<(), ()> = kind.op_with(code, b"a", |_| Ok(particle));
            written.unwrap();
        }
    };
    let durable = info2::WRITE | info2::DURABLE_DELETE;
    assert_eq!(flags(info2::DELETE, &|_| {}), durable | info2::DELETE);
    assert_eq!(flags(0, &step(op::DELETE, 0)), durable);
    // The last bin may be removed.
    assert_eq!(flags(0, &step(op::WRITE, 0)), durable);
    assert_eq!(flags(0, &|kind| kind.field(field::UDF_FUNCTION, b"f")), durable);
    assert_eq!(flags(0, &step(op::WRITE, 1)), info2::WRITE);
    assert_eq!(flags(0, &step(op::TOUCH, 0)), info2::WRITE);
}

#[test]
fn a_read_joins_with_the_bytes_of_a_row() {
    let header = Header { info1: info1::READ | info1::GET_ALL, ..Header::default() };
    for set in ["s", ""] {
        for version in [None, Some(VERSION)] {
            let about = CommandFields { id: ID, version, deadline: None };
            let mut kind = Kind::new(&header, &address("test", set));
            kind.field(field::KEY, b"\x03key");
            let mut joined = single(kind.clone(), &record(), 2000);
            let place = Place::in_request(&joined).unwrap();
            assert_eq!((place.digest, place.address(&joined)), (record(), kind.address()));
            place.join_read(&mut joined, &about);
            kind.finish().unwrap();
            let expected = single(transaction::command(&kind, &about).unwrap(), &record(), 2000);
            assert_eq!(joined, expected);
        }
    }
    assert!(Place::in_request(&hex("0203000000000003160000")).is_err());
}
