//! Python values in expressions.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple,
};

use spikewire_aerospike_protocol::expression::{Expression as Tree, Type};
use spikewire_aerospike_protocol::limits;
use spikewire_aerospike_protocol::value::Value;

use super::Expression;
use crate::aerospike::value::{GeoJSON, HyperLogLog, pairs};
use crate::errors::{invalid_argument, overflow, repr_of, type_error, type_name, value_error};

/// An expression, or a value as a constant.
pub fn operand(value: &Bound<'_, PyAny>) -> PyResult<Tree> {
    if let Ok(expression) = value.cast::<Expression>() {
        return Ok(expression.get().tree.clone());
    }
    Tree::try_from(&constant(value, limits::NESTING)?).map_err(invalid_argument)
}

fn constant(value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(value_error(format!("nested deeper than {} levels", limits::NESTING)));
    };
    if value.is_none() {
        return Ok(Value::Nil);
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Value::Bool(flag.is_true()));
    }
    if let Ok(int) = value.cast::<PyInt>() {
        return int.extract().map(Value::Int).map_err(|error: PyErr| {
            if error.is_instance_of::<PyOverflowError>(value.py()) {
                overflow(format!("the integer {} does not fit 64 bits signed", repr_of(value)))
            } else {
                error
            }
        });
    }
    if let Ok(float) = value.cast::<PyFloat>() {
        return Ok(Value::Float(float.value()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        let text = text.to_str().map_err(|error| {
            value_error(format!("the str cannot be written as UTF-8 ({error})"))
        })?;
        return Ok(Value::Str(text.to_owned()));
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Value::Bytes(bytes.as_bytes().to_vec()));
    }
    if let Ok(bytes) = value.cast::<PyByteArray>() {
        return Ok(Value::Bytes(bytes.to_vec()));
    }
    if let Ok(geo) = value.cast::<GeoJSON>() {
        return Ok(Value::GeoJson(geo.get().text.clone()));
    }
    if let Ok(sketch) = value.cast::<HyperLogLog>() {
        return Ok(Value::Hll(sketch.get().bytes.clone()));
    }
    if let Ok(items) = value.cast::<PyList>() {
        return items
            .iter()
            .map(|item| constant(&item, depth))
            .collect::<PyResult<_>>()
            .map(Value::List);
    }
    if let Ok(items) = value.cast::<PyTuple>() {
        return items
            .iter()
            .map(|item| constant(&item, depth))
            .collect::<PyResult<_>>()
            .map(Value::List);
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let pair = |pair: PyResult<(Bound<'_, PyAny>, Bound<'_, PyAny>)>| {
            let (key, value) = pair?;
            Ok((constant(&key, depth)?, constant(&value, depth)?))
        };
        return pairs(dict).map(pair).collect::<PyResult<_>>().map(Value::Map);
    }
    Err(type_error(format!(
        "an expression has no values of type {}; use int, float, bool, str, bytes, None, list, \
         dict, GeoJSON or HyperLogLog",
        type_name(value)
    )))
}

/// The expression type for a Python type.
pub fn kind_of(kind: &Bound<'_, PyAny>) -> PyResult<Type> {
    let py = kind.py();
    let known = [
        (py.get_type::<PyInt>(), Type::Int),
        (py.get_type::<PyFloat>(), Type::Float),
        (py.get_type::<PyString>(), Type::Str),
        (py.get_type::<PyBool>(), Type::Bool),
        (py.get_type::<PyBytes>(), Type::Blob),
        (py.get_type::<PyList>(), Type::List),
        (py.get_type::<PyDict>(), Type::Map),
        (py.get_type::<GeoJSON>(), Type::Geo),
        (py.get_type::<HyperLogLog>(), Type::Hll),
    ];
    let entry = known.into_iter().find(|(known, _)| kind.is(known));
    entry.map(|(_, kind)| kind).ok_or_else(|| {
        type_error(format!(
            "the type of a bin is int, float, str, bool, bytes, list, dict, GeoJSON or \
             HyperLogLog, not {}",
            repr_of(kind)
        ))
    })
}
