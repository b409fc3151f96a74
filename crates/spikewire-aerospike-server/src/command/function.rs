//! A user-defined function applied to one record.
//!
//! The function gets a copy of the record, so nobody waits for it, and no other command sees a
//! partially changed record. What it makes of the record is stored if that is still the same;
//! otherwise the function runs again. After some runs in vain it runs while the partition is locked.
//!
//! Threads that serve connections end a function after a short time without a trace, and a thread
//! that has more time runs it again ([`super::elsewhere`]).

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use spikewire_aerospike_protocol::key::Digest;
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
use super::stream::StreamedReply;
use super::write::prepare;
use super::{Context, Progress, Target};
use crate::record::bins::Bin;
use crate::record::clock::Moment;
use crate::record::{Draft, View};
use crate::storage::namespace::Namespace;
use crate::storage::partition::Partition;
use crate::turn::NextTurn;

/// CPU time that a function gets on a thread for which others wait.
const BRIEF: Duration = Duration::from_millis(2);
/// How often a function runs on a record that changes meanwhile; the last time nothing can.
const RUNS: usize = 4;

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

/// A record, and what a function's change of it begins with.
struct Current<'a> {
    existing: Option<View<'a>>,
    /// The set and the size of what is replaced, which may have expired.
    replaced: Option<(u16, usize)>,
    draft: Draft,
}

/// A call whose function takes long.
#[derive(Debug)]
pub struct LongCall {
    node: usize,
    body: Vec<u8>,
}

impl LongCall {
    /// The call in the request in `body`, which arrived at `node` and has been admitted.
    pub fn new(node: usize, body: &[u8]) -> Self {
        Self { node, body: body.to_vec() }
    }
}

impl StreamedReply for LongCall {
    fn advance(&mut self, context: &mut Context, now: Moment, out: &mut Vec<u8>) -> NextTurn {
        context.resumes = true;
        // There is no further part: the context has time.
        let _ = context.run(self.node, &self.body, now, out);
        NextTurn::Never
    }

    fn needs_time(&self) -> bool {
        true
    }
}

thread_local! {
    /// This thread's Lua machine, recreated when the modules change.
    static MACHINE: RefCell<Option<Machine>> = const { RefCell::new(None) };
}

/// Runs `work` with this thread's machine for these modules. Calls have a CPU time limit, and end
/// soon after `ends` returns true.
pub fn with_machine<R>(
    time: Duration,
    ends: &dyn Fn() -> bool,
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
        machine.limit_time(time);
        let result = machine.watched(None, ends, || work(&machine))?;
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
    pub(super) fn function(&mut self, target: &Target<'_>, mut reply: Reply<'_>) -> Progress {
        let request = target.request;
        let Some(digest) = request.digest else { return Progress::Replied };
        let call = match admit(request).and_then(|()| FunctionCall::of(request)) {
            Ok(call) => call,
            Err(code) => return self.reject_call(reply, code.into()),
        };
        let library = self.state.modules.read().clone();
        let mut runs = 0;
        loop {
            if let Err(code) = target.check_monitor() {
                return self.reject_call(reply, code.into());
            }
            let partition = target.namespace.partition(digest.partition());
            let current = match self.current(target, &partition, &digest, &mut reply) {
                Ok(current) => current,
                Err(rejection) => return self.reject_call(reply, rejection),
            };
            let before = current.existing.map(|record| record.image().to_vec());
            let record = described(target, current.existing);
            runs += 1;
            let held = if runs < RUNS {
                drop(partition);
                None
            } else {
                Some(partition)
            };
            let Some((record, result)) = self.call(target.node, &call, &library, record) else {
                reply.discard();
                return Progress::NeedsTime;
            };
            if held.is_none()
                && let Err(code) = target.check_monitor()
            {
                return self.reject_call(reply, code.into());
            }
            let mut partition =
                held.unwrap_or_else(|| target.namespace.partition(digest.partition()));
            if !self.state.nodes[target.node].is_alive() {
                return self.reject_call(reply, ResultCode::PARTITION_UNAVAILABLE.into());
            }
            let filter = target.filter.clone();
            let target = &Target { now: self.state.clock.now(), filter, ..*target };
            let current = match self.current(target, &partition, &digest, &mut reply) {
                Ok(current) => current,
                Err(rejection) => return self.reject_call(reply, rejection),
            };
            if current.existing.map(View::image) != before.as_deref() {
                continue;
            }
            let existing = current.existing;
            let (mut generation, mut void_time) =
                existing.map_or((0, 0), |record| (record.generation(), record.void_time()));
            let image = match &record.change {
                None => Ok(None),
                Some(Change::Remove) => Ok(Some((0, 0))),
                Some(change) => self.build(target, &current, &record, change).map(Some),
            };
            let replaced = current.replaced;
            match (image, &record.change) {
                (Err(code), _) => return self.reject_call(reply, Rejection::at(code, existing)),
                (Ok(None), _) => {}
                (Ok(Some(about)), change) => {
                    (generation, void_time) = about;
                    let stays = !matches!(change, Some(Change::Remove));
                    let image = stays.then_some(&self.image[..]);
                    let replaced = replaced.filter(|_| stays);
                    target.keep(&mut partition, &digest, image, replaced);
                    reply.report(ReplyFields::default());
                }
            }
            drop(partition);
            self.answer(reply, result, (generation, void_time));
            return Progress::Replied;
        }
    }

    fn reject_call(&mut self, reply: Reply<'_>, rejection: Rejection) -> Progress {
        self.reject(reply, rejection);
        Progress::Replied
    }

    /// The record in a locked partition, if a function may change it.
    fn current<'a>(
        &self,
        target: &Target<'_>,
        partition: &'a Partition,
        digest: &Digest,
        reply: &mut Reply<'_>,
    ) -> Result<Current<'a>, Rejection> {
        let table = partition.master().ok_or(ResultCode::PARTITION_UNAVAILABLE)?;
        let standing = self.standing(target, partition, table, digest)?;
        reply.report(standing.about());
        target.check_locking(&standing, false)?;
        let existing =
            standing.record.filter(|record| !target.namespace.is_gone(*record, target.now));
        let draft = prepare(target, existing).map_err(|code| Rejection::at(code, existing))?;
        let replaced = standing.record.map(|record| (record.set(), record.image().len()));
        Ok(Current { existing, replaced, draft })
    }

    /// Calls the function; `None` if it takes longer than others may wait for this thread.
    fn call(
        &self,
        node: usize,
        call: &FunctionCall,
        library: &Arc<Library>,
        record: Result<Record, Failure>,
    ) -> Option<(Record, Result<Value, Failure>)> {
        let record = match record {
            Ok(record) => record,
            Err(failure) => return Some((Record::default(), Err(failure))),
        };
        let state = &self.state;
        let whole = state.options.udf_time;
        let time = if self.has_time { whole } else { whole.min(BRIEF) };
        let ends = || !state.nodes[node].is_alive() || state.is_stopping.load(Ordering::Acquire);
        let ran = with_machine(time, &ends, library, |machine| {
            let ran = machine.apply(&call.package, &call.function, record, &call.arguments);
            let is_cut_short = time < whole && ran.1.is_err() && machine.is_overdue();
            Ok((!is_cut_short).then_some(ran))
        });
        ran.unwrap_or_else(|failure| Some((Record::default(), Err(failure))))
    }

    /// Encodes what a function made of a record; returns its generation and void time.
    fn build(
        &mut self,
        target: &Target<'_>,
        current: &Current<'_>,
        record: &Record,
        change: &Change,
    ) -> Result<(u16, u32), ResultCode> {
        let Change::Write { bins, ttl, drop_key } = change else { return Ok((0, 0)) };
        let existing = current.existing;
        let draft = match ttl {
            None => current.draft,
            Some(ttl) => prepare_with(target, existing, *ttl)?,
        };
        self.stage(existing, record, bins)?;
        let draft = Draft { bins: self.bins.len() as u16, ..draft };
        draft.begin(&mut self.image);
        self.bins.write(&mut self.image);
        let key = existing.and_then(View::key).or(target.request.key).filter(|_| !drop_key);
        draft.finish(&mut self.image, key);
        if target.namespace.is_too_big(View::new(&self.image)) {
            return Err(ResultCode::RECORD_TOO_BIG);
        }
        Ok((draft.generation, draft.void_time))
    }

    /// Ends the reply with the function's result, and the record's generation and void time.
    fn answer(&mut self, mut reply: Reply<'_>, result: Result<Value, Failure>, about: (u16, u32)) {
        let mut bytes = Vec::new();
        match result {
            Ok(value) => {
                let of = value.encode(&mut bytes);
                reply.op(op::READ, b"SUCCESS", of, &bytes);
                reply.finish(about.0, about.1);
            }
            Err(failure) => {
                self.counters.count_error(ResultCode::UDF);
                let text = failure_text(&failure);
                reply.op(op::READ, b"FAILURE", particle::STRING, text.as_bytes());
                reply.fail(ResultCode::UDF, about.0, about.1);
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
