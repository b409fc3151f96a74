//! The path from a bin to a nested list or map: an array of alternating step types and values.

use super::call::{Argument, elements, int, operand};
use super::flags;
use crate::fault::Fault;
use crate::msgpack;
use crate::result_code::ResultCode;

/// The kind of container that a step selects from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    /// Either.
    Either,
    /// A list.
    List,
    /// A map.
    Map,
}

/// What a step selects.
#[derive(Debug, Clone, PartialEq)]
pub enum At<V> {
    /// An index, negative from the end; in a map, of its sorted keys.
    Index(i64),
    /// A rank, negative from the largest value.
    Rank(i64),
    /// A key of a map.
    Key(V),
    /// The first element with this value.
    Value(V),
}

/// What a step creates if its container is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Create {
    /// Nothing: the operation fails.
    #[default]
    No,
    /// An unordered list or map.
    Unordered,
    /// A map ordered by key; a list is unordered and filled with nil up to the index.
    OrderedOrPadded,
    /// An ordered list, or a map ordered by key and value.
    FullyOrdered,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct Step<V> {
    /// The kind of container it selects from.
    pub inside: Inside,
    /// What it selects.
    pub at: At<V>,
    /// What it creates.
    pub create: Create,
    /// Whether the top-level container keeps an index; on the first step only.
    pub persist: bool,
}

const NOT_MADE: &str = "only a list index or a map key can be created";

const LIST: u16 = 0x10;
const MAP: u16 = 0x20;
const PERSIST: u16 = 0x100;

impl<V> Step<V> {
    /// A step that creates nothing.
    pub fn new(inside: Inside, at: At<V>) -> Self {
        Self { inside, at, create: Create::No, persist: false }
    }

    /// The element of a list at an index.
    pub fn list_index(index: i64) -> Self {
        Self::new(Inside::List, At::Index(index))
    }

    /// The value of a map at a key.
    pub fn map_key(key: V) -> Self {
        Self::new(Inside::Map, At::Key(key))
    }

    /// The same step, creating its container if missing.
    pub fn creating(self, create: Create) -> Self {
        Self { create, ..self }
    }

    /// The same step, creating the list or map it selects from if that is missing: with the named
    /// order, or as a list padded up to the index.
    pub fn ordered(self, order: &str, pad: bool) -> Result<Self, Fault> {
        let create = match (self.inside, order, pad) {
            (_, "unordered", false) => Create::Unordered,
            (Inside::List, "unordered", true) | (Inside::Map, "key", false) => {
                Create::OrderedOrPadded
            }
            (Inside::List, "ordered", false) | (Inside::Map, "key_value", false) => {
                Create::FullyOrdered
            }
            (Inside::List, "ordered", true) => {
                return Err(Fault::of_value("an ordered list cannot be padded"));
            }
            (Inside::List, ..) => {
                let why = format!("order must be 'unordered' or 'ordered', got {order:?}");
                return Err(Fault::of_value(why));
            }
            (_, _, true) => return Err(Fault::of_value("only a list can be padded")),
            _ => {
                return Err(Fault::of_value(format!(
                    "order must be 'unordered', 'key' or 'key_value', got {order:?}"
                )));
            }
        };
        Ok(self.creating(create))
    }

    /// Whether it creates a missing container.
    pub fn makes(&self) -> bool {
        matches!((self.inside, &self.at), (Inside::List, At::Index(_)) | (Inside::Map, At::Key(_)))
    }

    /// Whether it pads a list with nil up to its index.
    fn pads(&self) -> bool {
        self.inside == Inside::List && self.create == Create::OrderedOrPadded
    }

    /// Rejects invalid combinations: padding applies to an index beyond the end, which a negative
    /// index never is. (Servers up to 8.1.2 crash if a negative index is before the start.)
    pub fn check(&self) -> Result<(), Fault> {
        if self.create != Create::No && !self.makes() {
            return Err(Fault::of_value(NOT_MADE));
        }
        match self.at {
            At::Index(index) if index < 0 && self.pads() => Err(Fault::of_value(format!(
                "index must be 0 or more where the list is padded, got {index}"
            ))),
            _ => Ok(()),
        }
    }

    pub(crate) fn kind(&self) -> u16 {
        let inside = match self.inside {
            Inside::Either => 0,
            Inside::List => LIST,
            Inside::Map => MAP,
        };
        let at = match self.at {
            At::Index(_) => 0,
            At::Rank(_) => 1,
            At::Key(_) => 2,
            At::Value(_) => 3,
        };
        inside | at | (self.create as u16) << 6 | if self.persist { PERSIST } else { 0 }
    }
}

impl Step<Vec<u8>> {
    /// The same step, its value borrowed.
    pub fn borrowed(&self) -> Step<&[u8]> {
        let at = match &self.at {
            At::Index(index) => At::Index(*index),
            At::Rank(rank) => At::Rank(*rank),
            At::Key(key) => At::Key(key.as_slice()),
            At::Value(value) => At::Value(value.as_slice()),
        };
        Step { inside: self.inside, at, create: self.create, persist: self.persist }
    }
}

impl Step<&[u8]> {
    /// The same step with a value of its own.
    pub fn owned(&self) -> Step<Vec<u8>> {
        let at = match self.at {
            At::Index(index) => At::Index(index),
            At::Rank(rank) => At::Rank(rank),
            At::Key(key) => At::Key(key.to_vec()),
            At::Value(value) => At::Value(value.to_vec()),
        };
        Step { inside: self.inside, at, create: self.create, persist: self.persist }
    }
}

/// Rejects invalid paths.
pub fn check<V>(steps: &[Step<V>]) -> Result<(), Fault> {
    steps.iter().enumerate().try_for_each(|(at, step)| {
        if at > 0 && step.persist {
            return Err(Fault::of_value(format!(
                "ctx[{at}]: only a first step persists its index"
            )));
        }
        step.check().map_err(|fault| fault.within(&format!("ctx[{at}]")))
    })
}

/// Makes the last step of a path create its list or map if missing, with this order or padded.
pub fn create_last<V>(steps: &mut [Step<V>], order: i64, pad: bool) -> Result<(), Fault> {
    let Some(last) = steps.last_mut() else { return Ok(()) };
    if !last.makes() {
        let at = steps.len() - 1;
        return Err(Fault::of_value(NOT_MADE).within(&format!("ctx[{at}]")));
    }
    if last.create == Create::No {
        let ordered = order & i64::from(flags::ORDERED) != 0;
        let by_value = order & i64::from(flags::VALUE_ORDERED) != 0;
        last.create = match last.inside {
            Inside::List if pad => Create::OrderedOrPadded,
            Inside::List if ordered => Create::FullyOrdered,
            _ if by_value => Create::FullyOrdered,
            _ if ordered => Create::OrderedOrPadded,
            _ => Create::Unordered,
        };
    }
    check(steps)
}

/// Appends a context: just the array, as used in operations, index definitions and queries.
pub fn encode<V: Argument>(steps: &[Step<V>], out: &mut Vec<u8>) {
    write(steps, operand, out);
}

/// Whether a context is in its shortest form, as servers require of index definitions. They take
/// the maps in it in any order.
pub fn is_shortest(bytes: &[u8]) -> Result<bool, ResultCode> {
    let steps = decode(bytes)?;
    let mut again = Vec::with_capacity(bytes.len());
    write(&steps, Argument::write, &mut again);
    Ok(again == bytes)
}

fn write<V>(steps: &[Step<V>], append: impl Fn(&V, &mut Vec<u8>), out: &mut Vec<u8>) {
    msgpack::array(out, 2 * steps.len() as u32);
    for step in steps {
        msgpack::uint(out, u64::from(step.kind()));
        match &step.at {
            At::Index(at) | At::Rank(at) => msgpack::int(out, *at),
            At::Key(value) | At::Value(value) => append(value, out),
        }
    }
}

/// An encoded path for expressions, index definitions and index queries; `None` for an empty one.
pub fn packed<V: Argument>(steps: &[Step<V>]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    (!steps.is_empty()).then(|| {
        encode(steps, &mut out);
        out
    })
}

/// Reads a context. The error is the result code of the rejection.
pub fn decode(bytes: &[u8]) -> Result<Vec<Step<&[u8]>>, ResultCode> {
    let items = elements(bytes).ok().flatten().ok_or(ResultCode::PARAMETER)?;
    if items.is_empty() || items.len() % 2 != 0 {
        return Err(ResultCode::PARAMETER);
    }
    let kinds: Option<Vec<i64>> = items.iter().step_by(2).map(|kind| int(kind)).collect();
    let kinds = kinds.ok_or(ResultCode::PARAMETER)?;
    let values = items.iter().skip(1).step_by(2);
    let steps = kinds.into_iter().zip(values).enumerate();
    let steps = steps.map(|(at, (kind, value))| step(kind, value, at == 0));
    steps.collect::<Option<_>>().ok_or(ResultCode::OP_NOT_APPLICABLE)
}

pub(crate) fn step(kind: i64, value: &[u8], first: bool) -> Option<Step<&[u8]>> {
    let kind = u16::try_from(kind).ok()?;
    let create = match kind & 0xc0 {
        0 => Create::No,
        0x40 => Create::Unordered,
        0x80 => Create::OrderedOrPadded,
        _ => Create::FullyOrdered,
    };
    let persist = kind & PERSIST != 0;
    let inside = match kind & 0x30 {
        0 => Inside::Either,
        LIST => Inside::List,
        MAP => Inside::Map,
        _ => return None,
    };
    let at = match kind & 0x0f {
        0 => At::Index(int(value)?),
        1 => At::Rank(int(value)?),
        2 if inside != Inside::List => At::Key(value),
        3 => At::Value(value),
        _ => return None,
    };
    let known = kind & !(0x1ff) == 0;
    let auto_creates = inside == Inside::Either && create != Create::No;
    (known && !auto_creates && (first || !persist)).then_some(Step { inside, at, create, persist })
}
