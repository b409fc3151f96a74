//! Encodes the official client's dictionaries of operations.

use std::ops::Range;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use spikewire_aerospike::command::{OperationRef, check_operand};
use spikewire_aerospike_protocol::operation::particle_of;
use spikewire_aerospike_protocol::value::particle;

use super::collections::{Choices, Encoded};
use super::operations::OfficialOperations;
use crate::aerospike::value::{Place, encode};

/// An encoded operation.
pub(super) struct EncodedStep<'py> {
    pub code: u8,
    pub bin: Bound<'py, PyString>,
    particle: u8,
    value: Range<usize>,
    /// For operations on lists and maps: what decided about their arguments.
    pub choices: Option<Arc<Choices>>,
}

impl EncodedStep<'_> {
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
pub(super) struct EncodedSteps<'py> {
    pub all: Vec<EncodedStep<'py>>,
    bytes: Vec<u8>,
}

impl<'py> EncodedSteps<'py> {
    /// Encodes operations on whole bins. `None` if one of them is not plain.
    pub fn encode_whole(
        &mut self,
        ops: &Bound<'py, PyAny>,
        known: &OfficialOperations,
    ) -> Option<()> {
        self.encode_each(ops, |steps, operation| steps.add_whole(operation, known))
    }

    /// Encodes operations on whole bins, lists and maps. `None` if one of them is not plain.
    pub fn encode(&mut self, ops: &Bound<'py, PyAny>, known: &OfficialOperations) -> Option<()> {
        self.encode_each(ops, |steps, operation| {
            steps.add_whole(operation, known).or_else(|| steps.add_collection(operation, known))
        })
    }

    fn encode_each(
        &mut self,
        ops: &Bound<'py, PyAny>,
        add: impl Fn(&mut Self, &Bound<'py, PyAny>) -> Option<()>,
    ) -> Option<()> {
        let ops = ops.cast_exact::<PyList>().ok()?;
        self.all.clear();
        self.bytes.clear();
        ops.iter().try_for_each(|operation| add(self, &operation))?;
        (!self.all.is_empty()).then_some(())
    }

    fn add_whole(
        &mut self,
        operation: &Bound<'py, PyAny>,
        known: &OfficialOperations,
    ) -> Option<()> {
        let entries = known.parse(operation)?;
        let start = self.bytes.len();
        let mut of = particle::NULL;
        if let Some(value) = entries.value.as_ref().filter(|value| !value.is_none()) {
            of = encode(&mut self.bytes, value, &Place::Bin(entries.name())).ok()?;
            check_operand(entries.code, of, entries.name()).ok()?;
        }
        let value = start..self.bytes.len();
        self.all.push(EncodedStep {
            code: entries.code,
            bin: entries.bin,
            particle: of,
            value,
            choices: None,
        });
        Some(())
    }

    fn add_collection(
        &mut self,
        operation: &Bound<'py, PyAny>,
        known: &OfficialOperations,
    ) -> Option<()> {
        let collections = known.collections.as_ref()?;
        let start = self.bytes.len();
        let Encoded { code, bin, choices } =
            collections.encode(operation, known.bools, &mut self.bytes)?;
        let value = start..self.bytes.len();
        let choices = Some(choices);
        self.all.push(EncodedStep { code, bin, particle: particle_of(code), value, choices });
        Some(())
    }

    /// Whether one of them writes.
    pub fn writes(&self) -> bool {
        self.encoded().any(|step| !step.reads())
    }

    /// The operations in their wire form.
    pub fn encoded(&self) -> impl Iterator<Item = OperationRef<'_>> {
        self.all.iter().map(|step| step.encoded(&self.bytes))
    }
}
