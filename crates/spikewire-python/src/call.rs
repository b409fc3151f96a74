//! A verb's call, composed and checked, ready for whichever face runs it.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyNone, PyTuple};

use spikewire_engine::cluster::Node;
use spikewire_engine::command::{Attempts, Target};
use spikewire_engine::transport::{Reply, buffer};
use spikewire_engine::{Error, Policy};
use spikewire_protocol::key::Digest;
use spikewire_protocol::message::{Header, Message, Op, field};
use spikewire_protocol::request::{Request, server_timeout};
use spikewire_protocol::result_code::ResultCode;
use spikewire_protocol::void_time;

use crate::errors::{self, too_large};
use crate::key::Key;
use crate::record::Record;
use crate::space::{Address, Space};
use crate::value::{Buffer, Codec, Views, bin, is_bytes, particle};
use crate::verbs::options::Outline;

/// A composed request and what its reply becomes.
pub struct Call {
    pub bytes: Vec<u8>,
    pub target: Target,
    pub policy: Policy,
    pub plan: Plan,
}

/// What a reply becomes.
pub struct Plan {
    shape: Shape,
    codec: Option<Arc<Codec>>,
    /// Whether bytes come as views of the reply.
    buffers: bool,
    space: Arc<Space>,
    user: Py<PyAny>,
    digest: Digest,
}

/// The kinds of answers.
pub enum Shape {
    /// A `Record`; on a miss or a filter's no the default, or an error without one.
    Record { default: Option<Py<PyAny>> },
    /// Whether the record is there and passes the filter.
    Found,
    /// Nothing; a miss or a filter's no is an error.
    Done,
    /// A `Record` with one result per operation.
    Operated { answers: Answers },
    /// What a function returned.
    Applied,
}

impl Call {
    /// Composes a request for one record: `compose` adds the operations.
    pub fn compose(
        address: Address<'_>,
        outline: &Outline,
        shape: Shape,
        compose: impl FnOnce(&mut Request<'_>) -> PyResult<()>,
    ) -> PyResult<Self> {
        let policy = outline.policy;
        let mut bytes = buffer::take();
        let timeout = server_timeout(policy.timeout);
        let mut request = Request::begin(&mut bytes, &Header { timeout, ..outline.header });
        request.encoded_fields(2, &address.space.fields);
        request.digest(&address.digest);
        if let Some(filter) = &outline.filter {
            request.field(field::FILTER, filter);
        }
        let composed =
            add_key(&mut request, outline.send_key, &address).and_then(|()| compose(&mut request));
        if let Err(error) = composed.and_then(|()| request.finish().map_err(too_large)) {
            buffer::give(bytes);
            return Err(error);
        }
        let (namespace, partition) = (address.space.namespace.clone(), address.digest.partition());
        let target = Target::record(namespace, partition, outline.write);
        let plan = Plan {
            shape,
            codec: outline.codec.clone(),
            buffers: false,
            space: address.space,
            user: address.key.unbind(),
            digest: address.digest,
        };
        Ok(Self { bytes, target, policy, plan })
    }

    /// Whether bytes are to come as views of the reply.
    pub fn with_buffers(mut self, buffers: bool) -> Self {
        self.plan.buffers = buffers;
        self
    }
}

fn add_key(request: &mut Request<'_>, send_key: bool, address: &Address<'_>) -> PyResult<()> {
    if !send_key || address.key.is_none() {
        return Ok(());
    }
    let mut data = Vec::with_capacity(16);
    crate::space::with_user_key(&address.key, |user| user.encode(&mut data))?;
    request.field(field::KEY, &data);
    Ok(())
}

impl Plan {
    /// Whether a reply's memory is best handed over: see [`Plan::finish_with`].
    pub fn wants_memory(&self) -> bool {
        self.buffers
    }

    /// As [`Plan::finish`], for a reply whose memory the caller's views may keep.
    pub fn finish_with<'py>(
        self,
        py: Python<'py>,
        body: Vec<u8>,
        node: &Arc<Node>,
        attempts: Attempts,
    ) -> PyResult<Bound<'py, PyAny>> {
        let buffer = Bound::new(py, Buffer::reply(body))?;
        let reply = Reply { body: buffer.get().bytes(), node, attempts };
        self.settle(py, Ok(reply), Some(&buffer))
    }

    /// Turns the outcome into what the caller gets.
    pub fn finish<'py>(
        self,
        py: Python<'py>,
        outcome: Result<Reply<'_>, Error>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.settle(py, outcome, None)
    }

    /// `lent`: what holds the reply, if that may be kept.
    fn settle<'py>(
        self,
        py: Python<'py>,
        outcome: Result<Reply<'_>, Error>,
        lent: Option<&Bound<'py, Buffer>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let reply = match outcome {
            Ok(reply) => reply,
            Err(error) => return Err(self.error(py, &error)),
        };
        match (reply.code(), &self.shape) {
            (ResultCode::OK, Shape::Found) => Ok(PyBool::new(py, true).to_owned().into_any()),
            (ResultCode::NOT_FOUND | ResultCode::FILTERED_OUT, Shape::Found) => {
                Ok(PyBool::new(py, false).to_owned().into_any())
            }
            (ResultCode::OK, Shape::Done) => Ok(PyNone::get(py).to_owned().into_any()),
            (
                ResultCode::NOT_FOUND | ResultCode::FILTERED_OUT,
                Shape::Record { default: Some(default) },
            ) => Ok(default.bind(py).clone()),
            (ResultCode::OK, Shape::Applied) => returned(py, &reply),
            (ResultCode::OK, _) => self.record(py, &reply, lent),
            _ => Err(self.error(py, &reply.error())),
        }
    }

    fn record<'py>(
        self,
        py: Python<'py>,
        reply: &Reply<'_>,
        lent: Option<&Bound<'py, Buffer>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let parse = |body| {
            let message = Message::parse(body).map(|(message, _)| message);
            message.map_err(|error| {
                let error = Error::new(spikewire_engine::Kind::Malformed, error.to_string());
                errors::to_python(py, &error.on(reply.node.to_string()), None)
            })
        };
        let mut message = parse(reply.body)?;
        let mut buffer = None;
        if self.buffers && message.ops().any(|answer| is_bytes(answer.particle)) {
            // The memory of a connection is used again: of it a copy is made, for all views.
            buffer = Some(match lent {
                Some(lent) => lent.clone(),
                None => Bound::new(py, Buffer::reply(reply.body.to_vec()))?,
            });
        }
        if let Some(buffer) = &buffer {
            message = parse(buffer.get().bytes())?;
        }
        let views = buffer.as_ref().map(Views::new);
        let answers = match &self.shape {
            Shape::Operated { answers } => Some(answers),
            _ => None,
        };
        let codec = self.codec.as_deref();
        let key = Key { space: self.space, user: self.user, digest: self.digest };
        Ok(Bound::new(py, record(py, &message, answers, codec, views.as_ref(), key)?)?.into_any())
    }

    fn error(self, py: Python<'_>, error: &Error) -> PyErr {
        let key = Key { space: self.space, user: self.user, digest: self.digest };
        let key = Bound::new(py, key).ok().map(Bound::into_any);
        errors::to_python(py, error, key)
    }
}

/// What a function returned.
fn returned<'py>(py: Python<'py>, reply: &Reply<'_>) -> PyResult<Bound<'py, PyAny>> {
    let answer = Message::parse(reply.body).ok().and_then(|(message, _)| message.ops().next());
    match answer {
        Some(answer) => particle(py, answer.particle, answer.value),
        None => Ok(PyNone::get(py).to_owned().into_any()),
    }
}

/// What the answers of operations are.
pub struct Answers {
    /// Which operations have an answer of their own.
    pub given: Vec<bool>,
    /// The bins of which an operation gives something else than their value; none without a codec.
    pub plain: Vec<String>,
}

impl Answers {
    /// What a function returned, which no codec is about: it comes in a bin of this name.
    pub fn of_a_function() -> Self {
        Self { given: vec![true], plain: vec!["SUCCESS".to_owned()] }
    }
}

/// A codec, and the bins of which an operation gives something else than their value.
pub struct Decoding<'a> {
    pub codec: &'a Codec,
    pub plain: &'a [String],
}

impl Decoding<'_> {
    /// What the value of a bin means.
    pub fn read<'py>(&self, name: &[u8], value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if self.plain.iter().any(|plain| plain.as_bytes() == name) {
            return Ok(value);
        }
        self.codec.decode(name, value)
    }
}

/// Seconds left to live of a record that was just read; records that never expire need no clock.
fn left(void_time: u32) -> Option<u32> {
    if void_time == 0 { None } else { void_time::seconds_left(void_time, void_time::now()) }
}

/// The record that a reply's message holds. `asked` tells, for `operate`, what its operations
/// answer. With `views`, which are of the memory of the message, bytes are views of it; a codec
/// gets the bytes themselves.
pub fn record<'py>(
    py: Python<'py>,
    message: &Message<'_>,
    asked: Option<&Answers>,
    codec: Option<&Codec>,
    views: Option<&Views<'_, 'py>>,
    key: Key,
) -> PyResult<Record> {
    let plain = asked.map_or(&[][..], |asked| &asked.plain);
    let codec = codec.map(|codec| Decoding { codec, plain });
    let decode = |answer: &Op<'_>| {
        if let Some(views) = views
            && is_bytes(answer.particle)
            && !codec.as_ref().is_some_and(|it| it.codec.reads(answer.name))
        {
            return views.of(answer.value);
        }
        let value = particle(py, answer.particle, answer.value)?;
        match &codec {
            Some(codec) => codec.read(answer.name, value),
            None => Ok(value),
        }
    };
    let bins = PyDict::new(py);
    let mut results = None;
    let mut answers = message.ops();
    if let Some(Answers { given, .. }) = asked {
        let mut values = Vec::with_capacity(given.len());
        for answered in given {
            let answer = if *answered { answers.next() } else { None };
            let Some(answer) = answer else {
                values.push(PyNone::get(py).to_owned().into_any());
                continue;
            };
            let value = decode(&answer)?;
            if !value.is_none() && !answer.name.is_empty() {
                bins.set_item(bin(py, answer.name)?, &value)?;
            }
            values.push(value);
        }
        results = Some(PyTuple::new(py, values)?.unbind());
    }
    // Without per-operation answers (a get, or a read of everything) the bins come as they are.
    for answer in answers {
        bins.set_item(bin(py, answer.name)?, decode(&answer)?)?;
    }
    Ok(Record {
        bins: bins.into(),
        generation: message.header.generation,
        ttl: left(message.header.ttl),
        space: key.space,
        user: key.user,
        digest: key.digest,
        results,
    })
}
