//! Filters that are texts: nodes that read them choose the index, older nodes never see them, and
//! the records are the same everywhere.

mod support;

use std::time::Duration;

use futures::TryStreamExt as _;
use futures::executor::block_on;
use spikewire::{
    Access, CallOptions, Client, Expression, IndexRange, IndexType, IndexValues, Kind, NewIndex,
    Query, QueryPlan, ResultCode, Value, exp,
};
use spikewire_aerospike::query::{FilterSource, QuerySpec};
use spikewire_aerospike::transport::Stream;
use spikewire_aerospike::transport::stream::Streams;
use spikewire_aerospike::{Error, Policy};
use spikewire_aerospike_protocol::expression::text::parse_filter;
use spikewire_aerospike_protocol::host::parse_hosts;
use spikewire_aerospike_server::{Cluster, Options};

use support::{LONG, builder, server};

const COUNT: i64 = 300;
const NAMES: [&str; 4] = ["Ann", "O'Neil", "Zo\u{e9} \u{1f600}", "back\\slash \"quoted\"\n"];

fn cluster(build: &str, nodes: usize) -> Cluster {
    let build = build.to_owned();
    Cluster::start(Options { build, nodes, ..Options::default() }).unwrap()
}

/// A client of a cluster with records, and with indexes on `age` and `name`.
fn filled(cluster: &Cluster) -> Client {
    let client = builder().connect(cluster.seeds()).unwrap();
    let users = client.dataset("test", "users").unwrap();
    let rows = (0..COUNT).map(|id| {
        let name = NAMES[id as usize % NAMES.len()];
        (id, [("age", Value::Int(id % 90)), ("name", name.into()), ("id", id.into())])
    });
    users.put_many(rows).unwrap().check().unwrap();
    index(&client, "age", IndexType::Numeric, "by_age");
    index(&client, "name", IndexType::Text, "by_name");
    client
}

fn index(client: &Client, bin: &str, kind: IndexType, name: &str) {
    client.indexes().create(&NewIndex::new("test", "users", bin, kind).named(name)).unwrap();
    client.indexes().wait("test", name, LONG).unwrap();
}

fn users(client: &Client, filter: impl Into<Expression>) -> Query {
    client.query("test", "users").filter(filter)
}

fn ids(query: &Query) -> Vec<i64> {
    let id = |record: spikewire::Result<spikewire::QueryRecord>| match record.unwrap().get("id") {
        Some(Value::Int(id)) => *id,
        other => panic!("{other:?}"),
    };
    let mut ids: Vec<i64> = query.records().unwrap().map(id).collect();
    ids.sort_unstable();
    ids
}

fn plan(query: &Query) -> QueryPlan {
    query.explain().unwrap()
}

/// How many requests about records and queries the nodes have received.
fn requests(cluster: &Cluster) -> u64 {
    let nodes = 0..cluster.seeds().len();
    nodes.map(|node| cluster.stats(node).unwrap().counters.requests).sum()
}

/// A filter, and the records that pass it.
type Case = (Expression, fn(i64) -> bool);

fn filters() -> Vec<Case> {
    vec![
        ("$.age >= 85".into(), |id| id % 90 >= 85),
        (Expression::with("$.age > ?0 and $.age < ?1", [3.into(), 6.into()]), |id| {
            matches!(id % 90, 4 | 5)
        }),
        (Expression::with("$.name == ?0", [NAMES[1].into()]), |id| id % 4 == 1),
        (Expression::with("$.name == ?0 and $.age == 2", [NAMES[2].into()]), |id| {
            id % 4 == 2 && id % 90 == 2
        }),
        (Expression::with("$.name == ?", [NAMES[3].into()]), |id| id % 4 == 3),
        ("$.age < 3 or $.name == 'Ann'".into(), |id| id % 90 < 3 || id % 4 == 0),
        ("$.age:INT in [1, 2] and not ($.id > 50)".into(), |id| matches!(id, 1 | 2)),
        ("$.name =~ /^O'N/ and $.age < 10".into(), |id| id % 4 == 1 && id % 90 < 10),
        ("$.id % 100 == 7 and $.age.exists()".into(), |id| id % 100 == 7),
        ("$.age > 5 and $.age < 3".into(), |_| false),
    ]
}

/// With 8.1.2 or a mixed cluster a text that reached an older node would return every record.
#[test]
fn a_text_finds_the_same_records_on_every_server() {
    for (build, nodes) in [("8.2", 3), ("8.1.2", 2), ("8.2,8.1.2", 2), ("8.1.2,8.2,8.2", 3)] {
        let cluster = cluster(build, nodes);
        let client = filled(&cluster);
        let futures = block_on(builder().connect_async(cluster.seeds())).unwrap();
        for (filter, passes) in filters() {
            let expected: Vec<i64> = (0..COUNT).filter(|id| passes(*id)).collect();
            assert_eq!(ids(&users(&client, &filter)), expected, "{filter} on {build}");
            let off = users(&client, &filter).server_filter(false);
            assert_eq!(ids(&off), expected, "{filter}, compiled here");
            let records = futures.query("test", "users").filter(&filter).records().unwrap();
            let count = block_on(records.try_collect::<Vec<_>>()).unwrap().len();
            assert_eq!(count, expected.len(), "{filter} with futures");
        }
    }
}

#[test]
fn nodes_choose_the_index_of_a_text() {
    let cluster = cluster("8.2", 2);
    let client = filled(&cluster);
    let adults = plan(&users(&client, Expression::with("$.age >= ?0", [18.into()])));
    assert_eq!((adults.access, adults.on_server), (Access::Index, true));
    assert_eq!(adults.index.as_deref(), Some("by_age"));
    assert_eq!(adults.bin.as_deref(), Some("age"));
    assert_eq!(adults.range, Some(IndexValues::Int(18, i64::MAX)));
    assert_eq!(adults.text.as_deref(), Some("$.age >= 18"));
    assert!(adults.node.is_some() && adults.reason.is_empty());
    let named = plan(&users(&client, "$.age > 3 and 'Ann' == $.name"));
    assert_eq!(named.range, Some(IndexValues::Str("Ann".to_owned())), "a value before a range");
    let between = plan(&users(&client, "$.age > 3 and $.id < 5 and $.age <= 9"));
    assert_eq!(between.range, Some(IndexValues::Int(4, 9)));
    // Indexes are looked up in terms that all must be true.
    for text in ["$.age > 3 or $.name == 'Ann'", "$.id == 5", "not ($.age == 3)", "$.age != 3"] {
        let scan = plan(&users(&client, text));
        assert_eq!((scan.access, scan.on_server, scan.index), (Access::Scan, true, None), "{text}");
    }
}

#[test]
fn what_is_compiled_here_says_why() {
    let eight_two = cluster("8.2", 1);
    let client = filled(&eight_two);
    let before = requests(&eight_two);
    let reason = |query: &Query| {
        let plan = plan(query);
        assert!(!plan.on_server && plan.text.is_none() && plan.node.is_none(), "{plan:?}");
        (plan.access, plan.reason)
    };
    let (access, why) = reason(&users(&client, "$.name =~ /^A/"));
    assert_eq!(access, Access::Scan);
    assert!(why.starts_with("a pattern (`=~`) has no form"), "{why}");
    let (_, why) = reason(&users(&client, "$.age > 3").server_filter(false));
    assert_eq!(why, "server_filter is off");
    let (_, why) = reason(&users(&client, exp::bin("age").gt(3)));
    assert!(why.contains("a filter that is a text"), "{why}");
    let ranged = users(&client, "$.id > 3").index(IndexRange::between("age", 1, 2));
    let named = plan(&ranged);
    assert_eq!(
        (named.access, named.index, named.bin.as_deref()),
        (Access::Index, None, Some("age"))
    );
    assert_eq!(ids(&ranged), [91, 92, 181, 182, 271, 272], "both apply");
    assert_eq!(requests(&eight_two), before + 1, "only the query itself was sent");

    let mixed = cluster("8.2,8.1.2", 2);
    let client = filled(&mixed);
    let before = requests(&mixed);
    let (access, why) = reason(&users(&client, "$.age > 3"));
    assert_eq!(access, Access::Scan);
    assert!(why.contains("needs server 8.2; node BB9") && why.ends_with("has 8.1.2.0"), "{why}");
    assert_eq!(requests(&mixed), before);
}

#[test]
fn hints_are_preferred_and_requirements_are_met_or_fail() {
    let cluster = cluster("8.2", 2);
    let client = filled(&cluster);
    let both = || users(&client, "$.age > 3 and $.name == 'Ann'");
    let index = |query: &Query| plan(query).index;
    assert_eq!(index(&both()).as_deref(), Some("by_name"));
    assert_eq!(index(&both().index_hint("by_age")).as_deref(), Some("by_age"));
    assert_eq!(ids(&both().index_hint("by_age")), ids(&both()));
    assert_eq!(index(&both().index_hint("unknown")).as_deref(), Some("by_name"), "only a hint");
    assert_eq!(index(&both().index_hint("by_age").require_hint()).as_deref(), Some("by_age"));
    let missing = server(ResultCode::INDEX_NOT_FOUND);
    let scan = || users(&client, "$.id == 5");
    assert_eq!(ids(&scan()), [5]);
    for (query, message) in [
        (scan().require_index(), "require_index: no index can be used for $.id == 5"),
        (both().index_hint("unknown").require_hint(), "require_hint: index \"unknown\" cannot be"),
        (
            scan().index_hint("by_age").require_hint(),
            "require_hint: index \"by_age\" cannot be used",
        ),
    ] {
        let error = query.explain().unwrap_err();
        assert_eq!(error.kind(), missing, "{error}");
        assert!(error.message().starts_with(message), "{error}");
        let error = query.records().unwrap().next().unwrap().unwrap_err();
        assert_eq!(error.kind(), missing, "{error}");
    }
    assert_eq!(ids(&both().require_index()), ids(&both()));
    // What cannot be met is refused before anything is sent.
    let invalid = |query: Query| query.records().err().map(|error| error.kind());
    assert_eq!(invalid(both().require_hint()), Some(Kind::Invalid));
    assert_eq!(invalid(users(&client, "$.name =~ /A/").require_index()), Some(Kind::Invalid));
    assert_eq!(invalid(both().server_filter(false).index_hint("by_age")), Some(Kind::Invalid));
    assert_eq!(invalid(client.query("test", "users").require_index()), Some(Kind::Invalid));
    assert_eq!(invalid(users(&client, "$.name =~ /A/").index_hint("by_age")), None);
}

#[test]
fn a_requirement_needs_nodes_that_choose() {
    let cluster = cluster("8.2,8.1.2", 2);
    let client = filled(&cluster);
    let query = users(&client, "$.age > 3").require_index();
    let error = query.records().unwrap().next().unwrap().unwrap_err();
    assert_eq!(error.kind(), Kind::Unsupported, "{error}");
    assert!(error.message().starts_with("require_index: "), "{error}");
    assert_eq!(query.explain().unwrap_err().kind(), Kind::Unsupported);
}

#[test]
fn a_filter_that_is_never_true_sends_one_request() {
    let cluster = cluster("8.2", 3);
    let client = filled(&cluster);
    let never = users(&client, "$.age > 5 and $.age < 3");
    assert_eq!(plan(&never).access, Access::Nothing);
    let before = requests(&cluster);
    assert_eq!(ids(&never), [0; 0]);
    assert_eq!(requests(&cluster), before + 1);
    assert!(never.pages(10).unwrap().next().is_none());
}

/// A query stream, step by step.
fn stream(cluster: &Cluster, filter: &str) -> Stream {
    let seeds: Vec<String> = cluster.seeds().iter().map(ToString::to_string).collect();
    let hosts = parse_hosts(&seeds.join(","), 3000).unwrap();
    let options = spikewire_aerospike::Options::new(hosts);
    let cluster = spikewire_aerospike::connect(options).unwrap();
    let tree = parse_filter(filter, &[]).unwrap();
    let source = FilterSource::of_text(&tree);
    let spec = QuerySpec {
        filter: tree.filter().ok(),
        source,
        timeout: Some(LONG),
        ..QuerySpec::new("test", "users")
    };
    let plan = spec.plan(&Policy::default()).unwrap();
    Stream::of_plan(Streams::new(cluster), plan).unwrap()
}

/// Whether its cursor names an index that a node has chosen.
fn has_chosen(stream: &Stream) -> bool {
    stream.cursor(&[])[4] == 2
}

/// Reads until `done`, and returns how many records came.
fn read(stream: &mut Stream, mut done: impl FnMut(&Stream, usize) -> bool) -> usize {
    let mut count = 0;
    loop {
        count += stream.take(usize::MAX, |_| Ok::<_, Error>(())).unwrap();
        if done(stream, count) {
            return count;
        }
        stream.fill(Some(Duration::from_millis(100))).unwrap();
    }
}

/// The index is gone when the plan is executed: a node is asked again, once.
#[test]
fn an_index_that_is_dropped_before_it_is_used_is_chosen_again() {
    let cluster = cluster("8.2", 3);
    let client = filled(&cluster);
    let mut stream = stream(&cluster, "$.age >= 85");
    assert_eq!(read(&mut stream, |stream, _| has_chosen(stream)), 0);
    client.indexes().drop("test", "users", "by_age").unwrap();
    let before = requests(&cluster);
    let count = read(&mut stream, |stream, _| stream.is_over());
    assert_eq!(count, ids(&users(&client, "$.age >= 85").server_filter(false)).len());
    // Executed in vain on up to three nodes, planned again, executed on three nodes; then the
    // query by which the records were counted.
    let sent = requests(&cluster) - before;
    assert!((5..=10).contains(&sent), "{sent} requests");
    assert!(!has_chosen(&stream));
}

#[test]
fn a_cursor_goes_on_with_the_index_it_was_begun_with() {
    let cluster = cluster("8.2", 2);
    let client = filled(&cluster);
    let query = || users(&client, "$.age >= 45");
    let whole = ids(&query());
    let mut seen = Vec::new();
    let mut pages = query().pages(20).unwrap();
    let first = pages.next().unwrap().unwrap();
    drop(pages);
    let id = |record: &spikewire::QueryRecord| match record.get("id") {
        Some(Value::Int(id)) => *id,
        other => panic!("{other:?}"),
    };
    seen.extend(first.records.iter().map(id));
    let rest = query().resume(first.cursor.clone());
    let resumed = plan(&rest);
    assert_eq!((resumed.index.as_deref(), resumed.node), (Some("by_age"), None));
    assert!(resumed.reason.starts_with("the rest of a partition"), "{}", resumed.reason);
    seen.extend(ids(&rest));
    seen.sort_unstable();
    assert_eq!(seen, whole, "each record once");
    // Compiled here, it goes on in the same order.
    let compiled = query().server_filter(false).resume(first.cursor.clone());
    assert_eq!(ids(&compiled).len() + first.records.len(), whole.len());
    let required = query().require_index().resume(first.cursor.clone());
    assert_eq!(required.records().err().map(|error| error.kind()), Some(Kind::Invalid));
    // Without the index nobody knows which records of a partition are missing.
    client.indexes().drop("test", "users", "by_age").unwrap();
    let users = client.dataset("test", "users").unwrap();
    let once = users.with(CallOptions::new().max_retries(0));
    let rest = once.query().filter("$.age >= 45").resume(first.cursor);
    let error = rest.records().unwrap().find_map(Result::err).unwrap();
    assert_eq!(error.kind(), server(ResultCode::INDEX_NOT_FOUND), "{error}");
    assert!(error.message().contains("\"by_age\", which a node had chosen"), "{error}");
}

/// Both examine every record in the same order, with and without a text.
#[test]
fn a_cursor_of_an_older_server_goes_on_at_a_newer_one() {
    let (old, new) = (cluster("8.1.2", 1), cluster("8.2", 2));
    let (old, new) = (filled(&old), filled(&new));
    let page = users(&old, "$.age >= 45").pages(20).unwrap().next().unwrap().unwrap();
    let rest = users(&new, "$.age >= 45").resume(page.cursor);
    assert_eq!(plan(&rest).access, Access::Scan);
    assert_eq!(page.records.len() + ids(&rest).len(), ids(&users(&new, "$.age >= 45")).len());
}

/// The bytes of section 5.1 of the protocol notes.
#[test]
fn an_expression_in_the_form_of_a_text_is_read_by_newer_servers_only() {
    let wire = [&[0x92, 0xcc, 0x80, 0xc4, 0x0b][..], b"$.age >= 85"].concat();
    let filter = Expression::from_wire(wire);
    let (old, new) = (cluster("8.1.2", 1), cluster("8.2", 1));
    let (old, new) = (filled(&old), filled(&new));
    assert_eq!(ids(&users(&new, &filter)), ids(&users(&new, "$.age >= 85")));
    let get = |client: &Client, id: i64| {
        let options = CallOptions::new().filter(&filter);
        client.dataset("test", "users").unwrap().with(options).get(id)
    };
    assert!(get(&new, 86).unwrap().is_some() && get(&new, 3).unwrap().is_none());
    assert_eq!(get(&old, 86).unwrap_err().kind(), Kind::Unsupported);
    let many = new.dataset("test", "users").unwrap();
    let many = many.with(CallOptions::new().filter(&filter)).get_many([86, 3]).unwrap();
    assert_eq!(many.iter().filter(|row| matches!(row, Ok(Some(_)))).count(), 1);
}
