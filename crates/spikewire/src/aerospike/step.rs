//! Steps of paths; [`ctx`](super::ctx) has the functions that make them.

use spikewire_aerospike_protocol::cdt::context::{self, At, Inside};
use spikewire_aerospike_protocol::expression::{Fault, PathStep};
use spikewire_aerospike_protocol::operation::context_step;

use super::encode::{Encode, element};
use super::words::Order;

/// One step of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    step: Result<PathStep, Fault>,
}

impl From<Result<PathStep, Fault>> for Step {
    fn from(step: Result<PathStep, Fault>) -> Self {
        Self { step }
    }
}

impl Step {
    pub(super) fn new(inside: Inside, at: At<Vec<u8>>) -> Self {
        Self { step: Ok(PathStep::At(context::Step::new(inside, at))) }
    }

    pub(super) fn of_value(inside: Inside, value: &impl Encode) -> Self {
        let step = |value| PathStep::At(context::Step::new(inside, At::Value(value)));
        Self { step: element("value", value).map(|(_, value)| step(value)) }
    }

    /// Creates the list or map that it selects from if that is missing, with this order. For
    /// [`list_index`](crate::ctx::list_index) and
    /// [`map_key`](crate::ctx::map_key).
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
    /// counted from the start. For [`list_index`](crate::ctx::list_index).
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
        let change = |step| match step {
            PathStep::At(step) => change(step).map(PathStep::At),
            _ => Err(Fault::Value("a step to several elements creates nothing".to_owned())),
        };
        Self { step: self.step.and_then(change) }
    }
}

/// The steps of a path to many elements, or the error of an invalid one.
pub(crate) fn path_steps(path: &[Step]) -> Result<Vec<PathStep>, Fault> {
    let step = |(at, step): (usize, &Step)| {
        step.step.clone().map_err(|fault| fault.within(&format!("path[{at}]")))
    };
    path.iter().enumerate().map(step).collect()
}

fn unusable() -> Fault {
    Fault::Value("a step of paths to several elements only".to_owned())
}

/// The steps of a path, or the error of an invalid one.
pub(crate) fn steps(path: &[Step]) -> Result<Vec<context::Step<Vec<u8>>>, Fault> {
    let step = |(at, step): (usize, &Step)| {
        let step = step.step.clone().and_then(|step| match step {
            PathStep::At(step) => Ok(step),
            several => Err(context_step(&several).err().unwrap_or_else(unusable)),
        });
        step.map_err(|fault| fault.within(&format!("ctx[{at}]")))
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
