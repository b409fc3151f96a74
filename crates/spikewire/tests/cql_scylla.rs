//! Scylla's extensions of the protocol, as documented by Scylla. The server here is that of canned
//! replies, which speaks them.

use std::time::{Duration, Instant};

use futures::executor::block_on;
use futures::future::try_join_all;
use spikewire::cql::{
    Builder, CallOptions, Code, Details, Kind, LimitedOperation, Prepared, Session, Version,
};
use spikewire_cql::dialect::{Extensions, TabletRouting};
use spikewire_cql_server::{Options, Server, Sharded, Traffic};

const LONG: Duration = Duration::from_secs(60);
const KEYSPACE: &str = "CREATE KEYSPACE k WITH replication = \
                        {'class': 'SimpleStrategy', 'replication_factor': 1}";
const TABLE: &str = "CREATE TABLE k.t (id bigint PRIMARY KEY, v text)";
const SELECT: &str = "SELECT id, v FROM k.t WHERE id = ?";
const RATE_LIMIT: i32 = 0x4321;
const NONE: Extensions = Extensions {
    lwt_mark: None,
    rate_limit: None,
    metadata_id: false,
    tablets: TabletRouting::None,
};

fn start(shards: u16, extensions: Extensions) -> Server {
    let sharded = Sharded { extensions, ..Sharded::new(shards) };
    Server::start(&Options { sharded: Some(sharded), ..Options::default() }).unwrap()
}

fn with_tablets(tablets: TabletRouting) -> Extensions {
    Extensions { tablets, ..NONE }
}

fn builder() -> Builder {
    Session::builder().timeout(LONG).connect_timeout(LONG)
}

fn open(server: &Server) -> (Session, Prepared) {
    let session = builder().connect(server.address().to_string()).unwrap();
    session.execute(KEYSPACE, ()).unwrap();
    session.execute(TABLE, ()).unwrap();
    let select = session.prepare(SELECT).unwrap();
    (session, select)
}

fn sum(traffic: &[Traffic], of: impl Fn(&Traffic) -> u64) -> u64 {
    traffic.iter().map(of).sum()
}

/// Queries many keys; returns how many statements arrived at another shard than that of their key.
fn astray(server: &Server, session: &Session, select: &Prepared) -> u64 {
    let before = sum(&server.traffic(), |shard| shard.others);
    for id in 0..200_i64 {
        let result = session.execute(select, (id,)).unwrap();
        assert_eq!(result.first::<(i64, String)>().unwrap().unwrap().0, id);
    }
    sum(&server.traffic(), |shard| shard.others) - before
}

/// Repeats until every statement goes to the right shard.
fn settle(server: &Server, session: &Session, select: &Prepared) {
    let begin = Instant::now();
    while astray(server, session, select) > 0 {
        assert!(begin.elapsed() < LONG, "{:#?}", server.traffic());
    }
}

#[test]
fn statements_follow_their_tablets_to_other_shards() {
    for tablets in [TabletRouting::V1, TabletRouting::V2] {
        let server = start(5, with_tablets(tablets));
        let (session, select) = open(&server);
        settle(&server, &session, &select);
        for _ in 0..3 {
            server.move_tablets();
            let detours = astray(&server, &session, &select);
            // Each of 16 tablets is named by the first reply of a wrong shard; with versions, by
            // the first reply of all.
            assert!((1..=16).contains(&detours), "{tablets:?}: {detours}");
            assert_eq!(astray(&server, &session, &select), 0, "{tablets:?}");
        }
    }
}

#[test]
fn futures_follow_tablets_as_well() {
    let server = start(4, with_tablets(TabletRouting::V1));
    let (session, select) = open(&server);
    settle(&server, &session, &select);
    block_on(async {
        let at = server.address().to_string();
        let session = builder().connect_async(at).await.unwrap();
        let select = session.prepare(SELECT).await.unwrap();
        let ask = async || {
            let before = sum(&server.traffic(), |shard| shard.others);
            try_join_all((0..500_i64).map(|id| session.execute(&select, (id,)))).await.unwrap();
            sum(&server.traffic(), |shard| shard.others) - before
        };
        let begin = Instant::now();
        while ask().await > 0 {
            assert!(begin.elapsed() < LONG, "{:#?}", server.traffic());
        }
        server.move_tablets();
        ask().await;
        assert_eq!(ask().await, 0);
    });
}

/// The tablets of a table are learned anew after it was dropped: another table may have its name.
#[test]
fn a_dropped_table_leaves_no_tablets() {
    let server = start(4, with_tablets(TabletRouting::V1));
    let (session, select) = open(&server);
    settle(&server, &session, &select);
    session.execute("DROP TABLE k.t", ()).unwrap();
    session.execute(TABLE, ()).unwrap();
    assert!(astray(&server, &session, &select) > 0);
    settle(&server, &session, &select);
}

#[test]
fn tablets_on_unknown_nodes_leave_the_ring() {
    let extensions = with_tablets(TabletRouting::V1);
    let sharded = Sharded { extensions, has_strangers: true, ..Sharded::new(3) };
    let server = Server::start(&Options { sharded: Some(sharded), ..Options::default() }).unwrap();
    let (session, select) = open(&server);
    for _ in 0..3 {
        astray(&server, &session, &select);
    }
    assert!(sum(&server.traffic(), |shard| shard.own) > 0);
}

#[test]
fn a_rate_limit_is_an_error_of_its_own() {
    let server = start(2, Extensions { rate_limit: Some(RATE_LIMIT), ..NONE });
    let (session, select) = open(&server);
    let insert = session.prepare("INSERT INTO k.t (id, v) VALUES (?, ?)").unwrap();
    server.limit(true);
    let session = session.with(CallOptions::new().idempotent(true).max_retries(5));
    let read = session.execute(&select, (1_i64,)).unwrap_err();
    let write = session.execute(&insert, (1_i64, "x")).unwrap_err();
    for (error, operation, by_coordinator) in
        [(&read, LimitedOperation::Read, true), (&write, LimitedOperation::Write, false)]
    {
        let server = error.server().unwrap();
        assert_eq!((error.kind(), server.code), (Kind::Server, Code::RateLimit(RATE_LIMIT)));
        assert_eq!(server.details, Details::RateLimit { operation, by_coordinator });
        assert_eq!(error.attempts(), 1, "it would be rejected again: {error}");
    }
    assert_eq!((read.in_doubt(), write.in_doubt()), (false, true));
    server.limit(false);
    session.execute(&select, (1_i64,)).unwrap();
}

#[test]
fn without_the_extension_a_rate_limit_is_a_configuration_error() {
    let server = start(2, NONE);
    let (session, select) = open(&server);
    server.limit(true);
    let error = session.execute(&select, (1_i64,)).unwrap_err();
    assert_eq!(error.server().unwrap().code, Code::Config);
}

#[test]
fn ids_of_metadata_work_in_version_4() {
    let all = Extensions {
        lwt_mark: Some(1 << 31),
        rate_limit: Some(RATE_LIMIT),
        metadata_id: true,
        tablets: TabletRouting::V2,
    };
    for extensions in [Extensions { metadata_id: true, ..NONE }, all] {
        let server = start(3, extensions);
        let (session, select) = open(&server);
        assert_eq!(session.version(), Version::V4);
        settle(&server, &session, &select);
        // Another table of the same name: the statement has other columns then.
        let all = session.prepare("SELECT * FROM k.t WHERE id = ?").unwrap();
        assert_eq!(session.execute(&all, (1_i64,)).unwrap().columns().len(), 2);
        session.execute("DROP TABLE k.t", ()).unwrap();
        session.execute("CREATE TABLE k.t (id bigint PRIMARY KEY, a int, b text)", ()).unwrap();
        assert_eq!(session.execute(&all, (1_i64,)).unwrap().columns().len(), 3);
    }
}
