//! Arbitrary input: decoders do not panic, and use memory in proportion to the input.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use proptest::collection::vec;
use proptest::prelude::*;
use spikewire_aerospike_protocol::features::{self, Features, of_operation};
use spikewire_aerospike_protocol::host::parse_hosts;
use spikewire_aerospike_protocol::message::{self, Message, op};
use spikewire_aerospike_protocol::msgpack::{Reader, Token, is_nested_within};
use spikewire_aerospike_protocol::partition::Replicas;
use spikewire_aerospike_protocol::peers::{self, Peers};
use spikewire_aerospike_protocol::value::{Value, particle};
use spikewire_aerospike_protocol::{auth, frame, info, racks, strings};

// --- an allocator that keeps count, per thread

struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let live = LIVE.get() + bytes;
    LIVE.set(live);
    PEAK.set(PEAK.get().max(live));
}

// SAFETY: every call is passed to the system allocator unchanged; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller upholds the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller upholds the contract, which is the same.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both blocks may be allocated at the same time.
        count(size as isize);
        count(-(layout.size() as isize));
        // SAFETY: the caller upholds the contract, which is the same.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Runs `read` and returns the most memory it held at once.
fn peak<T>(read: impl FnOnce() -> T) -> usize {
    let before = LIVE.get();
    PEAK.set(before);
    drop(read());
    PEAK.get().abs_diff(before)
}

/// A list of one-byte items takes one [`Value`] per input byte; strings and growing vectors stay
/// below that. The remainder is for error messages.
fn bound(input: usize) -> usize {
    1024 + 2 * size_of::<Value>() * input
}

fn check<T>(what: &str, input: usize, read: impl FnOnce() -> T) {
    let held = peak(read);
    assert!(held <= bound(input), "{what} held {held} bytes for an input of {input}");
}

// --- everything that reads bytes

fn read_bytes(bytes: &[u8]) {
    let len = bytes.len();
    check("frame header", len, || frame::Header::parse(bytes));
    check("frame", len, || frame::split(bytes).map(|split| split.map(|(frame, _)| frame.body)));
    check("message header", len, || message::Header::parse(bytes));
    check("message", len, || read_message(bytes));
    check("security request", len, || auth::Request::parse(bytes).map(|_| ()));
    check("security reply", len, || auth::Reply::parse(bytes));
    check("info commands", len, || {
        info::commands(bytes).filter(|command| command.param("max").is_some()).count()
    });
    check("tokens", len, || read_tokens(bytes));
    check("string operation", len, || strings::Request::decode(bytes));
    check("what an expression needs", len, || features::of_expression(bytes));
    check("what operations need", len, || {
        (0..=op::TO_STRING).fold(Features::NONE, |all, code| all | of_operation(code, bytes))
    });
    check("nesting", len, || is_nested_within(bytes, 64));
    for kind in 0..=u8::MAX {
        check(particle::name(kind), len, || Value::decode(kind, bytes));
    }
}

fn read_message(bytes: &[u8]) {
    let Ok((message, used)) = Message::parse(bytes) else { return };
    assert!(used <= bytes.len());
    assert_eq!(message.fields().count(), usize::from(message.header.fields));
    assert_eq!(message.ops().count(), usize::from(message.header.ops));
    for operation in message.ops() {
        let _ = Value::decode(operation.particle, operation.value);
    }
}

fn read_tokens(bytes: &[u8]) {
    let mut reader = Reader::new(bytes);
    while !reader.is_at_end() {
        let before = reader.rest().len();
        let flags = reader.flags();
        let Ok(token) = reader.next() else { return };
        assert!(reader.rest().len() < before);
        let (Token::Array(count) | Token::Map(count)) = token else { continue };
        assert!(reader.capacity(count, 1) == count as usize, "{flags:?} {token:?}");
    }
}

fn read_text(text: &str) {
    let len = text.len();
    check("peers", len, || Peers::parse(text));
    check("services", len, || peers::services(text));
    check("replicas", len, || Replicas::parse(text));
    check("rack-ids", len, || racks::parse(text));
    check("info value", len, || info::value(text, "node").map(str::len));
    check("seed hosts", 4 * len, || parse_hosts(text, 3000));
}

// --- inputs

/// Bytes that look like the start of something.
fn openings() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(vec![]),
        (1u8..5, 0u8..99).prop_map(|(kind, len)| vec![2, kind, 0, 0, 0, 0, 0, len]),
        (0u8..4, 0u8..4).prop_map(|(fields, ops)| {
            let header = message::Header {
                fields: fields.into(),
                ops: ops.into(),
                ..message::Header::default()
            };
            header.to_bytes().to_vec()
        }),
        (0u8..4).prop_map(|fields| [&[0, 0, 0, fields][..], &[0; 12]].concat()),
    ]
}

/// Bytes that are often lengths, counts, tags and zeros.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        4 => Just(0u8),
        2 => 0u8..16,
        2 => 0x80u8..=0x9f,
        3 => 0xc0u8..=0xdf,
        2 => any::<u8>(),
    ];
    (openings(), vec(byte, 0..200)).prop_map(|(mut bytes, rest)| {
        bytes.extend(rest);
        bytes
    })
}

/// A whole message of which a byte was changed, dropped or doubled.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let part = || vec(any::<u8>(), 0..20);
    let fields = vec((any::<u8>(), part()), 0..4);
    let ops = vec((any::<u8>(), part(), 0u8..24, part()), 0..4);
    let change = (any::<prop::sample::Index>(), any::<u8>(), 0..3);
    (fields, ops, vec(change, 1..4)).prop_map(|(fields, ops, changes)| {
        let (counts, ops_count) = (fields.len() as u16, ops.len() as u16);
        let header =
            message::Header { fields: counts, ops: ops_count, ..message::Header::default() };
        let mut bytes = header.to_bytes().to_vec();
        for (id, data) in fields {
            message::write_field(&mut bytes, id, &data);
        }
        for (code, name, particle, value) in ops {
            message::write_op(&mut bytes, code, &name, particle, &value);
        }
        for (at, byte, how) in changes {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at)),
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn plausible_bytes_decode_in_bounded_memory(bytes in bytes()) {
        read_bytes(&bytes);
    }

    #[test]
    fn random_bytes_decode_in_bounded_memory(bytes in vec(any::<u8>(), 0..300)) {
        read_bytes(&bytes);
    }

    #[test]
    fn damaged_messages_decode_in_bounded_memory(bytes in damaged()) {
        read_bytes(&bytes);
    }

    #[test]
    fn plausible_text_parses_in_bounded_memory(text in "([0-9]{1,3},[0-9]{0,5},\\[)?[\\[\\]:;,=./A0-9\t\n-]{0,200}") {
        read_text(&text);
    }

    #[test]
    fn any_text_parses_in_bounded_memory(text in any::<String>()) {
        read_text(&text);
    }

    #[test]
    fn node_errors_parse_in_bounded_memory(text in "(node\t)?(ERROR|FAIL|error)[:=]?[0-9]{0,4}:?[a-z:;]{0,20}(ERROR:[0-9:]{0,9})?\n?") {
        read_text(&text);
    }
}

// --- one of each kind that once mattered, or would

/// A header alone must not make room for what it announces.
#[test]
fn a_count_beyond_the_bytes_is_rejected() {
    for header in [
        &[0xdd, 0xff, 0xff, 0xff, 0xff][..],
        &[0xdf, 0xff, 0xff, 0xff, 0xff],
        &[0xdc, 0xff, 0xff],
        &[0xde, 0xff, 0xff],
        &[0x9f],
        &[0x8f],
    ] {
        read_bytes(header);
        assert!(Value::decode(particle::LIST, header).is_err());
        assert!(Value::decode(particle::MAP, header).is_err());
        let mut padded = header.to_vec();
        padded.resize(60_000, 0xc0);
        read_bytes(&padded);
    }
}

/// Each level announces what would fit into the bytes that are left: together they do not fit, and
/// memory for all of them at once would be a hundred times the input's.
#[test]
fn nested_counts_share_the_remaining_bytes() {
    for tag in [0xdcu8, 0xde] {
        let mut bytes = Vec::new();
        for _ in 0..100 {
            bytes.extend_from_slice(&[tag, 0x7f, 0xff]);
        }
        bytes.resize(100_000, 0xc0);
        read_bytes(&bytes);
        assert!(Value::decode(particle::LIST, &bytes).is_err());
    }
}

#[test]
fn endless_nesting_is_rejected() {
    for byte in [0x81u8, 0x91, 0x9f] {
        let bytes = vec![byte; 100_000];
        assert!(Value::decode(particle::LIST, &bytes).is_err());
        assert!(Value::decode(particle::MAP, &bytes).is_err());
        read_bytes(&bytes);
    }
    read_text(&format!("1,3000,{}", "[".repeat(10_000)));
}

/// Counts and lengths at the ends of their scale.
#[test]
fn lengths_beyond_the_message_are_rejected() {
    let header = message::Header { fields: u16::MAX, ops: u16::MAX, ..message::Header::default() };
    let header = header.to_bytes();
    for tail in [
        &[0, 0, 0, 0, 0][..],
        &[0xff, 0xff, 0xff, 0xff, 0],
        &[0, 0, 0, 1, 0],
        &[0x7f, 0xff, 0xff, 0xff],
    ] {
        let bytes = [&header[..], tail].concat();
        assert!(Message::parse(&bytes).is_err());
        read_bytes(&bytes);
    }
    let ops = message::Header { ops: 1, ..message::Header::default() }.to_bytes();
    for op in [
        &[0, 0, 0, 3, 1, 0, 0, 0][..],
        &[0, 0, 0, 4, 1, 0, 0, 1],
        &[0, 0, 0, 4, 1, 0, 1, 0],
        &[0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0xff],
    ] {
        let bytes = [&ops[..], op].concat();
        assert!(Message::parse(&bytes).is_err(), "{op:02x?}");
        read_bytes(&bytes);
    }
}

/// The counter counts: a decoder that holds more would be seen.
#[test]
fn the_test_allocator_counts_held_bytes() {
    assert_eq!(peak(|| ()), 0);
    assert!(peak(|| vec![0u8; 5000]) >= 5000);
    let list = [&[0xdc, 0x03, 0xe8][..], &[7; 1000]].concat();
    let held = peak(|| Value::decode(particle::LIST, &list).unwrap());
    assert!((1000 * size_of::<Value>()..bound(list.len())).contains(&held), "{held}");
}
