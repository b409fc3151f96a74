//! Errors of arguments.

use std::io;

/// An error for an invalid argument.
pub(crate) fn invalid(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, text)
}
