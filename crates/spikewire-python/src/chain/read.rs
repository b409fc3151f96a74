//! Steps that read.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use super::rows::RowsBase;
use super::step::StepBase;
use crate::arguments::Given;
use crate::errors::value_error;
use crate::operation::Operation;
use crate::verbs::{self, ReadOptions, ReadRules, RetryRules, WriteOptions};

/// A step that reads records: all bins, the named ones, or the results of operations.
#[pyclass(extends = RowsBase, subclass, module = "spikewire._native")]
#[derive(Default)]
pub struct ReadBase {
    bins: Option<Py<PyTuple>>,
    ops: Option<Py<PyList>>,
}

impl ReadBase {
    pub fn bins<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyTuple>> {
        self.bins.as_ref().map(|bins| bins.bind(py).clone())
    }

    pub fn ops<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyList>> {
        self.ops.as_ref().map(|ops| ops.bind(py).clone())
    }

    /// The list of its operations, made where there was none.
    fn listed<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyList>> {
        let py = slf.py();
        let mut this = slf.borrow_mut();
        if this.bins.is_some() {
            return Err(value_error(
                "operations: this step reads bins by name; read those with get(name)",
            ));
        }
        if let Some(ops) = this.ops(py) {
            return Ok(ops);
        }
        let ops = PyList::empty(py);
        this.ops = Some(ops.clone().unbind());
        Ok(ops)
    }

    /// The call on one record. `many`: what stands for it where there are several.
    fn one<'py>(
        slf: &Bound<'py, Self>,
        default: Option<Bound<'py, PyAny>>,
        many: &Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let this = slf.borrow();
        let ops = this.ops(py);
        if !this.as_super().as_super().is_alone() || ops.is_some() && default.is_some() {
            drop(this);
            return slf.call_method0(many);
        }
        let (alone, bins) = (this.as_super().as_super().alone(py)?, this.bins(py));
        drop(this);
        let direct = if alone.options.is_none() { alone.home.get().direct() } else { None };
        let rules = ReadRules { touch: None, mode: None, hedge: None };
        if let Some(ops) = ops {
            let Some(direct) = direct else {
                return alone.call(pyo3::intern!(py, "operate"), Some(ops.into_any()), &[]);
            };
            return direct.run(&alone.key, |defaults, address| {
                verbs::operate(defaults, address, &ops, &WriteOptions::default(), &rules)
            });
        }
        let bins = bins.map(Bound::into_any);
        let Some(direct) = direct else {
            let bins = bins.unwrap_or_else(|| py.None().into_bound(py));
            let default = (pyo3::intern!(py, "default"), default);
            return alone.call(pyo3::intern!(py, "get"), Some(bins), &[default]);
        };
        let default = default.map_or(Given::No, Given::Yes);
        direct.run(&alone.key, |defaults, address| {
            let retry = RetryRules::default();
            let options = ReadOptions { filter: None, rules, replica: None, timeout: None, retry };
            verbs::get(defaults, address, bins, default, &options)
        })
    }
}

#[pymethods]
impl ReadBase {
    #[new]
    fn new() -> PyClassInitializer<Self> {
        RowsBase::begun().add_subclass(Self::default())
    }

    /// The bins that were named, if any.
    #[getter(_bins)]
    fn given_bins<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyTuple>> {
        self.bins(py)
    }

    /// The operations that were given, if any.
    #[getter(_ops)]
    fn given_ops<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyList>> {
        self.ops(py)
    }

    /// The bins to read; without names, only generation and time to live.
    #[pyo3(signature = (*names))]
    #[pyo3(name = "bins")]
    fn name_bins(slf: Bound<'_, Self>, names: Py<PyTuple>) -> PyResult<Bound<'_, Self>> {
        let mut this = slf.borrow_mut();
        if this.ops.is_some() {
            return Err(value_error(
                "bins: this step reads by operations; read a bin with get(name)",
            ));
        }
        this.bins = Some(names);
        drop(this);
        Ok(slf)
    }

    /// Reads a bin, as one of several operations.
    fn get<'py>(slf: Bound<'py, Self>, bin: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        let op = Operation::new(pyo3::intern!(slf.py(), "get"), Some(bin), None)?;
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
        Self::one(slf, None, pyo3::intern!(slf.py(), "_first"))
    }

    /// The first record that exists, in input order, or `None`.
    fn first_or_none<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        Self::one(slf, Some(py.None().into_bound(py)), pyo3::intern!(py, "_first_or_none"))
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let made = StepBase::copied(slf.as_super().as_super())?;
        let this = slf.borrow();
        let ops = this.ops(py).map(|ops| PyList::new(py, ops).map(Bound::unbind)).transpose()?;
        let copied = Self { bins: this.bins(py).map(Bound::unbind), ops };
        *made.cast::<Self>()?.borrow_mut() = copied;
        Ok(made)
    }
}
