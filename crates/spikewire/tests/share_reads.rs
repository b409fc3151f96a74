//! Identical reads that share a request, by threads and as futures.

mod support;

use std::thread;
use std::time::Duration;

use futures::executor::block_on;
use futures::future::join_all;
use spikewire::{CallOptions, Client, Kind, ReadMode, ShareReads};
use spikewire_aerospike_server::{Cluster, Faults};

use support::{builder, cluster};

const CALLERS: usize = 16;

/// Every reply takes long enough for calls that are made together to meet.
fn hold(cluster: &Cluster) {
    let faults = Faults { delay: Duration::from_millis(500), ..Faults::default() };
    cluster.inject(0, faults).unwrap();
}

fn connected(cluster: &Cluster, share: ShareReads) -> Client {
    builder().share_reads(share).connect(cluster.seeds()).unwrap()
}

#[test]
fn threads_share_requests() {
    let cluster = cluster(1);
    let client = connected(&cluster, ShareReads::InFlight);
    let users = client.dataset("test", "demo").unwrap();
    users.put("hot", [("n", 7)]).unwrap();
    hold(&cluster);
    let before = cluster.stats(0).unwrap().counters.requests;
    thread::scope(|scope| {
        let read = || users.get("hot").unwrap().unwrap().get("n").cloned();
        let callers: Vec<_> = (0..CALLERS).map(|_| scope.spawn(read)).collect();
        for caller in callers {
            assert_eq!(caller.join().unwrap(), Some(7.into()));
        }
    });
    let shared = client.stats().reads_shared;
    let requests = cluster.stats(0).unwrap().counters.requests - before;
    assert!(shared > 0);
    assert_eq!(requests + shared, CALLERS as u64);
    let apart = users.with(CallOptions::new().share_reads(ShareReads::Off));
    apart.get("hot").unwrap();
    assert_eq!(client.stats().reads_shared, shared);
}

#[test]
fn futures_share_requests() {
    let cluster = cluster(1);
    let client = block_on(builder().connect_async(cluster.seeds())).unwrap();
    let users = client.dataset("test", "demo").unwrap();
    block_on(users.put("hot", [("n", 7)])).unwrap();
    hold(&cluster);
    let hot = users.with(CallOptions::new().share_reads(ShareReads::InFlight));
    let records = block_on(join_all((0..CALLERS).map(|_| hot.get("hot"))));
    for record in records {
        assert_eq!(record.unwrap().unwrap().get("n"), Some(&7.into()));
    }
    assert_eq!(client.stats().reads_shared, CALLERS as u64 - 1);
}

#[test]
fn a_read_that_must_be_current_does_not_share_what_is_on_its_way() {
    let cluster = cluster(1);
    let both = "share_reads 'in_flight' cannot be combined with read_mode 'linearize'";
    let error = builder()
        .share_reads(ShareReads::InFlight)
        .read_mode(ReadMode::Linearize)
        .connect(cluster.seeds())
        .unwrap_err();
    assert!(error.kind() == Kind::Invalid && error.message().starts_with(both), "{error}");
    let client = connected(&cluster, ShareReads::InFlight);
    let users = client.dataset("test", "demo").unwrap();
    let current = users.with(CallOptions::new().read_mode(ReadMode::Linearize));
    let error = current.get("hot").unwrap_err();
    assert!(error.kind() == Kind::Invalid && error.message().starts_with(both), "{error}");
    let unsent = CallOptions::new().read_mode(ReadMode::Session).share_reads(ShareReads::Unsent);
    assert!(users.with(unsent).get("hot").unwrap().is_none());
}
