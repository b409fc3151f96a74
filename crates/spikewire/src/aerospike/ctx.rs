//! Steps of the path to a nested list or map, for [`Operation::ctx`](crate::Operation::ctx),
//! [`Expression::ctx`](crate::Expression::ctx), [`NewIndex::ctx`](crate::NewIndex::ctx) and
//! [`IndexRange::ctx`](crate::IndexRange::ctx).
//!
//! [`all_children`], [`all_children_where`], [`map_keys_in`] and [`and_where`] name several elements.
//! They are for the paths of [`op::path`](crate::op::path) and [`exp::path`](crate::exp::path), in
//! which steps by value name all equal elements, too.
//!
//! A path starts at the bin. If a step finds nothing, the operation fails, unless the step
//! [creates](Step::create) what is missing.
//!
//! ```
//! use spikewire::{ctx, op};
//!
//! // The list at key "tags" of the first map in the list "items".
//! op::list::append("items", "new").ctx([ctx::list_index(0), ctx::map_key("tags")]);
//! ```

use spikewire_aerospike_protocol::cdt::context::{self, At, Inside};
use spikewire_aerospike_protocol::expression::{Fault, PathStep};
use spikewire_aerospike_protocol::value::{Value, particle};

use crate::aerospike::encode::{Encode, element};
use crate::aerospike::expression::Expression;
pub use crate::aerospike::step::Step;

/// Into all elements of a list or map. For the paths of [`op::path`](crate::op::path) and
/// [`exp::path`](crate::exp::path).
pub fn all_children() -> Step {
    Step::from(Ok(PathStep::Children(None)))
}

/// Into those elements of a list or map for which a filter is true. In a text the element is `@`,
/// its key `@key`, its index `@index`; in [`exp`](crate::exp) they are those of
/// [`exp::loop_var`](crate::exp::loop_var). For paths.
///
/// ```
/// use spikewire::{ctx, op};
///
/// op::path::select("books", [ctx::all_children_where("@.price < 10"), ctx::map_key("title")]);
/// ```
pub fn all_children_where(filter: impl Into<Expression>) -> Step {
    Step::from(filter.into().element_filter().and_then(PathStep::children_where))
}

/// Only those elements that the step before names for which a filter is true. It cannot follow
/// [`all_children`], or another filter. For paths, on servers from 8.1.2.
pub fn and_where(filter: impl Into<Expression>) -> Step {
    Step::from(filter.into().element_filter().and_then(PathStep::and_where))
}

/// Into the values of a map at these keys, in the order of the map; keys that are not there count
/// for nothing. For paths, on servers from 8.1.2.
pub fn map_keys_in<I: IntoIterator<Item: Into<Value>>>(keys: I) -> Step {
    let keys: Vec<Value> = keys.into_iter().map(Into::into).collect();
    Step::from(element("keys", &keys).map(|(_, packed)| PathStep::KeysIn(packed)))
}

/// Into a list or map by index; negative from the end. For reads.
pub fn index(index: i64) -> Step {
    Step::new(Inside::Either, At::Index(index))
}

/// Into a list or map by rank: 0 is the smallest value, -1 the largest. For reads.
pub fn rank(rank: i64) -> Step {
    Step::new(Inside::Either, At::Rank(rank))
}

/// Into a list or map by value: the first that equals it. For reads.
pub fn value(value: impl Encode) -> Step {
    Step::of_value(Inside::Either, &value)
}

/// Into a list by index; negative from the end.
pub fn list_index(index: i64) -> Step {
    Step::new(Inside::List, At::Index(index))
}

/// Into a list by rank: 0 is the smallest element, -1 the largest.
pub fn list_rank(rank: i64) -> Step {
    Step::new(Inside::List, At::Rank(rank))
}

/// Into a list by value: the first element that equals it.
pub fn list_value(value: impl Encode) -> Step {
    Step::of_value(Inside::List, &value)
}

/// Into a map by the index of its keys in order; negative from the end.
pub fn map_index(index: i64) -> Step {
    Step::new(Inside::Map, At::Index(index))
}

/// Into a map by the rank of its values: 0 is the smallest, -1 the largest.
pub fn map_rank(rank: i64) -> Step {
    Step::new(Inside::Map, At::Rank(rank))
}

/// Into a map by key: a string, an integer or bytes.
pub fn map_key(key: impl Encode) -> Step {
    let key = element("key", &key).and_then(|(of, packed)| match of {
        particle::INTEGER | particle::STRING | particle::BLOB => Ok(packed),
        other => Err(Fault::Type(format!(
            "a map key must be an integer, a string or bytes, not {}",
            particle::name(other)
        ))),
    });
    Step::from(key.map(|key| PathStep::At(context::Step::new(Inside::Map, At::Key(key)))))
}

/// Into a map by value: the first that equals it.
pub fn map_value(value: impl Encode) -> Step {
    Step::of_value(Inside::Map, &value)
}
