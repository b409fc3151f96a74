//! Python objects as values of statements.

use std::net::IpAddr;

use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDate, PyDateAccess, PyDateTime, PyDelta, PyDict, PyFloat,
    PyFrozenSet, PyInt, PyList, PyMapping, PyMemoryView, PySet, PyString, PyTime, PyTimeAccess,
    PyTuple, PyTzInfoAccess,
};
use spikewire_cql::types::{Type, Udt};
use spikewire_cql::value::calendar::days_to;
use spikewire_cql::value::{Accept, AcceptEntries, Duration, Presence, Source, Unfit, single};

use super::library;
use super::marks::Mark;
use crate::bridge::cached::intern;
use crate::bridge::errors::{repr_of, type_name};
use crate::cql::errors::BoxedPyErr;
use crate::cql::row::Row;

/// A Python object as a value.
pub struct HostValue<'a, 'py>(pub &'a Bound<'py, PyAny>);

type Result<T> = std::result::Result<T, Unfit<BoxedPyErr>>;

fn raised(error: PyErr) -> Unfit<BoxedPyErr> {
    Unfit::Host(error.into())
}

impl<'py> HostValue<'_, 'py> {
    fn py(&self) -> Python<'py> {
        self.0.py()
    }

    /// Whether this is an integer. A `bool` does not count as one.
    fn is_integer(&self) -> bool {
        self.0.is_instance_of::<PyInt>() && !self.0.is_instance_of::<PyBool>()
    }

    fn is(&self, class: PyResult<&Bound<'py, pyo3::types::PyType>>) -> Result<bool> {
        class.and_then(|class| self.0.is_instance(class)).map_err(raised)
    }
}

impl Source for HostValue<'_, '_> {
    type Error = BoxedPyErr;

    #[inline]
    fn presence(&self) -> Presence {
        if self.0.is_none() {
            return Presence::Null;
        }
        match self.0.cast_exact::<Mark>() {
            Ok(mark) => match mark.get() {
                Mark::Unset => Presence::Unset,
                Mark::Empty => Presence::Empty,
            },
            Err(_) => Presence::Value,
        }
    }

    fn describe(&self) -> String {
        format!("{} ({})", repr_of(self.0), type_name(self.0))
    }

    fn boolean(&self) -> Result<bool> {
        self.0.cast::<PyBool>().map(PyBoolMethods::is_true).map_err(|_| Unfit::Kind)
    }

    #[inline]
    fn integer(&self) -> Result<i64> {
        if !self.is_integer() {
            return Err(Unfit::Kind);
        }
        self.0.extract().map_err(|_| Unfit::Range)
    }

    fn float(&self) -> Result<f32> {
        let double = self.double()?;
        let float = single(double)?;
        if f64::from(float).to_bits() != double.to_bits() && self.is_integer() {
            return Err(rounded());
        }
        Ok(float)
    }

    fn double(&self) -> Result<f64> {
        if let Ok(float) = self.0.cast::<PyFloat>() {
            return Ok(float.value());
        }
        if !self.is_integer() {
            return Err(Unfit::Kind);
        }
        let float: f64 = self.0.extract().map_err(|_| Unfit::Range)?;
        // Python compares exactly.
        if float.abs() >= EXACT && !self.0.eq(float).map_err(raised)? {
            return Err(rounded());
        }
        Ok(float)
    }

    #[inline]
    fn text(&self, out: &mut Vec<u8>) -> Result<()> {
        let text = self.0.cast::<PyString>().map_err(|_| Unfit::Kind)?;
        let text = text.to_str().map_err(|_| {
            Unfit::Invalid("it holds half a surrogate pair, which UTF-8 cannot say".into())
        })?;
        out.extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn bytes(&self, out: &mut Vec<u8>) -> Result<()> {
        if let Ok(bytes) = self.0.cast::<PyBytes>() {
            out.extend_from_slice(bytes.as_bytes());
        } else if let Ok(bytes) = self.0.cast::<PyByteArray>() {
            out.extend_from_slice(&bytes.to_vec());
        } else if self.0.is_instance_of::<PyMemoryView>() {
            let bytes = self.0.call_method0(intern!(self.py(), "tobytes")).map_err(raised)?;
            let bytes = bytes.cast_into::<PyBytes>().map_err(|_| Unfit::Kind)?;
            out.extend_from_slice(bytes.as_bytes());
        } else {
            return Err(Unfit::Kind);
        }
        Ok(())
    }

    fn varint(&self, out: &mut Vec<u8>) -> Result<()> {
        if !self.is_integer() {
            return Err(Unfit::Kind);
        }
        if let Ok(small) = self.0.extract::<i64>() {
            out.extend_from_slice(&small.to_be_bytes());
            return Ok(());
        }
        big_integer(self.0, out).map_err(raised)
    }

    fn decimal(&self, digits: &mut Vec<u8>) -> Result<i32> {
        if self.is_integer() {
            self.varint(digits)?;
            return Ok(0);
        }
        if !self.is(library::decimal(self.py()))? {
            return Err(Unfit::Kind);
        }
        let mut read = || -> PyResult<Option<i32>> {
            let py = self.py();
            let parts = self.0.call_method0(intern!(py, "as_tuple"))?;
            let (sign, all, exponent): (i32, Bound<'_, PyTuple>, Bound<'_, PyAny>) =
                parts.extract()?;
            // The exponent is a letter if the value is not a number.
            let Ok(exponent) = exponent.extract::<i64>() else { return Ok(None) };
            let text: String = all.iter().map(|digit| digit.to_string()).collect();
            let number = py.get_type::<PyInt>().call1((text,))?;
            let number = if sign == 1 { number.neg()? } else { number };
            big_integer(&number, digits)?;
            Ok(i32::try_from(-exponent).ok())
        };
        match read().map_err(raised)? {
            Some(scale) => Ok(scale),
            None => Err(Unfit::Range),
        }
    }

    fn uuid(&self) -> Result<[u8; 16]> {
        if !self.is(library::uuid(self.py()))? {
            return Err(Unfit::Kind);
        }
        let bytes = self.0.getattr(intern!(self.py(), "bytes")).and_then(|bytes| bytes.extract());
        bytes.map_err(raised)
    }

    fn inet(&self) -> Result<IpAddr> {
        let py = self.py();
        if !self.is(library::ipv4(py))? && !self.is(library::ipv6(py))? {
            return Err(Unfit::Kind);
        }
        let scope = self.0.getattr_opt(intern!(py, "scope_id")).map_err(raised)?;
        if scope.is_some_and(|scope| !scope.is_none()) {
            return Err(Unfit::Invalid(
                "an inet has no scope, and this address has one (behind the %): leave it out"
                    .into(),
            ));
        }
        self.0.extract().map_err(raised)
    }

    fn timestamp(&self) -> Result<i64> {
        if let Ok(at) = self.0.cast::<PyDateTime>() {
            return milliseconds(at);
        }
        self.integer()
    }

    fn date(&self) -> Result<i64> {
        if self.0.is_instance_of::<PyDateTime>() {
            return Err(Unfit::Kind);
        }
        let Ok(date) = self.0.cast::<PyDate>() else { return self.integer() };
        Ok(days_to(date.get_year().into(), date.get_month(), date.get_day()))
    }

    fn time(&self) -> Result<i64> {
        let Ok(time) = self.0.cast::<PyTime>() else { return self.integer() };
        if time.get_tzinfo().is_some() {
            return Err(Unfit::Invalid("a time of day with a time zone".into()));
        }
        let seconds = i64::from(time.get_hour()) * 3600
            + i64::from(time.get_minute()) * 60
            + i64::from(time.get_second());
        if self.is(library::nanosecond_time(self.py()))? {
            let nanosecond = time.as_any().getattr("nanosecond").and_then(|it| it.extract::<i64>());
            return Ok(seconds * 1_000_000_000 + nanosecond.map_err(raised)?);
        }
        Ok(seconds * 1_000_000_000 + i64::from(time.get_microsecond()) * 1000)
    }

    fn duration(&self) -> Result<Duration> {
        if self.0.is_instance_of::<PyDelta>() {
            return Err(Unfit::Invalid(
                "a timedelta has no months: use spikewire.cql.Duration(months, days, nanoseconds)"
                    .into(),
            ));
        }
        if !self.is(library::duration(self.py()))? {
            return Err(Unfit::Kind);
        }
        let (months, days, nanoseconds) =
            self.0.extract::<(i64, i64, i64)>().map_err(|_| Unfit::Range)?;
        Duration::of(months, days, nanoseconds).ok_or(Unfit::Range)
    }

    fn items<A: Accept<BoxedPyErr>>(&self, ty: &Type, into: &mut A) -> Result<()> {
        if let Ok(list) = self.0.cast::<PyList>() {
            return list.iter().try_for_each(|item| into.item(&HostValue(&item)));
        }
        if let Ok(tuple) = self.0.cast::<PyTuple>() {
            return tuple.iter().try_for_each(|item| into.item(&HostValue(&item)));
        }
        let is_set = matches!(ty, Type::Set(_))
            && (self.0.is_instance_of::<PySet>() || self.0.is_instance_of::<PyFrozenSet>());
        let is_vector = matches!(ty, Type::Vector(_)) && is_array(self.0);
        if !is_set && !is_vector {
            return Err(Unfit::Kind);
        }
        let values = if is_vector { self.0.call_method0("tolist") } else { Ok(self.0.clone()) };
        let values = values.and_then(|values| values.try_iter()).map_err(raised)?;
        for item in values {
            into.item(&HostValue(&item.map_err(raised)?))?;
        }
        Ok(())
    }

    fn entries<A: AcceptEntries<BoxedPyErr>>(&self, into: &mut A) -> Result<()> {
        if let Ok(dict) = self.0.cast::<PyDict>() {
            return dict
                .iter()
                .try_for_each(|(key, value)| into.entry(&HostValue(&key), &HostValue(&value)));
        }
        // As a map is read that is itself a key or an element of a set.
        if let Ok(pairs) = self.0.cast_exact::<PyTuple>() {
            return pairs.iter().try_for_each(|pair| {
                let pair = pair.cast_exact::<PyTuple>().map_err(|_| Unfit::Kind)?;
                match pair.as_slice() {
                    [key, value] => into.entry(&HostValue(key), &HostValue(value)),
                    _ => Err(Unfit::Kind),
                }
            });
        }
        let Ok(mapping) = self.0.cast::<PyMapping>() else { return Err(Unfit::Kind) };
        let pairs = mapping.items().map_err(raised)?;
        for pair in pairs {
            let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
                pair.extract().map_err(raised)?;
            into.entry(&HostValue(&key), &HostValue(&value))?;
        }
        Ok(())
    }

    fn field<A: Accept<BoxedPyErr>>(&self, index: usize, name: &str, into: &mut A) -> Result<()> {
        let _ = index;
        let py = self.py();
        let name = PyString::intern(py, name);
        if let Ok(dict) = self.0.cast::<PyDict>() {
            return match dict.get_item(name).map_err(raised)? {
                Some(value) => into.item(&HostValue(&value)),
                None => Ok(()),
            };
        }
        if let Ok(row) = self.0.cast::<Row>() {
            return match row.get().field(&name).map_err(raised)? {
                Some(value) => into.item(&HostValue(&value)),
                None => Ok(()),
            };
        }
        let value = self.0.getattr_opt(&name).map_err(raised)?;
        value.map_or(Ok(()), |value| into.item(&HostValue(&value)))
    }

    fn unknown_field(&self, udt: &Udt) -> Result<Option<String>> {
        if let Ok(dict) = self.0.cast::<PyDict>() {
            for key in dict.keys() {
                let Ok(name) = key.cast::<PyString>() else { return Ok(Some(repr_of(&key))) };
                let name = name.to_string_lossy().into_owned();
                if !udt.has_field(&name) {
                    return Ok(Some(name));
                }
            }
            return Ok(None);
        }
        if let Ok(row) = self.0.cast::<Row>() {
            let names = row.get().names(self.py());
            let mut names = names.iter().map(|name| name.to_string());
            return Ok(names.find(|name| !udt.has_field(name)));
        }
        // An object that declares its fields, such as a dataclass or a named tuple, must have
        // exactly those of the type.
        let py = self.py();
        for list in [intern!(py, "__dataclass_fields__"), intern!(py, "_fields")] {
            if let Some(fields) = self.0.getattr_opt(list).map_err(raised)? {
                for field in fields.try_iter().map_err(raised)? {
                    let field: String = field.and_then(|field| field.extract()).map_err(raised)?;
                    if !udt.has_field(&field) {
                        return Ok(Some(field));
                    }
                }
                return Ok(None);
            }
        }
        // Other objects may have additional attributes, but must have all of these.
        for (field, _) in &udt.fields {
            let name = PyString::intern(py, field);
            if self.0.getattr_opt(&name).map_err(raised)?.is_none() {
                return Err(Unfit::Kind);
            }
        }
        Ok(None)
    }
}

/// From here on, not every integer is a double.
const EXACT: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;

fn rounded() -> Unfit<BoxedPyErr> {
    Unfit::Invalid("this integer would be rounded: pass a float if that is meant".into())
}

/// The bytes of an integer of any size.
fn big_integer(number: &Bound<'_, PyAny>, out: &mut Vec<u8>) -> PyResult<()> {
    let py = number.py();
    let bits: usize = number.call_method0(intern!(py, "bit_length"))?.extract()?;
    let signed = PyDict::new(py);
    signed.set_item("signed", true)?;
    let bytes = number.call_method("to_bytes", (bits / 8 + 1, "big"), Some(&signed))?;
    out.extend_from_slice(bytes.cast_into::<PyBytes>()?.as_bytes());
    Ok(())
}

/// Whether this is an array of numbers, which `tolist` converts to lists.
fn is_array(value: &Bound<'_, PyAny>) -> bool {
    let kind = value.get_type();
    let module = kind.module().map(|module| module.to_string()).unwrap_or_default();
    matches!(module.as_str(), "array" | "numpy")
}

fn milliseconds(at: &Bound<'_, PyDateTime>) -> Result<i64> {
    let py = at.py();
    if at.get_tzinfo().is_none() {
        return Err(Unfit::Invalid(
            "a datetime without a time zone is no point in time: give it one, such as \
             datetime.timezone.utc"
                .into(),
        ));
    }
    let offset = at.call_method0(intern!(py, "utcoffset")).map_err(raised)?;
    let offset: f64 = if offset.is_none() {
        0.0
    } else {
        let seconds = offset.call_method0(intern!(py, "total_seconds"));
        seconds.and_then(|seconds| seconds.extract()).map_err(raised)?
    };
    let micros = days_to(at.get_year().into(), at.get_month(), at.get_day()) * 86_400_000_000
        + i64::from(at.get_hour()) * 3_600_000_000
        + i64::from(at.get_minute()) * 60_000_000
        + i64::from(at.get_second()) * 1_000_000
        + i64::from(at.get_microsecond())
        - (offset * 1e6) as i64;
    if micros % 1000 != 0 {
        return Err(Unfit::Invalid(
            "a timestamp has milliseconds, and this datetime has microseconds besides: round it \
             first"
                .into(),
        ));
    }
    Ok(micros / 1000)
}
