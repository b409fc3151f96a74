//! Implements the transport's traits for Aerospike: frames, result codes, nodes. Routing is in
//! `route.rs`.

use std::net::SocketAddr;

use spikewire_aerospike_protocol::manage::Page;
use spikewire_aerospike_protocol::message::{self, Header, info3};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::{auth, info};
use spikewire_transport::metrics::{About, Gauges};
use spikewire_transport::protocol::{
    Disposition, Malformed, ReplyKind, RequestInfo, RequestKind, Sharing,
};
use spikewire_transport::topology::Endpoint;
use spikewire_transport::{
    Breaker, CommandError, Encryption, Fault, FaultKind, Health, Protocol,
};

use super::{LARGE, MANY, about, explain};
use crate::cluster::{Cluster, Node};
use crate::framing::Aerospike;
use crate::model::{Error, Kind};
use crate::route::Target;

impl Protocol for Aerospike {
    type Topology = Cluster;
    type Code = ResultCode;

    fn new(_: &Cluster, node: &Node) -> Self {
        Self::new(&node.access)
    }

    #[inline]
    fn classify(&mut self, body: &[u8], request: RequestInfo) -> Result<Disposition, Malformed> {
        if self.is_service_frame
            != (matches!(request.kind, RequestKind::Accounts | RequestKind::Info))
        {
            return Err(Malformed("a message in answer to an info request, or the reverse".into()));
        }
        if self.is_service_frame {
            return self.classify_service_reply(body, request);
        }
        if body.len() < message::HEADER_LEN {
            return Err(Malformed("a reply shorter than its header".into()));
        }
        let code = Header::result_of(body);
        if code == ResultCode::OK && !request.many {
            return Ok(Disposition { outcome: ReplyKind::Done, closes: false });
        }
        if request.many && !is_last(body) && !refuses_all(body) {
            // Each contains at least one row.
            if request.parts >= request.rows {
                return Err(Malformed("a batch's reply of more messages than it has rows".into()));
            }
            return Ok(Disposition { outcome: ReplyKind::More, closes: false });
        }
        let outcome = if code.is_retryable() && !request.many {
            ReplyKind::Retry { doubtful: is_doubtful(code) }
        } else {
            ReplyKind::Done
        };
        Ok(Disposition { outcome, closes: code.closes_connection() })
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
            explain::describe(code, request)
        } else {
            None
        }
    }

    fn about<'a>(bytes: &'a [u8], target: &'a Target, rows: usize, kind: RequestKind) -> About<'a> {
        about::about(bytes, target, rows, kind)
    }

    fn result(body: &[u8]) -> &'static str {
        about::label(if has_code(body) { Header::result_of(body) } else { security_code(body) })
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

impl Aerospike {
    /// What follows from a reply that is no message.
    #[cold]
    fn classify_service_reply(
        &self,
        body: &[u8],
        request: RequestInfo,
    ) -> Result<Disposition, Malformed> {
        if self.security != (request.kind == RequestKind::Accounts) {
            return Err(Malformed("an answer to another kind of request".into()));
        }
        let needs_login = if self.security {
            let end = security_end(body, request.many)?;
            if end.is_none() {
                return Ok(Disposition { outcome: ReplyKind::More, closes: false });
            }
            end.is_some_and(ResultCode::needs_login)
        } else {
            info_needs_login(body)
        };
        if self.logs_in && needs_login {
            let outcome = ReplyKind::Retry { doubtful: false };
            return Ok(Disposition { outcome, closes: true });
        }
        Ok(Disposition { outcome: ReplyKind::Done, closes: false })
    }
}

/// How a reply about users and roles ends; `None`: with a further frame.
fn security_end(body: &[u8], many: bool) -> Result<Option<ResultCode>, Malformed> {
    let malformed =
        |error: spikewire_aerospike_protocol::Malformed| Malformed(error.to_string().into());
    if many {
        return Page::parse(body).map(|page| page.end).map_err(malformed);
    }
    auth::Reply::parse(body).map(|reply| Some(reply.result)).map_err(malformed)
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

/// Whether this info reply means that the connection is not, or no longer, logged in.
#[cold]
fn info_needs_login(body: &[u8]) -> bool {
    let answer = String::from_utf8_lossy(body);
    info::error_codes(&answer).any(|code| ResultCode(code).needs_login())
}

/// Whether a reply message has the flag of the last of several.
fn is_last(body: &[u8]) -> bool {
    body[3] & info3::LAST != 0
}

/// Whether a frame of a batch reply without the last flag rejects the whole batch. Rows are
/// numbered from 1 on the wire, so it is not the reply to one of them.
fn refuses_all(body: &[u8]) -> bool {
    Header::result_of(body) != ResultCode::OK && body[14..18] == [0; 4]
}

/// The server's own timeout does not say whether it wrote.
fn is_doubtful(code: ResultCode) -> bool {
    code == ResultCode::TIMEOUT
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
        matches!(self.kind(), Kind::NoNamespace | Kind::Closed | Kind::Invalid | Kind::Busy)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use spikewire_transport::{Attempts, ServerFailure, Tick};

    use super::*;
    use crate::command::{Failure, Verdict};
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
        let policy = Policy { retry_in_doubt: true, ..policy() };
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
        let mut attempts = Attempts { count: 1, step: 1, in_doubt: false };
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
