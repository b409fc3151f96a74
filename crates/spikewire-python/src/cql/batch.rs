//! Several statements in one request.

use std::sync::Arc;

use pyo3::prelude::*;
use spikewire_cassandra::statement_job::{self, BatchContent};
use spikewire_cassandra::text::without_percent_markers;
use spikewire_cql::request::BatchKind;
use spikewire_sync::Mutex;

use super::bind::{bind, copy_of_parameters};
use super::prepared::{Statement, read_single};
use crate::bridge::errors::{type_error, type_name, value_error};

/// The limit of the protocol's counter.
const MOST: usize = u16::MAX as usize;

/// One statement of a batch.
type BatchStatement = statement_job::BatchStatement<Py<PyAny>>;

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
    pub fn content(&self) -> BatchContent<Py<PyAny>> {
        BatchContent { kind: self.kind, statements: self.entries.lock().clone() }
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
        let Some(single) = read_single(statement)? else {
            return Err(if statement.is_instance_of::<Self>() {
                type_error("a batch cannot hold another batch")
            } else {
                let name = type_name(statement);
                type_error(format!("a statement must be a str or a prepared one, not {name}"))
            });
        };
        let entry = match (single, parameters) {
            (Statement::Text(text), None) => BatchStatement::Text(text),
            (Statement::Text(text), Some(parameters)) => {
                let text = without_percent_markers(&text).map_err(value_error)?;
                BatchStatement::Unprepared(text.into(), copy_of_parameters(parameters)?)
            }
            (Statement::Bound(..), Some(_)) | (Statement::Batch(_), _) => {
                return Err(type_error("a bound statement has its parameters"));
            }
            (Statement::Bound(known, values), None) => BatchStatement::Bound(known, values),
            (Statement::Prepared(known), parameters) => {
                let (latest, mut values) = (known.latest(), Vec::new());
                match (bind(&latest, parameters, &mut values), parameters) {
                    (Ok(()), _) => BatchStatement::Bound(latest, values.into()),
                    (Err(_), Some(parameters)) if latest.is_stale() => {
                        BatchStatement::Unbound(latest, copy_of_parameters(parameters)?)
                    }
                    (Err(error), _) => return Err(error.into()),
                }
            }
        };
        let first = entry.text().trim_start().get(..6).unwrap_or_default().to_ascii_uppercase();
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
