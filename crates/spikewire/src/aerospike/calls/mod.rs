//! Calls of list, map, bit and sketch operations, in `operate` and in expressions.
//!
//! | module | contents |
//! |---|---|
//! | [`call`] | the arguments of an operation, and their encoding |
//! | [`options`] | their options |
//! | [`path`] | path operations |

mod call;
mod options;
mod path;

pub(crate) use self::call::{Argument, Call};
pub(crate) use self::options::options;
pub(crate) use self::path::PathCall;
pub(crate) use super::words::{Order, Overflow, Returning};
