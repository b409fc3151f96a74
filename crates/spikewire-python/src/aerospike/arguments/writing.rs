//! Arguments of writes: time to live, generation, and what to do if the record exists or does not.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDateTime, PyDelta, PyDeltaAccess, PyFloat, PyInt, PyString, PyType};

use spikewire_aerospike::CommitLevel;
use spikewire_aerospike::command::{ExistsRule, GenerationRule, Ttl, parse};

use crate::arguments::text;
use crate::errors::{
    LazyRepr, invalid_argument, overflow, repr_of, type_error, type_name, utf8, value_error,
};

const TTL_FORMS: &str =
    "whole seconds (int), a timedelta, a datetime, 'default', 'never' or 'unchanged'";

/// The commit level with this name.
pub fn commit_level(value: &Bound<'_, PyAny>) -> PyResult<CommitLevel> {
    CommitLevel::parse(text("commit_level", value)?).map_err(invalid_argument)
}

/// The time to live to set with a write.
pub fn ttl(value: &Bound<'_, PyAny>) -> PyResult<Ttl> {
    if let Ok(word) = value.cast::<PyString>() {
        let word = utf8("ttl", word)?;
        let unknown = || value_error(format!("ttl must be {TTL_FORMS}, got {word:?}"));
        return parse::ttl(word).ok_or_else(unknown);
    }
    let whole = if let Ok(delta) = value.cast::<PyDelta>() {
        if delta.get_microseconds() != 0 {
            return Err(value_error(format!("ttl must be whole seconds, got {}", repr_of(value))));
        }
        i64::from(delta.get_days()) * 86_400 + i64::from(delta.get_seconds())
    } else if let Ok(moment) = value.cast::<PyDateTime>() {
        return until(moment);
    } else if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() {
        value.extract().unwrap_or(i64::MAX)
    } else if let Ok(float) = value.cast::<PyFloat>() {
        return Err(value_error(format!("ttl must be {TTL_FORMS}, got the float {float}")));
    } else {
        return Err(type_error(format!("ttl must be {TTL_FORMS}, not {}", type_name(value))));
    };
    Ttl::seconds(whole, LazyRepr(value)).map_err(invalid_argument)
}

/// The time to live until a point in time.
fn until(moment: &Bound<'_, PyDateTime>) -> PyResult<Ttl> {
    if moment.call_method0("utcoffset")?.is_none() {
        return Err(value_error(format!(
            "ttl must be a datetime that knows its time zone, such as datetime.now(timezone.utc) + \
             timedelta(hours=1), got the naive {moment}"
        )));
    }
    let at: f64 = moment.call_method0("timestamp")?.extract()?;
    Ttl::until(at, moment).map_err(invalid_argument)
}

/// A rule for `generation`: write only if this is greater than the record's own generation.
///
/// For copies of records that carry their generation along: an older copy does not overwrite a
/// newer record. `generation` is from 1 to 65535. A record that does not exist yet is written.
/// The write that uses it raises `GenerationMismatch` otherwise.
#[pyclass(frozen, eq, hash, module = "spikewire")]
#[derive(PartialEq, Eq, Hash)]
pub struct Newer {
    generation: u32,
}

#[pymethods]
impl Newer {
    #[new]
    fn new(generation: &Bound<'_, PyAny>) -> PyResult<Self> {
        let generation = number(generation)?;
        GenerationRule::Newer(generation).check().map_err(invalid_argument)?;
        Ok(Self { generation })
    }

    /// The record's generation must be less than this.
    #[getter]
    fn generation(&self) -> u32 {
        self.generation
    }

    fn __repr__(&self) -> String {
        format!("Newer({})", self.generation)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (u32,)) {
        (py.get_type::<Self>(), (self.generation,))
    }
}

fn number(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    if !value.is_instance_of::<PyInt>() || value.is_instance_of::<PyBool>() {
        return Err(type_error(format!("generation must be int, not {}", type_name(value))));
    }
    value
        .extract()
        .map_err(|_| overflow(GenerationRule::out_of_bounds(0, LazyRepr(value)).message()))
}

/// The generation that the record must have.
pub fn generation(value: &Bound<'_, PyAny>) -> PyResult<GenerationRule> {
    match value.cast::<Newer>() {
        Ok(newer) => Ok(GenerationRule::Newer(newer.get().generation)),
        Err(_) => number(value).map(GenerationRule::Equals),
    }
}

/// What a write does if the record exists, or does not.
pub fn exists(value: &Bound<'_, PyAny>) -> PyResult<ExistsRule> {
    parse::exists(text("exists", value)?).map_err(invalid_argument)
}
