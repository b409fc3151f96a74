//! Lists and maps, operation by operation; values in Rust notation.

use spikewire_aerospike_protocol::cdt::context::Create;
use spikewire_aerospike_protocol::cdt::{By, ListOp, MapOp, Op, Step, return_type};
use spikewire_aerospike_protocol::value::{Value, particle};

use super::*;

mod servers;

fn text(text: &str) -> Value {
    Value::from(text)
}

fn ints(ints: &[i64]) -> Value {
    Value::List(ints.iter().copied().map(Value::Int).collect())
}

fn map(pairs: &[(&str, i64)]) -> Value {
    Value::Map(pairs.iter().map(|(key, value)| (text(key), Value::Int(*value))).collect())
}

/// A bin on which operations are run one after another.
#[derive(Default)]
struct Bin(Option<(u8, Vec<u8>)>);

impl Bin {
    fn of(value: &Value) -> Self {
        let mut out = Vec::new();
        let particle = value.encode(&mut out);
        Self(Some((particle, out)))
    }

    /// The result; `Err` is the code of the rejection.
    fn run_in(&mut self, op: Op<Value>, path: &[Step<Value>]) -> Result<Option<Value>, u8> {
        let mut payload = Vec::new();
        op.encode(path, &mut payload);
        let old = self.0.as_ref().map(|(particle, value)| (*particle, value.as_slice()));
        let result = if op.modifies() {
            let outcome = modify(old, &payload).map_err(|code| code.0)?;
            self.0 = outcome.bin.or(self.0.take());
            outcome.result
        } else {
            read(old.expect("a bin to read"), &payload).map_err(|code| code.0)?
        };
        Ok(result.map(|result| Value::decode(result.particle, &result.value).unwrap()))
    }

    fn list(&mut self, op: ListOp<Value>) -> Result<Option<Value>, u8> {
        self.run_in(Op::List(op), &[])
    }

    fn map(&mut self, op: MapOp<Value>) -> Result<Option<Value>, u8> {
        self.run_in(Op::Map(op), &[])
    }

    fn value(&self) -> Value {
        let (particle, value) = self.0.as_ref().unwrap();
        Value::decode(*particle, value).unwrap()
    }
}

fn append(value: i64, order: i64, flags: i64) -> ListOp<Value> {
    ListOp::Append { value: Value::Int(value), order, flags }
}

fn put(key: &str, value: i64, order: i64, flags: i64) -> MapOp<Value> {
    MapOp::Put { key: text(key), value: Value::Int(value), order, flags }
}

fn int(number: i64) -> Result<Option<Value>, u8> {
    some(Value::Int(number))
}

#[allow(clippy::unnecessary_wraps)] // what is compared with is a result
fn some(value: Value) -> Result<Option<Value>, u8> {
    Ok(Some(value))
}

#[test]
fn list_writes_follow_their_flags() {
    let mut bin = Bin::default();
    assert_eq!(bin.list(append(5, 1, 0)), int(1));
    assert_eq!(bin.0.as_ref().unwrap().1, [0x92, 0xc7, 0, 1, 5]);
    assert_eq!(bin.list(append(3, 0, 1)), int(2));
    assert_eq!(bin.list(append(3, 0, 1)), Err(24));
    assert_eq!(bin.list(append(3, 0, 5)), int(2));
    assert_eq!(bin.value(), ints(&[3, 5]));
    let items = |items: &[i64], flags| ListOp::AppendItems { items: ints(items), order: 0, flags };
    assert_eq!(bin.list(items(&[9, 9], 1)), Err(26));
    assert_eq!(bin.list(items(&[9, 3], 1 | 8)), Err(24));
    assert_eq!(bin.list(items(&[9, 3, 9, 1], 1 | 4)), int(2));
    assert_eq!(bin.list(items(&[9, 3, 9, 1], 1 | 4 | 8)), int(4));
    assert_eq!(bin.value(), ints(&[1, 3, 5, 9]));
    let insert = |index, flags| ListOp::Insert { index, value: Value::Int(7), flags };
    assert_eq!(bin.list(insert(0, 4)), Err(26), "ordered");
    assert_eq!(bin.list(ListOp::SetOrder(0)), Ok(None));
    assert_eq!(bin.list(insert(-1, 0)), int(5));
    assert_eq!(bin.list(insert(9, 2)), Err(26));
    assert_eq!(bin.list(insert(9, 2 | 4)), int(5));
    assert_eq!(bin.list(insert(-6, 0)), Err(26));
    assert_eq!(bin.list(insert(6, 0)), int(7));
    assert_eq!(bin.list(ListOp::Get(5)), Ok(None), "filled up with nil");
    assert_eq!(bin.list(ListOp::Trim(1, 3)), int(4));
    assert_eq!(bin.value(), ints(&[3, 5, 7]));
    assert_eq!(bin.list(insert(i64::MAX, 0)), Err(26));
    assert_eq!(bin.list(insert(1 << 31, 0)), Err(26));
    assert_eq!(bin.list(insert((1 << 31) - 1, 0)), Err(13));
    assert_eq!(bin.list(ListOp::SetOrder(2)), Err(26));
    assert_eq!(bin.list(ListOp::Sort(1)), Ok(None));
    assert_eq!(bin.list(ListOp::Sort(3)), Err(4));
    assert_eq!(bin.value(), ints(&[7, 5, 3]));
    assert_eq!(bin.list(ListOp::PopRange(-2, None)), some(ints(&[5, 3])));
    assert_eq!(bin.list(ListOp::Pop(1)), Err(26));
    assert_eq!(bin.list(ListOp::Pop(0)), int(7));
    assert_eq!(bin.value(), ints(&[]));
}

#[test]
fn list_increment_adds_integers_and_floats() {
    let add = |index, delta: Option<Value>| ListOp::Increment { index, delta, order: 0, flags: 0 };
    let mut bin = Bin::default();
    assert_eq!(bin.list(add(1, Some(Value::Float(2.5)))), some(Value::Float(2.5)));
    assert_eq!(bin.list(add(1, Some(Value::Int(2)))), some(Value::Float(4.5)));
    assert_eq!(bin.list(add(0, None)), Err(4), "nil is no number");
    assert_eq!(bin.list(append(i64::MAX, 0, 0)), int(3));
    assert_eq!(bin.list(add(-1, None)), int(i64::MIN));
    assert_eq!(bin.list(add(-1, Some(Value::Float(-1.9)))), int(i64::MAX));
    assert_eq!(bin.list(add(0, Some(text("1")))), Err(4));
}

#[test]
fn removals_from_missing_bins_create_nothing() {
    for op in [
        ListOp::Pop(0),
        ListOp::PopRange(0, None),
        ListOp::Remove(0),
        ListOp::RemoveRange(0, None),
        ListOp::Trim(0, 1),
        ListOp::Clear,
        ListOp::RemoveBy(7, By::Index(0)),
    ] {
        let mut bin = Bin::default();
        assert_eq!((bin.list(op), bin.0), (Ok(None), None));
    }
    assert_eq!(Bin::default().list(ListOp::Sort(0)), Err(12));
    let replace = MapOp::Replace { key: text("k"), value: Value::Nil };
    assert_eq!(Bin::default().map(replace), Err(23));
    let mut bin = Bin::default();
    assert_eq!(bin.map(put("k", 1, 0, 2)), Err(23));
    assert_eq!(bin.map(put("k", 1, 1, 2 | 4)), int(0));
    assert_eq!(bin.0.unwrap().1, [0x81, 0xc7, 0, 1, 0xc0]);
    assert_eq!(Bin::of(&Value::Int(1)).list(ListOp::Clear), Err(12));
    assert_eq!(Bin::of(&map(&[])).list(ListOp::Clear), Err(12));
}

#[test]
fn map_writes_follow_their_flags() {
    let mut bin = Bin::default();
    assert_eq!(bin.map(put("b", 2, 1, 0)), int(1));
    assert_eq!(bin.map(put("a", 1, 0, 1)), int(2));
    assert_eq!(bin.map(put("a", 7, 0, 1)), Err(24));
    assert_eq!(bin.map(put("c", 7, 0, 2)), Err(23));
    assert_eq!(bin.map(put("c", 7, 0, 2 | 4)), int(2));
    let items =
        |items: &[(&str, i64)], flags| MapOp::PutItems { items: map(items), order: 0, flags };
    assert_eq!(bin.map(items(&[("z", 1), ("a", 9)], 1)), Err(24));
    assert_eq!(bin.map(items(&[("z", 1), ("a", 9)], 1 | 4)), int(2));
    assert_eq!(bin.map(items(&[("z", 1), ("a", 9)], 1 | 4 | 8)), int(3));
    assert_eq!(bin.map(items(&[("z", 1), ("z", 9)], 0)), Err(4));
    assert_eq!(bin.value(), map(&[("a", 1), ("b", 2), ("z", 1)]));
    assert_eq!(
        bin.map(MapOp::Put { key: Value::Nil, value: Value::Nil, order: 0, flags: 0 }),
        Err(4)
    );
    let add = |key: &str, delta| MapOp::Increment { key: text(key), delta, order: 0 };
    assert_eq!(bin.map(add("a", None)), int(2));
    assert_eq!(bin.map(add("n", Some(Value::Float(0.5)))), some(Value::Float(0.5)));
    let decrement = MapOp::Decrement { key: text("d"), delta: Some(Value::Int(4)), order: 0 };
    assert_eq!(bin.map(decrement), int(-4));
    assert_eq!(bin.map(MapOp::SetOrder(8)), Err(26));
    assert_eq!(bin.map(MapOp::SetOrder(3)), Ok(None));
    assert_eq!(bin.map(MapOp::Clear), Ok(None));
    assert_eq!(bin.0.unwrap().1, [0x81, 0xc7, 0, 3, 0xc0]);
}

#[test]
fn each_return_type_returns_its_result() {
    use return_type as rt;
    let list =
        |by: By<Value>, returns| Bin::of(&ints(&[30, 10, 20, 10])).list(ListOp::GetBy(returns, by));
    let ten = || Value::Int(10);
    assert_eq!(list(By::Value(ten()), rt::INDEX), int(1));
    assert_eq!(list(By::Value(ten()), rt::REVERSE_RANK), int(3));
    assert_eq!(list(By::Value(Value::Int(11)), rt::RANK), int(-1));
    assert_eq!(list(By::Value(Value::Int(11)), rt::VALUE), Ok(None));
    assert_eq!(list(By::Value(Value::Int(11)), rt::RANK_RANGE), some(ints(&[2, 0])));
    assert_eq!(list(By::AllByValue(ten()), rt::INDEX), some(ints(&[1, 3])));
    assert_eq!(list(By::AllByValue(ten()), rt::RANK), some(ints(&[0, 1])));
    assert_eq!(list(By::AllByValue(ten()), rt::INVERTED | rt::VALUE), some(ints(&[30, 20])));
    assert_eq!(list(By::IndexRange(-3, Some(2)), rt::VALUE), some(ints(&[10, 20])));
    assert_eq!(list(By::IndexRange(-9, Some(6)), rt::INDEX_RANGE), some(ints(&[0, 1])));
    assert_eq!(list(By::IndexRange(1, None), rt::REVERSE_INDEX_RANGE), some(ints(&[0, 3])));
    assert_eq!(list(By::IndexRange(9, None), rt::EXISTS), some(Value::Bool(false)));
    assert_eq!(list(By::RankRange(2, None), rt::VALUE), some(ints(&[20, 30])));
    let relative = |rank, count| By::RelativeRank(Value::Int(20), rank, count);
    assert_eq!(list(relative(0, None), rt::VALUE), some(ints(&[20, 30])));
    assert_eq!(list(relative(-1, Some(1)), rt::COUNT), int(1));
    assert_eq!(list(relative(-5, Some(4)), rt::VALUE), some(ints(&[10])));
    assert_eq!(list(By::ValueList(ints(&[20, 30, 20])), rt::VALUE), some(ints(&[30, 20])));
    for (by, returns) in [
        (By::Index(4), rt::VALUE),
        (By::Index(0), rt::RANK_RANGE),
        (By::Index(0), rt::VALUE | rt::INVERTED),
        (By::Rank(0), rt::INDEX_RANGE),
        (By::IndexRange(0, None), rt::INDEX_RANGE | rt::INVERTED),
        (By::ValueList(ints(&[])), rt::RANK_RANGE),
        (By::Index(0), 14),
        (By::Index(0), 18),
        (By::Index(0), -1),
        (By::Index(0), rt::KEY),
    ] {
        assert_eq!(list(by.clone(), returns), Err(26), "{by:?} {returns}");
    }
    let map = |by: By<Value>, returns| {
        let mut bin = Bin::of(&map(&[("a", 3), ("b", 1), ("c", 2)]));
        bin.map(MapOp::GetBy(returns, by))
    };
    assert_eq!(map(By::Key(text("b")), rt::RANK), int(0));
    assert_eq!(map(By::Key(text("x")), rt::INDEX_RANGE), some(ints(&[-1, 0])));
    assert_eq!(map(By::Key(text("x")), rt::KEY_VALUE), some(Value::Map(vec![])));
    assert_eq!(
        map(By::RankRange(0, Some(2)), rt::KEY),
        some(Value::List(vec![text("b"), text("c")]))
    );
    assert_eq!(map(By::KeyInterval(Value::Nil, Some(text("b"))), rt::COUNT), int(1));
    assert_eq!(map(By::KeyInterval(text("b"), None), rt::VALUE), some(ints(&[1, 2])));
    assert_eq!(map(By::KeyInterval(text("b"), Some(Value::Nil)), rt::COUNT), int(0));
    assert_eq!(map(By::RelativeIndex(text("bb"), -1, None), rt::COUNT), int(2));
    assert_eq!(
        map(By::KeyList(Value::List(vec![text("c"), text("a")])), rt::VALUE),
        some(ints(&[3, 2]))
    );
    assert_eq!(map(By::KeyList(Value::List(vec![])), rt::RANK), Err(26));
}

#[test]
fn wildcards_and_infinity_match_in_ranges() {
    let list = Value::List(vec![ints(&[1, 5]), ints(&[1]), ints(&[2, 7]), Value::Int(3)]);
    let bin = Bin::of(&list);
    let (particle, value) = bin.0.as_ref().unwrap();
    let ask = |payload: &[u8]| {
        let result = read((*particle, value), payload).map_err(|code| code.0)?.unwrap();
        Ok::<_, u8>(Value::decode(result.particle, &result.value).unwrap())
    };
    // It stands for one value that is there; behind it nothing is compared, at any level.
    assert_eq!(ask(&[0x93, 22, 1, 0x92, 1, 0xd4, 0xff, 0]), Ok(ints(&[0])));
    assert_eq!(ask(&[0x93, 22, 1, 0x93, 2, 0xd4, 0xff, 0, 9]), Ok(ints(&[2])));
    assert_eq!(ask(&[0x93, 22, 1, 0x92, 0xd4, 0xff, 0, 9]), Ok(ints(&[0, 1, 2])));
    assert_eq!(ask(&[0x93, 22, 5, 0xd4, 0xff, 0]), Ok(Value::Int(4)));
    assert_eq!(ask(&[0x93, 23, 5, 0x91, 0x92, 1, 0xd4, 0xff, 0]), Ok(Value::Int(1)));
    assert_eq!(ask(&[0x94, 25, 5, 0x91, 1, 0x92, 1, 0xd4, 0xff, 1]), Ok(Value::Int(2)));
    let mut stored = modify(None, &[0x92, 1, 0xd4, 0xff, 0]);
    assert_eq!(stored, Err(ResultCode::PARAMETER));
    stored = modify(None, &[0x92, 1, 0x91, 0xc7, 1, 0xff, 1]);
    assert_eq!(stored, Err(ResultCode::PARAMETER));
}

#[test]
fn a_context_path_creates_missing_maps() {
    let mut bin = Bin::default();
    let at = |key: &str| Step::map_key(text(key));
    let op = |value| Op::List(append(value, 1, 0));
    assert_eq!(bin.run_in(op(5), &[at("a")]), Err(26));
    let creating_path = [at("a").creating(Create::OrderedOrPadded), at("b")];
    assert_eq!(bin.run_in(op(5), &creating_path), int(1));
    assert_eq!(bin.run_in(op(3), &creating_path), int(2));
    let (particle, value) = bin.0.clone().unwrap();
    let inner = [0x93, 0xc7, 0, 1, 3, 5];
    let outer = [0x82, 0xc7, 0, 1, 0xc0, 0xa2, 3, b'a', 0x81, 0xa2, 3, b'b'];
    assert_eq!((particle, value), (particle::MAP, [&outer[..], &inner].concat()));
    assert_eq!(bin.run_in(Op::List(ListOp::Size), &[at("a"), at("b")]), int(2));
    assert_eq!(bin.run_in(Op::List(ListOp::Size), &[at("a"), at("x")]), Err(26));
    assert_eq!(bin.run_in(Op::List(ListOp::Size), &[at("a"), Step::list_index(0)]), Err(26));
    assert_eq!(bin.run_in(Op::List(ListOp::Size), &[at("a")]), Err(12));
    assert_eq!(bin.run_in(Op::Map(MapOp::Size), &[at("a"), at("b")]), Err(12));
    let pop = Op::List(ListOp::Pop(0));
    let beside = [at("x").creating(Create::Unordered), at("y")];
    let before = bin.0.clone();
    assert_eq!(bin.run_in(pop, &beside), Ok(None));
    assert_eq!(bin.0, before);
    assert_eq!(Bin::of(&Value::Int(1)).run_in(op(1), &creating_path), Err(4));
}

#[test]
fn a_context_path_creates_missing_list_elements() {
    let step = |index, create| [Step::list_index(index).creating(create)];
    let op = || Op::List(append(1, 0, 0));
    let mut bin = Bin::default();
    assert_eq!(bin.run_in(op(), &step(2, Create::Unordered)), Err(26));
    assert_eq!(bin.run_in(op(), &step(-1, Create::Unordered)), int(1));
    assert_eq!(bin.run_in(op(), &step(2, Create::Unordered)), Err(26));
    assert_eq!(bin.run_in(op(), &step(1, Create::Unordered)), int(1));
    assert_eq!(bin.run_in(op(), &step(3, Create::OrderedOrPadded)), int(1));
    let list = Value::List(vec![ints(&[1]), ints(&[1]), Value::Nil, ints(&[1])]);
    assert_eq!(bin.value(), list);
    // An ordered list stays sorted when nested values change.
    let mut bin = Bin::of(&Value::List(vec![ints(&[2]), ints(&[1])]));
    bin.list(ListOp::SetOrder(1)).unwrap();
    let insert = ListOp::Insert { index: 0, value: Value::Int(9), flags: 0 };
    assert_eq!(bin.run_in(Op::List(insert), &[Step::list_index(0)]), int(2));
    assert_eq!(bin.value(), Value::List(vec![ints(&[2]), ints(&[9, 1])]));
    // No path creates more levels than can be decoded.
    let deep = vec![step(0, Create::Unordered)[0].clone(); item::DEPTH + 1];
    assert_eq!(Bin::default().run_in(op(), &deep), Err(26));
    assert_eq!(Bin::default().run_in(op(), &deep[1..]), Err(4));
    assert_eq!(Bin::default().run_in(op(), &deep[2..]), int(1));
}

/// A path of a few hundred bytes could add millions of elements at each of its levels.
#[test]
fn padding_is_bounded_along_a_whole_path() {
    let padded = |index| Step::list_index(index).creating(Create::OrderedOrPadded);
    let op = || Op::List(append(5, 0, 0));
    let most = MOST_ELEMENTS as i64;
    let mut bin = Bin::default();
    assert_eq!(bin.run_in(op(), &vec![padded(2_000_000); 60]), Err(13));
    assert_eq!(bin.run_in(op(), &[padded(1), padded(most)]), Err(13));
    assert!(bin.0.is_none());
    assert_eq!(bin.run_in(op(), &[padded(1), padded(2)]), int(1));
    let level = |padding: usize, value: Value| {
        Value::List(std::iter::repeat_n(Value::Nil, padding).chain([value]).collect())
    };
    assert_eq!(bin.value(), level(1, level(2, ints(&[5]))));
    // What exists already is no padding.
    assert_eq!(bin.run_in(op(), &[padded(2), padded(most)]), int(1));
    assert_eq!(bin.run_in(op(), &[padded(2), padded(most)]), int(2));
    assert_eq!(bin.run_in(op(), &[padded(4), padded(most)]), Err(13));
}

#[test]
fn large_lists_take_no_quadratic_time() {
    let many: Vec<i64> = (0..20_000).map(|at| at * 7919 % 20_011).collect();
    let mut bin = Bin::of(&ints(&many));
    let all = By::ValueList(ints(&many));
    assert_eq!(bin.list(ListOp::GetBy(return_type::COUNT, all)), int(20_000));
    let same = Bin::of(&ints(&vec![5; 20_000]))
        .list(ListOp::RemoveBy(return_type::COUNT, By::ValueList(ints(&vec![5; 20_000]))));
    assert_eq!(same, int(20_000));
    let items = ListOp::AppendItems { items: ints(&many), order: 0, flags: 1 };
    assert_eq!(bin.list(items), Err(24));
}

/// Building blocks of calls: numbers, flags, values, lists, maps, wildcards.
const PIECES: [&[u8]; 24] = [
    &[0],
    &[1],
    &[2],
    &[7],
    &[13],
    &[0xff],
    &[0xfe],
    &[0xc0],
    &[0xc3],
    &[0xcc, 0xc8],
    &[0xcd, 0x27, 0x10],
    &[0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0],
    &[0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    &[0xce, 0, 1, 0, 7],
    &[0xa2, 3, b'a'],
    &[0xa2, 4, b'a'],
    &[0xcb, 0x3f, 0xe0, 0, 0, 0, 0, 0, 0],
    &[0xca, 0x3f, 0, 0, 0],
    &[0x93, 2, 1, 2],
    &[0x93, 0xc7, 0, 1, 1, 2],
    &[0x82, 2, 1, 1, 0x91, 5],
    &[0x82, 0xc7, 0, 1, 0xc0, 1, 2],
    &[0xd4, 0xff, 0],
    &[0x92, 1, 0xd4, 0xff, 1],
];

/// No call panics, and the stored value is always valid.
#[test]
fn any_call_leaves_a_sound_value() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut bin = Bin::default();
    let mut done = 0;
    for round in 0..100_000 {
        if round % 50 == 0 {
            bin = Bin::default();
        }
        let count = random(5);
        let mut call = vec![0x91 + count as u8, random(111) as u8];
        for _ in 0..count {
            call.extend_from_slice(PIECES[random(PIECES.len())]);
        }
        if random(3) == 0 {
            let steps = [0x10, 0x11, 0x13, 0x20, 0x21, 0x22, 0x23, 0x50, 0x60, 0x62];
            let mut wrapped = vec![0x93, 0xcc, 0xff, 0x90 + 2 * (1 + random(2)) as u8];
            for _ in 0..(wrapped[3] & 0x0f) / 2 {
                wrapped.push(steps[random(steps.len())]);
                wrapped.extend_from_slice(PIECES[random(PIECES.len())]);
            }
            wrapped.append(&mut call);
            call = wrapped;
        }
        let old = bin.0.as_ref().map(|(particle, value)| (*particle, value.as_slice()));
        if let Some(old) = old {
            let _ = read(old, &call);
        }
        if let Ok(outcome) = modify(old, &call)
            && let Some((particle, value)) = outcome.bin
        {
            let mut out = Vec::new();
            let sound = crate::value::store(&mut out, particle, &value);
            assert_eq!((sound, &out), (Ok(()), &value), "{call:02x?} on {:02x?}", bin.0);
            bin.0 = Some((particle, value)).filter(|(_, value)| value.len() < 2000);
            done += 1;
        }
    }
    assert!(done > 500, "{done} calls changed something");
}
