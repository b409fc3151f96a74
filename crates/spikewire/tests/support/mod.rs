//! A cluster for each test, and helpers for common calls.
#![allow(dead_code)] // every test file uses its own part

#[cfg(feature = "tracing")]
pub mod spans;

use std::time::{Duration, Instant};

use spikewire::{AsyncClient, AsyncDataset, Builder, Client, Dataset, Error, Kind, ResultCode};
use spikewire_aerospike_server::{Cluster, NamespaceOptions, Options};

/// Longer than anything here takes on a loaded machine.
pub const LONG: Duration = Duration::from_secs(60);

pub fn cluster(nodes: usize) -> Cluster {
    let namespace = NamespaceOptions { nsup_period: 1, ..NamespaceOptions::named("test") };
    Cluster::start(Options { nodes, namespaces: vec![namespace], ..Options::default() })
        .expect("a cluster in this process")
}

pub fn builder() -> Builder {
    Client::builder().timeout(LONG).connect_timeout(LONG)
}

pub fn dataset(cluster: &Cluster) -> Dataset {
    let client = builder().connect(cluster.seeds()).expect("the cluster is there");
    client.dataset("test", "demo").expect("good names")
}

/// A dataset, and its cluster.
pub fn home(nodes: usize) -> (Cluster, Dataset) {
    let cluster = cluster(nodes);
    let dataset = dataset(&cluster);
    (cluster, dataset)
}

/// Clients for any executor, with one thread and with three.
pub fn async_clients(cluster: &Cluster) -> Vec<AsyncClient> {
    [1, 3]
        .map(|threads| {
            let client = builder().threads(threads).connect_async(cluster.seeds());
            futures::executor::block_on(client).expect("the cluster is there")
        })
        .into()
}

pub fn async_dataset(client: &AsyncClient) -> AsyncDataset {
    client.dataset("test", "demo").expect("good names")
}

pub fn server(code: ResultCode) -> Kind {
    Kind::Server(code)
}

pub fn kind<T: std::fmt::Debug>(result: Result<T, Error>) -> Kind {
    result.expect_err("this must fail").kind()
}

/// Waits until `done`, at most [`LONG`].
pub fn eventually(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < LONG, "{what} takes too long");
        std::thread::sleep(Duration::from_millis(5));
    }
}
