//! Path operations, on many elements of nested lists and maps at once.
//!
//! ```
//! use spikewire::{Returning, ctx, op};
//!
//! let cheap = || [ctx::all_children_where("@.price < 10")];
//! op::path::select("books", cheap()).returning(Returning::Tree);
//! op::path::modify("books", [ctx::all_children(), ctx::map_key("price")], "@ * 1.1");
//! op::path::remove("books", cheap());
//! ```
//!
//! A path has 1 to 64 steps of [`ctx`](crate::ctx), from the bin inward, of which each names one
//! element, several, or all. Steps that lead nowhere name no element; those that create something
//! are refused. A step into a list where there is a map, or the reverse, fails with
//! `PARAMETER`, and so does a filter whose value is unknown for an element. A bin that is neither
//! list nor map fails with `BIN_TYPE`, an element whose new value is unknown with `SERVER`; nothing
//! is changed then. [`no_fail`](crate::Operation::no_fail) skips such elements, but steps into the
//! wrong container fail nevertheless. Changed lists and maps keep their order.
//!
//! For servers from 8.1.1.

use super::Operation;
use crate::aerospike::calls::PathCall;
use crate::aerospike::expression::Expression;
use crate::aerospike::step::Step;

/// Returns the elements at the end of a path.
///
/// Options: [`returning`](Operation::returning), [`Value`](crate::Returning::Value) by default, or
/// [`Key`](crate::Returning::Key), [`KeyValue`](crate::Returning::KeyValue) and
/// [`Tree`](crate::Returning::Tree); [`no_fail`](Operation::no_fail).
pub fn select(bin: impl Into<String>, path: impl IntoIterator<Item = Step>) -> Operation {
    Operation::along(bin.into(), PathCall::new("select", path))
}

/// Replaces each element at the end of a path by the value of an expression about it: in a text the
/// element is `@`, its key `@key`, its index `@index`.
///
/// Option: [`no_fail`](Operation::no_fail).
pub fn modify(
    bin: impl Into<String>,
    path: impl IntoIterator<Item = Step>,
    value: impl Into<Expression>,
) -> Operation {
    let call = PathCall::new("modify", path);
    Operation::along(bin.into(), call.with_value(value.into().element_value()))
}

/// Removes the elements at the end of a path.
///
/// Option: [`no_fail`](Operation::no_fail).
pub fn remove(bin: impl Into<String>, path: impl IntoIterator<Item = Step>) -> Operation {
    Operation::along(bin.into(), PathCall::new("remove", path))
}
