//! Scans and index queries: selected records, projections, and resuming.

mod support;

use std::collections::HashSet;
use std::time::Duration;

use futures::TryStreamExt as _;
use futures::executor::block_on;
use spikewire::{
    AsyncClient, CallOptions, Client, Collection, Error, Expression, IndexOn, IndexRange,
    IndexType, Key, Kind, NewIndex, Page, Query, QueryRecord, ResultCode, Value, bins, ctx, op,
};
use spikewire_aerospike_server::{Cluster, Faults};

use support::{LONG, builder, cluster, kind};

const COUNT: i64 = 500;

/// A filled cluster, and a client of each API.
fn home() -> (Cluster, Client, AsyncClient) {
    let cluster = cluster(3);
    let client = builder().connect(cluster.seeds()).unwrap();
    let users = client.dataset("test", "demo").unwrap();
    let rows = (0..COUNT)
        .map(|n| (n, [("n", Value::Int(n)), ("even", (n % 2 == 0).into()), ("t", "text".into())]));
    users.with(CallOptions::new().send_key(true)).put_many(rows).unwrap().check().unwrap();
    client.dataset("test", "other").unwrap().put("lone", [("n", -1)]).unwrap();
    let futures = block_on(builder().connect_async(cluster.seeds())).unwrap();
    (cluster, client, futures)
}

/// The result of a query on both APIs.
fn both<T: Ord + std::fmt::Debug>(
    (client, futures): (&Client, &AsyncClient),
    choose: impl Fn(Choice) -> Choice,
    of: impl Fn(QueryRecord) -> T,
) -> Vec<T> {
    let records = choose(Choice::Blocking(client.query("test", "demo"))).records().unwrap();
    let mut blocking: Vec<T> = records.into_iter().map(&of).collect();
    let records = choose(Choice::Futures(futures.query("test", "demo"))).records().unwrap();
    let mut awaited: Vec<T> = records.into_iter().map(&of).collect();
    blocking.sort();
    awaited.sort();
    assert_eq!(blocking, awaited);
    blocking
}

/// Logs show them: thousands of partitions, the cluster and records have no place there.
#[test]
fn running_queries_are_short_in_logs() {
    let (_cluster, client, futures) = home();
    let mut records = client.query("test", "demo").records().unwrap();
    records.next().unwrap().unwrap();
    let awaited = futures.query("test", "demo").records().unwrap();
    let pages = client.query("test", "demo").pages(10).unwrap();
    for text in [format!("{records:?}"), format!("{awaited:?}"), format!("{pages:?}")] {
        assert!(text.len() < 1000, "{} letters: {}", text.len(), &text[..400]);
        assert!(text.contains("demo"), "{text}");
    }
}

/// How long this thread has run, in seconds.
#[cfg(target_os = "linux")]
fn time_of_thread() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    stat.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

/// Partitions that wait for their turn made a query poll without waiting.
#[cfg(target_os = "linux")]
#[test]
fn a_query_that_reads_few_nodes_at_once_waits_without_work() {
    let (_cluster, client, _) = home();
    let begin = (std::time::Instant::now(), time_of_thread());
    let query = client.query("test", "demo").concurrent_nodes(1).records_per_second(300);
    assert_eq!(query.records().unwrap().count(), COUNT as usize);
    let (lasted, worked) = (begin.0.elapsed().as_secs_f64(), time_of_thread() - begin.1);
    assert!(lasted > 0.5, "{lasted} s: it was not slow");
    assert!(worked < 0.2 * lasted, "{worked} s of work in {lasted} s");
}

/// A query of either API.
enum Choice {
    Blocking(Query<Client>),
    Futures(Query<AsyncClient>),
}

macro_rules! choose {
    ($($verb:ident($($name:ident: $of:ty),*);)*) => {
        impl Choice {
            $(fn $verb(self, $($name: $of),*) -> Self {
                match self {
                    Self::Blocking(query) => Self::Blocking(query.$verb($($name),*)),
                    Self::Futures(query) => Self::Futures(query.$verb($($name),*)),
                }
            })*
        }
    };
}

choose! {
    filter(filter: impl Into<Expression>);
    index(range: IndexRange);
    bins(bins: Vec<&str>);
    operations(steps: Vec<spikewire::Operation>);
    include_values(include: bool);
    limit(records: u64);
    partitions(range: impl std::ops::RangeBounds<u16>);
    after(key: Key<'static>);
    resume(cursor: Vec<u8>);
    records_per_second(records: u32);
    concurrent_nodes(nodes: usize);
    window(bytes: usize);
}

impl Choice {
    fn records(self) -> Result<Vec<QueryRecord>, Error> {
        match self {
            Self::Blocking(query) => query.records()?.collect(),
            Self::Futures(query) => block_on(query.records()?.try_collect()),
        }
    }

    fn pages(self, size: usize) -> Result<Vec<Page>, Error> {
        match self {
            Self::Blocking(query) => query.pages(size)?.collect(),
            Self::Futures(query) => block_on(query.pages(size)?.try_collect()),
        }
    }
}

fn number(record: &QueryRecord) -> i64 {
    match record.get("n") {
        Some(Value::Int(number)) => *number,
        other => panic!("{other:?}"),
    }
}

fn own(record: QueryRecord) -> i64 {
    number(&record)
}

#[test]
fn a_scan_has_every_record_once() {
    let (_cluster, client, futures) = home();
    let clients = (&client, &futures);
    assert_eq!(both(clients, |query| query, own), (0..COUNT).collect::<Vec<_>>());
    let users = client.dataset("test", "demo").unwrap();
    for record in client.query("test", "demo").records().unwrap() {
        let record = record.unwrap();
        let number = number(&record);
        assert_eq!(record.key, Some(Key::Int(number)));
        assert_eq!(record.digest, users.digest(number));
        assert_eq!((&*record.set, record.generation, record.ttl), ("demo", 1, None));
        assert_eq!(users.get(&record).unwrap().unwrap(), record.record, "its digest is a key");
    }
    let whole: Vec<_> = client.query("test", "").records().unwrap().map(Result::unwrap).collect();
    assert_eq!(whole.len() as i64, COUNT + 1);
    let lone = whole.iter().find(|record| &*record.set == "other").unwrap();
    assert_eq!((number(lone), &lone.key), (-1, &None));
    assert_eq!(client.query("test", "empty").records().unwrap().count(), 0);
    assert_eq!(users.query().records().unwrap().count() as i64, COUNT);
}

#[test]
fn queries_return_the_selected_parts_of_matching_records() {
    let (_cluster, client, futures) = home();
    let clients = (&client, &futures);
    let last: Vec<i64> = (COUNT - 10..COUNT).collect();
    assert_eq!(both(clients, |query| query.filter("$.n >= 490"), own), last);
    let with = Expression::with("$.n >= ?0 and $.t == ?1", [490.into(), "text".into()]);
    assert_eq!(both(clients, |query| query.filter(&with), own), last);
    let names = |record: QueryRecord| {
        record.bins.iter().map(|bin| bin.name.to_string()).collect::<Vec<_>>().join(" ")
    };
    let last = |query: Choice| query.filter("$.n == 499");
    assert_eq!(both(clients, |query| last(query).bins(vec!["t", "missing"]), names), ["t"]);
    // Nodes then send a result for the missing one, too.
    assert_eq!(
        both(clients, |query| last(query).bins(vec!["t", "missing"]).limit(5), names),
        ["t"]
    );
    assert_eq!(both(clients, |query| last(query).bins(vec![]), names), [""]);
    assert_eq!(both(clients, |query| last(query).include_values(false), names), [""]);
    let steps = vec![op::get("missing"), op::read("twice", "$.n * 2"), op::get("t")];
    let results = |record: QueryRecord| format!("{:?}", record.bins);
    assert_eq!(
        both(clients, |query| last(query).operations(steps.clone()), results),
        [r#"{"missing": Nil, "twice": Int(998), "t": Str("text")}"#]
    );
}

#[test]
fn limits_and_partitions_select_parts_of_a_set() {
    let (_cluster, client, futures) = home();
    let clients = (&client, &futures);
    assert_eq!(both(clients, |query| query.limit(7), |_| ()).len(), 7);
    assert_eq!(both(clients, |query| query.limit(10_000), |_| ()).len() as i64, COUNT);
    let halves = [
        both(clients, |query| query.partitions(..2000), own),
        both(clients, |query| query.partitions(2000..=2000), own),
        both(clients, |query| query.partitions(2001..), own),
    ];
    let mut all = halves.concat();
    all.sort_unstable();
    assert_eq!(all, (0..COUNT).collect::<Vec<_>>());
    // After the first record of a partition come its others.
    let digest = |record: QueryRecord| record.digest;
    let partition = |digest: &[u8; 20]| u16::from_le_bytes([digest[0], digest[1]]) & 4095;
    let every = both(clients, |query| query, digest);
    let twins = every
        .iter()
        .find(|one| every.iter().filter(|other| partition(other) == partition(one)).count() > 1);
    let pid = partition(twins.expect("500 records in 4096 partitions have neighbours"));
    let inside: Vec<_> = client
        .query("test", "demo")
        .partitions(pid..=pid)
        .records()
        .unwrap()
        .map(|record| record.unwrap().digest)
        .collect();
    let after = Key::Digest(inside[0]);
    let rest = both(clients, |query| query.after(after.clone()), digest);
    assert_eq!(rest.len(), inside.len() - 1);
    assert!(rest.iter().all(|one| inside[1..].contains(one)));
    let slow =
        both(clients, |query| query.concurrent_nodes(1).window(4096).records_per_second(5000), own);
    assert_eq!(slow.len() as i64, COUNT);
}

#[test]
fn a_set_index_serves_scans() {
    let (_cluster, client, futures) = home();
    let (indexes, of_set) = (client.indexes(), NewIndex::on_set("test", "demo"));
    assert_eq!(indexes.create(&of_set).unwrap(), "demo_set");
    assert_eq!(block_on(futures.indexes().create(&of_set)).unwrap(), "demo_set");
    indexes.wait("test", "demo_set", LONG).unwrap();
    let listed = indexes.list("test").unwrap();
    assert!(listed.len() == 1 && listed[0].is_of_set && listed[0].kind.is_none(), "{listed:?}");
    assert_eq!((&*listed[0].name, listed[0].bin.as_deref()), ("demo_set", None));
    let numbers = both((&client, &futures), |query| query, own);
    assert_eq!(numbers.len() as i64, COUNT);
    indexes.drop("test", "demo", "demo_set").unwrap();
    assert_eq!(indexes.create(&of_set.clone().named("mine")).unwrap(), "mine");
    let error = indexes.create(&of_set.of(Collection::List)).unwrap_err();
    assert!(error.message().contains("an index of a set has no path"), "{error}");
    assert!(!indexes.list("test").unwrap().is_empty());
}

#[test]
fn index_queries_return_records_in_range() {
    let (_cluster, client, futures) = home();
    let clients = (&client, &futures);
    let users = client.dataset("test", "demo").unwrap();
    let place = |n: i64| Value::GeoJson(format!(r#"{{"type":"Point","coordinates":[{n}, 0]}}"#));
    for n in 0..20 {
        let tags: Vec<Value> = vec![format!("tag{}", n % 3).as_str().into(), "all".into()];
        let map: Vec<(Value, Value)> = vec![("k".into(), n.into())];
        let blob = vec![n as u8; 3];
        users
            .put(n, bins! { "tags" => tags, "map" => map, "blob" => blob, "at" => place(n) })
            .unwrap();
    }
    let indexes = client.indexes();
    let new = |bin: &str, kind| NewIndex::new("test", "demo", bin, kind);
    let mut names = Vec::new();
    for index in [
        new("n", IndexType::Numeric),
        new("t", IndexType::Text),
        new("blob", IndexType::Blob),
        new("at", IndexType::Geo),
        new("tags", IndexType::Text).of(Collection::List),
        new("map", IndexType::Numeric).of(Collection::MapValues),
        NewIndex::new("test", "demo", IndexOn::Expression("$.n % 10".into()), IndexType::Numeric)
            .named("by_digit"),
        new("map", IndexType::Numeric).ctx([ctx::map_key("k")]).named("nested"),
    ] {
        names.push(indexes.create(&index).unwrap());
        assert_eq!(block_on(futures.indexes().create(&index)).unwrap(), *names.last().unwrap());
    }
    for name in &names {
        indexes.wait("test", name, LONG).unwrap();
        block_on(futures.indexes().wait("test", name, LONG)).unwrap();
    }
    let find = |range: IndexRange| both(clients, |query| query.index(range.clone()), own);
    assert_eq!(find(IndexRange::between("n", 10, 12)), [10, 11, 12]);
    assert_eq!(find(IndexRange::equal("n", 7)), [7]);
    assert_eq!(find(IndexRange::equal(IndexOn::Name("demo_n".into()), 7)), [7]);
    assert_eq!(find(IndexRange::equal("t", "text")).len() as i64, COUNT);
    assert_eq!(find(IndexRange::equal("blob", vec![3_u8; 3])), [3]);
    assert_eq!(find(IndexRange::contains("tags", "tag1", Collection::List)).len(), 7);
    assert_eq!(find(IndexRange::between("map", 3, 4).of(Collection::MapValues)), [3, 4]);
    assert_eq!(find(IndexRange::equal(IndexOn::Name("by_digit".into()), 3)).len(), 50);
    let digit = IndexOn::Expression("$.n % 10".into());
    assert_eq!(find(IndexRange::equal(digit, 3)).len(), 50);
    let nested = IndexRange::between("map", 3, 4).ctx([ctx::map_key("k")]);
    assert_eq!(find(nested), [3, 4]);
    let region =
        r#"{"type":"Polygon","coordinates":[[[2.5,-1],[5.5,-1],[5.5,1],[2.5,1],[2.5,-1]]]}"#;
    assert_eq!(find(IndexRange::within("at", region)), [3, 4, 5]);
    let odd = both(
        clients,
        |query| query.index(IndexRange::between("n", 0, 9)).filter("$.even == false"),
        own,
    );
    assert_eq!(odd, [1, 3, 5, 7, 9]);

    let listed = indexes.list("test").unwrap();
    assert_eq!(listed, block_on(futures.indexes().list("test")).unwrap());
    assert_eq!(listed.len(), names.len());
    let tags = listed.iter().find(|index| index.name == "demo_tags_list").unwrap();
    assert_eq!((tags.set.as_deref(), tags.bin.as_deref()), (Some("demo"), Some("tags")));
    assert_eq!((tags.kind, tags.of, tags.ready), (Some(IndexType::Text), Collection::List, true));
    indexes.drop("test", "demo", "demo_n").unwrap();
    block_on(futures.indexes().drop("test", "demo", "demo_n")).unwrap();
    let gone = client.query("test", "demo").index(IndexRange::equal("n", 7)).records().unwrap();
    let code = Kind::Server(ResultCode::INDEX_NOT_FOUND);
    assert_eq!(kind(gone.collect::<Result<Vec<_>, _>>()), code);
    let nameless = new("map", IndexType::Numeric).ctx([ctx::map_key("k")]);
    assert_eq!(kind(indexes.create(&nameless)), Kind::Invalid);
    let nowhere = NewIndex::new("nowhere", "demo", "n", IndexType::Numeric);
    assert_eq!(kind(indexes.create(&nowhere)), Kind::NoNamespace);
    let late = indexes.wait("test", "never", Duration::from_millis(50));
    assert_eq!(kind(late), Kind::Timeout);
}

#[test]
fn pages_and_cursors_resume_a_query() {
    let (_cluster, client, futures) = home();
    let query = || Choice::Blocking(client.query("test", "demo"));
    let awaited = || Choice::Futures(futures.query("test", "demo"));
    for pages in [query().pages(60).unwrap(), awaited().pages(60).unwrap()] {
        assert!(pages.iter().all(|page| page.records.len() == 60 || page.done));
        let numbers: Vec<_> = pages.into_iter().flatten().map(own).collect();
        assert_eq!(numbers.iter().collect::<HashSet<_>>().len() as i64, COUNT);
        assert_eq!(numbers.len() as i64, COUNT);
    }
    assert!(Choice::Blocking(client.query("test", "empty")).pages(5).unwrap().is_empty());

    // Alternating between both APIs, each page from a cursor of the other API.
    let (mut seen, mut cursor, mut turn) = (Vec::new(), None::<Vec<u8>>, 0);
    loop {
        turn += 1;
        let page = if turn % 2 == 0 {
            let query = futures.query("test", "demo").bins(["n"]);
            let query = match &cursor {
                Some(cursor) => query.resume(cursor.clone()),
                None => query,
            };
            block_on(query.pages(70).unwrap().next())
        } else {
            let query = client.query("test", "demo").bins(["n"]);
            let query = match &cursor {
                Some(cursor) => query.resume(cursor.clone()),
                None => query,
            };
            query.pages(70).unwrap().next()
        };
        let Some(page) = page else { break };
        let page = page.unwrap();
        seen.extend(page.records.iter().map(number));
        cursor = Some(page.cursor);
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..COUNT).collect::<Vec<_>>());

    // In the middle of an iteration, with what remains of the limit.
    let mut records = client.query("test", "demo").limit(300).records().unwrap();
    let mut seen: Vec<_> = records.by_ref().take(123).map(|record| own(record.unwrap())).collect();
    let cursor = records.cursor();
    drop(records);
    seen.extend(query().resume(cursor.clone()).records().unwrap().into_iter().map(own));
    assert_eq!((seen.len(), seen.iter().collect::<HashSet<_>>().len()), (300, 300));
    let mut records = futures.query("test", "demo").records().unwrap();
    let mut seen: Vec<_> =
        (0..200).map(|_| own(block_on(records.next()).unwrap().unwrap())).collect();
    let cursor = records.cursor();
    drop(records);
    seen.extend(awaited().resume(cursor).records().unwrap().into_iter().map(own));
    assert_eq!((seen.len(), seen.iter().collect::<HashSet<_>>().len()), (500, 500));
}

#[test]
fn an_async_query_works_on_several_threads_at_once() {
    let (_cluster, _client, futures) = home();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let mut records = futures.query("test", "demo").window(4096).records().unwrap();
                    let mut count = 0;
                    while let Some(record) = block_on(records.next()) {
                        record.unwrap();
                        count += 1;
                    }
                    assert_eq!(count, COUNT);
                }
            });
        }
    });
}

type Choose = Box<dyn Fn(Choice) -> Choice>;

#[test]
fn invalid_queries_are_rejected() {
    let (_cluster, client, futures) = home();
    let other = client.query("test", "demo").filter("$.n > 1").records().unwrap().cursor();
    let invalid: Vec<(&str, Choose)> = vec![
        ("filter", Box::new(|query| query.filter("$.n >"))),
        ("filter", Box::new(|query| query.filter("$.n + 1"))),
        (
            "no placeholders, 1 value",
            Box::new(|query| query.filter(Expression::with("$.n > 1", [1.into()]))),
        ),
        ("filter", Box::new(|query| query.filter(Expression::from_wire([])))),
        ("low", Box::new(|query| query.index(IndexRange::between("n", 2, 1)))),
        ("2048", Box::new(|query| query.index(IndexRange::equal("n", "x".repeat(2048))))),
        (
            "sixteen-bytes-xx",
            Box::new(|query| query.index(IndexRange::equal("sixteen-bytes-xx", 1))),
        ),
        ("GeoJSON", Box::new(|query| query.index(IndexRange::within("at", "")))),
        (
            "name must have",
            Box::new(|query| query.index(IndexRange::equal(IndexOn::Name(String::new()), 1))),
        ),
        ("bin name", Box::new(|query| query.bins(vec!["a\0b"]))),
        ("not empty", Box::new(|query| query.index(IndexRange::equal("", 1)))),
        ("exclude", Box::new(|query| query.bins(vec!["n"]).include_values(false))),
        ("exclude", Box::new(|query| query.bins(vec!["n"]).operations(vec![op::get("n")]))),
        ("empty", Box::new(|query| query.operations(vec![]))),
        (
            "operations[1] writes",
            Box::new(|query| query.operations(vec![op::get("n"), op::put("n", 1)])),
        ),
        ("operations[0] reads every bin", Box::new(|query| query.operations(vec![op::get_all()]))),
        ("limit", Box::new(|query| query.limit(0))),
        ("limit", Box::new(|query| query.limit(1 << 32))),
        ("records_per_second", Box::new(|query| query.records_per_second(0))),
        ("concurrent_nodes", Box::new(|query| query.concurrent_nodes(0))),
        ("window", Box::new(|query| query.window(100))),
        ("4096 on", Box::new(|query| query.partitions(4096..))),
        #[allow(clippy::reversed_empty_ranges)]
        ("partitions", Box::new(|query| query.partitions(5..2))),
        ("partitions and after", Box::new(|query| query.partitions(..7).after(1.into()))),
        ("after and resume", Box::new(|query| query.after(1.into()).resume(vec![1]))),
        (
            "after and index",
            Box::new(|query| query.after(1.into()).index(IndexRange::equal("n", 1))),
        ),
        ("cursor", Box::new(|query| query.resume(vec![1, 2, 3]))),
        ("another query", Box::new(move |query| query.resume(other.clone()))),
    ];
    for (what, choose) in &invalid {
        for query in [
            Choice::Blocking(client.query("test", "demo")),
            Choice::Futures(futures.query("test", "demo")),
        ] {
            let error = choose(query).records().expect_err(what);
            assert_eq!(error.kind(), Kind::Invalid, "{what}: {error}");
            assert!(error.message().contains(what), "{what}: {error}");
        }
    }
    assert_eq!(kind(client.query("", "demo").records()), Kind::Invalid);
    assert_eq!(kind(client.query("test", "demo").pages(0)), Kind::Invalid);
    assert_eq!(kind(client.query("test", "demo").pages(1_000_001)), Kind::Invalid);
    let insisting = client.dataset("test", "demo").unwrap().with(CallOptions::new().generation(1));
    assert_eq!(kind(insisting.query().records()), Kind::Invalid);
    let nowhere: Result<Vec<_>, _> = client.query("nowhere", "").records().unwrap().collect();
    assert_eq!(kind(nowhere), Kind::NoNamespace);
}

#[test]
fn queries_that_reach_their_limit_keep_their_connections() {
    let (cluster, client, futures) = home();
    // As with real nodes: the end comes in a packet of its own, a moment after the records.
    for node in 0..3 {
        let faults = Faults { late_end: Duration::from_micros(200), ..Faults::default() };
        cluster.inject(node, faults).unwrap();
    }
    let opened = || -> u64 { (0..3).map(|n| cluster.stats(n).unwrap().connections_opened).sum() };
    let before = opened();
    for round in 0..50 {
        let limit = 1 + round % 5;
        let records = client.query("test", "demo").limit(limit).records().unwrap();
        assert_eq!(records.count(), limit as usize);
        let mut pages = client.query("test", "demo").pages(10).unwrap();
        assert_eq!(pages.next().unwrap().unwrap().records.len(), 10);
        drop(pages);
        let records = futures.query("test", "demo").limit(limit).records().unwrap();
        let rows: Vec<QueryRecord> = block_on(records.try_collect()).unwrap();
        assert_eq!(rows.len(), limit as usize);
    }
    // One for each node and client, and a few more when the end had not arrived yet.
    assert!(opened() - before < 50, "{} connections for 150 queries", opened() - before);
}
