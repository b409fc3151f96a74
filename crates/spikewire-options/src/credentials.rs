//! A user and a password.

use crate::{InvalidArgument, Secret};

/// The user and the password to log in with, if any. Rejects one without the other.
pub fn check_credentials<'a>(
    user: Option<&'a str>,
    password: Option<&'a Secret>,
) -> Result<Option<(&'a str, &'a str)>, InvalidArgument> {
    let (user, password) = match (user, password) {
        (Some(user), Some(password)) => (user, password.reveal()),
        (None, None) => return Ok(None),
        _ => return Err(InvalidArgument::of_value("user and password go together")),
    };
    if user.is_empty() {
        return Err(InvalidArgument::of_value("user must not be empty"));
    }
    if user.contains('\0') || password.contains('\0') {
        let message = "user and password must not hold a zero character";
        return Err(InvalidArgument::of_value(message));
    }
    Ok(Some((user, password)))
}
