//! Attributes of spans for both databases: outcome and node.

use std::net::SocketAddr;

use spikewire_transport::CommandError;
use tracing::Span;
use tracing::field::display;

/// A verb succeeded.
pub(super) fn done(span: &Span) {
    span.record("result", "ok");
}

/// It failed. `message` is the error's own, without attempts and nodes.
pub(super) fn failed(span: &Span, error: &impl CommandError, message: &str) {
    let label = error.label();
    span.record("otel.status_code", "ERROR");
    span.record("result", label);
    span.record("error.type", label);
    span.record("error.message", message);
}

/// A node replied, or failed to.
pub(super) fn at(span: &Span, address: SocketAddr) {
    span.record("server.address", display(address.ip()));
    span.record("server.port", address.port());
}
