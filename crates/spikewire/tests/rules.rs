//! Generations, existence rules, TTLs, stored keys.

mod support;

use std::time::Duration;

use spikewire::{CallOptions, Exists, Kind, ResultCode, Ttl, op};

use support::{eventually, home, kind, server};

const OPTIONS: CallOptions = CallOptions::new();

#[test]
fn a_write_can_insist_on_a_generation() {
    let (_cluster, users) = home(3);
    users.put("k", [("n", 1)]).unwrap();
    users.put("k", [("n", 2)]).unwrap();
    let at = |generation| users.with(OPTIONS.generation(generation));
    assert_eq!(kind(at(1).put("k", [("n", 3)])), server(ResultCode::GENERATION));
    assert_eq!(kind(at(1).delete("k")), server(ResultCode::GENERATION));
    assert_eq!(kind(at(7).touch("k")), server(ResultCode::GENERATION));
    assert_eq!(kind(at(1).operate("k", [op::add("n", 1)])), server(ResultCode::GENERATION));
    at(2).put("k", [("n", 3)]).unwrap();
    assert_eq!(users.get("k").unwrap().unwrap().generation, 3);
    assert!(at(3).delete("k").unwrap());
}

#[test]
fn exists_rules_create_replace_or_fail() {
    let (_cluster, users) = home(3);
    let rule = |exists| users.with(OPTIONS.exists(exists));
    let names = || {
        let record = users.get("k").unwrap().unwrap();
        record.bins.iter().map(|bin| bin.name.to_string()).collect::<Vec<_>>()
    };
    for exists in [Exists::Update, Exists::ReplaceOnly] {
        assert_eq!(kind(rule(exists).put("k", [("a", 1)])), server(ResultCode::NOT_FOUND));
    }
    rule(Exists::Create).put("k", [("a", 1)]).unwrap();
    let again = rule(Exists::Create).put("k", [("a", 1)]);
    assert_eq!(kind(again), server(ResultCode::RECORD_EXISTS));
    rule(Exists::Update).put("k", [("b", 1)]).unwrap();
    assert_eq!(names(), ["a", "b"]);
    rule(Exists::ReplaceOnly).put("k", [("c", 1)]).unwrap();
    assert_eq!(names(), ["c"]);
    rule(Exists::Merge).put("k", [("d", 1)]).unwrap();
    assert_eq!(names(), ["c", "d"]);
    rule(Exists::Replace).put("k", [("e", 1)]).unwrap();
    assert_eq!(names(), ["e"]);
    rule(Exists::Replace).put("other", [("e", 1)]).unwrap();
}

#[test]
fn a_time_to_live_sets_renews_or_clears_expiration() {
    let (_cluster, users) = home(3);
    let ttl = |ttl: Ttl| users.with(OPTIONS.ttl(ttl));
    let left = || users.get("k").unwrap().unwrap().ttl;
    ttl(Ttl::Default).put("k", [("n", 1)]).unwrap();
    assert_eq!(left(), None, "the namespace's own default is for ever");
    ttl(Ttl::For(Duration::from_secs(1000))).put("k", [("n", 1)]).unwrap();
    let before = left().unwrap();
    assert!((900..=1000).contains(&before.as_secs()));
    ttl(Ttl::Unchanged).put("k", [("n", 2)]).unwrap();
    assert!(left().unwrap() <= before);
    ttl(Ttl::Never).touch("k").unwrap();
    assert_eq!(left(), None);
    users.with(OPTIONS.ttl(Duration::from_secs(1))).put("k", [("n", 1)]).unwrap();
    eventually("expiring", || !users.exists("k").unwrap());
}

#[test]
fn times_to_live_out_of_range_are_rejected() {
    let (_cluster, users) = home(1);
    for span in [
        Duration::ZERO,
        Duration::from_millis(1500),
        Duration::from_secs(315_360_001),
        Duration::from_secs(1 << 32),
        Duration::MAX,
    ] {
        let error = users.with(OPTIONS.ttl(span)).put("k", [("n", 1)]).unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid, "{span:?}");
        assert!(error.message().starts_with("ttl must be"), "{error}");
    }
    users.with(OPTIONS.ttl(Duration::from_secs(315_360_000))).put("k", [("n", 1)]).unwrap();
}

#[test]
fn options_that_do_not_apply_to_a_verb_are_rejected() {
    let (_cluster, users) = home(1);
    users.put("k", [("n", 1)]).unwrap();
    for options in [OPTIONS.generation(1), OPTIONS.exists(Exists::Create)] {
        let users = users.with(options);
        assert_eq!(kind(users.get("k")), Kind::Invalid);
        assert_eq!(kind(users.get_bins("k", ["n"])), Kind::Invalid);
        assert_eq!(kind(users.exists("k")), Kind::Invalid);
        assert_eq!(kind(users.operate("k", [op::get("n")])), Kind::Invalid);
    }
    let create = users.with(OPTIONS.exists(Exists::Create));
    assert_eq!(kind(create.delete("k")), Kind::Invalid);
    assert_eq!(kind(create.touch("k")), Kind::Invalid);
    assert_eq!(kind(users.with(OPTIONS.generation(0x10000)).delete("k")), Kind::Invalid);
    // A dataset may have these for its writes.
    let habits = OPTIONS.ttl(Duration::from_secs(60)).send_key(true);
    assert!(users.with(habits.clone()).get("k").unwrap().is_some());
    assert!(users.with(habits).delete("k").unwrap());
}

#[test]
fn durable_deletes_need_another_edition() {
    let (_cluster, users) = home(1);
    users.put("k", [("n", 1)]).unwrap();
    let durable = users.with(OPTIONS.durable(true));
    assert_eq!(kind(durable.delete("k")), server(ResultCode::ENTERPRISE_ONLY));
}

#[test]
fn a_stored_key_must_be_the_one_sent() {
    let (_cluster, users) = home(1);
    let storing = users.with(OPTIONS.send_key(true));
    storing.put("k", [("n", 1)]).unwrap();
    storing.put("k", [("n", 2)]).unwrap();
    storing.touch("k").unwrap();
    storing.operate("k", [op::add("n", 1)]).unwrap();
    assert_eq!(users.get("k").unwrap().unwrap().get("n"), Some(&3.into()));
}
