//! Transactions: locks, versions, monitors, and their end.

mod wire;

use spikewire_aerospike_protocol::batch::Kind;
use spikewire_aerospike_protocol::key::{Digest, UserKey, digest};
use spikewire_aerospike_protocol::message::{field, info2, info3, info4, op};
use spikewire_aerospike_protocol::request::address;
use spikewire_aerospike_protocol::transaction::{self, CommandFields, Version};
use spikewire_aerospike_server::{Cluster, Edition, NamespaceOptions, Options};
use wire::{Reply, Request, ResultBin, SET, Wire, eventually};

/// A transaction that writes, as a client sees it.
struct Txn {
    id: u64,
    deadline: u32,
}

fn strong(nodes: usize) -> Cluster {
    let namespace = NamespaceOptions { strong_consistency: true, ..NamespaceOptions::default() };
    let options = Options {
        nodes,
        edition: Edition::Enterprise,
        namespaces: vec![namespace],
        ..Options::default()
    };
    Cluster::start(options).unwrap()
}

fn record(key: &str) -> Digest {
    digest(SET, &UserKey::Str(key))
}

fn ask(wire: &mut Wire, mut kind: Kind, digest: &Digest) -> Reply {
    kind.finish().unwrap();
    let mut bytes = Vec::new();
    kind.request(&mut bytes, digest, 1000).unwrap();
    wire.send(&bytes);
    wire.reply().unwrap()
}

impl Txn {
    /// Creates the monitor, with the records that it may write.
    fn open(wire: &mut Wire, id: u64, seconds: u32, keys: &[&str]) -> Self {
        let digests: Vec<_> = keys.iter().map(|key| record(key)).collect();
        let kind = transaction::add_records("test", id, true, seconds, &digests);
        let reply = ask(wire, kind, &transaction::monitor(id));
        assert_eq!(reply.code(), 0);
        Self { id, deadline: reply.about.deadline.expect("the deadline") }
    }

    fn read(&self, request: Request) -> Request {
        request.field(field::TRANSACTION, &self.id.to_le_bytes())
    }

    fn write(&self, request: Request) -> Request {
        self.read(request).field(field::DEADLINE, &self.deadline.to_le_bytes())
    }

    fn roll(&self, wire: &mut Wire, key: &str, forward: bool) -> u8 {
        let fields = CommandFields { id: self.id, version: None, deadline: Some(self.deadline) };
        let kind = transaction::roll(&address("test", SET), forward, &fields);
        ask(wire, kind, &record(key)).code()
    }

    fn mark(&self, wire: &mut Wire) -> u8 {
        ask(wire, transaction::mark_forward("test"), &transaction::monitor(self.id)).code()
    }

    fn close(&self, wire: &mut Wire) -> u8 {
        ask(wire, transaction::close("test"), &transaction::monitor(self.id)).code()
    }
}

fn verify(wire: &mut Wire, key: &str, version: Version) -> u8 {
    ask(wire, transaction::verify(&address("test", SET), &version), &record(key)).code()
}

fn value(wire: &mut Wire, request: Request) -> Option<i64> {
    let reply = wire.ask(request);
    let bin = reply.bins.first()?;
    Some(i64::from_be_bytes(bin.value[..].try_into().unwrap()))
}

/// A number among the statistics of the namespace.
fn count(wire: &mut Wire, name: &str) -> u64 {
    let text = wire.info("namespace/test");
    let value = text.split(';').find_map(|pair| pair.strip_prefix(&format!("{name}=")));
    value.unwrap_or_else(|| panic!("no {name} in {text}")).parse().unwrap()
}

#[test]
fn a_locked_record_is_read_as_committed_and_rejects_other_writes() {
    let cluster = strong(1);
    let wire = &mut Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    let (first, second) = (Txn::open(wire, 7, 0, &["k", "new"]), Txn::open(wire, 8, 0, &["k"]));
    let reply = wire.ask(first.write(Request::put("k", 2)));
    assert_eq!((reply.code(), reply.about.version), (0, None));
    assert_eq!(wire.code(first.write(Request::put("new", 3))), 0);
    // Others see what was there, it itself sees what it wrote.
    assert_eq!(value(wire, Request::get("k")), Some(1));
    assert_eq!(value(wire, second.read(Request::get("k"))), Some(1));
    assert_eq!(value(wire, first.read(Request::get("k"))), Some(2));
    assert_eq!(wire.ask(first.read(Request::get("k"))).about.version, None);
    assert_eq!(wire.code(Request::get("new")), 2);
    assert_eq!(value(wire, first.read(Request::get("new"))), Some(3));
    // The lock comes before everything else, also before a missing record.
    for request in [
        Request::put("k", 9),
        Request::put("new", 9).info3(info3::UPDATE_ONLY),
        Request::delete("k").info2(info2::DURABLE_DELETE),
        second.write(Request::put("k", 9)),
        Request::touch("k").generation(77).info2(info2::GENERATION),
    ] {
        assert_eq!(wire.code(request), 120);
    }
    assert_eq!(count(wire, "mrt_provisionals"), 2);
    assert_eq!((first.roll(wire, "k", true), first.roll(wire, "new", true)), (0, 0));
    assert_eq!(
        (value(wire, Request::get("k")), value(wire, Request::get("new"))),
        (Some(2), Some(3))
    );
    assert_eq!((first.close(wire), first.close(wire), second.close(wire)), (0, 2, 0));
    assert_eq!((count(wire, "mrt_provisionals"), count(wire, "mrt_monitors")), (0, 0));
    assert_eq!(wire.code(Request::put("k", 9)), 0);
}

#[test]
fn rolling_back_leaves_records_as_they_were() {
    let cluster = strong(1);
    let wire = &mut Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    let before = wire.ask(Request::get("k"));
    let txn = Txn::open(wire, 7, 0, &["k", "new", "gone"]);
    assert_eq!(wire.code(Request::put("gone", 4)), 0);
    assert_eq!(wire.code(txn.write(Request::put("k", 2))), 0);
    assert_eq!(wire.code(txn.write(Request::put("k", 3))), 0);
    assert_eq!(wire.code(txn.write(Request::put("new", 3))), 0);
    let delete = Request::delete("gone").info2(info2::DURABLE_DELETE);
    assert_eq!(wire.code(txn.write(delete)), 0);
    assert_eq!(wire.code(txn.read(Request::get("gone"))), 2);
    assert_eq!(value(wire, Request::get("gone")), Some(4));
    for key in ["k", "new", "gone", "never"] {
        assert_eq!(txn.roll(wire, key, false), 0);
    }
    assert_eq!(wire.ask(Request::get("k")), before);
    assert_eq!((wire.code(Request::get("new")), wire.code(Request::get("gone"))), (2, 0));
}

#[test]
fn a_deletion_takes_effect_when_it_is_rolled_forward() {
    let cluster = strong(1);
    let wire = &mut Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    assert_eq!(wire.code(Request::delete("k")), 22, "it must be durable");
    let txn = Txn::open(wire, 7, 0, &["k"]);
    assert_eq!(wire.code(txn.write(Request::delete("k").info2(info2::DURABLE_DELETE))), 0);
    assert_eq!(wire.code(Request::get("k")), 0);
    assert_eq!((txn.roll(wire, "k", true), wire.code(Request::get("k"))), (0, 2));
}

#[test]
fn versions_tell_of_every_change() {
    let cluster = strong(1);
    let wire = &mut Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    let txn = Txn::open(wire, 7, 0, &["k", "new"]);
    let version = |wire: &mut Wire, request| wire.ask(request).about.version.expect("a version");
    let read = version(wire, txn.read(Request::get("k")));
    assert_eq!(version(wire, txn.read(Request::head("k"))), read);
    let missing = version(wire, txn.read(Request::get("new")));
    // A write that does not write tells the version, too.
    let late = txn.write(Request::put("k", 2).generation(77).info2(info2::GENERATION));
    let reply = wire.ask(late);
    assert_eq!((reply.code(), reply.about.version), (3, Some(read)));
    assert_eq!((verify(wire, "k", read), verify(wire, "new", missing)), (0, 0));
    assert_eq!(verify(wire, "k", Version([9; 7])), 121);
    // Removed and written anew, the record may have its old generation.
    assert_eq!(wire.code(Request::delete("k").info2(info2::DURABLE_DELETE)), 0);
    assert_eq!(verify(wire, "k", read), 121);
    assert_eq!(wire.code(Request::put("k", 5)), 0);
    assert_eq!(wire.code(Request::put("new", 5)), 0);
    assert_eq!((verify(wire, "k", read), verify(wire, "new", missing)), (121, 121));
    let stale = |request: Request| request.field(field::RECORD_VERSION, &read.0);
    assert_eq!(wire.code(stale(txn.write(Request::put("k", 2)))), 121);
    assert_eq!(wire.code(stale(txn.read(Request::get("k")))), 121);
    assert_eq!(count(wire, "mrt_provisionals"), 0);
    let other = Txn::open(wire, 8, 0, &["k"]);
    let now = version(wire, txn.read(Request::get("k")));
    assert_eq!(wire.code(other.write(Request::put("k", 6))), 0);
    assert_eq!(verify(wire, "k", now), 120, "another transaction has written it");
    assert_eq!((other.roll(wire, "k", false), verify(wire, "k", now)), (0, 0));
}

#[test]
fn monitors_have_a_state() {
    let cluster = strong(1);
    let wire = &mut Wire::to(&cluster, 0);
    let monitor = transaction::monitor(7);
    let add = |create, keys: &[Digest]| transaction::add_records("test", 7, create, 0, keys);
    let one = [record("k")];
    assert_eq!(ask(wire, add(false, &one), &monitor).code(), 122, "there is none");
    let none = Txn { id: 7, deadline: u32::MAX };
    assert_eq!((none.mark(wire), none.close(wire)), (122, 2));
    assert_eq!(wire.code(none.write(Request::put("k", 1))), 122);
    let txn = Txn::open(wire, 7, 0, &["k"]);
    assert_eq!(ask(wire, add(true, &one), &monitor).code(), 127);
    let again = ask(wire, add(false, &one), &monitor);
    assert_eq!((again.code(), again.about.deadline), (0, Some(txn.deadline)));
    let many: Vec<_> = (0..4095).map(|n| digest(SET, &UserKey::Int(n))).collect();
    assert_eq!(ask(wire, add(false, &many), &monitor).code(), 0, "4096 with the first");
    assert_eq!(ask(wire, add(false, &[record("more")]), &monitor).code(), 123);
    assert_eq!(ask(wire, add(false, &many), &monitor).code(), 0, "all there already");
    assert_eq!((txn.mark(wire), txn.mark(wire)), (0, 124));
    assert_eq!(ask(wire, add(false, &one), &monitor).code(), 122, "it is over");
    assert_eq!(wire.code(txn.write(Request::put("k", 1))), 122);
    let late = transaction::add_records("test", 8, true, 121, &one);
    assert_eq!(ask(wire, late, &transaction::monitor(8)).code(), 4);
}

#[test]
fn a_second_write_can_tell_that_the_first_arrived() {
    let cluster = strong(1);
    let wire = &mut Wire::to(&cluster, 0);
    let txn = Txn::open(wire, 7, 0, &["k"]);
    let put = || txn.write(Request::put("k", 1)).info4(info4::LOCKING_ONLY);
    assert_eq!((wire.code(put()), wire.code(put())), (0, 126));
    assert_eq!(wire.code(put().info2(info2::CREATE_ONLY)), 5);
}

#[test]
fn abandoned_transactions_end_by_themselves() {
    let cluster = strong(2);
    let wire = &mut Wire::to(&cluster, 0);
    for key in ["a", "b"] {
        assert_eq!(wire.code(Request::put(key, 1)), 0);
    }
    let (back, forward) = (Txn::open(wire, 7, 1, &["a"]), Txn::open(wire, 8, 1, &["b"]));
    assert_eq!(wire.code(back.write(Request::put("a", 2))), 0);
    assert_eq!(wire.code(forward.write(Request::put("b", 2))), 0);
    assert_eq!(forward.mark(wire), 0);
    let other = &mut Wire::to(&cluster, 1);
    eventually("both are over", || {
        ["mrt_provisionals", "mrt_monitors"]
            .iter()
            .all(|name| count(wire, name) + count(other, name) == 0)
    });
    assert_eq!(
        (value(wire, Request::get("a")), value(wire, Request::get("b"))),
        (Some(1), Some(2))
    );
    assert_eq!(wire.code(back.write(Request::put("a", 3))), 122);
    assert_eq!((back.mark(wire), back.close(wire)), (122, 2));
}

#[test]
fn locks_outlive_a_node() {
    let cluster = strong(3);
    let wire = &mut Wire::to(&cluster, 0);
    let txn = Txn::open(wire, 7, 0, &["k"]);
    assert_eq!(wire.code(txn.write(Request::put("k", 1))), 0);
    cluster.kill(1).unwrap();
    assert!(cluster.wait_settled(wire::LONG));
    cluster.restart(1).unwrap();
    assert!(cluster.wait_settled(wire::LONG));
    cluster.kill(2).unwrap();
    assert_eq!(wire.code(Request::put("k", 9)), 120);
    assert_eq!((txn.mark(wire), txn.roll(wire, "k", true)), (0, 0));
    assert_eq!(value(wire, Request::get("k")), Some(1));
}

#[test]
fn namespaces_without_strong_consistency_have_no_transactions() {
    let options = Options { edition: Edition::Enterprise, ..Options::default() };
    let cluster = Cluster::start(options).unwrap();
    let wire = &mut Wire::to(&cluster, 0);
    let txn = Txn { id: 7, deadline: u32::MAX };
    assert_eq!(wire.code(txn.read(Request::get("k"))), 16);
    assert_eq!(wire.code(txn.write(Request::put("k", 1))), 16);
    assert_eq!((txn.mark(wire), txn.roll(wire, "k", true)), (16, 16));
    assert_eq!(verify(wire, "k", Version([1; 7])), 16);
    assert!(wire.info("release").starts_with("edition=Aerospike Enterprise Edition;"));
    assert!(wire.info("replicas").starts_with("test:0,"));
}

/// As a Community Edition 8.1.2 answers.
#[test]
fn the_community_edition_has_no_transactions() {
    let cluster = wire::cluster(1);
    let wire = &mut Wire::to(&cluster, 0);
    let txn = Txn { id: 7, deadline: u32::MAX };
    assert_eq!(wire.code(txn.read(Request::get("k"))), 25);
    assert_eq!(wire.code(Request::get("k").field(field::TRANSACTION, b"short")), 25);
    assert_eq!(wire.code(txn.write(Request::put("k", 1))), 25);
    assert_eq!((txn.roll(wire, "k", true), txn.roll(wire, "k", false)), (25, 25));
    assert_eq!(verify(wire, "k", Version([1; 7])), 25);
    // Without an id, the rest is ignored.
    let put = || Request::put("k", 1).info4(info4::LOCKING_ONLY).field(field::DEADLINE, &[1; 4]);
    assert_eq!((wire.code(put()), wire.code(put())), (0, 0));
    // Its monitors are records like others.
    let kind = transaction::add_records("test", 7, true, 0, &[record("k")]);
    let reply = ask(wire, kind, &transaction::monitor(7));
    assert_eq!((reply.code(), reply.about.deadline, txn.mark(wire)), (0, None, 0));
    assert_eq!(txn.close(wire), 25);
}

#[test]
fn strong_consistency_needs_the_enterprise_edition() {
    let namespace = NamespaceOptions { strong_consistency: true, ..NamespaceOptions::default() };
    let error = Cluster::start(Options { namespaces: vec![namespace], ..Options::default() });
    let error = error.unwrap_err().to_string();
    assert_eq!(error, "namespace \"test\": strong_consistency needs edition 'enterprise'");
    let cluster = strong(1);
    let wire = &mut Wire::to(&cluster, 0);
    assert!(wire.info("replicas").starts_with("test:1,"));
    assert!(wire.info("namespace/test").contains("strong-consistency=true"));
    // Ordinary commands need no transaction.
    let modes = info3::SC_READ_TYPE;
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    assert_eq!(wire.ask(Request::get("k").info3(modes)).bins, [ResultBin::int(op::READ, "a", 1)]);
}

/// A namespace of servers with `strong-consistency-allow-expunge`.
#[test]
fn deletions_need_no_durability_where_that_is_allowed() {
    let allowing = NamespaceOptions {
        strong_consistency: true,
        strong_consistency_allow_expunge: true,
        ..NamespaceOptions::default()
    };
    let options = |namespace: &NamespaceOptions| Options {
        edition: Edition::Enterprise,
        namespaces: vec![namespace.clone()],
        ..Options::default()
    };
    let remove = || Request::write("k").op(op::DELETE, "", 0, b"");
    for (namespace, code) in [
        (allowing.clone(), 0),
        (NamespaceOptions { strong_consistency_allow_expunge: false, ..allowing.clone() }, 22),
    ] {
        let cluster = Cluster::start(options(&namespace)).unwrap();
        let wire = &mut Wire::to(&cluster, 0);
        for request in [Request::delete("k"), remove()] {
            assert_eq!(wire.code(Request::put("k", 1)), 0);
            assert_eq!(wire.code(request), code);
        }
        assert_eq!(wire.code(Request::put("k", 1)), 0);
        assert_eq!(wire.code(Request::delete("k").info2(info2::DURABLE_DELETE)), 0);
        let setting = format!("strong-consistency-allow-expunge={}", code == 0);
        assert!(wire.info("namespace/test").contains(&setting));
    }
    let weak = NamespaceOptions { strong_consistency: false, ..allowing };
    let error = Cluster::start(options(&weak)).unwrap_err().to_string();
    assert_eq!(
        error,
        "namespace \"test\": strong_consistency_allow_expunge needs strong_consistency"
    );
}
