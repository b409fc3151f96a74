//! Spans of Cassandra sessions, by the database conventions of OpenTelemetry.

use std::sync::Arc;

use spikewire_cassandra::text::Summary;
use tracing::field::{Empty, display};
use tracing::span::Entered;
use tracing::{Span, info_span};

use super::SessionCall;
use crate::cql::{Error, QueryResult};
use crate::span_end as end;

/// The span of a session's verb.
#[derive(Debug)]
pub(crate) struct StatementSpan(Span);

/// The fields of all kinds; empty ones are set later, if at all.
macro_rules! statement_span {
    ($name:literal, $result:expr) => {
        info_span!(
            target: "spikewire::verb",
            $name,
            otel.name = Empty,
            otel.kind = "client",
            otel.status_code = Empty,
            db.system.name = "cassandra",
            db.namespace = Empty,
            db.collection.name = Empty,
            db.operation.name = Empty,
            db.operation.batch.size = Empty,
            db.query.summary = Empty,
            db.query.text = Empty,
            db.response.status_code = Empty,
            server.address = Empty,
            server.port = Empty,
            spikewire.attempts = Empty,
            result = $result,
            "error.type" = Empty,
            error.message = Empty,
        )
    };
}

impl StatementSpan {
    /// For a call; `keyspace` is that of statements without one.
    pub fn of(call: SessionCall<'_>, keyspace: impl FnOnce() -> Option<Arc<str>>) -> Self {
        let span = match call {
            SessionCall::Prepare(_) => statement_span!("prepare", Empty),
            SessionCall::Execute(..) => statement_span!("statement", Empty),
            SessionCall::Read(..) => statement_span!("query", "withdrawn"),
            SessionCall::Batch(_) => statement_span!("batch", Empty),
        };
        // Do no work for a disabled span.
        if !span.is_disabled() {
            describe(&span, call, keyspace());
        }
        Self(span)
    }

    /// Makes it the current span of this thread.
    pub fn enter(&self) -> Entered<'_> {
        self.0.enter()
    }

    /// A node replied.
    pub fn answered(&self, result: &QueryResult) {
        if self.0.is_disabled() {
            return;
        }
        end::at(&self.0, result.node());
        if result.attempts() > 1 {
            self.0.record("spikewire.attempts", result.attempts());
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
        if error.attempts() > 1 {
            self.0.record("spikewire.attempts", error.attempts());
        }
        if let Some(server) = error.server() {
            let code = format_args!("{:#06x}", server.code.number());
            self.0.record("db.response.status_code", display(code));
        }
        if let Some(address) = error.node().and_then(|node| node.parse().ok()) {
            end::at(&self.0, address);
        }
    }
}

fn describe(span: &Span, call: SessionCall<'_>, keyspace: Option<Arc<str>>) {
    let summary = match call {
        SessionCall::Prepare(text) => Summary { operation: "PREPARE".into(), ..Summary::of(text) },
        SessionCall::Execute(text, _) | SessionCall::Read(text, _) => Summary::of(text),
        SessionCall::Batch(statements) => {
            span.record("db.operation.batch.size", statements);
            Summary { operation: "BATCH".into(), ..Summary::default() }
        }
    };
    span.record("otel.name", display(&summary));
    span.record("db.query.summary", display(&summary));
    span.record("db.operation.name", &*summary.operation);
    if !summary.keyspace.is_empty() {
        span.record("db.namespace", &*summary.keyspace);
    } else if let Some(keyspace) = keyspace {
        span.record("db.namespace", &*keyspace);
    }
    if !summary.table.is_empty() {
        span.record("db.collection.name", &*summary.table);
    }
    // Values must not appear in traces: without separate values, they are in the text.
    if let SessionCall::Prepare(text)
    | SessionCall::Execute(text, true)
    | SessionCall::Read(text, true) = call
    {
        span.record("db.query.text", text);
    }
}
