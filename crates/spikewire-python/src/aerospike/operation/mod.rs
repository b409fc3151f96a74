//! An operation of `operate`, checked and encoded when it is created.

mod repr;

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use spikewire_aerospike::command::{OperationRef, OwnedOperation};
use spikewire_aerospike_protocol::expression::flag;
use spikewire_aerospike_protocol::message::op;
use spikewire_aerospike_protocol::operation::{Family, pack_path, particle_of};

use self::repr::{OperationRepr, ReprArguments};
use crate::aerospike::arguments::flags;
use crate::aerospike::calls::CallArguments;
use crate::aerospike::calls::context::Path;
use crate::aerospike::expression::{operation_bytes, path_operation_of};
use crate::aerospike::value::{Place, bin_name, bin_text, encode};
use crate::bridge::cached::intern;
use crate::errors::{RequestError, about, invalid_argument};

/// One step of `operate`, created by the functions of `spikewire.op`.
#[pyclass(frozen, module = "spikewire")]
pub struct Operation {
    pub code: u8,
    /// Empty for operations on the whole record.
    pub bin: String,
    pub particle: u8,
    pub value: Vec<u8>,
    repr: OperationRepr,
}

impl Operation {
    /// The operation as it is sent.
    pub fn as_sent(&self) -> OperationRef<'_> {
        let Self { code, bin, particle, value, .. } = self;
        OperationRef { code: *code, bin, particle: *particle, value }
    }

    /// Whether its result is something other than the value of the bin.
    pub fn gives_a_part(&self) -> bool {
        !matches!(
            self.code,
            op::READ | op::WRITE | op::ADD | op::APPEND | op::PREPEND | op::TOUCH | op::DELETE
        )
    }

    /// Whether it may fail because of what is in its bin.
    pub fn depends_on_bin(&self) -> bool {
        !matches!(self.code, op::READ | op::WRITE | op::TOUCH | op::DELETE)
    }

    /// An operation with this encoded value.
    fn call(
        py: Python<'_>,
        code: u8,
        bin: &str,
        value: Vec<u8>,
        call: ReprArguments,
    ) -> PyResult<Self> {
        let repr = OperationRepr::new(py, bin, call)?;
        Ok(Self { code, bin: bin.to_owned(), particle: particle_of(code), value, repr })
    }

    /// An operation of a family, on the value at the end of a path. `pad` is given if the path is
    /// to be created.
    fn build(
        family: Family,
        bin: &Bound<'_, PyAny>,
        call: (&Bound<'_, PyString>, &Bound<'_, PyTuple>),
        ctx: Option<&Bound<'_, PyAny>>,
        pad: bool,
    ) -> PyResult<Self> {
        let (py, bin) = (bin.py(), bin_name(bin)?);
        let (kind, arguments) = call;
        let name = kind.to_str()?;
        let path = Path::new(ctx)?;
        let packed = family.pack(name, &CallArguments(arguments), path.steps()?, pad);
        let (code, value) = packed.map_err(|error: RequestError| in_bin(py, error.into(), bin))?;
        let call = ReprArguments {
            pad,
            path: path.into_steps(),
            ..ReprArguments::new(Some(family), call)
        };
        Self::call(py, code, bin, value, call)
    }
}

#[pymethods]
impl Operation {
    /// `kind` is the verb's name.
    #[new]
    #[pyo3(signature = (kind, bin=None, value=None))]
    pub fn new(
        kind: &Bound<'_, PyAny>,
        bin: Option<&Bound<'_, PyAny>>,
        value: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let name = crate::arguments::text("kind", kind)?;
        let bin = bin.map(bin_text).transpose()?;
        let encoded = value.map(|value| {
            |bin: &str, out: &mut Vec<u8>| {
                Ok::<_, RequestError>(encode(out, value, &Place::Bin(bin))?)
            }
        });
        let OwnedOperation { code, bin, particle, value: bytes } =
            OwnedOperation::plain(name, bin, encoded)?;
        let arguments = PyTuple::new(kind.py(), value)?;
        let call = ReprArguments::new(None, (kind.cast::<PyString>()?, &arguments));
        let repr = OperationRepr::new(kind.py(), &bin, call)?;
        Ok(Self { code, bin, particle, value: bytes, repr })
    }

    /// A list operation of `spikewire.op.list`.
    #[staticmethod]
    #[pyo3(signature = (kind, bin, arguments, ctx=None, *, pad=false))]
    fn list(
        kind: &Bound<'_, PyString>,
        bin: &Bound<'_, PyAny>,
        arguments: &Bound<'_, PyTuple>,
        ctx: Option<&Bound<'_, PyAny>>,
        pad: bool,
    ) -> PyResult<Self> {
        Self::build(Family::List, bin, (kind, arguments), ctx, pad)
    }

    /// A map operation of `spikewire.op.map`.
    #[staticmethod]
    #[pyo3(signature = (kind, bin, arguments, ctx=None))]
    fn map(
        kind: &Bound<'_, PyString>,
        bin: &Bound<'_, PyAny>,
        arguments: &Bound<'_, PyTuple>,
        ctx: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Self::build(Family::Map, bin, (kind, arguments), ctx, false)
    }

    /// A bit operation of `spikewire.op.bit`.
    #[staticmethod]
    fn bit(
        kind: &Bound<'_, PyString>,
        bin: &Bound<'_, PyAny>,
        arguments: &Bound<'_, PyTuple>,
    ) -> PyResult<Self> {
        Self::build(Family::Bit, bin, (kind, arguments), None, false)
    }

    /// A sketch operation of `spikewire.op.hll`.
    #[staticmethod]
    fn hll(
        kind: &Bound<'_, PyString>,
        bin: &Bound<'_, PyAny>,
        arguments: &Bound<'_, PyTuple>,
    ) -> PyResult<Self> {
        Self::build(Family::Hll, bin, (kind, arguments), None, false)
    }

    /// A string operation of `spikewire.op.string`.
    #[staticmethod]
    #[pyo3(signature = (kind, bin, arguments, ctx=None))]
    fn string(
        kind: &Bound<'_, PyString>,
        bin: &Bound<'_, PyAny>,
        arguments: &Bound<'_, PyTuple>,
        ctx: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Self::build(Family::String, bin, (kind, arguments), ctx, false)
    }

    /// A path operation of `spikewire.op.path`: `returning` is what `select` returns, `value`
    /// the expression that `modify` replaces elements by.
    #[staticmethod]
    #[pyo3(signature = (kind, bin, path, returning=None, value=None, *, no_fail=false))]
    fn path(
        kind: &Bound<'_, PyString>,
        bin: &Bound<'_, PyAny>,
        path: &Bound<'_, PyAny>,
        returning: Option<&Bound<'_, PyAny>>,
        value: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = flags::no_fail)] no_fail: bool,
    ) -> PyResult<Self> {
        let (py, bin) = (bin.py(), bin_name(bin)?);
        let steps = Path::along(path)?;
        let operation = path_operation_of(kind.to_str()?, &steps, returning, value, no_fail);
        let operation = operation.map_err(|error| in_bin(py, error, bin))?;
        let (code, packed) = pack_path(&operation);
        let kind = PyString::new(py, &format!("path.{}", kind.to_str()?));
        let arguments = (returning.or(value), no_fail).into_pyobject(py)?;
        let call = ReprArguments {
            path: steps.into_steps(),
            ..ReprArguments::new(None, (&kind, &arguments))
        };
        Self::call(py, code, bin, packed, call)
    }

    /// Reads the value of an expression.
    #[staticmethod]
    #[pyo3(signature = (name, expression, *, no_fail=false))]
    fn read(
        name: &Bound<'_, PyAny>,
        expression: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = flags::no_fail)] no_fail: bool,
    ) -> PyResult<Self> {
        let (py, name) = (name.py(), bin_name(name)?);
        let flags = if no_fail { flag::EVALUATION_NO_FAIL } else { 0 };
        let value =
            operation_bytes(expression, flags).map_err(|error| about(py, error, "expression"))?;
        let arguments = (expression, no_fail).into_pyobject(py)?;
        let call = (intern!(py, "read"), &arguments);
        Self::call(py, op::EXP_READ, name, value, ReprArguments::new(None, call))
    }

    /// Writes the value of an expression.
    #[staticmethod]
    #[allow(clippy::fn_params_excessive_bools)]
    #[pyo3(signature = (bin, expression, *, create_only=false, update_only=false, allow_delete=false, no_fail=false))]
    fn write(
        bin: &Bound<'_, PyAny>,
        expression: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = flags::create_only)] create_only: bool,
        #[pyo3(from_py_with = flags::update_only)] update_only: bool,
        #[pyo3(from_py_with = flags::allow_delete)] allow_delete: bool,
        #[pyo3(from_py_with = flags::no_fail)] no_fail: bool,
    ) -> PyResult<Self> {
        let (py, bin) = (bin.py(), bin_name(bin)?);
        let set = |is_on, flag| if is_on { flag } else { 0 };
        let flags = set(create_only, flag::CREATE_ONLY)
            | set(update_only, flag::UPDATE_ONLY)
            | set(allow_delete, flag::ALLOW_DELETE)
            | set(no_fail, flag::POLICY_NO_FAIL | flag::EVALUATION_NO_FAIL);
        flag::check(flags).map_err(invalid_argument)?;
        let value =
            operation_bytes(expression, flags).map_err(|error| about(py, error, "expression"))?;
        let arguments =
            (expression, create_only, update_only, allow_delete, no_fail).into_pyobject(py)?;
        let call = (intern!(py, "write"), &arguments);
        Self::call(py, op::EXP_MODIFY, bin, value, ReprArguments::new(None, call))
    }

    /// Whether it writes, which makes its call a write.
    #[getter]
    fn writes(&self) -> bool {
        !self.as_sent().reads()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.repr.text(py, &self.bin)
    }
}

/// Adds the bin of an operation to an error about its arguments.
fn in_bin(py: Python<'_>, error: PyErr, bin: &str) -> PyErr {
    about(py, error, &format!("bin {bin:?}"))
}
