//! A record's full address: as a Python value, and as resolved from a call's arguments.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyList, PyMemoryView, PyString, PyTuple, PyType,
};

use spikewire_aerospike_protocol::key::{Digest, UserKey, raw_text_digest};

use crate::aerospike::record_type::{RecordType, annotation};
use crate::aerospike::space::{Space, named};
use crate::errors::{overflow, repr_of, type_error, type_name, value_error};

/// A record's address: namespace, set and user key, with the digest computed once. Every verb of
/// a client takes one, and so do the verbs of the dataset it belongs to.
///
/// The user key is int (64 bits signed), str or bytes; a bytearray or memoryview is copied to
/// bytes. Raises `TypeError` for other types, `ValueError` for names that the server does not
/// accept, `OverflowError` for larger integers. Keys are equal if namespace, set and digest are.
#[pyclass(frozen, module = "spikewire")]
pub struct Key {
    pub space: Arc<Space>,
    pub user: Py<PyAny>,
    pub digest: Digest,
}

impl Key {
    pub fn address<'py>(&self, py: Python<'py>) -> Address<'py> {
        Address { space: self.space.clone(), key: self.user.bind(py).clone(), digest: self.digest }
    }
}

impl From<Address<'_>> for Key {
    fn from(address: Address<'_>) -> Self {
        Self { space: address.space, user: address.key.unbind(), digest: address.digest }
    }
}

#[pymethods]
impl Key {
    #[new]
    #[pyo3(signature = (namespace, set, key))]
    fn new(
        namespace: &Bound<'_, PyAny>,
        set: Option<&Bound<'_, PyAny>>,
        key: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        Ok(Address::within(&named(namespace, set)?, key)?.into())
    }

    /// The key of a record of which only the 20-byte digest is known; its `key` is `None`.
    #[staticmethod]
    #[pyo3(signature = (namespace, set, digest))]
    fn from_digest(
        py: Python<'_>,
        namespace: &Bound<'_, PyAny>,
        set: Option<&Bound<'_, PyAny>>,
        digest: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let digest = parse_digest(digest)?;
        Ok(Self { space: named(namespace, set)?, user: py.None(), digest })
    }

    /// The namespace's name.
    #[getter]
    fn namespace(&self) -> &str {
        &self.space.namespace
    }

    /// The set's name; `None` for records without a set.
    #[getter]
    fn set(&self) -> Option<&str> {
        self.space.set_name()
    }

    /// The user key; `None` if only the digest is known.
    #[getter]
    fn key(&self, py: Python<'_>) -> Py<PyAny> {
        self.user.clone_ref(py)
    }

    /// The 20-byte hash that identifies the record in the cluster.
    #[getter]
    fn digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.digest.0)
    }

    /// The partition that holds the record, 0 to 4095.
    #[getter]
    fn partition(&self) -> u16 {
        self.digest.partition()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.digest == other.digest && self.space.same_as(&other.space)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.digest.hash(&mut hasher);
        self.space.namespace.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let set = self.set().into_pyobject(py)?.repr()?;
        let namespace = self.namespace().into_pyobject(py)?.repr()?;
        if self.user.is_none(py) {
            let digest = self.digest(py).repr()?;
            return Ok(format!("Key.from_digest({namespace}, {set}, {digest})"));
        }
        Ok(format!("Key({namespace}, {set}, {})", self.user.bind(py).repr()?))
    }

    /// For unpickling: the same key, of a dataset with this type.
    #[staticmethod]
    fn _typed(key: &Bound<'_, Self>, class_: &Bound<'_, PyAny>) -> PyResult<Self> {
        let plain = key.get();
        let space = RecordType::attach(class_, &plain.space)?;
        Ok(Self { space, user: plain.user.clone_ref(key.py()), digest: plain.digest })
    }

    /// `Key[User]` is a key whose record has that type, for annotations.
    #[classmethod]
    fn __class_getitem__<'py>(
        class: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        annotation(class, item)
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let class: Bound<'py, PyType> = py.get_type::<Self>();
        if let Some(of) = RecordType::of(&self.space) {
            let space = crate::aerospike::space::of(&self.space.namespace, self.set())?;
            let plain = Self { space, user: self.user.clone_ref(py), digest: self.digest };
            let parts = (plain, of.class(py)).into_pyobject(py)?;
            return Ok((class.getattr("_typed")?, parts));
        }
        if self.user.is_none(py) {
            let parts = (self.namespace(), self.set(), self.digest(py)).into_pyobject(py)?;
            return Ok((class.getattr("from_digest")?, parts));
        }
        let parts = (self.namespace(), self.set(), self.user.bind(py)).into_pyobject(py)?;
        Ok((class.into_any(), parts))
    }
}

/// The digest of a key of text that is no UTF-8.
#[pyfunction]
#[pyo3(signature = (set, text, /))]
pub fn _raw_text_digest<'py>(
    py: Python<'py>,
    set: Option<&str>,
    text: &[u8],
) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &raw_text_digest(set.unwrap_or_default(), text).0)
}

/// The address of one record, resolved from a call's arguments.
pub struct Address<'py> {
    pub space: Arc<Space>,
    /// The user key; `None` if only the digest is known.
    pub key: Bound<'py, PyAny>,
    pub digest: Digest,
}

impl<'py> Address<'py> {
    /// Resolves the key that a verb was given: of a dataset, or of a client.
    #[inline(always)]
    pub fn of(dataset: Option<&Arc<Space>>, key: &Bound<'py, PyAny>) -> PyResult<Self> {
        match dataset {
            Some(space) => Self::within(space, key),
            None => Self::whole(key),
        }
    }

    /// Resolves a user key of a dataset. A `Key` of the same dataset is accepted as well.
    pub fn within(space: &Arc<Space>, key: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(whole) = key.cast::<Key>() {
            let whole = whole.get();
            if !whole.space.same_as(space) {
                return Err(value_error(format!(
                    "{} is not a key of dataset {:?}.{:?}",
                    key.repr()?,
                    space.namespace,
                    space.set
                )));
            }
            // Whether records have a type is a matter of the dataset that is asked.
            return Ok(Self { space: space.clone(), ..whole.address(key.py()) });
        }
        with_user_key(key, |user, key| {
            let digest = space.digest(&user);
            Self { space: space.clone(), key: key.clone(), digest }
        })
    }

    /// Resolves a `Key` or a tuple `(namespace, set, key[, digest])`.
    pub fn whole(key: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(key) = key.cast::<Key>() {
            return Ok(key.get().address(key.py()));
        }
        let Ok(parts) = key.cast::<PyTuple>() else {
            return Err(type_error(format!(
                "a key must be a Key or a (namespace, set, key) tuple, not {}",
                type_name(key)
            )));
        };
        if !(3..=4).contains(&parts.len()) {
            return Err(value_error(format!(
                "a key tuple has 3 or 4 items (namespace, set, key[, digest]), not {}",
                parts.len()
            )));
        }
        let namespace = parts.get_item(0)?;
        let set = parts.get_item(1)?;
        let space = named(&namespace, Some(&set).filter(|set| !set.is_none()))?;
        let user = parts.get_item(2)?;
        match (user.is_none(), parts.get_item(3).ok().filter(|digest| !digest.is_none())) {
            (false, None) => Self::within(&space, &user),
            (true, Some(digest)) => Ok(Self { space, key: user, digest: parse_digest(&digest)? }),
            (false, Some(digest)) => {
                let address = Self::within(&space, &user)?;
                if address.digest != parse_digest(&digest)? {
                    return Err(value_error("the digest in the key tuple is not that of its key"));
                }
                Ok(address)
            }
            (true, None) => Err(value_error("a key tuple needs a key or a digest")),
        }
    }
}

impl Address<'_> {
    /// The user key as sent along with the request; `None` if only the digest is known.
    pub fn stored_key(&self) -> PyResult<Option<Vec<u8>>> {
        stored_key(&self.key)
    }
}

/// Passes a Python user key on as the protocol's type, and as an object that can be kept: for
/// objects that may change later, such as a `bytearray`, that is the int or bytes they now stand
/// for.
#[inline]
pub fn with_user_key<'py, R>(
    key: &Bound<'py, PyAny>,
    look: impl FnOnce(UserKey<'_>, &Bound<'py, PyAny>) -> R,
) -> PyResult<R> {
    if key.is_exact_instance_of::<PyInt>() {
        return Ok(look(UserKey::Int(int(key, key)?), key));
    }
    if let Ok(text) = key.cast::<PyString>() {
        let text = text.to_str().map_err(|_| {
            value_error("the key is a str that cannot be written as UTF-8 (lone surrogates)")
        })?;
        return Ok(look(UserKey::Str(text), key));
    }
    if let Ok(bytes) = key.cast::<PyBytes>() {
        return Ok(look(UserKey::Bytes(bytes.as_bytes()), key));
    }
    let copy = if let Ok(bytes) = key.cast::<PyByteArray>() {
        Some(PyBytes::new(key.py(), &bytes.to_vec()))
    } else if key.is_instance_of::<PyMemoryView>() {
        Some(key.call_method0("tobytes")?.cast_into::<PyBytes>()?)
    } else {
        None
    };
    if let Some(copy) = copy {
        return Ok(look(UserKey::Bytes(copy.as_bytes()), copy.as_any()));
    }
    // Anything with `__index__` is an integer (NumPy scalars, enums), but a bool is not a key.
    if !key.is_instance_of::<PyBool>() && !key.is_instance_of::<PyFloat>() {
        let index = if key.is_instance_of::<PyInt>() {
            Some(key.clone())
        } else {
            key.call_method0("__index__").ok()
        };
        if let Some(index) = index {
            return Ok(look(UserKey::Int(int(&index, key)?), &index));
        }
    }
    Err(no_key(key))
}

/// The error for a value that cannot be a key, with what to write instead of it.
#[cold]
fn no_key(key: &Bound<'_, PyAny>) -> PyErr {
    let value = repr_of(key);
    let advice = if let Ok(parts) = key.cast::<PyTuple>() {
        let names = if (3..=4).contains(&parts.len()) {
            ", or pass this tuple to the client's verb of the same name, as client.get(key)"
        } else {
            ""
        };
        format!(
            "; to use its parts as one key, join them into a str, such as \":\".join(map(str, \
             key)){names}"
        )
    } else if key.is_instance_of::<PyList>() {
        "; for several keys there are get_many, put_many and the other verbs of many records"
            .to_owned()
    } else if key.is_instance_of::<PyFloat>() || key.is_instance_of::<PyBool>() {
        "; use int(key) or str(key)".to_owned()
    } else {
        String::new()
    };
    type_error(format!("a key must be int, str or bytes, not {} ({value}){advice}", type_name(key)))
}

/// The integer value of a key.
fn int(index: &Bound<'_, PyAny>, key: &Bound<'_, PyAny>) -> PyResult<i64> {
    index.extract().map_err(|_| {
        overflow(format!("the key {} does not fit an integer of 64 bits signed", repr_of(key)))
    })
}

/// A user key as sent along with a request; `None` if only the digest is known.
pub fn stored_key(key: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u8>>> {
    if key.is_none() {
        return Ok(None);
    }
    with_user_key(key, |user, _| user.stored()).map(Some)
}

/// Parses a 20-byte digest.
pub fn parse_digest(value: &Bound<'_, PyAny>) -> PyResult<Digest> {
    let bytes: Vec<u8> = if let Ok(bytes) = value.cast::<PyBytes>() {
        bytes.as_bytes().to_vec()
    } else if let Ok(bytes) = value.cast::<PyByteArray>() {
        bytes.to_vec()
    } else {
        return Err(type_error(format!("a digest must be bytes, not {}", type_name(value))));
    };
    let len = bytes.len();
    let bytes: [u8; 20] =
        bytes.try_into().map_err(|_| value_error(format!("a digest has 20 bytes, not {len}")))?;
    Ok(Digest(bytes))
}
