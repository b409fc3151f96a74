//! Implements the transport's traits for Aerospike: result codes, nodes, errors. Frames are in
//! `framing.rs`, routing is in `route.rs`.

use std::net::SocketAddr;
use std::ops::Range;

use spikewire_aerospike_protocol::auth;
use spikewire_aerospike_protocol::features::Features;
use spikewire_aerospike_protocol::frame::HEADER_LEN;
use spikewire_aerospike_protocol::message::{self, Header};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_transport::metrics::{About, Gauges, Subject};
use spikewire_transport::protocol::{RequestKind, Sharing};
use spikewire_transport::ready::ReadyConnections;
use spikewire_transport::topology::Endpoint;
use spikewire_transport::{Breaker, CommandError, Encryption, Fault, FaultKind, Health, Protocol};

use super::{LARGE, MANY, about, explain};
use crate::cluster::{Cluster, Node};
use crate::framing::Aerospike;
use crate::model::{Error, Kind};
use crate::route::Target;

impl Protocol for Aerospike {
    type Topology = Cluster;
    type Code = ResultCode;

    fn new(cluster: &Cluster, node: &Node) -> Self {
        let threshold = cluster.options().compression_threshold;
        Self::new(&node.access)
            .with_compression(node.features.has(Features::COMPRESSION).then_some(threshold))
            .with_details(node.features.has(Features::ERROR_DETAILS))
    }

    #[inline(always)]
    fn write_request(&mut self, request: &[u8], kind: RequestKind, out: &mut Vec<u8>) {
        if kind == RequestKind::Data {
            self.write_data(request, out);
        } else {
            out.extend_from_slice(request);
        }
    }

    #[inline]
    fn code(body: &[u8]) -> ResultCode {
        Header::result_of(body)
    }

    fn server_error(body: &[u8]) -> Error {
        // Of other replies, there is one that is refused.
        if has_code(body) {
            Error::replied(body)
        } else {
            Error::server(ResultCode::NOT_AUTHENTICATED)
        }
    }

    #[inline]
    fn explain(body: &[u8], request: &[u8]) -> Option<Error> {
        // Bodies of info replies are text.
        if body.len() < message::HEADER_LEN {
            return None;
        }
        let code = Header::result_of(body);
        if matches!(code, ResultCode::BIN_TYPE | ResultCode::RECORD_TOO_BIG) {
            explain::describe(code, request).map(|error| error.detailed(body))
        } else {
            None
        }
    }

    /// A hot key (`KEY_BUSY`) says nothing about the node.
    fn is_overload(body: &[u8]) -> bool {
        has_code(body) && Header::result_of(body) == ResultCode::DEVICE_OVERLOAD
    }

    fn about<'a>(bytes: &'a [u8], target: &'a Target, rows: usize, kind: RequestKind) -> About<'a> {
        about::about(bytes, target, rows, kind)
    }

    fn subject(bytes: &[u8], kind: RequestKind, row: usize) -> Subject<'_> {
        about::subject(bytes, kind, row).unwrap_or_default()
    }

    fn result(body: &[u8]) -> &'static str {
        about::label(if has_code(body) { Header::result_of(body) } else { security_code(body) })
    }

    fn time_limit(_: &[u8]) -> Range<usize> {
        let at = HEADER_LEN + message::TIMEOUT_AT;
        at..at + size_of::<u32>()
    }

    #[inline]
    fn sharing(len: usize, rows: usize, kind: RequestKind) -> Sharing {
        if kind != RequestKind::Data {
            Sharing::Control
        } else if rows > MANY || len > LARGE {
            Sharing::Alone
        } else {
            Sharing::Shared
        }
    }
}

/// The code of a reply about users and roles, whose list ends as it should; other bodies have none.
fn security_code(body: &[u8]) -> ResultCode {
    match body {
        [0, code, ..] if body.len() >= auth::HEADER_LEN => match ResultCode(*code) {
            ResultCode::QUERY_END => ResultCode::OK,
            code => code,
        },
        _ => ResultCode::OK,
    }
}

/// Whether a reply is a message. Others have no code there.
fn has_code(body: &[u8]) -> bool {
    body.first() == Some(&(message::HEADER_LEN as u8)) && body.len() >= message::HEADER_LEN
}

impl Endpoint for Node {
    #[inline]
    fn key(&self) -> u32 {
        self.slot
    }

    fn address(&self) -> SocketAddr {
        self.address
    }

    fn encryption(&self) -> Option<Encryption> {
        self.access.encryption()
    }

    #[inline]
    fn is_active(&self) -> bool {
        Self::is_active(self)
    }

    fn gauges(&self) -> Option<&Gauges> {
        Some(&self.gauges)
    }

    fn ready_connections(&self) -> Option<&ReadyConnections> {
        Some(&self.ready)
    }

    #[inline]
    fn breaker(&self) -> &Breaker {
        &self.breaker
    }

    #[inline]
    fn health(&self) -> &Health {
        &self.health
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        let kind = match fault.kind {
            FaultKind::Timeout => Kind::Timeout,
            FaultKind::Connection => Kind::Connection,
            FaultKind::Busy => Kind::Busy,
            FaultKind::Overloaded => Kind::Overloaded,
            FaultKind::BreakerOpen => Kind::CircuitOpen,
            FaultKind::Malformed => Kind::Malformed,
            FaultKind::Closed => Kind::Closed,
            FaultKind::Withdrawn => Kind::Interrupted,
        };
        let error = Self::new(kind, fault.message).because(fault.cause);
        match fault.node {
            Some(node) => error.on(node),
            None => error,
        }
    }
}

impl CommandError for Error {
    fn after(self, attempts: u32, in_doubt: bool) -> Self {
        Self::after(self, attempts, in_doubt)
    }

    fn tried(&self) -> (u32, bool) {
        (self.attempts(), self.in_doubt())
    }

    fn on(self, node: String) -> Self {
        Self::on(self, node)
    }

    fn without_budget(self) -> Self {
        self.with_note("; not sent again, because the client's retry_budget is used up")
    }

    fn label(&self) -> &'static str {
        match self.kind() {
            Kind::Server(code) => about::label(code),
            Kind::Interrupted => "withdrawn",
            kind => kind.name(),
        }
    }

    fn node(&self) -> Option<&str> {
        Self::node(self)
    }

    fn is_final(&self) -> bool {
        matches!(
            self.kind(),
            Kind::NoNamespace
                | Kind::Unsupported
                | Kind::Closed
                | Kind::Invalid
                | Kind::Busy
                | Kind::Overloaded
        )
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use spikewire_transport::{Attempts, CommandFlags, ServerFailure, Tick};

    use super::*;
    use crate::command::{Failure, Verdict};
    use crate::framing::is_doubtful;
    use crate::model::{Policy, ReplicaPolicy};

    const NOW: Tick = Tick(1_000);

    fn policy() -> Policy {
        Policy { max_retries: 1, sleep: Duration::from_micros(10).into(), ..Policy::default() }
    }

    fn lost() -> Failure {
        Failure::Lost(Error::new(Kind::Connection, "cut"))
    }

    fn not_sent() -> Failure {
        Failure::NotSent(Error::new(Kind::Connection, "refused"))
    }

    /// The failure of an attempt with this result code.
    fn rejection(code: ResultCode) -> Failure {
        let (retryable, doubtful) = (code.is_retryable(), is_doubtful(code));
        Failure::Server(ServerFailure { error: Error::server(code), retryable, doubtful })
    }

    fn fails(verdict: Verdict) -> Error {
        match verdict {
            Verdict::Fail(error) => error,
            Verdict::Retry(at) => panic!("retried at {at:?}"),
        }
    }

    #[test]
    fn a_lost_read_moves_to_the_next_replica_at_once() {
        let mut attempts = Attempts { count: 1, ..Attempts::default() };
        let verdict = attempts.failed(lost(), false, &policy(), Tick::NEVER, NOW);
        assert!(matches!(verdict, Verdict::Retry(NOW)));
        assert_eq!((attempts.step, attempts.in_doubt), (1, false));
        attempts.count = 2;
        let error = fails(attempts.failed(lost(), false, &policy(), Tick::NEVER, NOW));
        assert_eq!((error.attempts(), error.in_doubt()), (2, false));
    }

    #[test]
    fn a_lost_write_is_in_doubt_and_only_repeated_on_request() {
        let mut attempts = Attempts { count: 1, ..Attempts::default() };
        let error = fails(attempts.failed(lost(), true, &policy(), Tick::NEVER, NOW));
        assert!(error.in_doubt());
        let mut attempts = Attempts { count: 1, ..Attempts::default() };
        let policy = Policy { flags: CommandFlags::default().with_in_doubt(true), ..policy() };
        assert!(matches!(
            attempts.failed(lost(), true, &policy, Tick::NEVER, NOW),
            Verdict::Retry(_)
        ));
        attempts.count = 2;
        // The second attempt is rejected for good, but the first may still have been applied.
        let rejection = rejection(ResultCode::GENERATION);
        let error = fails(attempts.failed(rejection, true, &policy, Tick::NEVER, NOW));
        assert!(error.in_doubt());
    }

    #[test]
    fn a_write_that_never_left_is_retried_and_not_in_doubt() {
        let mut attempts = Attempts { count: 1, ..Attempts::default() };
        let verdict = attempts.failed(not_sent(), true, &policy(), Tick::NEVER, NOW);
        assert!(matches!(verdict, Verdict::Retry(_)));
        attempts.count = 2;
        assert!(!fails(attempts.failed(not_sent(), true, &policy(), Tick::NEVER, NOW)).in_doubt());
    }

    #[test]
    fn result_codes_decide_about_retries_and_doubt() {
        let ask = |code, write| {
            let mut attempts = Attempts { count: 1, ..Attempts::default() };
            let verdict = attempts.failed(rejection(code), write, &policy(), Tick::NEVER, NOW);
            (matches!(verdict, Verdict::Retry(_)), attempts.in_doubt)
        };
        assert_eq!(ask(ResultCode::PARTITION_UNAVAILABLE, true), (true, false));
        assert_eq!(ask(ResultCode::TIMEOUT, false), (true, false));
        assert_eq!(ask(ResultCode::TIMEOUT, true), (false, true));
        assert_eq!(ask(ResultCode::NOT_FOUND, false), (false, false));
    }

    #[test]
    fn no_retry_is_planned_beyond_the_deadline() {
        let mut attempts = Attempts { count: 1, step: 1, ..Attempts::default() };
        fails(attempts.failed(lost(), false, &policy(), Tick(10_999), NOW));
    }

    #[test]
    fn the_master_policy_stays_and_sleeps() {
        let policy = Policy { replica: ReplicaPolicy::Master, ..policy() };
        let mut attempts = Attempts { count: 1, ..Attempts::default() };
        let verdict = attempts.failed(lost(), false, &policy, Tick::NEVER, NOW);
        assert!(matches!(verdict, Verdict::Retry(Tick(11_000))));
        assert_eq!(attempts.step, 0);
    }
}
