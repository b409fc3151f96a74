//! Statistics as plain values. Times are in milliseconds.

use std::time::Duration;

use spikewire_transport::LimiterStats;
use spikewire_transport::metrics::{
    self, Histogram, HotKey, Labels, NearCacheStats, NodeStats, Stage, Stats, Totals,
};

use super::observed;
use crate::binding::Call;
use crate::js::{Env, Result, Value};

/// `metricsStats(client)`: what the client counted and holds, as an object.
pub fn stats<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let Stats {
        counting,
        commands,
        in_flight,
        queued,
        stages,
        hedges,
        retries,
        reads_shared,
        rows_late,
        near_cache,
        nodes,
        unreachable,
        tends,
        failed_tends,
        tend_age,
        ..
    } = observed(call)?.stats();
    let env = call.env;
    let object = env.object()?;
    let each = commands.iter().map(|(labels, totals)| command(env, labels, totals));
    object.set_named(c"commands", env.array_of(each)?)?;
    let each = stages.iter().map(|(stage, times)| self::stage(env, *stage, times));
    object.set_named(c"stages", env.array_of(each)?)?;
    object.set_named(c"nodes", env.array_of(nodes.iter().map(|known| node(env, known)))?)?;
    let each = unreachable
        .iter()
        .map(|(name, why)| env.array_of([env.string(name), env.string(why)].into_iter()));
    object.set_named(c"unreachable", env.array_of(each)?)?;
    let near_cache = near_cache.map_or_else(|| env.null(), |cache| near(env, &cache))?;
    object.set_named(c"nearCache", near_cache)?;
    object.set_named(c"counting", env.boolean(counting)?)?;
    for (name, number) in [
        (c"inFlight", in_flight as u64),
        (c"queued", queued as u64),
        (c"hedgesSent", hedges.0),
        (c"hedgesWon", hedges.1),
        (c"retriesSent", retries.0),
        (c"retriesDenied", retries.1),
        (c"readsShared", reads_shared),
        (c"rowsLate", rows_late),
        (c"tends", tends),
        (c"failedTends", failed_tends),
    ] {
        object.set_named(name, whole(env, number)?)?;
    }
    object.set_named(c"tendAge", milliseconds(env, tend_age)?)?;
    Ok(Some(object))
}

/// `metricsBounds()`: the upper bounds of the buckets of latencies, in nanoseconds.
pub fn bounds<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let bounds: Vec<_> = metrics::bounds().collect();
    let each = bounds.iter().map(|bound| call.env.number(bound.as_nanos() as f64));
    call.env.array_of(each).map(Some)
}

fn whole(env: Env<'_>, number: u64) -> Result<Value<'_>> {
    env.number(number as f64)
}

fn milliseconds(env: Env<'_>, time: Duration) -> Result<Value<'_>> {
    env.number(time.as_nanos() as f64 / 1e6)
}

fn counts<'e>(env: Env<'e>, times: &Histogram) -> Result<Value<'e>> {
    env.array_of(times.counts().iter().map(|count| whole(env, *count)))
}

fn command<'e>(env: Env<'e>, labels: &Labels, totals: &Totals) -> Result<Value<'e>> {
    let Labels { operation, namespace, node, result } = labels;
    let Totals { latencies, records, retries, parts, bytes_sent, bytes_received } = totals;
    let parts = [
        env.string(operation),
        env.string(namespace),
        env.string(node),
        env.string(result),
        counts(env, latencies),
        milliseconds(env, latencies.sum()),
        whole(env, *records),
        whole(env, *retries),
        whole(env, *parts),
        whole(env, *bytes_sent),
        whole(env, *bytes_received),
    ];
    env.array_of(parts.into_iter())
}

fn stage<'e>(env: Env<'e>, stage: Stage, times: &Histogram) -> Result<Value<'e>> {
    let parts = [env.string(stage.name()), counts(env, times), milliseconds(env, times.sum())];
    env.array_of(parts.into_iter())
}

fn node<'e>(env: Env<'e>, node: &NodeStats) -> Result<Value<'e>> {
    let NodeStats {
        name, label, address, connections, opened, errors, breaker_open, share, ..
    } = node;
    let NodeStats { connect_times, control_sent, control_received, .. } = node;
    let LimiterStats { limit, in_flight, waiting, rejections } = node.limiter;
    let parts = [
        env.string(name),
        env.string(address),
        whole(env, *connections as u64),
        whole(env, *opened),
        env.uint32(*errors),
        env.boolean(*breaker_open),
        env.string(label),
        env.number(*share),
        limit.map_or_else(|| env.null(), |limit| whole(env, limit as u64)),
        whole(env, in_flight as u64),
        whole(env, waiting as u64),
        whole(env, rejections),
        counts(env, connect_times),
        milliseconds(env, connect_times.sum()),
        whole(env, *control_sent),
        whole(env, *control_received),
    ];
    env.array_of(parts.into_iter())
}

fn near<'e>(env: Env<'e>, cache: &NearCacheStats) -> Result<Value<'e>> {
    let NearCacheStats { hits, misses, revalidations, evictions, entries, bytes, hot_keys } = cache;
    let key = |key: &HotKey| {
        let HotKey { namespace, set, digest, reads_per_second } = key;
        let parts = [
            env.string(namespace),
            env.string(set),
            env.buffer(digest),
            env.number(*reads_per_second),
        ];
        env.array_of(parts.into_iter())
    };
    let parts = [
        whole(env, *hits),
        whole(env, *misses),
        whole(env, *revalidations),
        whole(env, *evictions),
        whole(env, *entries as u64),
        whole(env, *bytes),
        env.array_of(hot_keys.iter().map(key)),
    ];
    env.array_of(parts.into_iter())
}
