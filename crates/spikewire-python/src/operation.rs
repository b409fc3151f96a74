//! One operation of `operate`, checked and encoded when it is made.

use std::fmt::Write as _;

use pyo3::prelude::*;

use spikewire_protocol::message::op;
use spikewire_protocol::value::particle;

use crate::errors::{type_error, value_error};
use crate::space::text;
use crate::value::{Place, bin_name, encode};

/// One step of `operate`; made by the functions of `spikewire.op`.
#[pyclass(frozen, module = "spikewire")]
pub struct Operation {
    pub code: u8,
    /// Empty for operations on the whole record.
    pub bin: String,
    pub particle: u8,
    pub value: Vec<u8>,
    shown: String,
}

impl Operation {
    /// Whether it makes the command a read.
    pub fn reads(&self) -> bool {
        self.code == op::READ
    }

    /// Whether it reads every bin.
    pub fn reads_all(&self) -> bool {
        self.reads() && self.bin.is_empty()
    }

    /// Whether the server answers it when it answers every operation.
    pub fn is_answered(&self) -> bool {
        self.code != op::TOUCH
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
        let kind = text("kind", kind)?;
        let code = match kind {
            "get" => op::READ,
            "put" => op::WRITE,
            "add" => op::ADD,
            "append" => op::APPEND,
            "prepend" => op::PREPEND,
            "touch" => op::TOUCH,
            "delete" => op::DELETE,
            _ => return Err(value_error(format!("unknown operation {kind:?}"))),
        };
        let bin = bin.map(bin_name).transpose()?.unwrap_or_default().to_owned();
        let mut bytes = Vec::new();
        let mut of = particle::NULL;
        if let Some(value) = value {
            of = encode(&mut bytes, value, &Place::Bin(&bin))?;
            check(code, of, &bin)?;
        }
        let mut shown = format!("op.{kind}(");
        if !bin.is_empty() {
            let _ = write!(shown, "{bin:?}");
        }
        if let Some(value) = value {
            let _ = write!(shown, ", {}", value.repr()?);
        }
        shown.push(')');
        Ok(Self { code, bin, particle: of, value: bytes, shown })
    }

    fn __repr__(&self) -> &str {
        &self.shown
    }
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
