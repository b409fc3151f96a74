//! Error codes.

use std::fmt;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// The class of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// Something unexpected in the server; also for values that it cannot decode.
    Server,
    /// The request violates the protocol, or has an unsupported version.
    Protocol,
    /// The user name or password is wrong.
    BadCredentials,
    /// Too few replicas are alive; nothing was started.
    Unavailable,
    /// The coordinator is overloaded, or shutting down.
    Overloaded,
    /// The coordinator is still bootstrapping.
    Bootstrapping,
    /// Truncating a table failed.
    Truncate,
    /// Too few replicas acknowledged a write in time.
    WriteTimeout,
    /// Too few replicas responded to a read in time.
    ReadTimeout,
    /// Replicas failed during a read.
    ReadFailure,
    /// A function failed.
    FunctionFailure,
    /// Replicas failed during a write.
    WriteFailure,
    /// There is no space for change data capture.
    CdcWriteFailure,
    /// It is not known whether a conditional write was applied.
    CasWriteUnknown,
    /// The statement has a syntax error.
    Syntax,
    /// The user lacks permission.
    Unauthorized,
    /// The statement is not valid.
    Invalid,
    /// A setting is not valid.
    Config,
    /// The keyspace or table already exists.
    AlreadyExists,
    /// This node does not know the prepared statement.
    Unprepared,
    /// A partition is used too often. The number is one that a server announced
    /// ([`learn_rate_limit`]): Scylla has no fixed one.
    RateLimit(i32),
    /// An unknown code.
    Other(i32),
}

/// Every known code with its number and name.
const KNOWN: [(Code, i32, &str); 20] = [
    (Code::Server, 0x0000, "server error"),
    (Code::Protocol, 0x000a, "protocol error"),
    (Code::BadCredentials, 0x0100, "bad credentials"),
    (Code::Unavailable, 0x1000, "unavailable"),
    (Code::Overloaded, 0x1001, "overloaded"),
    (Code::Bootstrapping, 0x1002, "bootstrapping"),
    (Code::Truncate, 0x1003, "truncate error"),
    (Code::WriteTimeout, 0x1100, "write timeout"),
    (Code::ReadTimeout, 0x1200, "read timeout"),
    (Code::ReadFailure, 0x1300, "read failure"),
    (Code::FunctionFailure, 0x1400, "function failure"),
    (Code::WriteFailure, 0x1500, "write failure"),
    (Code::CdcWriteFailure, 0x1600, "CDC write failure"),
    (Code::CasWriteUnknown, 0x1700, "CAS write unknown"),
    (Code::Syntax, 0x2000, "syntax error"),
    (Code::Unauthorized, 0x2100, "unauthorized"),
    (Code::Invalid, 0x2200, "invalid request"),
    (Code::Config, 0x2300, "configuration error"),
    (Code::AlreadyExists, 0x2400, "already exists"),
    (Code::Unprepared, 0x2500, "unprepared"),
];

/// The numbers of [`Code::RateLimit`], 0 where there is none.
static RATE_LIMITS: [AtomicI32; 8] = [const { AtomicI32::new(0) }; 8];

/// Takes note that a server uses this number for [`Code::RateLimit`]. `false` if it is that of
/// another error, or if servers have announced too many.
pub fn learn_rate_limit(number: i32) -> bool {
    let is_free = number != 0 && !KNOWN.iter().any(|(_, known, _)| *known == number);
    let take = |slot: &AtomicI32| {
        let before = slot.compare_exchange(0, number, Relaxed, Relaxed);
        before.is_ok() || before == Err(number)
    };
    is_free && RATE_LIMITS.iter().any(take)
}

fn is_rate_limit(number: i32) -> bool {
    number != 0 && RATE_LIMITS.iter().any(|slot| slot.load(Relaxed) == number)
}

impl Code {
    /// Every known code.
    pub fn known() -> impl Iterator<Item = Self> {
        KNOWN.iter().map(|&(code, ..)| code)
    }

    /// The code with this number.
    pub fn from_number(number: i32) -> Self {
        let known = KNOWN.iter().find(|(_, known, _)| *known == number);
        known.map_or_else(
            || if is_rate_limit(number) { Self::RateLimit(number) } else { Self::Other(number) },
            |&(code, ..)| code,
        )
    }

    /// Its number on the wire.
    pub fn number(self) -> i32 {
        match self {
            Self::RateLimit(number) | Self::Other(number) => number,
            known => self.entry().map_or_else(|| unreachable!("{known:?}"), |entry| entry.1),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::RateLimit(_) => "rate limit",
            known => known.entry().map_or("unknown error", |entry| entry.2),
        }
    }

    fn entry(self) -> Option<&'static (Self, i32, &'static str)> {
        KNOWN.iter().find(|(code, ..)| *code == self)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (0x{:04x})", self.name(), self.number())
    }
}
