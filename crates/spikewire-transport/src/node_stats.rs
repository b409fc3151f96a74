//! What metrics say about a node.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Tick;
use crate::metrics::{Event, Gauges, Metrics, NodeStats};
use crate::topology::Endpoint;

impl NodeStats {
    /// The statistics of a node with this name.
    pub fn of(name: String, node: &impl Endpoint) -> Self {
        let gauges = node.gauges();
        let (connections, opened) =
            gauges.map(|gauges| (gauges.open(), gauges.opened())).unwrap_or_default();
        let (control_sent, control_received) =
            gauges.map(Gauges::control_bytes).unwrap_or_default();
        Self {
            name,
            label: node.to_string(),
            address: node.address().to_string(),
            connections,
            opened,
            connect_times: gauges.map(Gauges::connect_times).unwrap_or_default(),
            control_sent,
            control_received,
            errors: node.breaker().errors(),
            breaker_open: node.breaker().is_open(),
            limiter: node.health().limiter().stats(),
            share: node.health().share(Tick::now()),
        }
    }
}

/// Reports a breaker that opened or closed since the last call. Once it has closed, the node gets
/// its share of the requests little by little.
pub fn report_breaker(metrics: &Metrics, was_open: &mut bool, node: &impl Endpoint) {
    let open = node.breaker().is_open();
    if open != *was_open {
        *was_open = open;
        if !open {
            node.health().returns(Tick::now(), Duration::MAX);
        }
        let name: Arc<str> = node.to_string().into();
        let opened = Event::BreakerOpened;
        metrics.events().push(if open { opened(name) } else { Event::BreakerClosed(name) });
    }
}
