//! Results observed on a real server.

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
        (list, By::IndexRange(0, Some(1)), rt::RANK | NOT, &[0, 1, 2]),
    ] {
        let shown = format!("{by:?}, {returns}");
        let found = Bin::of(&ints(items)).list(ListOp::GetBy(returns, by));
        assert_eq!(found, Ok(Some(ints(expected))), "{shown}");
    }
    let mut sorted = Bin::of(&ints(&[1, 2, 3]));
    sorted.list(ListOp::SetOrder(1)).unwrap();
    let found = sorted.list(ListOp::GetBy(rt::VALUE, any_of(&[3, 1, 3])));
    assert_eq!(found, Ok(Some(ints(&[3, 1, 3]))));
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
        let shown = format!("{by:?}, {returns}");
        let found = Bin::of(&pairs).map(MapOp::GetBy(returns, by));
        assert_eq!(found, Ok(Some(ints(expected))), "{shown}");
    }
}

#[test]
fn of_equal_elements_the_highest_rank_is_the_first() {
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
fn what_does_nothing_makes_nothing() {
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
fn sorted_and_unique_lists_refuse_as_servers_do() {
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
