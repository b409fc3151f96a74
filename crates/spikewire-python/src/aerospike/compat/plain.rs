//! Keys and values that need no Python code: nearly all of them.

use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple,
};

use crate::aerospike::value::{ordered_class, pairs};

/// The nesting depth up to which lists and dicts are inspected. Deeper ones do not count as plain.
const DEPTH: usize = 32;

/// Whether a key is `(namespace, set, key)`, with strings as names and a string or an integer as
/// user key. A text with a NUL is none: the official client ends it there.
pub fn key(key: &Bound<'_, PyAny>) -> bool {
    has_user_key(key, |user| user.is_exact_instance_of::<PyInt>() || is_text(user))
}

/// Whether the key of a batch row can be sent unchanged: like [`key`], or with bytes in a
/// `bytearray`. An integer must fit 64 bits.
pub fn row_key(key: &Bound<'_, PyAny>) -> bool {
    has_user_key(key, |user| {
        if user.is_exact_instance_of::<PyInt>() {
            return user.extract::<i64>().is_ok();
        }
        is_text(user) || user.cast_exact::<PyByteArray>().is_ok_and(|bytes| !bytes.is_empty())
    })
}

/// Whether a key is `(namespace, set, key)`, with strings as names and an accepted user key.
fn has_user_key(key: &Bound<'_, PyAny>, accept: impl FnOnce(&Bound<'_, PyAny>) -> bool) -> bool {
    let Ok(parts) = key.cast_exact::<PyTuple>() else { return false };
    let [namespace, set, user] = parts.as_slice() else { return false };
    let is_name = |part: &Bound<'_, PyAny>| part.is_exact_instance_of::<PyString>();
    is_name(namespace) && (is_name(set) || set.is_none()) && accept(user)
}

/// Whether a user key is a text that the official client does not end before its end.
fn is_text(user: &Bound<'_, PyAny>) -> bool {
    user.is_exact_instance_of::<PyString>() && !has_nul(user)
}

fn has_nul(text: &Bound<'_, PyAny>) -> bool {
    text.cast::<PyString>().is_ok_and(|text| text.to_str().is_ok_and(|text| text.contains('\0')))
}

/// Whether a value can be sent unchanged: a scalar, or lists and dicts of such. `bools`: whether a
/// `bool` can.
pub fn outgoing(value: &Bound<'_, PyAny>, bools: bool) -> bool {
    within(value, DEPTH, true, &|value| {
        value.is_exact_instance_of::<PyBytes>()
            || value.is_exact_instance_of::<PyByteArray>()
            || bools && value.is_exact_instance_of::<PyBool>()
    })
}

/// Whether a value that was read can be returned unchanged. `bytes`: whether bytes can.
pub fn incoming(value: &Bound<'_, PyAny>, bytes: bool) -> bool {
    within(value, DEPTH, false, &|value| {
        value.is_exact_instance_of::<PyBool>() || bytes && value.is_exact_instance_of::<PyBytes>()
    })
}

/// Whether a value is a string, a number, `None` or something accepted by `also`, or a list or dict
/// of such. `keys`: whether the keys of dicts are checked too.
fn within(
    value: &Bound<'_, PyAny>,
    depth: usize,
    keys: bool,
    also: &dyn Fn(&Bound<'_, PyAny>) -> bool,
) -> bool {
    if value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_none()
        || also(value)
    {
        return true;
    }
    if depth == 0 {
        return false;
    }
    if let Ok(list) = value.cast_exact::<PyList>() {
        return list.iter().all(|item| within(&item, depth - 1, keys, also));
    }
    let Ok(dict) = value.cast::<PyDict>() else { return false };
    let is_plain_class = dict.is_exact_instance_of::<PyDict>()
        || ordered_class(dict.py()).is_some_and(|class| dict.get_type().is(class));
    is_plain_class
        && pairs(dict).all(|pair| {
            pair.is_ok_and(|(name, item)| {
                (!keys || within(&name, 0, keys, also)) && within(&item, depth - 1, keys, also)
            })
        })
}
