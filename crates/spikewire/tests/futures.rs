//! Many concurrent commands: futures and threads, dropped, closed.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures::executor::block_on;
use futures::future::{FutureExt as _, join_all, select};
use spikewire::{AsyncDataset, Kind};
use spikewire_aerospike_server::Faults;

use support::{async_clients, async_dataset, builder, cluster, dataset, eventually, kind};

fn slow() -> Faults {
    Faults { delay: Duration::from_secs(1), ..Faults::default() }
}

/// Delays replies for longer than a test runs.
fn stuck() -> Faults {
    Faults { delay: Duration::from_secs(120), ..Faults::default() }
}

#[test]
fn ten_thousand_futures_complete_together() {
    let cluster = cluster(3);
    for client in async_clients(&cluster) {
        let users = async_dataset(&client);
        let writes = (0..10_000_i64).map(|key| users.put(key, [("n", key)]));
        for written in block_on(join_all(writes)) {
            written.unwrap();
        }
        let reads = (0..10_000_i64).map(|key| users.get(key).map(move |record| (key, record)));
        for (key, record) in block_on(join_all(reads)) {
            assert_eq!(record.unwrap().unwrap().get("n"), Some(&key.into()));
        }
    }
}

#[test]
fn tasks_on_many_threads_share_a_client() {
    let cluster = cluster(3);
    for client in async_clients(&cluster) {
        let users = async_dataset(&client);
        let work = |users: AsyncDataset| async move {
            for _ in 0..50 {
                users.add("counter", [("n", 1)]).await?;
            }
            spikewire::Result::Ok(())
        };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                let tasks = (0..16).map(|_| work(users.clone()));
                scope.spawn(move || {
                    for done in block_on(join_all(tasks)) {
                        done.unwrap();
                    }
                });
            }
        });
        let record = block_on(users.get("counter")).unwrap().unwrap();
        assert_eq!(record.get("n"), Some(&(8 * 16 * 50).into()));
        assert!(block_on(users.delete("counter")).unwrap());
    }
}

#[test]
fn threads_share_a_blocking_client() {
    let cluster = cluster(3);
    let users = dataset(&cluster);
    std::thread::scope(|scope| {
        for thread in 0..32_i64 {
            let users = users.clone();
            scope.spawn(move || {
                for round in 0..200_i64 {
                    users.put(thread, [("n", round)]).unwrap();
                    users.add("counter", [("n", 1)]).unwrap();
                    let record = users.get(thread).unwrap().unwrap();
                    assert_eq!(record.get("n"), Some(&round.into()));
                }
            });
        }
    });
    assert_eq!(users.get("counter").unwrap().unwrap().get("n"), Some(&(32 * 200).into()));
}

/// Counts wake-ups.
#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, SeqCst);
    }
}

#[test]
fn a_future_that_is_not_polled_sends_nothing() {
    let cluster = cluster(1);
    for client in async_clients(&cluster) {
        let users = async_dataset(&client);
        drop(users.put("unsent", [("n", 1)]));
        let pending = users.put("unsent", [("n", 1)]);
        assert!(!block_on(users.exists("unsent")).unwrap());
        block_on(pending).unwrap();
        assert!(block_on(users.delete("unsent")).unwrap());
    }
}

#[test]
fn dropping_futures_in_flight_harms_nobody() {
    let cluster = cluster(2);
    for client in async_clients(&cluster) {
        let users = async_dataset(&client);
        (0..2).for_each(|node| cluster.inject(node, slow()).unwrap());
        let count = Arc::new(Count::default());
        let waker = Waker::from(count.clone());
        let writes = || (0..2).map(|node| cluster.stats(node).unwrap().counters.writes).sum();
        let earlier: u64 = writes();
        let mut futures: Vec<_> =
            (0..1000_i64).map(|key| Box::pin(users.put(key, [("n", key)]))).collect();
        for future in &mut futures {
            assert!(future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        }
        // One that is dropped before its request is sent is not executed.
        eventually("all are executed", || writes() >= earlier + 1000);
        drop(futures);
        // None, unless this took longer than the replies.
        let woken = count.0.load(SeqCst);
        let pending = (0..100_i64).map(|key| users.get(key).map(move |record| (key, record)));
        for (key, record) in block_on(join_all(pending)) {
            assert_eq!(record.unwrap().unwrap().get("n"), Some(&key.into()));
        }
        assert_eq!(count.0.load(SeqCst), woken, "nobody wakes for a future that is gone");
        (0..2).for_each(|node| cluster.clear_faults(node).unwrap());
        let outcome = block_on(select(users.get(1), users.get(2))).factor_first().0;
        assert!(outcome.unwrap().is_some());
        block_on(join_all((0..1000_i64).map(|key| users.delete(key))));
    }
}

#[test]
fn a_future_wakes_the_task_that_polled_it_last() {
    let cluster = cluster(1);
    for client in async_clients(&cluster) {
        let users = async_dataset(&client);
        cluster.inject(0, slow()).unwrap();
        let (first, second) = (Arc::new(Count::default()), Arc::new(Count::default()));
        let mut future = Box::pin(users.exists(1));
        for count in [&first, &second] {
            let waker = Waker::from(count.clone());
            assert!(future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        }
        eventually("the answer", || second.0.load(SeqCst) == 1);
        assert_eq!(first.0.load(SeqCst), 0);
        let mut context = Context::from_waker(Waker::noop());
        assert!(matches!(future.as_mut().poll(&mut context), Poll::Ready(Ok(_))));
        cluster.clear_faults(0).unwrap();
    }
}

#[test]
fn closing_fails_what_waits_and_what_comes() {
    let cluster = cluster(2);
    for client in async_clients(&cluster) {
        let users = async_dataset(&client);
        block_on(users.put(1, [("n", 1)])).unwrap();
        (0..2).for_each(|node| cluster.inject(node, stuck()).unwrap());
        let mut waiting = Box::pin(join_all((0..100).map(|key| users.get(key))));
        let polled = waiting.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_pending());
        client.close();
        for outcome in block_on(waiting) {
            assert_eq!(kind(outcome), Kind::Closed);
        }
        assert_eq!(kind(block_on(users.get(1))), Kind::Closed);
        client.close();
        (0..2).for_each(|node| cluster.clear_faults(node).unwrap());
    }
}

#[test]
fn closing_the_blocking_client_fails_what_waits_and_what_comes() {
    let cluster = cluster(2);
    let client = builder().connect(cluster.seeds()).unwrap();
    let users = client.dataset("test", "demo").unwrap();
    users.put(1, [("n", 1)]).unwrap();
    (0..2).for_each(|node| cluster.inject(node, stuck()).unwrap());
    std::thread::scope(|scope| {
        let waiting: Vec<_> = (0..8)
            .map(|key| {
                let users = users.clone();
                scope.spawn(move || users.get(key))
            })
            .collect();
        // Not what the nodes have read: a request may wait in the client for the reply before it.
        eventually("all wait", || client.stats().in_flight == 8);
        client.close();
        for thread in waiting {
            let kind = kind(thread.join().unwrap());
            assert!(matches!(kind, Kind::Closed | Kind::Connection), "{kind:?}");
        }
    });
    assert_eq!(kind(users.get(1)), Kind::Closed);
    assert_eq!(kind(users.put(1, [("n", 1)])), Kind::Closed);
}

#[test]
fn futures_and_datasets_keep_the_connections() {
    let cluster = cluster(2);
    for client in async_clients(&cluster) {
        let users = async_dataset(&client);
        drop(client);
        block_on(users.put(1, [("n", 1)])).unwrap();
        let last = users.get(1);
        drop(users);
        assert!(block_on(last).unwrap().is_some());
    }
    let users = dataset(&cluster);
    assert!(users.get(1).unwrap().is_some());
}

/// The number of threads of this process with this name.
#[cfg(target_os = "linux")]
fn threads_named(name: &str) -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").expect("Linux has it");
    let names =
        tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    names.filter(|thread| thread.trim_end() == name).count()
}

#[test]
#[cfg(target_os = "linux")]
fn administrative_commands_need_no_threads() {
    let cluster = cluster(2);
    for client in async_clients(&cluster) {
        let indexes = client.indexes();
        // None of them will ever be ready: each polls all nodes repeatedly.
        let mut waiting: Vec<_> = (0..32)
            .map(|n| Box::pin(indexes.wait("test", &format!("index{n}"), Duration::ZERO)))
            .collect();
        let mut list = Box::pin(client.modules().list());
        block_on(std::future::poll_fn(|context| {
            for wait in &mut waiting {
                assert!(wait.poll_unpin(context).is_pending());
            }
            list.poll_unpin(context).map(|listed| assert_eq!(listed.unwrap(), []))
        }));
        // Other tests that connect at the same time have one thread each.
        assert!(threads_named("spikewire-start") < 16);
        drop(waiting);
        client.close();
        assert_eq!(block_on(client.modules().list()).unwrap_err().kind(), Kind::Closed);
    }
}

#[test]
fn closing_ends_administrative_commands() {
    let cluster = cluster(2);
    for client in async_clients(&cluster) {
        let wait = client.indexes().wait("test", "never", Duration::ZERO);
        let close = {
            let client = client.clone();
            std::thread::spawn(move || {
                // The pace of the test: the wait has probably begun, and nothing tells when.
                std::thread::sleep(Duration::from_millis(50));
                client.close();
            })
        };
        assert_eq!(block_on(wait).unwrap_err().kind(), Kind::Closed);
        close.join().unwrap();
    }
}
