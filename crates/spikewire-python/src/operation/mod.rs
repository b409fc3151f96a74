//! One operation of `operate`, checked and encoded when it is made.

pub mod packer;
mod words;

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use spikewire_protocol::cdt::{ListOp, MapOp, Op};
use spikewire_protocol::message::op;
use spikewire_protocol::value::particle;

use self::packer::Packer;
use self::words::{Family, Shown, Words};
use crate::calls::context::Path;
use crate::calls::{Cursor, bytes, cdt};
use crate::errors::{about, type_error, value_error};
use crate::expression::operation_bytes;
use crate::value::{Place, bin_name, encode};

/// One step of `operate`; made by the functions of `spikewire.op`.
#[pyclass(frozen, module = "spikewire")]
pub struct Operation {
    pub code: u8,
    /// Empty for operations on the whole record.
    pub bin: String,
    pub particle: u8,
    pub value: Vec<u8>,
    shown: Shown,
}

/// What an expression may do when it writes or reads a bin.
mod expression {
    pub const CREATE_ONLY: u8 = 1;
    pub const UPDATE_ONLY: u8 = 2;
    pub const ALLOW_DELETE: u8 = 4;
    pub const POLICY_NO_FAIL: u8 = 8;
    pub const EVALUATION_NO_FAIL: u8 = 16;
}

impl Operation {
    /// Whether it makes the command a read.
    pub fn reads(&self) -> bool {
        matches!(self.code, op::READ | op::CDT_READ | op::EXP_READ | op::BITS_READ | op::HLL_READ)
    }

    /// Whether it reads every bin.
    pub fn reads_all(&self) -> bool {
        self.code == op::READ && self.bin.is_empty()
    }

    /// Whether it gives a result of its own, which a read of every bin leaves no place for.
    pub fn gives(&self) -> bool {
        !self.reads_all()
            && matches!(
                self.code,
                op::READ
                    | op::CDT_READ
                    | op::CDT_MODIFY
                    | op::EXP_READ
                    | op::EXP_MODIFY
                    | op::BITS_READ
                    | op::BITS_MODIFY
                    | op::HLL_READ
                    | op::HLL_MODIFY
            )
    }

    /// Whether its answer is something else than the value of its bin.
    pub fn gives_a_part(&self) -> bool {
        !matches!(
            self.code,
            op::READ | op::WRITE | op::ADD | op::APPEND | op::PREPEND | op::TOUCH | op::DELETE
        )
    }

    /// Whether the server answers it when it answers every operation.
    pub fn is_answered(&self) -> bool {
        self.code != op::TOUCH
    }

    /// An operation whose value is `value`.
    fn call(py: Python<'_>, code: u8, bin: &str, value: Vec<u8>, words: Words) -> PyResult<Self> {
        let shown = Shown::new(py, bin, words)?;
        Ok(Self { code, bin: bin.to_owned(), particle: particle::BLOB, value, shown })
    }

    /// A list or map operation on what is at the end of a path.
    fn on_path(
        family: Family,
        bin: &str,
        op: &Op<Vec<u8>>,
        words: (&Bound<'_, PyString>, &Bound<'_, PyTuple>),
        path: Path<'_>,
        pad: Option<bool>,
    ) -> PyResult<Self> {
        let py = words.0.py();
        let steps = match (op, pad) {
            (Op::List(ListOp::SetOrder(order)) | Op::Map(MapOp::SetOrder(order)), Some(pad)) => {
                path.creating(*order, pad)?
            }
            _ => path.steps(),
        };
        let mut value = Vec::with_capacity(32);
        op.encode(&steps, &mut value);
        let code = if op.modifies() { op::CDT_MODIFY } else { op::CDT_READ };
        drop(steps);
        let words =
            Words { pad: pad == Some(true), path: path.into_steps(), ..Words::new(family, words) };
        Self::call(py, code, bin, value, words)
    }
}

#[pymethods]
impl Operation {
    /// `kind` is the verb's name.
    #[new]
    #[pyo3(signature = (kind, bin=None, value=None))]
    fn new(
        kind: &Bound<'_, PyAny>,
        bin: Option<&Bound<'_, PyAny>>,
        value: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let name = crate::space::text("kind", kind)?;
        let code = match name {
            "get" => op::READ,
            "put" => op::WRITE,
            "add" => op::ADD,
            "append" => op::APPEND,
            "prepend" => op::PREPEND,
            "touch" => op::TOUCH,
            "delete" => op::DELETE,
            _ => return Err(value_error(format!("unknown operation {name:?}"))),
        };
        let bin = bin.map(bin_name).transpose()?.unwrap_or_default();
        let mut bytes = Vec::new();
        let mut of = particle::NULL;
        if let Some(value) = value {
            of = encode(&mut bytes, value, &Place::Bin(bin))?;
            check(code, of, bin)?;
        }
        let arguments = PyTuple::new(kind.py(), value)?;
        let (py, words) = (kind.py(), (kind.cast::<PyString>()?, &arguments));
        let made = Self::call(py, code, bin, bytes, Words::new(Family::Plain, words))?;
        Ok(Self { particle: of, ..made })
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
        let (bin, name) = (bin_name(bin)?, kind.to_str()?);
        let within = |error| in_bin(kind.py(), error, bin);
        let mut packer = Packer { cursor: Cursor::new(arguments) };
        let op = Op::List(cdt::list(name, &mut packer).map_err(within)?);
        let path = Path::new(ctx)?;
        let pad = (name == "create").then_some(pad);
        Self::on_path(Family::List, bin, &op, (kind, arguments), path, pad)
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
        let (bin, name) = (bin_name(bin)?, kind.to_str()?);
        let within = |error| in_bin(kind.py(), error, bin);
        let mut packer = Packer { cursor: Cursor::new(arguments) };
        let op = Op::Map(cdt::map(name, &mut packer).map_err(within)?);
        let path = Path::new(ctx)?;
        let pad = (name == "create").then_some(false);
        Self::on_path(Family::Map, bin, &op, (kind, arguments), path, pad)
    }

    /// A bit operation of `spikewire.op.bit`.
    #[staticmethod]
    fn bit(
        kind: &Bound<'_, PyString>,
        bin: &Bound<'_, PyAny>,
        arguments: &Bound<'_, PyTuple>,
    ) -> PyResult<Self> {
        let (py, bin) = (bin.py(), bin_name(bin)?);
        let mut packer = Packer { cursor: Cursor::new(arguments) };
        let op = bytes::bit(kind.to_str()?, &mut packer).map_err(|error| in_bin(py, error, bin))?;
        let mut value = Vec::with_capacity(32);
        op.encode(&mut value);
        let code = if op.modifies() { op::BITS_MODIFY } else { op::BITS_READ };
        Self::call(py, code, bin, value, Words::new(Family::Bit, (kind, arguments)))
    }

    /// A sketch operation of `spikewire.op.hll`.
    #[staticmethod]
    fn hll(
        kind: &Bound<'_, PyString>,
        bin: &Bound<'_, PyAny>,
        arguments: &Bound<'_, PyTuple>,
    ) -> PyResult<Self> {
        let (py, bin) = (bin.py(), bin_name(bin)?);
        let mut packer = Packer { cursor: Cursor::new(arguments) };
        let op =
            bytes::sketch(kind.to_str()?, &mut packer).map_err(|error| in_bin(py, error, bin))?;
        let mut value = Vec::with_capacity(32);
        op.encode(&mut value);
        let code = if op.modifies() { op::HLL_MODIFY } else { op::HLL_READ };
        Self::call(py, code, bin, value, Words::new(Family::Hll, (kind, arguments)))
    }

    /// Reads what an expression gives.
    #[staticmethod]
    #[pyo3(signature = (name, expression, *, no_fail=false))]
    fn read(
        name: &Bound<'_, PyAny>,
        expression: &Bound<'_, PyAny>,
        no_fail: bool,
    ) -> PyResult<Self> {
        let (py, name) = (name.py(), bin_name(name)?);
        let flags = if no_fail { expression::EVALUATION_NO_FAIL } else { 0 };
        let value =
            operation_bytes(expression, flags).map_err(|error| about(py, error, "expression"))?;
        let arguments = (expression, no_fail).into_pyobject(py)?;
        let words = (pyo3::intern!(py, "read"), &arguments);
        Self::call(py, op::EXP_READ, name, value, Words::new(Family::Plain, words))
    }

    /// Writes what an expression gives.
    #[staticmethod]
    #[allow(clippy::fn_params_excessive_bools)]
    #[pyo3(signature = (bin, expression, *, create_only=false, update_only=false, allow_delete=false, no_fail=false))]
    fn write(
        bin: &Bound<'_, PyAny>,
        expression: &Bound<'_, PyAny>,
        create_only: bool,
        update_only: bool,
        allow_delete: bool,
        no_fail: bool,
    ) -> PyResult<Self> {
        let (py, bin) = (bin.py(), bin_name(bin)?);
        let flag = |flag, number| if flag { number } else { 0 };
        let flags = flag(create_only, expression::CREATE_ONLY)
            | flag(update_only, expression::UPDATE_ONLY)
            | flag(allow_delete, expression::ALLOW_DELETE)
            | flag(no_fail, expression::POLICY_NO_FAIL | expression::EVALUATION_NO_FAIL);
        cdt::exclusive(i64::from(flags))?;
        let value =
            operation_bytes(expression, flags).map_err(|error| about(py, error, "expression"))?;
        let arguments =
            (expression, create_only, update_only, allow_delete, no_fail).into_pyobject(py)?;
        let words = (pyo3::intern!(py, "write"), &arguments);
        Self::call(py, op::EXP_MODIFY, bin, value, Words::new(Family::Plain, words))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.shown.text(py, &self.bin)
    }
}

/// Names the bin of an operation in what is wrong with its arguments.
fn in_bin(py: Python<'_>, error: PyErr, bin: &str) -> PyErr {
    about(py, error, &format!("bin {bin:?}"))
}

/// Refuses operands that the server would take only to fail on the next use of the bin.
pub fn check(code: u8, of: u8, bin: &str) -> PyResult<()> {
    let (verb, wanted, fits) = match code {
        op::ADD => ("add", "int or float", matches!(of, particle::INTEGER | particle::FLOAT)),
        op::APPEND | op::PREPEND => {
            let verb = if code == op::APPEND { "append" } else { "prepend" };
            (verb, "str or bytes", matches!(of, particle::STRING | particle::BLOB))
        }
        _ => return Ok(()),
    };
    if fits {
        return Ok(());
    }
    Err(type_error(format!("bin {bin:?}: {verb} takes {wanted}, not {}", particle::name(of))))
}
