//! Calls of list, map, bit and sketch operations, in `operate` and in expressions.
//!
//! | module | contents |
//! |---|---|
//! | [`call`] | the arguments of an operation, and their encoding |
//! | [`options`] | their options |

mod call;
mod options;

pub(crate) use self::call::{Argument, Call};
pub(crate) use self::options::options;
pub(crate) use super::words::{Order, Overflow, Returning};
