//! Positions of values, for messages.

use std::fmt;

/// The position of a value.
#[derive(Debug, Clone, Copy)]
pub enum Place<'a> {
    /// The value of a bin.
    Bin(&'a str),
    /// An argument of an operation or of a function, by name.
    Argument(&'a str),
    /// An operand of an expression, by its name in messages.
    Operand(&'a str),
    /// An element of a list.
    Index(&'a Place<'a>, u32),
    /// A value of a map, with its key as shown in messages.
    Entry(&'a Place<'a>, &'a str),
    /// A key of a map, as shown in messages.
    Key(&'a Place<'a>, &'a str),
}

impl Place<'_> {
    /// The bin, argument or operand that it is in.
    pub fn root(&self) -> &Self {
        match self {
            Self::Bin(_) | Self::Argument(_) | Self::Operand(_) => self,
            Self::Index(outer, _) | Self::Entry(outer, _) | Self::Key(outer, _) => outer.root(),
        }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bin(name) => write!(f, "bin {name:?}"),
            Self::Argument(name) | Self::Operand(name) => f.write_str(name),
            Self::Index(outer, at) => write!(f, "{outer}[{at}]"),
            Self::Entry(outer, key) => write!(f, "{outer}[{key}]"),
            Self::Key(outer, key) => write!(f, "{outer}: key {key}"),
        }
    }
}
