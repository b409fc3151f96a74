//! Calls of functions that the cluster runs on a record.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use spikewire_protocol::message::field;
use spikewire_protocol::msgpack;

use super::options::{Defaults, WriteOptions};
use crate::call::{Call, Shape};
use crate::errors::{type_error, type_name, value_error};
use crate::space::{Address, text};
use crate::value::{Place, encode};

/// A function of a registered module, and what it is called with.
pub struct Function {
    module: String,
    name: String,
    /// A packed list.
    arguments: Vec<u8>,
}

impl Function {
    /// Module, name, and the packed list of arguments.
    pub fn parts(&self) -> (&str, &str, &[u8]) {
        (&self.module, &self.name, &self.arguments)
    }

    /// Checks the names and encodes the arguments.
    pub fn new(
        module: &Bound<'_, PyAny>,
        name: &Bound<'_, PyAny>,
        arguments: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let module = text("module", module)?;
        if module.is_empty() || module.strip_suffix(".lua").is_some() {
            return Err(value_error(format!(
                "module must be the name of a module without its ending .lua, got {module:?}"
            )));
        }
        let name = text("function", name)?;
        if name.is_empty() {
            return Err(value_error("function must not be empty"));
        }
        let mut packed = Vec::new();
        match arguments {
            None => msgpack::array(&mut packed, 0),
            Some(given)
                if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() =>
            {
                encode(&mut packed, given, &Place::Argument("arguments"))?;
            }
            Some(other) => {
                return Err(type_error(format!(
                    "arguments must be a list or tuple of values, not {}",
                    type_name(other)
                )));
            }
        }
        Ok(Self { module: module.to_owned(), name: name.to_owned(), arguments: packed })
    }

    /// The module's name, without its ending.
    pub fn module(&self) -> &str {
        &self.module
    }

    /// The function's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its arguments, a packed list.
    pub fn arguments(&self) -> &[u8] {
        &self.arguments
    }

    /// Appends the fields of the call through `write`.
    pub fn fields(&self, mut write: impl FnMut(u8, &[u8])) {
        write(field::UDF_PACKAGE, self.module.as_bytes());
        write(field::UDF_FUNCTION, self.name.as_bytes());
        write(field::UDF_ARGUMENTS, &self.arguments);
    }
}

pub fn apply<'py>(
    defaults: &Defaults,
    address: Address<'py>,
    function: &Function,
    options: &WriteOptions<'py>,
) -> PyResult<Call> {
    let outline = options.outline(defaults)?;
    Call::compose(address, &outline, Shape::Applied, |request| {
        function.fields(|id, data| request.field(id, data));
        Ok(())
    })
}
