//! One connection per shard of a sharded server, as documented by Scylla. The server here is that
//! of canned replies, which counts the traffic of each of its shards.

use std::thread;
use std::time::{Duration, Instant};

use futures::executor::block_on;
use futures::future::try_join_all;
use spikewire::cql::{AsyncSession, Builder, Prepared, Session};
use spikewire_cql_server::{Options, Server, ShardAwarePort, Sharded, Traffic};

const LONG: Duration = Duration::from_secs(60);
const KEYSPACE: &str = "CREATE KEYSPACE k WITH replication = \
                        {'class': 'SimpleStrategy', 'replication_factor': 1}";
const TABLE: &str = "CREATE TABLE k.t (id bigint PRIMARY KEY, v text)";
const SELECT: &str = "SELECT v FROM k.t WHERE id = ?";

fn start(sharded: Sharded) -> Server {
    Server::start(&Options { sharded: Some(sharded), ..Options::default() }).unwrap()
}

fn builder() -> Builder {
    Session::builder().timeout(LONG).connect_timeout(LONG)
}

fn open(server: &Server, builder: Builder) -> (Session, Prepared) {
    let session = builder.connect(server.address().to_string()).unwrap();
    session.execute(KEYSPACE, ()).unwrap();
    session.execute(TABLE, ()).unwrap();
    let select = session.prepare(SELECT).unwrap();
    (session, select)
}

/// Repeats until the traffic is as expected.
fn until(server: &Server, mut step: impl FnMut(), done: impl Fn(&[Traffic]) -> bool) {
    let begin = Instant::now();
    while !done(&server.traffic()) {
        assert!(begin.elapsed() < LONG, "{:#?}", server.traffic());
        step();
    }
}

fn all_open(traffic: &[Traffic]) -> bool {
    traffic.iter().all(|shard| shard.open > 0)
}

fn sum(traffic: &[Traffic], of: impl Fn(&Traffic) -> u64) -> u64 {
    traffic.iter().map(of).sum()
}

/// Queries many keys; returns how many statements arrived at the shard of their key, and at others.
fn ask(server: &Server, session: &Session, select: &Prepared) -> (u64, u64) {
    let before = server.traffic();
    for id in 0..200_i64 {
        let result = session.execute(select, (id,)).unwrap();
        assert_eq!(result.len(), 1);
    }
    let after = server.traffic();
    let grown = |of: fn(&Traffic) -> u64| sum(&after, of) - sum(&before, of);
    (grown(|shard| shard.own), grown(|shard| shard.others))
}

/// Queries until every shard has a connection.
fn warm(server: &Server, session: &Session, select: &Prepared) {
    let mut id = 0_i64;
    let step = || {
        id += 1;
        session.execute(select, (id,)).unwrap();
    };
    until(server, step, all_open);
    // The last one may still be in its handshake.
    until(server, || {}, |_| ask(server, session, select).1 == 0);
}

#[test]
fn a_thread_has_a_connection_to_each_shard() {
    for shards in [2, 5, 12] {
        let server = start(Sharded::new(shards));
        let (session, select) = open(&server, builder());
        warm(&server, &session, &select);
        assert_eq!(ask(&server, &session, &select), (200, 0));
        let traffic = server.traffic();
        assert!(traffic.iter().all(|shard| shard.own > 0), "{traffic:#?}");
        // The control connection, the first one to the node, and one for each other shard.
        let opened = sum(&traffic, |shard| shard.opened);
        assert_eq!(opened, u64::from(shards) + 1, "{traffic:#?}");
    }
}

/// Lets eight threads query at the same time, again and again, until so many connections were opened;
/// returns whether that happened before each had made many calls.
fn are_opened(server: &Server, session: &Session, select: &Prepared, connections: u64) -> bool {
    (0..50).any(|_| {
        thread::scope(|scope| {
            for id in 0..8_i64 {
                scope.spawn(move || {
                    for _ in 0..20 {
                        session.execute(select, (id,)).unwrap();
                    }
                });
            }
        });
        sum(&server.traffic(), |shard| shard.opened) >= connections
    })
}

/// A thread that shares a connection waits until the one that reads from it hands over its reply.
#[test]
fn threads_have_connections_of_their_own_unless_a_limit_says_otherwise() {
    let server = start(Sharded::new(1));
    let (session, select) = open(&server, builder());
    assert!(are_opened(&server, &session, &select, 6));
    let server = start(Sharded::new(1));
    let (session, select) = open(&server, builder().connections_per_node(1));
    // The control connection, that of one thread, and two that the others share.
    assert!(!are_opened(&server, &session, &select, 5));
}

#[test]
fn without_that_port_connections_are_opened_until_each_shard_has_one() {
    let without = Sharded { port: ShardAwarePort::None, ..Sharded::new(6) };
    for (sharded, builder) in
        [(without, builder()), (Sharded::new(6), builder().shard_aware_port(false))]
    {
        let server = start(sharded);
        let (session, select) = open(&server, builder);
        warm(&server, &session, &select);
        assert_eq!(ask(&server, &session, &select), (200, 0));
        // Unneeded connections are closed again.
        until(&server, || {}, |traffic| sum(traffic, |shard| shard.open) <= 7);
    }
}

#[test]
fn a_port_that_leads_to_other_shards_is_left_alone() {
    let server = start(Sharded { port: ShardAwarePort::Rewritten, ..Sharded::new(5) });
    let (session, select) = open(&server, builder());
    warm(&server, &session, &select);
    assert_eq!(ask(&server, &session, &select), (200, 0));
}

#[test]
fn statements_go_to_other_shards_if_one_rejects_connections() {
    let server = start(Sharded { refusing: vec![1, 3], ..Sharded::new(4) });
    let (session, select) = open(&server, builder());
    for _ in 0..3 {
        let (own, others) = ask(&server, &session, &select);
        assert_eq!(own + others, 200);
    }
    // After the port failed the server selects the shard, the one with the fewest connections.
    warm(&server, &session, &select);
}

#[test]
fn each_shard_may_have_several_connections() {
    let server = start(Sharded::new(3));
    let (_first, _) = open(&server, builder());
    let at = server.address().to_string();
    block_on(async {
        let session = builder().connections_per_node(2).connect_async(at).await.unwrap();
        let select = session.prepare(SELECT).await.unwrap();
        let begin = Instant::now();
        while server.traffic().iter().any(|shard| shard.open < 2) {
            assert!(begin.elapsed() < LONG, "{:#?}", server.traffic());
            try_join_all((0..1000_i64).map(|id| session.execute(&select, (id,)))).await.unwrap();
        }
    });
}

async fn on_a_loop(server: &Server, session: AsyncSession) {
    let select = session.prepare(SELECT).await.unwrap();
    let ask = async || {
        let before = server.traffic();
        try_join_all((0..500_i64).map(|id| session.execute(&select, (id,)))).await.unwrap();
        let others = |traffic: &[Traffic]| sum(traffic, |shard| shard.others);
        others(&server.traffic()) - others(&before)
    };
    let begin = Instant::now();
    while ask().await > 0 {
        assert!(begin.elapsed() < LONG, "{:#?}", server.traffic());
    }
    assert!(all_open(&server.traffic()));
    assert_eq!(ask().await, 0);
    session.close();
}

#[test]
fn futures_have_a_connection_to_each_shard() {
    let server = start(Sharded::new(4));
    let (first, _) = open(&server, builder());
    first.close();
    let at = server.address().to_string();
    block_on(async {
        let session = builder().connect_async(&at).await.unwrap();
        on_a_loop(&server, session).await;
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let session = builder().connect_tokio(&at).await.unwrap();
        on_a_loop(&server, session).await;
    });
}

#[test]
fn invalid_sharding_options_leave_one_connection() {
    for (key, value) in [
        ("SCYLLA_NR_SHARDS", "0"),
        ("SCYLLA_NR_SHARDS", "1"),
        ("SCYLLA_NR_SHARDS", "70000"),
        ("SCYLLA_NR_SHARDS", "many"),
        ("SCYLLA_SHARDING_IGNORE_MSB", "64"),
        ("SCYLLA_SHARD", "4"),
        ("SCYLLA_SHARD", "-1"),
        ("SCYLLA_SHARDING_ALGORITHM", "another"),
    ] {
        let overrides = vec![(key.to_owned(), value.to_owned())];
        let server = start(Sharded { overrides, ..Sharded::new(4) });
        let (session, select) = open(&server, builder());
        let (own, others) = ask(&server, &session, &select);
        assert_eq!(own + others, 200);
        let opened = sum(&server.traffic(), |shard| shard.opened);
        assert_eq!(opened, 2, "{key} {value}: {:#?}", server.traffic());
    }
}

/// A server that reports the same shard for all connections, or a port on which it does not listen:
/// the number of connections is limited, and every statement gets a reply.
#[test]
fn wrong_shard_information_does_not_open_connections_without_end() {
    for (key, value) in [
        ("SCYLLA_SHARD", "2"),
        ("SCYLLA_NR_SHARDS", "64"),
        ("SCYLLA_SHARD_AWARE_PORT", "1"),
        ("SCYLLA_SHARD_AWARE_PORT", "none"),
    ] {
        let overrides = vec![(key.to_owned(), value.to_owned())];
        let server = start(Sharded { overrides, ..Sharded::new(4) });
        let (session, select) = open(&server, builder());
        for _ in 0..5 {
            let (own, others) = ask(&server, &session, &select);
            assert_eq!(own + others, 200);
        }
        let claimed = if key == "SCYLLA_NR_SHARDS" { 64 } else { 4 };
        let opened = sum(&server.traffic(), |shard| shard.opened);
        // One for the cluster, a first one, one for each other shard, and then some more.
        assert!(opened <= 4 * claimed, "{key} {value}: {:#?}", server.traffic());
    }
}
