//! The index, and the range of its values, for a query.

use std::fmt::Write as _;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyInt, PyString};

use spikewire_aerospike::command::{check_index_bin, parse};
use spikewire_aerospike::query::check_index;
use spikewire_aerospike_protocol::query::{Collection, Index, Range, Subject};

use crate::aerospike::calls::context::Path;
use crate::aerospike::calls::integer;
use crate::aerospike::expression::{Expression, plain_bytes};
use crate::aerospike::value::{GeoJSON, bin_name};
use crate::arguments::text;
use crate::errors::{invalid_argument, type_error, type_name, utf8, value_error};

/// A range of a secondary index, created by `between`, `equal`, `contains`, `within` and
/// `around`. For the `index` of `query`.
#[pyclass(frozen, eq, hash, module = "spikewire")]
#[derive(PartialEq, Eq, Hash)]
pub struct IndexRange {
    pub index: Index,
    repr: String,
}

impl IndexRange {
    /// Parses the keyword `index`.
    pub fn of(value: &Bound<'_, PyAny>) -> PyResult<Index> {
        match value.cast::<Self>() {
            Ok(range) => Ok(range.get().index.clone()),
            Err(_) => Err(type_error(format!(
                "index must come from spikewire.between, equal, contains, within or around, not {}",
                type_name(value)
            ))),
        }
    }
}

#[pymethods]
impl IndexRange {
    /// `kind` is the name of the function.
    #[new]
    #[pyo3(signature = (kind, bin, values, of=None, name=None, ctx=None))]
    fn new<'py>(
        kind: &Bound<'py, PyAny>,
        bin: Option<&Bound<'py, PyAny>>,
        values: Vec<Bound<'py, PyAny>>,
        of: Option<&Bound<'py, PyAny>>,
        name: Option<&Bound<'py, PyAny>>,
        ctx: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let kind = text("kind", kind)?;
        let subject = subject(bin, name)?;
        let context = Path::new(ctx)?.packed()?;
        let collection = collection(of)?;
        let range = match (kind, values.as_slice()) {
            ("between", [low, high]) => Range::Int(integer("low", low)?, integer("high", high)?),
            ("equal" | "contains", [value]) => exact(value)?,
            ("within" | "around", [place]) => Range::Geo(geo(place)?),
            _ => return Err(value_error(format!("unknown index range {kind:?}"))),
        };
        let mut repr = format!("spikewire.{kind}(");
        repr += &bin.map_or(Ok("None".to_owned()), |bin| bin.repr().map(|bin| bin.to_string()))?;
        for value in &values {
            let _ = write!(repr, ", {}", value.repr()?);
        }
        for (key, value) in [("of", of), ("name", name), ("ctx", ctx)] {
            if let Some(value) = value {
                let _ = write!(repr, ", {key}={}", value.repr()?);
            }
        }
        repr.push(')');
        let index = Index { subject, collection, context, range };
        check_index(&index).map_err(invalid_argument)?;
        Ok(Self { index, repr })
    }

    fn __repr__(&self) -> &str {
        &self.repr
    }
}

fn subject(bin: Option<&Bound<'_, PyAny>>, name: Option<&Bound<'_, PyAny>>) -> PyResult<Subject> {
    match (bin, name) {
        (Some(_), Some(_)) => Err(value_error("either a bin or name=, the index's, not both")),
        (None, None) => Err(value_error("an index is found by its bin, or by name= alone")),
        (Some(bin), None) => {
            if let Ok(expression) = bin.cast::<Expression>() {
                Ok(Subject::Expression(plain_bytes(expression)?))
            } else {
                let bin = bin_name(bin)?;
                check_index_bin(bin).map_err(invalid_argument)?;
                Ok(Subject::Bin(bin.to_owned()))
            }
        }
        (None, Some(name)) => Ok(Subject::Name(text("name", name)?.to_owned())),
    }
}

/// The subject of a new index: a bin, with or without a path, or an expression.
pub fn subject_of_new(
    bin: &Bound<'_, PyAny>,
    ctx: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Subject, Option<Vec<u8>>)> {
    let subject = match bin.cast::<Expression>() {
        Ok(expression) => Subject::Expression(plain_bytes(expression)?),
        Err(_) => Subject::Bin(text("bin", bin)?.to_owned()),
    };
    let context = Path::new(ctx)?.packed()?;
    Ok((subject, context))
}

/// Which part of a bin is indexed.
pub fn collection(of: Option<&Bound<'_, PyAny>>) -> PyResult<Collection> {
    let of = of.map(|of| text("of", of)).transpose()?;
    of.map_or(Ok(Collection::default()), parse::collection).map_err(invalid_argument)
}

fn exact(value: &Bound<'_, PyAny>) -> PyResult<Range> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Range::Str(utf8("the value", text)?.to_owned()));
    }
    if value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyByteArray>() {
        return Ok(Range::Blob(value.extract()?));
    }
    if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() {
        let int = integer("value", value)?;
        return Ok(Range::Int(int, int));
    }
    Err(type_error(format!("value must be int, str or bytes, not {}", type_name(value))))
}

fn geo(place: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(geo) = place.cast::<GeoJSON>() {
        return Ok(geo.get().text.clone());
    }
    Err(type_error(format!("the place must be GeoJSON, not {}", type_name(place))))
}
