//! Values of results as Python objects.

#![expect(
    clippy::trivially_copy_pass_by_ref,
    clippy::unnecessary_wraps,
    reason = "the signatures are those of the trait"
)]

use std::net::IpAddr;

use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyDate, PyDateTime, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet,
    PyString, PyTime, PyTuple, PyTzInfo,
};
use spikewire_cql::types::{Type, Udt};
use spikewire_cql::value::calendar::{DAY, date_of};
use spikewire_cql::value::{Duration, Elements, MapEntries, Sink, decode, not_utf8, to_i64};

use super::library;
use super::marks::Mark;
use super::uuids;
use crate::bridge::cached::intern;
use crate::cql::classes::{self, Classes};
use crate::cql::errors::BoxedPyErr;
use crate::cql::row::{Names, Row};

/// Creates Python objects.
#[derive(Clone, Copy)]
pub struct ValueDecoder<'a, 'py> {
    pub py: Python<'py>,
    /// The classes for values of user-defined types.
    pub classes: &'a Classes,
}

type Result<'py> = std::result::Result<Bound<'py, PyAny>, BoxedPyErr>;

/// The value of a cell. The most common types have a short path.
#[inline]
pub fn value<'py>(ty: &Type, bytes: Option<&[u8]>, decoder: &ValueDecoder<'_, 'py>) -> Result<'py> {
    decode(ty, bytes, decoder)
}

impl<'py> ValueDecoder<'_, 'py> {
    /// A `uuid.UUID`.
    pub fn uuid_of(&self, bytes: [u8; 16]) -> Result<'py> {
        Ok(uuids::uuid(self.py, bytes)?)
    }

    fn integer(&self, value: i64) -> Result<'py> {
        Ok(PyInt::new(self.py, value).into_any())
    }

    fn big(&self, bytes: &[u8]) -> Result<'py> {
        let py = self.py;
        if let Some(int) = to_i64(bytes) {
            return self.integer(int);
        }
        let signed = PyDict::new(py);
        signed.set_item("signed", true)?;
        let from = py.get_type::<PyInt>().getattr(intern!(py, "from_bytes"))?;
        Ok(from.call((PyBytes::new(py, bytes), "big"), Some(&signed))?)
    }
}

/// Converts what has no hash, at any depth, so that it can be an element of a set or a key of a
/// dict: lists become tuples, sets frozen sets, and maps tuples of pairs.
fn hashable(value: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    let py = value.py();
    if let Ok(list) = value.cast::<PyList>() {
        return Ok(all_hashable(py, list.iter())?.into_any());
    }
    if let Ok(set) = value.cast::<PySet>() {
        return Ok(PyFrozenSet::new(py, set.iter())?.into_any());
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let pairs: Vec<_> = dict
            .iter()
            .map(|(key, value)| Ok((hashable(key)?, hashable(value)?)))
            .collect::<PyResult<_>>()?;
        return Ok(PyTuple::new(py, pairs)?.into_any());
    }
    // Not a named tuple such as a duration.
    if let Ok(tuple) = value.cast_exact::<PyTuple>() {
        return Ok(all_hashable(py, tuple.iter())?.into_any());
    }
    if let Ok(row) = value.cast::<Row>() {
        let values = all_hashable(py, row.get().tuple(py).iter())?;
        return Ok(Bound::new(py, row.get().with(values))?.into_any());
    }
    Ok(value)
}

fn all_hashable<'py>(
    py: Python<'py>,
    items: impl Iterator<Item = Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, items.map(hashable).collect::<PyResult<Vec<_>>>()?)
}

/// Whether values of a type are created as objects without a hash.
fn needs_change(ty: &Type) -> bool {
    matches!(
        ty,
        Type::List(_)
            | Type::Set(_)
            | Type::Map(_)
            | Type::Vector(_)
            | Type::Udt(_)
            | Type::Tuple(_)
    )
}

impl<'py> Sink for ValueDecoder<'_, 'py> {
    type Value = Bound<'py, PyAny>;
    type Error = BoxedPyErr;

    #[inline]
    fn null(&self) -> Result<'py> {
        Ok(self.py.None().into_bound(self.py))
    }

    fn empty(&self, _: &Type) -> Result<'py> {
        Ok(Mark::Empty.into_pyobject(self.py)?.into_any())
    }

    #[inline]
    fn boolean(&self, value: bool) -> Result<'py> {
        Ok(PyBool::new(self.py, value).to_owned().into_any())
    }

    #[inline]
    fn int(&self, value: i32) -> Result<'py> {
        self.integer(value.into())
    }

    #[inline]
    fn bigint(&self, value: i64) -> Result<'py> {
        self.integer(value)
    }

    #[inline]
    fn double(&self, value: f64) -> Result<'py> {
        Ok(PyFloat::new(self.py, value).into_any())
    }

    // Python validates the bytes itself.
    #[inline]
    fn utf8(&self, ty: &Type, value: &[u8]) -> Result<'py> {
        match PyString::from_bytes(self.py, value) {
            Ok(text) => Ok(text.into_any()),
            Err(error) => Err(not_utf8(ty, error).into()),
        }
    }

    #[inline]
    fn text(&self, value: &str) -> Result<'py> {
        Ok(PyString::new(self.py, value).into_any())
    }

    #[inline]
    fn blob(&self, value: &[u8]) -> Result<'py> {
        Ok(PyBytes::new(self.py, value).into_any())
    }

    fn varint(&self, value: &[u8]) -> Result<'py> {
        self.big(value)
    }

    fn decimal(&self, scale: i32, digits: &[u8]) -> Result<'py> {
        let py = self.py;
        let unscaled = self.big(digits)?;
        // From text, because arithmetic would round to the precision of the decimal context.
        let text = format!("{}E{}", unscaled.str()?, -i64::from(scale));
        Ok(library::decimal(py)?.call1((text,))?)
    }

    fn uuid(&self, value: [u8; 16]) -> Result<'py> {
        self.uuid_of(value)
    }

    fn inet(&self, value: IpAddr) -> Result<'py> {
        Ok(value.into_pyobject(self.py)?.into_any())
    }

    fn timestamp(&self, milliseconds: i64) -> Result<'py> {
        let py = self.py;
        let days = milliseconds.div_euclid(86_400_000);
        let rest = milliseconds.rem_euclid(86_400_000);
        let Some((year, month, day)) = calendar(days) else {
            return Ok(library::far_timestamp(py)?.call1((milliseconds,))?);
        };
        let (hour, minute) = ((rest / 3_600_000) as u8, (rest / 60_000 % 60) as u8);
        let (second, micro) = ((rest / 1000 % 60) as u8, (rest % 1000 * 1000) as u32);
        let utc = PyTzInfo::utc(py)?;
        let datetime =
            PyDateTime::new(py, year, month, day, hour, minute, second, micro, Some(&utc));
        Ok(datetime?.into_any())
    }

    fn date(&self, days: i32) -> Result<'py> {
        let py = self.py;
        match calendar(days.into()) {
            Some((year, month, day)) => Ok(PyDate::new(py, year, month, day)?.into_any()),
            None => Ok(library::far_date(py)?.call1((days,))?),
        }
    }

    fn time(&self, nanoseconds: i64) -> Result<'py> {
        let py = self.py;
        if !(0..DAY).contains(&nanoseconds) {
            // The server does not validate times, so a value out of range is returned as an
            // integer.
            return self.integer(nanoseconds);
        }
        let seconds = nanoseconds / 1_000_000_000;
        let (hour, minute, second) =
            ((seconds / 3600) as u8, (seconds / 60 % 60) as u8, (seconds % 60) as u8);
        let rest = nanoseconds % 1_000_000_000;
        if rest % 1000 == 0 {
            let micro = (rest / 1000) as u32;
            return Ok(PyTime::new(py, hour, minute, second, micro, None)?.into_any());
        }
        Ok(library::nanosecond_time(py)?.call1((hour, minute, second, rest))?)
    }

    fn duration(&self, value: Duration) -> Result<'py> {
        let Duration { months, days, nanoseconds } = value;
        Ok(library::duration(self.py)?.call1((months, days, nanoseconds))?)
    }

    fn list<I>(&self, _: &Type, items: &mut I) -> Result<'py>
    where
        I: Elements<Self::Value, BoxedPyErr>,
    {
        let items: Vec<_> = items.collect::<std::result::Result<_, _>>()?;
        Ok(PyList::new(self.py, items)?.into_any())
    }

    fn set<I>(&self, element: &Type, items: &mut I) -> Result<'py>
    where
        I: Elements<Self::Value, BoxedPyErr>,
    {
        let set = PySet::empty(self.py)?;
        for item in items {
            let item = item?;
            set.add(if needs_change(element) { hashable(item)? } else { item })?;
        }
        Ok(set.into_any())
    }

    fn map<I>(&self, key: &Type, _: &Type, entries: &mut I) -> Result<'py>
    where
        I: MapEntries<Self::Value, BoxedPyErr>,
    {
        let dict = PyDict::new(self.py);
        for entry in entries {
            let (name, value) = entry?;
            dict.set_item(if needs_change(key) { hashable(name)? } else { name }, value)?;
        }
        Ok(dict.into_any())
    }

    fn tuple<I>(&self, _: &[Type], components: &mut I) -> Result<'py>
    where
        I: Elements<Self::Value, BoxedPyErr>,
    {
        let components: Vec<_> = components.collect::<std::result::Result<_, _>>()?;
        Ok(PyTuple::new(self.py, components)?.into_any())
    }

    fn udt<I>(&self, udt: &Udt, fields: &mut I) -> Result<'py>
    where
        I: Elements<Self::Value, BoxedPyErr>,
    {
        let values: Vec<_> = fields.collect::<std::result::Result<_, _>>()?;
        if let Some(class) = self.classes.find(udt, |class| class.bind(self.py).clone()) {
            return Ok(classes::make(&class, udt, values)?);
        }
        let names = Names::of_type(self.py, udt)?;
        Ok(Bound::new(self.py, Row::make(names, PyTuple::new(self.py, values)?))?.into_any())
    }
}

/// The date this many days after 1970-01-01, if `datetime` supports it.
fn calendar(days: i64) -> Option<(i32, u8, u8)> {
    let (year, month, day) = date_of(days);
    (1..=9999).contains(&year).then_some((year as i32, month, day))
}
