//! Aggregations: first on the nodes, then on the client.

use std::collections::BTreeMap;
use std::sync::Arc;

use spikewire_aerospike_protocol::value::Value;
use spikewire_udf::{Failure, Library, Limits, Machine, Record, Side};

fn machine(source: &str) -> Machine {
    let mut library = Library::default();
    library.put("m.lua", source);
    Machine::new(Arc::new(library), Limits::default()).unwrap()
}

fn records(numbers: impl IntoIterator<Item = i64>) -> Vec<Record> {
    let record = |n| Record {
        exists: true,
        bins: BTreeMap::from([("n".to_owned(), Value::Int(n))]),
        ..Record::default()
    };
    numbers.into_iter().map(record).collect()
}

/// Runs `f` over the records of each node, and then over their results.
fn run(source: &str, nodes: Vec<Vec<Record>>, arguments: &[Value]) -> Result<Vec<Value>, Failure> {
    let machine = machine(source);
    let mut sent = Vec::new();
    for node in nodes {
        let mut pipeline = machine.stream("m", "f", arguments, Side::Node)?;
        for record in node {
            pipeline.record(record, &mut sent)?;
        }
        pipeline.finish(&mut sent)?;
    }
    let mut out = Vec::new();
    let mut pipeline = machine.stream("m", "f", arguments, Side::Client)?;
    for value in &sent {
        pipeline.value(value, &mut out)?;
    }
    pipeline.finish(&mut out)?;
    Ok(out)
}

#[test]
fn an_aggregation_sums_over_two_nodes() {
    let source = "
        local function n(rec) return rec.n end
        local function add(a, b) return a + b end
        function f(stream, least)
            return stream : filter(function(rec) return rec.n >= least end) : map(n) : reduce(add)
        end";
    let nodes = vec![records(0..10), records(10..20), vec![]];
    assert_eq!(run(source, nodes, &[Value::Int(5)]), Ok(vec![Value::Int((5..20).sum())]));
}

#[test]
fn groups_are_counted_in_maps() {
    let source = "
        local function count(groups, rec)
            local key = rec.n % 3
            groups[key] = (groups[key] or 0) + 1
            return groups
        end
        local function join(a, b)
            return map.merge(a, b, function(x, y) return x + y end)
        end
        function f(stream)
            return stream : aggregate(map(), count) : reduce(join) : map(function(m) return m end)
        end";
    let counted = |pairs: &[(i64, i64)]| {
        Value::Map(pairs.iter().map(|(k, v)| (Value::Int(*k), Value::Int(*v))).collect())
    };
    let nodes = vec![records(0..5), records(5..8)];
    assert_eq!(run(source, nodes, &[]), Ok(vec![counted(&[(0, 3), (1, 3), (2, 2)])]));
}

#[test]
fn groupby_collects_values() {
    let source = "
        function f(stream)
            return stream : map(function(rec) return rec.n end) : groupby(function(n) return n % 2 end)
        end";
    let list = |values: &[i64]| Value::List(values.iter().map(|n| Value::Int(*n)).collect());
    let expected =
        Value::Map(vec![(Value::Int(0), list(&[0, 2, 4])), (Value::Int(1), list(&[1, 3]))]);
    assert_eq!(run(source, vec![records(0..3), records(3..5)], &[]), Ok(vec![expected]));
}

#[test]
fn without_a_reduce_every_value_arrives() {
    let source = "function f(stream) return stream : map(function(rec) return rec.n end) end";
    let all = (0..4).map(Value::Int).collect();
    assert_eq!(run(source, vec![records(0..2), records(2..4)], &[]), Ok(all));
}

#[test]
fn failures_are_reported() {
    let source = "function f(stream) return stream : map(function(rec) return rec.n .. {} end) end";
    let error = run(source, vec![records(0..2)], &[]).unwrap_err();
    assert!(error.to_string().starts_with("m.lua:1: attempt to concatenate"), "{error}");
    let error = run("function f(stream) return 1 end", vec![], &[]).unwrap_err();
    assert!(error.to_string().contains("must return its stream"), "{error}");
    let error = run("function f(stream) return stream end", vec![records(0..1)], &[]).unwrap_err();
    assert!(error.to_string().contains("map its records"), "{error}");
}
