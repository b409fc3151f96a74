//! The verbs on one record.

use pyo3::prelude::*;

use spikewire_protocol::message::{Header, info1, info2, op};

use super::options::{Defaults, ReadOptions, ReadRules, WriteOptions};
use super::steps::{Steps, write_bins};
use crate::arguments::{self, Given};
use crate::call::{Call, Shape};
use crate::space::Address;

pub fn get<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    bins: Option<Bound<'py, PyAny>>,
    default: Given<'py>,
    options: &ReadOptions<'py>,
) -> PyResult<Call> {
    let default = match default {
        Given::No => None,
        Given::Yes(value) => Some(value.unbind()),
    };
    let (header, names) = reading(bins.as_ref())?;
    let outline = options.outline(defaults, header)?;
    Call::compose(address, &outline, Shape::Record { default }, |request| {
        names.iter().for_each(|name| request.op(op::READ, name.as_bytes()));
        Ok(())
    })
}

/// The header of a read, and the bins to read when not all of them are wanted.
pub fn reading(bins: Option<&Bound<'_, PyAny>>) -> PyResult<(Header, Vec<String>)> {
    let mut header = Header { info1: info1::READ | info1::GET_ALL, ..Header::default() };
    let mut names = Vec::new();
    if let Some(bins) = bins {
        arguments::bins(bins, |name| names.push(name.to_owned()))?;
        header.info1 = info1::READ | if names.is_empty() { info1::NO_BINS } else { 0 };
    }
    Ok((header, names))
}

/// The header of a look that reads no bins.
pub fn looking() -> Header {
    Header { info1: info1::READ | info1::NO_BINS, ..Header::default() }
}

pub fn exists<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    options: &ReadOptions<'py>,
) -> PyResult<Call> {
    let outline = options.outline(defaults, looking())?;
    Call::compose(address, &outline, Shape::Found, |_| Ok(()))
}

/// One write operation per bin: put, add, append, prepend.
pub fn write<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    bins: &Bound<'py, PyAny>,
    options: &WriteOptions<'py>,
    code: u8,
) -> PyResult<Call> {
    let outline = options.outline(defaults)?;
    Call::compose(address, &outline, Shape::Done, |request| {
        write_bins(request, bins, code, outline.codec.as_deref())
    })
}

pub fn delete<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    options: &WriteOptions<'py>,
) -> PyResult<Call> {
    let mut outline = options.outline(defaults)?;
    outline.header.info2 |= info2::DELETE;
    Call::compose(address, &outline, Shape::Found, |_| Ok(()))
}

pub fn touch<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    options: &WriteOptions<'py>,
) -> PyResult<Call> {
    let outline = options.outline(defaults)?;
    Call::compose(address, &outline, Shape::Done, |request| {
        request.op(op::TOUCH, b"");
        Ok(())
    })
}

pub fn operate<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    operations: &Bound<'py, PyAny>,
    options: &WriteOptions<'py>,
    rules: &ReadRules<'py>,
) -> PyResult<Call> {
    let steps = Steps::new(operations, options, rules, defaults)?;
    let shape = Shape::Operated { answers: steps.answers() };
    Call::compose(address, &steps.outline, shape, |request| steps.write(request))
}
