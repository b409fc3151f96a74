//! What a command is besides its record and its operations: flags, rules, filter, limits. All
//! checks of options are here, and a command's bytes are made here: see [`CommandSpec::compose`] for
//! one record, [`CommandSpec::row`] for the rows of a batch.

use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike_protocol::batch::Kind;
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::message::{Header, field, info1, info2};
use spikewire_aerospike_protocol::request::{Request, server_timeout};

use super::batch::RowKind;
use super::rules::{ExistsRule, GenerationRule, ReadMode, ReadTouch, Ttl, write_header};
use super::{OperationRef, Refusal, RetryOptions, SetRef, Target};
use crate::hedging::Hedge;
use crate::options::{Policy, ReplicaPolicy};
use crate::transport::buffer;

/// What every command inherits from its client.
#[derive(Debug, Clone, Copy, Default)]
pub struct CommandDefaults {
    /// Limits.
    pub policy: Policy,
    /// Whether writes store the user key with the record.
    pub send_key: bool,
    /// How sure reads are.
    pub read_mode: ReadMode,
    /// When reads of one record have a second request.
    pub hedge: Hedge,
}

/// What one read does differently.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The filter expression, encoded.
    pub filter: Option<Arc<[u8]>>,
    /// Whether it renews the time to live.
    pub touch: Option<ReadTouch>,
    /// How sure it is.
    pub mode: Option<ReadMode>,
    /// Where it goes.
    pub replica: Option<ReplicaPolicy>,
    /// Its total time; zero: no limit.
    pub timeout: Option<Duration>,
    /// How it is tried again. Boxed, for it is rare.
    pub retry: Option<Box<RetryOptions>>,
    /// When it has a second request.
    pub hedge: Option<Hedge>,
}

/// What operations that only read do differently, besides what all commands can.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadRules {
    /// Whether they renew the time to live.
    pub touch: Option<ReadTouch>,
    /// How sure they are.
    pub mode: Option<ReadMode>,
    /// When they have a second request.
    pub hedge: Option<Hedge>,
}

/// What one write does differently.
#[derive(Debug, Clone, Default)]
pub struct WriteOptions {
    /// How long the record lives afterwards.
    pub ttl: Ttl,
    /// Which generation the record must have.
    pub generation: GenerationRule,
    /// What happens if it is there, or is not.
    pub exists: ExistsRule,
    /// Whether a deletion leaves a tombstone.
    pub durable: bool,
    /// Whether the user key is stored.
    pub send_key: Option<bool>,
    /// The filter expression, encoded.
    pub filter: Option<Arc<[u8]>>,
    /// Where it goes on retries.
    pub replica: Option<ReplicaPolicy>,
    /// Its total time; zero: no limit.
    pub timeout: Option<Duration>,
    /// How it is tried again. Boxed, for it is rare.
    pub retry: Option<Box<RetryOptions>>,
}

impl WriteOptions {
    /// Refuses a rule about existence for a command that cannot keep it.
    fn check_no_exists(&self, command: &str) -> Result<(), Refusal> {
        if self.exists == ExistsRule::Merge {
            return Ok(());
        }
        Err(Refusal::of_value(format!("exists does not apply to {command}")))
    }

    /// Refuses what a command that only reads cannot keep.
    fn check_reads(&self) -> Result<(), Refusal> {
        let none = self.ttl == Ttl::Default
            && self.generation == GenerationRule::Any
            && self.exists == ExistsRule::Merge
            && !self.durable
            && self.send_key != Some(true);
        if none {
            return Ok(());
        }
        Err(Refusal::of_value(
            "ttl, generation, exists, durable and send_key apply to writes, and these operations \
             only read",
        ))
    }
}

/// Which bins a read gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinSelection {
    /// All of them.
    All,
    /// Those that are read by operations of their own.
    Named,
    /// None: only generation and time to live.
    None,
}

impl BinSelection {
    /// What a caller means that names so many bins, or does not name any.
    pub fn of(named: Option<usize>) -> Self {
        match named {
            None => Self::All,
            Some(0) => Self::None,
            Some(_) => Self::Named,
        }
    }
}

/// What a request is besides its record and its operations.
#[derive(Debug, Clone)]
pub struct CommandSpec {
    /// Flags, generation, expiration.
    pub header: Header,
    /// Whether it writes.
    pub write: bool,
    /// Whether the user key goes along.
    pub send_key: bool,
    /// The filter expression, encoded.
    pub filter: Option<Arc<[u8]>>,
    /// Its limits.
    pub policy: Policy,
    /// When it has a second request.
    pub hedge: Hedge,
}

/// A composed request for one record, ready to be sent.
#[derive(Debug)]
pub struct Prepared {
    /// The whole frame.
    pub bytes: Vec<u8>,
    /// The record, for routing.
    pub target: Target,
    /// Its limits.
    pub policy: Policy,
}

impl CommandSpec {
    /// A read of bins.
    #[inline]
    pub fn get(
        defaults: &CommandDefaults,
        options: &ReadOptions,
        bins: BinSelection,
    ) -> Result<Self, Refusal> {
        let bits = match bins {
            BinSelection::All => info1::GET_ALL,
            BinSelection::Named => 0,
            BinSelection::None => info1::NO_BINS,
        };
        Self::read(defaults, options, info1::READ | bits)
    }

    /// A read that only tells whether the record is there.
    pub fn exists(defaults: &CommandDefaults, options: &ReadOptions) -> Result<Self, Refusal> {
        Self::get(defaults, options, BinSelection::None)
    }

    // Inlined, for options and rules are large: they are not moved through every return.
    #[inline(always)]
    fn read(defaults: &CommandDefaults, options: &ReadOptions, info1: u8) -> Result<Self, Refusal> {
        let header = Header { info1, ..Header::default() };
        let policy =
            limits(&defaults.policy, options.timeout, options.replica, options.retry.as_deref());
        let filter = options.filter.clone();
        let hedge = Hedge::NEVER;
        let mut spec = Self { header, write: false, send_key: false, filter, policy, hedge };
        let (touch, mode, hedge) = (options.touch, options.mode, options.hedge);
        spec.reads(defaults, &ReadRules { touch, mode, hedge })?;
        Ok(spec)
    }

    /// A write of bins: put, add, append, prepend.
    #[inline(always)]
    pub fn write(defaults: &CommandDefaults, options: &WriteOptions) -> Result<Self, Refusal> {
        let header =
            write_header(options.ttl, options.generation, options.exists, options.durable)?;
        Ok(Self {
            header,
            write: true,
            send_key: options.send_key.unwrap_or(defaults.send_key),
            filter: options.filter.clone(),
            policy: limits(
                &defaults.policy,
                options.timeout,
                options.replica,
                options.retry.as_deref(),
            ),
            hedge: Hedge::NEVER,
        })
    }

    /// A deletion. It stores no key; with `send_key` the server compares the stored one.
    pub fn delete(defaults: &CommandDefaults, options: &WriteOptions) -> Result<Self, Refusal> {
        options.check_no_exists("delete")?;
        let mut spec = Self::write(defaults, options)?;
        spec.header.info2 |= info2::DELETE;
        // A record that is gone has none.
        spec.header.ttl = 0;
        spec.send_key = options.send_key == Some(true);
        Ok(spec)
    }

    /// A renewal of the time to live.
    pub fn touch(defaults: &CommandDefaults, options: &WriteOptions) -> Result<Self, Refusal> {
        options.check_no_exists("touch")?;
        Self::write(defaults, options)
    }

    /// A call of a function.
    pub fn apply(defaults: &CommandDefaults, options: &WriteOptions) -> Result<Self, Refusal> {
        options.check_no_exists("apply")?;
        Self::write(defaults, options)
    }

    /// The same for every row of a batch.
    pub fn apply_many(defaults: &CommandDefaults, options: &WriteOptions) -> Result<Self, Refusal> {
        let mut spec = Self::apply(defaults, options)?;
        spec.header.info2 |= info2::RESPOND_ALL_OPS;
        Ok(spec)
    }

    /// Several operations on a record, and which of them the server answers: none where all bins
    /// are read, as these come as they are. `rules` are for operations that only read.
    pub fn operate<'a>(
        defaults: &CommandDefaults,
        options: &WriteOptions,
        rules: &ReadRules,
        steps: impl Iterator<Item = OperationRef<'a>>,
    ) -> Result<(Self, Vec<bool>), Refusal> {
        let (mut reads, mut reads_all, mut gives, mut writes) = (false, false, false, false);
        let mut answered = Vec::with_capacity(steps.size_hint().0);
        for step in steps {
            reads |= step.reads();
            reads_all |= step.reads_all();
            gives |= step.gives();
            writes |= !step.reads();
            answered.push(step.is_answered());
        }
        if answered.is_empty() {
            return Err(Refusal::of_value("operations must not be empty"));
        }
        if reads_all && gives {
            return Err(Refusal::of_value(
                "a read of every bin cannot be mixed with operations that give results: name the \
                 bins to read",
            ));
        }
        let mut spec = Self::write(defaults, options)?;
        if writes {
            if *rules != ReadRules::default() {
                return Err(Refusal::of_value(
                    "read_touch, read_mode and hedge apply to reads, and these operations write",
                ));
            }
        } else {
            options.check_reads()?;
            spec.header = Header::default();
            (spec.write, spec.send_key) = (false, false);
            spec.reads(defaults, rules)?;
        }
        if reads {
            spec.header.info1 |= info1::READ | if reads_all { info1::GET_ALL } else { 0 };
        }
        if reads_all {
            return Ok((spec, Vec::new()));
        }
        spec.header.info2 |= info2::RESPOND_ALL_OPS;
        Ok((spec, answered))
    }

    /// Rules about reading.
    #[inline(always)]
    fn reads(&mut self, defaults: &CommandDefaults, rules: &ReadRules) -> Result<(), Refusal> {
        self.header.ttl = rules.touch.unwrap_or_default().slot()?;
        let mode = rules.mode.unwrap_or(defaults.read_mode);
        mode.apply(&mut self.header, &mut self.policy);
        self.hedge = rules.hedge.unwrap_or(defaults.hedge);
        Ok(())
    }

    /// The request for one record; `write` adds the operations. `stored_key` is the user key as it
    /// goes along, for a spec with `send_key`.
    #[inline]
    pub fn compose<E: From<Refusal>>(
        &self,
        set: &SetRef,
        digest: &Digest,
        stored_key: Option<&[u8]>,
        write: impl FnOnce(&mut Request<'_>) -> Result<(), E>,
    ) -> Result<Prepared, E> {
        let mut bytes = buffer::take();
        let timeout = server_timeout(self.policy.timeout);
        let mut request = Request::begin(&mut bytes, &Header { timeout, ..self.header });
        request.encoded_fields(2, &set.fields);
        request.digest(digest);
        if let Some(filter) = &self.filter {
            request.field(field::FILTER, filter);
        }
        if let Some(key) = stored_key {
            request.field(field::KEY, key);
        }
        let composed = write(&mut request);
        let composed =
            composed.and_then(|()| request.finish().map_err(|error| Refusal::from(error).into()));
        if let Err(error) = composed {
            buffer::give(bytes);
            return Err(error);
        }
        let target = Target::record(set.namespace.clone(), digest.partition(), self.write);
        let target = target.with_hedge(self.hedge);
        Ok(Prepared { bytes, target, policy: self.policy })
    }

    /// What is done to rows of a batch; `write` adds the operations. With a `stored_key` it is for
    /// one row only.
    #[inline]
    pub fn row<E: From<Refusal>>(
        &self,
        set: &SetRef,
        stored_key: Option<&[u8]>,
        write: impl FnOnce(&mut Kind) -> Result<(), E>,
    ) -> Result<RowKind, E> {
        let mut row = Kind::default();
        self.begin_row(set, stored_key, &mut row);
        write(&mut row)?;
        row.finish().map_err(Refusal::from)?;
        let (namespace, replica) = (set.namespace.clone(), self.policy.replica);
        Ok(RowKind { row, namespace, write: self.write, replica })
    }

    /// The part of a row in front of its operations, in a buffer that may be used again.
    pub fn begin_row(&self, set: &SetRef, stored_key: Option<&[u8]>, row: &mut Kind) {
        row.restart(&self.header, &set.fields);
        if let Some(filter) = &self.filter {
            row.field(field::FILTER, filter);
        }
        if let Some(key) = stored_key {
            row.field(field::KEY, key);
        }
    }
}

/// The limits of one call: the client's defaults, changed by what the caller gave.
#[inline]
pub fn limits(
    base: &Policy,
    timeout: Option<Duration>,
    replica: Option<ReplicaPolicy>,
    retry: Option<&RetryOptions>,
) -> Policy {
    let mut policy = *base;
    if let Some(timeout) = timeout {
        policy.timeout = timeout;
    }
    if let Some(replica) = replica {
        policy.replica = replica;
    }
    if let Some(retry) = retry {
        retry.apply(&mut policy);
    }
    policy
}

#[cfg(test)]
#[path = "spec_tests.rs"]
mod tests;
