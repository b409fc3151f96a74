//! Prepared statements as Python objects, with and without parameters.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use spikewire_cassandra::statement::Prepared as Known;
use spikewire_cassandra::statement_job;

use super::bind::bind;
use super::value::Mark;
use crate::bridge::errors::{about, utf8};

/// The length that stands for an unset value.
const UNSET: i32 = -2;

/// A prepared statement, from `prepare`. It may be used with any session on the same cluster;
/// nodes that do not know it prepare it on demand.
#[pyclass(frozen, module = "spikewire.cql")]
pub struct Prepared {
    pub known: Arc<Known>,
}

#[pymethods]
impl Prepared {
    /// The text of the statement.
    #[getter]
    fn text(&self) -> &str {
        &self.known.text
    }

    /// The server's id of it.
    #[getter]
    fn id<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.known.latest().id)
    }

    /// Name and type of each parameter, in order; types as CQL spells them.
    #[getter]
    fn parameters(&self) -> Vec<(String, String)> {
        let latest = self.known.latest();
        let columns = latest.parameters.iter();
        columns.map(|column| (column.name.to_string(), column.ty.to_string())).collect()
    }

    /// Keyspace, table, name and type of each parameter, in order; types as the server's class
    /// names, which hold the keyspace and the fields of user-defined types.
    #[getter]
    fn parameter_columns(&self) -> Vec<(String, String, String, String)> {
        let columns = self.known.parameters.iter().map(|column| {
            let [keyspace, table, name] =
                [&column.keyspace, &column.table, &column.name].map(ToString::to_string);
            (keyspace, table, name, column.ty.class_name())
        });
        columns.collect()
    }

    /// The indexes of the parameters that form the partition key, in the key's order; empty if
    /// the statement does not determine a partition, so any node may be used.
    #[getter]
    fn partition_key(&self) -> Vec<u16> {
        self.known.latest().key.clone()
    }

    /// The token of the partition for these parameters, which determines the nodes that hold it;
    /// `None` if the statement does not determine a partition.
    #[pyo3(signature = (parameters=None, /))]
    fn token(&self, parameters: Option<&Bound<'_, PyAny>>) -> PyResult<Option<i64>> {
        let (latest, mut values) = (self.known.latest(), Vec::new());
        bind(&latest, parameters, &mut values)?;
        Ok(latest.token(&values))
    }

    /// The server's warnings when it prepared the statement.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.known.warnings.clone()
    }

    /// The statement with parameters, which are validated and kept as they are now, to execute
    /// it several times or later.
    ///
    /// Raises `TypeError`, `ValueError` or `OverflowError` for values that do not fit.
    #[pyo3(signature = (parameters=None, /))]
    fn bind(
        &self,
        py: Python<'_>,
        parameters: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<BoundStatement> {
        let (latest, mut values) = (self.known.latest(), Vec::new());
        if let Err(error) = bind(&latest, parameters, &mut values) {
            let error = PyErr::from(error);
            if latest.is_stale() {
                let place = "the schema was changed since the statement was prepared (prepare it \
                             again)";
                return Err(about(py, error, place));
            }
            return Err(error);
        }
        Ok(BoundStatement { known: latest, values: values.into() })
    }

    fn __repr__(&self) -> String {
        format!("<Prepared {:?}>", self.known.text)
    }
}

/// A prepared statement with its parameters, from `Prepared.bind`.
#[pyclass(frozen, module = "spikewire.cql")]
pub struct BoundStatement {
    known: Arc<Known>,
    values: Arc<[u8]>,
}

#[pymethods]
impl BoundStatement {
    /// The statement without its parameters.
    #[getter]
    fn prepared(&self) -> Prepared {
        Prepared { known: self.known.clone() }
    }

    /// The values as they are sent: bytes, `None` for null, or `UNSET`.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut values = Vec::new();
        let mut rest = &*self.values;
        while let Some((len, behind)) = rest.split_first_chunk::<4>() {
            let len = i32::from_be_bytes(*len);
            rest = behind;
            values.push(match usize::try_from(len) {
                Ok(len) => {
                    let (value, behind) = rest.split_at_checked(len).unwrap_or((rest, &[]));
                    rest = behind;
                    PyBytes::new(py, value).into_any()
                }
                Err(_) if len == UNSET => Mark::Unset.into_pyobject(py)?.into_any(),
                Err(_) => py.None().into_bound(py),
            });
        }
        Ok(values)
    }

    fn __repr__(&self) -> String {
        format!("<BoundStatement {:?}>", self.known.text)
    }
}

/// The statement to execute.
pub type Statement = statement_job::Statement<Py<PyAny>>;

/// Parses an argument that is one statement. `None` if it is something else, such as a batch.
pub fn read_single(statement: &Bound<'_, PyAny>) -> PyResult<Option<Statement>> {
    if let Ok(prepared) = statement.cast::<Prepared>() {
        return Ok(Some(Statement::Prepared(prepared.get().known.clone())));
    }
    if let Ok(text) = statement.cast::<PyString>() {
        return Ok(Some(Statement::Text(Arc::from(utf8("the statement", text)?))));
    }
    if let Ok(bound) = statement.cast::<BoundStatement>() {
        let bound = bound.get();
        return Ok(Some(Statement::Bound(bound.known.clone(), bound.values.clone())));
    }
    Ok(None)
}
