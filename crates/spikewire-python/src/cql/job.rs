//! Python's side of statement jobs: its parameters, and results as Python objects.

use std::borrow::Cow;
use std::sync::Arc;

use pyo3::prelude::*;
use spikewire_cassandra::statement::{Prepared as Known, StatementOptions};
use spikewire_cassandra::statement_job::{
    self, JobResult, JobStep, ParameterEncoder, StatementHost, StatementJob,
};
use spikewire_cassandra::text::without_percent_markers;

use super::bind::{bind, copy_of_parameters, is_input_error};
use super::classes::Classes;
use super::core::Core;
use super::errors::BoxedPyErr;
use super::pages::CellBytes;
use super::prepared::Prepared;
use super::rows::Rows;
use super::statement::Statement;
use crate::bridge::errors::{about, type_error, value_error};

pub use spikewire_cassandra::statement_job::Goal;

/// What statement jobs need of Python.
#[derive(Debug)]
pub struct PythonHost {
    classes: Arc<Classes>,
}

/// A statement in progress.
pub type Job = StatementJob<PythonHost>;

/// What follows a reply.
pub type Progress<'py> = JobStep<Bound<'py, PyAny>>;

/// The start of a job.
pub type Start<'py> = statement_job::Start<'py, PythonHost>;

/// A verb's request.
pub struct Request<'a, 'py> {
    pub goal: Goal,
    pub statement: Statement,
    pub parameters: Option<&'a Bound<'py, PyAny>>,
    pub options: Option<Box<StatementOptions>>,
}

/// Starts a job.
#[inline]
pub fn start<'py>(py: Python<'py>, core: &Core, request: Request<'_, 'py>) -> PyResult<Start<'py>> {
    let Request { goal, statement, parameters, options } = request;
    let parameters = parameters.filter(|parameters| !parameters.is_none());
    match &statement {
        Statement::Text(_) => {}
        _ if matches!(goal, Goal::Prepared | Goal::Markers) => {
            return Err(type_error("a statement to prepare must be a str"));
        }
        Statement::Prepared(_) => {}
        Statement::Bound(..) | Statement::Batch(_) if parameters.is_none() => {}
        _ => return Err(type_error("a bound statement or a batch has its parameters")),
    }
    let host = PythonHost { classes: core.classes.clone() };
    Ok(Job::start((host, py), &core.session, goal, statement, parameters, options)?)
}

impl ParameterEncoder for PythonHost {
    type Parameters<'a> = &'a Bound<'a, PyAny>;
    type Error = BoxedPyErr;

    #[inline]
    fn encode(
        prepared: &Known,
        parameters: Option<&Bound<'_, PyAny>>,
        out: &mut Vec<u8>,
    ) -> Result<(), BoxedPyErr> {
        bind(prepared, parameters, out)
    }

    fn may_be_outdated(error: &BoxedPyErr) -> bool {
        Python::attach(|py| is_input_error(py, error.get()))
    }

    fn in_batch(error: BoxedPyErr, at: usize) -> BoxedPyErr {
        let place = format!("statement {at} of the batch");
        Python::attach(|py| about(py, error.into(), &place)).into()
    }
}

impl StatementHost for PythonHost {
    type Access<'a> = Python<'a>;
    type OwnedParameters = Py<PyAny>;
    type Cells = CellBytes;
    type Output<'a> = Bound<'a, PyAny>;

    fn markers(text: &str) -> Result<Cow<'_, str>, BoxedPyErr> {
        Ok(without_percent_markers(text).map_err(value_error)?)
    }

    fn copy_parameters(parameters: &Bound<'_, PyAny>) -> Result<Py<PyAny>, BoxedPyErr> {
        Ok(copy_of_parameters(parameters)?)
    }

    fn borrow_parameters<'k, 'py: 'k>(
        py: Self::Access<'py>,
        owned: &'k Py<PyAny>,
    ) -> &'k Bound<'k, PyAny> {
        owned.bind(py)
    }

    #[inline]
    fn copy_cells(py: Python<'_>, cells: &[u8]) -> CellBytes {
        CellBytes::new(py, cells)
    }

    #[inline]
    fn output<'py>(
        &self,
        py: Self::Access<'py>,
        result: JobResult<CellBytes>,
    ) -> Result<Bound<'py, PyAny>, BoxedPyErr> {
        Ok(match result {
            JobResult::Prepared(known) => Bound::new(py, Prepared { known })?.into_any(),
            JobResult::Pages(pages) => {
                Bound::new(py, Rows::new(pages, self.classes.clone()))?.into_any()
            }
            JobResult::Success => py.None().into_bound(py),
        })
    }
}
