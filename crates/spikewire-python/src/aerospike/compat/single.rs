//! The official client's `operate`, for operations on whole bins with plain values.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use spikewire_aerospike::command::{CommandSpec, Operations, ReadRules, WriteOptions};
use spikewire_aerospike_protocol::message::op;

use super::operations::OfficialOperations;
use super::plain;
use super::shapes::{Shapes, meta, named, results};
use super::steps::EncodedSteps;
use crate::aerospike::api::Verbs as _;
use crate::aerospike::api::blocking::Client;
use crate::aerospike::call::{Answers, ResponseShape};
use crate::aerospike::key::Address;
use crate::aerospike::record::Record;
use crate::aerospike::verbs::Call;
use crate::errors::invalid_argument;

/// Runs the call. Returns key, metadata, and the latest result of each bin. `None` if the key or an
/// operation is not plain.
pub fn operate<'py>(
    shapes: &Shapes,
    known: &OfficialOperations,
    client: &Client,
    key: &Bound<'py, PyAny>,
    ops: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let (py, began, mut steps) = (key.py(), client.begin(), EncodedSteps::default());
    if !plain::key(key) || steps.encode_whole(ops, known).is_none() {
        return Ok(None);
    }
    let (options, rules) = (WriteOptions::default(), ReadRules::default());
    let defaults = client.defaults();
    let (spec, returns) = CommandSpec::operate(defaults, &options, &rules, steps.encoded())
        .map_err(invalid_argument)?;
    let answers = Answers { returns, plain: Vec::new() };
    let shape = ResponseShape::Results((answers, Vec::new()));
    let call = Call::compose(Address::of(client.home(), key)?, &spec, defaults, shape, |out| {
        steps.encoded().for_each(|step| out.step(step));
        Ok(())
    })?;
    let record = client.run_one(py, call, began)?;
    let record = record.cast::<Record>()?.get();
    let (values, bins) = (shapes.values(py)?, PyDict::new(py));
    for (step, value) in steps.all.iter().zip(results(py, record)) {
        // Other operations have no result.
        if step.code == op::READ && !value.is_none() {
            bins.set_item(&step.bin, values.value(value)?)?;
        }
    }
    Ok(Some((named(key, &record.digest, true)?, meta(py, record)?, bins).into_pyobject(py)?))
}
