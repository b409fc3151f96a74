//! Whole Cassandra statements against the server of canned replies, whose threads are not counted:
//! from the call, through sockets, to the row.

use std::hint::black_box;

use futures::future::try_join_all;
use spikewire::cql::Session;
use spikewire_cql_server::{Options, Server, Sharded};
use tokio::runtime;

use crate::{Benchmark, measured, repeat};

/// The benchmarks of this file.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark { name: "cql blocking select", run: || blocking_select(None) },
    Benchmark { name: "cql blocking, 8 shards", run: || blocking_select(Some(Sharded::new(8))) },
    Benchmark { name: "cql tokio, 32 at once", run: || tokio_selects(None) },
    Benchmark { name: "cql tokio, 8 shards", run: || tokio_selects(Some(Sharded::new(8))) },
];

const TIMES: u64 = 200;
const AT_ONCE: i64 = 32;
const KEYSPACE: &str = "CREATE KEYSPACE k WITH replication = \
                        {'class': 'SimpleStrategy', 'replication_factor': 1}";
const TABLE: &str = "CREATE TABLE k.t (id bigint PRIMARY KEY, name text)";
const SELECT: &str = "SELECT id, name FROM k.t WHERE id = ?";

/// A server with a table.
fn server(sharded: Option<Sharded>) -> (Server, String) {
    let options = Options { sharded, ..Options::default() };
    let server = Server::start(&options).expect("the server starts");
    let at = server.address().to_string();
    let session = Session::connect(&at).expect("the server is there");
    for text in [KEYSPACE, TABLE] {
        session.execute(text, ()).expect("it is made");
    }
    (server, at)
}

/// Whether each shard has a connection over which its statements arrive.
fn is_warm(server: &Server) -> bool {
    server.traffic().iter().all(|shard| shard.own > 0)
}

fn blocking_select(sharded: Option<Sharded>) -> u64 {
    let (server, at) = server(sharded);
    let session = Session::connect(&at).expect("the server is there");
    let select = session.prepare(SELECT).expect("it is sound");
    let mut id = 0_i64;
    let mut one = || {
        id += 1;
        let rows = session.execute(&select, (black_box(id),)).expect("it is answered");
        black_box(rows.first::<(i64, String)>().expect("the row is sound"));
    };
    while !is_warm(&server) {
        one();
    }
    repeat(TIMES, one)
}

fn tokio_selects(sharded: Option<Sharded>) -> u64 {
    let (server, at) = server(sharded);
    let runtime =
        runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    let session = runtime.block_on(Session::builder().connect_tokio(&at));
    let session = session.expect("the server is there");
    let select = runtime.block_on(session.prepare(SELECT)).expect("it is sound");
    let round = || {
        runtime.block_on(async {
            let selects = (0..AT_ONCE).map(|id| session.execute(&select, (id,)));
            black_box(try_join_all(selects).await.expect("all are answered"));
        });
    };
    while !is_warm(&server) {
        round();
    }
    let rounds = TIMES / 4;
    (0..10).for_each(|_| round());
    measured(&mut || (0..rounds).for_each(|_| round()));
    rounds * AT_ONCE as u64
}
