//! Encodes operations into a request: those of `operate`, and one for each bin of a write.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyTuple};

use spikewire_aerospike::command::{CommandSpec, Operations, Source};
use spikewire_aerospike_protocol::message::op;
use spikewire_aerospike_protocol::value::ParticleType;

use crate::aerospike::call::Answers;
use crate::aerospike::operation::Operation;
use crate::aerospike::options::{Defaults, ReadRules, WriteOptions};
use crate::aerospike::value::{Codec, Place, bin_text, encode, pairs};
use crate::errors::{RequestError, invalid_argument, type_error, type_name};

/// A bin's value to be encoded, through the codec if there is one.
struct BinValue<'a, 'py> {
    value: &'a Bound<'py, PyAny>,
    codec: Option<&'a Codec>,
    /// Whether this is the whole value of the bin, as opposed to a value to add or append.
    whole: bool,
}

impl Source for BinValue<'_, '_> {
    type Error = RequestError;

    #[inline]
    fn encode(&self, bin: &str, out: &mut Vec<u8>) -> Result<ParticleType, RequestError> {
        let Some(codec) = self.codec else {
            return Ok(encode(out, self.value, &Place::Bin(bin))?);
        };
        let encoded = if self.whole { codec.encode(bin, self.value)? } else { None };
        Ok(encode(out, encoded.as_ref().unwrap_or(self.value), &Place::Coded(bin, codec))?)
    }
}

/// One operation per bin of a mapping.
pub fn write_bins(
    out: &mut impl Operations,
    bins: &Bound<'_, PyAny>,
    code: u8,
    codec: Option<&Codec>,
) -> Result<(), RequestError> {
    let mut bin = |name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>| {
        let value = BinValue { value, codec, whole: code == op::WRITE };
        out.write_bin(code, bin_text(name)?, &value)
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
        let message =
            format!("bins must be a dict of bin names to values, not {}", type_name(bins));
        return Err(type_error(message).into());
    }
    Ok(out.check_any()?)
}

/// The operations of one `operate`, checked together.
pub struct Steps<'py> {
    all: Vec<Bound<'py, Operation>>,
    pub spec: CommandSpec,
    returns: Vec<bool>,
    /// Whether the client has a codec.
    coded: bool,
}

impl<'py> Steps<'py> {
    pub fn new(
        operations: &Bound<'py, PyAny>,
        options: &WriteOptions<'py>,
        rules: &ReadRules<'py>,
        defaults: &Defaults,
    ) -> PyResult<Self> {
        let all = operations_of(operations)?;
        let (options, rules) = (options.checked()?, rules.checked()?);
        let steps = all.iter().map(|step| step.get().as_sent());
        let (spec, returns) =
            CommandSpec::operate(defaults, &options, &rules, steps).map_err(invalid_argument)?;
        Ok(Self { all, spec, returns, coded: defaults.codec.is_some() })
    }

    /// How to interpret the operations' results. To be called once.
    pub fn take_answers(&mut self) -> Answers {
        let steps = self.all.iter().map(Bound::get);
        let parts = steps.filter(|step| self.coded && step.gives_a_part());
        let plain = parts.map(|step| step.bin.clone()).collect();
        Answers { returns: std::mem::take(&mut self.returns), plain }
    }

    /// The operations, for errors that name them.
    pub fn into_operations(self) -> Vec<Py<Operation>> {
        self.all.into_iter().map(Bound::unbind).collect()
    }

    pub fn write(&self, out: &mut impl Operations) {
        self.all.iter().for_each(|step| out.step(step.get().as_sent()));
    }
}

/// The operations in a list or tuple.
pub fn operations_of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, Operation>>> {
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
