use super::Expression as E;
use super::*;
use crate::value::Value;

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(pair).collect()
}

fn bin(name: &str) -> E {
    E::bin(name).unwrap()
}

fn apply(op: Op, operands: impl Into<Vec<E>>) -> E {
    E::apply(op, operands.into()).unwrap()
}

fn text(text: &str) -> E {
    E::try_from(&Value::from(text)).unwrap()
}

/// Encodings that servers are known to accept.
#[test]
fn expressions_encode_as_servers_accept_them() {
    let one = E::from(1_i64);
    let int_a = E::typed_bin(Type::Int, "a").unwrap();
    let list = |bytes: &[u8]| {
        E::constant(Constant::Packed(Type::List, bytes.to_vec())).map(Argument::Expression).unwrap()
    };
    let call = |modifies, number, arguments| {
        E::call(Call {
            result: Some(if modifies { Type::List } else { Type::Int }),
            system: 0,
            modifies,
            context: None,
            number,
            arguments,
            on: E::typed_bin(Type::List, "l").unwrap(),
        })
        .unwrap()
    };
    let five = E::from(5_i64);
    for (built, known) in [
        (apply(Op::Gt, [bin("a"), five.clone()]), "93 03 93 51 02 a161 05"),
        (apply(Op::Eq, [bin("a"), text("x")]), "93 01 93 51 03 a161 a20378"),
        (apply(Op::Add, [int_a.clone(), one]), "93 14 93 51 02 a161 01"),
        (E::regex(bin("s"), "^ab", 2).unwrap(), "94 07 02 a35e6162 93 51 03 a173"),
        (
            E::bind(vec![(b"x".to_vec(), int_a)], apply(Op::Gt, [E::var("x").unwrap(), five]))
                .unwrap(),
            "94 7d a178 93 51 02 a161 93 03 92 7c a178 05",
        ),
        (call(false, 16, vec![]), "95 7f 02 00 91 10 93 51 04 a16c"),
        (
            call(true, 1, vec![list(&[0x92, 1, 2])]),
            "95 7f 04 40 92 01 92 7e 92 01 02 93 51 04 a16c",
        ),
    ] {
        assert_eq!(built.encode().unwrap(), hex(known), "{built}");
        assert_eq!(E::decode(&hex(known)).unwrap(), built, "{built}");
    }
}

#[test]
fn bins_take_the_type_they_are_used_with() {
    for (built, text) in [
        (apply(Op::Gt, [bin("a"), 2.5.into()]), "$.a:FLOAT > 2.5"),
        (
            apply(Op::Le, [apply(Op::Add, [bin("a"), bin("b")]), 7.into()]),
            "($.a:INT + $.b:INT) <= 7",
        ),
        (
            apply(Op::Eq, [apply(Op::Cond, [bin("t"), bin("a"), bin("b")]), text("it's")]),
            "when($.t:BOOL => $.a:STRING, default => $.b:STRING) == 'it''s'",
        ),
        (apply(Op::Mod, [bin("a"), bin("b c")]), "$.a:INT % $.'b c':INT"),
        (apply(Op::In, [5.into(), bin("a")]), "5 in $.a:LIST"),
    ] {
        assert_eq!(built.to_string(), text);
        assert_eq!(E::decode(&built.encode().unwrap()).unwrap(), built);
    }
    let filter = bin("flag").filter().unwrap();
    assert_eq!(E::decode(&filter).unwrap().to_string(), "$.flag:BOOL");
    assert!(matches!(apply(Op::Eq, [bin("a"), bin("b")]).encode(), Err(Fault::Type(_))));
    assert!(bin("a").encode().is_err());
}

#[test]
fn mismatched_operand_types_are_rejected() {
    let int = || E::from(1_i64);
    let error = |op, operands: Vec<E>| E::apply(op, operands).unwrap_err().to_string();
    assert_eq!(
        error(Op::Eq, vec![int(), text("x")]),
        "`==` needs operands of one type, not INT and STRING"
    );
    assert_eq!(error(Op::And, vec![int(), true.into()]), "`and` takes BOOL, not INT");
    assert_eq!(error(Op::And, vec![true.into()]), "`and` takes two operands or more, not 1");
    assert_eq!(error(Op::Add, vec![text("x"), text("y")]), "`+` takes INT or FLOAT, not STRING");
    assert_eq!(error(Op::Floor, vec![int()]), "`floor` takes FLOAT, not INT");
    assert!(E::apply(Op::Cond, vec![true.into(), int(), text("x")]).is_err());
    assert!(E::apply(Op::Cond, vec![true.into(), int()]).is_err());
    assert!(E::apply(Op::Add, vec![]).is_err() && E::apply(Op::Cond, vec![]).is_err());
    assert!(E::apply(Op::Eq, vec![E::typed_bin(Type::Geo, "g").unwrap(), bin("h")]).is_err());
    assert!(E::digest_modulo(0).is_err() && E::key(Type::Float).is_err());
    assert!(E::bin("").is_err() && E::bin("a name too long!").is_err() && E::bin("a\0").is_err());
    assert!(int().filter().is_err());
    // Variables show their types where they are bound.
    let x = || E::var("x").unwrap();
    let define = |value: E, scope: E| E::bind(vec![(b"x".to_vec(), value)], scope).unwrap();
    let scope = apply(Op::Gt, [x(), 5.into()]);
    assert!(define(int(), scope.clone()).encode().is_ok());
    assert!(define(text("x"), scope.clone()).encode().is_err());
    assert!(define(int(), define(int(), scope.clone())).encode().is_err());
    assert!(scope.encode().is_err());
    assert!(apply(Op::Eq, [x(), x()]).encode().is_err());
}

#[test]
#[cfg_attr(miri, ignore = "large, and slow there")]
fn size_and_depth_are_bounded() {
    let mut deep = E::from(true);
    while let Ok(deeper) = E::apply(Op::Not, vec![deep.clone()]) {
        deep = deeper;
    }
    assert_eq!(deep.depth, DEPTH);
    assert_eq!(E::decode(&deep.encode().unwrap()).unwrap(), deep);
    let mut bytes = [0x92, 18].repeat(100_000);
    bytes.push(0xc3);
    assert!(E::decode(&bytes).is_err());
    // A tree with shared parts is small in memory and would be huge on the wire.
    let mut wide = E::from(1_i64);
    while let Ok(wider) = E::apply(Op::Add, vec![wide.clone(), wide.clone()]) {
        wide = wider;
    }
    assert!(wide.depth < 30);
}

#[test]
fn broken_bytes_are_rejected() {
    for bytes in [
        "",
        "90",
        "91 80",
        "93 03 93 51 02 a161 05 00", // trailing byte
        "93 03 93 51 02 a161",       // cut
        "92 03 05",                  // one operand
        "93 01 05 a20378",           // int and string
        "93 51 00 a161",             // no type
        "93 51 0a a161",             // no such type
        "92 7e 05",                  // quoted scalar
        "92 7d a178",                // let without a scope
        "92 7c a178",                // unknown variable
        "92 7f 00",
        "95 7f 02 03 91 10 93 51 04 a16c", // no such system
        "95 7f 02 00 90 93 51 04 a16c",    // empty call
        "92 cc80 a461626364",              // text for newer servers
        "d4ff00",                          // wildcard
    ] {
        assert!(E::decode(&hex(bytes)).is_err(), "{bytes}");
    }
}

#[test]
fn operations_carry_flags() {
    let sum = apply(Op::Add, [bin("a"), 1.into()]);
    let bytes = sum.operation(16).unwrap();
    assert_eq!(bytes, hex("92 93 14 93 51 02 a161 01 10"));
    assert_eq!(E::decode_operation(&bytes).unwrap(), (sum.clone(), 16));
    assert_eq!(E::decode_operation(&hex("91 93 14 93 51 02 a161 01 99")).unwrap(), (sum, 0));
    assert!(E::decode_operation(&hex("93 05 00 00")).is_err());
}

#[test]
fn maps_are_ordered_so_that_they_compare() {
    let map = Value::Map(vec![
        (Value::from("b"), Value::from(1_i64)),
        (Value::from(7_i64), Value::List(vec![Value::Map(vec![])])),
    ]);
    let built = E::try_from(&map).unwrap();
    assert_eq!(built.encode().unwrap(), hex("83 c70001 c0 07 9180 a20362 01"));
    assert_eq!(built.to_string(), "{7: [{}], 'b': 1}");
    let twice = Value::Map(vec![(1_i64.into(), Value::Nil), (1_i64.into(), Value::Nil)]);
    assert!(E::try_from(&twice).is_err());
}

#[test]
fn a_variable_may_not_be_redefined_in_its_scope() {
    let define = |name: &str, value: E, scope: E| {
        E::bind(vec![(name.as_bytes().to_vec(), value)], scope).unwrap()
    };
    let one = || E::from(1_i64);
    let x = || E::var("x").unwrap();
    let y = || E::var("y").unwrap();
    for nested in [
        define("x", define("x", one(), x()), x()),
        define("x", one(), define("x", one(), x())),
        define("x", define("y", define("x", one(), x()), y()), x()),
    ] {
        let fault = nested.check().unwrap_err();
        assert!(fault.to_string().contains("the variable \"x\" is defined twice"), "{fault}");
        assert_eq!(nested.redefined(), Some(&b"x"[..]));
    }
    // Two successive definitions of the same name are allowed.
    let apart = define("x", define("y", one(), y()), define("y", x(), y()));
    assert!(apart.check().is_ok() && apart.redefined().is_none());
}

/// Images keep unknown types; they are neither decoded as wire data nor sent.
#[test]
fn images_round_trip_with_unknown_types() {
    let call = |name: &str, returning: i64| {
        E::call(Call {
            result: crate::cdt::return_type::kind(returning, true),
            system: 0,
            modifies: false,
            context: None,
            number: 19,
            arguments: vec![Argument::Raw(vec![returning as u8]), Argument::Raw(vec![0])],
            on: bin(name),
        })
        .unwrap()
    };
    let (value, nothing) = (crate::cdt::return_type::VALUE, crate::cdt::return_type::NONE);
    for whole in [
        bin("a"),
        apply(Op::Eq, [bin("a"), bin("b")]),
        apply(Op::Add, [call("l", value), bin("a")]),
        call("l", nothing),
        text(""),
        apply(Op::Gt, [bin("a"), E::var("x").unwrap()]),
    ] {
        let read = E::from_image(&whole.image()).unwrap();
        assert_eq!(read, whole, "{whole}");
        assert_eq!(read.kind(), whole.kind(), "{whole}");
    }
    assert!(E::decode(&bin("a").image()).is_err(), "nothing says of which type it is");
    assert!(E::from_image(b"\x93").is_err());
}

/// The bytes of string functions, as another client sends them.
#[test]
fn string_functions_have_the_bytes_of_other_clients() {
    use crate::cdt::Step;
    use crate::operation::{Arguments, Family, OperandArguments, Words, number_of, within};

    /// Operands by position; `true` flags and words by name.
    struct Operands(Vec<Option<Expression>>, Vec<&'static str>);

    impl Arguments for Operands {
        type Error = Fault;

        fn count(&self) -> usize {
            self.0.len()
        }
        fn is_absent(&self, at: usize) -> bool {
            self.0[at].is_none()
        }
        fn bits(&self, _: usize, name: &'static str, bounds: (i64, i64)) -> Result<i64, Fault> {
            within(name, 0, bounds)
        }
        fn flag(&self, _: usize, name: &'static str) -> Result<bool, Fault> {
            Ok(self.1.contains(&name))
        }
        fn word(&self, _: usize, name: &'static str, known: &Words) -> Result<i64, Fault> {
            number_of(known, name, known[0].0)
        }
    }

    impl OperandArguments for Operands {
        fn operand(&self, at: usize, _: &'static str) -> Result<Expression, Fault> {
            Ok(self.0[at].clone().unwrap())
        }
    }

    let text = |text: &str| {
        let constant = Constant::Bytes(Type::Str, text.as_bytes().to_vec());
        Expression::constant(constant).unwrap()
    };
    let a = || Expression::bin("a").unwrap();
    let call = |name: &str, mut operands: Vec<Expression>, flags: &[&'static str]| {
        let count = Family::String.signature(name).unwrap().parameters.len();
        operands.reverse();
        let operands = (0..count).map(|_| operands.pop()).collect();
        let operands = Operands(operands, flags.to_vec());
        Family::String.call(name, a(), &operands, &[] as &[Step<Vec<u8>>], None)
    };
    let hex = |expression: Expression| {
        let bytes = expression.encode().unwrap();
        assert_eq!(Expression::decode(&bytes).unwrap(), expression);
        bytes.iter().fold(String::new(), |all, byte| format!("{all}{byte:02x}"))
    };
    let with = |op, call: Result<Expression, Fault>, other: Expression| {
        hex(Expression::apply(op, vec![call.unwrap(), other]).unwrap())
    };
    let (x, y) = (|| text("x"), || text("y"));
    let length = call("length", vec![], &[]);
    assert_eq!(with(Op::Gt, length, 3.into()), "9303957f02039100935103a16103");
    let find = call("find", vec![x(), 2.into()], &[]);
    assert_eq!(with(Op::Eq, find, 0.into()), "9301957f02039303a2037802935103a16100");
    let substring = call("substring", vec![1.into(), 2.into()], &[]);
    assert_eq!(with(Op::Eq, substring, x()), "9301957f030393010102935103a161a20378");
    let upper = call("upper", vec![], &[]);
    assert_eq!(with(Op::Eq, upper, text("X")), "9301957f0343923800935103a161a20358");
    let replace = call("replace", vec![x(), y()], &["no_fail"]);
    let expected = "9301957f03439336927e92a20378a2037904935103a161a20358";
    assert_eq!(with(Op::Eq, replace, text("X")), expected);
    let regex = call("replace_matches", vec![x(), y()], &["every", "no_fail"]);
    let expected = "957f03439442927e92a20378a203791004935103a161";
    assert_eq!(hex(regex.unwrap()), expected);
    let number = Expression::typed_bin(Type::Int, "n").unwrap();
    let as_text = Expression::apply(Op::ToText, vec![number]);
    assert_eq!(with(Op::Eq, as_text, text("5")), "93019263935102a16ea20335");
    let split = call("split", vec![], &[]);
    let list = Expression::constant(Constant::Packed(Type::List, vec![0x91, 0xa2, 3, b'x']));
    let expected = "9301957f0403910e935103a161927e91a20378";
    assert_eq!(with(Op::Eq, split, list.unwrap()), expected);
    let error = call("replace", vec![x(), a()], &[]).unwrap_err().to_string();
    assert!(error.contains("must be constants"), "{error}");
    let error = call("substring", vec![(1_i64 << 40).into()], &[]).unwrap_err().to_string();
    assert!(error.contains("start must be from -134217728 to 134217728"), "{error}");
}
