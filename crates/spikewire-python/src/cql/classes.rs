//! The classes registered for values of user-defined types.

use std::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Release};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use spikewire_cql::types::{TypeName, Udt};
use spikewire_sync::RwLock;

use crate::bridge::errors::{type_error, type_name, value_error};

/// The classes registered with a session. There are few, so a linear search beats a map.
#[derive(Debug)]
pub struct Classes {
    is_any: AtomicBool,
    known: RwLock<Vec<(TypeName, Py<PyAny>)>>,
}

impl Classes {
    /// No classes.
    pub const fn new() -> Self {
        Self { is_any: AtomicBool::new(false), known: RwLock::new(Vec::new()) }
    }

    /// Registers a class for the values of a type. `name` is `keyspace.name`, or a name in
    /// `keyspace`.
    pub fn register(
        &self,
        name: &str,
        keyspace: Option<&str>,
        class: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        if !class.is_callable() {
            return Err(type_error(format!(
                "a type is made as instances of a class, not of {}",
                type_name(class)
            )));
        }
        let name = TypeName::parse(name, keyspace).map_err(value_error)?;
        let class = class.clone().unbind();
        let former = {
            let mut known = self.known.write();
            if let Some((_, former)) = known.iter_mut().find(|(of, _)| *of == name) {
                Some(std::mem::replace(former, class))
            } else {
                known.push((name, class));
                None
            }
        };
        drop(former);
        self.is_any.store(true, Release);
        Ok(())
    }

    /// The class of a type.
    #[inline]
    pub fn of<'py>(&self, py: Python<'py>, udt: &Udt) -> Option<Bound<'py, PyAny>> {
        if !self.is_any.load(Acquire) {
            return None;
        }
        let known = self.known.read();
        let mut entries = known.iter();
        let (_, class) = entries.find(|(name, _)| name.is_of(udt))?;
        Some(class.bind(py).clone())
    }
}

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
