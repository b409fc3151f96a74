//! Encodes the official client's dictionaries of operations on whole bins.

use std::ops::Range;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use spikewire_aerospike::command::{OperationRef, check_operand};
use spikewire_aerospike_protocol::message::op;
use spikewire_aerospike_protocol::value::particle;

use super::operations::OfficialOperations;
use crate::aerospike::value::{Place, encode};

/// An encoded operation.
pub(super) struct Step<'py> {
    pub code: u8,
    pub bin: Bound<'py, PyString>,
    particle: u8,
    value: Range<usize>,
}

impl Step<'_> {
    /// The bin's name.
    pub fn name(&self) -> &str {
        self.bin.to_str().unwrap_or_default()
    }

    fn encoded<'a>(&'a self, bytes: &'a [u8]) -> OperationRef<'a> {
        let (code, particle) = (self.code, self.particle);
        OperationRef { code, bin: self.name(), particle, value: &bytes[self.value.clone()] }
    }
}

/// The operations of a call or a row. The memory is reused from call to call.
#[derive(Default)]
pub(super) struct Steps<'py> {
    pub all: Vec<Step<'py>>,
    bytes: Vec<u8>,
}

impl<'py> Steps<'py> {
    /// Encodes the operations. `None` if one of them is not plain.
    pub fn encode(&mut self, ops: &Bound<'py, PyAny>, known: &OfficialOperations) -> Option<()> {
        let ops = ops.cast_exact::<PyList>().ok()?;
        let Self { all, bytes } = self;
        all.clear();
        bytes.clear();
        for one in ops.iter() {
            let given = known.given(&one)?;
            let start = bytes.len();
            let mut of = particle::NULL;
            if let Some(value) = given.value.as_ref().filter(|value| !value.is_none()) {
                of = encode(bytes, value, &Place::Bin(given.name())).ok()?;
                check_operand(given.code, of, given.name()).ok()?;
            }
            let value = start..bytes.len();
            all.push(Step { code: given.code, bin: given.bin, particle: of, value });
        }
        (!all.is_empty()).then_some(())
    }

    /// Whether one of them writes.
    pub fn writes(&self) -> bool {
        self.all.iter().any(|step| step.code != op::READ)
    }

    /// The operations in their wire form.
    pub fn encoded(&self) -> impl Iterator<Item = OperationRef<'_>> {
        self.all.iter().map(|step| step.encoded(&self.bytes))
    }
}
