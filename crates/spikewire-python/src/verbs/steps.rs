//! Operations on their way into a request: those of `operate`, and one for each bin of a write.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyTuple};

use spikewire_protocol::message::{Header, info1, info2, op};

use super::options::{Defaults, Outline, ReadRules, WriteOptions};
use crate::call::Answers;
use crate::errors::{type_error, type_name, value_error};
use crate::operation::{self, Operation};
use crate::value::{Codec, Place, bin_name, encode, pairs};

/// Where operations are written: a request on one record, or the kind of batch rows.
pub trait Operations {
    fn op(&mut self, code: u8, name: &[u8]);
    fn op_with(
        &mut self,
        code: u8,
        name: &[u8],
        write: impl FnOnce(&mut Vec<u8>) -> PyResult<u8>,
    ) -> PyResult<()>;
    fn count(&self) -> usize;
}

macro_rules! operations {
    ($class:ty) => {
        impl Operations for $class {
            fn op(&mut self, code: u8, name: &[u8]) {
                <$class>::op(self, code, name);
            }

            fn op_with(
                &mut self,
                code: u8,
                name: &[u8],
                write: impl FnOnce(&mut Vec<u8>) -> PyResult<u8>,
            ) -> PyResult<()> {
                <$class>::op_with(self, code, name, write)
            }

            fn count(&self) -> usize {
                self.ops()
            }
        }
    };
}

operations!(spikewire_protocol::request::Request<'_>);
operations!(spikewire_protocol::batch::Kind);

/// One operation per bin of a mapping.
pub fn write_bins(
    out: &mut impl Operations,
    bins: &Bound<'_, PyAny>,
    code: u8,
    codec: Option<&Codec>,
) -> PyResult<()> {
    let mut bin = |name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>| -> PyResult<()> {
        let name = bin_name(name)?;
        out.op_with(code, name.as_bytes(), |out| {
            let of = match codec {
                None => encode(out, value, &Place::Bin(name))?,
                Some(codec) => {
                    // What is added or appended is no value of the bin.
                    let made = if code == op::WRITE { codec.encode(name, value)? } else { None };
                    encode(out, made.as_ref().unwrap_or(value), &Place::Coded(name, codec))?
                }
            };
            operation::check(code, of, name)?;
            Ok(of)
        })
    };
    if let Ok(bins) = bins.cast::<PyDict>() {
        for pair in pairs(bins) {
            let (name, value) = pair?;
            bin(&name, &value)?;
        }
    } else if let Ok(bins) = bins.cast::<PyMapping>() {
        for pair in bins.items()?.iter() {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            bin(&name, &value)?;
        }
    } else {
        return Err(type_error(format!(
            "bins must be a dict of bin names to values, not {}",
            type_name(bins)
        )));
    }
    if out.count() == 0 {
        return Err(value_error("bins must not be empty: nothing to write"));
    }
    Ok(())
}

/// The operations of one `operate`, checked together.
pub struct Steps<'py> {
    all: Vec<Bound<'py, Operation>>,
    pub outline: Outline,
    reads_all: bool,
}

impl<'py> Steps<'py> {
    pub fn new(
        operations: &Bound<'py, PyAny>,
        options: &WriteOptions<'py>,
        rules: &ReadRules<'py>,
        defaults: &Defaults,
    ) -> PyResult<Self> {
        let steps = operations_of(operations)?;
        let any = |test: fn(&Operation) -> bool| steps.iter().any(|step| test(step.get()));
        let (reads, reads_all) = (any(Operation::reads), any(Operation::reads_all));
        if reads_all && any(Operation::gives) {
            return Err(value_error(
                "op.get() of every bin cannot be mixed with operations that give results: name \
                 the bins to read",
            ));
        }
        let mut outline = options.outline(defaults)?;
        if any(|step| !step.reads()) {
            if rules.touch.is_some() || rules.mode.is_some() {
                return Err(value_error(
                    "read_touch and read_mode apply to reads, and these operations write",
                ));
            }
        } else {
            let plain = Header { info2: info2::WRITE, ..Header::default() };
            if outline.header != plain || options.send_key == Some(true) {
                return Err(value_error(
                    "ttl, generation, exists, durable and send_key apply to writes, and these \
                     operations only read",
                ));
            }
            outline.header.info2 = 0;
            outline.reads(defaults, rules)?;
        }
        let header = &mut outline.header;
        if reads {
            header.info1 |= info1::READ | if reads_all { info1::GET_ALL } else { 0 };
        }
        if !reads_all {
            header.info2 |= info2::RESPOND_ALL_OPS;
        }
        Ok(Self { all: steps, outline, reads_all })
    }

    /// What the operations answer.
    pub fn answers(&self) -> Answers {
        let steps = || self.all.iter().map(Bound::get);
        let given =
            if self.reads_all { Vec::new() } else { steps().map(Operation::is_answered).collect() };
        let parts = steps().filter(|step| self.outline.codec.is_some() && step.gives_a_part());
        Answers { given, plain: parts.map(|step| step.bin.clone()).collect() }
    }

    pub fn write(&self, out: &mut impl Operations) -> PyResult<()> {
        for step in &self.all {
            let step = step.get();
            out.op_with(step.code, step.bin.as_bytes(), |out| {
                out.extend_from_slice(&step.value);
                Ok(step.particle)
            })?;
        }
        Ok(())
    }
}

fn operations_of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, Operation>>> {
    let items: Vec<Bound<'py, PyAny>> = if let Ok(list) = value.cast::<PyList>() {
        list.iter().collect()
    } else if let Ok(items) = value.cast::<PyTuple>() {
        items.iter().collect()
    } else {
        return Err(type_error(format!(
            "operations must be a list or tuple of operations, not {}",
            type_name(value)
        )));
    };
    if items.is_empty() {
        return Err(value_error("operations must not be empty"));
    }
    items
        .into_iter()
        .enumerate()
        .map(|(at, item)| match item.cast_into::<Operation>() {
            Ok(step) => Ok(step),
            Err(error) => Err(type_error(format!(
                "operations[{at}] must be an operation from spikewire.op, not {}",
                type_name(&error.into_inner())
            ))),
        })
        .collect()
}
