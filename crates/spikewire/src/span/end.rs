//! What spans of both databases say of their end, and of the node that answered.

use std::net::SocketAddr;

use spikewire_transport::CommandError;
use tracing::Span;
use tracing::field::display;

/// A verb came to its end.
pub(super) fn done(span: &Span) {
    span.record("result", "ok");
}

/// It failed. `message` is the error's own, without what is said of attempts and nodes.
pub(super) fn failed(span: &Span, error: &impl CommandError, message: &str) {
    let label = error.label();
    span.record("otel.status_code", "ERROR");
    span.record("result", label);
    span.record("error.type", label);
    span.record("error.message", message);
}

/// A node answered, or was asked in vain.
pub(super) fn at(span: &Span, address: SocketAddr) {
    span.record("server.address", display(address.ip()));
    span.record("server.port", address.port());
}
