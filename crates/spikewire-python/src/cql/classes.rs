//! The classes that values of user-defined types come back as.

use std::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Release};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use spikewire_cql::types::Udt;
use spikewire_sync::RwLock;

use crate::bridge::errors::{type_error, type_name, value_error};

/// The classes that a session knows; few, so a search beats a map.
#[derive(Debug)]
pub struct Classes {
    is_any: AtomicBool,
    known: RwLock<Vec<(Name, Py<PyAny>)>>,
}

/// Keyspace and name of a type, as they are stored.
#[derive(Debug, PartialEq, Eq)]
struct Name {
    keyspace: String,
    name: String,
}

impl Classes {
    /// No classes.
    pub const fn new() -> Self {
        Self { is_any: AtomicBool::new(false), known: RwLock::new(Vec::new()) }
    }

    /// Makes values of a type instances of this class from now on. `name` is `keyspace.name`, or a
    /// name in `keyspace`.
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
        let name = Name::read(name, keyspace)?;
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
        let mut found = known.iter();
        let (_, class) =
            found.find(|(of, _)| of.name == udt.name && of.keyspace == udt.keyspace)?;
        Some(class.bind(py).clone())
    }
}

/// An instance of a class from the fields of a value, which it takes by name.
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

impl Name {
    fn read(text: &str, keyspace: Option<&str>) -> PyResult<Self> {
        let (first, rest) = part(text)?;
        match rest.strip_prefix('.') {
            Some(rest) => {
                let (name, rest) = part(rest)?;
                if rest.is_empty() {
                    return Ok(Self { keyspace: first, name });
                }
            }
            None if rest.is_empty() => {
                return match keyspace {
                    Some(keyspace) => Ok(Self { keyspace: keyspace.to_owned(), name: first }),
                    None => Err(value_error(format!(
                        "the session has no keyspace: name it with the type, as in \
                         \"shop.{text}\""
                    ))),
                };
            }
            None => {}
        }
        Err(wrong(text))
    }
}

fn wrong(text: &str) -> PyErr {
    value_error(format!("a type is named as in \"shop.address\", not {text:?}"))
}

/// The name that a text begins with, and what is behind it. Without quotes case makes no difference.
fn part(text: &str) -> PyResult<(String, &str)> {
    if let Some(quoted) = text.strip_prefix('"') {
        let mut name = String::new();
        let mut rest = quoted;
        loop {
            let (piece, behind) = rest.split_once('"').ok_or_else(|| wrong(text))?;
            name.push_str(piece);
            match behind.strip_prefix('"') {
                Some(behind) => {
                    name.push('"');
                    rest = behind;
                }
                None => return Ok((name, behind)),
            }
        }
    }
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    if end == 0 {
        return Err(wrong(text));
    }
    Ok((text[..end].to_lowercase(), &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types() {
        let read = |text, keyspace| Name::read(text, keyspace).map(|it| (it.keyspace, it.name));
        let is = |keyspace: &str, name: &str| (keyspace.to_owned(), name.to_owned());
        assert_eq!(read("Shop.Address", None).unwrap(), is("shop", "address"));
        assert_eq!(read("address", Some("Shop")).unwrap(), is("Shop", "address"));
        assert_eq!(read("\"A.\"\"b\".c", None).unwrap(), is("A.\"b", "c"));
        Python::initialize();
        for text in ["", ".", "a.", ".a", "a.b.c", "\"a", "a b"] {
            assert!(Name::read(text, Some("k")).is_err(), "{text}");
        }
        assert!(Name::read("a", None).is_err());
    }
}
