//! Values are read back as they were written.

mod support;

use proptest::prelude::*;
use spikewire::{Dataset, Value};

use support::home;

fn back(users: &Dataset, value: &Value) -> Value {
    users.put("k", [("bin", value)]).unwrap();
    users.get("k").unwrap().unwrap().bins.remove("bin").unwrap()
}

#[test]
fn every_type_round_trips() {
    let (_cluster, users) = home(3);
    let list = || Value::List(vec![1.into(), "two".into(), Value::Nil, 3.5.into(), true.into()]);
    let values: Vec<Value> = vec![
        true.into(),
        false.into(),
        0.into(),
        i64::MIN.into(),
        i64::MAX.into(),
        0.0.into(),
        f64::MIN_POSITIVE.into(),
        f64::INFINITY.into(),
        "".into(),
        "grüße 🦀".into(),
        Value::Bytes(Vec::new()),
        Value::Bytes((0..=255).collect()),
        Value::List(Vec::new()),
        list(),
        Value::Map(Vec::new()),
        Value::Map(vec![(1.into(), list()), ("key".into(), Value::Nil)]),
        Value::GeoJson(r#"{"type":"Point","coordinates":[1.5,2.5]}"#.to_owned()),
        "x".repeat(100_000).as_str().into(),
    ];
    for value in values {
        assert_eq!(back(&users, &value), value);
    }
    let nan = back(&users, &f64::NAN.into());
    assert!(matches!(nan, Value::Float(float) if float.is_nan()));
}

#[test]
fn the_deepest_nesting_comes_back() {
    let (_cluster, users) = home(3);
    let deep = (0..128).fold(Value::Int(1), |inner, _| Value::List(vec![inner]));
    users.put("k", [("bin", &deep)]).unwrap();
    assert_eq!(users.get("k").unwrap().unwrap().get("bin"), Some(&deep));
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("equal to itself", |f| !f.is_nan()).prop_map(Value::from),
        ".{0,40}".prop_map(Value::from),
        proptest::collection::vec(any::<u8>(), 0..40).prop_map(Value::from),
    ];
    let key = prop_oneof![
        any::<i64>().prop_map(Value::from),
        "[a-z]{0,8}".prop_map(Value::from),
        proptest::collection::vec(any::<u8>(), 0..8).prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 8, move |inner| {
        let pairs = proptest::collection::vec((key.clone(), inner.clone()), 0..6);
        prop_oneof![
            proptest::collection::vec(inner, 0..8).prop_map(Value::List),
            pairs.prop_map(|mut pairs| {
                pairs.sort_by_key(|(key, _)| format!("{key:?}"));
                pairs.dedup_by(|one, other| one.0 == other.0);
                Value::Map(pairs)
            }),
        ]
    })
}

/// The server returns maps sorted, so they are compared as sets of pairs.
fn sorted(value: Value) -> Value {
    match value {
        Value::List(items) => Value::List(items.into_iter().map(sorted).collect()),
        Value::Map(pairs) => {
            let mut pairs: Vec<_> =
                pairs.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            pairs.sort_by_key(|(key, _)| format!("{key:?}"));
            Value::Map(pairs)
        }
        other => other,
    }
}

#[test]
fn any_value_round_trips() {
    let (_cluster, users) = home(3);
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    runner
        .run(&value(), |value| {
            prop_assert_eq!(sorted(back(&users, &value)), sorted(value));
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_record_of_a_thousand_bins_round_trips() {
    let (_cluster, users) = home(3);
    let bins: Vec<(String, i64)> = (0..1000).map(|at| (format!("bin-{at}"), at)).collect();
    users.put("wide", bins.iter().map(|(name, value)| (name, value))).unwrap();
    let record = users.get("wide").unwrap().unwrap();
    assert_eq!(record.bins.len(), 1000);
    assert!(bins.iter().all(|(name, value)| record.get(name) == Some(&(*value).into())));
}
