//! Path expressions: many elements of nested lists and maps.

mod support;

use spikewire::exp::{self, Type};
use spikewire::{
    Dataset, Expression, Kind, Operation, Order, ResultCode, Returning, Value, ctx, op,
};

use support::home;

fn list<const N: usize>(items: [i64; N]) -> Value {
    Value::List(items.map(Value::Int).into())
}

fn map<const N: usize>(pairs: [(&str, Value); N]) -> Value {
    Value::Map(pairs.into_iter().map(|(key, value)| (Value::from(key), value)).collect())
}

fn of(v: i64) -> Value {
    map([("v", v.into())])
}

fn fill(users: &Dataset) {
    let m = map([("a", of(1)), ("b", of(5)), ("c", of(9))]);
    users.put("k", [("m", m), ("l", list([10, 20, 30, 40]))]).unwrap();
}

/// What an operation gives.
fn one(users: &Dataset, operation: Operation) -> Value {
    users.operate("k", [operation]).unwrap().bins.iter().next().unwrap().value.clone()
}

fn fault(users: &Dataset, operation: Operation) -> String {
    let error = users.operate("k", [operation]).unwrap_err();
    assert_eq!(error.kind(), Kind::Invalid, "{error}");
    error.message().to_owned()
}

#[test]
fn paths_select_modify_and_remove() {
    let (_cluster, users) = home(1);
    fill(&users);
    let above = || [ctx::all_children_where("@.v > 2")];
    let select = || op::path::select("m", above());
    assert_eq!(one(&users, select()), Value::List(vec![of(5), of(9)]));
    let keys = Value::List(vec!["b".into(), "c".into()]);
    assert_eq!(one(&users, select().returning(Returning::Key)), keys);
    let tree = map([("b", of(5)), ("c", of(9))]);
    assert_eq!(one(&users, select().returning(Returning::Tree)), tree);
    let some = [ctx::map_keys_in(["a", "b", "z"]), ctx::and_where("@.v > 2"), ctx::map_key("v")];
    assert_eq!(one(&users, op::path::select("m", some)), list([5]));
    let even = exp::loop_var::index() % 2;
    let even = [ctx::all_children_where(even.eq(0))];
    assert_eq!(one(&users, op::path::select("l", even)), list([10, 30]));
    let sum = exp::loop_var::value() + exp::loop_var::index();
    let sum = op::path::modify("l", [ctx::all_children()], sum);
    users.operate("k", [sum]).unwrap();
    assert_eq!(one(&users, op::get("l")), list([10, 21, 32, 43]));
    let gone = op::path::remove("m", above());
    users.operate("k", [gone]).unwrap();
    assert_eq!(one(&users, op::get("m")), map([("a", of(1))]));
    // A value of another kind: an error, or skipped.
    let text = || op::path::select("l", [ctx::all_children_where("@ == 'x'")]);
    let error = users.operate("k", [text()]).unwrap_err();
    assert_eq!(error.kind(), Kind::Server(ResultCode::PARAMETER));
    assert_eq!(one(&users, text().no_fail()), list([]));
}

#[test]
fn expressions_have_paths() {
    let (_cluster, users) = home(1);
    fill(&users);
    let m = || exp::typed_bin("m", Type::Map);
    let path = || [ctx::all_children(), ctx::map_key("v")];
    for (expression, expected) in [
        (exp::path::select(m(), path()), list([1, 5, 9])),
        (exp::path::select(m(), path()).returning(Returning::KeyValue), {
            let pairs = [1, 5, 9].map(|v| [Value::from("v"), Value::Int(v)]);
            Value::List(pairs.concat())
        }),
        (exp::list::size(exp::path::select(m(), path())), 3.into()),
        (exp::path::remove(m(), [ctx::map_keys_in(["b", "c"])]), map([("a", of(1))])),
        (exp::path::modify(exp::bin("l"), [ctx::list_index(0)], "@ * 2"), list([20, 20, 30, 40])),
        (Expression::from("$.m:MAP.*[?(@.v > 2)].count()"), 2.into()),
        (Expression::with("$.l.[?(@ > ?)]", [25.into()]), list([30, 40])),
    ] {
        let text = expression.to_string();
        assert_eq!(one(&users, op::read("it", expression)), expected, "{text}");
    }
    let tree = exp::path::select(m(), path()).no_fail().to_string();
    assert_eq!(tree, "$.m:MAP.*.v.get(NO_FAIL)");
    let some = spikewire::CallOptions::default().filter("$.l.[?(@ > 35)].exists()");
    assert!(users.with(some).get("k").is_ok());
}

#[test]
fn bad_paths_are_refused_before_they_are_sent() {
    let (_cluster, users) = home(1);
    let all = ctx::all_children;
    for (operation, why) in [
        (op::path::select("b", []), "a path has 1 to 64 steps, not 0"),
        (op::path::remove("b", vec![all(); 65]), "a path has 1 to 64 steps, not 65"),
        (op::path::remove("b", [ctx::and_where("@ > 1")]), "must follow"),
        (op::path::remove("b", [all(), ctx::and_where("@ > 1")]), "path[1]: it cannot follow"),
        (op::path::remove("b", [all().create(Order::Key)]), "path[0]: a step to several"),
        (op::path::remove("b", [ctx::map_key("a").create(Order::Key)]), "create nothing"),
        (op::path::select("b", [all()]).returning(Returning::Count), "'key_value' or 'tree'"),
        (op::path::select("b", [all()]).unique(), "takes no unique"),
        (op::path::select("b", [all()]).ctx([all()]), "takes no ctx"),
        (op::path::remove("b", [all()]).returning(Returning::Key), "takes no returning"),
        (op::path::remove("b", [ctx::all_children_where("$.a > 1")]), "not the record"),
        (op::path::modify("b", [all()], exp::ttl()), "not the record"),
        (op::path::modify("b", [all()], "@"), "nothing says of which type"),
        (op::list::size("b").ctx([all()]), "ctx[0]: all_children names several elements"),
        (op::read("b", exp::loop_var::typed_value(Type::Int)), "only in a filter of a path"),
        (op::read("b", exp::path::remove(exp::bin("b"), [all()])), "of which type"),
        (op::read("b", exp::path::select(exp::bin("l"), [ctx::map_key(1.5)])), "map key"),
    ] {
        let message = fault(&users, operation);
        assert!(message.contains(why), "{message}");
    }
}
