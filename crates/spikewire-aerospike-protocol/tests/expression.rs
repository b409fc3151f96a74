//! Expressions of all shapes: to the wire and back, to text and back, and arbitrary input.

use proptest::prelude::*;
use spikewire_aerospike_protocol::expression::op::Signature;
use spikewire_aerospike_protocol::expression::text::{parse, parse_filter};
use spikewire_aerospike_protocol::expression::{Expression as E, Meta, Op, Type};
use spikewire_aerospike_protocol::value::Value;

fn value(kind: Type) -> BoxedStrategy<Value> {
    let element = prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (-1e9..1e9).prop_map(Value::Float),
        "[a-z'\" é]{0,8}".prop_map(Value::Str),
        prop::collection::vec(any::<u8>(), 0..8).prop_map(Value::Bytes),
    ];
    let pairs = prop::collection::btree_map("[a-z]{0,4}", element.clone(), 0..4)
        .prop_map(|pairs| pairs.into_iter().map(|(key, value)| (Value::Str(key), value)).collect());
    match kind {
        Type::Nil => Just(Value::Nil).boxed(),
        Type::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        Type::Int => any::<i64>().prop_map(Value::Int).boxed(),
        Type::Float => {
            prop_oneof![-1e3..1e3, Just(1e300), Just(-0.0)].prop_map(Value::Float).boxed()
        }
        Type::Str => "[a-z'\"\\\\/ é]{0,40}".prop_map(Value::Str).boxed(),
        Type::Blob => prop::collection::vec(any::<u8>(), 0..40).prop_map(Value::Bytes).boxed(),
        Type::Geo => "[a-z'{}]{0,9}".prop_map(Value::GeoJson).boxed(),
        Type::Hll => prop::collection::vec(any::<u8>(), 0..9).prop_map(Value::Hll).boxed(),
        Type::List => {
            prop::collection::vec(prop_oneof![element, pairs.prop_map(Value::Map)], 0..20)
                .prop_map(Value::List)
                .boxed()
        }
        Type::Map => pairs.prop_map(Value::Map).boxed(),
    }
}

fn leaf(kind: Type) -> BoxedStrategy<E> {
    let constant = value(kind).prop_map(|value| E::try_from(&value).unwrap());
    if kind == Type::Nil {
        return constant.boxed();
    }
    let name = prop_oneof!["[a-z_][a-zA-Z0-9_]{0,14}", "[a-z '.é-]{1,7}"];
    let bin = name.prop_map(move |name| E::typed_bin(kind, name).unwrap());
    let metas: Vec<E> =
        Meta::ALL.iter().filter(|meta| meta.kind() == kind).map(|meta| E::meta(*meta)).collect();
    match kind {
        Type::Int => prop_oneof![
            constant,
            bin,
            prop::sample::select(metas),
            (1..99_i64).prop_map(|divisor| E::digest_modulo(divisor).unwrap()),
            Just(E::key(Type::Int).unwrap()),
            Just(E::bin_type("x").unwrap()),
        ]
        .boxed(),
        Type::Bool | Type::Str => prop_oneof![constant, bin, prop::sample::select(metas)].boxed(),
        _ => prop_oneof![constant, bin].boxed(),
    }
}

/// Expressions of a type, up to a depth.
fn tree(kind: Type, depth: u32) -> BoxedStrategy<E> {
    let Some(depth) = depth.checked_sub(1) else { return leaf(kind) };
    let mut all = vec![leaf(kind)];
    let apply = |op: Op, operands: Vec<BoxedStrategy<E>>| {
        operands.prop_map(move |operands| E::apply(op, operands).unwrap()).boxed()
    };
    for op in Op::ALL.iter().copied() {
        let two = |kind| vec![tree(kind, depth), tree(kind, depth)];
        match op.signature() {
            Signature::Compare if kind == Type::Bool => {
                for kind in [Type::Nil, Type::Int, Type::Str, Type::List] {
                    all.push(apply(op, two(kind)));
                }
            }
            Signature::Geo if kind == Type::Bool => all.push(apply(op, two(Type::Geo))),
            Signature::In if kind == Type::Bool => {
                all.push(apply(op, vec![tree(Type::Str, depth), tree(Type::List, depth)]));
            }
            Signature::Bools if kind == Type::Bool => all.push(apply(op, two(Type::Bool))),
            Signature::Numbers if matches!(kind, Type::Int | Type::Float) => {
                all.push(apply(op, two(kind)));
            }
            Signature::Number if matches!(kind, Type::Int | Type::Float) => {
                all.push(apply(op, vec![tree(kind, depth)]));
            }
            Signature::Ints if kind == Type::Int => all.push(apply(op, two(kind))),
            Signature::Fixed([operands @ .., result]) if *result == kind => {
                all.push(apply(op, operands.iter().map(|kind| tree(*kind, depth)).collect()));
            }
            Signature::Cond => {
                let operands = vec![tree(Type::Bool, depth), tree(kind, depth), tree(kind, depth)];
                all.push(apply(op, operands));
            }
            _ => {}
        }
    }
    if kind == Type::Bool {
        let pattern = ("[a-z/.*]{0,9}", 0..16_i64, tree(Type::Str, depth));
        let regex = pattern.prop_map(|(pattern, flags, on)| E::regex(on, pattern, flags).unwrap());
        all.push(regex.boxed());
    }
    let bound = (tree(Type::Int, depth), tree(kind, depth)).prop_map(|(definition, scope)| {
        // Shadowing a name would be rejected.
        let name = format!("v{}", definition.image().len());
        let whole = E::bind(vec![(name.into_bytes(), definition)], scope.clone()).unwrap();
        if whole.check().is_ok() { whole } else { scope }
    });
    all.push(bound.boxed());
    prop::strategy::Union::new(all).boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn expressions_round_trip_through_the_wire(whole in tree(Type::Bool, 3)) {
        let bytes = whole.filter().unwrap();
        let read = E::decode(&bytes).unwrap();
        prop_assert_eq!(&read, &whole);
        prop_assert_eq!(read.filter().unwrap(), bytes);
    }

    #[test]
    fn expressions_round_trip_through_text(whole in tree(Type::Bool, 3)) {
        let text = whole.to_string();
        let read = match parse(&text, &[]) {
            Ok(read) => read,
            Err(error) => panic!("{error}\n{}", error.excerpt(&text)),
        };
        // Chains are flattened when read, so compare the texts, not the trees.
        prop_assert_eq!(read.to_string().replace(['(', ')'], ""), text.replace(['(', ')'], ""));
        prop_assert_eq!(read.kind(), whole.kind());
    }

    #[test]
    fn any_text_parses_or_errs(text in ".{0,60}") {
        check_text(&text);
    }

    #[test]
    fn expression_like_text_parses_or_errs(
        words in prop::collection::vec(prop::sample::select(WORDS), 0..20)
    ) {
        check_text(&words.concat());
    }

    #[test]
    fn any_bytes_decode_or_err(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        if let Ok(read) = E::decode(&bytes) {
            let again = read.encode().unwrap();
            prop_assert_eq!(E::decode(&again).unwrap().encode().unwrap(), again);
        }
    }

    #[test]
    fn damaged_bytes_decode_or_err(
        whole in tree(Type::Bool, 2), at in any::<prop::sample::Index>(), byte in any::<u8>()
    ) {
        let mut bytes = whole.filter().unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(read) = E::decode(&bytes) {
            let again = read.encode().unwrap();
            prop_assert_eq!(E::decode(&again).unwrap().encode().unwrap(), again);
        }
        prop_assert!(E::decode(&bytes[..at]).is_err());
    }
}

const WORDS: &[&str] = &[
    "$.a", "$.", "'b'", " ", " and ", " or ", "not ", "==", " in ", "=~", "/x/i", "(", ")", "[",
    "]", "{", "}", ",", ":INT", ":", ".", "1", "2.5", "-", "+", "**", "true", "nil", "?0", "${x}",
    "let(x = ", ") then (", "when(", " => ", "default", "X'0'", "é", "\n", "/*", "*/", "ttl()",
    "abs(",
];

/// Parses a text in both ways; an error must be displayable.
fn check_text(text: &str) {
    for parameters in [&[][..], &[E::from(1_i64)]] {
        if let Err(error) = parse_filter(text, parameters) {
            assert!(error.at.start <= error.at.end && error.at.end <= text.len(), "{error:?}");
            assert!(error.excerpt(text).ends_with('^'));
        }
        if let Ok(read) = parse(text, parameters) {
            assert_eq!(E::decode(&read.encode().unwrap()).unwrap(), read);
        }
    }
}
