//! A user-defined function applied to one record.
//!
//! The function runs while its partition is locked, so no other command sees a partially changed
//! record. Its time is limited, and so is the wait of others.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use spikewire_aerospike_protocol::limits;
use spikewire_aerospike_protocol::message::{Header, Op, info2, info3, op};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::transaction::ReplyFields;
use spikewire_aerospike_protocol::value::{Value, particle};
use spikewire_udf::record::Change;
use spikewire_udf::{Failure, Library, Limits, Machine, Record};

use super::modify::modify;
use super::reply::{Rejection, Reply};
use super::request::Request;
use super::write::prepare;
use super::{Context, Target};
use crate::record::bins::Bin;
use crate::record::clock::Moment;
use crate::record::{Draft, View};
use crate::storage::namespace::Namespace;

/// The call in a request.
#[derive(Debug)]
pub struct FunctionCall {
    /// The module.
    pub package: String,
    /// The function in it.
    pub function: String,
    /// What it is called with.
    pub arguments: Vec<Value>,
}

impl FunctionCall {
    /// Parses the call; all parts must be present and valid.
    pub fn of(request: &Request<'_>) -> Result<Self, ResultCode> {
        let udf = &request.udf;
        let text = |part: Option<&[u8]>| String::from_utf8(part?.to_vec()).ok();
        let (Some(package), Some(function), Some(arguments)) =
            (text(udf.package), text(udf.function), udf.arguments)
        else {
            return Err(ResultCode::PARAMETER);
        };
        // Some clients omit the list if there are no arguments.
        if arguments.is_empty() {
            return Ok(Self { package, function, arguments: Vec::new() });
        }
        match Value::decode(particle::LIST, arguments) {
            Ok(Value::List(arguments)) => Ok(Self { package, function, arguments }),
            _ => Err(ResultCode::PARAMETER),
        }
    }
}

thread_local! {
    /// This thread's Lua machine, recreated when the modules change.
    static MACHINE: RefCell<Option<Machine>> = const { RefCell::new(None) };
}

/// Runs `f` with this thread's machine for these modules. Calls have a CPU time limit and end when
/// the cluster stops.
pub fn with_machine<R>(
    time: Duration,
    is_stopping: &AtomicBool,
    library: &Arc<Library>,
    work: impl FnOnce(&Machine) -> Result<R, Failure>,
) -> Result<R, Failure> {
    MACHINE.with_borrow_mut(|own| {
        let machine = match own.take() {
            Some(machine) if Arc::ptr_eq(machine.library(), library) => machine,
            _ => {
                let limits = Limits { time, ..Limits::default() };
                Machine::new(library.clone(), limits)?
            }
        };
        let interrupted = || is_stopping.load(Ordering::Acquire);
        let result = machine.watched(None, &interrupted, || work(&machine))?;
        // Data that a module keeps in globals must not exhaust the memory for others.
        *own = (!machine.is_nearly_full()).then_some(machine);
        result
    })
}

/// A server's message for a failure.
pub fn failure_text(failure: &Failure) -> String {
    match failure {
        Failure::NoModule(_) => "UDF: Execution Error 1".to_owned(),
        Failure::NoFunction(_) => "function not found".to_owned(),
        Failure::Raised(text) => text.clone(),
        Failure::TimedOut | Failure::Interrupted => failure.to_string(),
    }
}

impl Context {
    /// Applies a function to a record, stores the result on every copy, then replies.
    pub(super) fn function(&mut self, target: &Target<'_>, mut reply: Reply<'_>) {
        let request = target.request;
        let Some(digest) = request.digest else { return };
        let call = match admit(request).and_then(|()| FunctionCall::of(request)) {
            Ok(call) => call,
            Err(code) => return self.reject(reply, code.into()),
        };
        if let Err(code) = target.check_monitor() {
            return self.reject(reply, code.into());
        }
        let library = self.state.modules.read().clone();
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
        let draft = match prepare(target, existing) {
            Ok(draft) => draft,
            Err(code) => return self.reject(reply, Rejection::at(code, existing)),
        };
        let ran = described(target, existing).and_then(|record| {
            let (time, ends) = (self.state.options.udf_time, &self.state.is_stopping);
            with_machine(time, ends, &library, |machine| {
                Ok(machine.apply(&call.package, &call.function, record, &call.arguments))
            })
        });
        let (record, result) = match ran {
            Ok((record, result)) => (record, result),
            Err(failure) => (Record::default(), Err(failure)),
        };
        let (mut generation, mut void_time) =
            existing.map_or((0, 0), |record| (record.generation(), record.void_time()));
        let replaced = old.map(|record| (record.set(), record.image().len()));
        match &record.change {
            None => {}
            Some(Change::Remove) => {
                target.keep(&mut partition, &digest, None, None);
                reply.report(ReplyFields::default());
                (generation, void_time) = (0, 0);
            }
            Some(Change::Write { bins, ttl, drop_key }) => {
                let draft = match ttl {
                    None => Ok(draft),
                    Some(ttl) => prepare_with(target, existing, *ttl),
                };
                let draft = draft.and_then(|draft| {
                    self.stage(existing, &record, bins)?;
                    Ok(Draft { bins: self.bins.len() as u16, ..draft })
                });
                let draft = match draft {
                    Ok(draft) => draft,
                    Err(code) => return self.reject(reply, Rejection::at(code, existing)),
                };
                draft.begin(&mut self.image);
                self.bins.write(&mut self.image);
                let key = existing.and_then(View::key).or(request.key).filter(|_| !drop_key);
                draft.finish(&mut self.image, key);
                if target.namespace.is_too_big(View::new(&self.image)) {
                    return self.reject(reply, Rejection::at(ResultCode::RECORD_TOO_BIG, existing));
                }
                target.keep(&mut partition, &digest, Some(&self.image), replaced);
                reply.report(ReplyFields::default());
                (generation, void_time) = (draft.generation, draft.void_time);
            }
        }
        drop(partition);
        let mut bytes = Vec::new();
        match result {
            Ok(value) => {
                let of = value.encode(&mut bytes);
                reply.op(op::READ, b"SUCCESS", of, &bytes);
                reply.finish(generation, void_time);
            }
            Err(failure) => {
                self.counters.count_error(ResultCode::UDF);
                let text = failure_text(&failure);
                reply.op(op::READ, b"FAILURE", particle::STRING, text.as_bytes());
                reply.fail(ResultCode::UDF, generation, void_time);
            }
        }
    }

    /// Writes the bins as the function left them into the edit buffer. Bins that it did not assign
    /// stay unchanged byte for byte.
    fn stage(
        &mut self,
        existing: Option<View<'_>>,
        record: &Record,
        assigned: &[String],
    ) -> Result<(), ResultCode> {
        match existing {
            Some(existing) => self.bins.load(existing.bins()),
            None => self.bins.clear(),
        }
        let mut bytes = Vec::new();
        // After the function removed the record, it starts from scratch.
        let gone: Vec<Vec<u8>> = self
            .bins
            .iter()
            .filter(|bin| {
                std::str::from_utf8(bin.name).is_ok_and(|name| !record.bins.contains_key(name))
            })
            .map(|bin| bin.name.to_vec())
            .collect();
        for name in gone {
            self.bins.remove(&name);
        }
        for name in assigned {
            let Some(value) = record.bins.get(name) else { continue };
            bytes.clear();
            let of = value.encode(&mut bytes);
            let name = name.as_bytes();
            modify(&mut self.bins, &Op { code: op::WRITE, particle: of, name, value: &bytes })?;
        }
        if self.bins.len() > limits::BINS_PER_RECORD {
            return Err(ResultCode::PARAMETER);
        }
        Ok(())
    }
}

/// Rejects options that functions do not support.
fn admit(request: &Request<'_>) -> Result<(), ResultCode> {
    let header = &request.header;
    let policies = info2::GENERATION | info2::GENERATION_GT | info2::CREATE_ONLY;
    let actions = info3::UPDATE_ONLY | info3::CREATE_OR_REPLACE | info3::REPLACE_ONLY;
    if header.info2 & policies != 0 || header.info3 & actions != 0 {
        return Err(ResultCode::PARAMETER);
    }
    Ok(())
}

/// Like [`prepare`], with the TTL that the function set.
fn prepare_with(
    target: &Target<'_>,
    existing: Option<View<'_>>,
    ttl: u32,
) -> Result<Draft, ResultCode> {
    let header = Header { ttl, ..target.request.header };
    let request = target.request.with_header(header);
    prepare(&Target { request: &request, filter: None, ..*target }, existing)
}

/// The record passed to a function; a missing one still has its address.
fn described(target: &Target<'_>, existing: Option<View<'_>>) -> Result<Record, Failure> {
    if let Some(existing) = existing {
        return describe(target.namespace, existing, target.now);
    }
    let set = std::str::from_utf8(target.request.set).ok().filter(|set| !set.is_empty());
    let digest = target.request.digest.map_or([0; 20], |digest| digest.0);
    Ok(Record { set: set.map(str::to_owned), digest, ..Record::default() })
}

/// Converts a stored record for a function.
pub fn describe(namespace: &Namespace, stored: View<'_>, now: Moment) -> Result<Record, Failure> {
    let unreadable = |error: &dyn std::fmt::Display| Failure::Raised(error.to_string());
    let set = namespace.sets.get(stored.set());
    let mut record = Record {
        exists: true,
        generation: u32::from(stored.generation()),
        ttl: stored.void_time().saturating_sub(now.seconds()),
        digest: *stored.digest(),
        last_update: stored.last_update(),
        size: stored.image().len(),
        set: set.map(|set| String::from_utf8_lossy(&set.name).into_owned()),
        ..Record::default()
    };
    for bin in Bin::all(stored.bins()) {
        let name = std::str::from_utf8(bin.name).map_err(|error| unreadable(&error))?;
        let value = Value::decode(bin.particle, bin.value).map_err(|error| unreadable(&error))?;
        record.bins.insert(name.to_owned(), value);
    }
    if let Some([of, key @ ..]) = stored.key() {
        record.key = Value::decode(*of, key).ok();
    }
    Ok(record)
}
