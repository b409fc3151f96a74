//! Secondary indexes: made, found right, and gone with what they index.

use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use spikewire_aerospike_protocol::cdt::Step;
use spikewire_aerospike_protocol::cdt::context;
use spikewire_aerospike_protocol::expression::{Expression as E, Op};
use spikewire_aerospike_protocol::message::{info2, op};
use spikewire_aerospike_protocol::query::{Collection, Index, Point, Query, Range, Share, Subject};
use spikewire_aerospike_protocol::value::Value;
use spikewire_aerospike_server::{Cluster, NamespaceOptions, Options};

use crate::client::{all, scan, share};
use crate::wire::{Request, SET, Wire, cluster, eventually, with};

/// Creates an index and waits until it is built.
pub fn create(wire: &mut Wire, name: &str, what: &str) {
    assert_eq!(wire.info(&format!("sindex-create:namespace=test;indexname={name};{what}")), "ok");
    while !wire
        .info(&format!("sindex-stat:namespace=test;indexname={name}"))
        .contains("load_pct=100")
    {
        std::thread::yield_now();
    }
}

pub fn entries(wire: &mut Wire, name: &str) -> usize {
    let text = wire.info(&format!("sindex-stat:namespace=test;indexname={name}"));
    text.strip_prefix("entries=").unwrap().split(';').next().unwrap().parse().unwrap()
}

pub fn on(bin: &str, range: Range) -> Query {
    of(bin, Collection::Value, range)
}

pub fn of(bin: &str, collection: Collection, range: Range) -> Query {
    let subject = Subject::Bin(bin.to_owned());
    Query { index: Some(Index { subject, collection, context: None, range }), ..scan() }
}

pub fn values_of(wire: &mut Wire, query: &Query) -> Vec<i64> {
    let stream = wire.query(query, &share(&all(), &[]));
    assert_eq!(stream.code, 0, "{query:?}");
    let mut values = stream.values();
    values.sort_unstable();
    values
}

pub fn put_value(wire: &mut Wire, key: &str, number: i64, bin: &str, value: &Value) {
    let mut bytes = Vec::new();
    let of = value.encode(&mut bytes);
    let put = Request::write(key).int(op::WRITE, "a", number).op(op::WRITE, bin, of, &bytes);
    assert_eq!(wire.code(put), 0);
}

#[test]
fn a_range_query_needs_a_built_index() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    wire.fill(2000);
    assert_eq!(wire.query(&on("a", Range::Int(5, 7)), &share(&all(), &[])).code, 201);
    create(&mut wire, "ages", "set=demo;bin=a;type=numeric");
    assert_eq!(entries(&mut wire, "ages"), 2000);
    assert_eq!(values_of(&mut wire, &on("a", Range::Int(5, 7))), [5, 6, 7]);
    assert_eq!(values_of(&mut wire, &on("a", Range::Int(i64::MIN, i64::MAX))).len(), 2000);
    // What is written from now on is there at once.
    assert_eq!(wire.code(Request::put("k6", -6)), 0);
    assert_eq!(wire.code(Request::put("young", 6)), 0);
    assert_eq!(wire.code(Request::delete("k5")), 0);
    assert_eq!(
        wire.code(Request::write("k7").op(op::WRITE, "a", 0, b"").int(op::WRITE, "b", 1)),
        0
    );
    assert_eq!(wire.code(Request::put("k1", 1).int(op::WRITE, "b", 3)), 0);
    assert_eq!(values_of(&mut wire, &on("a", Range::Int(5, 7))), [6]);
    assert_eq!(values_of(&mut wire, &on("a", Range::Int(-10, -1))), [-6]);
    assert_eq!(entries(&mut wire, "ages"), 1999);
    // Records come by value, then by digest, each with its value.
    let stream = wire.query(&on("a", Range::Int(-10, 1000)), &share(&all(), &[]));
    for pair in stream.rows.windows(2) {
        let place = |at: usize| (pair[at].point.value as i64, pair[at].point.digest);
        if place(0).1.partition() == place(1).1.partition() {
            assert!(place(0) < place(1));
        }
    }
    let values: Vec<i64> = stream.rows.iter().map(|row| row.point.value as i64).collect();
    assert_eq!(values, stream.values());
    // Other types, bins and sets have none.
    assert_eq!(wire.query(&on("b", Range::Int(1, 3)), &share(&all(), &[])).code, 201);
    let text = on("a", Range::Str("x".to_owned()));
    assert_eq!(wire.query(&text, &share(&all(), &[])).code, 201);
    let whole = Query { set: String::new(), ..on("a", Range::Int(5, 7)) };
    assert_eq!(wire.query(&whole, &share(&all(), &[])).code, 201);
}

#[test]
fn an_index_query_resumes_after_a_value_and_digest() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    for at in 0..1000 {
        let put = Request::put(&format!("k{at}"), at / 4);
        assert_eq!(wire.code(put), 0);
    }
    create(&mut wire, "i", "set=demo;bin=a;type=numeric");
    let query = on("a", Range::Int(10, 200));
    let whole: HashSet<_> = wire.query(&query, &share(&all(), &[])).digests().into_iter().collect();
    assert_eq!(whole.len(), 191 * 4);
    let mut points = std::collections::HashMap::<u16, Point>::new();
    let mut met = Vec::new();
    loop {
        let fresh: Vec<u16> = all().into_iter().filter(|pid| !points.contains_key(pid)).collect();
        let after: Vec<Point> = points.values().copied().collect();
        let stream = wire.query(&query, &Share { limit: 100, ..share(&fresh, &after) });
        met.extend(stream.digests());
        points.extend(stream.last());
        if stream.rows.len() < 100 {
            break;
        }
    }
    assert_eq!(met.len(), whole.len());
    assert_eq!(met.into_iter().collect::<HashSet<_>>(), whole);
}

#[test]
fn indexes_on_strings_blobs_lists_and_maps() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let text = |text: &str| Value::Str(text.to_owned());
    put_value(&mut wire, "1", 1, "s", &text("x"));
    put_value(&mut wire, "2", 2, "s", &text("y"));
    put_value(&mut wire, "3", 3, "s", &Value::Bytes(b"x".to_vec()));
    put_value(&mut wire, "4", 4, "s", &Value::List(vec![text("x"), Value::Int(7), Value::Int(9)]));
    put_value(&mut wire, "5", 5, "s", &Value::Map(vec![(text("x"), Value::Int(8))]));
    put_value(&mut wire, "6", 6, "s", &text(&"x".repeat(3000)));
    for (name, kind) in [("s", "string"), ("b", "blob")] {
        create(&mut wire, name, &format!("set=demo;bin=s;type={kind}"));
    }
    for (kind, short) in [("numeric", "n"), ("string", "s")] {
        for of in ["LIST", "MAPKEYS", "MAPVALUES"] {
            create(
                &mut wire,
                &format!("{of}{short}"),
                &format!("set=demo;bin=s;type={kind};indextype={of}"),
            );
        }
    }
    let x = || Range::Str("x".to_owned());
    assert_eq!(values_of(&mut wire, &on("s", x())), [1]);
    assert_eq!(values_of(&mut wire, &on("s", Range::Str("zz".to_owned()))), [0_i64; 0]);
    assert_eq!(values_of(&mut wire, &on("s", Range::Blob(b"x".to_vec()))), [3]);
    assert_eq!(values_of(&mut wire, &of("s", Collection::List, x())), [4]);
    assert_eq!(values_of(&mut wire, &of("s", Collection::MapKeys, x())), [5]);
    assert_eq!(values_of(&mut wire, &of("s", Collection::MapValues, Range::Int(8, 8))), [5]);
    assert_eq!(values_of(&mut wire, &of("s", Collection::MapKeys, Range::Int(8, 8))), [0_i64; 0]);
    // A record with several values that fit comes once, with the least of them.
    let stream = wire.query(&of("s", Collection::List, Range::Int(0, 100)), &share(&all(), &[]));
    assert_eq!((stream.values(), stream.rows[0].point.value), (vec![4], 7));
    let stream = wire.query(&of("s", Collection::List, Range::Int(8, 100)), &share(&all(), &[]));
    assert_eq!((stream.values(), stream.rows[0].point.value), (vec![4], 9));
    assert_eq!(entries(&mut wire, "LISTn"), 2);
    put_value(&mut wire, "4", 4, "s", &Value::List(vec![Value::Int(9)]));
    assert_eq!((entries(&mut wire, "LISTn"), entries(&mut wire, "LISTs")), (1, 0));
    assert_eq!(values_of(&mut wire, &of("s", Collection::List, Range::Int(0, 8))), [0_i64; 0]);
    // The text that is too long is not indexed, and cannot be asked for.
    assert_eq!(entries(&mut wire, "s"), 2);
    let long = on("s", Range::Str("x".repeat(3000)));
    assert_eq!(wire.query(&long, &share(&all(), &[])).code, 4);
}

#[test]
fn indexes_on_nested_values_and_expressions() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    for at in 0..50 {
        let inner = Value::Map(vec![(Value::Str("n".to_owned()), Value::Int(at))]);
        put_value(&mut wire, &format!("k{at}"), at, "m", &inner);
    }
    let mut path = Vec::new();
    context::encode(&[Step::map_key(Value::Str("n".to_owned()))], &mut path);
    let text = STANDARD.encode(&path);
    create(&mut wire, "nested", &format!("set=demo;bin=m;type=numeric;context={text}"));
    let mut nested = on("m", Range::Int(3, 5));
    nested.index.as_mut().unwrap().context = Some(path);
    assert_eq!(values_of(&mut wire, &nested), [3, 4, 5]);
    nested.index.as_mut().unwrap().context = Some(vec![0x92, 0x40, 1]);
    assert_eq!(wire.query(&nested, &share(&all(), &[])).code, 4);
    let double = E::apply(Op::Mul, vec![E::bin("a").unwrap(), E::from(2_i64)]).unwrap();
    let bytes = double.encode().unwrap();
    create(&mut wire, "double", &format!("set=demo;exp={};type=numeric", STANDARD.encode(&bytes)));
    let by = |subject| Query {
        index: Some(Index {
            subject,
            collection: Collection::Value,
            context: None,
            range: Range::Int(10, 13),
        }),
        ..scan()
    };
    assert_eq!(values_of(&mut wire, &by(Subject::Expression(bytes))), [5, 6]);
    assert_eq!(values_of(&mut wire, &by(Subject::Name("double".to_owned()))), [5, 6]);
    let mut other = by(Subject::Name("double".to_owned()));
    other.index.as_mut().unwrap().range = Range::Str("x".to_owned());
    assert_eq!(
        values_of(&mut wire, &other),
        [0_i64; 0],
        "an index of other values has none of these"
    );
    let listed = wire.info("sindex-list:namespace=test");
    assert_eq!(
        listed,
        "ns=test:indexname=nested:set=demo:bin=m:type=numeric:indextype=default:\
         context=[map_key(<string#1>)]:exp=null:state=RW;\
         ns=test:indexname=double:set=demo:bin=null:type=numeric:indextype=default:\
         context=null:exp=$.a:INT * 2:state=RW"
    );
    assert!(wire.info("sindex-list:namespace=test;b64=true").contains(&format!("context={text}:")));
}

#[test]
fn geo_indexes_match_points_and_regions() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let point = |at: f64| format!(r#"{{"type":"Point","coordinates":[{at},1.0]}}"#);
    let circle = |at: f64, radius: f64| {
        format!(r#"{{"type":"AeroCircle","coordinates":[[{at},1.0],{radius}]}}"#)
    };
    for at in 0..20 {
        put_value(&mut wire, &format!("p{at}"), at, "g", &Value::GeoJson(point(at as f64)));
        let region = Value::GeoJson(circle(at as f64, 200_000.0));
        put_value(&mut wire, &format!("r{at}"), 100 + at, "g", &region);
    }
    let many = Value::List(vec![Value::GeoJson(point(5.0)), Value::GeoJson(point(5.5))]);
    put_value(&mut wire, "many", 50, "l", &many);
    create(&mut wire, "g", "set=demo;bin=g;type=geo2dsphere");
    create(&mut wire, "l", "set=demo;bin=l;type=geo2dsphere;indextype=list");
    // A degree is about 111 km here.
    let around = circle(5.0, 250_000.0);
    assert_eq!(values_of(&mut wire, &on("g", Range::Geo(around.clone()))), [3, 4, 5, 6, 7]);
    assert_eq!(values_of(&mut wire, &on("g", Range::Geo(point(5.0)))), [104, 105, 106]);
    assert_eq!(values_of(&mut wire, &of("l", Collection::List, Range::Geo(around))), [50]);
    let bad = on("g", Range::Geo("{}".to_owned()));
    assert_eq!(wire.query(&bad, &share(&all(), &[])).code, 4);
}

/// Filters, rates and limits are the same with an index.
#[test]
fn filters_rates_and_limits_apply_to_index_queries() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    wire.fill(300);
    create(&mut wire, "i", "bin=a;type=numeric");
    let odd = E::apply(Op::Mod, vec![E::bin("a").unwrap(), E::from(2_i64)]).unwrap();
    let odd = E::apply(Op::Eq, vec![odd, E::from(1_i64)]).unwrap().filter().unwrap();
    let query = Query { filter: Some(odd), ..on("a", Range::Int(10, 20)) };
    assert_eq!(values_of(&mut wire, &query), [11, 13, 15, 17, 19]);
    // An index of the whole namespace serves every set.
    let whole = Query { set: String::new(), ..query.clone() };
    assert_eq!(values_of(&mut wire, &whole).len(), 5);
    let limited = wire.query(&query, &Share { limit: 3, ..share(&all(), &[]) });
    assert_eq!(limited.rows.len(), 3);
    let unknown = Query { set: "unknown".to_owned(), ..query.clone() };
    assert_eq!(values_of(&mut wire, &unknown), [0_i64; 0]);
    assert!(!wire.info("query-show").is_empty());
    assert!(wire.info("query-show").contains(":sindex-name=i:"));
}

#[test]
fn deleted_and_expired_records_leave_the_index() {
    let options = NamespaceOptions { nsup_period: 1, ..NamespaceOptions::default() };
    let cluster = with(options);
    let mut wire = Wire::to(&cluster, 0);
    create(&mut wire, "i", "set=demo;bin=a;type=numeric");
    wire.fill(100);
    assert_eq!(wire.code(Request::put("mortal", 500).ttl(3)), 0);
    let query = on("a", Range::Int(0, 1000));
    assert_eq!(values_of(&mut wire, &query).len(), 101);
    eventually("expiry", || entries(&mut wire, "i") == 100);
    assert_eq!(values_of(&mut wire, &query).len(), 100);
    // What is truncated is not found any more, and then freed.
    assert_eq!(wire.info(&format!("truncate:namespace=test;set={SET}")), "ok");
    assert_eq!(values_of(&mut wire, &query), [0_i64; 0]);
    eventually("truncation", || entries(&mut wire, "i") == 0);
    assert_eq!(wire.code(Request::put("k1", 1)), 0);
    assert_eq!(values_of(&mut wire, &query), [1]);
    // Records of another set are none of its business.
    let other = Request::new("other", "x").info2(info2::WRITE).int(op::WRITE, "a", 3);
    assert_eq!((wire.code(other), entries(&mut wire, "i")), (0, 1));
    // A batch writes as single commands do; a removed bin leaves too.
    assert_eq!(wire.code(Request::write("k1").op(op::DELETE, "", 0, b"")), 0);
    assert_eq!(entries(&mut wire, "i"), 0);
    assert_eq!(wire.info("sindex-delete:ns=test;indexname=i"), "ok");
    assert_eq!(wire.query(&query, &share(&all(), &[])).code, 201);
    assert_eq!(wire.info("sindex-exists:namespace=test;indexname=i"), "false");
}

pub fn everywhere(cluster: &Cluster, nodes: &[usize], query: &Query) -> Vec<i64> {
    let mut values = Vec::new();
    for node in nodes {
        let mut wire = Wire::to(cluster, *node);
        let maps = spikewire_aerospike_protocol::partition::Replicas::parse(&wire.info("replicas"))
            .unwrap();
        let mine: Vec<u16> =
            all().into_iter().filter(|pid| maps[0].columns[0].contains(*pid)).collect();
        if !mine.is_empty() {
            let stream = wire.query(query, &share(&mine, &[]));
            assert_eq!((stream.code, stream.unavailable.len()), (0, 0));
            values.extend(stream.values());
        }
    }
    values.sort_unstable();
    values
}

/// Entries go where their partitions go.
#[test]
fn index_entries_follow_their_partitions() {
    let cluster = cluster(3);
    let mut wire = Wire::to(&cluster, 0);
    wire.fill(1500);
    create(&mut wire, "i", "set=demo;bin=a;type=numeric");
    let query = on("a", Range::Int(0, 999));
    let expected: Vec<i64> = (0..1000).collect();
    assert_eq!(everywhere(&cluster, &[0, 1, 2], &query), expected);
    let patience = std::time::Duration::from_secs(30);
    for node in [1, 2] {
        cluster.kill(node).unwrap();
        let others: Vec<usize> = (0..3).filter(|other| *other != node).collect();
        assert!(cluster.wait_settled(patience));
        assert_eq!(everywhere(&cluster, &others, &query), expected);
        cluster.restart(node).unwrap();
        assert!(cluster.wait_settled(patience));
        assert_eq!(everywhere(&cluster, &[0, 1, 2], &query), expected);
        assert_eq!(Wire::to(&cluster, node).info("sindex-exists:ns=test;indexname=i"), "true");
    }
    let copies: usize = (0..3).map(|node| entries(&mut Wire::to(&cluster, node), "i")).sum();
    assert_eq!(copies, 3000);
    // All dead: the records are lost, and their entries with them.
    (0..3).for_each(|node| cluster.kill(node).unwrap());
    (0..3).for_each(|node| cluster.restart(node).unwrap());
    assert!(cluster.wait_settled(patience));
    assert_eq!(everywhere(&cluster, &[0, 1, 2], &query), [0_i64; 0]);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k", 7)), 0);
    assert_eq!(everywhere(&cluster, &[0, 1, 2], &query), [7]);
}

#[test]
fn invalid_index_definitions_are_rejected() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let bin = |name: &str| E::bin(name).unwrap();
    let encode = |expression: E| STANDARD.encode(expression.encode().unwrap());
    let plus = encode(E::apply(Op::Add, vec![bin("a"), E::from(1_i64)]).unwrap());
    let compare = encode(E::apply(Op::Gt, vec![bin("a"), E::from(1_i64)]).unwrap());
    let constant = encode(E::from(1_i64));
    for (what, answer) in [
        ("indexname=i;bin=a;type=numeric", "ERROR:20:missing 'namespace'"),
        ("ns=test;bin=a;type=numeric", "ERROR:4:missing 'indexname'"),
        ("ns=test;indexname=i;type=numeric", "ERROR:4:both 'bin' and 'exp' are missing"),
        ("ns=test;indexname=i;bin=sixteen-letters-;type=numeric", "ERROR:4:'bin' value too long"),
        (
            "ns=test;indexname=i;bin=a;type=integer",
            "ERROR:4:bad 'type' - must be one of 'numeric', 'string', 'blob', 'geo2dsphere'",
        ),
        (
            "ns=test;indexname=i;bin=a;type=string;indextype=x",
            "ERROR:4:bad 'indextype' - must be one of 'default', 'list', 'mapkeys', 'mapvalues'",
        ),
        ("ns=test;indexname=i;bin=a;type=string;context=%", "ERROR:4:'context' invalid base64"),
        (
            "ns=test;indexname=i;bin=a;type=string;context=AAAA",
            "ERROR:4:'context' invalid cdt context",
        ),
        // A map key step (0x22) whose number is not in its shortest form.
        (
            "ns=test;indexname=i;bin=a;type=string;context=kswiAQ==",
            "ERROR:4:'context' not normalized msgpack",
        ),
        ("ns=test;indexname=i;exp=AAAA;type=string", "ERROR:4:bad 'exp'"),
        (
            &format!("ns=test;indexname=i;bin=a;exp={plus};type=numeric"),
            "ERROR:4:both 'bin' and 'exp' are specified",
        ),
        (
            &format!("ns=test;indexname=i;exp={plus};context=kiIB;type=numeric"),
            "ERROR:4:both 'context' and 'exp' are specified",
        ),
        (
            &format!("ns=test;indexname=i;exp={plus};type=string"),
            "ERROR:4:bad 'exp' - expression type 'numeric' does not match expected type 'string'",
        ),
        (
            &format!("ns=test;indexname=i;exp={compare};type=numeric"),
            "ERROR:4:bad 'exp' - expression type 'bool' does not match expected type 'numeric'",
        ),
        (
            &format!("ns=test;indexname=i;exp={constant};type=numeric"),
            "ERROR:4:bad 'exp' - only bins and the digest can be indexed",
        ),
        ("ns=nowhere;indexname=i;bin=a;type=numeric", "ok"),
    ] {
        assert_eq!(wire.info(&format!("sindex-create:{what}")), answer, "{what}");
    }
    let long = "x".repeat(64);
    assert_eq!(
        wire.info(&format!("sindex-create:ns=test;indexname={long};bin=a;type=string")),
        "ERROR:4:'indexname' value too long"
    );
    assert_eq!(wire.info("sindex-list:"), "");
    create(&mut wire, "i", "indexdata=a,NUMERIC");
    assert_eq!(wire.info("sindex-create:ns=test;indexname=i;bin=a;type=numeric"), "ok");
    assert_eq!(
        wire.info("sindex-create:ns=test;indexname=i;bin=b;type=numeric"),
        "ERROR:200:'indexname' already exists with different definition"
    );
    assert_eq!(wire.info("sindex-create:ns=test;indexname=j;bin=a;type=numeric"), "ok");
    assert_eq!(wire.info("sindex-exists:ns=test;indexname=i"), "false");
    assert_eq!(wire.info("sindex-exists:ns=test;indexname=j"), "true");
    assert!(wire.info("sindex/test/j").contains("load_pct=100"));
    assert!(wire.info("sindex/test").starts_with("ns=test:indexname=j:set=null:bin=a:"));
    for unknown in ["sindex/nowhere", "sindex/nowhere/j", "sindex//j", "sindex:ns=test"] {
        assert_eq!(wire.info(unknown), "ns_type=unknown", "{unknown}");
    }
    assert_eq!(wire.info("sindex-stat:ns=test;indexname=none"), "ERROR:201:no index");
    assert_eq!(wire.info("sindex-delete:ns=test;indexname=none"), "ok");
}

/// A definition for a namespace that is not there is remembered by its name, and shown nowhere.
#[test]
fn an_index_of_an_unknown_namespace_reserves_its_name() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let in_use = "ERROR:200:'indexname' already exists with different definition";
    for (command, answer) in [
        ("sindex-create:ns=nowhere;indexname=i;set=s;bin=a;type=numeric", "ok"),
        ("sindex-create:ns=nowhere;indexname=i;set=s;bin=a;type=numeric", "ok"),
        ("sindex-create:ns=nowhere;indexname=i;set=s;bin=b;type=numeric", in_use),
        ("sindex-create:ns=nowhere;indexname=i;set=t;bin=a;type=numeric", in_use),
        ("sindex-create:ns=elsewhere;indexname=i;set=t;bin=a;type=numeric", "ok"),
        ("sindex-create:ns=test;indexname=i;set=t;bin=a;type=numeric", "ok"),
        ("sindex-exists:ns=nowhere;indexname=i", "ERROR:20:namespace not found on node"),
        ("sindex-delete:ns=nowhere;indexname=i", "ok"),
        ("sindex-create:ns=nowhere;indexname=i;set=s;bin=b;type=numeric", "ok"),
    ] {
        assert_eq!(wire.info(command), answer, "{command}");
    }
    assert_eq!(wire.info("sindex-list:").split(';').count(), 1);
}

/// Writers change what is indexed while an index is built and queried: in the end it says what
/// the records say.
#[test]
fn an_index_built_under_writes_is_correct() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    wire.fill(20_000);
    std::thread::scope(|scope| {
        for writer in 0..2_i64 {
            let cluster = &cluster;
            scope.spawn(move || {
                let mut wire = Wire::to(cluster, 0);
                for at in 0..4000_i64 {
                    let key = format!("k{}", at * 2 + writer);
                    let request = match at % 3 {
                        0 => Request::put(&key, 1_000_000 + at),
                        1 => Request::delete(&key),
                        _ => Request::put(&format!("new{key}"), 2_000_000 + at),
                    };
                    assert_eq!(wire.code(request), 0);
                }
            });
        }
        create(&mut wire, "i", "set=demo;bin=a;type=numeric");
    });
    let mut scanned = wire.query(&scan(), &share(&all(), &[])).values();
    scanned.sort_unstable();
    assert_eq!(values_of(&mut wire, &on("a", Range::Int(0, i64::MAX))), scanned);
    assert_eq!(entries(&mut wire, "i"), scanned.len());
}

/// As clients that know servers of 8.2 create them.
#[test]
fn an_index_on_integers_has_two_names_of_its_type_from_8_2_on() {
    let options = Options { build: "8.2".to_owned(), ..Options::default() };
    let cluster = Cluster::start(options).unwrap();
    let mut wire = Wire::to(&cluster, 0);
    let create = "sindex-create:ns=test;indexname=i;bin=a;type=INTEGER";
    assert_eq!(wire.info(create), "ok");
    assert!(wire.info("sindex-list:ns=test").contains("type=numeric"));
}
