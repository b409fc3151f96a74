//! Why a column cannot be read as a Rust type.

use std::any::type_name;
use std::borrow::Cow;

use spikewire_cassandra::{Error, Kind};
use spikewire_cql::notation::Malformed;
use spikewire_cql::response::Column;

/// Why a CQL value cannot be read as a Rust type.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unreadable {
    /// The column has another type.
    Kind,
    /// It is null or empty.
    Null,
    /// The value does not fit.
    Range,
    /// Any other reason.
    Invalid(Cow<'static, str>),
    /// The bytes are not a valid value of the column's type.
    Malformed(Malformed),
}

impl From<Malformed> for Unreadable {
    fn from(error: Malformed) -> Self {
        Self::Malformed(error)
    }
}

/// The error for a column that was read as `T`.
#[cold]
pub(crate) fn unreadable<T>(column: &Column, why: &Unreadable) -> Error {
    let (name, ty, host) = (&column.name, &column.ty, short(type_name::<T>()));
    let message = match why {
        Unreadable::Kind => format!("column {name:?} of type {ty} cannot be read as {host}"),
        Unreadable::Null => format!(
            "column {name:?} of type {ty} is null, or has a null inside: read as {host}, which has \
             no null (Option has)"
        ),
        Unreadable::Range => {
            format!("column {name:?} of type {ty} has a value that {host} has no room for")
        }
        Unreadable::Invalid(why) => {
            format!("column {name:?} of type {ty} cannot be read as {host}: {why}")
        }
        Unreadable::Malformed(error) => {
            let message = format!("column {name:?} of type {ty}: {error}");
            return Error::new(Kind::Malformed, message);
        }
    };
    Error::invalid(message)
}

/// The name of a type without its modules.
fn short(name: &str) -> String {
    let mut short = String::with_capacity(name.len());
    let mut word = 0;
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        if c == ':' && rest.peek() == Some(&':') {
            rest.next();
            short.truncate(word);
            continue;
        }
        short.push(c);
        if !c.is_alphanumeric() && c != '_' {
            word = short.len();
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names_are_printed_without_modules() {
        assert_eq!(short("alloc::vec::Vec<alloc::string::String>"), "Vec<String>");
        assert_eq!(short("(i32, core::option::Option<&str>)"), "(i32, Option<&str>)");
    }
}
