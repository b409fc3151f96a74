use spikewire_aerospike_protocol::expression::Op;
use spikewire_aerospike_protocol::expression::text::parse;
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::message::{Op as Operation, op};
use spikewire_aerospike_protocol::value::{Value, particle};

use super::operation::{self, Change};
use super::*;
use crate::record::bins;
use crate::record::clock::Moment;
use crate::record::device::stored_size;
use crate::record::{Draft, View};
use crate::storage::namespace::Namespace;

struct Fixture {
    namespace: Namespace,
    image: Vec<u8>,
}

impl Fixture {
    /// A record of set `people`, with a stored key, written 5 s ago, 60 s to live.
    fn new() -> Self {
        let namespace = Namespace::new(crate::NamespaceOptions::default());
        let set = namespace.sets.intern(b"people").unwrap();
        let mut bins = bins::Bins::default();
        let ordered = |pairs: &[(&str, i64)]| {
            let pairs = pairs.iter().map(|(key, value)| (Value::from(*key), Value::from(*value)));
            Value::Map(pairs.collect())
        };
        for (name, value) in [
            ("i", Value::from(7_i64)),
            ("n", Value::from(-3_i64)),
            ("f", Value::from(2.5)),
            ("s", Value::from("hello")),
            ("t", Value::from(true)),
            ("b", Value::from(&b"\x01\x02"[..])),
            ("l", Value::List(vec![1_i64.into(), "two".into(), Value::Nil])),
            ("m", ordered(&[("a", 1), ("b", 2)])),
            ("lm", Value::List(vec![ordered(&[("a", 1), ("b", 2)])])),
            ("g", Value::GeoJson(r#"{"type":"Point","coordinates":[0,0]}"#.to_owned())),
        ] {
            let mut bytes = Vec::new();
            let particle = value.encode(&mut bytes);
            let stored = bins.set_with(name.as_bytes(), particle, |out| {
                crate::value::store(out, particle, &bytes)
            });
            stored.unwrap();
        }
        let mut wire = Vec::new();
        bins.write(&mut wire);
        let draft = Draft {
            digest: Digest([9; 20]),
            generation: 1,
            set,
            void_time: 160,
            last_update: 95_000,
            bins: bins.len() as u16,
        };
        let mut image = Vec::new();
        draft.compose(&mut image, &wire, Some(b"\x03alice"));
        Self { namespace, image }
    }

    fn view(&self) -> RecordView<'_> {
        let now = Moment::from_millis(100_000);
        RecordView::stored(&self.namespace.sets, View::new(&self.image), now)
    }

    fn value(&self, text: &str) -> Value {
        let tree = parse(text, &[]).unwrap_or_else(|error| panic!("{text}: {error}"));
        let bytes = tree.encode().unwrap();
        let program = Program::new(Expression::decode(&bytes).unwrap()).unwrap();
        match program.evaluate(&self.view()) {
            Val::Unknown => Value::from("unknown"),
            value => value
                .particle()
                .map_or(Value::Nil, |(particle, bytes)| Value::decode(particle, &bytes).unwrap()),
        }
    }

    fn check(&self, cases: &[(&str, Value)]) {
        for (text, expected) in cases {
            assert_eq!(self.value(text), *expected, "{text}");
        }
    }
}

fn unknown() -> Value {
    Value::from("unknown")
}

fn yes() -> Value {
    Value::from(true)
}

fn no() -> Value {
    Value::from(false)
}

fn int(int: i64) -> Value {
    Value::from(int)
}

#[test]
fn comparisons_of_mismatched_types_are_unknown() {
    Fixture::new().check(&[
        ("$.i == 7", yes()),
        ("$.i != 7", no()),
        ("$.i > $.n:INT and $.n < 0 and $.i >= 7 and $.i <= 7", yes()),
        ("$.f < 2.75", yes()),
        ("$.s > 'hell'", yes()),
        ("$.b == X'0102'", yes()),
        ("$.t == true", yes()),
        ("nil == nil", yes()),
        ("$.l == [1, 'two', nil]", yes()),
        ("$.l < [1, 'two', nil, 0]", yes()),
        ("$.f == 7.0", no()),
        ("$.f:INT == 7", unknown()),
        ("$.missing == 7", unknown()),
        ("$.m == {'a': 1, 'b': 2}", unknown()), // stored without order
        ("{'b': 2, 'a': 1} == {'a': 1, 'b': 2}", yes()),
        ("{} == {}", yes()),
        ("0.0 / 0.0 == 0.0 / 0.0", no()),
        ("0.0 / 0.0 != 0.0 / 0.0", yes()),
        ("'two' in $.l", yes()),
        ("5 in $.l", no()),
        ("5 in $.missing", unknown()),
        ("$.s =~ /^h.*O$/i", yes()),
        ("$.i:STRING =~ /./", unknown()),
    ]);
}

#[test]
fn unknown_propagates_unless_the_other_operand_decides() {
    Fixture::new().check(&[
        ("unknown and false", no()),
        ("false and unknown", no()),
        ("unknown and true", unknown()),
        ("unknown or true", yes()),
        ("unknown or false", unknown()),
        ("not(unknown)", unknown()),
        ("exclusive(true, false, false)", yes()),
        ("exclusive(true, true)", no()),
        ("exclusive(true, unknown)", unknown()),
        ("exclusive(false, false)", no()),
        ("$.missing + 1 == 2", unknown()),
        ("when(unknown => 1, default => 2)", unknown()),
        ("when(false => 1, true => 2, default => unknown)", int(2)),
        ("when(false => 1, default => unknown)", unknown()),
        ("let(x = $.missing:INT) then (${x} == 1 or true)", yes()),
        ("let(x = $.i:INT + 1, y = ${x} * 2) then (${y} - ${x})", int(8)),
    ]);
}

#[test]
fn arithmetic_on_integers_and_floats() {
    Fixture::new().check(&[
        ("$.i + 1 + $.n", int(5)),
        ("$.i - 1 - $.n", int(9)),
        ("$.i / 2", int(3)),
        ("$.n / 2", int(-1)),
        ("$.i / 0", unknown()),
        ("$.i % 0", unknown()),
        ("$.n % 2", int(-1)),
        ("-9223372036854775808 / -1", int(i64::MIN)),
        ("9223372036854775807 + 1", int(i64::MIN)),
        ("-($.i:INT)", int(-7)),
        ("abs($.n:INT)", int(3)),
        ("$.f / 0.0", Value::from(f64::INFINITY)),
        ("$.f ** 2.0", Value::from(6.25)),
        ("log(8.0, 2.0)", Value::from(8.0_f64.ln() / 2.0_f64.ln())),
        ("floor(-2.5)", Value::from(-3.0)),
        ("ceil(-2.5)", Value::from(-2.0)),
        ("$.f.toInt()", int(2)),
        ("toInt(-2.9)", int(-2)),
        ("$.i.toFloat()", Value::from(7.0)),
        ("min(3, $.n, 5)", int(-3)),
        ("max(3.0, $.f)", Value::from(3.0)),
    ]);
}

#[test]
fn bitwise_operators_and_bit_scans() {
    Fixture::new().check(&[
        ("$.i & 3", int(3)),
        ("$.i | 8", int(15)),
        ("$.i ^ 2", int(5)),
        ("~$.i", int(-8)),
        ("1 << 65", int(2)),
        ("-1 >>> 60", int(15)),
        ("-16 >> 2", int(-4)),
        ("countOneBits(-1)", int(64)),
        ("findBitLeft(1, true)", int(63)),
        ("findBitLeft(0, true)", int(-1)),
        ("findBitLeft(-1, false)", int(-1)),
        ("findBitLeft(1, false)", int(0)),
        ("findBitRight(8, true)", int(60)),
        ("findBitRight(1, false)", int(62)),
    ]);
}

#[test]
fn record_metadata_functions() {
    let fixture = Fixture::new();
    let size = stored_size(View::new(&fixture.image), "people".len()) as i64;
    fixture.check(&[
        ("$.ttl()", int(60)),
        ("$.voidTime()", int((1_262_304_000 + 160) * 1_000_000_000)),
        ("$.lastUpdate()", int((1_262_304_000 + 95) * 1_000_000_000)),
        ("$.sinceUpdate()", int(5_000)),
        ("$.setName()", Value::from("people")),
        ("$.keyExists()", yes()),
        ("$.isTombstone()", no()),
        ("$.recordSize()", int(size)),
        ("$.memorySize()", int(size)),
        ("$.deviceSize()", int(0)),
        ("$.digestModulo(10)", int(i64::from(0x0909_0909_u32) % 10)),
        ("$.key()", Value::from("alice")),
        ("$.key():INT", unknown()),
        ("$.s.type()", int(i64::from(particle::STRING))),
        ("$.missing.exists()", no()),
        ("mapKeys($.m:MAP)", Value::List(vec!["a".into(), "b".into()])),
        ("mapValues($.m:MAP)", Value::List(vec![1_i64.into(), 2_i64.into()])),
    ]);
}

fn run(bytes: &[u8]) -> Result<Option<Value>, ResultCode> {
    let fixture = Fixture::new();
    let tree = Expression::decode(bytes).map_err(|_| ResultCode::PARAMETER)?;
    let program = Program::new(tree)?;
    Ok(match program.evaluate(&fixture.view()) {
        Val::Unknown => None,
        value => Some(
            value
                .particle()
                .map_or(Value::Nil, |(particle, bytes)| Value::decode(particle, &bytes).unwrap()),
        ),
    })
}

#[test]
fn calls_of_list_operations_inside_expressions() {
    let size = [0x95, 127, 2, 0, 0x91, 16, 0x93, 81, 4, 0xa1, b'l'];
    assert_eq!(run(&size), Ok(Some(int(3))));
    // get-by-index, value, index computed as 0 + 1
    let index = [0x93, 20, 0, 1];
    let get = [&[0x95, 127, 3, 0, 0x93, 19, 7][..], &index, &[0x93, 81, 4, 0xa1, b'l']].concat();
    assert_eq!(run(&get), Ok(Some(Value::from("two"))));
    let mut wrong_type = get.clone();
    wrong_type[2] = 2;
    assert_eq!(run(&wrong_type), Ok(None));
    // append
    let append = [0x95, 127, 4, 0x40, 0x92, 1, 5, 0x92, 126, 0x91, 4];
    assert_eq!(run(&append), Ok(Some(Value::List(vec![4_i64.into(), 5_i64.into()]))));
    let mut not_marked = append;
    not_marked[3] = 0;
    assert_eq!(run(&not_marked), Ok(None));
    // how many bits of the second byte are set
    let bits = [0x95, 127, 2, 1, 0x93, 51, 8, 8, 0x93, 81, 6, 0xa1, b'b'];
    assert_eq!(run(&bits), Ok(Some(int(1))));
    // geo: a point is not within a point
    let geo = [0x93, 8, 0x93, 81, 8, 0xa1, b'g', 0x93, 81, 8, 0xa1, b'g'];
    assert_eq!(run(&geo), Ok(Some(Value::Bool(false))));
    // [1, wildcard] equals a list that starts with 1
    let wild = [0x93, 1, 0x93, 81, 4, 0xa1, b'l', 0x92, 126, 0x92, 1, 0xd4, 0xff, 0];
    assert_eq!(run(&wild), Ok(Some(yes())));
}

#[test]
fn expression_writes_follow_their_flags() {
    let fixture = Fixture::new();
    let view = fixture.view();
    let change = |name: &str, text: &str, flags: i64| {
        let value = parse(text, &[]).unwrap().operation(flags).unwrap();
        let operation = Operation {
            code: op::EXP_MODIFY,
            particle: particle::BLOB,
            name: name.as_bytes(),
            value: &value,
        };
        operation::modify(&operation, &view)
    };
    let eight = || Ok(Change::Set(particle::INTEGER, 8_i64.to_be_bytes().to_vec()));
    assert_eq!(change("i", "$.i + 1", 0), eight());
    assert_eq!(change("i", "$.i + 1", 1), Err(ResultCode::BIN_EXISTS));
    assert_eq!(change("i", "$.i + 1", 9), Ok(Change::Nothing));
    assert_eq!(change("new", "$.i + 1", 1), eight());
    assert_eq!(change("new", "$.i + 1", 2), Err(ResultCode::BIN_NOT_FOUND));
    assert_eq!(change("new", "$.i + 1", 10), Ok(Change::Nothing));
    assert_eq!(change("i", "$.x + 1", 0), Err(ResultCode::OP_NOT_APPLICABLE));
    assert_eq!(change("i", "$.x + 1", 16), Ok(Change::Nothing));
    // Existence flags are checked before anything is evaluated.
    assert_eq!(change("i", "$.x + 1", 1), Err(ResultCode::BIN_EXISTS));
    assert_eq!(change("i", "$.x + 1", 1 | 8), Ok(Change::Nothing));
    assert_eq!(change("new", "$.x + 1", 2), Err(ResultCode::BIN_NOT_FOUND));
    assert_eq!(change("i", "nil", 0), Err(ResultCode::OP_NOT_APPLICABLE));
    assert_eq!(change("i", "nil", 4), Ok(Change::Remove));
    assert_eq!(change("i", "nil", 2), Ok(Change::Nothing));
    assert_eq!(change("new", "nil", 0), Ok(Change::Nothing));
    assert_eq!(change("new", "nil", 2), Err(ResultCode::BIN_NOT_FOUND));
    assert_eq!(change("i", "1", 32), Err(ResultCode::PARAMETER));
}

#[test]
fn the_deepest_expressions_are_evaluated() {
    for (open, close, bottom) in [
        (&[0x92, 18][..], &[][..], &[0xc2][..]),
        (&[0x93, 20], &[1], &[1]),
        (&[0x94, 123, 0xc2, 1], &[], &[1]),
        (&[0x95, 127, 4, 0x40, 0x92, 1, 1], &[], &[0x92, 126, 0x90]),
    ] {
        let whole = |levels| [open.repeat(levels), bottom.to_vec(), close.repeat(levels)].concat();
        assert!(matches!(run(&whole(127)), Ok(Some(_))), "{open:02x?}");
        assert_eq!(run(&whole(128)), Err(ResultCode::PARAMETER));
    }
}

#[test]
fn any_pattern_compiles_or_errs() {
    const LETTERS: &[u8] = b"a[]^-\\(){}|*+?.$:,19\n&~\xc3";
    let mut state = 1_u64;
    let mut accepted = 0;
    for _ in 0..20_000 {
        let pattern: Vec<u8> = (0..state % 12)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                LETTERS[(state >> 33) as usize % LETTERS.len()]
            })
            .collect();
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        if let Ok(regex) = pattern::compile(&pattern, (state >> 40) as i64 & 15, 0) {
            regex.is_match(b"a1\n-");
            accepted += 1;
        }
    }
    assert!(accepted > 1_000, "{accepted}");
}

#[test]
fn geo_compare_tests_points_against_regions() {
    let point = r#"{"type":"Point","coordinates":[1,2]}"#;
    for (region, inside) in [
        (r#"{"type":"AeroCircle","coordinates":[[1,2.001],200]}"#, Some(true)),
        (r#"{"type":"AeroCircle","coordinates":[[1,2.001],100]}"#, Some(false)),
        (point, Some(false)),
    ] {
        let text = format!("geoCompare(geoJson('{point}'), geoJson('{region}'))");
        let result = run(&parse(&text, &[]).unwrap().encode().unwrap());
        assert_eq!(result, Ok(inside.map(Value::from)), "{region}");
    }
    // What is no GeoJSON does not build.
    let text = format!("geoCompare(geoJson('{point}'), geoJson('{{}}'))");
    assert_eq!(run(&parse(&text, &[]).unwrap().encode().unwrap()), Err(ResultCode::PARAMETER));
}

/// Results observed on servers.
#[test]
fn edge_cases_match_servers() {
    let least = int(i64::MIN);
    Fixture::new().check(&[
        ("exclusive(unknown, true, true)", unknown()),
        ("exclusive(true, true, unknown)", no()),
        ("max(1.0, 0.0 / 0.0) == max(1.0, 0.0 / 0.0)", no()),
        ("min(0.0 / 0.0, 1.0) == 1.0", no()),
        ("toInt(1.0 / 0.0)", least.clone()),
        ("toInt(0.0 / 0.0)", least.clone()),
        ("toInt(9.3e18)", least),
        ("toInt(-2.5)", int(-2)),
        // The map in `lm` is unordered, maps of the text are ordered.
        ("$.lm == [{'a': 1, 'b': 2}]", unknown()),
        ("$.lm != [{'a': 1, 'b': 2}]", unknown()),
        ("$.lm > [1]", unknown()),
        ("$.lm > []", yes()),
        ("[{'a': 1}] > [1]", yes()),
        ("[{}] != [1]", yes()),
        // `in` compares whatever the orders are.
        ("{'a': 1, 'b': 2} in $.lm", yes()),
        ("{'a': 1} in $.lm", no()),
        ("1 in $.lm", no()),
    ]);
}

/// A comparison is unknown if it comes to an unordered map before a difference decides it.
#[test]
fn unordered_maps_count_until_a_difference() {
    // The map {"a": 1}, unordered; [1, it] and others.
    const MAP: [u8; 5] = [0x81, 0xa2, 0x03, b'a', 1];
    let list = |items: &[&[u8]]| [&[0x90 | items.len() as u8], items.concat().as_slice()].concat();
    let with_map = list(&[&[1], &MAP]);
    for (other, expected) in [
        (list(&[&[2]]), Val::Bool(true)),
        (list(&[&[1]]), Val::Bool(false)),
        (list(&[]), Val::Bool(false)),
        (list(&[&[1], &[3]]), Val::Unknown),
        (list(&[&MAP]), Val::Unknown),
        (list(&[&[1], &MAP]), Val::Unknown),
    ] {
        let [a, b] = [&with_map, &other].map(|list| Val::Packed(Type::List, list.into()));
        assert_eq!(compare::compare(Op::Lt, &a, &b), expected, "{other:02x?}");
    }
}

#[test]
fn a_write_expression_sees_the_changed_record() {
    let fixture = Fixture::new();
    let set = fixture.namespace.sets.intern(b"people").unwrap();
    let digest = Digest([9; 20]);
    let draft = Draft { digest, generation: 1, set, void_time: 200, last_update: 100_000, bins: 0 };
    let value = |text: &str, view: &RecordView<'_>| {
        let program = Program::new(parse(text, &[]).unwrap()).unwrap();
        let (particle, bytes) = program.evaluate(view).particle().unwrap();
        Value::decode(particle, &bytes).unwrap()
    };
    let stored = RecordView { draft: Some(draft), ..fixture.view() };
    assert_eq!(value("$.ttl()", &stored), int(100));
    let created = RecordView { record: None, ..stored };
    assert_eq!(value("$.ttl()", &created), int(100));
    assert_eq!(value("$.setName()", &created), Value::from("people"));
}

/// A short expression could double a list with every step, or read a large one again and again.
#[test]
fn memory_of_an_evaluation_is_bounded() {
    use spikewire_aerospike_protocol::expression::{Argument, Call, Expression as Tree, Type};

    let fixture = Fixture::new();
    let call = |number, modifies, arguments, on| {
        let result = Some(if modifies { Type::List } else { Type::Int });
        let call = Call { result, system: 0, modifies, context: None, number, arguments, on };
        Tree::call(call).unwrap()
    };
    let append_items = |to: Tree, items: Tree| call(2, true, vec![Argument::Expression(items)], to);
    let size = |of: Tree| call(16, false, vec![], of);
    let var = |number: usize| Tree::var(format!("x{number}")).unwrap();
    let evaluate = |tree: &Tree| {
        let bytes = tree.encode().unwrap();
        let program = Program::new(Tree::decode(&bytes).unwrap()).unwrap();
        match program.evaluate(&fixture.view()) {
            Val::Int(int) => Some(int),
            Val::Unknown => None,
            other => panic!("{other:?}"),
        }
    };
    let one = || parse("[1]", &[]).unwrap();
    let doubled = |steps: usize, scope: Tree| {
        let mut definitions = vec![(b"x0".to_vec(), one())];
        for step in 1..=steps {
            let value = append_items(var(step - 1), var(step - 1));
            definitions.push((format!("x{step}").into_bytes(), value));
        }
        Tree::bind(definitions, scope).unwrap()
    };
    assert_eq!(evaluate(&doubled(12, size(var(12)))), Some(4096));
    assert_eq!(evaluate(&doubled(20, size(var(20)))), Some(1 << 20));
    // 2 MiB and a header are too many.
    assert_eq!(evaluate(&doubled(21, size(var(21)))), None);
    assert_eq!(evaluate(&doubled(40, size(var(40)))), None);
    // Each use of a large value counts.
    let uses = |count: usize| {
        let uses = (0..count).map(|_| size(var(20))).collect();
        doubled(20, Tree::apply(Op::Add, uses).unwrap())
    };
    assert_eq!(evaluate(&uses(20)), Some(20 << 20));
    assert_eq!(evaluate(&uses(500)), None);
}
