//! Path expressions: operations on many elements of a list or map, and the same inside expressions.
//!
//! | module | what it holds |
//! |---|---|
//! | [`walk`] | which elements a step names |
//! | [`select`] | what is returned of them |
//! | [`apply`] | how they are replaced or removed |
//! | [`element`] | an element as filters see it |
//!
//! Ordered lists whose elements change are sorted again, at every level. (Servers up to 8.1.2 end,
//! or store them unsorted, below the top.)

mod apply;
mod element;
mod select;
mod walk;

use std::borrow::Cow;

use spikewire_aerospike_protocol::expression::{PathAction, PathCall, PathReturn, Type};

pub(super) use self::apply::changed;
pub(super) use self::element::Element;
pub(super) use self::select::selected;
pub(super) use self::walk::{Judge, Walk};
use super::Val;
use crate::cdt::item;

/// The value of a path operation inside an expression, on the value `on`. If anything fails, or its
/// type is another one than announced, it is unknown.
pub(super) fn value<'a>(call: &PathCall, on: &Val<'_>, mut judge: Judge<'_>) -> Val<'a> {
    let (Some(operation), Val::Packed(kind, bytes)) = (&call.operation, on) else {
        return Val::Unknown;
    };
    let gives = match operation.action {
        PathAction::Select(PathReturn::Value | PathReturn::Key | PathReturn::KeyValue) => {
            Type::List
        }
        PathAction::Select(PathReturn::Tree) | PathAction::Modify(_) | PathAction::Remove => *kind,
    };
    if call.modifies != operation.modifies()
        || call.result != Some(gives)
        || !judge.program.builds(operation)
        || !judge.budget.spend(bytes.len())
    {
        return Val::Unknown;
    }
    let mut walk = Walk::new(operation, &mut judge);
    let value = match operation.action {
        PathAction::Select(returns) => selected(&mut walk, returns, bytes),
        PathAction::Modify(_) | PathAction::Remove => {
            changed(&mut walk, bytes).map(|changed| changed.unwrap_or_else(|| bytes.to_vec()))
        }
    };
    match value {
        Ok(value) if item::depth(&value) <= item::DEPTH && judge.budget.keep(value.len()) => {
            Val::Packed(gives, Cow::Owned(value))
        }
        _ => Val::Unknown,
    }
}
