//! Expired records leave the memory by themselves, and a program ends on a signal.

mod wire;

use wire::{Request, Wire, cluster, eventually};

#[test]
fn expired_records_are_freed_on_every_copy() {
    let cluster = cluster(2);
    let mut wire = Wire::to(&cluster, 0);
    for at in 0..500 {
        let ttl = if at % 5 == 0 { u32::MAX } else { 4 };
        assert_eq!(wire.code(Request::put(&format!("k{at}"), at).ttl(ttl)), 0);
    }
    assert_eq!(cluster.stats(1).unwrap().objects, 500);
    for node in 0..2 {
        eventually("records are freed", || cluster.stats(node).unwrap().objects <= 100);
        assert_eq!(cluster.stats(node).unwrap().objects, 100);
    }
    for at in 0..500 {
        let gone = wire.ask(Request::get(&format!("k{at}"))).head();
        assert_eq!(gone, if at % 5 == 0 { (0, 1, 0) } else { (2, 0, 0) });
    }
}
