//! Which queries have their index chosen by a node.

use spikewire_aerospike_protocol::expression::text::parse_filter;
use spikewire_aerospike_protocol::key::Digest;

use super::{FilterSource, QueryPlan, QuerySpec, Selection};
use crate::model::{Policy, Result};

fn spec(filter: &str) -> QuerySpec {
    let tree = parse_filter(filter, &[]).unwrap();
    let source = FilterSource::of_text(&tree);
    QuerySpec { filter: tree.filter().ok(), source, ..QuerySpec::new("test", "users") }
}

fn plan(spec: &QuerySpec) -> Result<QueryPlan> {
    spec.plan(&Policy::default())
}

fn reason(spec: &QuerySpec) -> String {
    match plan(spec).unwrap().selection {
        Selection::Settled(reason) => reason,
        Selection::Ask(wish) => panic!("{wish:?}"),
    }
}

fn rejection(spec: &QuerySpec) -> String {
    plan(spec).unwrap_err().message().to_owned()
}

#[test]
fn a_plan_is_requested_for_a_text_that_means_the_same_there() {
    let hint = Some("by_age".to_owned());
    let hinted = QuerySpec { index_hint: hint.clone(), require_hint: true, ..spec("$.a == 1") };
    let Selection::Ask(wish) = plan(&hinted).unwrap().selection else { panic!() };
    assert_eq!((wish.text.as_str(), &wish.hint, wish.flags()), ("$.a == 1", &hint, 4));
    assert_eq!(wish.requirement(), Some("require_hint"));
    // The query itself does not have the text yet: it must not reach a node unasked.
    assert_eq!(plan(&hinted).unwrap().query.text, None);
    let pattern = spec("$.name =~ /^a/");
    assert!(reason(&pattern).starts_with("a pattern"), "{}", reason(&pattern));
    let off = QuerySpec { server_filter: false, ..spec("$.a == 1") };
    assert_eq!(reason(&off), "server_filter is off");
    let after = Digest([7; 20]);
    let after = QuerySpec { after: Some(after), ..spec("$.a == 1") };
    assert!(reason(&after).starts_with("the rest of a partition"));
}

#[test]
fn wishes_that_nothing_can_grant_are_invalid() {
    let text = || spec("$.a == 1");
    let required = |spec| QuerySpec { require_index: true, ..spec };
    let hinted = |spec| QuerySpec { index_hint: Some("i".to_owned()), ..spec };
    let invalid = [
        (required(QuerySpec::new("test", "users")), "require_index: nodes choose"),
        (hinted(QuerySpec::new("test", "users")), "the name of an index: nodes choose"),
        (required(spec("$.name =~ /^a/")), "require_index: a pattern"),
        (required(QuerySpec { server_filter: false, ..text() }), "require_index: server_filter"),
        (hinted(QuerySpec { server_filter: false, ..text() }), "the name of an index: server_"),
        (QuerySpec { require_hint: true, ..text() }, "require_hint: index must be the name"),
        (QuerySpec { index_hint: Some(String::new()), ..text() }, "the name of an index has"),
        (QuerySpec { index_hint: Some("x".repeat(64)), ..text() }, "the name of an index has"),
    ];
    for (spec, message) in invalid {
        assert!(rejection(&spec).starts_with(message), "{}", rejection(&spec));
    }
    // A hint may go unheeded.
    assert!(plan(&hinted(spec("$.name =~ /^a/"))).is_ok());
}
