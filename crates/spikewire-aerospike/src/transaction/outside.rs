//! What is no part of transactions, and how hosts say so.

use super::Transaction;
use crate::model::{Error, Kind, Result};

/// What is no part of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outsider {
    /// A query: servers answer it with what is committed, and cannot verify what it has read.
    Query,
    /// A job in the background: it goes on for longer than a transaction can.
    Job,
    /// Pickling: a transaction lives in one process.
    Pickling,
    /// A dataset, or a client, whose connections are not those of the transaction.
    OtherClient,
}

impl Outsider {
    /// From its name in a host.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "query" => Self::Query,
            "job" => Self::Job,
            "client" => Self::OtherClient,
            _ => return None,
        })
    }

    /// Why it is refused.
    #[cold]
    pub fn error(self) -> Error {
        let why = match self {
            Self::Query => "a query is no part of transactions",
            Self::Job => "a background job is no part of transactions",
            Self::Pickling => "pickling is no part of transactions",
            Self::OtherClient => "the transaction is one of another client",
        };
        Error::new(Kind::Transaction, why)
    }
}

/// Refuses what is no part of a transaction, if there is one.
#[inline]
pub fn outside<T: AsRef<Transaction>>(transaction: Option<&T>, what: Outsider) -> Result<()> {
    if transaction.is_none() { Ok(()) } else { Err(what.error()) }
}
