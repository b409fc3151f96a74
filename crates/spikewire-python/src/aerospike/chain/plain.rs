//! Steps without bins: delete, touch and exists.

use pyo3::prelude::*;

use super::rows::RowsBase;
use super::verb::Verb;
use crate::aerospike::verbs::{self, ReadOptions, WriteOptions};
use crate::bridge::cached::intern;

/// A step that deletes records, renews their time to live, or checks which exist.
#[pyclass(frozen, extends = RowsBase, subclass, module = "spikewire._native")]
pub struct PlainBase;

#[pymethods]
impl PlainBase {
    #[new]
    fn new() -> PyClassInitializer<Self> {
        RowsBase::begun().add_subclass(Self)
    }

    /// Makes the call. On one key and without a strategy this is the verb, with its result and
    /// errors.
    #[pyo3(signature = (*, on_error=None, missing=None))]
    fn execute<'py>(
        slf: &Bound<'py, Self>,
        on_error: Option<Bound<'py, PyAny>>,
        missing: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let single_call = match (&on_error, &missing) {
            (None, None) => slf.as_super().as_super().get().single_call(py)?,
            _ => None,
        };
        let Some(single_call) = single_call else {
            return slf.call_method1(intern!(py, "_results"), (on_error, missing));
        };
        let verb = single_call.verb;
        let Some(direct) = single_call.direct() else {
            return single_call.call(
                match verb {
                    Verb::Delete => intern!(py, "delete"),
                    Verb::Touch => intern!(py, "touch"),
                    _ => intern!(py, "exists"),
                },
                None,
                &[],
            );
        };
        direct.run(&single_call.key, |defaults, address| match verb {
            Verb::Delete => verbs::delete(defaults, address, &WriteOptions::default()),
            Verb::Touch => verbs::touch(defaults, address, &WriteOptions::default()),
            _ => verbs::exists(defaults, address, &ReadOptions::default()),
        })
    }
}
