//! Spans that follow OpenTelemetry's database conventions.

use spikewire_aerospike::cluster::Node;
use spikewire_aerospike::command::{Prepared, SetRef};
use spikewire_aerospike::transport::Aerospike;
use spikewire_transport::Protocol as _;
use spikewire_transport::protocol::RequestKind;
use tracing::field::{Empty, display};
use tracing::span::Entered;
use tracing::{Span, info_span};

use crate::Error;
use crate::aerospike::administration::Administration;
use crate::span_end as end;

/// The span of a verb.
#[derive(Debug)]
pub(crate) struct VerbSpan(Span);

impl Default for VerbSpan {
    fn default() -> Self {
        Self(Span::none())
    }
}

/// The fields of all kinds of verbs; empty ones are set later, if at all.
macro_rules! verb_span {
    ($name:literal, $namespace:expr, $set:expr, $result:expr) => {
        info_span!(
            target: "spikewire::verb",
            $name,
            otel.name = Empty,
            otel.kind = "client",
            otel.status_code = Empty,
            db.system.name = "aerospike",
            db.namespace = $namespace,
            db.collection.name = $set,
            db.operation.name = Empty,
            db.operation.batch.size = Empty,
            server.address = Empty,
            server.port = Empty,
            spikewire.node = Empty,
            result = $result,
            "error.type" = Empty,
            error.message = Empty,
        )
    };
}

impl VerbSpan {
    /// For a command on one record.
    pub fn command(space: &SetRef, request: &Prepared) -> Self {
        let span = Self(verb_span!("command", &*space.namespace, space.set.as_str(), Empty));
        // Do no work for a disabled span.
        if !span.0.is_disabled() {
            let about = Aerospike::about(&request.bytes, &request.target, 1, RequestKind::Data);
            span.named(about.operation, &space.set);
        }
        span
    }

    /// For a batch of this many records.
    pub fn many(space: &SetRef, operation: &'static str, rows: usize) -> Self {
        let span = Self(verb_span!("batch", &*space.namespace, space.set.as_str(), Empty));
        if !span.0.is_disabled() {
            span.named(operation, &space.set);
            if rows > 1 {
                span.0.record("db.operation.batch.size", rows);
            }
        }
        span
    }

    /// For a query, from its start until it is dropped.
    pub fn query(namespace: &str, set: &str) -> Self {
        let span = Self(verb_span!("query", namespace, set, "withdrawn"));
        if !span.0.is_disabled() {
            span.named("query", set);
        }
        span
    }

    /// For an aggregation.
    #[cfg(feature = "aggregate")]
    pub fn aggregation(space: &SetRef) -> Self {
        let span = Self(verb_span!("aggregation", &*space.namespace, space.set.as_str(), Empty));
        if !span.0.is_disabled() {
            span.named("aggregate", &space.set);
        }
        span
    }

    /// For a command for indexes, modules and jobs, and for an info command.
    pub fn administration(about: Administration<'_>) -> Self {
        let Administration { operation, namespace, set } = about;
        let some = |name| Some(name).filter(|name: &&str| !name.is_empty());
        let span = Self(verb_span!("administration", some(namespace), some(set), Empty));
        if !span.0.is_disabled() {
            span.named(operation, if set.is_empty() { namespace } else { set });
        }
        span
    }

    fn named(&self, operation: &'static str, set: &str) {
        let between = if set.is_empty() { "" } else { " " };
        self.0.record("otel.name", display(format_args!("{operation}{between}{set}")));
        self.0.record("db.operation.name", operation);
    }

    /// Makes it the current span of this thread.
    pub fn enter(&self) -> Entered<'_> {
        self.0.enter()
    }

    /// A node replied.
    pub fn answered(&self, body: &[u8], node: &Node) {
        if !self.0.is_disabled() {
            end::at(&self.0, node.address);
            self.0.record("spikewire.node", node.name.as_str());
            self.0.record("result", Aerospike::result(body));
        }
    }

    /// It succeeded.
    pub fn done(&self) {
        end::done(&self.0);
    }

    /// Records that the verb failed.
    pub fn failed(&self, error: &Error) {
        if self.0.is_disabled() {
            return;
        }
        end::failed(&self.0, error, error.message());
        let Some((name, address)) = error.node().and_then(|node| node.rsplit_once(' ')) else {
            return;
        };
        self.0.record("spikewire.node", name);
        if let Ok(address) = address.parse() {
            end::at(&self.0, address);
        }
    }
}
