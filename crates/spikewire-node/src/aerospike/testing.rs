//! The embedded cluster, for `spikewire/testing` and `spikewire serve`: starting, stopping and
//! controlling it, off the event loop's thread.

use std::io;
use std::sync::Arc;

use spikewire_aerospike_server::{Certificates, Cluster, Faults, Options};

use crate::arguments::{OptionArgument, text};
use crate::binding::Call;
use crate::environment::clusters::EmbeddedCluster;
use crate::js::{Env, Failure, Result, Type, Value, work};

/// `clusterStart(slot, options)`: settles with `[handle, addresses, names, files]` of the cluster,
/// its nodes and, with TLS, the files for clients; or with what [`error_value`] returns.
pub fn start<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let slot = call.index(0)?;
    let options = match call.argument(1) {
        value if value.kind() == Type::Undefined => Options::default(),
        value => Options::read(&OptionArgument(value))?,
    };
    let environment = call.host.environment.clone();
    let open = move || Cluster::start(options);
    work::spawn(call.env, "spikewire.cluster", open, move |env, started| {
        let result = finished(started).and_then(|cluster| {
            let (addresses, names) = (cluster.seeds(), names(&cluster)?);
            let files = cluster.certificates().map(paths).unwrap_or_default();
            Ok((EmbeddedCluster::new(cluster), addresses, names, files))
        });
        let value = match result {
            Err(error) => error_value(env, error),
            Ok((cluster, ..)) if environment.is_ending() => {
                cluster.stop();
                env.undefined()
            }
            Ok((cluster, addresses, names, files)) => (|| {
                let texts = addresses.iter().map(|address| env.string(&address.to_string()));
                let names = names.iter().map(|name| env.string(name));
                let handle = env.uint32(environment.clusters.add(cluster))?;
                let files = files.iter().map(|path| env.string(path));
                let parts =
                    [Ok(handle), env.array_of(texts), env.array_of(names), env.array_of(files)];
                env.array_of(parts.into_iter())
            })(),
        };
        environment.settle(env, slot, value);
    })?;
    Ok(None)
}

/// The paths of the authority, the client's certificate and its key.
fn paths(files: &Certificates) -> Vec<String> {
    let paths = [&files.ca, &files.certificate, &files.key];
    paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

fn names(cluster: &Cluster) -> io::Result<Vec<String>> {
    (0..cluster.seeds().len()).map(|node| cluster.node_name(node)).collect()
}

/// `clusterStop(cluster, slot)`: stops every node; does nothing if they are stopped.
pub fn stop<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let cluster = call.host.environment.clusters.remove(call.index(0)?);
    off_thread(call, call.index(1)?, move || {
        if let Some(cluster) = cluster {
            cluster.stop();
        }
        Ok(())
    })
}

/// `clusterKill(cluster, slot, node)`
pub fn kill<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let node = call.index(2)? as usize;
    on_cluster(call, move |cluster| cluster.kill(node))
}

/// `clusterRestart(cluster, slot, node)`
pub fn restart<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let node = call.index(2)? as usize;
    on_cluster(call, move |cluster| cluster.restart(node))
}

/// `clusterInject(cluster, slot, node, faults)`
pub fn inject<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let node = call.index(2)? as usize;
    let faults = Faults::read(&OptionArgument(call.argument(3)))?;
    on_cluster(call, move |cluster| cluster.inject(node, faults))
}

/// `clusterClearFaults(cluster, slot, node)`
pub fn clear_faults<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let node = call.index(2)? as usize;
    on_cluster(call, move |cluster| cluster.clear_faults(node))
}

/// `clusterTruncate(cluster, slot, namespace, set)`
pub fn truncate<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let namespace = text("namespace", call.argument(2))?;
    let set = call.argument(3).present().map(|set| text("set", set)).transpose()?;
    on_cluster(call, move |cluster| cluster.truncate(&namespace, set.as_deref()))
}

/// `clusterSettled(cluster)`: whether every partition has all its copies.
pub fn is_settled<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let settled = of_call(call)?.with(|cluster| Ok(cluster.is_settled()));
    call.env.boolean(settled.map_err(range_failure)?).map(Some)
}

/// `clusterAlive(cluster, node)`
pub fn is_alive<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let node = call.index(1)? as usize;
    let alive = of_call(call)?.with(|cluster| cluster.is_alive(node));
    call.env.boolean(alive.map_err(range_failure)?).map(Some)
}

/// `clusterStats(cluster, node)`: the numbers of `NodeStats` in `node/src/testing/stats.ts`, in
/// order.
pub fn stats<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let node = call.index(1)? as usize;
    let stats = of_call(call)?.with(|cluster| cluster.stats(node)).map_err(range_failure)?;
    let numbers = [
        u64::from(stats.alive),
        stats.connections as u64,
        stats.connections_opened,
        stats.objects,
        stats.master_objects,
        stats.bytes,
        stats.master_partitions as u64,
        stats.replica_partitions as u64,
        stats.counters.requests,
        stats.counters.reads,
        stats.counters.writes,
        stats.counters.not_found,
        stats.counters.errors,
        stats.counters.infos,
        stats.counters.compressed_requests,
        stats.counters.compressed_replies,
        stats.counters.master_commits,
    ];
    call.env.array_of(numbers.iter().map(|number| call.env.number(*number as f64))).map(Some)
}

/// The cluster in a call's first argument.
fn of_call(call: &Call<'_>) -> Result<Arc<EmbeddedCluster>> {
    let cluster = call.host.environment.clusters.get(call.index(0)?);
    cluster.ok_or_else(|| Failure::of_type("the embedded cluster was stopped"))
}

/// Runs `work` with the cluster, then settles the slot without a value.
fn on_cluster<'e>(
    call: &Call<'e>,
    work: impl FnOnce(&Cluster) -> io::Result<()> + Send + 'static,
) -> Result<Option<Value<'e>>> {
    let (cluster, slot) = (of_call(call)?, call.index(1)?);
    off_thread(call, slot, move || cluster.with(work))
}

/// Runs `work` on another thread, since joining threads and moving partitions take time.
fn off_thread<'e>(
    call: &Call<'e>,
    slot: u32,
    work: impl FnOnce() -> io::Result<()> + Send + 'static,
) -> Result<Option<Value<'e>>> {
    let environment = call.host.environment.clone();
    work::spawn(call.env, "spikewire.cluster", work, move |env, done| {
        let value = match finished(done) {
            Ok(()) => env.undefined(),
            Err(error) => error_value(env, error),
        };
        environment.settle(env, slot, value);
    })?;
    Ok(None)
}

fn finished<R>(done: std::thread::Result<io::Result<R>>) -> io::Result<R> {
    done.unwrap_or_else(|_| Err(io::Error::other("the embedded cluster panicked")))
}

/// The outcome of a failure: an exception for invalid input, otherwise `[the system's error name,
/// message]`.
fn error_value(env: Env<'_>, error: io::Error) -> Result<Value<'_>> {
    if error.kind() == io::ErrorKind::InvalidInput {
        return Err(range_failure(error));
    }
    let code = match error.kind() {
        io::ErrorKind::AddrInUse => "EADDRINUSE",
        io::ErrorKind::AddrNotAvailable => "EADDRNOTAVAIL",
        io::ErrorKind::PermissionDenied => "EACCES",
        _ => "",
    };
    let parts = [env.string(code), env.string(&error.to_string())];
    env.array_of(parts.into_iter())
}

fn range_failure(error: io::Error) -> Failure {
    Failure::of_range(crate::js::failure::camel(&error.to_string()))
}
