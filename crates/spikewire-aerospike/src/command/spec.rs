//! A command apart from its record and its operations: flags, rules, filter, limits. All options
//! are validated here, and the bytes of a command are produced here: see [`CommandSpec::compose`]
//! for one record, [`CommandSpec::row`] for batch rows.

use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike_protocol::batch::Kind;
use spikewire_aerospike_protocol::features::{self, Features};
use spikewire_aerospike_protocol::frame::HEADER_LEN;
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::message::{Header, Message, field, info1, info2, info3, info4};
use spikewire_aerospike_protocol::nesting;
use spikewire_aerospike_protocol::request::{Request, TooLarge, server_timeout};

use super::row_kind::RowKind;
use super::{InvalidArgument, OperationRef, RetryOptions, SetRef, Target};
use crate::marks;
use crate::model::{ExistsRule, GenerationRule, ReadMode, ReadTouch, Ttl, write_header};
use crate::model::{Hedge, ShareReads};
use crate::model::{Policy, ReplicaPolicy};
use crate::transport::buffer;

/// Defaults that commands inherit from the client.
#[derive(Debug, Clone, Copy, Default)]
pub struct CommandDefaults {
    /// Limits.
    pub policy: Policy,
    /// Whether writes store the user key with the record.
    pub send_key: bool,
    /// Consistency of reads.
    pub read_mode: ReadMode,
    /// When reads of one record are hedged.
    pub hedge: Hedge,
    /// Which requests reads of one record share.
    pub share: ShareReads,
}

/// Options of one read.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The filter expression, encoded.
    pub filter: Option<Arc<[u8]>>,
    /// Whether it renews the TTL.
    pub touch: Option<ReadTouch>,
    /// Its consistency.
    pub mode: Option<ReadMode>,
    /// The replica to use.
    pub replica: Option<ReplicaPolicy>,
    /// Its total time; zero: no limit.
    pub timeout: Option<Duration>,
    /// Retry options. Boxed because rarely used.
    pub retry: Option<Box<RetryOptions>>,
    /// When it is hedged.
    pub hedge: Option<Hedge>,
    /// Which requests it shares.
    pub share: Option<ShareReads>,
}

/// Options of read-only operations, besides those of all commands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadRules {
    /// Whether they renew the TTL.
    pub touch: Option<ReadTouch>,
    /// Their consistency.
    pub mode: Option<ReadMode>,
    /// When they are hedged.
    pub hedge: Option<Hedge>,
    /// Which requests they share.
    pub share: Option<ShareReads>,
}

impl ReadOptions {
    /// The same for operations that only read.
    pub fn for_operations(self) -> (WriteOptions, ReadRules) {
        let Self { filter, touch, mode, replica, timeout, retry, hedge, share } = self;
        let options = WriteOptions { filter, replica, timeout, retry, ..WriteOptions::default() };
        (options, ReadRules { touch, mode, hedge, share })
    }
}

/// Options of one write.
#[derive(Debug, Clone, Default)]
pub struct WriteOptions {
    /// The TTL to set.
    pub ttl: Ttl,
    /// The generation that the record must have.
    pub generation: GenerationRule,
    /// What to do depending on whether the record exists.
    pub exists: ExistsRule,
    /// Whether a deletion leaves a tombstone.
    pub durable: bool,
    /// Whether the user key is stored.
    pub send_key: Option<bool>,
    /// The filter expression, encoded.
    pub filter: Option<Arc<[u8]>>,
    /// The replica to use on retries.
    pub replica: Option<ReplicaPolicy>,
    /// Its total time; zero: no limit.
    pub timeout: Option<Duration>,
    /// Retry options. Boxed because rarely used.
    pub retry: Option<Box<RetryOptions>>,
}

impl WriteOptions {
    /// Rejects an existence rule for a command that does not support it.
    fn check_no_exists(&self, command: &str) -> Result<(), InvalidArgument> {
        if self.exists == ExistsRule::Merge {
            return Ok(());
        }
        Err(InvalidArgument::of_value(format!("exists does not apply to {command}")))
    }

    /// Rejects options that a read-only command does not support.
    fn check_reads(&self) -> Result<(), InvalidArgument> {
        let none = self.ttl == Ttl::Default
            && self.generation == GenerationRule::Any
            && self.exists == ExistsRule::Merge
            && !self.durable
            && self.send_key != Some(true)
            && self.retry.as_ref().is_none_or(|it| it.on_locking_only != Some(true));
        if none {
            return Ok(());
        }
        Err(InvalidArgument::of_value(
            "ttl, generation, exists, durable, send_key and on_locking_only apply to writes, and these \
             operations only read",
        ))
    }
}

/// The bins that a read returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinSelection {
    /// All of them.
    All,
    /// Those read by operations of their own.
    Named,
    /// None: only generation and TTL.
    None,
}

impl BinSelection {
    /// The selection of a caller that names this many bins, or none at all.
    pub fn of(named: Option<usize>) -> Self {
        match named {
            None => Self::All,
            Some(0) => Self::None,
            Some(_) => Self::Named,
        }
    }
}

/// A request apart from its record and its operations.
#[derive(Debug, Clone)]
pub struct CommandSpec {
    /// Flags, generation, expiration.
    pub header: Header,
    /// Whether it writes.
    pub write: bool,
    /// Whether the user key is sent.
    pub send_key: bool,
    /// The filter expression, encoded.
    pub filter: Option<Arc<[u8]>>,
    /// Its limits.
    pub policy: Policy,
    /// When it is hedged.
    pub hedge: Hedge,
    /// Which requests it shares, if it reads one record.
    pub share: ShareReads,
    /// Whether its reply must not be older than the call.
    is_current: bool,
    /// What its operations need of servers.
    needs: Features,
}

/// A composed request for one record, ready to be sent.
#[derive(Debug)]
pub struct Prepared {
    /// The complete frame.
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
    ) -> Result<Self, InvalidArgument> {
        let bits = match bins {
            BinSelection::All => info1::GET_ALL,
            BinSelection::Named => 0,
            BinSelection::None => info1::NO_BINS,
        };
        Self::read(defaults, options, info1::READ | bits)
    }

    /// A read that only checks whether the record exists.
    pub fn exists(
        defaults: &CommandDefaults,
        options: &ReadOptions,
    ) -> Result<Self, InvalidArgument> {
        Self::get(defaults, options, BinSelection::None)
    }

    // Inlined to avoid moving the large options and rules on every return.
    #[inline(always)]
    fn read(
        defaults: &CommandDefaults,
        options: &ReadOptions,
        info1: u8,
    ) -> Result<Self, InvalidArgument> {
        let header = Header { info1, ..Header::default() };
        let policy =
            limits(&defaults.policy, options.timeout, options.replica, options.retry.as_deref());
        let filter = options.filter.clone();
        let (hedge, share) = (Hedge::NEVER, ShareReads::Off);
        let (write, send_key, is_current, needs) = (false, false, false, Features::NONE);
        let mut spec =
            Self { header, write, send_key, filter, policy, hedge, share, is_current, needs };
        let ReadOptions { touch, mode, hedge, share, .. } = *options;
        spec.reads(defaults, &ReadRules { touch, mode, hedge, share })?;
        Ok(spec)
    }

    /// A write of bins: put, add, append, prepend.
    #[inline(always)]
    pub fn write(
        defaults: &CommandDefaults,
        options: &WriteOptions,
    ) -> Result<Self, InvalidArgument> {
        let mut header =
            write_header(options.ttl, options.generation, options.exists, options.durable)?;
        let (timeout, replica) = (options.timeout, options.replica);
        let policy = limits(&defaults.policy, timeout, replica, options.retry.as_deref());
        if policy.flags.commits_at_master() {
            header.info3 |= info3::COMMIT_MASTER;
        }
        if policy.flags.must_lock() {
            header.info4 |= info4::LOCKING_ONLY;
        }
        Ok(Self {
            header,
            write: true,
            send_key: options.send_key.unwrap_or(defaults.send_key),
            filter: options.filter.clone(),
            policy,
            hedge: Hedge::NEVER,
            share: ShareReads::Off,
            is_current: false,
            needs: Features::NONE,
        })
    }

    /// A delete. It stores no key; with `send_key` the server compares the stored one.
    pub fn delete(
        defaults: &CommandDefaults,
        options: &WriteOptions,
    ) -> Result<Self, InvalidArgument> {
        options.check_no_exists("delete")?;
        let mut spec = Self::write(defaults, options)?;
        spec.header.info2 |= info2::DELETE;
        // A deleted record has no TTL.
        spec.header.ttl = 0;
        spec.send_key = options.send_key == Some(true);
        Ok(spec)
    }

    /// A touch.
    pub fn touch(
        defaults: &CommandDefaults,
        options: &WriteOptions,
    ) -> Result<Self, InvalidArgument> {
        options.check_no_exists("touch")?;
        Self::write(defaults, options)
    }

    /// A call of a user-defined function.
    pub fn apply(
        defaults: &CommandDefaults,
        options: &WriteOptions,
    ) -> Result<Self, InvalidArgument> {
        options.check_no_exists("apply")?;
        Self::write(defaults, options)
    }

    /// The same for every row of a batch.
    pub fn apply_many(
        defaults: &CommandDefaults,
        options: &WriteOptions,
    ) -> Result<Self, InvalidArgument> {
        let mut spec = Self::apply(defaults, options)?;
        spec.header.info2 |= info2::RESPOND_ALL_OPS;
        Ok(spec)
    }

    /// Several operations on a record. Also returns which of them have results: none if all bins
    /// are read, since these are not returned per operation. `rules` are for read-only operations.
    pub fn operate<'a>(
        defaults: &CommandDefaults,
        options: &WriteOptions,
        rules: &ReadRules,
        steps: impl Iterator<Item = OperationRef<'a>>,
    ) -> Result<(Self, Vec<bool>), InvalidArgument> {
        let (mut reads, mut reads_all, mut gives, mut writes) = (false, false, false, false);
        let mut answered = Vec::with_capacity(steps.size_hint().0);
        let mut needs = Features::NONE;
        for step in steps {
            reads |= step.reads();
            reads_all |= step.reads_all();
            gives |= step.gives();
            writes |= !step.reads();
            answered.push(step.is_answered());
            needs |= features::of_operation(step.code, step.value)
                | features::of_particle(step.code, step.particle, step.value);
        }
        if answered.is_empty() {
            return Err(InvalidArgument::of_value("operations must not be empty"));
        }
        if reads_all && gives {
            return Err(InvalidArgument::of_value(
                "a read of every bin cannot be mixed with operations that give results: name the \
                 bins to read",
            ));
        }
        let mut spec = Self { needs, ..Self::write(defaults, options)? };
        if writes {
            if *rules != ReadRules::default() {
                return Err(InvalidArgument::of_value(
                    "read_touch, read_mode, hedge and share_reads apply to reads, and these operations \
                     write",
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

    /// Applies the rules for reads.
    #[inline(always)]
    fn reads(
        &mut self,
        defaults: &CommandDefaults,
        rules: &ReadRules,
    ) -> Result<(), InvalidArgument> {
        self.header.ttl = rules.touch.unwrap_or_default().slot()?;
        let mode = rules.mode.unwrap_or(defaults.read_mode);
        mode.apply(&mut self.header, &mut self.policy);
        self.hedge = rules.hedge.unwrap_or(defaults.hedge);
        self.share = rules.share.unwrap_or(defaults.share);
        self.is_current = mode.is_current();
        Ok(())
    }

    /// Composes the request for one record; `write` adds the operations. `stored_key` is the
    /// encoded user key, for a spec with `send_key`.
    #[inline]
    pub fn compose<E: From<InvalidArgument>>(
        &self,
        set: &SetRef,
        digest: &Digest,
        stored_key: Option<&[u8]>,
        write: impl FnOnce(&mut Request<'_>) -> Result<(), E>,
    ) -> Result<Prepared, E> {
        if self.share == ShareReads::InFlight && self.is_current {
            return Err(ReadMode::cannot_share().into());
        }
        let mut bytes = buffer::take();
        let timeout = server_timeout(self.policy.timeout);
        let mut request = Request::begin(&mut bytes, &Header { timeout, ..self.header });
        request.encoded_fields(2, &set.fields);
        request.digest(digest);
        let mut needs = self.needs;
        if let Some(filter) = &self.filter {
            needs |= features::of_expression(filter);
            request.field(field::FILTER, filter);
        }
        if let Some(key) = stored_key {
            request.field(field::KEY, key);
        }
        nesting::take();
        let composed = write(&mut request);
        let composed =
            composed.and_then(|()| request.finish().map_err(|error| too_large(error).into()));
        if let Err(error) = composed {
            buffer::give(bytes);
            return Err(error);
        }
        if self.policy.flags.marks_requests() {
            marks::set(&mut bytes, &self.policy);
        }
        let target = Target::record(set.namespace.clone(), digest, self.write);
        let mut target = target.with_hedge(self.hedge).with_share(self.share).with_needs(needs);
        if nesting::take() || needs.has(Features::DEEP_NESTING) {
            let body = bytes.get(HEADER_LEN..).and_then(|body| Message::parse(body).ok());
            if let Some(place) = body.and_then(|(message, _)| {
                features::deep_place(message.field(field::UDF_ARGUMENTS), message.ops())
            }) {
                target = target.nested_deep(place);
            }
        }
        Ok(Prepared { bytes, target, policy: self.policy })
    }

    /// Composes the kind of batch rows; `write` adds the operations. With a `stored_key` it is for
    /// one row only.
    #[inline]
    pub fn row<E: From<InvalidArgument>>(
        &self,
        set: &SetRef,
        stored_key: Option<&[u8]>,
        write: impl FnOnce(&mut Kind) -> Result<(), E>,
    ) -> Result<RowKind, E> {
        let mut row = Kind::default();
        self.begin_row(set, stored_key, &mut row);
        write(&mut row)?;
        row.finish().map_err(too_large)?;
        let (namespace, replica) = (set.namespace.clone(), self.policy.replica);
        let needs = self.row_needs() | Self::nesting_of(&row);
        Ok(RowKind { row, namespace, write: self.write, replica, needs })
    }

    /// What the values of a row need that was encoded since [`CommandSpec::begin_row`].
    #[inline]
    pub fn nesting_of(row: &Kind) -> Features {
        if nesting::take() && row.deep_place().is_some() {
            Features::DEEP_NESTING
        } else {
            Features::NONE
        }
    }

    /// What a row needs of servers.
    pub fn row_needs(&self) -> Features {
        self.filter.as_ref().map_or(self.needs, |it| self.needs | features::of_expression(it))
    }

    /// Composes the part of a row before its operations, in a reusable buffer.
    #[inline]
    pub fn begin_row(&self, set: &SetRef, stored_key: Option<&[u8]>, row: &mut Kind) {
        nesting::take();
        row.restart(&self.header, &set.fields);
        if let Some(filter) = &self.filter {
            row.field(field::FILTER, filter);
        }
        if let Some(key) = stored_key {
            row.field(field::KEY, key);
        }
    }
}

/// The limits of one call: the client's defaults, overridden by the call's options.
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

#[cold]
fn too_large(error: TooLarge) -> InvalidArgument {
    InvalidArgument::of_value(error.to_string())
}

#[cfg(test)]
#[path = "spec_tests.rs"]
mod tests;
