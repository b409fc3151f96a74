//! Paths to many elements inside expressions.
//!
//! ```
//! use spikewire::{ctx, exp};
//!
//! let books = exp::typed_bin("books", exp::Type::List);
//! let cheap = exp::path::select(books, [ctx::all_children_where("@.price < 10")]);
//! exp::list::size(cheap).gt(0);
//! ```
//!
//! The first argument is a list or map; where the first step of the path does not say which, it must
//! have a type. Functions that modify return the modified list or map; nothing is written. Paths and
//! options are those of [`op::path`](crate::op::path). Whatever fails makes the whole expression
//! unknown.

use super::Expression;
use super::operand::Operand;
use crate::aerospike::calls::PathCall;
use crate::aerospike::step::Step;

/// The elements at the end of a path: a list, or, with [`Tree`](crate::Returning::Tree), a list or
/// map like `on`.
pub fn select(on: impl Operand, path: impl IntoIterator<Item = Step>) -> Expression {
    Expression::along(on, PathCall::new("select", path))
}

/// The list or map with each element at the end of a path replaced by the value of an expression
/// about it.
pub fn modify(
    on: impl Operand,
    path: impl IntoIterator<Item = Step>,
    value: impl Into<Expression>,
) -> Expression {
    let call = PathCall::new("modify", path);
    Expression::along(on, call.with_value(value.into().element_value()))
}

/// The list or map without the elements at the end of a path.
pub fn remove(on: impl Operand, path: impl IntoIterator<Item = Step>) -> Expression {
    Expression::along(on, PathCall::new("remove", path))
}
