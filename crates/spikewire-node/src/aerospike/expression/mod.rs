//! Expressions, validated when they are created.
//!
//! | module | what it holds |
//! |---|---|
//! | here | conversion of operands, names of types |
//! | [`make`] | expressions of each form |
//! | [`filter`] | filters and operations from expressions and text |
//! | [`path`] | path operations, filters of paths, loop variables |
//! | [`cache`] | a cache of recently created expressions |

mod cache;
mod filter;
pub mod make;
pub mod path;

use spikewire_aerospike_protocol::expression::{Expression as Tree, Type};
use spikewire_aerospike_protocol::value::Value as Constant;

pub use self::filter::{filter, operation_bytes, plain_bytes, query_filter};
use crate::aerospike::calls::encoded::Form;
use crate::aerospike::value::{Place, encode};
use crate::arguments::text;
use crate::hooks::Hooks;
use crate::js::{Env, Failure, Result, Value};

/// The encoded bytes for the class `Expression`.
fn wrap<'e>(env: Env<'e>, tree: &Tree) -> Result<Value<'e>> {
    let image = tree.image();
    let wrapped = Form::Expression.wrap(env, &image)?;
    cache::keep(image, tree);
    Ok(wrapped)
}

/// The expression in an object of the class; `None` for other values.
fn unwrap(value: Value<'_>) -> Result<Option<Tree>> {
    let Some(image) = Form::Expression.unwrap(value)? else { return Ok(None) };
    cache::tree(image).map(Some)
}

/// An expression, or a constant for any other value; `name` is used in messages.
fn operand(hooks: &Hooks, name: &str, value: Value<'_>) -> Result<Tree> {
    if let Some(tree) = unwrap(value)? {
        return Ok(tree);
    }
    let mut bytes = Vec::new();
    let of = encode(hooks, &mut bytes, value, &Place::Operand(name))?;
    let constant = Constant::decode(of, &bytes).map_err(|why| Failure::of_type(why.to_string()));
    let constant = constant.map_err(|failure| failure.about(name))?;
    Tree::try_from(&constant).map_err(|fault| Failure::from(fault).about(name))
}

/// Types by their names in JavaScript.
const KINDS: [(&str, Type); 9] = [
    ("int", Type::Int),
    ("float", Type::Float),
    ("string", Type::Str),
    ("bool", Type::Bool),
    ("blob", Type::Blob),
    ("list", Type::List),
    ("map", Type::Map),
    ("geo", Type::Geo),
    ("hll", Type::Hll),
];

/// The type with this name.
fn kind_of(value: Value<'_>) -> Result<Type> {
    let name = text("kind", value)?;
    let known = KINDS.iter().find(|(known, _)| *known == name);
    known.map(|(_, kind)| *kind).ok_or_else(|| {
        Failure::of_range(format!(
            "kind must be 'int', 'float', 'string', 'bool', 'blob', 'list', 'map', 'geo' or 'hll', \
             got {name:?}"
        ))
    })
}

/// The name of a type.
fn name_of(kind: Type) -> &'static str {
    KINDS.iter().find(|(_, known)| *known == kind).map_or("nil", |(name, _)| name)
}
