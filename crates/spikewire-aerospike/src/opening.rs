//! Connecting to a cluster.

use std::sync::Arc;

use spikewire_transport::open_ahead::open_ahead;

use crate::cluster::Cluster;
use crate::framing::Aerospike;
use crate::model::{Options, Result};

/// [`Cluster::connect`], with as many connections to each node as the options want to be open from
/// the start. They are opened all at once, and waited for no longer than the connect timeout.
pub fn connect(options: Options) -> Result<Arc<Cluster>> {
    let cluster = Cluster::connect(options)?;
    let count = cluster.options().warm_connections;
    if count > 0 {
        open_ahead::<Aerospike>(&cluster, &cluster.snapshot().nodes, count);
    }
    Ok(cluster)
}
