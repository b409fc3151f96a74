//! The position of a value, for error messages.

use std::fmt;

use pyo3::prelude::*;

use super::Codec;
use crate::errors::repr_of;

/// The position of a value, for error messages: the bin, then the path into it.
pub enum Place<'a> {
    /// The value of a bin.
    Bin(&'a str),
    /// The value of a bin, for a client with a codec.
    Coded(&'a str, &'a Codec),
    /// The contents of an argument.
    Argument(&'a str),
    /// An element of a list.
    Index(&'a Place<'a>, usize),
    /// The value of a map entry.
    Entry(&'a Place<'a>, &'a Bound<'a, PyAny>),
    /// The key of a map entry.
    Key(&'a Place<'a>, &'a Bound<'a, PyAny>),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bin(name) | Self::Coded(name, _) => write!(f, "bin {name:?}"),
            Self::Argument(name) => f.write_str(name),
            Self::Index(outer, index) => write!(f, "{outer}[{index}]"),
            Self::Entry(outer, key) => write!(f, "{outer}[{}]", repr_of(key)),
            Self::Key(outer, key) => write!(f, "{outer}, map key {}", repr_of(key)),
        }
    }
}

impl<'a> Place<'a> {
    /// The bin or argument that contains the value.
    pub fn root(&'a self) -> &'a Self {
        match self {
            Self::Bin(_) | Self::Coded(..) | Self::Argument(_) => self,
            Self::Index(outer, _) | Self::Entry(outer, _) | Self::Key(outer, _) => outer.root(),
        }
    }
}
