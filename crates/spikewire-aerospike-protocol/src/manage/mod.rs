//! Security frames that manage users and roles.
//!
//! | module | what it holds |
//! |---|---|
//! | here | numbers of commands and fields, and lists inside of fields |
//! | [`privilege`] | what a role grants |
//! | [`request`] | what a client asks for |
//! | [`page`] | users and roles, as a server lists them |
//!
//! The reply to a change is an [`auth::Reply`](crate::auth::Reply), that to a query a list of
//! [`Page`]s.

pub mod page;
pub mod privilege;
pub mod request;

pub use page::{Page, RoleRow, Row, UserRow};
pub use privilege::{Privilege, PrivilegeKind};
pub use request::{Hash, Request};

use crate::Malformed;

/// Commands.
pub mod command {
    /// Create a user.
    pub const CREATE_USER: u8 = 1;
    /// Drop a user.
    pub const DROP_USER: u8 = 2;
    /// Set a password, as a user administrator.
    pub const SET_PASSWORD: u8 = 3;
    /// Change one's own password.
    pub const CHANGE_PASSWORD: u8 = 4;
    /// Grant roles to a user.
    pub const GRANT_ROLES: u8 = 5;
    /// Revoke roles from a user.
    pub const REVOKE_ROLES: u8 = 6;
    /// List one user, or all.
    pub const QUERY_USERS: u8 = 9;
    /// Create a role.
    pub const CREATE_ROLE: u8 = 10;
    /// Drop a role.
    pub const DROP_ROLE: u8 = 11;
    /// Grant privileges to a role.
    pub const GRANT_PRIVILEGES: u8 = 12;
    /// Revoke privileges from a role.
    pub const REVOKE_PRIVILEGES: u8 = 13;
    /// Set the addresses from which a role's users may connect.
    pub const SET_WHITELIST: u8 = 14;
    /// Set the quotas of a role's users.
    pub const SET_QUOTAS: u8 = 15;
    /// List one role, or all.
    pub const QUERY_ROLES: u8 = 16;
}

/// Field ids, in addition to those of [`auth`](crate::auth::field).
pub mod field {
    /// Hash of a new password.
    pub const PASSWORD: u8 = 1;
    /// Hash of the old password.
    pub const OLD_PASSWORD: u8 = 2;
    /// Names of roles.
    pub const ROLES: u8 = 10;
    /// Name of a role.
    pub const ROLE: u8 = 11;
    /// Privileges.
    pub const PRIVILEGES: u8 = 12;
    /// Addresses, separated by commas.
    pub const WHITELIST: u8 = 13;
    /// Records per second, u32; 0: no limit.
    pub const READ_QUOTA: u8 = 14;
    /// The same for writing.
    pub const WRITE_QUOTA: u8 = 15;
    /// Read statistics.
    pub const READ_INFO: u8 = 16;
    /// Write statistics.
    pub const WRITE_INFO: u8 = 17;
    /// Open connections, u32.
    pub const CONNECTIONS: u8 = 18;
}

/// Maximum number of a user's roles, and of a role's privileges, in one message.
pub const MOST: usize = u8::MAX as usize;

/// Decodes the contents of a field.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    const fn new(data: &'a [u8]) -> Self {
        Self { rest: data }
    }

    fn byte(&mut self) -> Result<u8, Malformed> {
        let (first, rest) = self.rest.split_first().ok_or_else(cut)?;
        self.rest = rest;
        Ok(*first)
    }

    /// A string preceded by a length byte.
    fn text(&mut self) -> Result<String, Malformed> {
        let len = usize::from(self.byte()?);
        let (text, rest) = self.rest.split_at_checked(len).ok_or_else(cut)?;
        self.rest = rest;
        utf8(text)
    }

    fn number(&mut self) -> Result<u32, Malformed> {
        let (number, rest) = self.rest.split_first_chunk().ok_or_else(cut)?;
        self.rest = rest;
        Ok(u32::from_be_bytes(*number))
    }

    /// A list preceded by a count byte.
    fn list<T>(
        data: &'a [u8],
        mut one: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let mut reader = Self::new(data);
        let count = reader.byte()?;
        (0..count).map(|_| one(&mut reader)).collect()
    }
}

fn cut() -> Malformed {
    malformed(Malformed::CUT)
}

fn malformed(why: &'static str) -> Malformed {
    Malformed::new("security message", why)
}

fn utf8(text: &[u8]) -> Result<String, Malformed> {
    let text = std::str::from_utf8(text).map_err(|_| malformed("a name is not valid UTF-8"))?;
    Ok(text.to_owned())
}

/// A field with a single number.
fn number(data: &[u8]) -> Result<u32, Malformed> {
    data.try_into().map(u32::from_be_bytes).map_err(|_| malformed("a number is not 4 bytes"))
}

/// Appends a string preceded by a length byte; the caller guarantees that the length fits.
fn write_text(out: &mut Vec<u8>, text: &str) {
    debug_assert!(text.len() <= MOST, "longer than a byte can say");
    out.push(text.len() as u8);
    out.extend_from_slice(text.as_bytes());
}

/// Encodes a list preceded by a count byte; the caller guarantees that the count fits.
fn list<T>(items: &[T], mut write: impl FnMut(&mut Vec<u8>, &T)) -> Vec<u8> {
    debug_assert!(items.len() <= MOST, "more than a byte can say");
    let mut out = vec![items.len() as u8];
    for item in items {
        write(&mut out, item);
    }
    out
}

fn texts(names: &[String]) -> Vec<u8> {
    list(names, |out, name| write_text(out, name))
}

fn numbers(numbers: &[u32]) -> Vec<u8> {
    list(numbers, |out, number| out.extend_from_slice(&number.to_be_bytes()))
}

/// The addresses in a field; an empty field is an empty list.
fn addresses(data: &[u8]) -> Result<Vec<String>, Malformed> {
    let text = utf8(data)?;
    Ok(text.split(',').filter(|address| !address.is_empty()).map(str::to_owned).collect())
}
