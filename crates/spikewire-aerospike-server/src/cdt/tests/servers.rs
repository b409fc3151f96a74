//! Results observed on a real server.

use spikewire_aerospike_protocol::cdt::context::{At, Inside};

use super::*;

#[test]
fn several_elements_come_in_the_order_of_servers() {
    use return_type as rt;
    const NOT: i64 = rt::INVERTED;
    let below = |begin, end| By::ValueInterval(Value::Int(begin), Some(Value::Int(end)));
    let any_of = |values: &[i64]| By::ValueList(ints(values));
    let list = &[4, 1, 3, 2][..];
    for (items, by, returns, expected) in [
        (list, By::RankRange(0, Some(2)), rt::VALUE, &[2, 1][..]),
        (list, By::RankRange(1, Some(2)), rt::VALUE, &[3, 2]),
        (list, By::RankRange(2, Some(2)), rt::VALUE, &[3, 4]),
        (list, By::RankRange(0, Some(2)), rt::INDEX, &[1, 3]),
        (list, By::RankRange(0, Some(2)), rt::RANK, &[0, 1]),
        (list, By::RelativeRank(Value::Int(1), 0, Some(2)), rt::VALUE, &[2, 1]),
        (list, By::RankRange(0, Some(2)), rt::RANK | NOT, &[2, 3]),
        (list, By::RankRange(0, Some(2)), rt::VALUE | NOT, &[4, 3]),
        (list, By::RankRange(0, Some(2)), rt::INDEX | NOT, &[0, 2]),
        (list, below(1, 4), rt::RANK, &[0, 1, 2]),
        (list, below(1, 4), rt::VALUE, &[1, 3, 2]),
        (list, below(2, 3), rt::RANK | NOT, &[0, 2, 3]),
        (list, any_of(&[3, 1, 4, 3]), rt::RANK, &[0, 3, 2]),
        (list, any_of(&[3, 1, 4, 3]), rt::VALUE, &[4, 1, 3]),
        (list, any_of(&[3]), rt::RANK | NOT, &[0, 1, 3]),
        (list, By::IndexRange(0, None), rt::RANK, &[0, 1, 2, 3]),
        (list, By::IndexRange(0, Some(3)), rt::RANK, &[3, 0, 2]),
        (list, By::IndexRange(0, Some(1)), rt::RANK | NOT, &[0, 2, 1]),
    ] {
        let case = format!("{by:?}, {returns}");
        let result = Bin::of(&ints(items)).list(ListOp::GetBy(returns, by));
        assert_eq!(result, Ok(Some(ints(expected))), "{case}");
    }
    let mut sorted = Bin::of(&ints(&[1, 2, 3]));
    sorted.list(ListOp::SetOrder(1)).unwrap();
    let result = sorted.list(ListOp::GetBy(rt::VALUE, any_of(&[3, 1, 3])));
    assert_eq!(result, Ok(Some(ints(&[3, 1, 3]))));
    let count = sorted.list(ListOp::GetBy(rt::COUNT, any_of(&[3, 1, 3])));
    assert_eq!(count, Ok(Some(Value::Int(2))));
    let keys = |keys: &[&str]| By::KeyList(Value::List(keys.iter().map(|key| text(key)).collect()));
    let pairs = map(&[("a", 3), ("b", 1), ("c", 2), ("d", 4)]);
    for (by, returns, expected) in [
        (keys(&["c", "a"]), rt::INDEX, &[2, 0][..]),
        (keys(&["c", "a"]), rt::VALUE, &[3, 2]),
        (any_of(&[4, 1]), rt::RANK, &[3, 0]),
        (By::RankRange(0, Some(1)), rt::VALUE | NOT, &[2, 3, 4]),
        (By::RankRange(0, Some(1)), rt::INDEX | NOT, &[2, 0, 3]),
        (By::RankRange(1, Some(1)), rt::VALUE | NOT, &[3, 1, 4]),
        (By::RankRange(1, Some(1)), rt::RANK | NOT, &[0, 2, 3]),
        (any_of(&[1]), rt::RANK | NOT, &[1, 2, 3]),
    ] {
        let case = format!("{by:?}, {returns}");
        let result = Bin::of(&pairs).map(MapOp::GetBy(returns, by));
        assert_eq!(result, Ok(Some(ints(expected))), "{case}");
    }
}

#[test]
fn the_first_of_equal_elements_has_the_highest_rank() {
    use return_type as rt;
    let mut bin = Bin::of(&ints(&[5, 1, 5, 2]));
    assert_eq!(bin.list(ListOp::GetBy(rt::INDEX, By::Rank(-1))), Ok(Some(Value::Int(0))));
    assert_eq!(bin.list(ListOp::GetBy(rt::RANK, By::Rank(-1))), Ok(Some(Value::Int(3))));
    bin.list(ListOp::RemoveBy(rt::NONE, By::Rank(-1))).unwrap();
    assert_eq!(bin.value(), ints(&[1, 5, 2]));
    let none = bin.list(ListOp::GetBy(rt::VALUE, By::RelativeRank(1_i64.into(), i64::MIN, None)));
    assert_eq!(none, Ok(Some(ints(&[]))));
}

#[test]
fn an_operation_without_effect_creates_no_bin() {
    let step = |at: i64| Step::list_index(at).creating(Create::Unordered);
    let mut bin = Bin::default();
    let pop = Op::List(ListOp::Pop(0));
    assert_eq!(bin.run_in(pop, &[step(1)]), Err(26), "it cannot be reached");
    let mut bin = Bin::of(&Value::Map(vec![]));
    let put = MapOp::Put { key: text("a"), value: 1_i64.into(), order: 0, flags: 2 | 4 };
    let key = Step::map_key(text("k")).creating(Create::Unordered);
    assert_eq!(bin.run_in(Op::Map(put), &[key]), Ok(Some(Value::Int(0))));
    assert_eq!(bin.value(), Value::Map(vec![]));
    let insert = |items: &[i64]| ListOp::InsertItems { index: -1, items: ints(items), flags: 0 };
    assert_eq!(Bin::default().list(insert(&[])), Ok(Some(Value::Int(0))));
    assert_eq!(Bin::default().list(insert(&[1])), Err(26));
}

#[test]
fn sorted_and_unique_lists_reject_as_servers_do() {
    let add = |index, delta: i64, flags| ListOp::Increment {
        index,
        delta: Some(delta.into()),
        order: 1,
        flags,
    };
    let mut bin = Bin::of(&ints(&[1]));
    bin.list(ListOp::SetOrder(1)).unwrap();
    assert_eq!(bin.list(add(2, 1, 0)), Err(26));
    assert_eq!(bin.list(add(0, 0, 1)), Ok(Some(Value::Int(1))), "it is the same one");
    let append = ListOp::AppendItems { items: ints(&[7, 7, 1]), order: 0, flags: 1 };
    assert_eq!(bin.list(append), Err(24));
    let nan = Value::Float(f64::NAN);
    let floats = Value::List(vec![1.0.into(), nan, (-1.0).into()]);
    let append = ListOp::AppendItems { items: floats, order: 1, flags: 0 };
    let mut bin = Bin::default();
    bin.list(append).unwrap();
    let Value::List(items) = bin.value() else { panic!() };
    assert!(matches!(&items[..], [Value::Float(first), ..] if first.is_nan()), "{items:?}");
}

/// A list, or a map of integers, in an order.
fn ordered(value: &Value, order: i64) -> Bin {
    let mut bin = Bin::of(value);
    match value {
        Value::List(_) => bin.list(ListOp::SetOrder(order)).unwrap(),
        _ => bin.map(MapOp::SetOrder(order)).unwrap(),
    };
    bin
}

fn pairs(pairs: &[(i64, i64)]) -> Value {
    Value::Map(pairs.iter().map(|(key, value)| (Value::Int(*key), Value::Int(*value))).collect())
}

fn select(value: &Value, order: i64, by: By<Value>, returns: i64) -> Result<Option<Value>, u8> {
    let mut bin = ordered(value, order);
    match value {
        Value::List(_) => bin.list(ListOp::GetBy(returns, by)),
        _ => bin.map(MapOp::GetBy(returns, by)),
    }
}

fn int_value(int: i64) -> Value {
    Value::Int(int)
}

/// Inverted, a server mostly answers whether nothing is excluded, not whether anything is selected.
#[test]
fn inverted_exists_answers_whether_nothing_is_excluded() {
    let two = [(1, 1), (2, 2)];
    let three = [(1, 1), (2, 2), (3, 3)];
    let value = |int| By::AllByValue(int_value(int));
    for (items, order, by, expected) in [
        (ints(&[]), 0, value(1), true),
        (ints(&[1, 2]), 0, value(1), false),
        (ints(&[1, 2]), 0, value(9), true),
        (ints(&[1, 2]), 1, value(1), true),
        (ints(&[1, 2]), 0, By::ValueInterval(int_value(1), Some(int_value(2))), false),
        (ints(&[1, 2]), 0, By::RankRange(0, Some(1)), false),
        (ints(&[1, 2]), 0, By::IndexRange(0, Some(1)), true),
        (pairs(&two), 0, value(1), false),
        (pairs(&two), 0, value(9), true),
        (pairs(&three), 0, By::KeyInterval(int_value(2), Some(int_value(3))), false),
        (pairs(&three), 0, By::IndexRange(1, Some(1)), false),
        (pairs(&three), 1, By::IndexRange(1, Some(1)), true),
    ] {
        let case = format!("{items:?} {order}: {by:?}");
        let result = select(&items, order, by, return_type::EXISTS | return_type::INVERTED);
        assert_eq!(result, Ok(Some(Value::Bool(expected))), "{case}");
    }
}

/// The numbers of an inverted range come in index order; those of a run that are counted from the
/// end ascend, those of elements found one by one do not.
#[test]
fn indexes_and_ranks_of_several_elements_come_in_server_order() {
    use return_type as rt;
    const NOT: i64 = rt::INVERTED;
    let six = &[16, 13, 19, 6, 9, 4][..];
    let any_of = |values: &[i64]| By::ValueList(ints(values));
    let keys = |keys: &[i64]| By::KeyList(ints(keys));
    for (items, by, returns, expected) in [
        (&[7, 3, 9][..], By::IndexRange(2, Some(1)), rt::RANK | NOT, &[1, 0][..]),
        (six, By::IndexRange(4, Some(3)), rt::REVERSE_INDEX, &[0, 1]),
        (six, By::IndexRange(1, Some(2)), rt::REVERSE_INDEX | NOT, &[5, 0, 1, 2]),
        (six, By::RankRange(1, Some(2)), rt::REVERSE_RANK, &[3, 4]),
        (six, By::RankRange(1, Some(2)), rt::REVERSE_INDEX, &[2, 1]),
        (&[2, 1, 3, 1, 1, 1], By::IndexRange(5, Some(4)), rt::RANK, &[0]),
        (&[2, 1, 3, 1, 1, 1], By::IndexRange(0, Some(4)), rt::REVERSE_RANK, &[1, 5, 0, 5]),
        (&[1; 6], By::RankRange(2, Some(2)), rt::INDEX, &[3, 4]),
        (&[1; 6], By::RankRange(4, Some(1)), rt::INDEX, &[5]),
        (&[2, 1, 3, 2], any_of(&[3, 2, 2]), rt::RANK | NOT, &[0]),
        (&[2, 1, 3, 2], any_of(&[3, 2, 2]), rt::REVERSE_RANK, &[0, 2, 1]),
    ] {
        let case = format!("{items:?}: {by:?} {returns}");
        assert_eq!(select(&ints(items), 0, by, returns), some(ints(expected)), "{case}");
    }
    let two = &[(16, 4), (17, 5)][..];
    for (items, order, by, returns, expected) in [
        (&[(16, 4)][..], 0, any_of(&[2, 4, 4]), rt::INDEX, &[0, 0][..]),
        (&[(16, 4)], 0, any_of(&[2, 4, 4]), rt::REVERSE_RANK, &[0, 0]),
        (two, 0, any_of(&[5, 4, 4]), rt::RANK, &[1, 0]),
        (two, 0, keys(&[17, 16, 17]), rt::INDEX, &[0, 1]),
        (two, 1, keys(&[17, 16, 17]), rt::INDEX, &[1, 0, 1]),
        (&[(1, 1), (2, 2), (3, 3)], 0, By::RankRange(1, Some(1)), rt::REVERSE_INDEX | NOT, &[2, 0]),
        (&[(1, 1), (2, 1), (3, 0)], 0, By::IndexRange(1, Some(1)), rt::REVERSE_RANK | NOT, &[1, 2]),
    ] {
        let case = format!("{items:?} {order}: {by:?} {returns}");
        assert_eq!(select(&pairs(items), order, by, returns), some(ints(expected)), "{case}");
    }
}

/// Which of several equal elements has a rank decides what remains.
#[test]
fn equal_elements_are_removed_as_by_servers() {
    for (rank, left) in [(-1, [2, 1, 3]), (-2, [3, 2, 1])] {
        let mut bin = Bin::of(&ints(&[3, 2, 1, 3]));
        bin.list(ListOp::RemoveBy(return_type::NONE, By::Rank(rank))).unwrap();
        assert_eq!(bin.value(), ints(&left), "{rank}");
    }
}

/// Servers sort the keys of maps that they store, not of those that they are asked for: a client
/// that does not sort must not find anything here, either.
#[test]
fn sought_values_are_compared_as_they_are_sent() {
    const SORTED: &[u8] = b"\x82\xa2\x03a\x01\xa3\x03bb\x02";
    const UNSORTED: &[u8] = b"\x82\xa3\x03bb\x02\xa2\x03a\x01";
    // What is stored is sorted, however it is sent: the map, and a list of the map.
    let append = |value: &[u8]| [&[0x92, 1], value].concat();
    let stored = modify(None, &append(UNSORTED)).unwrap().bin.unwrap();
    let stored = modify(Some((stored.0, &stored.1)), &append(&[&[0x91], UNSORTED].concat()));
    let (particle, stored) = stored.unwrap().bin.unwrap();
    assert_eq!(stored, [&[0x92], SORTED, &[0x91], SORTED].concat());
    for (sought, count) in [(SORTED, 1), (UNSORTED, 0)] {
        for payload in [
            [&[0x93, 22, 5], sought].concat(),
            [&[0x93, 22, 5, 0x91], sought].concat(),
            [&[0x93, 23, 5, 0x91], sought].concat(),
        ] {
            let result = read((particle, &stored), &payload).unwrap().unwrap();
            assert_eq!(Value::decode(result.particle, &result.value), Ok(Value::Int(count)));
        }
        let removed =
            modify(Some((particle, &stored)), &[&[0x93, 35, 5], sought].concat()).unwrap();
        assert_eq!(removed.bin.is_some(), count == 1);
        let step = Step::new(Inside::List, At::Value(sought));
        assert_eq!(path::find(&stored, &[step]).is_ok(), count == 1);
    }
}
