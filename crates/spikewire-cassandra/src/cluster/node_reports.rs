//! Events about nodes: they go up or down, join or leave, and their breakers open or close.

use std::mem::replace;
use std::sync::Arc;

use spikewire_transport::Metrics;
use spikewire_transport::metrics::Event;
use spikewire_transport::node_stats::report_breaker;

use super::{Node, Snapshot};

/// What was last reported of each node.
#[derive(Debug, Default)]
pub(super) struct NodeReports(Vec<NodeReport>);

#[derive(Debug)]
struct NodeReport {
    node: Arc<Node>,
    is_up: bool,
    breaker_open: bool,
}

impl NodeReports {
    /// The nodes of a new session: they are up without an event.
    pub fn new(snapshot: &Snapshot) -> Self {
        let nodes = snapshot.nodes.iter().cloned();
        Self(nodes.map(|node| NodeReport { node, is_up: true, breaker_open: false }).collect())
    }

    /// Reports what has changed.
    pub fn update(&mut self, snapshot: &Snapshot, metrics: &Metrics) {
        let name = |node: &Node| -> Arc<str> { node.to_string().into() };
        self.0.retain(|report| {
            let is_there = snapshot.nodes.iter().any(|node| is_same(node, &report.node));
            if !is_there {
                let name = name(&report.node);
                if report.is_up {
                    metrics.events().push(Event::NodeDown(name.clone()));
                }
                metrics.events().push(Event::NodeRemoved(name));
            }
            is_there
        });
        for node in &snapshot.nodes {
            let report = self.report_of(node, metrics);
            let is_up = node.is_up();
            if is_up != replace(&mut report.is_up, is_up) {
                let name = name(node);
                let event = if is_up { Event::NodeUp(name) } else { Event::NodeDown(name) };
                metrics.events().push(event);
            }
            report_breaker(metrics, &mut report.breaker_open, &**node);
        }
    }

    fn report_of(&mut self, node: &Arc<Node>, metrics: &Metrics) -> &mut NodeReport {
        let known = self.0.iter().position(|report| is_same(&report.node, node));
        let at = known.unwrap_or_else(|| {
            metrics.events().push(Event::NodeAdded(node.to_string().into()));
            self.0.push(NodeReport { node: node.clone(), is_up: false, breaker_open: false });
            self.0.len() - 1
        });
        &mut self.0[at]
    }
}

/// Not by number: after a USE there may be the same nodes under other numbers.
fn is_same(one: &Node, other: &Node) -> bool {
    one.host_id == other.host_id && one.address == other.address
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::sample;
    use super::*;
    use crate::options::Options;

    #[test]
    fn joining_and_leaving_are_other_events_than_answering() {
        let options = Options::new(Vec::new());
        let snapshot = |nodes: usize| {
            sample::snapshot(&[("dc1", "r1"), ("dc1", "r2")][..nodes], &[], &options)
        };
        let metrics = Metrics::default();
        metrics.events().listen(true);
        let mut reports = NodeReports::new(&snapshot(1));
        let mut news = |snapshot: &Snapshot| {
            reports.update(snapshot, &metrics);
            let (events, _) = metrics.events().wait(Duration::ZERO);
            events
                .iter()
                .map(|event| {
                    let (name, node) = event.named();
                    (name, node.map(ToString::to_string))
                })
                .collect::<Vec<_>>()
        };
        let about = |name, node: &str| (name, Some(node.to_owned()));
        let second = "10.0.0.2:9042";
        assert_eq!(news(&snapshot(1)), []);
        let both = snapshot(2);
        assert_eq!(news(&both), [about("node_added", second), about("node_up", second)]);
        sample::set_up(&both.nodes[1], false);
        assert_eq!(news(&both), [about("node_down", second)]);
        assert_eq!(news(&snapshot(1)), [about("node_removed", second)]);
        assert_eq!(news(&snapshot(2)).len(), 2);
        let gone = [about("node_down", second), about("node_removed", second)];
        assert_eq!(news(&snapshot(1)), gone);
    }
}
