use super::context::{At, Create, Inside};
use super::*;
use crate::value::Value;

fn text(text: &str) -> Value {
    Value::from(text)
}

fn bytes(op: &Op<Value>, context: &[Step<Value>]) -> Vec<u8> {
    let mut out = Vec::new();
    op.encode(context, &mut out);
    out
}

fn list(op: ListOp<Value>) -> Vec<u8> {
    bytes(&Op::List(op), &[])
}

fn map(op: MapOp<Value>) -> Vec<u8> {
    bytes(&Op::Map(op), &[])
}

/// The examples of the protocol notes.
#[test]
fn operations_encode_as_in_the_protocol_notes() {
    let append = |order, flags| ListOp::Append { value: Value::Int(5), order, flags };
    assert_eq!(list(append(0, 0)), [0x92, 1, 5]);
    assert_eq!(list(append(1, 5)), [0x94, 1, 5, 1, 5]);
    assert_eq!(list(ListOp::GetBy(7, By::Rank(-1))), [0x93, 0x15, 7, 0xff]);
    let put = |key: &str, value, order, flags| {
        let value = Value::Int(value);
        MapOp::Put { key: text(key), value, order, flags }
    };
    assert_eq!(map(put("k", 1, 0, 0)), [0x94, 0x43, 0xa2, 3, b'k', 1, 0]);
    assert_eq!(map(put("k", 1, 1, 1)), [0x95, 0x43, 0xa2, 3, b'k', 1, 1, 1]);
    let append = Op::List(ListOp::Append { value: Value::Int(9), order: 0, flags: 0 });
    let wrapped = [0x93, 0xcc, 0xff, 0x92, 0x22, 0xa2, 3, b'a', 0x92, 1, 9];
    assert_eq!(bytes(&append, &[Step::map_key(text("a"))]), wrapped);
    let step = Step::map_key(text("a")).creating(Create::OrderedOrPadded);
    let wrapped =
        [0x93, 0xcc, 0xff, 0x92, 0xcc, 0xa2, 0xa2, 3, b'a', 0x94, 0x43, 0xa2, 3, b'b', 2, 1];
    assert_eq!(bytes(&Op::Map(put("b", 2, 1, 0)), &[step]), wrapped);
}

/// All ways to select elements; by key only if `keys`.
fn ways(keys: bool) -> Vec<By<Value>> {
    let value = || text("v");
    let values = || Value::List(vec![value(), Value::Nil]);
    let mut ways = vec![
        By::Index(-3),
        By::Rank(300),
        By::Value(value()),
        By::AllByValue(Value::Nil),
        By::ValueList(values()),
        By::IndexRange(1, None),
        By::IndexRange(-1, Some(2)),
        By::ValueInterval(value(), None),
        By::ValueInterval(value(), Some(Value::Float(1.5))),
        By::RankRange(1, Some(-1)),
        By::RelativeRank(value(), -4, None),
        By::RelativeRank(value(), 4, Some(5)),
    ];
    if keys {
        ways.extend([
            By::Key(value()),
            By::KeyList(values()),
            By::KeyInterval(Value::Nil, None),
            By::KeyInterval(Value::Nil, Some(value())),
            By::RelativeIndex(value(), 1, None),
            By::RelativeIndex(value(), 1, Some(1)),
        ]);
    }
    ways
}

fn operations() -> Vec<Op<Value>> {
    let value = || Value::Map(vec![(Value::Int(1), Value::List(vec![Value::Nil]))]);
    let items = || Value::List(vec![value(); 20]);
    let mut lists = vec![
        ListOp::SetOrder(0x11),
        ListOp::Append { value: value(), order: 1, flags: 0 },
        ListOp::AppendItems { items: items(), order: 0, flags: 15 },
        ListOp::Insert { index: -1, value: value(), flags: 0 },
        ListOp::InsertItems { index: 7, items: items(), flags: 3 },
        ListOp::Pop(1),
        ListOp::PopRange(1, None),
        ListOp::PopRange(1, Some(2)),
        ListOp::Remove(0),
        ListOp::RemoveRange(i64::MIN, Some(i64::MAX)),
        ListOp::Set { index: 3, value: value(), flags: 2 },
        ListOp::Trim(1, 2),
        ListOp::Clear,
        ListOp::Increment { index: 0, delta: None, order: 0, flags: 0 },
        ListOp::Increment { index: 0, delta: None, order: 0, flags: 4 },
        ListOp::Increment { index: 0, delta: Some(Value::Float(0.5)), order: 1, flags: 0 },
        ListOp::Sort(0),
        ListOp::Sort(2),
        ListOp::Size,
        ListOp::Get(2),
        ListOp::GetRange(0, None),
    ];
    let mut maps = vec![
        MapOp::SetOrder(3),
        MapOp::Add { key: text("k"), value: value(), order: 1 },
        MapOp::AddItems { items: value(), order: 0 },
        MapOp::Put { key: Value::Int(1), value: value(), order: 0, flags: 0 },
        MapOp::PutItems { items: value(), order: 3, flags: 8 },
        MapOp::Replace { key: text("k"), value: Value::Nil },
        MapOp::ReplaceItems(value()),
        MapOp::Increment { key: text("k"), delta: None, order: 0 },
        MapOp::Decrement { key: text("k"), delta: Some(Value::Int(-7)), order: 1 },
        MapOp::Clear,
        MapOp::Size,
    ];
    for by in ways(false) {
        lists.push(ListOp::GetBy(return_type::VALUE, by.clone()));
        lists.push(ListOp::RemoveBy(return_type::COUNT | return_type::INVERTED, by));
    }
    for by in ways(true) {
        maps.push(MapOp::GetBy(return_type::KEY_VALUE, by.clone()));
        maps.push(MapOp::RemoveBy(return_type::NONE, by));
    }
    lists.into_iter().map(Op::List).chain(maps.into_iter().map(Op::Map)).collect()
}

fn contexts() -> Vec<Vec<Step<Value>>> {
    let mut all = vec![vec![], vec![Step::list_index(-1), Step::map_key(text("k"))]];
    for inside in [Inside::Either, Inside::List, Inside::Map] {
        let mut steps = vec![
            Step::new(inside, At::Index(1)),
            Step::new(inside, At::Rank(-2)),
            Step::new(inside, At::Value(text("v"))),
        ];
        if inside != Inside::List {
            steps.push(Step::new(inside, At::Key(text("v"))));
        }
        all.push(steps);
    }
    for create in [Create::Unordered, Create::OrderedOrPadded, Create::FullyOrdered] {
        let first = Step { persist: true, ..Step::list_index(300).creating(create) };
        all.push(vec![first, Step::map_key(text("k")).creating(create)]);
    }
    all
}

#[test]
#[cfg_attr(miri, ignore = "many, and slow there")]
fn every_operation_and_context_round_trips() {
    for op in operations() {
        for context in contexts() {
            let written = bytes(&op, &context);
            let request = Request::decode(&written).unwrap_or_else(|code| panic!("{code}: {op:?}"));
            assert_eq!(request.op.modifies(), op.modifies());
            let mut again = Vec::new();
            request.op.encode(&request.context, &mut again);
            assert_eq!(again, written, "{op:?} at {context:?}");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "many, and slow there")]
fn every_prefix_is_rejected_and_what_follows_is_ignored() {
    for op in operations() {
        for context in contexts() {
            let mut written = bytes(&op, &context);
            for end in 0..written.len() {
                assert!(Request::decode(&written[..end]).is_err(), "{op:?} cut at {end}");
            }
            let expected = format!("{:?}", Request::decode(&written));
            written.push(0xc1);
            assert_eq!(format!("{:?}", Request::decode(&written)), expected);
        }
    }
}

#[test]
fn malformed_requests_are_rejected_with_the_code_of_the_server() {
    let code = |bytes: &[u8]| Request::decode(bytes).map_or_else(|code| code.0, |_| 0);
    for bytes in [
        &[][..],
        &[5],
        &[0x90],
        &[0x91, 0xc0],
        &[0x91, 1],                                      // too few arguments
        &[0x92, 16, 1],                                  // too many
        &[0x92, 17, 0xc0],                               // nil as an index
        &[0x91, 14],                                     // unknown
        &[0x91, 71],                                     // unknown
        &[0x91, 0xfe],                                   // not implemented
        &[0x93, 0xcc, 0xff, 0x90, 0x91, 16],             // empty context
        &[0x93, 0xcc, 0xff, 0x91, 0x10, 0x91, 16],       // odd context
        &[0x93, 0xcc, 0xff, 0x92, 0xc0, 0, 0x91, 16],    // type is not an integer
        &[0x92, 0xcc, 0xff, 0x92, 0x10, 0],              // no operation inside
        &[0x94, 0xcc, 0xff, 0x92, 0x10, 0, 0x91, 16, 1], // something after it
    ] {
        assert_eq!(code(bytes), 4, "{bytes:02x?}");
    }
    for step in [&[0x10, 0xc0][..], &[0x12, 0], &[0x14, 0], &[4, 0xc3], &[0x2a, 0x90], &[0x40, 0]] {
        let bytes = [&[0x93, 0xcc, 0xff, 0x92], step, &[0x91, 16]].concat();
        assert_eq!(code(&bytes), 26, "{bytes:02x?}");
    }
    assert_eq!(code(&[0, 16]), 0, "the old form");
    assert_eq!(code(&[0, 17, 0x91, 3]), 0, "the old form");
    assert_eq!(code(&[0x93, 0xcd, 0, 0xff, 0x92, 0x10, 0, 0x91, 16]), 0, "a wide marker");
}
