//! Spans as received by a `tracing` subscriber.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, Once};

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber, span};

use super::eventually;

/// A span as received by the subscriber.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    pub kind: &'static str,
    pub fields: BTreeMap<String, String>,
    pub parent: Option<u64>,
    pub entered: bool,
    closed: bool,
}

impl Seen {
    pub fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }
}

/// A subscriber that records spans.
#[derive(Clone, Default)]
pub struct Spans {
    all: Arc<Mutex<Vec<Seen>>>,
    holds: Arc<Mutex<BTreeMap<u64, usize>>>,
    inside: Arc<Mutex<Vec<u64>>>,
}

struct Fields<'a>(&'a mut BTreeMap<String, String>);

impl Visit for Fields<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }
}

/// Installs a subscriber of the process, which the tests of a file with subscribers of their own do
/// first: a span or event that is met for the first time while another thread installs the only
/// subscriber may be disabled for good.
pub fn install_subscriber() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        tracing::subscriber::set_global_default(Spans::default()).expect("there is none yet");
    });
}

impl Spans {
    /// Nothing recorded yet.
    pub fn new() -> Self {
        install_subscriber();
        Self::default()
    }

    fn with(&self, id: &span::Id, change: impl FnOnce(&mut Seen)) {
        change(&mut self.all.lock().unwrap()[id.into_u64() as usize - 1]);
    }

    /// The spans closed since the last time, once there are this many.
    pub fn take(&self, count: usize) -> Vec<Seen> {
        let is_there = || {
            let all = self.all.lock().unwrap();
            all.iter().filter(|span| span.closed && !span.fields.is_empty()).count() >= count
        };
        eventually("the spans are closed", is_there);
        let mut all = self.all.lock().unwrap();
        let mut spans = Vec::new();
        for span in all.iter_mut().filter(|span| span.closed && !span.fields.is_empty()) {
            spans.push(Seen { fields: std::mem::take(&mut span.fields), ..span.clone() });
        }
        assert_eq!(spans.len(), count, "{spans:?}");
        spans
    }

    /// The only span since the last call.
    pub fn one(&self) -> Seen {
        self.take(1).remove(0)
    }
}

impl Subscriber for Spans {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        let mut all = self.all.lock().unwrap();
        let parent = self.inside.lock().unwrap().last().copied();
        let mut seen = Seen { kind: attributes.metadata().name(), parent, ..Seen::default() };
        attributes.record(&mut Fields(&mut seen.fields));
        all.push(seen);
        let id = all.len() as u64;
        self.holds.lock().unwrap().insert(id, 1);
        span::Id::from_u64(id)
    }

    fn record(&self, id: &span::Id, values: &span::Record<'_>) {
        self.with(id, |seen| values.record(&mut Fields(&mut seen.fields)));
    }

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, id: &span::Id) {
        self.with(id, |seen| seen.entered = true);
        self.inside.lock().unwrap().push(id.into_u64());
    }

    fn exit(&self, _: &span::Id) {
        self.inside.lock().unwrap().pop();
    }

    fn clone_span(&self, id: &span::Id) -> span::Id {
        *self.holds.lock().unwrap().get_mut(&id.into_u64()).unwrap() += 1;
        id.clone()
    }

    fn try_close(&self, id: span::Id) -> bool {
        let mut holds = self.holds.lock().unwrap();
        let count = holds.get_mut(&id.into_u64()).unwrap();
        *count -= 1;
        let closed = *count == 0;
        drop(holds);
        if closed {
            self.with(&id, |seen| seen.closed = true);
        }
        closed
    }
}
