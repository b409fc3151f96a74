//! Writes: put, add, append, prepend, touch and operate. Checks are in the server's order.

use spikewire_aerospike_protocol::error_details::subcode;
use spikewire_aerospike_protocol::limits::{self, TTL_DEFAULT, TTL_NEVER, TTL_UNCHANGED};
use spikewire_aerospike_protocol::message::{Header, info1, info2, info3, op};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::transaction::ReplyFields;
use spikewire_aerospike_protocol::value::particle;

use super::bin_operation::{self, Answer};
use super::modify::modify;
use super::reply::{Rejection, Reply};
use super::request::Request;
use super::{Context, Target, monitor, transaction};
use crate::expression::Bins::Edited;
use crate::expression::{self, RecordView};
use crate::reason;
use crate::record::bins::Bins;
use crate::record::{Draft, View};

impl Context {
    /// Runs a write on the master's copy, stores the result on every copy, then replies.
    pub(super) fn write(&mut self, target: &Target<'_>, mut reply: Reply<'_>) {
        let request = target.request;
        let Some(digest) = request.digest else { return };
        let touches = match scan(request) {
            Ok(touches) => touches,
            Err(code) => return self.reject(reply, code.into()),
        };
        if let Err(code) = target.check_monitor() {
            return self.reject(reply, code.into());
        }
        let mut partition = target.namespace.partition(digest.partition());
        let Some(table) = partition.master() else {
            return self.reject(reply, ResultCode::PARTITION_UNAVAILABLE.into());
        };
        let standing = match self.standing(target, &partition, table, &digest) {
            Ok(standing) => standing,
            Err(code) => return self.reject(reply, code.into()),
        };
        reply.report(standing.about());
        let old = standing.record;
        let existing = old.filter(|record| !target.namespace.is_gone(*record, target.now));
        if let Err(code) = target.check_locking(&standing, existing.is_some()) {
            return self.reject(reply, Rejection::at(code, existing));
        }
        if target.is_monitor()
            && let Err(code) = monitor::check(old, request, target.now)
        {
            return self.reject(reply, code.into());
        }
        let must_exist =
            touches || request.header.info3 & (info3::UPDATE_ONLY | info3::REPLACE_ONLY) != 0;
        if must_exist && existing.is_none() {
            return self.reject(reply, Rejection::at(ResultCode::NOT_FOUND, old));
        }
        let draft = match prepare(target, existing) {
            Ok(draft) => draft,
            Err(code) => return self.reject(reply, Rejection::at(code, existing)),
        };
        if let Err(code) = apply(target, (existing, draft), &mut self.bins, &mut reply) {
            return self.reject(reply, Rejection::at(code, existing));
        }
        if self.bins.is_empty() {
            let code = if existing.is_none() {
                Some(ResultCode::NOT_FOUND)
            } else {
                transaction::check_durability(target, self.state.options.edition).err()
            };
            if let Some(code) = code {
                return self.reject(reply, Rejection::at(code, existing));
            }
            target.keep(&mut partition, &digest, None, None);
            reply.report(ReplyFields::default());
            return reply.finish(0, 0);
        }
        if target.is_monitor() && monitor::is_full(&mut self.bins) {
            return self.reject(reply, ResultCode::TRANSACTION_TOO_MANY_WRITES.into());
        }
        let draft = Draft { bins: self.bins.len() as u16, ..draft };
        draft.begin(&mut self.image);
        self.bins.write(&mut self.image);
        let stored_key = existing.and_then(View::key);
        draft.finish(&mut self.image, stored_key.or(request.key));
        if target.namespace.is_too_big(View::new(&self.image)) {
            return self.reject(reply, Rejection::at(ResultCode::RECORD_TOO_BIG, existing));
        }
        let replaced = old.map(|record| (record.set(), record.image().len()));
        target.keep(&mut partition, &digest, Some(&self.image), replaced);
        let deadline = target.is_monitor().then_some(draft.void_time);
        reply.report(ReplyFields { version: None, deadline });
        reply.finish(draft.generation, draft.void_time);
    }
}

/// Whether the expected generation of a command is the record's, 0 for a missing record.
pub(super) fn generation_fits(header: &Header, generation: u32) -> bool {
    if header.info2 & info2::GENERATION != 0 {
        header.generation == generation
    } else if header.info2 & info2::GENERATION_GT != 0 {
        header.generation > generation
    } else {
        true
    }
}

/// Why a command whose expected generation is not the record's fails.
pub(super) fn wrong_generation(header: &Header, generation: u16) -> ResultCode {
    reason::saying(ResultCode::GENERATION, || {
        format!("the generation is {generation}, not {}", header.generation)
    })
}

/// The checks that do not need the record. Returns whether the command touches, and therefore needs
/// a record.
fn scan(request: &Request<'_>) -> Result<bool, ResultCode> {
    let header = &request.header;
    let replaces = header.info3 & (info3::CREATE_OR_REPLACE | info3::REPLACE_ONLY) != 0;
    let reads = header.info1 & info1::READ != 0;
    let get_all = header.info1 & info1::GET_ALL != 0;
    let respond_all = header.info2 & info2::RESPOND_ALL_OPS != 0;
    if header.ops == 0 || usize::from(header.ops) > limits::OPS_PER_COMMAND {
        return Err(ResultCode::PARAMETER);
    }
    let (mut touches, mut read_alls, mut has_read, mut results) = (false, 0, false, false);
    for operation in request.ops() {
        if operation.code == op::TOUCH {
            if replaces {
                return Err(ResultCode::PARAMETER);
            }
            touches = true;
            continue;
        }
        if operation.name.len() > limits::BIN_NAME || operation.name.contains(&0) {
            return Err(ResultCode::BIN_NAME);
        }
        let mut keeps_old = false;
        match operation.code {
            op::READ if operation.name.is_empty() && get_all => {
                has_read = true;
                read_alls += 1;
            }
            code if op::reads(code) => {
                has_read = true;
                results = true;
            }
            op::WRITE => keeps_old = operation.particle == particle::NULL,
            op::CDT_MODIFY | op::HLL_MODIFY => (keeps_old, results) = (true, true),
            op::ADD
            | op::APPEND
            | op::PREPEND
            | op::DELETE
            | op::BITS_MODIFY
            | op::STRING_MODIFY => keeps_old = true,
            _ => {}
        }
        if keeps_old && replaces {
            return Err(ResultCode::PARAMETER);
        }
    }
    let mixed = read_alls > 1 || read_alls == 1 && (respond_all || results);
    if has_read && !reads || mixed || get_all && read_alls == 0 {
        return Err(ResultCode::PARAMETER);
    }
    Ok(touches)
}

/// The checks against the existing record; returns the header of the new one.
pub(super) fn prepare(
    target: &Target<'_>,
    existing: Option<View<'_>>,
) -> Result<Draft, ResultCode> {
    let request = target.request;
    let header = &request.header;
    if header.info2 & info2::CREATE_ONLY != 0 && existing.is_some() {
        return Err(ResultCode::RECORD_EXISTS);
    }
    let generation = existing.map_or(0, View::generation);
    if !generation_fits(header, u32::from(generation)) {
        return Err(wrong_generation(header, generation));
    }
    let set = match existing {
        Some(record) if target.set == Some(record.set()) => record.set(),
        Some(_) => return Err(ResultCode::PARAMETER),
        None if request.set.len() > limits::SET_NAME => return Err(ResultCode::PARAMETER),
        None => target.namespace.sets.intern(request.set).ok_or(ResultCode::PARAMETER)?,
    };
    if let Some(record) = existing {
        target.check_filter(record)?;
    }
    check_key(request.key, existing.and_then(View::key))?;
    Ok(Draft {
        digest: request.digest.ok_or(ResultCode::PARAMETER)?,
        generation: generation.checked_add(1).unwrap_or(1),
        set,
        void_time: void_time(target, existing)?,
        last_update: target.now.millis(),
        bins: 0,
    })
}

fn check_key(sent: Option<&[u8]>, stored: Option<&[u8]>) -> Result<(), ResultCode> {
    match (sent, stored) {
        (Some(sent), Some(stored)) if sent == stored => Ok(()),
        (Some(_), Some(_)) => Err(ResultCode::KEY_MISMATCH),
        (Some([]), None) => Err(ResultCode::UNSUPPORTED_FEATURE),
        (Some([particle::INTEGER, int @ ..]), None) if int.len() != 8 => {
            Err(ResultCode::UNSUPPORTED_FEATURE)
        }
        (None, _) | (Some(_), None) => Ok(()),
    }
}

fn void_time(target: &Target<'_>, existing: Option<View<'_>>) -> Result<u32, ResultCode> {
    if target.is_monitor() {
        return monitor::void_time(target, existing);
    }
    let options = &target.namespace.options;
    let after = |ttl: u32| if ttl == 0 { 0 } else { target.now.seconds().saturating_add(ttl) };
    match (target.request.header.ttl, existing) {
        (TTL_NEVER, _) => Ok(0),
        (TTL_UNCHANGED, Some(record)) => Ok(record.void_time()),
        (TTL_DEFAULT | TTL_UNCHANGED, _) => Ok(after(options.default_ttl)),
        (ttl, _) if ttl > limits::TTL_SECONDS => Err(reason::of(subcode::TTL)),
        _ if options.nsup_period == 0 => Err(ResultCode::FORBIDDEN),
        (ttl, _) => Ok(after(ttl)),
    }
}

/// Runs the operations over the bins; results go to the reply.
fn apply(
    target: &Target<'_>,
    (existing, draft): (Option<View<'_>>, Draft),
    bins: &mut Bins,
    reply: &mut Reply<'_>,
) -> Result<(), ResultCode> {
    let request = target.request;
    let header = &request.header;
    let digest = request.digest.ok_or(ResultCode::PARAMETER)?;
    let replaces = header.info3 & (info3::CREATE_OR_REPLACE | info3::REPLACE_ONLY) != 0;
    match existing {
        Some(record) if !replaces => bins.load(record.bins()),
        _ => bins.clear(),
    }
    let get_all = header.info1 & info1::GET_ALL != 0;
    let respond_all = header.info2 & info2::RESPOND_ALL_OPS != 0;
    let (sets, now) = (&target.namespace.sets, target.now);
    for operation in request.ops() {
        match operation.code {
            op::READ if get_all && operation.name.is_empty() => {
                for bin in bins.iter() {
                    reply.bin(op::READ, bin.wire);
                }
            }
            op::READ => match bins.get(operation.name) {
                Some(bin) => reply.bin(op::READ, bin.wire),
                None if respond_all => reply.op(op::READ, operation.name, particle::NULL, &[]),
                None => {}
            },
            op::TOUCH => {}
            op::CDT_READ | op::BITS_READ | op::HLL_READ | op::STRING_READ | op::TO_STRING => {
                let answer = bin_operation::read(bins.get(operation.name), &operation)?;
                let nulls = respond_all || answer == Answer::Nothing;
                answer.write(&operation, reply, nulls);
            }
            op::EXP_READ => {
                let edited = Edited(bins);
                let draft = Some(draft);
                let view = RecordView { sets, digest, record: existing, bins: edited, draft, now };
                let answer = bin_operation::expression(&operation, &view)?;
                let nulls = respond_all || answer == Answer::Nothing;
                answer.write(&operation, reply, nulls);
            }
            op::EXP_MODIFY => {
                let edited = Edited(bins);
                let draft = Some(draft);
                let view = RecordView { sets, digest, record: existing, bins: edited, draft, now };
                let change = expression::operation::modify(&operation, &view)?;
                reason::forget();
                change.apply(bins, operation.name)?;
                Answer::Nothing.write(&operation, reply, respond_all);
            }
            op::CDT_MODIFY | op::BITS_MODIFY | op::HLL_MODIFY | op::STRING_MODIFY => {
                bin_operation::modify(bins, &operation)?.write(&operation, reply, respond_all);
            }
            _ => {
                modify(bins, &operation)?;
                if respond_all {
                    reply.op(operation.code, operation.name, particle::NULL, &[]);
                }
            }
        }
        reply.check_length()?;
        if bins.are_too_big() {
            return Err(ResultCode::RECORD_TOO_BIG);
        }
    }
    if bins.len() > limits::BINS_PER_RECORD {
        return Err(reason::of(subcode::BIN_COUNT));
    }
    Ok(())
}
