//! The classes registered for values of user-defined types.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use spikewire_cassandra::type_registry::TypeRegistry;
use spikewire_cql::types::Udt;

/// The classes registered with a session.
pub type Classes = TypeRegistry<Py<PyAny>>;

/// Creates an instance of a class from the fields of a value, passed as keyword arguments.
pub fn make<'py>(
    class: &Bound<'py, PyAny>,
    udt: &Udt,
    values: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let fields = PyDict::new(class.py());
    for ((name, _), value) in udt.fields.iter().zip(values) {
        fields.set_item(name, value)?;
    }
    class.call((), Some(&fields))
}
