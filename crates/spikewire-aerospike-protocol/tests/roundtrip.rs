//! What is written is read back, for any content.

use proptest::collection::vec;
use proptest::prelude::*;
use spikewire_aerospike_protocol::auth;
use spikewire_aerospike_protocol::frame::{self, Kind};
use spikewire_aerospike_protocol::host::{Host, parse_hosts};
use spikewire_aerospike_protocol::info;
use spikewire_aerospike_protocol::key::{Digest, UserKey, digest};
use spikewire_aerospike_protocol::limits;
use spikewire_aerospike_protocol::message::{Header, Message, op, write_op};
use spikewire_aerospike_protocol::msgpack::{self, Reader, Token};
use spikewire_aerospike_protocol::partition::{Bitmap, Replicas};
use spikewire_aerospike_protocol::peers::{self, Address, Peer, Peers};
use spikewire_aerospike_protocol::racks::{self, RackId};
use spikewire_aerospike_protocol::request::Request;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::{Value, particle};
use spikewire_aerospike_protocol::void_time;

// --- values

/// Integers around every width, and any other.
fn ints() -> impl Strategy<Value = i64> {
    let edges = (0u32..64, -2i64..=2, any::<bool>()).prop_map(|(bit, off, negative)| {
        let edge = (1i64 << bit).wrapping_add(off);
        if negative { edge.wrapping_neg() } else { edge }
    });
    prop_oneof![edges, any::<i64>(), Just(i64::MIN), Just(i64::MAX)]
}

/// Lengths around every header width, most of them short.
fn lengths() -> impl Strategy<Value = usize> {
    prop_oneof![
        20 => 0usize..40,
        4 => 250usize..260,
        1 => 65_530usize..65_540,
    ]
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), lengths().prop_map(|len| "x".repeat(len)),]
}

fn blobs() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(any::<u8>(), 0..40), lengths().prop_map(|len| vec![0xa5; len])]
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::Bool),
        ints().prop_map(Value::Int),
        any::<u64>().prop_map(|bits| Value::Float(f64::from_bits(bits))),
        texts().prop_map(Value::Str),
        blobs().prop_map(Value::Bytes),
        texts().prop_map(Value::GeoJson),
        blobs().prop_map(Value::Hll),
    ];
    leaf.prop_recursive(6, 80, 20, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..20).prop_map(Value::List),
            vec((inner.clone(), inner), 0..20).prop_map(Value::Map),
        ]
    })
}

/// Equal, with floats compared by their bits.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(&a.0, &b.0) && same(&a.1, &b.1))
        }
        _ => a == b,
    }
}

fn there_and_back(value: &Value) -> bool {
    let mut bytes = Vec::new();
    let particle = value.encode(&mut bytes);
    Value::decode(particle, &bytes).is_ok_and(|read| same(value, &read))
}

proptest! {
    #[test]
    fn any_value_round_trips(value in values()) {
        prop_assert!(there_and_back(&value));
    }

    #[test]
    fn a_cut_container_is_rejected(value in values(), cut in any::<prop::sample::Index>()) {
        let whole = Value::List(vec![value]);
        let mut bytes = Vec::new();
        whole.encode(&mut bytes);
        let cut = cut.index(bytes.len());
        prop_assert!(Value::decode(particle::LIST, &bytes[..cut]).is_err());
    }

    #[test]
    fn floats_of_both_widths_decode(bits in any::<u32>()) {
        let float = f32::from_bits(bits);
        let mut bytes = vec![0xca];
        bytes.extend_from_slice(&bits.to_be_bytes());
        let Ok(Token::Float(read)) = Reader::new(&bytes).next() else { panic!("not a float") };
        // A signalling NaN may come out quiet.
        let quiet = read.is_nan() && float.is_nan();
        prop_assert!(quiet || read.to_bits() == f64::from(float).to_bits());
    }
}

#[test]
fn extreme_values_round_trip() {
    for value in [
        Value::Int(i64::MIN),
        Value::Int(i64::MAX),
        Value::Float(f64::NAN),
        Value::Float(-f64::NAN),
        Value::Float(f64::from_bits(0x7ff0_0000_0000_0001)),
        Value::Float(-0.0),
        Value::Float(f64::NEG_INFINITY),
        Value::Str(String::new()),
        Value::Bytes(vec![]),
        Value::List(vec![]),
        Value::Map(vec![]),
    ] {
        assert!(there_and_back(&value), "{value:?}");
        assert!(there_and_back(&Value::List(vec![value.clone()])), "[{value:?}]");
        assert!(there_and_back(&Value::Map(vec![(value.clone(), value.clone())])), "{value:?}");
    }
}

#[test]
fn containers_of_every_header_width_round_trip() {
    for count in [0usize, 1, 15, 16, 17, 255, 256, 65_535, 65_536, 65_537] {
        let items: Vec<Value> = (0..count as i64).map(Value::Int).collect();
        let pairs = items.iter().map(|item| (item.clone(), Value::Nil)).collect();
        assert!(there_and_back(&Value::List(items)), "list of {count}");
        assert!(there_and_back(&Value::Map(pairs)), "map of {count}");
    }
}

#[test]
fn nesting_is_bounded() {
    let nest = |levels: usize, leaf: Value| {
        (0..levels).fold(leaf, |inner, level| {
            if level % 2 == 0 {
                Value::List(vec![inner])
            } else {
                Value::Map(vec![(1.into(), inner)])
            }
        })
    };
    assert!(there_and_back(&nest(limits::NESTING, Value::Int(7))));
    assert!(there_and_back(&nest(limits::NESTING - 1, Value::List(vec![]))));
    assert!(!there_and_back(&nest(limits::NESTING + 1, Value::Int(7))));
    // Far deeper than any stack.
    let bottomless = vec![0x91; 1 << 20];
    assert!(Value::decode(particle::LIST, &bottomless).is_err());
}

// --- MessagePack integers

/// The smallest form of an integer, spelled out apart from the encoder.
fn smallest(int: i64) -> usize {
    match int {
        -32..=127 => 1,
        -128..=255 => 2,
        -32_768..=65_535 => 3,
        -2_147_483_648..=4_294_967_295 => 5,
        _ => 9,
    }
}

proptest! {
    #[test]
    fn ints_take_their_smallest_form(int in ints()) {
        let mut bytes = Vec::new();
        msgpack::int(&mut bytes, int);
        prop_assert_eq!(bytes.len(), smallest(int), "{} as {:02x?}", int, bytes);
        let mut reader = Reader::new(&bytes);
        prop_assert_eq!(reader.next(), Ok(Token::Int(int)));
        prop_assert!(reader.is_at_end());
    }

    #[test]
    fn unsigned_ints_round_trip(int in any::<u64>(), shift in 0u32..64) {
        let int = int >> shift;
        let mut bytes = Vec::new();
        msgpack::uint(&mut bytes, int);
        let token = i64::try_from(int).map_or(Token::UInt(int), Token::Int);
        prop_assert_eq!(Reader::new(&bytes).next(), Ok(token));
    }

    /// Every width that holds an integer reads as that integer.
    #[test]
    fn ints_of_every_width_decode(int in ints()) {
        let wide = int.to_be_bytes();
        for (tag, width, signed) in [
            (0xccu8, 1, false), (0xcd, 2, false), (0xce, 4, false), (0xcf, 8, false),
            (0xd0, 1, true), (0xd1, 2, true), (0xd2, 4, true), (0xd3, 8, true),
        ] {
            let bits = 8 * width as u32;
            let fits = match (signed, bits) {
                (true, 64) => true,
                (true, _) => (-(1i64 << (bits - 1))..1i64 << (bits - 1)).contains(&int),
                (false, 64) => int >= 0,
                (false, _) => (0..1i64 << bits).contains(&int),
            };
            if fits {
                let mut bytes = vec![tag];
                bytes.extend_from_slice(&wide[8 - width..]);
                prop_assert_eq!(Reader::new(&bytes).next(), Ok(Token::Int(int)), "{:02x?}", bytes);
            }
        }
    }

    /// Every header width, and both families, read as the same byte string.
    #[test]
    fn byte_strings_of_every_header_decode(kind in any::<u8>(), blob in vec(any::<u8>(), 0..300)) {
        let len = blob.len() + 1;
        let mut headers = vec![
            [&[0xdb], &(len as u32).to_be_bytes()[..]].concat(),
            [&[0xc6], &(len as u32).to_be_bytes()[..]].concat(),
            [&[0xda], &(len as u16).to_be_bytes()[..]].concat(),
            [&[0xc5], &(len as u16).to_be_bytes()[..]].concat(),
        ];
        if let Ok(len) = u8::try_from(len) {
            headers.extend([vec![0xd9, len], vec![0xc4, len]]);
        }
        if len < 32 {
            headers.push(vec![0xa0 | len as u8]);
        }
        for mut bytes in headers {
            bytes.push(kind);
            bytes.extend_from_slice(&blob);
            let mut reader = Reader::new(&bytes);
            prop_assert_eq!(reader.next(), Ok(Token::Bytes(kind, &blob)));
            prop_assert!(reader.is_at_end());
        }
    }
}

#[test]
fn ints_at_every_width_edge_round_trip() {
    for bit in 0..64 {
        for off in -2..=2i64 {
            for sign in [1, -1i64] {
                let int = (1i64 << bit).wrapping_add(off).wrapping_mul(sign);
                let mut bytes = Vec::new();
                msgpack::int(&mut bytes, int);
                assert_eq!(bytes.len(), smallest(int), "{int} as {bytes:02x?}");
                assert_eq!(Reader::new(&bytes).next(), Ok(Token::Int(int)));
            }
        }
    }
}

// --- frames and messages

fn kinds() -> impl Strategy<Value = Kind> {
    prop::sample::select(vec![Kind::Info, Kind::Admin, Kind::Message, Kind::Compressed])
}

proptest! {
    /// Frames come out whole and in order, wherever the stream is cut.
    #[test]
    fn frames_survive_any_split(frames in vec((kinds(), vec(any::<u8>(), 0..60)), 1..5)) {
        let mut stream = Vec::new();
        for (kind, body) in &frames {
            let start = frame::begin(&mut stream, *kind);
            stream.extend_from_slice(body);
            frame::finish(&mut stream, start);
        }
        for cut in 0..=stream.len() {
            let mut buffer = stream[..cut].to_vec();
            let mut received = Vec::new();
            for more in [&[][..], &stream[cut..]] {
                buffer.extend_from_slice(more);
                while let Some((frame, used)) = frame::split(&buffer).unwrap() {
                    received.push((frame.kind, frame.body.to_vec()));
                    buffer.drain(..used);
                }
            }
            prop_assert_eq!((&received, buffer.len()), (&frames, 0), "cut at {}", cut);
        }
    }

    #[test]
    fn frame_headers_round_trip(header in message_headers()) {
        prop_assert_eq!(Header::parse(&header.to_bytes()), Ok(header));
    }

    #[test]
    fn requests_round_trip(
        header in message_headers(),
        fields in vec((any::<u8>(), vec(any::<u8>(), 0..40)), 0..8),
        ops in vec((any::<u8>(), vec(any::<u8>(), 0..=255), proptest::option::of(values())), 0..8),
        tail in vec(any::<u8>(), 0..9),
    ) {
        let mut out = vec![0xee; 3];
        let mut request = Request::begin(&mut out, &header);
        for (id, data) in &fields {
            request.field(*id, data);
        }
        for (code, name, value) in &ops {
            match value {
                None => request.op(*code, name),
                Some(value) => request
                    .op_with(*code, name, |out| Ok::<_, ()>(value.encode(out)))
                    .unwrap(),
            }
        }
        prop_assert_eq!(request.ops(), ops.len());
        request.finish().unwrap();
        let end = out.len();
        out.extend_from_slice(&tail);

        let (frame, used) = frame::split(&out[3..]).unwrap().unwrap();
        prop_assert_eq!((frame.kind, used), (Kind::Message, end - 3));
        let (message, used) = Message::parse(frame.body).unwrap();
        prop_assert_eq!(used, frame.body.len());
        let counts = Header { fields: fields.len() as u16, ops: ops.len() as u16, ..header };
        prop_assert_eq!(message.header, counts);
        let read: Vec<_> = message.fields().map(|field| (field.id, field.data.to_vec())).collect();
        prop_assert_eq!(&read, &fields);
        for id in 0..=255 {
            let first = fields.iter().find(|field| field.0 == id).map(|field| &field.1[..]);
            prop_assert_eq!(message.field(id), first);
        }
        prop_assert_eq!(message.ops().count(), ops.len());
        for (read, (code, name, value)) in message.ops().zip(&ops) {
            prop_assert_eq!((read.code, read.name), (*code, &name[..]));
            let read = Value::decode(read.particle, read.value).unwrap();
            prop_assert!(same(&read, value.as_ref().unwrap_or(&Value::Nil)));
        }
        // No part of it is a message.
        for cut in 0..frame.body.len() {
            prop_assert!(Message::parse(&frame.body[..cut]).is_err());
        }
    }

    /// A last-update time between name and value is skipped.
    #[test]
    fn the_time_stamp_of_an_operation_is_skipped(name in vec(any::<u8>(), 0..20), blob in blobs()) {
        let mut body = Header { ops: 2, ..Header::default() }.to_bytes().to_vec();
        let start = body.len();
        write_op(&mut body, 1, &name, particle::BLOB, &[&[9; 8], &blob[..]].concat());
        body[start + 6] = 1;
        write_op(&mut body, 2, b"next", particle::NULL, &[]);
        let (message, used) = Message::parse(&body).unwrap();
        prop_assert_eq!(used, body.len());
        let ops: Vec<_> = message.ops().map(|op| (op.code, op.name, op.value)).collect();
        prop_assert_eq!(ops, [(1, &name[..], &blob[..]), (2, &b"next"[..], &[][..])]);
    }
}

/// The smallest operation, four bytes: all bins, touch, delete.
#[test]
fn an_operation_without_name_and_value_round_trips() {
    let mut out = Vec::new();
    let mut request = Request::begin(&mut out, &Header::default());
    request.op(op::TOUCH, b"");
    request.op(op::READ, b"");
    request.finish().unwrap();
    let (message, _) = Message::parse(&out[frame::HEADER_LEN..]).unwrap();
    let codes: Vec<_> = message.ops().map(|op| op.code).collect();
    assert_eq!(codes, [op::TOUCH, op::READ]);
}

fn message_headers() -> impl Strategy<Value = Header> {
    let flags = (any::<u8>(), any::<u8>(), any::<u8>(), any::<u8>(), any::<u8>());
    (flags, any::<u32>(), any::<u32>(), any::<u32>()).prop_map(
        |((info1, info2, info3, info4, result), generation, ttl, timeout)| Header {
            info1,
            info2,
            info3,
            info4,
            result,
            generation,
            ttl,
            timeout,
            fields: 0,
            ops: 0,
        },
    )
}

// --- keys

proptest! {
    #[test]
    fn keys_are_hashed_and_stored(set in texts(), text in texts(), blob in blobs(), int in ints()) {
        for key in [UserKey::Str(&text), UserKey::Bytes(&blob), UserKey::Int(int)] {
            let Digest(bytes) = digest(&set, &key);
            prop_assert!(usize::from(Digest(bytes).partition()) < limits::PARTITIONS);
            let mut stored = Vec::new();
            key.encode(&mut stored);
            prop_assert_eq!(stored[0], key.particle_type());
            let read = Value::decode(stored[0], &stored[1..]).unwrap();
            prop_assert_eq!(read, match key {
                UserKey::Int(int) => Value::Int(int),
                UserKey::Str(text) => Value::from(text),
                UserKey::Bytes(bytes) => Value::from(bytes),
            });
        }
    }
}

// --- what a cluster says about itself

fn names() -> impl Strategy<Value = String> {
    "[A-Za-z0-9_$-]{1,31}"
}

fn hosts() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<std::net::Ipv4Addr>().prop_map(|address| address.to_string()),
        any::<std::net::Ipv6Addr>().prop_map(|address| address.to_string()),
        "[a-z][a-z0-9-]{0,20}(\\.[a-z0-9-]{1,9}){0,3}",
        Just("fe80::1%eth0".to_owned()),
        Just("::3000".to_owned()),
    ]
}

fn ports() -> impl Strategy<Value = u16> {
    prop_oneof![Just(3000), Just(1), Just(13_000), Just(65_535), 1..=u16::MAX]
}

fn addresses() -> impl Strategy<Value = Address> {
    (hosts(), ports()).prop_map(|(host, port)| Address { host, port })
}

fn bitmaps() -> impl Strategy<Value = Bitmap> {
    vec(0..limits::PARTITIONS as u16, 0..200).prop_map(|pids| {
        let mut bitmap = Bitmap::default();
        for pid in pids {
            bitmap.insert(pid);
        }
        bitmap
    })
}

fn replicas() -> impl Strategy<Value = Replicas> {
    (names(), any::<u32>(), vec(bitmaps(), 0..4), 0u8..9).prop_map(
        |(namespace, regime, columns, more)| Replicas {
            namespace,
            regime,
            factor: columns.len() as u8 + more,
            columns,
        },
    )
}

proptest! {
    #[test]
    fn partition_maps_round_trip(entries in vec(replicas(), 0..4)) {
        let text = Replicas::format(&entries);
        prop_assert_eq!(Replicas::parse(&text).unwrap(), entries);
    }

    #[test]
    fn bitmaps_count_what_they_hold(bitmap in bitmaps()) {
        let pids: Vec<u16> = bitmap.iter().collect();
        prop_assert_eq!(pids.len(), bitmap.count() as usize);
        prop_assert!(pids.is_sorted());
        prop_assert!(pids.iter().all(|pid| bitmap.contains(*pid)));
    }

    #[test]
    fn peer_lists_round_trip(
        generation in any::<u64>(),
        peers in vec((names(), prop_oneof![Just(String::new()), names()], vec(addresses(), 0..4)), 0..4),
    ) {
        let peers = peers
            .into_iter()
            .map(|(name, tls_name, addresses)| Peer { name, tls_name, addresses })
            .collect();
        let list = Peers { generation, peers };
        prop_assert_eq!(Peers::parse(&list.format()).unwrap(), list);
    }

    #[test]
    fn service_lists_round_trip(list in vec(addresses(), 0..5)) {
        let text: Vec<String> = list.iter().map(ToString::to_string).collect();
        prop_assert_eq!(peers::services(&text.join(",")).unwrap(), list);
    }

    #[test]
    fn seed_lists_round_trip(
        list in vec((hosts(), proptest::option::of("[a-z0-9][a-z0-9.-]{0,20}"), ports()), 1..5),
        spaces in " {0,2}",
    ) {
        let list: Vec<Host> = list
            .into_iter()
            .map(|(name, tls_name, port)| Host { name, tls_name, port })
            .collect();
        let text: Vec<String> = list.iter().map(|host| format!("{spaces}{host}{spaces}")).collect();
        prop_assert_eq!(parse_hosts(&text.join(","), 1).unwrap(), list);
    }

    #[test]
    fn rack_ids_round_trip(entries in vec((names(), any::<u32>()), 0..5)) {
        let entries: Vec<RackId> =
            entries.into_iter().map(|(namespace, rack)| RackId { namespace, rack }).collect();
        prop_assert_eq!(racks::parse(&racks::format(&entries)).unwrap(), entries);
    }

    #[test]
    fn info_requests_round_trip(lines in vec("[a-z-]{1,31}([:/;][ -~]{0,40})?", 0..6)) {
        let commands: Vec<&str> = lines.iter().map(String::as_str).collect();
        let mut out = Vec::new();
        info::request(&mut out, &commands);
        let (frame, used) = frame::split(&out).unwrap().unwrap();
        prop_assert_eq!((frame.kind, used), (Kind::Info, out.len()));
        for (read, line) in info::commands(frame.body).zip(&lines) {
            prop_assert_eq!(read.line, line);
            let name = line.split([':', '/', ';']).next().unwrap();
            prop_assert_eq!(read.name, name);
            prop_assert_eq!(read.params, line.get(name.len() + 1..).unwrap_or(""));
        }
        prop_assert_eq!(info::commands(frame.body).count(), lines.len());
    }

    #[test]
    fn info_replies_round_trip(
        answers in proptest::collection::hash_map(
            "[a-z-]{1,31}(:[a-z=;]{0,20})?",
            "[a-z0-9 :;,=\\[\\]/.-]{0,60}",
            1..6,
        ),
    ) {
        let mut body = Vec::new();
        for (line, value) in &answers {
            info::answer(&mut body, line, value);
        }
        let body = String::from_utf8(body).unwrap();
        for (line, value) in &answers {
            prop_assert_eq!(info::value(&body, line), Ok(&value[..]));
        }
    }

    #[test]
    fn info_errors_round_trip(code in 0u8.., message in "[a-z '-]{0,40}") {
        let mut body = Vec::new();
        let printed = if code == 1 { String::new() } else { code.to_string() };
        info::answer(&mut body, "first", "ok");
        info::answer(&mut body, "x", &format!("ERROR:{printed}:{message}"));
        let error = info::value(std::str::from_utf8(&body).unwrap(), "x").unwrap_err();
        prop_assert_eq!((error.code, error.message, error.command), (code, message, "x".to_owned()));
    }
}

// --- security and time

proptest! {
    #[test]
    fn security_requests_round_trip(user in texts(), credential in blobs(), other in proptest::option::of(blobs())) {
        let requests = [
            auth::Request::Login {
                user: &user,
                credential: &credential,
                clear_password: other.as_deref(),
            },
            auth::Request::Authenticate { user: &user, token: &credential },
        ];
        for request in requests {
            let mut out = Vec::new();
            request.encode(&mut out);
            let (frame, used) = frame::split(&out).unwrap().unwrap();
            prop_assert_eq!((frame.kind, used), (Kind::Admin, out.len()));
            prop_assert_eq!(auth::Request::parse(frame.body), Ok(request));
        }
    }

    #[test]
    fn security_replies_round_trip(
        result in any::<u8>(),
        session in proptest::option::of((blobs(), proptest::option::of(any::<u32>()))),
    ) {
        let reply = auth::Reply {
            result: ResultCode(result),
            session: session.map(|(token, ttl)| auth::Session { token, ttl }),
        };
        let mut out = Vec::new();
        reply.encode(&mut out);
        prop_assert_eq!(auth::Reply::parse(&out[frame::HEADER_LEN..]), Ok(reply));
    }

    #[test]
    fn a_void_time_expires_after_its_seconds(seconds in 1..=limits::TTL_SECONDS, now in limits::EPOCH_2010..4_000_000_000) {
        let void_time = void_time::after(Some(seconds), now);
        prop_assert_eq!(void_time::seconds_left(void_time, now), Some(seconds));
        let end = now + u64::from(seconds);
        prop_assert!(!void_time::is_expired(void_time, end));
        prop_assert!(void_time::is_expired(void_time, end + 1));
        prop_assert_eq!(void_time::seconds_left(void_time, end + 1), Some(1));
    }
}
