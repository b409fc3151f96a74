//! Steps of the path to a nested list or map, for [`Operation::ctx`](crate::Operation::ctx),
//! [`Expression::ctx`](crate::Expression::ctx), [`NewIndex::ctx`](crate::NewIndex::ctx) and
//! [`IndexRange::ctx`](crate::IndexRange::ctx).
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
use spikewire_aerospike_protocol::expression::Fault;
use spikewire_aerospike_protocol::value::particle;

use crate::aerospike::encode::{Encode, element};
use crate::aerospike::operation::Order;

/// One step of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    step: Result<context::Step<Vec<u8>>, Fault>,
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
    Step { step: key.map(|key| context::Step::new(Inside::Map, At::Key(key))) }
}

/// Into a map by value: the first that equals it.
pub fn map_value(value: impl Encode) -> Step {
    Step::of_value(Inside::Map, &value)
}

impl Step {
    fn new(inside: Inside, at: At<Vec<u8>>) -> Self {
        Self { step: Ok(context::Step::new(inside, at)) }
    }

    fn of_value(inside: Inside, value: &impl Encode) -> Self {
        let value = element("value", value);
        Self { step: value.map(|(_, value)| context::Step::new(inside, At::Value(value))) }
    }

    /// Creates the list or map that it selects from if that is missing, with this order. For
    /// [`list_index`] and [`map_key`].
    ///
    /// ```
    /// use spikewire::{Order, ctx, op};
    ///
    /// let today = [ctx::map_key("2026").create(Order::Key), ctx::map_key("may").create(Order::Key)];
    /// op::map::increment("visits", "monday", 1).ctx(today);
    /// ```
    #[must_use]
    pub fn create(self, order: Order) -> Self {
        self.change(|step| step.ordered(order.word(), false))
    }

    /// Creates an unordered list if it is missing, and pads it with nil up to the index, which is
    /// counted from the start. For [`list_index`].
    #[must_use]
    pub fn create_padded(self) -> Self {
        self.change(|step| step.ordered("unordered", true))
    }

    /// Stores an index with the container that it creates. On the first step of a path only.
    #[must_use]
    pub fn persist_index(self) -> Self {
        self.change(|step| Ok(context::Step { persist: true, ..step }))
    }

    fn change(
        self,
        change: impl FnOnce(context::Step<Vec<u8>>) -> Result<context::Step<Vec<u8>>, Fault>,
    ) -> Self {
        Self { step: self.step.and_then(change) }
    }
}

/// The steps of a path, or the error of an invalid one.
pub(crate) fn steps(path: &[Step]) -> Result<Vec<context::Step<Vec<u8>>>, Fault> {
    let step = |(at, step): (usize, &Step)| {
        step.step.clone().map_err(|fault| fault.within(&format!("ctx[{at}]")))
    };
    path.iter().enumerate().map(step).collect()
}

/// An encoded path for index definitions and index queries; `None` for an empty one.
pub(crate) fn packed(path: &[Step]) -> crate::Result<Option<Vec<u8>>> {
    let to_error = |fault: Fault| crate::Error::invalid(fault.to_string());
    let steps = steps(path).map_err(to_error)?;
    context::check(&steps).map_err(to_error)?;
    Ok(context::packed(&steps))
}
