//! The cache for hot keys, with both APIs.

mod support;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use futures::executor::block_on;
use spikewire::metrics::NearCacheStats;
use spikewire::{Builder, CallOptions, Key, ReadMode, ReplicaPolicy, Value, op};

use support::{builder, cluster, dataset, eventually};

/// Every key is hot, and nothing gets old.
fn always() -> Builder {
    let hour = Duration::from_secs(3600);
    builder().near_cache(1 << 20).near_cache_heat(0).near_cache_staleness(hour)
}

fn number(record: Option<spikewire::Record>) -> Option<Value> {
    record.and_then(|record| record.get("n").cloned())
}

fn numbers(stats: Option<NearCacheStats>) -> (u64, u64, usize) {
    stats.map(|stats| (stats.hits, stats.misses, stats.entries)).unwrap()
}

#[test]
fn reads_are_answered_and_own_writes_are_seen() {
    let cluster = cluster(2);
    let other = dataset(&cluster);
    let client = always().connect(cluster.seeds()).unwrap();
    let data = client.dataset("test", "demo").unwrap();
    other.put(1, [("n", 1)]).unwrap();
    let read = || {
        let named = data.get_bins(1, ["n"]).unwrap();
        let exists = data.exists(1).unwrap() && !data.exists(2).unwrap();
        (number(data.get(1).unwrap()), number(named), exists, number(data.get(2).unwrap()))
    };
    let first = read();
    assert_eq!(first, (Some(1.into()), Some(1.into()), true, None));
    assert_eq!(numbers(client.stats().near_cache), (0, 5, 5));
    other.put(1, [("n", 10)]).unwrap();
    assert_eq!(read(), first);
    assert_eq!(numbers(client.stats().near_cache), (5, 5, 5));
    let all = data.with(CallOptions::new().read_mode(ReadMode::All));
    assert_eq!(number(all.get(1).unwrap()), Some(10.into()));

    data.put(1, [("n", 2)]).unwrap();
    assert_eq!(number(data.get(1).unwrap()), Some(2.into()));
    data.operate(1, [op::add("n", 1)]).unwrap();
    assert_eq!(number(data.get(1).unwrap()), Some(3.into()));
    data.put_many([(1, [("n", 4)])]).unwrap().check().unwrap();
    assert_eq!(number(data.get(1).unwrap()), Some(4.into()));
    data.delete(1).unwrap();
    assert_eq!(number(data.get(1).unwrap()), None);
}

#[test]
fn futures_are_answered_and_yield() {
    let cluster = cluster(1);
    block_on(async {
        let client = always().connect_async(cluster.seeds()).await.unwrap();
        let data = client.dataset("test", "demo").unwrap();
        data.put(1, [("n", 1)]).await.unwrap();
        for _ in 0..100 {
            assert_eq!(number(data.get(1).await.unwrap()), Some(1.into()));
        }
        let (hits, misses, entries) = numbers(client.stats().near_cache);
        assert!(hits > 90 && hits + misses == 100 && entries == 1, "{hits} {misses} {entries}");
        data.delete(1).await.unwrap();
        assert_eq!(number(data.get(1).await.unwrap()), None);
    });
}

#[test]
fn changes_are_found_without_reading_what_has_not_changed() {
    let cluster = cluster(2);
    let other = dataset(&cluster);
    let client = always().near_cache_staleness(Duration::from_millis(200));
    let client = client.connect(cluster.seeds()).unwrap();
    let data = client.dataset("test", "demo").unwrap();
    for key in 0..10 {
        other.put(key, [("n", 1)]).unwrap();
    }
    eventually("revalidations", || {
        (0..10).for_each(|key| assert_eq!(number(data.get(key).unwrap()), Some(1.into())));
        client.stats().near_cache.unwrap().revalidations > 50
    });
    other.put(1, [("n", 2)]).unwrap();
    eventually("a change", || number(data.get(1).unwrap()) == Some(2.into()));
    // The same generation again.
    other.delete(2).unwrap();
    other.put(2, [("n", 5)]).unwrap();
    eventually("another record", || number(data.get(2).unwrap()) == Some(5.into()));
}

#[test]
fn no_read_after_an_own_write_sees_the_older_value() {
    let cluster = cluster(1);
    let client = always().connect(cluster.seeds()).unwrap();
    let data = client.dataset("test", "demo").unwrap();
    data.put(1, [("n", 0)]).unwrap();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Relaxed) {
                    data.get(1).unwrap();
                }
            });
        }
        for written in 1..2000 {
            data.put(1, [("n", written)]).unwrap();
            assert_eq!(number(data.get(1).unwrap()), Some(written.into()));
        }
        is_over.store(true, Relaxed);
    });
    let stats = client.stats().near_cache.unwrap();
    assert_eq!(stats.hot_keys.first().map(|key| key.digest), Some(data.digest(Key::from(1))));
}

#[test]
fn contradictions_are_refused() {
    for builder in [always().read_mode(ReadMode::Session), always().replica(ReplicaPolicy::Master)]
    {
        let error = builder.connect("127.0.0.1:1").unwrap_err();
        assert!(error.message().contains("near_cache and "), "{error}");
    }
}
