//! Client metrics for the recorder of `metrics`.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use ::metrics::{Label, counter, gauge, histogram};

use super::{Bridge, Histogram, Labels, Observed, bounds};

/// Passes a client's metrics and state to the recorder of the facade `metrics`.
///
/// | name | kind | labels |
/// |---|---|---|
/// | `spikewire_command_duration_seconds` | histogram | operation, namespace, node, result |
/// | `spikewire_commands_total`, `spikewire_command_records_total`, `spikewire_command_retries_total`, `spikewire_command_parts_total` | counter | the same |
/// | `spikewire_command_bytes_sent_total`, `spikewire_command_bytes_received_total` | counter | the same |
/// | `spikewire_stage_duration_seconds` | histogram | stage |
/// | `spikewire_node_connections`, `spikewire_node_breaker_open`, `spikewire_node_share` | gauge | node |
/// | `spikewire_node_limit`, `spikewire_node_waiting` | gauge | node |
/// | `spikewire_node_rejections_total` | counter | node |
/// | `spikewire_retries_sent_total`, `spikewire_retries_denied_total` | counter | |
/// | `spikewire_commands_in_flight`, `spikewire_commands_queued` | gauge | |
///
/// Durations are recorded as the upper bounds of buckets that are one eighth wide.
///
/// ```
/// # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
/// # let seeds = cluster.seeds();
/// use std::time::Duration;
/// use spikewire::metrics::Publisher;
///
/// let client = spikewire::Client::connect(seeds)?;
/// client.metrics().turn(true);
/// let bridge = Publisher::new(&client.observed()).every(Duration::from_secs(5)).expect("a thread");
/// # drop(bridge);
/// # Ok::<(), spikewire::Error>(())
/// ```
#[derive(Debug)]
pub struct Publisher {
    client: Weak<dyn Observed>,
    /// Previously published histograms, since only differences are published.
    commands: HashMap<Labels, Histogram>,
    stages: HashMap<&'static str, Histogram>,
}

impl Publisher {
    /// A publisher for a client. Does not keep it open.
    pub fn new(client: &Arc<dyn Observed>) -> Self {
        let client = Arc::downgrade(client);
        Self { client, commands: HashMap::new(), stages: HashMap::new() }
    }

    /// Publishes current metrics to the recorder of this thread, or the global one; returns whether
    /// the client still exists.
    pub fn publish(&mut self) -> bool {
        let Some(client) = self.client.upgrade() else { return false };
        let stats = client.stats();
        drop(client);
        for (labels, totals) in stats.commands {
            let known = these(&labels);
            counter!("spikewire_commands_total", known.clone()).absolute(totals.latencies.count());
            counter!("spikewire_command_records_total", known.clone()).absolute(totals.records);
            counter!("spikewire_command_retries_total", known.clone()).absolute(totals.retries);
            counter!("spikewire_command_parts_total", known.clone()).absolute(totals.parts);
            let (sent, received) = (totals.bytes_sent, totals.bytes_received);
            counter!("spikewire_command_bytes_sent_total", known.clone()).absolute(sent);
            counter!("spikewire_command_bytes_received_total", known.clone()).absolute(received);
            let durations = histogram!("spikewire_command_duration_seconds", known);
            record(&durations, self.commands.get(&labels), &totals.latencies);
            self.commands.insert(labels, totals.latencies);
        }
        for (stage, times) in stats.stages {
            let durations = histogram!("spikewire_stage_duration_seconds", "stage" => stage.name());
            record(&durations, self.stages.get(stage.name()), &times);
            self.stages.insert(stage.name(), times);
        }
        for node in stats.nodes {
            let label = Label::new("node", node.label);
            let connections = gauge!("spikewire_node_connections", vec![label.clone()]);
            connections.set(node.connections as f64);
            let open = gauge!("spikewire_node_breaker_open", vec![label.clone()]);
            open.set(f64::from(u8::from(node.breaker_open)));
            gauge!("spikewire_node_share", vec![label.clone()]).set(node.share);
            let limiter = node.limiter;
            let limit = gauge!("spikewire_node_limit", vec![label.clone()]);
            limit.set(limiter.limit.map_or(0.0, f64::from));
            let waiting = gauge!("spikewire_node_waiting", vec![label.clone()]);
            waiting.set(f64::from(limiter.waiting));
            counter!("spikewire_node_rejections_total", vec![label]).absolute(limiter.rejections);
        }
        if let Some(cache) = stats.near_cache {
            counter!("spikewire_near_cache_hits_total").absolute(cache.hits);
            counter!("spikewire_near_cache_misses_total").absolute(cache.misses);
            counter!("spikewire_near_cache_revalidations_total").absolute(cache.revalidations);
            counter!("spikewire_near_cache_evictions_total").absolute(cache.evictions);
            gauge!("spikewire_near_cache_entries").set(cache.entries as f64);
            gauge!("spikewire_near_cache_bytes").set(cache.bytes as f64);
        }
        gauge!("spikewire_commands_in_flight").set(stats.in_flight as f64);
        counter!("spikewire_retries_sent_total").absolute(stats.retries.0);
        counter!("spikewire_retries_denied_total").absolute(stats.retries.1);
        gauge!("spikewire_commands_queued").set(stats.queued as f64);
        true
    }

    /// Publishes periodically on a thread of its own, with the global recorder, and once more when
    /// the bridge is dropped.
    ///
    /// # Errors
    ///
    /// If no thread can be started.
    pub fn every(mut self, interval: Duration) -> io::Result<Bridge> {
        Bridge::start("spikewire-metrics", move |stopped| {
            while self.publish() && !stopped.load(Relaxed) {
                let until = Instant::now() + interval;
                while !stopped.load(Relaxed) && Instant::now() < until {
                    thread::park_timeout(until.saturating_duration_since(Instant::now()));
                }
            }
        })
    }
}

fn these(labels: &Labels) -> Vec<Label> {
    let Labels { operation, namespace, node, result } = labels;
    vec![
        Label::from_static_parts("operation", operation),
        Label::new("namespace", namespace.to_string()),
        Label::new("node", node.to_string()),
        Label::from_static_parts("result", result),
    ]
}

/// Records the difference.
fn record(to: &::metrics::Histogram, before: Option<&Histogram>, now: &Histogram) {
    let bounds = bounds().map(Some).chain([None]);
    let (mut last, counts) = (Duration::ZERO, now.counts());
    // After a reset of the client's counters, everything counted is new.
    let before = before.filter(|before| before.count() <= now.count());
    for (at, (bound, count)) in bounds.zip(counts).enumerate() {
        last = bound.unwrap_or(last);
        let known = before.map_or(0, |before| before.counts()[at]);
        if let Some(more @ 1..) = count.checked_sub(known) {
            to.record_many(last.as_secs_f64(), usize::try_from(more).unwrap_or(usize::MAX));
        }
    }
}
