//! Steps that write bins.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyString, PyTuple};

use spikewire_aerospike_protocol::message::op;

use super::rows::RowsBase;
use super::step::StepBase;
use crate::errors::{type_error, type_name};
use crate::operation::Operation;
use crate::verbs::{self, ReadRules, WriteOptions};

/// A step that writes bins. Each method adds an operation; operations are applied in order and
/// atomically.
#[pyclass(extends = RowsBase, subclass, module = "spikewire._native")]
#[derive(Default)]
pub struct WriteBase {
    /// What is set, as long as there is no other operation.
    bins: Option<Py<PyDict>>,
    ops: Option<Py<PyList>>,
    ttl: Option<Py<PyAny>>,
}

impl WriteBase {
    pub fn ops<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyList>> {
        self.ops.as_ref().map(|ops| ops.bind(py).clone())
    }

    pub fn ttl<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.ttl.as_ref().map(|ttl| ttl.bind(py).clone())
    }

    /// The bins that are set, where there are no operations.
    pub fn bins<'py>(&self, py: Python<'py>) -> Bound<'py, PyDict> {
        self.bins.as_ref().map_or_else(|| PyDict::new(py), |bins| bins.bind(py).clone())
    }

    /// What is written, as operations.
    fn operations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        if let Some(ops) = self.ops(py) {
            return Ok(ops);
        }
        let ops = PyList::empty(py);
        for (name, value) in self.bins(py) {
            ops.append(put(&name, &value)?)?;
        }
        Ok(ops)
    }

    /// Adds an operation of one bin.
    fn add_one<'py>(
        slf: Bound<'py, Self>,
        kind: &Bound<'py, PyString>,
        bin: Option<&Bound<'py, PyAny>>,
        value: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        let made = Operation::new(kind, bin, value)?;
        Self::listed(&slf)?.append(made)?;
        Ok(slf)
    }

    /// The list of its operations, made where there was none.
    fn listed<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyList>> {
        let py = slf.py();
        let mut this = slf.borrow_mut();
        let ops = this.operations(py)?;
        if this.ops.is_none() {
            this.ops = Some(ops.clone().unbind());
        }
        Ok(ops)
    }

    fn set_bin<'py>(
        slf: &Bound<'py, Self>,
        bin: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        let py = slf.py();
        let mut this = slf.borrow_mut();
        if let Some(ops) = this.ops(py) {
            drop(this);
            return ops.append(put(bin, value)?);
        }
        let bins = this.bins.get_or_insert_with(|| PyDict::new(py).unbind()).bind(py).clone();
        drop(this);
        bins.set_item(bin, value)
    }

    /// As operations, with the record that they give.
    fn operate<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let this = slf.borrow();
        let alone = this.as_super().as_super().alone(py)?;
        let (ops, ttl, rule) =
            (this.operations(py)?, this.ttl(py), this.as_super().as_super().verb.rule(py));
        drop(this);
        let exists = rule.map(|rule| rule.clone().into_any());
        let direct = if alone.options.is_none() { alone.home.get().direct() } else { None };
        let Some(direct) = direct else {
            let more = [(pyo3::intern!(py, "ttl"), ttl), (pyo3::intern!(py, "exists"), exists)];
            return alone.call(pyo3::intern!(py, "operate"), Some(ops.into_any()), &more);
        };
        direct.run(&alone.key, |defaults, address| {
            let options = WriteOptions { ttl, exists, ..WriteOptions::default() };
            let rules = ReadRules { touch: None, mode: None, hedge: None };
            verbs::operate(defaults, address, &ops, &options, &rules)
        })
    }
}

fn put(bin: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<Operation> {
    let value = Some(value).filter(|value| !value.is_none());
    Operation::new(pyo3::intern!(bin.py(), "put"), Some(bin), value)
}

#[pymethods]
impl WriteBase {
    #[new]
    fn new() -> PyClassInitializer<Self> {
        RowsBase::begun().add_subclass(Self::default())
    }

    /// The operations, where there are others than those that set bins.
    #[getter(_ops)]
    fn given_ops<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyList>> {
        self.ops(py)
    }

    /// The time to live that was given, if any.
    #[getter(_ttl)]
    fn given_ttl<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.ttl(py)
    }

    /// What is written, as operations.
    fn _operations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.operations(py)
    }

    /// Time to live, as in `put`.
    #[pyo3(name = "ttl")]
    fn set_ttl(slf: Bound<'_, Self>, ttl: Option<Py<PyAny>>) -> Bound<'_, Self> {
        slf.borrow_mut().ttl = ttl;
        slf
    }

    /// Writes a bin; `None` removes it.
    fn set<'py>(
        slf: Bound<'py, Self>,
        bin: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, Self>> {
        Self::set_bin(&slf, bin, value)?;
        Ok(slf)
    }

    /// Writes several bins, from a dict of names to values.
    fn put<'py>(slf: Bound<'py, Self>, bins: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        let py = slf.py();
        let mut this = slf.borrow_mut();
        if let Ok(exact) = bins.cast_exact::<PyDict>()
            && this.ops.is_none()
            && this.bins.is_none()
        {
            this.bins = Some(exact.copy()?.unbind());
            drop(this);
            return Ok(slf);
        }
        drop(this);
        let items = if let Ok(bins) = bins.cast::<PyMapping>() {
            bins.items()?.into_any()
        } else if bins.hasattr(pyo3::intern!(py, "items"))? {
            bins.call_method0(pyo3::intern!(py, "items"))?
        } else {
            return Err(type_error(format!(
                "bins must be a dict of names to values, not {}",
                type_name(bins)
            )));
        };
        for pair in items.try_iter()? {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair?.extract()?;
            Self::set_bin(&slf, &name, &value)?;
        }
        Ok(slf)
    }

    /// Removes bins.
    #[pyo3(signature = (*bins))]
    fn remove<'py>(
        slf: Bound<'py, Self>,
        bins: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, Self>> {
        let none = slf.py().None().into_bound(slf.py());
        bins.iter().try_for_each(|name| Self::set_bin(&slf, &name, &none))?;
        Ok(slf)
    }

    /// Adds to a number; a missing bin counts as 0.
    fn add<'py>(
        slf: Bound<'py, Self>,
        bin: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, Self>> {
        let kind = pyo3::intern!(slf.py(), "add");
        Self::add_one(slf, kind, Some(bin), Some(value))
    }

    /// Appends to text or bytes; a missing bin counts as empty.
    fn append<'py>(
        slf: Bound<'py, Self>,
        bin: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, Self>> {
        let kind = pyo3::intern!(slf.py(), "append");
        Self::add_one(slf, kind, Some(bin), Some(value))
    }

    /// Prepends to text or bytes; a missing bin counts as empty.
    fn prepend<'py>(
        slf: Bound<'py, Self>,
        bin: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, Self>> {
        let kind = pyo3::intern!(slf.py(), "prepend");
        Self::add_one(slf, kind, Some(bin), Some(value))
    }

    /// Reads a bin, or all bins, as they are at this point.
    #[pyo3(signature = (bin=None))]
    fn get<'py>(
        slf: Bound<'py, Self>,
        bin: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        let kind = pyo3::intern!(slf.py(), "get");
        Self::add_one(slf, kind, bin, None)
    }

    /// Adds operations from `spikewire.op`, of any kind.
    #[pyo3(signature = (*operations))]
    fn op<'py>(
        slf: Bound<'py, Self>,
        operations: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, Self>> {
        let ops = Self::listed(&slf)?;
        operations.iter().try_for_each(|op| ops.append(op))?;
        Ok(slf)
    }

    /// Makes the call.
    ///
    /// On one key and without a strategy this is one verb: `put`, which returns `None`, if bins
    /// are only set, otherwise `operate`, which returns the `Record` that was read. Its errors
    /// are those of the verb.
    #[pyo3(signature = (*, on_error=None, missing=None))]
    fn execute<'py>(
        slf: &Bound<'py, Self>,
        on_error: Option<Bound<'py, PyAny>>,
        missing: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let this = slf.borrow();
        if !this.as_super().as_super().is_alone() || on_error.is_some() || missing.is_some() {
            drop(this);
            return slf.call_method1(pyo3::intern!(py, "_results"), (on_error, missing));
        }
        if this.ops.is_some() {
            drop(this);
            return Self::operate(slf);
        }
        let alone = this.as_super().as_super().alone(py)?;
        let (bins, ttl, rule) =
            (this.bins(py), this.ttl(py), this.as_super().as_super().verb.rule(py));
        drop(this);
        let exists = rule.map(|rule| rule.clone().into_any());
        let direct = if alone.options.is_none() { alone.home.get().direct() } else { None };
        let Some(direct) = direct else {
            let more = [(pyo3::intern!(py, "ttl"), ttl), (pyo3::intern!(py, "exists"), exists)];
            return alone.call(pyo3::intern!(py, "put"), Some(bins.into_any()), &more);
        };
        direct.run(&alone.key, |defaults, address| {
            let options = WriteOptions { ttl, exists, ..WriteOptions::default() };
            verbs::write(defaults, address, &bins, &options, op::WRITE)
        })
    }

    /// Makes the call and returns the first record, with the results of the operations.
    fn first<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        if slf.as_super().as_super().borrow().is_alone() {
            return Self::operate(slf);
        }
        slf.call_method0(pyo3::intern!(slf.py(), "_first"))
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let made = StepBase::copied(slf.as_super().as_super())?;
        let this = slf.borrow();
        let bins = this.bins.as_ref().map(|bins| bins.bind(py).copy().map(Bound::unbind));
        let ops = this.ops(py).map(|ops| PyList::new(py, ops).map(Bound::unbind));
        let ttl = this.ttl(py).map(Bound::unbind);
        let copied = Self { bins: bins.transpose()?, ops: ops.transpose()?, ttl };
        *made.cast::<Self>()?.borrow_mut() = copied;
        Ok(made)
    }
}
