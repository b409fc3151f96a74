//! Client events for `tracing`.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use ::tracing::{dispatcher, info, warn};

use super::{Bridge, Event, Observed, SlowCommand};

/// How often a wait for events checks whether the bridge was dropped.
const WAIT: Duration = Duration::from_millis(100);

/// Makes events of the facade `tracing` of what a client tells from here on, with the target
/// `spikewire`: nodes that come (`INFO`) and go (`WARN`), changes of who holds what (`INFO`), circuit
/// breakers, and commands that take longer than
/// [`Metrics::report_slower_than`](super::Metrics::report_slower_than) says (`WARN`), with their
/// result: an error's name, or `ok`. They go to the subscriber that is the default where this is
/// called. No command waits for them.
///
/// A client's events have a single consumer: nothing else should take them from
/// [`Metrics::events`](super::Metrics::events) meanwhile.
///
/// ```
/// # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
/// # let seeds = cluster.seeds();
/// use std::time::Duration;
///
/// let client = spikewire::Client::connect(seeds)?;
/// client.metrics().turn(true);
/// client.metrics().report_slower_than(Some(Duration::from_millis(50)));
/// let bridge = spikewire::metrics::to_tracing(&client.observed()).expect("a thread");
/// # drop(bridge);
/// # Ok::<(), spikewire::Error>(())
/// ```
///
/// # Errors
///
/// If no thread can be started.
pub fn to_tracing(client: &Arc<dyn Observed>) -> io::Result<Bridge> {
    let events = client.metrics().events().clone();
    events.listen(true);
    let subscriber = dispatcher::get_default(Clone::clone);
    Bridge::start("spikewire-tracing", move |stopped| {
        dispatcher::with_default(&subscriber, || {
            while !stopped.load(Relaxed) && events.has_listener() {
                let (batch, lost) = events.wait(WAIT);
                batch.iter().for_each(emit);
                if lost > 0 {
                    warn!(target: "spikewire", lost, "events came too fast");
                }
            }
        });
        if stopped.load(Relaxed) {
            events.listen(false);
        }
    })
}

fn emit(event: &Event) {
    match event {
        Event::NodeUp(node) => info!(target: "spikewire", %node, "node up"),
        Event::NodeDown(node) => warn!(target: "spikewire", %node, "node down"),
        Event::NodeAdded(node) => info!(target: "spikewire", %node, "node added"),
        Event::NodeRemoved(node) => warn!(target: "spikewire", %node, "node removed"),
        Event::MapChanged => info!(target: "spikewire", "map changed"),
        Event::SchemaChanged => info!(target: "spikewire", "schema changed"),
        Event::BreakerOpened(node) => warn!(target: "spikewire", %node, "breaker opened"),
        Event::BreakerClosed(node) => info!(target: "spikewire", %node, "breaker closed"),
        Event::Slow(slow) => {
            let SlowCommand { operation, namespace, node, result, took, records, attempts } = slow;
            let seconds = took.as_secs_f64();
            warn!(
                target: "spikewire",
                operation, %namespace, %node, result, seconds, records, attempts,
                "slow command"
            );
        }
    }
}
