//! In-memory clusters for tests.

use std::mem::ManuallyDrop;
use std::net::SocketAddr;
use std::sync::Arc;

use spikewire_cql::version::Version;
use spikewire_sync::Mutex;
use spikewire_transport::Tick;

use super::node::{Description, Node};
use super::shared::Shared;
use super::snapshot::{Keyspaces, Snapshot};
use super::{Cluster, seeds};
use crate::options::Options;

/// Node `n` (from 1) has the datacenter and rack of the nth pair, the address `10.0.0.n:9042` and
/// the token `100 * n`. The keyspace `k` has this replication.
pub fn snapshot(
    places: &[(&str, &str)],
    replication: &[(&str, &str)],
    options: &Options,
) -> Snapshot {
    let addresses: Vec<SocketAddr> =
        (1_u8..).zip(places).map(|(number, _)| ([10, 0, 0, number], 9042).into()).collect();
    snapshot_at(&addresses, places, replication, options)
}

/// The same with nodes at these addresses.
pub fn snapshot_at(
    addresses: &[SocketAddr],
    places: &[(&str, &str)],
    replication: &[(&str, &str)],
    options: &Options,
) -> Snapshot {
    let described: Vec<Description> = (1_u8..)
        .zip(places.iter().zip(addresses))
        .map(|(number, ((datacenter, rack), address))| Description {
            host_id: [number; 16],
            address: *address,
            proxy: None,
            datacenter: (*datacenter).to_owned(),
            rack: (*rack).to_owned(),
            release: "5.0.9".to_owned(),
            schema_version: None,
            tokens: vec![100 * i64::from(number)],
        })
        .collect();
    let pairs = replication.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let keyspaces = Keyspaces::new(&described, vec![("k".to_owned(), pairs.collect())], Vec::new());
    let nodes = (0..).zip(&described).map(|(number, of)| Arc::new(Node::new(number, of, options)));
    Snapshot::new(nodes.collect(), keyspaces, options.local_datacenter.clone(), options)
}

/// A cluster with these nodes and without a thread.
pub fn cluster(snapshot: Snapshot, options: Options, version: Version) -> Arc<Cluster> {
    let shared = Shared::new(options.clone(), seeds::handshake(&options, version), Arc::default());
    shared.take_numbers(&snapshot.nodes);
    shared.publish(snapshot);
    let thread = ManuallyDrop::new(Mutex::new(None));
    Arc::new(Cluster { shared: Arc::new(shared), thread })
}

/// Makes all nodes agree on the schema from now on.
pub fn agree(cluster: &Cluster) {
    cluster.shared.agree(Tick::now());
}

/// Something in the schema has changed.
pub fn change_schema(cluster: &Cluster) {
    cluster.shared.schema_changed(None);
}

/// Sets whether a node answers.
pub fn set_up(node: &Node, up: bool) {
    node.set_reachable(up);
}
