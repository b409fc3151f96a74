//! Client events and metrics through the facades `tracing` and `metrics`.

mod support;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use metrics::{
    Counter, CounterFn, Gauge, GaugeFn, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, Unit,
};
use spikewire::metrics::{Publisher, to_tracing};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber, span};

use support::spans::install_subscriber;
use support::{builder, cluster, eventually};

/// Events of a subscriber: level and fields.
type EventLog = Arc<Mutex<Vec<(Level, BTreeMap<String, String>)>>>;

struct Listens(EventLog);

struct Fields(BTreeMap<String, String>);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }
}

impl Subscriber for Listens {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() == "spikewire"
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields(BTreeMap::new());
        event.record(&mut fields);
        self.0.lock().unwrap().push((*event.metadata().level(), fields.0));
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[test]
fn events_of_tracing_say_what_happens() {
    install_subscriber();
    let cluster = cluster(2);
    let client = builder().connect(cluster.seeds()).unwrap();
    let log = EventLog::default();
    let bridge = tracing::subscriber::with_default(Listens(log.clone()), || {
        to_tracing(&client.observed()).unwrap()
    });
    client.metrics().turn(true);
    client.metrics().report_slower_than(Some(Duration::from_nanos(1)));
    client.dataset("test", "users").unwrap().get("nobody").unwrap();
    let find = |message: &str| {
        let log = log.lock().unwrap();
        log.iter().find(|(_, fields)| fields["message"] == message).cloned()
    };
    eventually("a slow command is told of", || find("slow command").is_some());
    let (level, fields) = find("slow command").unwrap();
    assert_eq!(level, Level::WARN);
    let label = |name: &str| fields[name].as_str();
    assert_eq!(
        (label("operation"), label("namespace"), label("result")),
        ("get", "test", "not_found")
    );
    let known: Vec<_> = client.stats().nodes.into_iter().map(|node| node.label).collect();
    assert!(known.iter().any(|node| node == label("node")), "{fields:?}");
    cluster.kill(1).unwrap();
    eventually("a node that ends is told of", || find("node down").is_some());
    let (level, fields) = find("node down").unwrap();
    assert_eq!((level, known.contains(&fields["node"])), (Level::WARN, true));
    drop(bridge);
    assert!(!client.metrics().events().has_listener());
}

#[test]
fn a_bridge_ends_with_its_client() {
    install_subscriber();
    let cluster = cluster(1);
    let client = builder().connect(cluster.seeds()).unwrap();
    let first = to_tracing(&client.observed()).unwrap();
    let second = Publisher::new(&client.observed()).every(Duration::from_secs(3600)).unwrap();
    client.close();
    drop((first, second));
}

/// Values of a recorder, by name and labels.
#[derive(Default, Clone)]
struct Recorded(Arc<Mutex<BTreeMap<String, f64>>>);

struct Cell(Recorded, String);

impl Cell {
    fn with(&self, change: impl FnOnce(&mut f64)) {
        change(self.0.0.lock().unwrap().entry(self.1.clone()).or_default());
    }
}

impl CounterFn for Cell {
    fn increment(&self, value: u64) {
        self.with(|held| *held += value as f64);
    }

    fn absolute(&self, value: u64) {
        self.with(|held| *held = held.max(value as f64));
    }
}

impl GaugeFn for Cell {
    fn increment(&self, value: f64) {
        self.with(|held| *held += value);
    }

    fn decrement(&self, value: f64) {
        self.with(|held| *held -= value);
    }

    fn set(&self, value: f64) {
        self.with(|held| *held = value);
    }
}

impl HistogramFn for Cell {
    /// Counts the values.
    fn record(&self, value: f64) {
        assert!(value > 0.0);
        self.with(|held| *held += 1.0);
    }
}

impl Recorded {
    fn cell(&self, key: &Key) -> Arc<Cell> {
        let mut name = key.name().to_owned();
        for label in key.labels().filter(|label| label.key() != "node") {
            name = format!("{name} {}", label.value());
        }
        Arc::new(Cell(self.clone(), name))
    }
}

impl Recorder for Recorded {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.cell(key))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(self.cell(key))
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> metrics::Histogram {
        metrics::Histogram::from_arc(self.cell(key))
    }
}

#[test]
fn a_metrics_recorder_receives_the_counters() {
    let cluster = cluster(1);
    let client = builder().connect(cluster.seeds()).unwrap();
    client.metrics().turn(true);
    client.metrics().time_stages(true);
    let users = client.dataset("test", "users").unwrap();
    let recorded = Recorded::default();
    let mut publisher = Publisher::new(&client.observed());
    for round in 1..=3 {
        for id in 0..10 {
            users.put(id, [("n", id)]).unwrap();
        }
        users.get("nobody").unwrap();
        assert!(metrics::with_local_recorder(&recorded, || publisher.publish()));
        let held = recorded.0.lock().unwrap().clone();
        let at = |name: &str| held.get(name).copied().unwrap_or_default() as u64;
        assert_eq!(at("spikewire_commands_total put test ok"), 10 * round);
        assert_eq!(at("spikewire_command_duration_seconds put test ok"), 10 * round);
        assert_eq!(at("spikewire_command_records_total put test ok"), 10 * round);
        assert_eq!(at("spikewire_command_duration_seconds get test not_found"), round);
        assert!(at("spikewire_node_connections") >= 1);
        for stage in ["encode", "wire", "hand_over", "decode"] {
            let name = format!("spikewire_stage_duration_seconds {stage}");
            assert!(at(&name) >= 11 * (round - 1), "{name}");
        }
    }
    // Counters restart, and the recorder continues.
    client.metrics().reset();
    users.get("nobody").unwrap();
    assert!(metrics::with_local_recorder(&recorded, || publisher.publish()));
    let held = recorded.0.lock().unwrap().clone();
    assert_eq!(held["spikewire_command_duration_seconds get test not_found"] as u64, 4);
    drop((users, client));
    assert!(!metrics::with_local_recorder(&recorded, || publisher.publish()), "it is gone");
}
