//! Path expressions byte for byte, as real servers and the vendor's clients have them.

use super::*;
use crate::cdt::context::At;
use crate::expression::Op;
use crate::expression::text::{parse, parse_element, parse_filter};
use crate::value::Value;

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

fn packed(value: impl Into<Value>) -> Vec<u8> {
    let mut out = Vec::new();
    value.into().encode_nested(&mut out);
    out
}

fn key(name: &str) -> PathStep {
    PathStep::At(Step::map_key(packed(name)))
}

fn keys(names: &[&str]) -> PathStep {
    PathStep::KeysIn(packed(Value::List(names.iter().map(|name| Value::from(*name)).collect())))
}

fn index(at: i64) -> PathStep {
    PathStep::At(Step::list_index(at))
}

fn element(text: &str) -> Expression {
    parse_element(text, &[]).unwrap_or_else(|error| panic!("{}", error.excerpt(text)))
}

fn where_(text: &str) -> PathStep {
    PathStep::children_where(element(text)).unwrap()
}

const ALL: PathStep = PathStep::Children(None);

/// `value.v > 2`.
const E: &str = "93 03 95 7f0200 93 6107a20376 93 7a0501 02";

fn bytes(operation: &PathOperation) -> Vec<u8> {
    let mut out = Vec::new();
    operation.encode(&mut out);
    out
}

#[test]
fn operations_are_byte_for_byte_those_of_servers() {
    use PathReturn::{Key, KeyValue, Tree, Value as Values};
    let select = |steps: Vec<PathStep>, returns, no_fail| {
        PathOperation::select(steps, returns, no_fail).unwrap()
    };
    let above = || where_("@.v > 2");
    let untyped = PathStep::At(Step::new(Inside::Either, At::Key(packed("v"))));
    let cases = [
        (select(vec![ALL, key("v")], Values, false), "93ccfe 94 04c3 22a20376 01"),
        (select(vec![above()], Values, false), "93ccfe 92 04E 01"),
        (select(vec![above()], Tree, false), "93ccfe 92 04E 00"),
        (select(vec![above()], Key, false), "93ccfe 92 04E 02"),
        (select(vec![above()], KeyValue, false), "93ccfe 92 04E 03"),
        (
            select(vec![where_("@key != 'b'"), key("v")], KeyValue, false),
            "93ccfe 94 04 9302937a0300a20362 22a20376 03",
        ),
        (
            select(vec![where_("@index % 2 == 0")], Values, false),
            "93ccfe 92 04 9301931a937a02020200 01",
        ),
        (select(vec![where_("@ > 15")], Tree, false), "93ccfe 92 04 9303937a02010f 00"),
        (select(vec![ALL, ALL], Values, false), "93ccfe 94 04c3 04c3 01"),
        (select(vec![ALL, where_("@ > 4")], Tree, false), "93ccfe 94 04c3 049303937a020104 00"),
        (
            select(vec![keys(&["a", "c", "zz"])], Key, false),
            "93ccfe 92 2a 93a20361a20363a3037a7a 02",
        ),
        (
            select(
                vec![keys(&["a", "b", "c"]), PathStep::and_where(element("@.v > 2")).unwrap()],
                Key,
                false,
            ),
            "93ccfe 94 2a 93a20361a20362a20363 cd0204 E 02",
        ),
        (select(vec![index(9)], Values, false), "93ccfe 92 1009 01"),
        (select(vec![key("zz")], Tree, false), "93ccfe 92 22a3037a7a 00"),
        (select(vec![ALL, untyped], Values, true), "93ccfe 94 04c3 02a20376 11"),
        (select(vec![index(0)], Values, false), "93ccfe 92 1000 01"),
        (
            PathOperation::modify(vec![ALL, key("v")], element("@ + 1"), false).unwrap(),
            "94ccfe 94 04c3 22a20376 04 9314937a020101",
        ),
        (PathOperation::remove(vec![above()], false).unwrap(), "94ccfe 92 04E 04 9164"),
        (
            PathOperation::modify(vec![ALL], element("@ + @index"), false).unwrap(),
            "94ccfe 92 04c3 04 9314937a0201937a0202",
        ),
        (
            PathOperation::modify(vec![ALL], element("@ + 1"), true).unwrap(),
            "94ccfe 92 04c3 14 9314937a020101",
        ),
        (
            PathOperation::modify(vec![ALL], element("10 - @"), false).unwrap(),
            "94ccfe 92 04c3 04 93150a937a0201",
        ),
    ];
    for (operation, expected) in cases {
        // The name of the expression is no hexadecimal digit where it stands for itself.
        let expected = hex(&expected.replace("04E", &format!("04{E}")).replace(" E ", E));
        assert_eq!(bytes(&operation), expected, "{operation:?}");
        assert!(PathOperation::is_in(&expected));
        assert_eq!(PathOperation::decode(&expected).unwrap(), operation);
        let more = [&expected[..], &[0xc1, 0]].concat();
        assert_eq!(PathOperation::decode(&more).unwrap(), operation, "bytes after it");
    }
}

#[test]
fn calls_are_byte_for_byte_those_of_servers() {
    let cases = [
        ("$.m:MAP.*.v", "957f0400 93ccfe9404c322a2037601 935105a16d"),
        ("$.m:MAP.*.v.modify(@ + 1)", "957f0540 94ccfe9404c322a20376049314937a020101 935105a16d"),
        (
            "$.m:MAP.*[?(@.v > 2)].count() > 1",
            "93 03 957f02009110 957f0400 93ccfe9204E01 935105a16d 01",
        ),
        (
            // Lists with more than one element: a path inside a filter.
            "$.ll.[?(@:LIST.*.count() > 1)]",
            "957f0400 93ccfe 92 04 9303957f02009110 957f0400 93ccfe9204c301 937a0401 01 01 \
             935104a26c6c",
        ),
        (
            "$.ll.[?(@:LIST.*.count() > 1)].getTree()",
            "957f0400 93ccfe 92 04 9303957f02009110 957f0400 93ccfe9204c301 937a0401 01 00 \
             935104a26c6c",
        ),
        ("$.m:MAP.*[?(@.v > 2)].remove()", "957f0540 94ccfe 92 04E 04 9164 935105a16d"),
    ];
    for (text, expected) in cases {
        let tree = parse(text, &[]).unwrap_or_else(|error| panic!("{}", error.excerpt(text)));
        let expected = hex(&expected.replace("04E", &format!("04{E}")));
        assert_eq!(tree.of_record().unwrap(), expected, "{text}");
        assert_eq!(Expression::decode(&expected).unwrap(), tree, "{text}");
        assert_eq!(parse(&tree.to_string(), &[]).unwrap(), tree, "{tree}");
    }
}

#[test]
fn malformed_operations_are_rejected() {
    for malformed in [
        "92ccfe 92 04c3",                          // no flags
        "93ccfe 90 01",                            // no step
        "93ccfe 91 04 01",                         // half a step
        "93ccfe c3 01",                            // no list
        "93ccfe 92 0ac3 01",                       // an unknown step
        "93ccfe 92 ffc3 01",                       // a negative one
        "93ccfe 92 a203c3 01",                     // a string as one
        "93ccfe 92 12a20361 01",                   // a key in a list
        "93ccfe 92 62a20361 01",                   // create bits on a key
        "93ccfe 92 cd0110 00 01",                  // an index that is kept
        "93ccfe 92 04c2 01",                       // a filter that is false
        "93ccfe 92 04c0 01",                       // nil
        "93ccfe 92 0401 01",                       // a number
        "93ccfe 92 049163 01",                     // one that is no expression
        "93ccfe 92 0493010105a1 01",               // one of too few parts
        "93ccfe 92 0493 01 01 a20361 01",          // operands of two types
        "93ccfe 92 04 93 03 93 7a 0203 01 01",     // an unknown loop variable
        "93ccfe 92 04 93 03 93 7a 0302 a20361 01", // an index of text
        "93ccfe 92 cd0204c3 01",                   // a filter of nothing
        "93ccfe 94 04c3 cd0204c3 01",              // a filter after children
        "93ccfe 96 1000 cd0204c3 cd0204c3 01",     // two filters
        "93ccfe 92 cd0200c3 01",                   // half of one
        "93ccfe 92 10a20361 01",                   // an index of text
        "93ccfe 92 2101 05",                       // an unknown action
        "93ccfe 92 04c3 0f",                       // another one
        "93ccfe 92 04c3 04",                       // nothing to apply
        "94ccfe 92 04c3 01 9164",                  // something with a selection
        "94ccfe 92 04c3 04 92 64 01",              // a removal with an operand
        "94ccfe 92 04c3 04 93 14 9164 01",         // a removal in an expression
        "94ccfe 92 04c3 04 d4ff00",                // a wildcard
        "94ccfe 92 04c3 04 d4ff01",                // infinity
        "93ccfe 92 04c3 a0",                       // flags of text
    ] {
        assert!(PathOperation::decode(&hex(malformed)).is_err(), "{malformed}");
    }
    // Create bits of a step into a list, and unknown flags, mean nothing.
    let read = PathOperation::decode(&hex("93ccfe 92 cc50 00 e1")).unwrap();
    assert_eq!(read, PathOperation::select(vec![index(0)], PathReturn::Value, false).unwrap());
    assert!(!PathOperation::is_in(&hex("93ccff 92 2001 9110")));
    assert!(!PathOperation::is_in(&[]));
    // Inside an expression a malformed path has no value.
    let tree = Expression::decode(&hex("957f0400 93ccfe9001 935105a16d")).unwrap();
    assert!(matches!(tree.node(), Node::Path(PathCall { operation: None, .. })));
    assert!(tree.of_record().is_err());
}

#[test]
fn a_path_has_1_to_64_steps() {
    let steps = |count: usize| vec![index(0); count];
    let select = |count| PathOperation::select(steps(count), PathReturn::Value, false);
    assert!(select(64).is_ok());
    for count in [0, 65] {
        let fault = select(count).unwrap_err().to_string();
        assert_eq!(fault, format!("a path has 1 to 64 steps, not {count}"));
    }
    let mut long = hex("93ccfe dc0082");
    long.extend([0x10, 0].repeat(65));
    long.push(1);
    assert!(PathOperation::decode(&long).is_err());
}

#[test]
fn what_no_server_takes_is_refused_before_it_is_sent() {
    let refused =
        |steps: Vec<PathStep>| PathOperation::remove(steps, false).unwrap_err().to_string();
    let and = || PathStep::and_where(element("@ > 1")).unwrap();
    assert!(refused(vec![and()]).starts_with("path[0]: it must follow"));
    assert!(refused(vec![index(0), ALL, and()]).starts_with("path[2]: it cannot follow"));
    assert!(refused(vec![index(0), and(), and()]).starts_with("path[2]: a step has one filter"));
    let creating = Step::list_index(0).creating(Create::Unordered);
    assert!(refused(vec![PathStep::At(creating)]).contains("create nothing"));
    for (filter, why) in [
        ("@ + 1", "takes BOOL"),
        ("'x'", "takes BOOL, not STRING"),
        ("$.a > 1", "not the record"),
        ("$.ttl() > 1 or @ == 1", "not the record"),
        ("@ == $.digestModulo(3)", "not the record"),
        ("$.m:MAP.*.count() > @index", "not the record"),
    ] {
        let fault = PathStep::children_where(element(filter)).unwrap_err().to_string();
        assert!(fault.contains(why), "{filter}: {fault}");
    }
    let value = PathOperation::modify(vec![ALL], element("$.a:INT + @"), false);
    assert!(value.unwrap_err().to_string().contains("not the record"));
    let untyped = || Expression::loop_var(None, LoopPart::Value).unwrap();
    let fault = PathOperation::modify(vec![ALL], untyped(), false).unwrap_err().to_string();
    assert_eq!(fault, "nothing says of which type the loop variable @ is");
    let same = Expression::apply(Op::Eq, vec![untyped(), untyped()]).unwrap();
    assert!(PathStep::children_where(same).unwrap_err().to_string().contains("nothing says"));
    assert!(PathStep::children_where(untyped()).is_ok(), "a bool");
    // Loop variables are known in paths only.
    let outside = Expression::apply(Op::Gt, vec![element("@:INT"), 1_i64.into()]);
    let outside = outside.unwrap();
    for result in [outside.filter(), outside.operation(0), outside.of_record()] {
        assert!(result.unwrap_err().to_string().contains("the loop variable @ has a value only"));
    }
    assert!(Expression::loop_var(Some(Type::Str), LoopPart::Index).is_err());
    assert!(Expression::loop_var(Some(Type::Float), LoopPart::Key).is_err());
    assert!(
        Expression::path(
            Expression::bin("b").unwrap(),
            PathOperation::remove(vec![index(0)], false).unwrap()
        )
        .is_ok()
    );
    let of_map = Expression::typed_bin(Type::Map, "b").unwrap();
    let into_list = PathOperation::remove(vec![index(0)], false).unwrap();
    assert!(Expression::path(of_map, into_list).is_err());
}

#[test]
fn texts_have_paths() {
    for (text, read) in [
        ("$.books[?(@.price < 10)].title", "$.books:LIST.*[?(@.price:INT < 10)].title"),
        ("$.l.[?(@:INT > 1)].count() > 0", "$.l:LIST.*[?(@:INT > 1)].count() > 0"),
        ("$.l.[*].exists()", "$.l:LIST.*.count() > 0"),
        ("$.m.{*}", "$.m:MAP.*"),
        ("$.m.k.*.v", "$.m.k.*.v"),
        ("$.l.[0].*", "$.l.[0].*"),
        ("$.m.{?(@key =~ /^a/)}.getKeys()", "$.m:MAP.*[?(@key:STRING =~ /^a/)].getKeys()"),
        ("$.m.{@'a', 'b'}.v", "$.m.{@'a', 'b'}.v"),
        ("$.m.{@'a', 'b'}&[?(@.v > 2)]", "$.m.{@'a', 'b'}&[?(@.v:INT > 2)]"),
        ("$.l.[=3]&[?(@index > 0)]", "$.l.[=3]&[?(@index > 0)]"),
        ("$.m:MAP.*.v.getTree(NO_FAIL)", "$.m:MAP.*.v.getTree(NO_FAIL)"),
        ("$.m:MAP.*.v.get()", "$.m:MAP.*.v"),
        ("$.m:MAP.*.v.get(NO_FAIL)", "$.m:MAP.*.v.get(NO_FAIL)"),
        ("$.m:MAP.*.remove(NO_FAIL)", "$.m:MAP.*.remove(NO_FAIL)"),
        ("$.m:MAP.*.modify(@ * 2.0, NO_FAIL)", "$.m:MAP.*.modify(@:FLOAT * 2.0, NO_FAIL)"),
        ("$.m:MAP.*[?(@.[0] == 1 and @.[1].k)]", "$.m:MAP.*[?(@.[0]:INT == 1 and @.[1].k:BOOL)]"),
        ("'x' in $.books.[*].title", "'x' in $.books:LIST.*.title"),
        (
            "let(x = 1) then ($.l.[?(let(x = @:INT) then (${x} > 1))].count() > ${x})",
            "let(x = 1) then ($.l:LIST.*[?(let(x = @:INT) then (${x} > 1))].count() > ${x})",
        ),
    ] {
        let tree = parse(text, &[]).unwrap_or_else(|error| panic!("{}", error.excerpt(text)));
        assert_eq!(tree.to_string(), read, "{text}");
        assert_eq!(parse(read, &[]).unwrap(), tree, "{read}");
        assert_eq!(Expression::decode(&tree.of_record().unwrap()).unwrap(), tree, "{text}");
    }
    let (ten, x) = (Expression::from(10_i64), Expression::try_from(&Value::from("x")).unwrap());
    let tree = parse("$.books[?(@.price < ? and @.title != ?)]", &[ten, x]).unwrap();
    let read = "$.books:LIST.*[?(@.price:INT < 10 and @.title:STRING != 'x')]";
    assert_eq!(tree.to_string(), read);
}

#[test]
fn errors_in_paths_name_their_place() {
    for (text, at, why) in [
        ("$.m.* == [1]", 0..5, "LIST or a MAP"),
        ("$.l:MAP.[?(@ > 1)]", 0..18, "looks into a LIST"),
        ("@ > 1", 0..1, "a filter of a path"),
        ("$.l.[?(@ > 1]", 12..13, "`)`"),
        ("$.l.[?(@ + 1)]", 7..12, "BOOL"),
        ("$.l.[?(@ == @)]", 7..13, "nothing says"),
        ("$.l.[?($.a > @)]", 7..14, "not the record"),
        ("$.l.[?(@ > 1)] == @", 18..19, "a filter of a path"),
        ("$.l.[1:2].[*]", 3..9, "one element, several keys"),
        ("$.l.[].[*]", 3..6, ".[*]"),
        ("$.l.[*].getTree(FAIL)", 16..20, "`)`"),
        ("$.l.[*]:INT == 1", 0..11, "gives LIST"),
        ("let(x = 1) then ($.l.[?(@ > ${x})].count() > 0)", 28..32, "not defined"),
        ("?(1)", 0..2, "begins a filter"),
    ] {
        let error = parse(text, &[]).unwrap_err();
        let actual = (error.at.clone(), error.to_string());
        assert!(actual.0 == at && actual.1.contains(why), "{text}: {actual:?}");
    }
    assert!(parse_filter("$.l.[?(@ > 1)]", &[]).unwrap_err().to_string().contains("BOOL"));
    assert!(parse_filter("$.l.[?(@ > 1)].exists()", &[]).is_ok());
}

/// Whatever bytes come, what is read of them is written, and read again as the same.
#[test]
#[cfg_attr(miri, ignore = "large, and slow there")]
fn changed_bytes_are_rejected_or_stable() {
    let seeds = [
        "93ccfe 94 04c3 22a20376 01",
        "93ccfe 94 2a 93a20361a20362a20363 cd0204 93 03 95 7f0200 93 6107a20376 93 7a0501 02 02",
        "94ccfe 92 04 9303957f02009110 957f0400 93ccfe9204c301 937a0401 01 14 9314937a020101",
        "94ccfe 96 1000 13 8201c002c0 cd0204c3 04 9164",
    ];
    let mut random = 7_u64;
    let mut below = |limit: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (random >> 33) as usize % limit
    };
    let mut valid = 0;
    for _ in 0..20_000 {
        let mut input = hex(seeds[below(seeds.len())]);
        for _ in 0..=below(3) {
            let at = below(input.len());
            match below(4) {
                0 => input[at] = below(256) as u8,
                1 => input[at] ^= 1 << below(8),
                2 => input.insert(at, below(256) as u8),
                _ => input.truncate(at.max(1)),
            }
        }
        let Ok(read) = PathOperation::decode(&input) else { continue };
        valid += 1;
        let again = PathOperation::decode(&bytes(&read)).expect("its own bytes");
        assert_eq!(bytes(&again), bytes(&read), "{input:02x?}");
    }
    assert!(valid > 500, "{valid}");
}
