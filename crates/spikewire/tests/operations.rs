//! Operations on lists, maps, bits and sketches, and the same inside expressions.

mod support;

use spikewire::exp::{self, Type};
use spikewire::{
    Dataset, Error, Expression, Kind, Operation, Order, Overflow, ResultCode, Returning, Value,
    ctx, op,
};

use support::home;

/// The result of each operation.
fn results(users: &Dataset, operations: impl AsRef<[Operation]>) -> Vec<Value> {
    let record = users.operate("k", operations).unwrap();
    record.bins.iter().map(|bin| bin.value.clone()).collect()
}

fn error_of(users: &Dataset, operation: Operation) -> Error {
    users.operate("k", [operation]).unwrap_err()
}

/// The result of an expression.
fn computed(users: &Dataset, expression: impl Into<Expression>) -> Value {
    let expression = expression.into();
    let record = users.operate("k", [op::read("it", &expression)]);
    let record = record.unwrap_or_else(|error| panic!("{expression}: {error}"));
    record.get("it").cloned().unwrap_or(Value::Nil)
}

fn list<const N: usize>(items: [i64; N]) -> Value {
    Value::List(items.map(Value::Int).into())
}

#[test]
fn list_operations_return_their_results() {
    let (_cluster, users) = home(1);
    let actual = results(
        &users,
        [
            op::list::append("l", 3),
            op::list::append_items("l", [1, 2]),
            op::list::append("l", 3).unique().no_fail(),
            op::list::insert("l", 0, 9),
            op::list::get("l", -1),
            op::list::get_range("l", 1, 2),
            op::list::get_range("l", 1, None),
            op::list::get_by_rank("l", -1).returning(Returning::Index),
            op::list::get_by_value_range("l", 2, 9).returning(Returning::Count),
            op::list::get_by_value_range("l", 3, Value::Nil).returning(Returning::Count),
            op::list::remove_by_value_list("l", [1, 2]).inverted().returning(Returning::Value),
            op::list::sort("l").descending(),
            op::list::increment("l", 0, 5),
            op::get("l"),
        ],
    );
    let expected: Vec<Value> = vec![
        1.into(),
        3.into(),
        3.into(),
        4.into(),
        2.into(),
        list([3, 1]),
        list([3, 1, 2]),
        0.into(),
        2.into(),
        2.into(),
        list([9, 3]),
        Value::Nil,
        7.into(),
        list([7, 1]),
    ];
    assert_eq!(actual, expected);
}

#[test]
fn operations_with_a_context_change_nested_maps() {
    let (_cluster, users) = home(1);
    let today =
        || [ctx::map_key("2026").create(Order::Key), ctx::map_key("may").create(Order::Key)];
    let actual = results(
        &users,
        [
            op::map::put("cart", "apples", 3).order(Order::Key),
            op::map::put_items("cart", [("pears", 2), ("figs", 0)]),
            op::map::get_by_key("cart", "pears"),
            op::map::get_by_rank("cart", -1).returning(Returning::Key),
            op::map::get_by_key_list("cart", ["figs", "kiwis"]).returning(Returning::KeyValue),
            op::map::remove_by_value("cart", 0).returning(Returning::Key),
            op::map::size("cart"),
            op::map::increment("visits", "monday", 1).ctx(today()),
            op::map::increment("visits", "monday", 2).ctx(today()),
            op::map::decrement("visits", "monday", 1).ctx(today()),
            op::list::create("gap", Order::Unordered).pad().ctx([ctx::list_index(1)]),
        ],
    );
    let figs = Value::Map(vec![("figs".into(), 0.into())]);
    let expected: Vec<Value> = vec![
        1.into(),
        3.into(),
        2.into(),
        "apples".into(),
        figs,
        Value::List(vec!["figs".into()]),
        2.into(),
        1.into(),
        3.into(),
        2.into(),
        Value::Nil,
    ];
    assert_eq!(actual, expected);
    let gap = users.get("k").unwrap().unwrap();
    assert_eq!(gap.get("gap"), Some(&Value::List(vec![Value::Nil, Value::List(vec![])])));
    let nowhere = op::map::put("visits", "x", 1).ctx([ctx::map_key("2027")]);
    let error = error_of(&users, nowhere);
    assert_eq!(error.kind(), Kind::Server(ResultCode::OP_NOT_APPLICABLE));
}

/// Servers compare operands with the maps they store in order: on a real one a map in another order
/// equals nothing, and nobody is told.
#[test]
fn maps_are_looked_for_in_the_order_of_servers() {
    let (_cluster, users) = home(1);
    let inner = || Value::Map(vec![("y".into(), 2.into()), ("x".into(), 1.into())]);
    let unordered = || {
        Value::Map(vec![
            (Value::Bytes(b"z".to_vec()), 3.into()),
            ("ab".into(), Value::List(vec![inner()])),
            (Value::Int(300), 1.into()),
            (Value::Int(-1), 0.into()),
        ])
    };
    let second = || Value::List(vec![1.into(), unordered()]);
    users.put("k", [("l", vec![Value::Int(0), unordered(), second()])]).unwrap();
    let count = Returning::Count;
    let matches = results(
        &users,
        [
            op::map::put("m", "k", unordered()),
            op::list::get_by_value("l", unordered()).returning(count),
            op::list::get_by_value("l", second()).returning(count),
            op::list::get_by_value_list("l", [Value::Int(0), unordered()]).returning(count),
            op::map::size("l").ctx([ctx::list_value(unordered())]),
            op::list::size("l").ctx([ctx::value(second())]),
            op::map::size("m").ctx([ctx::map_value(unordered())]),
            op::map::get_by_value("m", vec![inner()]).returning(count).ctx([ctx::map_key("k")]),
            op::list::remove_by_value("l", unordered()).returning(count),
            op::map::remove_by_value("m", unordered()).returning(count),
        ],
    );
    assert_eq!(matches, [1, 1, 1, 2, 4, 2, 4, 1, 1, 1].map(Value::Int));
}

#[test]
fn bit_and_hll_operations_return_their_results() {
    let (_cluster, users) = home(1);
    let actual = results(
        &users,
        [
            op::bit::resize("bits", 2),
            op::bit::set("bits", 4, 8, b"\xff"),
            op::bit::add("bits", 0, 4, 15).overflow(Overflow::Saturate),
            op::bit::count("bits", 0, 16),
            op::bit::get_int("bits", 0, 16),
            op::bit::get_int("bits", 0, 8).signed(),
            op::bit::lscan("bits", 0, 16, false),
            op::hll::add("seen", ["ann", "bob", "ann"]).index_bits(12),
            op::hll::get_count("seen"),
            op::hll::describe("seen"),
        ],
    );
    let counts: Vec<Value> =
        vec![12.into(), 65520.into(), (-1).into(), 12.into(), 2.into(), 2.into(), list([12, 0])];
    assert_eq!(actual[3..], counts);
    let record = users.get("k").unwrap().unwrap();
    let sketch = record.get("seen").unwrap().clone();
    assert!(matches!(sketch, Value::Hll(_)));
    let union = op::hll::get_union_count("seen", [sketch]);
    assert_eq!(results(&users, [union]), [2.into()]);
}

#[test]
fn invalid_operations_are_rejected_before_sending() {
    let (_cluster, users) = home(1);
    let nothing: [Value; 0] = [];
    for (operation, expected) in [
        (op::get("l").unique(), "takes no unique"),
        (op::list::size("l").unique(), "bin \"l\": the list operation size takes no unique"),
        (op::bit::get("b", 0, 8).ctx([ctx::index(0)]), "the bit operation get takes no ctx"),
        (
            op::list::get_by_rank("l", 0).returning(Returning::Key),
            "or 'reverse_rank_range', got 'key'",
        ),
        (op::list::append("l", 1).order(Order::Key), "'unordered' or 'ordered'"),
        (op::map::put("m", 1.5, 1), "a map key must be an integer, a string or bytes, not"),
        (op::map::put("m", 1, 1).create_only().update_only(), "exclude each other"),
        (op::hll::add("h", ["a"]).index_bits(17), "index_bits must be from 4 to 16, got 17"),
        (op::hll::get_union("h", ["a"]), "sketches[0] must be a HyperLogLog"),
        (
            op::map::get_by_index_range("m", 0, None).returning(Returning::IndexRange).inverted(),
            "a range has no inversion",
        ),
        (
            op::map::get_by_key_list("m", nothing.clone()).inverted(),
            "keys: an empty list, inverted",
        ),
        (
            op::map::remove_by_value_list("m", nothing).inverted().returning(Returning::Key),
            "values: an empty list, inverted",
        ),
        (
            op::list::append("l", 1).ctx([ctx::list_index(-9).create_padded()]),
            "ctx[0]: index must be 0 or more where the list is padded, got -9",
        ),
        (
            op::list::create("l", Order::Unordered).pad().ctx([ctx::list_index(-1)]),
            "index must be 0 or more",
        ),
        (
            op::list::create("l", Order::Unordered).ctx([ctx::list_rank(0)]),
            "only a list index or a map key can be created",
        ),
        (
            op::list::get("l", 0).ctx([ctx::list_index(0), ctx::map_key("a").persist_index()]),
            "ctx[1]: only a first step persists its index",
        ),
        (op::read("r", exp::list::get(exp::bin("l"), 0)), "which type"),
        (op::read("r", exp::bin("a").eq(1) + 1), "`+`"),
        (op::read("r", exp::bin("a").returning(Returning::Count)), "takes no returning"),
        (
            op::read(
                "r",
                exp::map::get_by_value_list(exp::bin("m"), Vec::<Value>::new()).inverted(),
            ),
            "exp::map::get_by_value_list: values: an empty list, inverted",
        ),
    ] {
        let error = error_of(&users, operation);
        assert_eq!(error.kind(), Kind::Invalid, "{error}");
        assert!(error.message().contains(expected), "{error} does not say {expected}");
    }
    assert!(!users.exists("k").unwrap());
}

#[test]
fn expressions_compute_from_bins() {
    let (_cluster, users) = home(1);
    let cart = vec![("apples".into(), 3.into()), ("pears".into(), 2.into())];
    let bins: [(&str, Value); 4] = [
        ("cart", Value::Map(cart)),
        ("log", list([5, 1, 9])),
        ("bits", Value::Bytes(vec![0x0f])),
        ("n", 2.5.into()),
    ];
    users.put("k", bins).unwrap();
    let (cart, log) = (|| exp::bin("cart"), || exp::bin("log"));
    let n = || exp::typed_bin("n", Type::Float);
    let apples = exp::map::get_by_key(cart(), "apples").of_type(Type::Int);
    let pears = exp::map::get_by_key(cart(), "pears");
    assert_eq!(computed(&users, apples + pears), 5.into());
    assert_eq!(computed(&users, exp::list::size(log()).gt(2)), true.into());
    assert_eq!(computed(&users, exp::list::get_by_rank(log(), -1).gt(8)), true.into());
    assert_eq!(computed(&users, exp::list::get_range(log(), 1, 2)), list([1, 9]));
    assert_eq!(computed(&users, exp::list::get_range(log(), 1, Value::Nil)), list([1, 9]));
    let without = exp::list::remove_by_value(log(), 1);
    assert_eq!(computed(&users, exp::list::size(without)), 2.into());
    let known = exp::list::get_by_value(log(), 9).returning(Returning::Exists);
    assert_eq!(computed(&users, known), true.into());
    assert_eq!(computed(&users, exp::bit::count(exp::bin("bits"), 0, 8)), 4.into());
    assert_eq!(computed(&users, n() * 2), 5.0.into());
    assert_eq!(computed(&users, -exp::bin("n").floor()), (-2.0).into());
    assert_eq!(computed(&users, (exp::value(7) % 4) << 1), 6.into());
    let both = n().lt(3) & !exp::bin_exists("none");
    assert_eq!(computed(&users, both), true.into());
    let size = exp::cond([(exp::list::size(log()).gt(3), "many")], "few");
    assert_eq!(computed(&users, size), "few".into());
    let twice = exp::bind([("x", exp::list::size(log()))], exp::var("x") + exp::var("x"));
    assert_eq!(computed(&users, twice), 6.into());
    assert_eq!(computed(&users, exp::maximum([1, 5, 3])), 5.into());
    assert_eq!(computed(&users, exp::text("$.log.[0]:INT") + 1), 6.into());
    assert_eq!(computed(&users, exp::value(5).is_in(log())), true.into());
    assert_eq!(computed(&users, exp::set_name().matches("^de")), true.into());
}

#[test]
fn expressions_print_as_text() {
    let many = exp::list::size(exp::bin("log")).gt(100);
    assert_eq!(many.to_string(), "$.log.[].count() > 100");
    let nested = exp::map::get_by_key(exp::bin("m"), "k").ctx([ctx::map_key("a")]);
    assert_eq!(nested.eq(1).to_string(), "$.m.a.k:INT == 1");
}
