//! Connections on tokio runtimes, with one thread and with several.

mod support;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use futures::executor::block_on;
use futures::future::{FutureExt as _, join_all};
use futures::{StreamExt as _, TryStreamExt as _};
use spikewire::{AsyncClient, AsyncDataset, CallOptions, Kind, Value, op};
use spikewire_aerospike_server::{Cluster, Faults};
use tokio::runtime::{Builder, Runtime};

use support::{LONG, async_dataset, builder, cluster, eventually, kind};

fn runtimes() -> [Runtime; 2] {
    [
        Builder::new_current_thread().enable_all().build().expect("a runtime"),
        Builder::new_multi_thread().worker_threads(3).enable_all().build().expect("a runtime"),
    ]
}

async fn client(cluster: &Cluster) -> AsyncClient {
    builder().connect_tokio(cluster.seeds()).await.expect("the cluster is there")
}

fn slow() -> Faults {
    Faults { delay: Duration::from_secs(3), ..Faults::default() }
}

/// Delays replies for longer than a test runs.
fn stuck() -> Faults {
    Faults { delay: Duration::from_secs(120), ..Faults::default() }
}

#[test]
fn ten_thousand_tasks_share_a_client() {
    let cluster = cluster(3);
    for runtime in runtimes() {
        runtime.block_on(async {
            let users = async_dataset(&client(&cluster).await);
            let work = |users: AsyncDataset, key: i64| async move {
                users.put(key, [("n", key)]).await?;
                users.get(key).await
            };
            let tasks: Vec<_> =
                (0..10_000).map(|key| tokio::spawn(work(users.clone(), key))).collect();
            for (key, task) in (0..10_000_i64).zip(tasks) {
                let record = task.await.unwrap().unwrap().unwrap();
                assert_eq!(record.get("n"), Some(&key.into()));
            }
        });
    }
}

/// Keeps a client open, and releases it when woken.
struct LetsGo<T>(std::sync::Mutex<Option<T>>);

impl<T: Send + 'static> std::task::Wake for LetsGo<T> {
    fn wake(self: std::sync::Arc<Self>) {
        let held = self.0.lock().unwrap().take();
        drop(held);
    }
}

#[test]
fn the_last_handle_may_go_while_outcomes_are_handed_out() {
    for many in [false, true] {
        let cluster = cluster(1);
        let (done, ended) = std::sync::mpsc::channel();
        let seeds = cluster.seeds();
        cluster.inject(0, slow()).unwrap();
        std::thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let client = builder().connect_tokio(seeds).await.expect("the cluster is there");
                let users = async_dataset(&client);
                let mut waiting = if many {
                    users.get_many(0..100).map(|_| ()).boxed()
                } else {
                    users.get(1).map(|_| ()).boxed()
                };
                drop((client, users));
                let held = std::sync::Arc::new(LetsGo(std::sync::Mutex::new(None)));
                let waker = held.clone().into();
                assert!(
                    waiting.poll_unpin(&mut std::task::Context::from_waker(&waker)).is_pending()
                );
                *held.0.lock().unwrap() = Some(waiting);
                while held.0.lock().unwrap().is_some() {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            });
            let _ = done.send(());
        });
        ended.recv_timeout(LONG).expect("it hangs");
    }
}

#[test]
fn sequential_calls_succeed() {
    let cluster = cluster(2);
    for runtime in runtimes() {
        runtime.block_on(async {
            let users = async_dataset(&client(&cluster).await);
            for key in 0..500_i64 {
                users.put(key, [("n", key)]).await.unwrap();
                assert_eq!(users.get(key).await.unwrap().unwrap().get("n"), Some(&key.into()));
            }
        });
    }
}

#[test]
fn deadlines_hold_and_later_calls_are_fine() {
    let cluster = cluster(2);
    for runtime in runtimes() {
        runtime.block_on(async {
            let users = async_dataset(&client(&cluster).await);
            users.put(1, [("n", 1)]).await.unwrap();
            (0..2).for_each(|node| cluster.inject(node, slow()).unwrap());
            let hasty = users.with(CallOptions::new().timeout(Duration::from_millis(500)));
            for _ in 0..2 {
                let start = Instant::now();
                let error = hasty.put(1, [("n", 2)]).await.unwrap_err();
                let took = start.elapsed();
                assert_eq!((error.kind(), error.in_doubt()), (Kind::Timeout, true));
                assert!(took >= Duration::from_millis(500) && took < LONG / 4, "{took:?}");
                // Long enough that the timer is idle in between.
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
            (0..2).for_each(|node| cluster.clear_faults(node).unwrap());
            assert_eq!(users.get(1).await.unwrap().unwrap().get("n"), Some(&2.into()));
        });
    }
}

#[test]
fn a_connection_cut_in_a_reply_is_an_error_of_its_own() {
    let cluster = cluster(1);
    for runtime in runtimes() {
        runtime.block_on(async {
            let users = async_dataset(&client(&cluster).await);
            users.put(1, [("n", 1)]).await.unwrap();
            cluster.inject(0, Faults { cut: 1.0, ..Faults::default() }).unwrap();
            for _ in 0..5 {
                let error = users.put(1, [("n", 2)]).await.unwrap_err();
                assert_eq!((error.kind(), error.in_doubt()), (Kind::Connection, true));
            }
            cluster.clear_faults(0).unwrap();
            assert!(users.get(1).await.unwrap().is_some());
        });
    }
}

#[test]
fn a_node_dies_and_returns() {
    let cluster = cluster(3);
    for runtime in runtimes() {
        runtime.block_on(async {
            let connecting = builder().tend_interval(Duration::from_millis(100));
            let users = connecting.connect_tokio(cluster.seeds()).await.unwrap();
            let users = async_dataset(&users);
            for key in 0..100_i64 {
                users.put(key, [("n", key)]).await.unwrap();
            }
            let read_all = async || {
                let start = Instant::now();
                for key in (0..100_i64).cycle().take(300) {
                    while let Err(error) = users.get(key).await {
                        assert_ne!(error.kind(), Kind::Timeout, "{error}");
                        assert!(start.elapsed() < LONG, "{error}");
                    }
                }
            };
            cluster.kill(1).unwrap();
            read_all().await;
            assert!(cluster.wait_settled(LONG));
            cluster.restart(1).unwrap();
            read_all().await;
            assert!(cluster.wait_settled(LONG));
        });
    }
}

#[test]
fn closing_fails_what_waits_and_what_comes() {
    let cluster = cluster(2);
    for runtime in runtimes() {
        runtime.block_on(async {
            let client = client(&cluster).await;
            let users = async_dataset(&client);
            users.put(1, [("n", 1)]).await.unwrap();
            (0..2).for_each(|node| cluster.inject(node, stuck()).unwrap());
            let mut waiting = Box::pin(join_all((0..100).map(|key| users.get(key))));
            assert!(waiting.as_mut().now_or_never().is_none());
            tokio::time::sleep(Duration::from_millis(50)).await;
            client.close();
            for outcome in waiting.await {
                assert_eq!(kind(outcome), Kind::Closed);
            }
            assert_eq!(kind(users.get(1).await), Kind::Closed);
            client.close();
            (0..2).for_each(|node| cluster.clear_faults(node).unwrap());
        });
    }
}

async fn filled(cluster: &Cluster) -> AsyncClient {
    let client = client(cluster).await;
    let users = async_dataset(&client);
    let row = |n: i64| (n, [("n", Value::Int(n)), ("filler", vec![7; 1000].into())]);
    users.put_many((0..2000).map(row)).await.unwrap().check().unwrap();
    client
}

#[test]
fn queries_do_not_starve_other_tasks() {
    let cluster = cluster(3);
    for runtime in runtimes() {
        runtime.block_on(async {
            let client = filled(&cluster).await;
            let scans = (0..4).map(|_| {
                let records = client.query("test", "demo").records().unwrap();
                tokio::spawn(records.map(|record| record.unwrap().digest).collect::<HashSet<_>>())
            });
            let scans: Vec<_> = scans.collect();
            let users = async_dataset(&client);
            for key in 0..200_i64 {
                assert_eq!(users.get(key).await.unwrap().unwrap().get("n"), Some(&key.into()));
            }
            for scan in scans {
                assert_eq!(scan.await.unwrap().len(), 2000);
            }
            let pages: Vec<_> = users.query().pages(300).unwrap().try_collect().await.unwrap();
            assert_eq!(pages.len(), 7);
            assert_eq!(pages.iter().map(|page| page.records.len()).sum::<usize>(), 2000);
            let job = users.query().filter("$.n < 5").operate_all([op::add("n", 1)]);
            assert_eq!(job.await.unwrap().wait(LONG).await.unwrap().succeeded, 5);
        });
    }
}

#[test]
fn a_node_dies_during_a_query() {
    let cluster = cluster(3);
    assert!(cluster.wait_settled(LONG));
    for runtime in runtimes() {
        runtime.block_on(async {
            let client = filled(&cluster).await;
            let mut records = client.query("test", "demo").window(4096).records().unwrap();
            let mut seen = HashSet::new();
            while let Some(record) = records.next().await {
                assert!(seen.insert(record.unwrap().digest));
                if seen.len() == 100 {
                    cluster.kill(1).unwrap();
                }
            }
            assert_eq!(seen.len(), 2000);
            cluster.restart(1).unwrap();
            assert!(cluster.wait_settled(LONG));
        });
    }
}

#[test]
fn a_query_ends_with_its_runtime() {
    let cluster = cluster(2);
    for runtime in runtimes() {
        let client = runtime.block_on(filled(&cluster));
        let mut records = client.query("test", "demo").records().unwrap();
        // Outside the runtime, which must run for it: a single-threaded one does so only in
        // `block_on`.
        runtime.block_on(async { assert!(records.next().await.unwrap().is_ok()) });
        drop(runtime);
        let error = block_on(async {
            loop {
                match records.next().await {
                    Some(Ok(_)) => {}
                    Some(Err(error)) => break Some(error.kind()),
                    None => break None,
                }
            }
        });
        assert!(error.is_none_or(|kind| kind == Kind::Closed), "{error:?}");
        assert_eq!(kind(client.query("test", "demo").records()), Kind::Closed);
    }
}

#[test]
fn pending_calls_fail_when_the_runtime_ends() {
    let cluster = cluster(2);
    for runtime in runtimes() {
        let client = runtime.block_on(client(&cluster));
        let users = async_dataset(&client);
        (0..2).for_each(|node| cluster.inject(node, stuck()).unwrap());
        let mut waiting = Box::pin(users.get(1));
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(runtime);
        assert_eq!(kind(block_on(waiting)), Kind::Closed);
        assert_eq!(kind(block_on(users.get(1))), Kind::Closed);
        (0..2).for_each(|node| cluster.clear_faults(node).unwrap());
    }
}

#[test]
fn a_dropped_client_closes_its_connections() {
    let cluster = cluster(2);
    let connections = || (0..2).map(|at| cluster.stats(at).unwrap().connections).sum::<usize>();
    for runtime in runtimes() {
        runtime.block_on(async {
            let users = async_dataset(&client(&cluster).await);
            join_all((0..100).map(|key| users.get(key))).await;
            drop(users);
            // The driving task ends when the runtime polls it.
            tokio::time::sleep(Duration::from_millis(10)).await;
        });
        eventually("closing every connection", || connections() == 0);
    }
}

/// How many connections 100 calls, one after the other, open at the only node.
fn connections_opened(cluster: &Cluster, runtime: &Runtime, builder: spikewire::Builder) -> usize {
    let connections = || cluster.stats(0).unwrap().connections;
    runtime.block_on(async {
        let client = builder.connect_tokio(cluster.seeds()).await.expect("the cluster is there");
        let users = async_dataset(&client);
        let before = connections();
        for key in 0..100 {
            users.get(key).await.unwrap();
        }
        let opened = connections() - before;
        client.close();
        eventually("closing every connection", || connections() == 0);
        opened
    })
}

/// A single task that reads every reply would keep waking the other workers. But commands that wait
/// in line, as with a limit, wait in one line.
#[test]
fn every_worker_thread_has_connections() {
    let cluster = cluster(1);
    for (runtime, without_limit) in runtimes().iter().zip([1, 3]) {
        assert_eq!(connections_opened(&cluster, runtime, builder()), without_limit);
        assert_eq!(connections_opened(&cluster, runtime, builder().max_in_flight(100)), 1);
    }
}

#[test]
fn connecting_without_a_runtime_fails() {
    let cluster = cluster(1);
    let error = block_on(builder().connect_tokio(cluster.seeds())).unwrap_err();
    assert_eq!(error.kind(), Kind::Invalid);
    assert!(error.message().contains("tokio"), "{error}");
}
