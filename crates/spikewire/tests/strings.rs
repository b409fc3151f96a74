//! Operations on strings, in `operate` and in expressions.

mod support;

use spikewire::{
    Dataset, Expression, Kind, NumberKind, Operation, ResultCode, Value, ctx, exp, op,
};
use spikewire_aerospike_server::{Cluster, Options};

use support::{builder, home};

/// A dataset of a cluster of 8.2, with one record.
fn newer() -> (Cluster, Dataset) {
    let cluster = Cluster::start(Options { build: "8.2".to_owned(), ..Options::default() });
    let cluster = cluster.unwrap();
    let client = builder().connect(cluster.seeds()).unwrap();
    let texts = client.dataset("test", "demo").unwrap();
    texts.put("k", [("b", "Zoé-12")]).unwrap();
    (cluster, texts)
}

fn results(texts: &Dataset, operations: impl AsRef<[Operation]>) -> Vec<Value> {
    let record = texts.operate("k", operations).unwrap();
    record.bins.iter().map(|bin| bin.value.clone()).collect()
}

fn computed(texts: &Dataset, expression: impl Into<Expression>) -> Value {
    let record = texts.operate("k", [op::read("it", expression)]).unwrap();
    record.get("it").cloned().unwrap_or(Value::Nil)
}

#[test]
fn strings_are_read_and_changed() {
    let (_cluster, texts) = newer();
    let read = [
        op::string::length("b"),
        op::string::substring("b", 1, 3),
        op::string::substring("b", -2, None),
        op::string::find("b", "-", 1),
        op::string::contains("b", "e\u{301}"),
        op::string::is_numeric("b", NumberKind::Int),
        op::string::split("b", "-"),
        op::string::matches("b", "^z").ignore_case(),
        op::string::to_text("b"),
    ];
    let parts = Value::List(vec!["Zoé".into(), "12".into()]);
    let expected: [Value; 9] = [
        6.into(),
        "oé".into(),
        "12".into(),
        3.into(),
        true.into(),
        false.into(),
        parts,
        true.into(),
        "Zoé-12".into(),
    ];
    assert_eq!(results(&texts, read), expected);
    let changes = [
        op::string::replace_matches("b", "[0-9]", "#").every(),
        op::string::upper("b"),
        op::string::concat("b", ["a", "b"]),
        op::string::snip("b", 0, 1),
        op::string::repeat("b", -1).no_fail(),
        op::string::append("b", "!").update_only(),
        op::get("b"),
    ];
    assert_eq!(results(&texts, changes).last(), Some(&"OÉ-##ab!".into()));
}

#[test]
fn strings_inside_maps_joined_lists_and_base64() {
    let (_cluster, texts) = newer();
    let map = Value::Map(vec![("k".into(), "ab".into())]);
    let list = Value::List(vec!["x".into(), "y".into()]);
    texts.put("k", [("m", map), ("l", list), ("x", Value::Bytes(b"hi".to_vec()))]).unwrap();
    let operations = [
        op::string::upper("m").ctx([ctx::map_key("k")]),
        op::string::length("m").ctx([ctx::map_key("k")]),
        op::list::join("l", ", "),
        op::bit::base64("x", 0, None),
        op::bit::base64("x", 0, 1).from_end(),
    ];
    let expected: [Value; 5] = [Value::Nil, 2.into(), "x, y".into(), "aGk=".into(), "aA==".into()];
    assert_eq!(results(&texts, operations), expected);
}

#[test]
fn expressions_compute_with_strings() {
    let (_cluster, texts) = newer();
    let b = || exp::bin("b");
    assert_eq!(computed(&texts, exp::string::length(b())), 6.into());
    assert_eq!(computed(&texts, exp::string::lower(b()).eq("zoé-12")), true.into());
    assert_eq!(computed(&texts, exp::string::replace(b(), "1", "x").no_fail()), "Zoé-x2".into());
    assert_eq!(computed(&texts, exp::value(5).to_text()), "5".into());
    assert_eq!(computed(&texts, exp::text("$.b.substr(0, 3).upper()")), "ZOÉ".into());
}

#[test]
fn failures_name_their_kind() {
    let (_cluster, texts) = newer();
    let error = texts.operate("k", [op::string::to_int("b")]).unwrap_err();
    assert_eq!(error.kind(), Kind::Server(ResultCode::OP_NOT_APPLICABLE));
    let inside = op::string::append("b", "x").create_only().ctx([ctx::list_index(0)]);
    let error = texts.operate("k", [inside]).unwrap_err();
    assert_eq!(error.kind(), Kind::Invalid, "{error}");
    let (_older, users) = home(1);
    users.put("k", [("b", "text")]).unwrap();
    let error = users.operate("k", [op::string::length("b")]).unwrap_err();
    assert_eq!(error.kind(), Kind::Unsupported);
    assert!(error.message().starts_with("string operations: needs server 8.2; node BB9"));
}
