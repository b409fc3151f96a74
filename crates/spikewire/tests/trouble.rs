//! Deadlines, broken connections, nodes that fail and return.

mod support;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use futures::executor::block_on;
use futures::future::{join_all, join3};
use spikewire::{AsyncClient, CallOptions, Error, Kind, ResultCode};
use spikewire_aerospike_server::{Cluster, Drip, Faults, Refuse};

use support::{LONG, async_clients, async_dataset, builder, cluster, dataset, eventually, kind};

const SHORT: CallOptions = CallOptions::new().timeout(Duration::from_millis(500));

/// How late a deadline may be noticed on a loaded machine.
const LATE: Duration = Duration::from_secs(5);

fn inject_all(cluster: &Cluster, faults: &Faults) {
    (0..cluster.seeds().len()).for_each(|node| cluster.inject(node, faults.clone()).unwrap());
}

fn clear_all(cluster: &Cluster) {
    (0..cluster.seeds().len()).for_each(|node| cluster.clear_faults(node).unwrap());
}

fn slow() -> Faults {
    Faults { delay: Duration::from_secs(3), ..Faults::default() }
}

fn check_timeout(error: &Error, took: Duration, in_doubt: bool) {
    assert_eq!(error.kind(), Kind::Timeout, "{error}");
    // A write for a node that is silent already waits in the client.
    assert!(in_doubt || !error.in_doubt(), "{error}");
    assert!(took >= Duration::from_millis(500) && took < LATE, "{took:?}");
}

#[test]
fn a_deadline_holds_and_later_calls_are_fine() {
    let cluster = cluster(2);
    let users = dataset(&cluster);
    users.put(1, [("n", 1)]).unwrap();
    inject_all(&cluster, &slow());
    for _ in 0..3 {
        let start = Instant::now();
        let error = users.with(SHORT).get(1).unwrap_err();
        check_timeout(&error, start.elapsed(), false);
        let start = Instant::now();
        let error = users.with(SHORT).put(1, [("n", 2)]).unwrap_err();
        check_timeout(&error, start.elapsed(), true);
    }
    clear_all(&cluster);
    assert_eq!(users.get(1).unwrap().unwrap().get("n"), Some(&2.into()));
}

#[test]
fn deadlines_of_futures_hold_and_later_ones_are_fine() {
    let cluster = cluster(2);
    for client in async_clients(&cluster) {
        let users = async_dataset(&client);
        block_on(users.put(1, [("n", 1)])).unwrap();
        inject_all(&cluster, &slow());
        let start = Instant::now();
        let reads = (0..100).map(|key| users.with(SHORT).get(key));
        for outcome in block_on(join_all(reads)) {
            check_timeout(&outcome.unwrap_err(), start.elapsed(), false);
        }
        let start = Instant::now();
        let error = block_on(users.with(SHORT).put(1, [("n", 2)])).unwrap_err();
        check_timeout(&error, start.elapsed(), true);
        clear_all(&cluster);
        let record = block_on(users.get(1)).unwrap().unwrap();
        assert_eq!(record.get("n"), Some(&2.into()), "the write that timed out was carried out");
    }
}

#[test]
fn patient_neighbours_of_a_timed_out_command_get_their_answers() {
    let cluster = cluster(1);
    for client in async_clients(&cluster) {
        let users = async_dataset(&client);
        block_on(users.put(1, [("n", 1)])).unwrap();
        inject_all(&cluster, &slow());
        let hasty = users.with(SHORT).get(1);
        let (hasty, one, two) = block_on(join3(hasty, users.get(1), users.get(1)));
        assert_eq!(kind(hasty), Kind::Timeout);
        assert_eq!(one.unwrap().unwrap().get("n"), Some(&1.into()));
        assert_eq!(two.unwrap().unwrap().get("n"), Some(&1.into()));
        clear_all(&cluster);
    }
}

#[test]
fn replies_in_pieces_are_put_together() {
    let cluster = cluster(2);
    let users = dataset(&cluster);
    let text = "long ".repeat(40);
    users.put(1, [("text", &text)]).unwrap();
    let clients = async_clients(&cluster);
    let drip = Some(Drip { bytes: 7, every: Duration::from_millis(1) });
    inject_all(&cluster, &Faults { drip, ..Faults::default() });
    assert_eq!(users.get(1).unwrap().unwrap().get("text"), Some(&text.as_str().into()));
    for client in clients {
        let users = async_dataset(&client);
        for record in block_on(join_all((0..20).map(|_| users.get(1)))) {
            assert_eq!(record.unwrap().unwrap().get("text"), Some(&text.as_str().into()));
        }
    }
}

/// The timeout here is far longer than it may take to notice a broken connection: an error that
/// only arrives with the deadline fails the test.
fn check_cut(outcome: Result<(), Error>, in_doubt: bool, took: Duration) {
    let error = outcome.unwrap_err();
    assert_eq!(error.kind(), Kind::Connection, "{error}");
    assert_eq!(error.in_doubt(), in_doubt, "{error}");
    assert!(error.node().is_some());
    assert!(took < LATE, "{took:?}");
}

#[test]
fn an_error_has_the_one_of_the_operating_system_as_its_source() {
    let cluster = cluster(1);
    let client = builder().max_retries(0).connect(cluster.seeds()).unwrap();
    let users = client.dataset("test", "users").unwrap();
    users.put(1, [("n", 1)]).unwrap();
    cluster.kill(0).unwrap();
    // First the broken connection is noticed; then no other can be opened.
    eventually("a refused connection", || {
        let error = users.get(1).unwrap_err();
        let source = std::error::Error::source(&error);
        source.and_then(|source| source.downcast_ref()).is_some_and(|source: &std::io::Error| {
            assert_eq!(error.kind(), Kind::Connection);
            source.kind() == std::io::ErrorKind::ConnectionRefused
        })
    });
}

#[test]
fn a_connection_cut_in_a_reply_is_an_error_of_its_own() {
    let cluster = cluster(1);
    let users = dataset(&cluster);
    users.put(1, [("n", 1)]).unwrap();
    let clients = async_clients(&cluster);
    inject_all(&cluster, &Faults { cut: 1.0, ..Faults::default() });
    let start = Instant::now();
    check_cut(users.get(1).map(drop), false, start.elapsed());
    check_cut(users.put(1, [("n", 2)]), true, start.elapsed());
    for client in &clients {
        let users = async_dataset(client);
        for _ in 0..5 {
            let start = Instant::now();
            check_cut(block_on(users.get(1)).map(drop), false, start.elapsed());
            let start = Instant::now();
            check_cut(block_on(users.put(1, [("n", 2)])), true, start.elapsed());
        }
    }
    clear_all(&cluster);
    assert!(users.get(1).unwrap().is_some());
    for client in &clients {
        assert!(block_on(async_dataset(client).get(1)).unwrap().is_some());
    }
}

#[test]
fn reads_are_retried_on_another_node() {
    let cluster = cluster(2);
    assert!(cluster.wait_settled(LONG));
    // On a busy machine the other node may seem mute for a while.
    let client = builder()
        .max_error_rate(0)
        .retry_budget(None)
        .max_retries(50)
        .sleep_between_retries(Duration::from_millis(20));
    let users = client.clone().connect(cluster.seeds()).unwrap().dataset("test", "demo").unwrap();
    (0..100).for_each(|key| users.put(key, [("n", key)]).unwrap());
    for faults in [
        Faults { cut: 1.0, ..Faults::default() },
        Faults { refuse: Refuse::Close, cut: 1.0, ..Faults::default() },
        Faults { error: 1.0, code: ResultCode::DEVICE_OVERLOAD, ..Faults::default() },
    ] {
        // Every record is on both nodes, so each read can be answered by the other node.
        cluster.inject(0, faults.clone()).unwrap();
        for key in 0..100 {
            let record = users.get(key).unwrap_or_else(|error| panic!("{faults:?}: {error}"));
            assert_eq!(record.unwrap().get("n"), Some(&key.into()), "{faults:?}");
        }
        let client = block_on(client.clone().connect_async(cluster.seeds())).unwrap();
        let users = async_dataset(&client);
        for (key, record) in
            block_on(join_all((0..100).map(|key| users.get(key)))).iter().enumerate()
        {
            let record = record.as_ref().unwrap_or_else(|error| panic!("{faults:?}: {error}"));
            assert_eq!(record.as_ref().unwrap().get("n"), Some(&(key as i64).into()));
        }
        clear_all(&cluster);
    }
}

/// A read that another node rejected does not leave one that may only be slow.
#[test]
fn a_read_waits_for_a_slow_node_if_the_other_one_rejected_it() {
    let cluster = cluster(2);
    assert!(cluster.wait_settled(LONG));
    let client = builder().max_error_rate(0).retry_budget(None).max_retries(2);
    let users = client.connect(cluster.seeds()).unwrap().dataset("test", "demo").unwrap();
    (0..50).for_each(|key| users.put(key, [("n", key)]).unwrap());
    let code = ResultCode::DEVICE_OVERLOAD;
    cluster.inject(0, Faults { error: 1.0, code, ..Faults::default() }).unwrap();
    // One whose first attempt is at that node.
    let once = users.with(CallOptions::new().max_retries(0));
    let key = (0..50).find(|key| once.get(*key).is_err()).unwrap();
    cluster.inject(1, Faults { delay: Duration::from_millis(800), ..Faults::default() }).unwrap();
    assert_eq!(users.get(key).unwrap().unwrap().get("n"), Some(&key.into()));
}

/// Runs while a node is killed and restarted: no read may fail or miss a record for longer than it
/// takes to notice, and afterwards everything works without a single error.
fn survives(cluster: &Cluster, read: &(impl Fn(i64) -> Result<i64, Error> + Sync)) {
    let (stop, answered) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (stop, answered) = (&stop, &answered);
            scope.spawn(move || {
                for key in (0..200).cycle().skip(thread * 50) {
                    if stop.load(Relaxed) {
                        break;
                    }
                    match read(key) {
                        Ok(number) => {
                            assert_eq!(number, key);
                            answered.fetch_add(1, Relaxed);
                        }
                        Err(error) => assert!(
                            matches!(
                                error.kind(),
                                Kind::Connection
                                    | Kind::NoNode
                                    | Kind::CircuitOpen
                                    | Kind::Server(_)
                            ),
                            "{error:?}"
                        ),
                    }
                }
            });
        }
        let more = |what: &str| {
            let before = answered.load(Relaxed);
            eventually(what, || answered.load(Relaxed) > before + 500);
        };
        more("the start");
        cluster.kill(1).unwrap();
        more("going on without a node");
        assert!(cluster.wait_settled(LONG));
        cluster.restart(1).unwrap();
        more("going on with the node back");
        assert!(cluster.wait_settled(LONG));
        eventually("reading everything again", || (0..200).all(|key| read(key).is_ok()));
        stop.store(true, Relaxed);
    });
}

#[test]
fn load_goes_on_while_a_node_is_killed_and_returns() {
    let cluster = cluster(3);
    let client = builder().tend_interval(Duration::from_millis(100));
    let users = client.clone().connect(cluster.seeds()).unwrap().dataset("test", "demo").unwrap();
    (0..200_i64).for_each(|key| users.put(key, [("n", key)]).unwrap());
    let number = |record: Option<spikewire::Record>| match record.unwrap().bins.remove("n") {
        Some(spikewire::Value::Int(number)) => number,
        other => panic!("{other:?}"),
    };
    survives(&cluster, &|key| users.get(key).map(number));
    let client: AsyncClient = block_on(client.connect_async(cluster.seeds())).unwrap();
    let users = async_dataset(&client);
    survives(&cluster, &|key| block_on(users.get(key)).map(number));
}
