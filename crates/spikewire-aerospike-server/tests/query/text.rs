//! Filters that are text: which index a node chooses, and what servers before 8.2 make of them.

use spikewire_aerospike_protocol::features::Features;
use spikewire_aerospike_protocol::message::{field, info1, info3, op};
use spikewire_aerospike_protocol::query::text::flag;
use spikewire_aerospike_protocol::query::{
    ChosenIndex, Explain, Plan, PlanReply, Query, Range, TextFilter,
};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::Value;
use spikewire_aerospike_server::{Cluster, Options};

use crate::client::{StreamResult, all, scan, share};
use crate::indexes::{create, put_value};
use crate::wire::{Request, SET, Wire, hex};

fn started(build: &str) -> (Cluster, Wire) {
    let cluster =
        Cluster::start(Options { build: build.to_owned(), ..Options::default() }).unwrap();
    let mut wire = Wire::to(&cluster, 0);
    wire.fill(100);
    (cluster, wire)
}

fn explain<'a>(text: &'a str, hint: Option<&'a str>, flags: u64) -> Explain<'a> {
    Explain { namespace: "test", set: SET, id: 7, patience: 0, hint, flags, text }
}

fn ask(wire: &mut Wire, explain: &Explain<'_>) -> PlanReply {
    let mut out = Vec::new();
    explain.write(&mut out).unwrap();
    wire.send(&out);
    PlanReply::parse(&wire.frame().unwrap().1).unwrap()
}

fn plan(wire: &mut Wire, text: &str) -> Plan {
    match ask(wire, &explain(text, None, 0)) {
        PlanReply::Plan(plan) => plan,
        PlanReply::Failed(code) => panic!("{text}: {code:?}"),
    }
}

fn chosen(wire: &mut Wire, text: &str) -> (String, Range) {
    match plan(wire, text) {
        Plan::Index(chosen) => (chosen.name.clone(), chosen.range().unwrap()),
        other => panic!("{text}: {other:?}"),
    }
}

fn execute(wire: &mut Wire, text: &str, chosen: Option<ChosenIndex>) -> StreamResult {
    let query = Query { text: Some(text.to_owned()), chosen, ..scan() };
    let mut out = Vec::new();
    query.write_for(Features::TEXT_FILTERS, &share(&all(), &[]), &mut out).unwrap();
    wire.send(&out);
    wire.stream_result()
}

fn values(stream: &StreamResult) -> Vec<i64> {
    assert_eq!(stream.code, 0);
    let mut values = stream.values();
    values.sort_unstable();
    values
}

/// A query with this field 44, and partitions.
fn raw(data: &[u8], more: impl FnOnce(Request) -> Request) -> Request {
    let request = Request::bare()
        .field(field::NAMESPACE, b"test")
        .field(field::SET, SET.as_bytes())
        .field(field::PARTITIONS, &[0, 0])
        .info1(info1::READ)
        .info3(info3::PARTITION_DONE);
    more(request.field(field::TEXT_FILTER, data))
}

#[test]
fn a_plan_has_the_index_that_fits_a_text() {
    let (_cluster, mut wire) = started("8.2");
    assert_eq!(plan(&mut wire, "$.a >= 97"), Plan::Scan);
    create(&mut wire, "by_a", "set=demo;bin=a;type=numeric");
    create(&mut wire, "by_s", "bin=s;type=string");
    create(&mut wire, "by_g", "set=demo;bin=g;type=geo2dsphere");
    let between = |low, high| ("by_a".to_owned(), Range::Int(low, high));
    for (text, low, high) in [
        ("$.a >= 97", 97, i64::MAX),
        ("$.a:INT == 5", 5, 5),
        ("7 > $.a", i64::MIN, 6),
        ("$.a > 3 and ($.b == 1 and $.a <= 9)", 4, 9),
        ("$.a > -3 and $.a < 0x10", -2, 15),
    ] {
        assert_eq!(chosen(&mut wire, text), between(low, high), "{text}");
    }
    let text = "$.a > 3 and $.s == 'it\\'s'";
    assert_eq!(chosen(&mut wire, text), ("by_s".to_owned(), Range::Str("it's".to_owned())));
    let place = r#"{"type":"AeroCircle","coordinates":[[1,2],3]}"#;
    let text = format!("geoCompare(geoJson('{place}'), $.g:GEO)");
    assert_eq!(chosen(&mut wire, &text), ("by_g".to_owned(), Range::Geo(place.to_owned())));
    for text in ["$.a > 3 or $.a == 1", "not($.a == 3)", "$.a != 3", "$.b == 1", "$.a == 2.5"] {
        assert_eq!(plan(&mut wire, text), Plan::Scan, "{text}");
    }
    for text in ["$.a > 3 and $.a < 2", "false", "$.a > 9223372036854775807 and $.b == 1"] {
        assert_eq!(plan(&mut wire, text), Plan::Empty, "{text}");
    }
    // An index of one set is of no use for another, that of a namespace is for all of them.
    let other = Explain { set: "other", ..explain("$.a == 5", None, 0) };
    assert_eq!(ask(&mut wire, &other), PlanReply::Plan(Plan::Scan));
    let other = Explain { set: "other", ..explain("$.s == 'x'", None, 0) };
    assert!(matches!(ask(&mut wire, &other), PlanReply::Plan(Plan::Index(_))));
}

#[test]
fn a_plan_is_executed_with_the_text_as_its_filter() {
    let (_cluster, mut wire) = started("8.2");
    create(&mut wire, "by_a", "set=demo;bin=a;type=numeric");
    let text = "$.a >= 90 and $.a % 2 == 1";
    let Plan::Index(index) = plan(&mut wire, text) else { panic!("no index") };
    let stream = execute(&mut wire, text, Some(index.clone()));
    assert_eq!(values(&stream), [91, 93, 95, 97, 99]);
    assert!(stream.rows.iter().all(|row| row.point.value as i64 >= 90), "by the index");
    assert_eq!(values(&execute(&mut wire, text, None)), [91, 93, 95, 97, 99]);
    put_value(&mut wire, "k91", 91, "s", &Value::Str("Zo\u{e9}".to_owned()));
    assert_eq!(values(&execute(&mut wire, "$.s == 'Zo\u{e9}'", None)), [91]);
    assert_eq!(wire.info("sindex-delete:namespace=test;set=demo;indexname=by_a"), "ok");
    assert_eq!(execute(&mut wire, text, Some(index)).code, 201);
}

#[test]
fn hints_and_requirements_decide_or_fail() {
    let (_cluster, mut wire) = started("8.2");
    create(&mut wire, "by_a", "set=demo;bin=a;type=numeric");
    create(&mut wire, "by_b", "set=demo;bin=b;type=numeric");
    let text = "$.a == 3 and $.b > 5";
    let mut name = |text: &str, hint, flags| match ask(&mut wire, &explain(text, hint, flags)) {
        PlanReply::Plan(Plan::Index(chosen)) => Ok(chosen.name),
        PlanReply::Plan(_) => Ok("none".to_owned()),
        PlanReply::Failed(code) => Err(code),
    };
    let missing = Err(ResultCode::INDEX_NOT_FOUND);
    let by = |name: &str| Ok(name.to_owned());
    assert_eq!(name(text, None, 0), by("by_a"), "a value before a range");
    assert_eq!(name(text, Some("by_b"), 0), by("by_b"));
    assert_eq!(name(text, Some("unknown"), 0), by("by_a"));
    assert_eq!(name(text, Some("by_b"), flag::HARD_HINT), by("by_b"));
    assert_eq!(name(text, Some("unknown"), flag::HARD_HINT), missing);
    assert_eq!(name(text, None, flag::HARD_HINT), missing);
    assert_eq!(name("$.a == 3", Some("by_b"), flag::HARD_HINT), missing);
    assert_eq!(name("$.c == 3", None, 0), by("none"));
    assert_eq!(name("$.c == 3", None, flag::REQUIRE_INDEX), missing);
    assert_eq!(name("$.a == 3", None, flag::REQUIRE_INDEX), by("by_a"));
    assert_eq!(name("$.a > 1 and $.a < 1", None, flag::REQUIRE_INDEX), by("none"), "nothing to do");
}

#[test]
fn malformed_texts_and_flags_are_rejected() {
    let (_cluster, mut wire) = started("8.2");
    let same = |request| request;
    let refused: [&[u8]; 9] = [
        b"",
        b"\x00",
        b"\x04$.a == 1",
        b"\x08$.a == 1",
        b"\x06",
        b"\x10$.a == 1",
        b"\x00$.a = 1",
        b"\x00$.a == ?0",
        b"\x00\xff\xfe",
    ];
    for data in refused {
        assert_eq!(wire.code(raw(data, same)), 4, "{data:02x?}");
    }
    let both = |request: Request| request.field(field::FILTER, &[0xc3]);
    for data in [&b"\x00$.a == 1"[..], b"\x02$.a == 1"] {
        assert_eq!(wire.code(raw(data, both)), 4, "with a compiled filter");
    }
    // Jobs and aggregations name their index themselves.
    let job = raw(b"\x00$.a == 1", |request| {
        request.info2(spikewire_aerospike_protocol::message::info2::WRITE).int(op::WRITE, "x", 1)
    });
    assert_eq!(wire.code(job), 4);
    assert_eq!(wire.code(raw(b"\x00$.a == 1000", same)), 0);
}

/// Section 5.1 of the protocol notes, as a live server answers: every record comes.
#[test]
fn older_servers_skip_the_field_and_return_every_record() {
    let (_cluster, mut wire) = started("8.1.2");
    create(&mut wire, "by_a", "set=demo;bin=a;type=numeric");
    assert_eq!(execute(&mut wire, "$.a >= 97", None).rows.len(), 100);
    let mut out = Vec::new();
    explain("$.a >= 97", None, 0).write(&mut out).unwrap();
    wire.send(&out);
    assert_eq!(wire.reply().unwrap().code(), 16);
    let (data, skipped) = (TextFilter { flags: 0, text: "nonsense" }.encode(), |request| request);
    assert_eq!(wire.code(raw(&data, skipped)), 0);
}

/// Section 5.1: a text instead of any compiled expression; 8.1.2 rejects it.
#[test]
fn a_text_may_stand_for_any_compiled_expression() {
    let text = "92 cc80 c4 0b 242e61203d3d203937 2020"; // $.a == 97
    let bool_text = hex(text);
    let filtered = |key: &str| Request::get(key).field(field::FILTER, &bool_text);
    let sum = hex(&format!("92 92cc80 c4 07 {} 00", "242e61202b2031")); // $.a + 1
    let path = {
        // The elements of a list above 2: $.l.*[?(@ > 2)], with its filter as a text.
        let filter = hex("92 cc80 c4 05 40203e2032");
        [&hex("93 ccfe 92 04")[..], &filter, &[1]].concat()
    };
    for (build, expected) in [("8.2", [0, 27, 0, 0, 0]), ("8.1.2", [4; 5])] {
        let (_cluster, mut wire) = started(build);
        let list = Value::List((1..5).map(Value::Int).collect());
        put_value(&mut wire, "k50", 50, "l", &list);
        let codes = [
            wire.code(filtered("k97")),
            wire.code(filtered("k96")),
            wire.code(Request::read("k1").op(op::EXP_READ, "r", 4, &sum)),
            wire.code(Request::write("k1").op(op::EXP_MODIFY, "r", 4, &sum)),
            wire.code(Request::read("k50").op(op::CDT_READ, "l", 4, &path)),
        ];
        assert_eq!(codes, expected, "{build}");
        let query = Query { filter: Some(bool_text.clone()), ..scan() };
        let stream = wire.query(&query, &share(&all(), &[]));
        if build == "8.2" {
            assert_eq!(values(&stream), [97]);
        } else {
            assert_eq!(stream.code, 4);
        }
    }
}
