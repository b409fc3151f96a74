//! Positions of values, for error messages, and the limits of lists and maps.

use std::convert::Infallible;
use std::fmt;

use crate::fault::Fault;
use crate::{limits, nesting};

/// The position of a value: the bin or argument, then the path into it. `K` shows the key of a map,
/// `C` is what a host has to know about the values of a bin.
#[derive(Debug)]
pub enum Place<'a, K, C = Infallible> {
    /// The value of a bin.
    Bin(&'a str),
    /// The value of a bin, for a client with a codec.
    Coded(&'a str, &'a C),
    /// An argument of an operation or of a function, by name.
    Argument(&'a str),
    /// An operand of an expression, by its name in messages.
    Operand(&'a str),
    /// An element of a list.
    Index(&'a Self, usize),
    /// The value of a map entry.
    Entry(&'a Self, K),
    /// The key of a map entry.
    Key(&'a Self, K),
}

impl<K, C> Place<'_, K, C> {
    /// The bin, argument or operand that contains the value.
    pub fn root(&self) -> &Self {
        match self {
            Self::Bin(_) | Self::Coded(..) | Self::Argument(_) | Self::Operand(_) => self,
            Self::Index(outer, _) | Self::Entry(outer, _) | Self::Key(outer, _) => outer.root(),
        }
    }

    /// Whether a marker can be here: in arguments only, because it cannot be stored.
    pub fn allows_markers(&self) -> bool {
        matches!(self.root(), Self::Argument(_))
    }
}

impl<K: fmt::Display, C> Place<'_, K, C> {
    /// Rejects an element at depth 0, and notes one that newer servers may reject.
    #[inline]
    pub fn check_depth(&self, depth: usize) -> Result<(), Fault> {
        if depth <= nesting::NOTED { self.deep(depth) } else { Ok(()) }
    }

    #[cold]
    fn deep(&self, depth: usize) -> Result<(), Fault> {
        nesting::note();
        if depth > 0 {
            return Ok(());
        }
        Err(Fault::of_value(format!(
            "{}: nested deeper than {} levels, or in a cycle",
            self.root(),
            limits::NESTING
        )))
    }

    /// The number of elements of the list or map that is here.
    #[inline]
    pub fn count(&self, len: usize) -> Result<u32, Fault> {
        u32::try_from(len).map_err(|_| Fault::of_value(format!("{self}: more than 2^32 elements")))
    }
}

impl<K: fmt::Display, C> fmt::Display for Place<'_, K, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bin(name) | Self::Coded(name, _) => write!(f, "bin {name:?}"),
            Self::Argument(name) | Self::Operand(name) => f.write_str(name),
            Self::Index(outer, at) => write!(f, "{outer}[{at}]"),
            Self::Entry(outer, key) => write!(f, "{outer}[{key}]"),
            Self::Key(outer, key) => write!(f, "{outer}, map key {key}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_from_its_root() {
        let bin = Place::<_>::Bin("b");
        let list = Place::Entry(&bin, "'k'");
        let item = Place::Index(&list, 3);
        assert_eq!(item.to_string(), "bin \"b\"['k'][3]");
        assert_eq!(Place::Key(&item, "1.5").to_string(), "bin \"b\"['k'][3], map key 1.5");
        assert!(!item.allows_markers());
        let argument = Place::<&str>::Argument("values");
        assert!(Place::Index(&argument, 0).allows_markers());
        let fault = item.check_depth(0).unwrap_err().to_string();
        assert_eq!(fault, "bin \"b\": nested deeper than 128 levels, or in a cycle");
    }
}
