//! The reply to a command on one record, as the caller's result.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyNone, PyTuple};
use smallvec::SmallVec;

use spikewire_aerospike::cluster::Node;
use spikewire_aerospike::command::{Attempts, ResponseKind, ResponseOutcome, Sink, read_bins};
use spikewire_aerospike::transport::Reply;
use spikewire_aerospike::{Error, Kind};
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::message::{Message, Op};
use spikewire_aerospike_protocol::query::Row;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::particle::NULL;
use spikewire_aerospike_protocol::void_time;

use crate::aerospike::key::Key;
use crate::aerospike::operation::Operation;
use crate::aerospike::record::Record;
use crate::aerospike::space::Space;
use crate::aerospike::value::{Buffer, Codec, Views, bin, is_bytes, particle};
use crate::errors;

/// How to convert a reply.
pub struct ResponsePlan {
    shape: ResponseShape,
    codec: Option<Arc<Codec>>,
    /// Whether bytes are returned as views of the reply.
    buffers: bool,
    space: Arc<Space>,
    user: Py<PyAny>,
    digest: Digest,
}

/// What a reply becomes, with the default of a read, the operations and how to read their results,
/// or the name of the function's module.
pub type ResponseShape = ResponseKind<Option<Py<PyAny>>, (Answers, Vec<Py<Operation>>), String>;

impl ResponsePlan {
    /// The plan for the reply to a request for this record.
    #[inline(always)]
    pub fn new(shape: ResponseShape, codec: Option<Arc<Codec>>, address: Key) -> Self {
        let Key { space, user, digest } = address;
        Self { shape, codec, buffers: false, space, user, digest }
    }

    /// Sets whether bytes are returned as views of the reply.
    pub fn return_views(&mut self, buffers: bool) {
        self.buffers = buffers;
    }

    /// What kind of result the reply becomes.
    pub fn shape_mut(&mut self) -> &mut ResponseShape {
        &mut self.shape
    }

    /// Whether the reply's memory should be handed over: see [`ResponsePlan::finish_with`].
    pub fn wants_memory(&self) -> bool {
        self.buffers
    }

    /// Like [`ResponsePlan::finish`], for a reply whose memory the caller's views may keep.
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

    /// Converts the outcome to the caller's result.
    pub fn finish<'py>(
        self,
        py: Python<'py>,
        outcome: Result<Reply<'_>, Error>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.settle(py, outcome, None)
    }

    /// `reusable`: the owner of the reply's memory, if views may keep it.
    fn settle<'py>(
        self,
        py: Python<'py>,
        outcome: Result<Reply<'_>, Error>,
        reusable: Option<&Bound<'py, Buffer>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let reply = match outcome {
            Ok(reply) => reply,
            Err(error) => return Err(self.error(py, &error)),
        };
        match self.shape.outcome(reply.code()) {
            ResponseOutcome::Record => self.record(py, &reply, reusable),
            ResponseOutcome::Presence(exists) => Ok(PyBool::new(py, exists).to_owned().into_any()),
            ResponseOutcome::Done => Ok(PyNone::get(py).to_owned().into_any()),
            ResponseOutcome::Returned => returned(py, &reply),
            ResponseOutcome::Absent => match &self.shape {
                ResponseShape::Record(Some(default)) => Ok(default.bind(py).clone()),
                _ => Err(self.error(py, &reply.error())),
            },
            ResponseOutcome::Failed => Err(self.error(py, &reply.error())),
        }
    }

    fn record<'py>(
        self,
        py: Python<'py>,
        reply: &Reply<'_>,
        reusable: Option<&Bound<'py, Buffer>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let parse = |body| {
            let message = Message::parse(body).map(|(message, _)| message);
            message.map_err(|error| {
                errors::to_python(py, &Error::from(error).on(reply.node.to_string()), None)
            })
        };
        let mut message = parse(reply.body)?;
        let mut buffer = None;
        if self.buffers && message.ops().any(|answer| is_bytes(answer.particle)) {
            // A connection reuses its memory, so all views share one copy of the reply.
            buffer = Some(match reusable {
                Some(reusable) => reusable.clone(),
                None => Bound::new(py, Buffer::reply(reply.body.to_vec()))?,
            });
        }
        if let Some(buffer) = &buffer {
            message = parse(buffer.get().bytes())?;
        }
        let views = buffer.as_ref().map(Views::new);
        let answers = match &self.shape {
            ResponseShape::Results((answers, _)) => Some(answers),
            _ => None,
        };
        let codec = self.codec.as_deref();
        let key = Key { space: self.space, user: self.user, digest: self.digest };
        Ok(Bound::new(py, record(py, &message, answers, codec, views.as_ref(), key)?)?.into_any())
    }

    fn error(self, py: Python<'_>, error: &Error) -> PyErr {
        let key = Key { space: self.space, user: self.user, digest: self.digest };
        let key = Bound::new(py, key).ok().map(Bound::into_any);
        let Kind::Server(code) = error.kind() else { return errors::to_python(py, error, key) };
        match &self.shape {
            ResponseShape::Results((_, operations)) if concerns_an_operation(code) => {
                let message = format!("{}{}", code.text(), suspects(py, operations));
                errors::to_python_as(py, error, &error.explained(&message), key)
            }
            ResponseShape::Record(None) if code == ResultCode::NOT_FOUND => {
                let raised = errors::to_python(py, error, key);
                errors::advised(py, raised, "with default=None, the call returns None instead")
            }
            ResponseShape::Returned(module) if error.advice().is_some() => {
                let advice = format!(
                    "is a module {module:?} registered? client.modules.list() has those that are"
                );
                errors::advised(py, errors::to_python(py, error, key), &advice)
            }
            _ => errors::to_python(py, error, key),
        }
    }
}

/// The operations that an error may be about, for its message: a server does not say which.
fn suspects(py: Python<'_>, operations: &[Py<Operation>]) -> String {
    let operations = operations.iter().map(|operation| operation.bind(py));
    let suspects: Vec<_> = operations.filter(|it| it.get().depends_on_bin()).collect();
    let mut operations: Vec<String> =
        suspects.iter().take(MOST_NAMED).map(|it| errors::repr_of(it.as_any())).collect();
    if suspects.len() > MOST_NAMED {
        operations.push(format!("{} more", suspects.len() - MOST_NAMED));
    }
    match &*operations {
        [] => String::new(),
        [one] => format!(": {one}"),
        all => format!(": one of {}", all.join(", ")),
    }
}

/// How many operations an error names.
const MOST_NAMED: usize = 8;

/// Whether a result code is about one operation and the value of its bin.
fn concerns_an_operation(code: ResultCode) -> bool {
    [
        ResultCode::BIN_TYPE,
        ResultCode::BIN_EXISTS,
        ResultCode::BIN_NOT_FOUND,
        ResultCode::ELEMENT_NOT_FOUND,
        ResultCode::ELEMENT_EXISTS,
        ResultCode::OP_NOT_APPLICABLE,
    ]
    .contains(&code)
}

/// The return value of a function.
fn returned<'py>(py: Python<'py>, reply: &Reply<'_>) -> PyResult<Bound<'py, PyAny>> {
    let answer = Message::parse(reply.body).ok().and_then(|(message, _)| message.ops().next());
    match answer {
        Some(answer) => particle(py, answer.particle, answer.value),
        None => Ok(PyNone::get(py).to_owned().into_any()),
    }
}

/// How to interpret the results of operations.
#[derive(Clone)]
pub struct Answers {
    /// Which operations return a result.
    pub returns: Vec<bool>,
    /// The bins for which an operation returns something other than their value. Empty without a
    /// codec.
    pub plain: Vec<String>,
}

impl Answers {
    /// The bin with the return value of a function. Codecs do not apply to it.
    pub const RETURNED: &str = "SUCCESS";
}

/// A codec, and the bins for which an operation returns something other than their value.
pub struct Decoding<'a> {
    pub codec: &'a Codec,
    pub plain: &'a [String],
}

impl Decoding<'_> {
    /// Decodes the value of a bin.
    pub fn read<'py>(&self, name: &[u8], value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if self.plain.iter().any(|plain| plain.as_bytes() == name) {
            return Ok(value);
        }
        self.codec.decode(name, value)
    }
}

/// Bins of a record and results of operations, read directly from the wire.
struct RecordSink<'py, F> {
    py: Python<'py>,
    /// `None` if nobody needs the bins.
    bins: Option<Bound<'py, PyDict>>,
    results: Results<'py>,
    /// Creates the value.
    decode: F,
}

impl<'py, F: Fn(&Op<'_>) -> PyResult<Bound<'py, PyAny>>> Sink for RecordSink<'py, F> {
    type Error = PyErr;

    fn result(&mut self, answer: Option<Op<'_>>) -> PyResult<()> {
        let py = self.py;
        let Some(answer) = answer else {
            self.results.push(PyNone::get(py).to_owned().into_any());
            return Ok(());
        };
        let value = (self.decode)(&answer)?;
        if let Some(bins) = &self.bins
            && answer.particle != NULL
            && !answer.name.is_empty()
        {
            bins.set_item(bin(py, answer.name)?, &value)?;
        }
        self.results.push(value);
        Ok(())
    }

    #[inline]
    fn bin(&mut self, answer: Op<'_>) -> PyResult<()> {
        let value = (self.decode)(&answer)?;
        match &self.bins {
            Some(bins) => bins.set_item(bin(self.py, answer.name)?, value),
            None => Ok(()),
        }
    }
}

/// The results of operations, of which there are usually few.
pub type Results<'py> = SmallVec<[Bound<'py, PyAny>; 4]>;

/// Bins, if requested, and results of operations.
type RecordParts<'py> = (Option<Bound<'py, PyDict>>, Results<'py>);

/// The bins and results in a reply's message. `answers` says, for `operate`, which operations return
/// a result. With `views`, which refer to the message's memory, bytes are returned as views; a
/// codec gets the bytes themselves. `each` is called with the particle type of each value.
#[inline]
fn parts<'py>(
    py: Python<'py>,
    message: &Message<'_>,
    answers: Option<&Answers>,
    codec: Option<&Codec>,
    views: Option<&Views<'_, 'py>>,
    bins: Option<Bound<'py, PyDict>>,
    each: impl Fn(u8),
) -> PyResult<RecordParts<'py>> {
    let plain = answers.map_or(&[][..], |answers| &answers.plain);
    let codec = codec.map(|codec| Decoding { codec, plain });
    let decode = |answer: &Op<'_>| {
        each(answer.particle);
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
    let mut sink = RecordSink { py, bins, results: Results::new(), decode };
    let returns = answers.map_or(&[][..], |answers| &answers.returns);
    sink.results.reserve(returns.len());
    read_bins(message, returns, &mut sink)?;
    let RecordSink { bins, results, .. } = sink;
    Ok((bins, results))
}

/// The bins in a reply's message, decoded without views: see [`parts`].
pub fn bins<'py>(
    py: Python<'py>,
    message: &Message<'_>,
    codec: Option<&Codec>,
    each: impl Fn(u8),
) -> PyResult<Bound<'py, PyDict>> {
    let bins = PyDict::new(py);
    parts(py, message, None, codec, None, Some(bins.clone()), each)?;
    Ok(bins)
}

/// The results of operations in a reply's message.
pub fn results<'py>(
    py: Python<'py>,
    message: &Message<'_>,
    answers: Option<&Answers>,
    codec: Option<&Codec>,
) -> PyResult<Results<'py>> {
    parts(py, message, answers, codec, None, None, |_| {}).map(|(_, results)| results)
}

/// The bins and the results of operations in a row of a query.
pub fn row_results<'py>(
    py: Python<'py>,
    row: &Row<'_>,
    codec: Option<Decoding<'_>>,
) -> PyResult<(Bound<'py, PyDict>, Results<'py>)> {
    let bins = PyDict::new(py);
    let decode = |answer: &Op<'_>| {
        let value = particle(py, answer.particle, answer.value)?;
        match &codec {
            Some(codec) => codec.read(answer.name, value),
            None => Ok(value),
        }
    };
    let results = Results::with_capacity(row.op_count.into());
    let mut sink = RecordSink { py, bins: Some(bins.clone()), results, decode };
    row.ops().try_for_each(|answer| sink.result(Some(answer)))?;
    Ok((bins, sink.results))
}

/// The record in a reply's message: see [`parts`].
pub fn record<'py>(
    py: Python<'py>,
    message: &Message<'_>,
    answers: Option<&Answers>,
    codec: Option<&Codec>,
    views: Option<&Views<'_, 'py>>,
    key: Key,
) -> PyResult<Record> {
    let bins = PyDict::new(py);
    let (_, results) = parts(py, message, answers, codec, views, Some(bins.clone()), |_| {})?;
    let results = answers.map(|_| PyTuple::new(py, results).map(Bound::unbind)).transpose()?;
    Ok(Record {
        bins: bins.into(),
        generation: message.header.generation,
        ttl: void_time::ttl(message.header.ttl),
        space: key.space,
        user: key.user,
        digest: key.digest,
        results,
    })
}
