//! A namespace and a set, with everything about them that a request needs ready made.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyMemoryView, PyString, PyTuple};

use spikewire_protocol::key::{Digest, SetHasher, UserKey};
use spikewire_protocol::{limits, request};

use crate::errors::{overflow, shown, type_error, type_name, value_error};
use crate::key::Key;

/// A namespace and a set.
#[derive(Debug)]
pub struct Space {
    pub namespace: Arc<str>,
    pub set: String,
    /// The two message fields, encoded.
    pub fields: Vec<u8>,
    hasher: SetHasher,
}

impl Space {
    /// Checks the names.
    pub fn new(namespace: &str, set: Option<&str>) -> PyResult<Arc<Self>> {
        let set = set.unwrap_or_default();
        check("namespace", namespace, limits::NAMESPACE_NAME)?;
        check("set", set, limits::SET_NAME)?;
        if namespace.is_empty() {
            return Err(value_error("namespace must not be empty"));
        }
        Ok(Arc::new(Self {
            namespace: namespace.into(),
            set: set.to_owned(),
            fields: request::address(namespace, set),
            hasher: SetHasher::new(set),
        }))
    }

    /// Checks names as Python gives them; `None` is the null set.
    pub fn named(
        namespace: &Bound<'_, PyAny>,
        set: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Arc<Self>> {
        let set = set.map(|set| text("set", set)).transpose()?;
        Self::new(text("namespace", namespace)?, set)
    }

    /// The set as Python shows it: `None` for the null set.
    pub fn set_name(&self) -> Option<&str> {
        (!self.set.is_empty()).then_some(self.set.as_str())
    }

    /// The digest of a key in this set.
    pub fn digest(&self, key: &UserKey<'_>) -> Digest {
        self.hasher.digest(key)
    }

    pub fn same_as(&self, other: &Self) -> bool {
        self.namespace == other.namespace && self.set == other.set
    }
}

fn check(what: &str, name: &str, limit: usize) -> PyResult<()> {
    if name.len() > limit {
        return Err(value_error(format!(
            "{what} {name:?} is {} bytes long; the server's limit is {limit}",
            name.len()
        )));
    }
    if let Some(sign) = name.chars().find(|sign| matches!(sign, '\0' | ':' | ';')) {
        return Err(value_error(format!("{what} {name:?} contains {sign:?}")));
    }
    Ok(())
}

/// One record's address, resolved from what the caller gave.
pub struct Address<'py> {
    pub space: Arc<Space>,
    /// The user key; `None` when only the digest is known.
    pub key: Bound<'py, PyAny>,
    pub digest: Digest,
}

impl<'py> Address<'py> {
    /// From a user key within a dataset; a `Key` of the same dataset is welcome too.
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
            return Ok(whole.address(key.py()));
        }
        let digest = with_user_key(key, |user| space.hasher.digest(&user))?;
        Ok(Self { space: space.clone(), key: key.clone(), digest })
    }

    /// From a `Key`, or the field's tuple `(namespace, set, key[, digest])`.
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
        let space = Space::named(&namespace, Some(&set).filter(|set| !set.is_none()))?;
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

pub fn text<'a>(what: &str, value: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    match value.cast::<PyString>() {
        Ok(text) => text.to_str(),
        Err(_) => Err(type_error(format!("{what} must be str, not {}", type_name(value)))),
    }
}

/// Reads a 20-byte digest.
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

/// Looks at a Python user key as the protocol sees it.
pub fn with_user_key<R>(
    key: &Bound<'_, PyAny>,
    look: impl FnOnce(UserKey<'_>) -> R,
) -> PyResult<R> {
    if key.is_exact_instance_of::<PyInt>() {
        return Ok(look(UserKey::Int(int(key, key)?)));
    }
    if let Ok(text) = key.cast::<PyString>() {
        let text = text.to_str().map_err(|_| {
            value_error("the key is a str that cannot be written as UTF-8 (lone surrogates)")
        })?;
        return Ok(look(UserKey::Str(text)));
    }
    if let Ok(bytes) = key.cast::<PyBytes>() {
        return Ok(look(UserKey::Bytes(bytes.as_bytes())));
    }
    if let Ok(bytes) = key.cast::<PyByteArray>() {
        return Ok(look(UserKey::Bytes(&bytes.to_vec())));
    }
    if key.is_instance_of::<PyMemoryView>() {
        let bytes: Vec<u8> = key.call_method0("tobytes")?.extract()?;
        return Ok(look(UserKey::Bytes(&bytes)));
    }
    // Whatever counts as an index is an integer (NumPy scalars, enums), but True is no key.
    if !key.is_instance_of::<PyBool>() && !key.is_instance_of::<PyFloat>() {
        let index = if key.is_instance_of::<PyInt>() {
            Some(key.clone())
        } else {
            key.call_method0("__index__").ok()
        };
        if let Some(index) = index {
            return Ok(look(UserKey::Int(int(&index, key)?)));
        }
    }
    Err(type_error(format!("a key must be int, str or bytes, not {}", type_name(key))))
}

/// The integer that a key is.
fn int(index: &Bound<'_, PyAny>, key: &Bound<'_, PyAny>) -> PyResult<i64> {
    index.extract().map_err(|_| {
        overflow(format!("the key {} does not fit an integer of 64 bits signed", shown(key)))
    })
}
