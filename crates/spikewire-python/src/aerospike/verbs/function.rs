//! Calls of functions that the cluster runs on a record.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use spikewire_aerospike_protocol::msgpack;

use crate::aerospike::value::{Place, encode};
use crate::arguments::text;
use crate::errors::{type_error, type_name, value_error};

/// A function of a registered module, and its arguments.
pub struct Function(pub spikewire_aerospike::command::Function);

impl Function {
    /// Checks the names and encodes the arguments.
    pub fn new(
        module: &Bound<'_, PyAny>,
        name: &Bound<'_, PyAny>,
        arguments: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (module, name) = (text("module", module)?, text("function", name)?);
        let mut packed = Vec::new();
        match arguments {
            None => msgpack::array(&mut packed, 0),
            Some(list) if list.is_instance_of::<PyList>() || list.is_instance_of::<PyTuple>() => {
                encode(&mut packed, list, &Place::Argument("arguments"))?;
            }
            Some(other) => {
                return Err(type_error(format!(
                    "arguments must be a list or tuple of values, not {}",
                    type_name(other)
                )));
            }
        }
        let function = spikewire_aerospike::command::Function::new(module, name, packed);
        function.map(Self).map_err(|error| value_error(error.message()))
    }
}
