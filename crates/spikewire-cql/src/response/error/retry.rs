//! Whether a request that failed with an error may be sent again.

use super::ServerError;
use super::code::Code;
use super::details::{Details, WriteType};

/// What may be done about an error, once; how often is up to the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// Nothing: the result would be the same, or the request must not be executed twice.
    Never,
    /// Prepare the statement on this node, then execute it again, which does not count as a retry.
    Prepare,
    /// Ask the same node again, whatever the request is.
    SameNode,
    /// Ask another node, whatever the request is: nothing was started.
    NextNode,
    /// Ask the same node again, if the request is idempotent.
    SameNodeIfIdempotent,
    /// Ask another node, if the request is idempotent.
    NextNodeIfIdempotent,
}

impl Retry {
    /// Whether the request has to be idempotent.
    pub const fn takes_idempotence(self) -> bool {
        matches!(self, Self::SameNodeIfIdempotent | Self::NextNodeIfIdempotent)
    }
}

impl ServerError {
    /// What may be done about it.
    pub fn retry(&self) -> Retry {
        match (self.code, &self.details) {
            (Code::Unprepared, _) => Retry::Prepare,
            (Code::Unavailable | Code::Bootstrapping, _) => Retry::NextNode,
            (Code::Server | Code::Overloaded, _) => Retry::NextNodeIfIdempotent,
            (Code::ReadTimeout, Details::ReadTimeout { replicas, data_present }) => {
                // Enough replicas responded, but not the one with the data, which the node now
                // knows.
                let is_useful = replicas.received >= replicas.required && !data_present;
                match is_useful {
                    // A conditional statement also reads.
                    true if replicas.consistency.is_serial() => Retry::SameNodeIfIdempotent,
                    true => Retry::SameNode,
                    false => Retry::Never,
                }
            }
            (Code::WriteTimeout, Details::WriteTimeout { write_type, .. }) => match write_type {
                WriteType::Simple | WriteType::UnloggedBatch | WriteType::View | WriteType::Cdc => {
                    Retry::NextNodeIfIdempotent
                }
                WriteType::BatchLog => Retry::SameNodeIfIdempotent,
                WriteType::Batch | WriteType::Counter | WriteType::Cas | WriteType::Other(_) => {
                    Retry::Never
                }
            },
            _ => Retry::Never,
        }
    }

    /// Whether a write that failed with this error may have been applied nevertheless, or will be.
    pub fn is_doubtful(&self) -> bool {
        match (self.code, &self.details) {
            (
                Code::Server
                | Code::Overloaded
                | Code::Truncate
                | Code::WriteTimeout
                | Code::WriteFailure
                | Code::CdcWriteFailure
                | Code::CasWriteUnknown
                | Code::Other(_),
                _,
            ) => true,
            // A replica may have taken it before another one rejected it.
            (Code::RateLimit(_), Details::RateLimit { by_coordinator, .. }) => !by_coordinator,
            // The read of a conditional statement, which may have got further before.
            (_, Details::ReadTimeout { replicas, .. } | Details::ReadFailure { replicas, .. }) => {
                replicas.consistency.is_serial()
            }
            _ => false,
        }
    }
}
