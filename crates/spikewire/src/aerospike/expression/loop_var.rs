//! Loop variables: the element that a path is at.
//!
//! ```
//! use spikewire::{ctx, exp, op};
//!
//! let large = exp::loop_var::value().gt(10);
//! op::path::select("scores", [ctx::all_children_where(large)]);
//! ```
//!
//! They have a value in filters of paths, and in the new value of
//! [`op::path::modify`](crate::op::path::modify); anywhere else they are refused. A filter inside
//! another one is about the elements of its own path. A variable of another type than its use needs
//! is unknown.

use spikewire_aerospike_protocol::expression::{Expression as Tree, LoopPart, Type};

use super::{Expression, Form};

fn of(kind: Option<Type>, part: LoopPart) -> Expression {
    Expression(Form::Tree(Tree::loop_var(kind, part)))
}

/// The value of the element.
pub fn value() -> Expression {
    of(None, LoopPart::Value)
}

/// The value of the element, if it is of this type.
pub fn typed_value(kind: Type) -> Expression {
    of(Some(kind), LoopPart::Value)
}

/// The key of the element, in a map.
pub fn key() -> Expression {
    of(None, LoopPart::Key)
}

/// The key of the element, in a map, if it is of this type.
pub fn typed_key(kind: Type) -> Expression {
    of(Some(kind), LoopPart::Key)
}

/// The index of the element, in a list.
pub fn index() -> Expression {
    of(None, LoopPart::Index)
}
