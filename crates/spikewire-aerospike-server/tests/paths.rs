//! Path expressions: the dialogues with a real server, and what they show of its rules. Where a
//! server of version 8.1.2 ends or stores what is wrong, the cluster does what is right.

mod wire;

use spikewire_aerospike_protocol::message::{field, info1, info2, op};
use spikewire_aerospike_protocol::value::{Value, particle};
use wire::{Request, ResultBin, Wire, cluster, hex};

/// `value.v > 2`.
const E: &str = "93 03 95 7f0200 93 6107a20376 93 7a0501 02";

/// The bytes of a value in which `E` stands for an expression of its own.
fn bytes(text: &str) -> Vec<u8> {
    let text = text.replace("04E", &format!("04{E}")).replace("cd0204 E", &format!("cd0204{E}"));
    hex(&text)
}

fn map<const N: usize>(pairs: [(&str, Value); N]) -> Value {
    Value::Map(pairs.into_iter().map(|(key, value)| (Value::from(key), value)).collect())
}

fn ints(ints: &[i64]) -> Value {
    Value::List(ints.iter().copied().map(Value::Int).collect())
}

fn int(int: i64) -> Value {
    Value::Int(int)
}

fn put(request: Request, name: &str, value: &Value) -> Request {
    let mut out = Vec::new();
    let particle = value.encode(&mut out);
    request.op(op::WRITE, name, particle, &out)
}

/// The record of the dialogues.
fn filled(wire: &mut Wire) {
    let m = map([
        ("a", map([("v", int(1)), ("n", "x".into())])),
        ("b", map([("v", int(5)), ("n", "y".into())])),
        ("c", map([("v", int(9))])),
    ]);
    let ll = Value::List(vec![ints(&[1, 2]), ints(&[3]), ints(&[]), ints(&[4, 5, 6])]);
    let mix = map([("a", int(1)), ("b", ints(&[1, 2])), ("c", map([("v", int(3))]))]);
    let request = Request::write("k");
    let request = put(request, "m", &m);
    let request = put(request, "l", &ints(&[10, 20, 30, 40]));
    let request = put(put(request, "ll", &ll), "mix", &mix);
    assert_eq!(wire.code(put(request, "i", &int(7))), 0);
}

fn read(name: &str, payload: &str) -> Request {
    Request::read("k").op(op::CDT_READ, name, particle::BLOB, &bytes(payload))
}

fn write(name: &str, payload: &str) -> Request {
    Request::write("k").op(op::CDT_MODIFY, name, particle::BLOB, &bytes(payload))
}

/// The particle type and bytes that one path gives, or the result code.
fn answer(wire: &mut Wire, request: Request) -> Result<(u8, Vec<u8>), u8> {
    let reply = wire.ask(request);
    match (reply.code(), reply.bins.as_slice()) {
        (0, [bin]) => Ok((bin.particle, bin.value.clone())),
        (0, bins) => panic!("{} results", bins.len()),
        (code, _) => Err(code),
    }
}

fn value(wire: &mut Wire, name: &str) -> Value {
    let (particle, value) = answer(wire, Request::read("k").bin(name)).unwrap();
    Value::decode(particle, &value).unwrap()
}

const B: &str = "82a2036ea20379a2037605";

#[test]
fn selections_answer_as_a_real_server_does() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    filled(&mut wire);
    let (list, map) = (particle::LIST, particle::MAP);
    for (name, sent, kind, given) in [
        ("m", "93ccfe 94 04c3 22a20376 01", list, "93 010509"),
        ("m", "93ccfe 92 04E 01", list, &format!("92 {B} 81a2037609")),
        ("m", "93ccfe 92 04E 00", map, &format!("82 a20362 {B} a20363 81a2037609")),
        ("m", "93ccfe 92 04E 02", list, "92 a20362 a20363"),
        ("m", "93ccfe 92 04E 03", list, &format!("94 a20362 {B} a20363 81a2037609")),
        ("m", "93ccfe 94 04 9302937a0300a20362 22a20376 03", list, "94 a20376 01 a20376 09"),
        ("l", "93ccfe 92 04 9301931a937a02020200 01", list, "92 0a 1e"),
        ("l", "93ccfe 92 04 9303937a02010f 00", list, "93 14 1e 28"),
        ("ll", "93ccfe 94 04c3 04c3 01", list, "96 010203040506"),
        ("ll", "93ccfe 94 04c3 049303937a020104 00", list, "94 90 90 90 92 0506"),
        ("m", "93ccfe 92 2a 93a20361a20363a3037a7a 02", list, "92 a20361 a20363"),
        ("m", "93ccfe 94 2a 93a20361a20362a20363 cd0204 E 02", list, "92 a20362 a20363"),
        ("l", "93ccfe 92 1009 01", list, "90"),
        ("m", "93ccfe 92 22a3037a7a 00", map, "80"),
        ("mix", "93ccfe 94 04c3 02a20376 11", list, "91 03"),
    ] {
        let expected = Ok((kind, hex(given)));
        assert_eq!(answer(&mut wire, read(name, sent)), expected, "{sent}");
        // Of a write, the same; it writes.
        assert_eq!(answer(&mut wire, write(name, sent).info1(info1::READ)), expected, "{sent}");
    }
    assert_eq!(wire.ask(Request::get("k")).head().1, 16, "a generation for each write");
    assert_eq!(answer(&mut wire, read("mix", "93ccfe 94 04c3 22a20376 11")), Err(4));
    assert_eq!(answer(&mut wire, read("m", "93ccfe 92 1000 01")), Err(4));
    // 64 steps, and one more.
    let steps =
        |count: u8| format!("93ccfe dc00{:02x} {} 01", 2 * count, "1000".repeat(count.into()));
    assert_eq!(answer(&mut wire, read("l", &steps(64))), Ok((list, vec![0x90])));
    assert_eq!(answer(&mut wire, read("l", &steps(65))), Err(4));
    // The whole message of the first one, byte for byte.
    let digest = "1bb664c1531b042b83c2f05cbbecf9dcc03b9ae7";
    let request = format!(
        "0203 000000000052 16 01000000 00 00000000 00000000 000003e8 0003 0001 \
         00000005 00 74657374 00000002 01 70 00000015 04 {digest} \
         00000010 03 04 00 01 6d 93 ccfe 94 04c3 22a20376 01"
    );
    let m = map_of_three();
    let mut first = Request::bare()
        .field(field::NAMESPACE, b"test")
        .field(field::SET, b"p")
        .field(field::DIGEST, &hex(digest))
        .info2(info2::WRITE);
    first = put(first, "m", &m);
    assert_eq!(wire.code(first), 0);
    wire.exchange(
        &request,
        "0203 000000000023 16 00000000 00 00000001 00000000 00000000 0000 0001 \
         00000009 03 14 00 01 6d 93 01 05 09",
    );
}

fn map_of_three() -> Value {
    map([
        ("a", map([("v", int(1)), ("n", "x".into())])),
        ("b", map([("v", int(5)), ("n", "y".into())])),
        ("c", map([("v", int(9))])),
    ])
}

#[test]
fn modifications_store_what_a_real_server_stores() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    filled(&mut wire);
    let more = "94ccfe 94 04c3 22a20376 04 9314937a020101";
    assert_eq!(wire.ask(write("m", more)).bins, []);
    let all = write("m", more).info2(info2::RESPOND_ALL_OPS);
    assert_eq!(wire.ask(all).bins, [ResultBin::null(op::CDT_MODIFY, "m")]);
    let v = |wire: &mut Wire| answer(wire, read("m", "93ccfe 94 04c3 22a20376 01")).unwrap().1;
    assert_eq!(v(&mut wire), hex("93 03 07 0b"));
    assert_eq!(wire.code(write("m", "94ccfe 92 04E 04 9164")), 0);
    assert_eq!(value(&mut wire, "m"), Value::Map(vec![]));
    assert_eq!(wire.code(write("l", "94ccfe 92 04c3 04 9314937a0201937a0202")), 0);
    assert_eq!(value(&mut wire, "l"), ints(&[10, 21, 32, 43]));
    // A value of another kind fails, and changes nothing; or is skipped.
    let before = value(&mut wire, "mix");
    assert_eq!(wire.code(write("mix", "94ccfe 92 04c3 04 9314937a020101")), 1);
    assert_eq!(value(&mut wire, "mix"), before);
    assert_eq!(wire.code(write("mix", "94ccfe 92 04c3 14 9314937a020101")), 0);
    let after = map([("a", int(2)), ("b", ints(&[1, 2])), ("c", map([("v", int(3))]))]);
    assert_eq!(value(&mut wire, "mix"), after);
    // An ordered list is sorted again.
    let ordered = Request::write("k").op(op::WRITE, "o", particle::LIST, &hex("94 c70001 010203"));
    assert_eq!(wire.code(ordered), 0);
    assert_eq!(wire.code(write("o", "94ccfe 92 04c3 04 93150a937a0201")), 0);
    let stored = answer(&mut wire, Request::read("k").bin("o"));
    assert_eq!(stored, Ok((particle::LIST, hex("94 c70001 070809"))));
    // Nothing matches: a write nevertheless.
    let generation = wire.ask(Request::get("k")).head().1;
    assert_eq!(wire.code(write("l", "94ccfe 92 1009 04 9164")), 0);
    assert_eq!(wire.ask(Request::get("k")).head().1, generation + 1);
    // What is stored may be anything.
    for (sent, expected) in [
        ("94ccfe 92 1000 04 c0", Value::List(vec![Value::Nil, int(21), int(32), int(43)])),
        (
            "94ccfe 92 1001 04 92 7e 92 01 90",
            Value::List(vec![
                Value::Nil,
                Value::List(vec![int(1), Value::List(vec![])]),
                int(32),
                int(43),
            ]),
        ),
    ] {
        assert_eq!(wire.code(write("l", sent)), 0, "{sent}");
        assert_eq!(value(&mut wire, "l"), expected);
    }
}

/// Servers up to 8.1.2 end at the first two, and store the third unsorted.
#[test]
fn ordered_lists_below_the_top_are_sorted_again() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    for (stored, path, expected) in [
        ("92 94c70001010203 07", "04c3 04c3", "92 94c70001070809 07"),
        ("91 94c70001010203", "1000 04c3", "91 94c70001070809"),
        ("93 07 94c70001010203 08", "1001 04c3", "93 07 94c70001070809 08"),
    ] {
        let request = Request::write("k").op(op::WRITE, "o", particle::LIST, &hex(stored));
        assert_eq!(wire.code(request), 0);
        let apply = format!("94ccfe 94 {path} 04 93150a937a0201");
        assert_eq!(wire.code(write("o", &apply)), 0, "{stored}");
        let bin = answer(&mut wire, Request::read("k").bin("o"));
        assert_eq!(bin, Ok((particle::LIST, hex(expected))), "{stored}");
    }
    let in_map = Request::write("k");
    let in_map = in_map.op(op::WRITE, "o", particle::MAP, &hex("81 a20361 94c70001010203"));
    assert_eq!(wire.code(in_map), 0);
    assert_eq!(wire.code(write("o", "94ccfe 94 22a20361 04c3 04 93150a937a0201")), 0);
    let bin = answer(&mut wire, Request::read("k").bin("o"));
    assert_eq!(bin, Ok((particle::MAP, hex("81 a20361 94c70001070809"))));
    // Also if nothing matches.
    assert_eq!(wire.code(write("o", "94ccfe 94 22a20361 1009 04 93150a937a0201")), 0);
}

/// Servers up to 8.1.2 end when the headers of several lists get shorter.
#[test]
fn several_lists_may_shrink_below_16_elements() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let twenty = ints(&(0..20).collect::<Vec<_>>());
    let lists = Value::List(vec![twenty.clone(), twenty.clone(), map([("k", twenty)])]);
    assert_eq!(wire.code(put(Request::write("k"), "ll", &lists)), 0);
    // Removes what is more than 3 of each list.
    assert_eq!(wire.code(write("ll", "94ccfe 94 04c3 04 9303937a020103 14 9164")), 0);
    let four = || ints(&[0, 1, 2, 3]);
    let bin = value(&mut wire, "ll");
    let Value::List(items) = &bin else { panic!("{bin:?}") };
    assert_eq!(items[..2], [four(), four()]);
    let deep = "94ccfe 96 1002 22a2036b 04 9303937a020103 04 9164";
    assert_eq!(wire.code(write("ll", deep)), 0);
    assert_eq!(value(&mut wire, "ll"), Value::List(vec![four(), four(), map([("k", four())])]));
}

#[test]
fn expressions_have_paths() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    filled(&mut wire);
    let eval = |wire: &mut Wire, sent: &str| {
        answer(wire, Request::read("k").op(op::EXP_READ, "r", particle::BLOB, &bytes(sent)))
    };
    let list = |given: &str| Ok((particle::LIST, hex(given)));
    // Lists of ll with more than one element: a path inside a filter.
    let long = "92 957f0400 93ccfe 92 04 9303957f02009110 957f0400 93ccfe9204c301 937a0401 01 00 \
                935104a26c6c 00";
    assert_eq!(eval(&mut wire, long), list("92 920102 93040506"));
    let v = "92 957f0400 93ccfe9404c322a2037601 935105a16d 00";
    assert_eq!(eval(&mut wire, v), list("93 010509"));
    let more = "92 957f0540 94ccfe9404c322a20376049314937a020101 935105a16d 00";
    let (kind, changed) = eval(&mut wire, more).unwrap();
    let Value::Map(pairs) = Value::decode(kind, &changed).unwrap() else { panic!() };
    let v_of = |pair: &(Value, Value)| match &pair.1 {
        Value::Map(pairs) => {
            pairs.iter().find(|(key, _)| *key == Value::from("v")).unwrap().1.clone()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(pairs.iter().map(v_of).collect::<Vec<_>>(), [int(2), int(6), int(10)]);
    assert_eq!(eval(&mut wire, v), list("93 010509"), "the record is as before");
    for (least, code) in [("01", 0), ("02", 27)] {
        let filter = format!("93 03 957f02009110 957f0400 93ccfe9204E01 935105a16d {least}");
        let request = Request::get("k").field(field::FILTER, &bytes(&filter));
        assert_eq!(wire.code(request), code, "{least}");
    }
    // Whatever fails inside is unknown, and so is a loop variable outside a path.
    for sent in [
        "92 957f0400 93ccfe9001 935105a16d 00",         // no step
        "92 957f0400 93ccfe92100001 935105a16d 00",     // a list step in a map
        "92 957f0440 93ccfe9204c301 935105a16d 00",     // marked as modifying
        "92 957f0500 94ccfe9204c3049164 935105a16d 00", // not marked
        "92 957f0500 93ccfe9204c301 935105a16d 00",     // of another type
        "92 957f0400 93ccfe9204c300 935105a16d 00",
        "92 957f0400 93ccfe9204c301 935105a16e 00", // a bin that is missing
        "92 957f0400 93ccfe9204c302 935104a16c 00", // keys of a list
        // A pattern and a GeoJSON text that do not build, also skipping what fails.
        "92 957f0400 93ccfe92 04 940701a15b937a0301 11 935105a16d 00",
        "92 957f0400 93ccfe92 04 9308937a0801a21778 11 935105a16d 00",
        "92 93 03 937a0201 01 00",
    ] {
        assert_eq!(eval(&mut wire, sent), Err(26), "{sent}");
    }
    // With flag 16 there is no value instead.
    let quiet = bytes("92 957f0400 93ccfe9001 935105a16d 10");
    let reply = wire.ask(Request::read("k").op(op::EXP_READ, "r", particle::BLOB, &quiet));
    assert_eq!((reply.code(), reply.bins), (0, vec![]));
}

/// `l` as a packed list.
const L: &str = "94 0a 14 1e 28";

#[test]
fn what_does_not_fit_is_rejected_or_skipped() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    filled(&mut wire);
    let code = |wire: &mut Wire, name: &str, sent: &str| match answer(wire, read(name, sent)) {
        Ok((_, value)) => Ok(value),
        Err(code) => Err(code),
    };
    for (name, sent, expected) in [
        ("i", "93ccfe 92 04c3 01", Err(12)), // a bin that is no list or map
        ("i", "93ccfe 90 01", Err(12)),      // whatever the path
        ("m", "94ccfe 92 04c3 04 9164", Err(4)), // changes by a read
        ("m", "93ccfe 92 2101 05", Err(4)),  // an unknown action
        ("l", "93ccfe 92 2000 11", Err(4)),  // a map step, also skipping
        ("l", "93ccfe 92 2a90 11", Err(4)),
        ("l", "93ccfe 92 02a20361 01", Err(4)), // any key
        ("l", "93ccfe 92 02a20361 11", Ok("90")),
        ("l", "93ccfe 92 0001 01", Ok("91 14")), // any index
        ("m", "93ccfe 94 00ff 22a20376 01", Ok("91 09")),
        ("l", "93ccfe 92 04c3 02", Err(12)), // keys of a list
        ("l", "93ccfe 92 04c3 12", Ok("90")),
        ("l", "93ccfe 92 1009 02", Err(12)), // although the step names nothing
        ("l", "93ccfe 92 04 93 03 937a0301a20361 02", Err(12)), // before any filter
        ("l", "93ccfe 92 04 93 03 937a0301a20361 12", Ok("90")),
        ("l", "93ccfe 92 22a20361 03", Err(12)),
        ("mix", "93ccfe 94 04c3 1000 01", Err(4)),
        ("mix", "93ccfe 94 04c3 0000 01", Ok("92 01 03")), // a scalar leads nowhere
        ("mix", "93ccfe 94 04c3 0000 00", Ok("83 a20361 01 a20362 91 01 a20363 81 a20376 03")),
        ("m", "93ccfe 92 2a01 01", Err(4)), // keys that are no list
        ("m", "93ccfe 92 2a90 01", Ok("90")),
        ("m", "93ccfe 92 2a93a20363a20361a20363 02", Ok("92 a20361 a20363")),
        ("m", "93ccfe 94 21ff 22a20376 01", Ok("91 05")), // the largest map
        ("l", "93ccfe 92 1100 01", Ok("91 0a")),
        ("l", "93ccfe 92 04 93 03 93 7a0301 a20361 01", Err(4)), // unknown: no text
        ("l", "93ccfe 92 04 93 03 93 7a0301 a20361 11", Ok("90")),
        ("l", "93ccfe 92 04 93 03 93 7a0200 01 01", Err(4)), // the key of an element of a list
        ("m", "93ccfe 92 04 93 03 93 7a0202 01 01", Err(4)), // the index in a map
        ("l", "93ccfe 92 04 93 7a0201 01", Ok("90")),        // a filter that is a number
        ("l", "93ccfe 92 04 940701a15b937a0301 11", Err(4)), // a pattern that does not build
        ("l", "93ccfe 92 04 9308937a0801a21778 11", Err(4)), // no GeoJSON
        ("l", "93ccfe 92 04 93 03 93 5102a169 01 01", Err(4)), // the record, which it does not see
        // One side that decides, and one that is unknown.
        ("l", "93ccfe 92 04 93 11 93 03 937a020101 93 03 937a0301a20361 01", Ok(L)),
        ("l", "93ccfe 92 04 93 11 93 03 937a0301a20361 93 03 937a020101 01", Ok(L)),
        ("l", "93ccfe 92 04 93 10 93 03 937a0301a20361 93 03 937a020163 01", Ok("90")),
        ("l", "93ccfe 92 04 93 10 93 03 937a0301a20361 93 03 937a020101 01", Err(4)),
        // Of the one element at a place, an unknown filter is not true; of one with a key, it fails.
        ("l", "93ccfe 94 1000 cd0204 93 03 937a0301a20361 01", Ok("90")),
        ("l", "93ccfe 94 11ff cd0204 93 03 937a0301a20361 01", Ok("90")),
        ("l", "93ccfe 94 130a cd0204 93 03 937a0301a20361 01", Err(4)),
        ("m", "93ccfe 94 22a20361 cd0204 93 03 937a020101 01", Err(4)),
        // The first key that equals a wildcard.
        ("mix", "93ccfe 92 22d4ff00 02", Ok("91 a20361")),
    ] {
        let expected = expected.map(hex);
        assert_eq!(code(&mut wire, name, sent), expected, "{name}: {sent}");
    }
    // All equal elements, by value.
    let twice = Value::List(vec![int(1), int(2), int(1)]);
    assert_eq!(wire.code(put(Request::write("k"), "t", &twice)), 0);
    assert_eq!(code(&mut wire, "t", "93ccfe 92 1301 01"), Ok(hex("92 01 01")));
    assert_eq!(code(&mut wire, "mix", "93ccfe 92 2301 02"), Ok(hex("91 a20361")));
    assert_eq!(wire.code(write("t", "94ccfe 92 1301 04 9164")), 0);
    assert_eq!(value(&mut wire, "t"), ints(&[2]));
    // Missing bins and records.
    let missing = read("none", "93ccfe 92 04c3 01");
    assert_eq!(wire.ask(missing.clone()).bins, []);
    let nulls = wire.ask(missing.info2(info2::RESPOND_ALL_OPS));
    assert_eq!(nulls.bins, [ResultBin::null(op::CDT_READ, "none")]);
    for sent in ["93ccfe 92 04c3 11", "94ccfe 92 04c3 14 9164"] {
        assert_eq!(wire.code(write("none", sent).info1(info1::READ)), 12, "{sent}");
        let unknown = Request::write("none").info1(info1::READ);
        let unknown = unknown.op(op::CDT_MODIFY, "b", particle::BLOB, &bytes(sent));
        assert_eq!(wire.code(unknown), 12, "{sent}");
    }
    let unknown = Request::read("none").op(op::CDT_READ, "b", 4, &bytes("93ccfe 92 04c3 01"));
    assert_eq!(wire.code(unknown), 2);
}

/// A fault of one element counts before those of the elements after it.
#[test]
fn elements_come_one_after_another() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let list = |items: Vec<Value>| Value::List(items);
    // The filter fails on the second element only, the keys of a list on what is in the first.
    let stored = list(vec![list(vec![int(1)]), "x".into()]);
    assert_eq!(wire.code(put(Request::write("k"), "b", &stored)), 0);
    let is_list = "04 93 02 937a0401 927e90";
    assert_eq!(answer(&mut wire, read("b", &format!("93ccfe 94 {is_list} 04c3 02"))), Err(12));
    assert_eq!(answer(&mut wire, read("b", &format!("93ccfe 94 {is_list} 04c3 01"))), Err(4));
    // The new value of the first is unknown: 1, not 4.
    let apply = format!("94ccfe 94 {is_list} 04c3 04 9314937a07010a");
    let apply = apply.replace("010a", "01cb3ff0000000000000");
    assert_eq!(wire.code(write("b", &apply)), 1);
}

/// Any step may lead into what is empty, and a tree has it as it is.
#[test]
fn nothing_is_in_empty_lists_and_maps() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let (list, map) = (particle::LIST, particle::MAP);
    for (kind, stored) in [
        (list, "90"),
        (list, "91 c70001"),
        (map, "80"),
        (map, "81 c70001 c0"),
        (map, "81 c70003c0"),
    ] {
        let request = Request::write("k").op(op::WRITE, "e", kind, &hex(stored));
        assert_eq!(wire.code(request), 0);
        for step in ["04c3", "1000", "1101", "22a20361", "2a90", "2a01", "02a20361", "00ff"] {
            let tree = answer(&mut wire, read("e", &format!("93ccfe 92 {step} 00")));
            assert_eq!(tree, Ok((kind, hex(stored))), "{stored} {step}");
            // A list has no keys; its order counts as content.
            let keys = answer(&mut wire, read("e", &format!("93ccfe 92 {step} 02")));
            let expected = if stored == "91 c70001" { Err(12) } else { Ok((list, vec![0x90])) };
            assert_eq!(keys, expected, "{stored} {step}");
            let remove = format!("94ccfe 92 {step} 04 9164");
            assert_eq!(wire.code(write("e", &remove)), 0, "{stored} {step}");
        }
    }
    // Below the top, too.
    let request = Request::write("k").op(op::WRITE, "e", list, &hex("92 91c70001 81a2036101"));
    assert_eq!(wire.code(request), 0);
    let tree = answer(&mut wire, read("e", "93ccfe 94 04c3 22a20362 00"));
    assert_eq!(tree, Ok((list, hex("92 91c70001 80"))));
}

#[test]
fn several_paths_of_one_command_see_the_changes_before() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    filled(&mut wire);
    let all = write("l", "94ccfe 92 04c3 04 9314937a020101").info1(info1::READ);
    let all = all
        .op(op::CDT_READ, "l", particle::BLOB, &bytes("93ccfe 92 1000 01"))
        .op(op::CDT_MODIFY, "l", particle::BLOB, &bytes("94ccfe 92 1000 04 9164"))
        .op(op::CDT_MODIFY, "l", particle::BLOB, &bytes("93ccfe 92 04c3 01"));
    let bins = wire.ask(all).bins;
    let got: Vec<_> = bins.iter().map(|bin| (bin.code, bin.value.clone())).collect();
    assert_eq!(got, [(op::CDT_READ, hex("91 0b")), (op::CDT_MODIFY, hex("93 15 1f 29"))]);
}

/// Filters with paths in them, and those with paths in theirs, have a limit: the stack has one.
#[test]
fn paths_within_filters_of_paths_come_to_an_end() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let deep = (0..100).fold(ints(&[1]), |inner, _| Value::List(vec![inner]));
    assert_eq!(wire.code(put(Request::write("k"), "d", &deep)), 0);
    let children = "04c3".repeat(20);
    let path = |filter: &str| format!("93ccfe dc002a {children} 04 {filter} 11");
    let within =
        |filter: String| format!("93 03 957f02009110 957f0400 {} 937a0401 00", path(&filter));
    for (levels, code) in [(3, 0), (25, 0)] {
        let filter = (0..levels).fold("93 03 937a0201 00".to_owned(), |filter, _| within(filter));
        assert_eq!(wire.code(read("d", &path(&filter))), code, "{levels}");
    }
    // Work has a limit as well: this compares each of 3000 elements with all of them, and again.
    let many = Value::List((0..3000).map(|at| ints(&[at])).collect());
    assert_eq!(wire.code(put(Request::write("k"), "m", &many)), 0);
    for (len, code) in [(3_u16, 0), (3000, 4)] {
        let literal = format!("92 7e dc{len:04x} {}", "00".repeat(len.into()));
        let count =
            |filter: &str| format!("93 03 957f02009110 957f0400 93ccfe9204{filter}01 {literal} 00");
        let filter = count(&count("93 05 937a0201 01"));
        assert_eq!(wire.code(read("m", &format!("93ccfe 92 04 {filter} 01"))), code, "{len}");
    }
}
