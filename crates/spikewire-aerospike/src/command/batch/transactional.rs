//! Rows as part of a transaction.

use std::collections::HashMap;
use std::sync::Arc;

use spikewire_aerospike_protocol::batch as wire;
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::message::{Header, Message};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::transaction::{CommandFields, ReplyFields, command};
use spikewire_transport::Priority;

use super::{Answer, Batch, RowKind, RowState};
use crate::clock::Tick;
use crate::command::Prepared;
use crate::model::{Error, Kind, ReplicaPolicy, Result};

/// The record of a row.
#[derive(Debug, Clone, Copy)]
pub struct RowRecord<'a> {
    /// The record.
    pub digest: Digest,
    /// Its namespace.
    pub namespace: &'a Arc<str>,
    /// Namespace and set, encoded.
    pub address: &'a [u8],
    /// Whether the row writes.
    pub write: bool,
}

/// What became of a row, for its transaction.
#[derive(Debug, Clone, Copy)]
pub struct RowReport {
    /// The server's code; `None` without a reply.
    pub code: Option<ResultCode>,
    /// What the reply says; `None` if it cannot be read.
    pub reported: Option<ReplyFields>,
    /// Whether a write may have been applied by an attempt without a reply.
    pub doubt: bool,
}

impl Batch {
    /// The batch of one row that does what this request does.
    pub(crate) fn of_request(prepared: &Prepared, now: Tick) -> Result<Self> {
        let Prepared { bytes, target, policy } = prepared;
        let body = bytes.get(spikewire_aerospike_protocol::frame::HEADER_LEN..).unwrap_or_default();
        let (mut row, digest) = wire::Kind::of_request(body)?;
        row.finish()?;
        let Ok((namespace, _)) = target.aim.partition() else {
            return Err(Error::new(Kind::Transaction, "the command is for a node, not a record"));
        };
        let namespace = namespace.clone();
        let replica = ReplicaPolicy::Master;
        let needs = target.needs;
        let kind = RowKind { row, namespace, write: target.write, replica, needs };
        let mut policy = *policy;
        // A batch would be work in the background.
        policy.priority = policy.priority.or(Priority::Interactive);
        Ok(Self::new(vec![kind], [(digest, 0)].into_iter(), policy, now))
    }

    /// The records of its rows.
    pub(crate) fn records(&self) -> impl Iterator<Item = RowRecord<'_>> {
        self.rows.iter().map(|row| {
            let kind = &self.kinds[row.kind as usize];
            RowRecord {
                digest: row.digest,
                namespace: &kind.namespace,
                address: kind.row.address(),
                write: kind.write,
            }
        })
    }

    /// Its rows become part of a transaction; `about` says what each row says about it. They go to
    /// masters.
    pub(crate) fn join(
        &mut self,
        mut about: impl FnMut(&Digest, bool) -> CommandFields,
    ) -> Result<()> {
        self.policy.replica = ReplicaPolicy::Master;
        let mut kinds = Vec::new();
        let mut known = HashMap::new();
        for row in &mut self.rows {
            let old = &self.kinds[row.kind as usize];
            let about = about(&row.digest, old.write);
            if let Some(number) = known.get(&(row.kind, about)) {
                row.kind = *number;
                continue;
            }
            let number = kinds.len() as u32;
            kinds.push(RowKind {
                row: command(&old.row, &about)?,
                namespace: old.namespace.clone(),
                write: old.write,
                replica: ReplicaPolicy::Master,
                needs: old.needs,
            });
            known.insert((row.kind, about), number);
            row.kind = number;
        }
        self.kinds = kinds;
        Ok(())
    }

    /// Its limits.
    pub(crate) fn policy(&self) -> &crate::model::Policy {
        &self.policy
    }

    /// Ends it before it is sent: no row was, and each has this error.
    pub(crate) fn fail(&mut self, error: &Error) {
        self.rows.iter_mut().for_each(|row| row.state = RowState::Failed(error.clone()));
    }

    /// What became of its rows.
    pub(crate) fn reports(&self) -> impl Iterator<Item = RowReport> {
        (0..self.rows.len()).map(|index| match self.answer(index) {
            Ok(Answer::Reply(bytes)) => RowReport {
                code: Some(Header::result_of(bytes)),
                reported: Message::parse(bytes).and_then(|(reply, _)| ReplyFields::of(&reply)).ok(),
                doubt: self.rows[index].doubt,
            },
            answer => RowReport {
                code: None,
                reported: Some(ReplyFields::default()),
                doubt: self.rows[index].doubt
                    || matches!(answer, Ok(Answer::Failed(error)) if error.in_doubt()),
            },
        })
    }
}
