//! Steps that read.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit};

use super::rows::RowsBase;
use super::step::StepBase;
use crate::aerospike::arguments::Argument;
use crate::aerospike::operation::Operation;
use crate::aerospike::verbs::{self, ReadOptions, ReadRules, WriteOptions};
use crate::bridge::cached::intern;
use crate::errors::value_error;
use crate::gil_cell::GilCell;

/// A step that reads records: all bins, the named ones, or the results of operations.
#[pyclass(frozen, extends = RowsBase, subclass, module = "spikewire._native")]
#[derive(Default)]
pub struct ReadBase(GilCell<ReadOperands>);

/// The operands of a step.
#[derive(Default)]
pub struct ReadOperands {
    pub bins: Option<Py<PyTuple>>,
    pub ops: Option<Py<PyList>>,
}

impl ReadBase {
    pub fn operands(&self, py: Python<'_>) -> ReadOperands {
        self.0.with(py, |it| ReadOperands {
            bins: it.bins.as_ref().map(|bins| bins.clone_ref(py)),
            ops: it.ops.as_ref().map(|ops| ops.clone_ref(py)),
        })
    }

    /// The list of the step's operations, created if there is none yet.
    fn listed<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyList>> {
        let py = slf.py();
        let empty = PyList::empty(py).unbind();
        let listed = slf.get().0.with(py, |it| {
            if it.bins.is_some() {
                return None;
            }
            Some(it.ops.get_or_insert(empty).bind(py).clone())
        });
        listed.ok_or_else(|| {
            value_error("operations: this step reads bins by name; read those with get(name)")
        })
    }

    /// The call on one record. `many` names the method to call instead if there may be several
    /// results.
    fn one<'py>(
        slf: &Bound<'py, Self>,
        default: Option<Bound<'py, PyAny>>,
        many: &Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let ReadOperands { bins, ops } = slf.get().operands(py);
        let single_call = match (&ops, &default) {
            // The verb `operate` has no default.
            (Some(_), Some(_)) => None,
            _ => slf.as_super().as_super().get().single_call(py)?,
        };
        let Some(single_call) = single_call else { return slf.call_method0(many) };
        let direct = single_call.direct();
        if let Some(ops) = ops {
            let ops = ops.into_bound(py);
            let Some(direct) = direct else {
                return single_call.call(intern!(py, "operate"), Some(ops.into_any()), &[]);
            };
            return direct.run(&single_call.key, |defaults, address| {
                let (options, rules) = (WriteOptions::default(), ReadRules::default());
                verbs::operate(defaults, address, &ops, &options, &rules)
            });
        }
        let bins = bins.map(|bins| bins.into_bound(py).into_any());
        let Some(direct) = direct else {
            let bins = bins.unwrap_or_else(|| py.None().into_bound(py));
            let default = (intern!(py, "default"), default);
            return single_call.call(intern!(py, "get"), Some(bins), &[default]);
        };
        let default = default.map_or(Argument::Absent, Argument::Present);
        direct.run(&single_call.key, |defaults, address| {
            verbs::get(defaults, address, bins, default, &ReadOptions::default())
        })
    }
}

#[pymethods]
impl ReadBase {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.0
            .try_with(|it| {
                visit.call(&it.bins)?;
                visit.call(&it.ops)
            })
            .unwrap_or(Ok(()))
    }

    #[new]
    fn new() -> PyClassInitializer<Self> {
        RowsBase::begun().add_subclass(Self::default())
    }

    /// The bins that were named, if any.
    #[getter(_bins)]
    fn get_bins(&self, py: Python<'_>) -> Option<Py<PyTuple>> {
        self.operands(py).bins
    }

    /// The operations that were given, if any.
    #[getter(_ops)]
    fn get_ops(&self, py: Python<'_>) -> Option<Py<PyList>> {
        self.operands(py).ops
    }

    /// The bins to read; without names, only generation and time to live.
    #[pyo3(signature = (*names))]
    #[pyo3(name = "bins")]
    fn name_bins(slf: Bound<'_, Self>, names: Py<PyTuple>) -> PyResult<Bound<'_, Self>> {
        let before = slf.get().0.with(slf.py(), |it| match it.ops {
            Some(_) => Err(names),
            None => Ok(it.bins.replace(names)),
        });
        match before {
            Ok(_) => Ok(slf),
            Err(_) => {
                Err(value_error("bins: this step reads by operations; read a bin with get(name)"))
            }
        }
    }

    /// Reads a bin, as one of several operations.
    fn get<'py>(slf: Bound<'py, Self>, bin: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        let op = Operation::new(intern!(slf.py(), "get"), Some(bin), None)?;
        Self::listed(&slf)?.append(op)?;
        Ok(slf)
    }

    /// Adds read operations from `spikewire.op`.
    #[pyo3(signature = (*operations))]
    fn op<'py>(
        slf: Bound<'py, Self>,
        operations: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, Self>> {
        let ops = Self::listed(&slf)?;
        operations.iter().try_for_each(|op| ops.append(op))?;
        Ok(slf)
    }

    /// The first record that exists, in input order.
    ///
    /// On one key this is the verb `get`, or `operate` if there are operations, with its errors.
    /// On several keys it raises `RecordNotFound` or `FilteredOut` if there is none.
    fn first<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::one(slf, None, intern!(slf.py(), "_first"))
    }

    /// The first record that exists, in input order, or `None`.
    fn first_or_none<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        Self::one(slf, Some(py.None().into_bound(py)), intern!(py, "_first_or_none"))
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let copy = StepBase::copied(slf.as_super().as_super())?;
        let ReadOperands { bins, ops } = slf.get().operands(py);
        let ops = ops.map(|ops| PyList::new(py, ops.bind(py)).map(Bound::unbind)).transpose()?;
        copy.cast::<Self>()?.get().0.with(py, |it| *it = ReadOperands { bins, ops });
        Ok(copy)
    }
}
