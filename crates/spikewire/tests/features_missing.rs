//! Everything that a newer server can do, asked of older ones and of clusters where only some are
//! newer: the error names what is missing, and no node receives anything.
#![allow(clippy::wildcard_imports)] // every function of a module, each once

mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use futures::executor::block_on;
use spikewire::exp::{self, Type};
use spikewire::{
    AsyncDataset, Batch, CallOptions, Client, Dataset, Error, Expression, Kind, NumberKind,
    Operation, Query, Row, Value, ctx, op,
};
use spikewire_aerospike_server::{Cluster, Edition, Options};

use support::{builder, eventually};

/// A feature, the last version without it, and what needs it.
struct Feature {
    name: &'static str,
    before: &'static str,
    since: &'static str,
    reads: Vec<Operation>,
    writes: Vec<Operation>,
    filters: Vec<Expression>,
}

fn b() -> Expression {
    exp::typed_bin("b", Type::Str)
}

fn features() -> Vec<Feature> {
    let (l, m) = (|| exp::typed_bin("l", Type::List), || exp::typed_bin("m", Type::Map));
    let above = || [ctx::all_children_where("@ > 1")];
    let keys = || [ctx::map_keys_in(["a"])];
    let filtered = || [ctx::map_key("a"), ctx::and_where("@ > 1")];
    let size = |list: Expression| exp::list::size(list).eq(1);
    let paths = Feature {
        name: "paths",
        before: "8.1.0",
        since: "8.1.1",
        reads: vec![op::path::select("l", above()), op::read("r", "$.l.[*].modify(@ + @index)")],
        writes: vec![
            op::path::modify("l", above(), "@ + 1"),
            op::path::remove("l", above()),
            op::write("w", exp::path::select(l(), above())),
        ],
        filters: vec![
            "$.l.[?(@ > 1)].exists()".into(),
            size(exp::path::select(l(), above())),
            size(exp::path::modify(l(), above(), "@ + 1")),
            size(exp::path::remove(l(), above())),
        ],
    };
    let path_keys = Feature {
        name: "path_keys",
        before: "8.1.1",
        since: "8.1.2",
        reads: vec![op::path::select("m", keys()), op::read("r", exp::map_keys(m()))],
        writes: vec![op::path::remove("m", filtered()), op::write("w", exp::map_values(m()))],
        filters: vec![
            exp::value(1).is_in(l()),
            size(exp::map_keys(m())),
            size(exp::map_values(m())),
            size(exp::path::select(m(), keys())),
            size(exp::path::select(m(), filtered())),
        ],
    };
    let strings = Feature {
        name: "strings",
        before: "8.1.2",
        since: "8.2",
        reads: string_reads(),
        writes: string_writes(),
        filters: string_filters(),
    };
    // What a program brings along: nothing of this crate makes it.
    let text = || Expression::from_wire(b"\x92\xcc\x80\xc4\x06$.n==1");
    let text_filters = Feature {
        name: "text_filters",
        before: "8.1.2",
        since: "8.2",
        reads: vec![op::read("r", text())],
        writes: vec![op::write("w", text())],
        filters: vec![text()],
    };
    vec![paths, path_keys, strings, text_filters]
}

fn string_reads() -> Vec<Operation> {
    use op::string::*;
    vec![
        length("b"),
        substring("b", 1, None),
        char_at("b", 0),
        find("b", "x", 1),
        contains("b", "x"),
        starts_with("b", "x"),
        ends_with("b", "x"),
        to_int("b"),
        to_float("b"),
        byte_length("b"),
        is_numeric("b", NumberKind::Any),
        is_upper("b"),
        is_lower("b"),
        to_blob("b"),
        split("b", "x"),
        from_base64("b"),
        matches("b", "x"),
        to_text("b"),
        op::list::join("l", ","),
        op::bit::base64("x", 0, None),
    ]
}

fn string_writes() -> Vec<Operation> {
    use op::string::*;
    vec![
        insert("b", 0, "x"),
        overwrite("b", 0, "x"),
        concat("b", ["x"]),
        snip("b", 0, None),
        replace("b", "x", "y"),
        replace_all("b", "x", "y"),
        upper("b"),
        lower("b"),
        fold_case("b"),
        normalize("b"),
        trim("b"),
        trim_start("b"),
        trim_end("b"),
        pad_start("b", 9, "x"),
        pad_end("b", 9, "x"),
        repeat("b", 2),
        replace_matches("b", "x", "y"),
        append("b", "x"),
        prepend("b", "x"),
    ]
}

fn string_filters() -> Vec<Expression> {
    use exp::string::*;
    vec![
        length(b()).eq(1),
        contains(b(), "x"),
        upper(b()).eq("X"),
        replace(b(), "x", "y").eq("y"),
        exp::typed_bin("n", Type::Int).to_text().eq("1"),
        exp::list::join(split(b(), "x"), ",").eq("x"),
        "$.b.substr(0, 3).lower() == 'x'".into(),
    ]
}

fn cluster(build: &str) -> Cluster {
    let nodes = 1 + build.matches(',').count();
    let cluster =
        Cluster::start(Options { build: build.to_owned(), nodes, ..Options::default() }).unwrap();
    eventually("a cluster that has settled", || cluster.is_settled());
    cluster
}

/// How many reads and writes of records the nodes have received.
fn received(cluster: &Cluster) -> u64 {
    let nodes = 0..cluster.seeds().len();
    nodes.map(|node| cluster.stats(node).unwrap().counters.requests).sum()
}

fn check(error: &Error, feature: &Feature, what: &dyn std::fmt::Debug) {
    assert_eq!(error.kind(), Kind::Unsupported, "{what:?}: {error}");
    let text = format!("needs server {}; node BB9", feature.since);
    assert!(error.message().contains(&text), "{what:?}: {error}");
    assert!(!error.in_doubt());
}

fn rows(rows: Result<Batch, Error>) -> Result<(), Error> {
    rows.and_then(|rows| rows.row(0).map(|_| ()))
}

fn every(query: &Query) -> Result<(), Error> {
    query.records()?.try_for_each(|record| record.map(|_| ()))
}

/// A key whose node lacks what the filter needs.
fn key_of_older_node(users: &Dataset, filter: &Expression) -> i64 {
    let users = users.with(CallOptions::new().filter(filter));
    (0..1000).find(|key| users.exists(*key).is_err()).expect("a node that is not asked")
}

fn each(test: impl Fn(&Feature, &Cluster, &Dataset)) {
    for feature in features() {
        let before = feature.before;
        for build in [before.into(), "8.0.0".to_owned(), format!("8.2,{before}")] {
            if build == "8.0.0" && feature.name == "path_keys" {
                continue; // They are paths, which it lacks, too.
            }
            let cluster = cluster(&build);
            let client = builder().connect(cluster.seeds()).unwrap();
            let users = client.dataset("test", "older").unwrap();
            let before = received(&cluster);
            users.put("known", [("n", 1)]).unwrap();
            test(&feature, &cluster, &users);
            assert!(users.exists("known").unwrap());
            assert_eq!(received(&cluster), before + 2, "{} on {build}", feature.name);
        }
    }
}

#[test]
fn every_feature_has_examples() {
    let edition = Edition::Enterprise;
    let options = Options { build: "8.2".to_owned(), edition, ..Options::default() };
    let cluster = Cluster::start(options).unwrap();
    let client = builder().connect(cluster.seeds()).unwrap();
    let known: BTreeSet<_> = client.nodes()[0].features.iter().copied().collect();
    let examples = features().into_iter().map(|feature| feature.name);
    // Nodes are asked for details and compression only where they have them; transactions are
    // refused below.
    let others = ["error_details", "compression", "transactions"];
    assert_eq!(known, examples.chain(others).collect());
}

#[test]
fn operations_are_not_sent() {
    each(|feature, cluster, users| {
        let key = key_of_older_node(users, &feature.filters[0]);
        let futures = async_dataset(cluster);
        let reads = feature.reads.iter().map(|read| (read, false));
        for (operation, writes) in reads.chain(feature.writes.iter().map(|write| (write, true))) {
            let alone = || [operation.clone()];
            let outcomes = [
                users.operate(key, [op::get("n"), operation.clone()]).map(drop),
                rows(users.operate_many([key], alone())),
                rows(users.batch([Row::operate(key, alone())])),
                block_on(futures.operate(key, alone())).map(drop),
                rows(block_on(futures.operate_many([key], alone()))),
                if writes {
                    users.query().operate_all(alone()).map(drop)
                } else {
                    every(&users.query().operations(alone()))
                },
            ];
            for outcome in outcomes {
                check(&outcome.unwrap_err(), feature, operation);
            }
        }
    });
}

#[test]
fn filters_are_not_sent() {
    each(|feature, cluster, users| {
        let key = key_of_older_node(users, &feature.filters[0]);
        let futures = async_dataset(cluster);
        let none: [Value; 0] = [];
        for filter in &feature.filters {
            let options = || CallOptions::new().filter(filter);
            let (all, futures) = (users.with(options()), futures.with(options()));
            let query = || users.query().filter(filter);
            let outcomes = [
                all.get(key).map(drop),
                all.exists(key).map(drop),
                all.put(key, [("n", 2)]),
                all.add(key, [("n", 2)]),
                all.append(key, [("b", "x")]),
                all.prepend(key, [("b", "x")]),
                all.touch(key),
                all.delete(key).map(drop),
                all.operate(key, [op::add("n", 1)]).map(drop),
                all.apply(key, "module", "function", &none).map(drop),
                rows(all.get_many([key])),
                rows(all.exists_many([key])),
                rows(all.put_many([(key, [("n", 2)])])),
                rows(all.delete_many([key])),
                rows(all.operate_many([key], [op::add("n", 1)])),
                rows(all.apply_many([key], "module", "function", &none)),
                rows(users.batch([Row::get(key).with(options())])),
                rows(users.batch([Row::put(key, [("n", 2)]).with(options())])),
                every(&query()),
                query().operate_all([op::add("n", 1)]).map(drop),
                query().delete_all().map(drop),
                query().touch_all().map(drop),
                query().apply_all("module", "function", &none).map(drop),
                block_on(futures.get(key)).map(drop),
                block_on(futures.put(key, [("n", 2)])),
                rows(block_on(futures.get_many([key]))),
            ];
            for (at, outcome) in outcomes.into_iter().enumerate() {
                check(&outcome.unwrap_err(), feature, &(at, filter.to_string()));
            }
        }
    });
}

fn async_dataset(cluster: &Cluster) -> AsyncDataset {
    let client = block_on(builder().connect_async(cluster.seeds())).unwrap();
    client.dataset("test", "older").unwrap()
}

#[test]
fn calls_of_transactions_are_not_sent_to_the_community_edition() {
    for build in ["8.1.2", "8.2"] {
        let cluster = cluster(build);
        let client: Client = builder().connect(cluster.seeds()).unwrap();
        let users = client.dataset("test", "older").unwrap();
        let transaction = client.transaction(Duration::ZERO).unwrap();
        let inside = users.within(&transaction).unwrap();
        for error in [inside.get(1).unwrap_err(), inside.put(1, [("n", 1)]).unwrap_err()] {
            assert_eq!(error.kind(), Kind::Unsupported);
            assert!(error.message().contains("Enterprise Edition"), "{error}");
        }
        assert_eq!(received(&cluster), 0);
    }
}
