//! Several statements in one request.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pyo3::prelude::*;
use spikewire_cassandra::Session;
use spikewire_cassandra::session::{Call, Preparation};
use spikewire_cassandra::statement::{BatchBuilder, Prepared as Known, StatementOptions};
use spikewire_cql::request::{BatchKind, Values, values_with};
use spikewire_sync::Mutex;

use super::bind::{bind, copy_of_parameters, is_input_error, markers};
use super::errors::BoxedPyErr;
use super::prepared::Single;
use crate::bridge::errors::{Raise, about, type_error, type_name, value_error};

/// The limit of the protocol's counter.
const MOST: usize = u16::MAX as usize;

/// One statement of a batch.
#[derive(Debug)]
pub enum BatchStatement {
    /// Text.
    Text(Arc<str>),
    /// A prepared statement and its values.
    Values(Arc<Known>, Arc<[u8]>),
    /// Text that is prepared when the batch is executed, and its parameters.
    Parameters(Arc<str>, Py<PyAny>),
    /// A prepared statement whose parameters may have changed since, and values that fit only then.
    Unbound(Arc<Known>, Py<PyAny>),
}

/// Several statements executed with one request: `session.execute(batch)`.
///
/// `kind` is `"logged"` (all statements are eventually applied, or none), `"unlogged"` (each
/// partition separately) or `"counter"` (for counter updates). A batch can be executed any
/// number of times, and extended in between.
#[pyclass(frozen, module = "spikewire.cql")]
pub struct Batch {
    kind: BatchKind,
    entries: Mutex<Vec<Arc<BatchStatement>>>,
}

fn kind_name(kind: BatchKind) -> &'static str {
    match kind {
        BatchKind::Logged => "logged",
        BatchKind::Unlogged => "unlogged",
        BatchKind::Counter => "counter",
    }
}

impl Batch {
    /// A copy of the batch's contents.
    pub fn content(&self) -> Content {
        Content { kind: self.kind, entries: self.entries.lock().clone() }
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (kind="logged"))]
    fn new(kind: &str) -> PyResult<Self> {
        let known_kind = BatchKind::ALL.into_iter().find(|one| kind == kind_name(*one));
        let kind = known_kind.ok_or_else(|| {
            let kinds = "\"logged\", \"unlogged\" or \"counter\"";
            value_error(format!("kind must be {kinds}, not {kind:?}"))
        })?;
        Ok(Self { kind, entries: Mutex::default() })
    }

    /// Adds a statement, which is text or prepared, with its parameters.
    ///
    /// Values of a prepared statement are validated and kept as they are now. Raises
    /// `TypeError`, `ValueError` or `OverflowError` for parameters that do not fit, for
    /// statements other than INSERT, UPDATE and DELETE, and beyond 65,535 statements.
    #[pyo3(signature = (statement, parameters=None, /))]
    fn add(
        &self,
        statement: &Bound<'_, PyAny>,
        parameters: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let parameters = parameters.filter(|parameters| !parameters.is_none());
        let Some(single) = Single::read(statement)? else {
            return Err(if statement.is_instance_of::<Self>() {
                type_error("a batch cannot hold another batch")
            } else {
                let name = type_name(statement);
                type_error(format!("a statement must be a str or a prepared one, not {name}"))
            });
        };
        let entry = match (single, parameters) {
            (Single::Text(text), None) => BatchStatement::Text(text),
            (Single::Text(text), Some(parameters)) => {
                BatchStatement::Parameters(markers(&text)?.into(), copy_of_parameters(parameters)?)
            }
            (Single::Bound(_, _), Some(_)) => {
                return Err(type_error("a bound statement has its parameters"));
            }
            (Single::Bound(known, values), None) => BatchStatement::Values(known, values),
            (Single::Prepared(known), parameters) => {
                let (latest, mut values) = (known.latest(), Vec::new());
                match (bind(&latest, parameters, &mut values), parameters) {
                    (Ok(()), _) => BatchStatement::Values(latest, values.into()),
                    (Err(_), Some(parameters)) if latest.is_stale() => {
                        BatchStatement::Unbound(latest, copy_of_parameters(parameters)?)
                    }
                    (Err(error), _) => return Err(error.into()),
                }
            }
        };
        let text = match &entry {
            BatchStatement::Text(text) | BatchStatement::Parameters(text, _) => text,
            BatchStatement::Values(known, _) | BatchStatement::Unbound(known, _) => &known.text,
        };
        let first = text.trim_start().get(..6).unwrap_or_default().to_ascii_uppercase();
        if first == "SELECT" {
            return Err(value_error("a batch holds INSERT, UPDATE and DELETE, not SELECT"));
        }
        let mut entries = self.entries.lock();
        if entries.len() == MOST {
            return Err(value_error(format!("a batch holds at most {MOST} statements")));
        }
        entries.push(Arc::new(entry));
        Ok(())
    }

    /// Removes all statements.
    fn clear(&self) {
        let former = std::mem::take(&mut *self.entries.lock());
        drop(former);
    }

    /// `"logged"`, `"unlogged"` or `"counter"`.
    #[getter]
    fn kind(&self) -> &'static str {
        kind_name(self.kind)
    }

    fn __len__(&self) -> usize {
        self.entries.lock().len()
    }

    #[expect(clippy::unused_self, reason = "Python's signature")]
    fn __bool__(&self) -> bool {
        true
    }

    fn __repr__(&self) -> String {
        format!("<{} batch of {} statements>", kind_name(self.kind), self.__len__())
    }
}

/// The contents of a batch when it is executed.
#[derive(Debug, Clone)]
pub struct Content {
    kind: BatchKind,
    entries: Vec<Arc<BatchStatement>>,
}

/// What was prepared for a batch.
#[derive(Default)]
pub struct Texts {
    /// Texts, and whether a node was asked for them.
    known: HashMap<Arc<str>, (Arc<Known>, bool)>,
    /// Stale statements that a node was asked for.
    renewed: HashSet<Arc<str>>,
}

impl Texts {
    /// A node has prepared this.
    pub fn prepared(&mut self, known: &Arc<Known>) {
        self.known.insert(known.text.clone(), (known.clone(), true));
    }
}

/// The outcome of building a batch's request.
pub enum BatchRequest {
    /// A statement has to be prepared first. Then the request is built again.
    Prepare(Call),
    /// The complete request.
    Whole(Call),
}

impl Content {
    /// Builds the request. `texts` are the texts prepared so far.
    pub fn compose(
        &self,
        py: Python<'_>,
        session: &Arc<Session>,
        options: &StatementOptions,
        texts: &mut Texts,
    ) -> PyResult<BatchRequest> {
        let begun = session.batch(self.kind, options);
        let mut batch = begun.map_err(|error| error.raise(py))?;
        for (at, entry) in self.entries.iter().enumerate() {
            let added = match &**entry {
                BatchStatement::Text(text) => batch.add_text(text).map_err(BoxedPyErr::from),
                BatchStatement::Values(known, values) => {
                    if let Some(call) = renewal(session, known, options, texts)? {
                        return Ok(BatchRequest::Prepare(call));
                    }
                    let count = known.parameters.len();
                    let values = Values { count, named: false, bytes: values };
                    if known.is_stale() {
                        let latest = known.for_bound_values().map_err(BoxedPyErr::from);
                        latest.and_then(|it| batch.add(&it, values).map_err(BoxedPyErr::from))
                    } else {
                        batch.add(known, values).map_err(BoxedPyErr::from)
                    }
                }
                BatchStatement::Unbound(known, parameters) => {
                    if let Some(call) = renewal(session, known, options, texts)? {
                        return Ok(BatchRequest::Prepare(call));
                    }
                    add(&mut batch, &known.latest(), parameters.bind(py))
                }
                BatchStatement::Parameters(text, parameters) => {
                    let plain = options.to_prepare();
                    if !texts.known.contains_key(text) {
                        match session.prepare(text, &plain).map_err(|error| error.raise(py))? {
                            Preparation::Ask(call) => return Ok(BatchRequest::Prepare(*call)),
                            Preparation::Known(known) => {
                                texts.known.insert(text.clone(), (known, false));
                            }
                        }
                    }
                    let (known, is_latest) = &texts.known[text];
                    let added = add(&mut batch, known, parameters.bind(py));
                    match added.map_err(PyErr::from) {
                        // Its parameters may be other ones by now.
                        Err(error) if !is_latest && is_input_error(py, &error) => {
                            match session.prepare_anew(known, &plain) {
                                Ok(call) => return Ok(BatchRequest::Prepare(*call)),
                                Err(_) => Err(error.into()),
                            }
                        }
                        added => added.map_err(BoxedPyErr::from),
                    }
                }
            };
            if let Err(error) = added {
                return Err(about(py, error.into(), &format!("statement {at} of the batch")));
            }
        }
        let whole = session.run_batch(batch, options);
        Ok(BatchRequest::Whole(whole.map_err(|error| error.raise(py))?))
    }
}

/// Adds a statement with parameters.
fn add(
    batch: &mut BatchBuilder,
    known: &Arc<Known>,
    parameters: &Bound<'_, PyAny>,
) -> Result<(), BoxedPyErr> {
    let bound = |out: &mut Vec<u8>| bind(known, Some(parameters), out);
    batch.add(known, values_with::<BoxedPyErr>(known.parameters.len(), false, bound))
}

/// The request that prepares a statement again, if it is stale and no node was asked yet.
fn renewal(
    session: &Arc<Session>,
    known: &Arc<Known>,
    options: &StatementOptions,
    texts: &mut Texts,
) -> Result<Option<Call>, BoxedPyErr> {
    if !known.is_stale() {
        return Ok(None);
    }
    match session.renew(known, options)? {
        Preparation::Ask(call) if texts.renewed.insert(known.text.clone()) => Ok(Some(*call)),
        _ => Ok(None),
    }
}
