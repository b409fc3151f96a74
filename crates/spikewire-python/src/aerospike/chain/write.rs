//! Steps that write bins.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyString, PyTuple};
use pyo3::{PyTraverseError, PyVisit};

use spikewire_aerospike_protocol::message::op;

use super::rows::RowsBase;
use super::step::{SingleCall, StepBase};
use crate::aerospike::operation::Operation;
use crate::aerospike::record_type;
use crate::aerospike::verbs::{self, ReadRules, WriteOptions};
use crate::bridge::cached::intern;
use crate::errors::{type_error, type_name};
use crate::gil_cell::GilCell;

/// A step that writes bins. Each method adds an operation; operations are applied in order and
/// atomically.
#[pyclass(frozen, extends = RowsBase, subclass, module = "spikewire._native")]
#[derive(Default)]
pub struct WriteBase(GilCell<WriteOperands>);

/// What a step writes.
#[derive(Default)]
pub struct WriteOperands {
    /// The bins to set, as long as there is no other operation.
    pub bins: Option<Py<PyDict>>,
    pub ops: Option<Py<PyList>>,
    pub ttl: Option<Py<PyAny>>,
}

impl WriteOperands {
    /// The bins to set and the operations, all as operations.
    fn operations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        if let Some(ops) = &self.ops {
            return Ok(ops.bind(py).clone());
        }
        let ops = PyList::empty(py);
        for (name, value) in self.bins.iter().flat_map(|bins| bins.bind(py)) {
            ops.append(put(&name, &value)?)?;
        }
        Ok(ops)
    }
}

impl WriteBase {
    pub fn operands(&self, py: Python<'_>) -> WriteOperands {
        self.0.with(py, |it| WriteOperands {
            bins: it.bins.as_ref().map(|bins| bins.clone_ref(py)),
            ops: it.ops.as_ref().map(|ops| ops.clone_ref(py)),
            ttl: it.ttl.as_ref().map(|ttl| ttl.clone_ref(py)),
        })
    }

    /// Adds an operation on one bin.
    fn add_one<'py>(
        slf: Bound<'py, Self>,
        kind: &Bound<'py, PyString>,
        bin: Option<&Bound<'py, PyAny>>,
        value: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        let operation = Operation::new(kind, bin, value)?;
        Self::listed(&slf)?.append(operation)?;
        Ok(slf)
    }

    /// The list of the step's operations, created if there is none yet.
    fn listed<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyList>> {
        let (py, this) = (slf.py(), slf.get());
        if let Some(ops) = this.ops(py) {
            return Ok(ops);
        }
        let operations = this.operands(py).operations(py)?;
        // Another thread may have created one.
        Ok(this.0.with(py, |it| it.ops.get_or_insert(operations.unbind()).bind(py).clone()))
    }

    fn ops<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyList>> {
        self.0.with(py, |it| it.ops.as_ref().map(|ops| ops.bind(py).clone()))
    }

    fn set_bin<'py>(
        slf: &Bound<'py, Self>,
        bin: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        let (py, this) = (slf.py(), slf.get());
        let (ops, bins) = this.0.with(py, |it| match &it.ops {
            Some(ops) => (Some(ops.bind(py).clone()), None),
            None => (None, it.bins.as_ref().map(|bins| bins.bind(py).clone())),
        });
        if let Some(ops) = ops {
            return ops.append(put(bin, value)?);
        }
        let bins = bins.unwrap_or_else(|| {
            let empty = PyDict::new(py).unbind();
            this.0.with(py, |it| it.bins.get_or_insert(empty).bind(py).clone())
        });
        bins.set_item(bin, value)
    }

    /// Runs the step as `operate`, which returns a record.
    fn operate<'py>(
        single_call: &SingleCall<'py>,
        ops: &Bound<'py, PyList>,
        ttl: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = ops.py();
        let exists = single_call.verb.rule(py).map(|rule| rule.clone().into_any());
        let Some(direct) = single_call.direct() else {
            let more = [(intern!(py, "ttl"), ttl), (intern!(py, "exists"), exists)];
            return single_call.call(intern!(py, "operate"), Some(ops.clone().into_any()), &more);
        };
        direct.run(&single_call.key, |defaults, address| {
            let options = WriteOptions { ttl, exists, ..WriteOptions::default() };
            verbs::operate(defaults, address, ops, &options, &ReadRules::default())
        })
    }
}

fn put(bin: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<Operation> {
    let value = Some(value).filter(|value| !value.is_none());
    Operation::new(intern!(bin.py(), "put"), Some(bin), value)
}

#[pymethods]
impl WriteBase {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.0
            .try_with(|it| {
                visit.call(&it.bins)?;
                visit.call(&it.ops)?;
                visit.call(&it.ttl)
            })
            .unwrap_or(Ok(()))
    }

    #[new]
    fn new() -> PyClassInitializer<Self> {
        RowsBase::begun().add_subclass(Self::default())
    }

    /// The operations, where there are others than those that set bins.
    #[getter(_ops)]
    fn get_ops<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyList>> {
        self.ops(py)
    }

    /// The time to live that was given, if any.
    #[getter(_ttl)]
    fn get_ttl(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.operands(py).ttl
    }

    /// What is written, as operations.
    fn _operations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.operands(py).operations(py)
    }

    /// Time to live, as in `put`.
    #[pyo3(name = "ttl")]
    fn set_ttl(slf: Bound<'_, Self>, ttl: Option<Py<PyAny>>) -> Bound<'_, Self> {
        let before = slf.get().0.with(slf.py(), |it| std::mem::replace(&mut it.ttl, ttl));
        // Dropping it may run the program's code, which may access this step.
        drop(before);
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

    /// Writes several bins, from a dict of names to values, or from an instance of a class that
    /// records can have.
    fn put<'py>(slf: Bound<'py, Self>, bins: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        let py = slf.py();
        if let Ok(exact) = bins.cast_exact::<PyDict>() {
            let copy = exact.copy()?.unbind();
            let left = slf.get().0.with(py, |it| {
                if it.ops.is_some() || it.bins.is_some() {
                    return Some(copy);
                }
                it.bins = Some(copy);
                None
            });
            if left.is_none() {
                return Ok(slf);
            }
        }
        let items = if let Ok(bins) = bins.cast::<PyMapping>() {
            bins.items()?.into_any()
        } else if let Some(fields) = record_type::bins_of(bins)? {
            fields.items().into_any()
        } else if bins.hasattr(intern!(py, "items"))? {
            bins.call_method0(intern!(py, "items"))?
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
        let kind = intern!(slf.py(), "add");
        Self::add_one(slf, kind, Some(bin), Some(value))
    }

    /// Appends to text or bytes; a missing bin counts as empty.
    fn append<'py>(
        slf: Bound<'py, Self>,
        bin: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, Self>> {
        let kind = intern!(slf.py(), "append");
        Self::add_one(slf, kind, Some(bin), Some(value))
    }

    /// Prepends to text or bytes; a missing bin counts as empty.
    fn prepend<'py>(
        slf: Bound<'py, Self>,
        bin: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, Self>> {
        let kind = intern!(slf.py(), "prepend");
        Self::add_one(slf, kind, Some(bin), Some(value))
    }

    /// Reads a bin, or all bins, as they are at this point.
    #[pyo3(signature = (bin=None))]
    fn get<'py>(
        slf: Bound<'py, Self>,
        bin: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, Self>> {
        let kind = intern!(slf.py(), "get");
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
        let single_call = match (&on_error, &missing) {
            (None, None) => slf.as_super().as_super().get().single_call(py)?,
            _ => None,
        };
        let Some(single_call) = single_call else {
            return slf.call_method1(intern!(py, "_results"), (on_error, missing));
        };
        let WriteOperands { bins, ops, ttl } = slf.get().operands(py);
        let ttl = ttl.map(|ttl| ttl.into_bound(py));
        if let Some(ops) = ops {
            return Self::operate(&single_call, ops.bind(py), ttl);
        }
        let bins = bins.map_or_else(|| PyDict::new(py), |bins| bins.into_bound(py));
        let exists = single_call.verb.rule(py).map(|rule| rule.clone().into_any());
        let Some(direct) = single_call.direct() else {
            let more = [(intern!(py, "ttl"), ttl), (intern!(py, "exists"), exists)];
            return single_call.call(intern!(py, "put"), Some(bins.into_any()), &more);
        };
        direct.run(&single_call.key, |defaults, address| {
            let options = WriteOptions { ttl, exists, ..WriteOptions::default() };
            verbs::write(defaults, address, &bins, &options, op::WRITE)
        })
    }

    /// Makes the call and returns the first record, with the results of the operations.
    fn first<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let Some(single_call) = slf.as_super().as_super().get().single_call(py)? else {
            return slf.call_method0(intern!(py, "_first"));
        };
        let operands = slf.get().operands(py);
        let ops = operands.operations(py)?;
        Self::operate(&single_call, &ops, operands.ttl.map(|ttl| ttl.into_bound(py)))
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let copy = StepBase::copied(slf.as_super().as_super())?;
        let WriteOperands { bins, ops, ttl } = slf.get().operands(py);
        let bins = bins.map(|bins| bins.bind(py).copy().map(Bound::unbind)).transpose()?;
        let ops = ops.map(|ops| PyList::new(py, ops.bind(py)).map(Bound::unbind)).transpose()?;
        copy.cast::<Self>()?.get().0.with(py, |it| *it = WriteOperands { bins, ops, ttl });
        Ok(copy)
    }
}
