//! The path from a bin to a list or map nested in it: a flat list of step types and step values.

use super::call::{Argument, elements, int};
use super::flags;
use crate::expression::Fault;
use crate::msgpack;
use crate::result_code::ResultCode;

/// What kind of container a step looks into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    /// Whichever is there.
    Either,
    /// A list.
    List,
    /// A map.
    Map,
}

/// What a step looks for.
#[derive(Debug, Clone, PartialEq)]
pub enum At<V> {
    /// An index, negative from the end; in a map, of its keys in order.
    Index(i64),
    /// A rank, negative from the largest value.
    Rank(i64),
    /// A key of a map.
    Key(V),
    /// The first element with this value.
    Value(V),
}

/// What a step makes when the container it looks into is missing.
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
    /// The kind of container it looks into.
    pub inside: Inside,
    /// What it looks for.
    pub at: At<V>,
    /// What it makes.
    pub create: Create,
    /// Whether the top container is to keep an index; on the first step only.
    pub persist: bool,
}

const NOT_MADE: &str = "only a list index or a map key can be created";

const LIST: u16 = 0x10;
const MAP: u16 = 0x20;
const PERSIST: u16 = 0x100;

impl<V> Step<V> {
    /// A step that makes nothing.
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

    /// The same step, making what is missing.
    pub fn creating(self, create: Create) -> Self {
        Self { create, ..self }
    }

    /// The same step, making the list or map it looks into where that is missing: in the order of
    /// this name, or a list filled up to the index.
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

    /// Whether it can make what is missing.
    pub fn makes(&self) -> bool {
        matches!((self.inside, &self.at), (Inside::List, At::Index(_)) | (Inside::Map, At::Key(_)))
    }

    /// Whether it fills a list with nil up to its index.
    fn pads(&self) -> bool {
        self.inside == Inside::List && self.create == Create::OrderedOrPadded
    }

    /// Refuses what means nothing: a list is filled up to an index beyond its end, and one that is
    /// counted from the end is never there. (Servers up to 8.1.2 crash when it is before the
    /// start.)
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

    fn kind(&self) -> u16 {
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

/// Refuses a path that means nothing.
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

/// Has the last step of a path make the list or map that it looks into, where it is missing: in
/// this order, or padded.
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

/// Appends a context: the list alone, as it stands in an operation, an index definition or a query.
pub fn encode<V: Argument>(steps: &[Step<V>], out: &mut Vec<u8>) {
    msgpack::array(out, 2 * steps.len() as u32);
    for step in steps {
        msgpack::uint(out, u64::from(step.kind()));
        match &step.at {
            At::Index(at) | At::Rank(at) => msgpack::int(out, *at),
            At::Key(value) | At::Value(value) => value.write(out),
        }
    }
}

/// A path by itself, as expressions, index definitions and index queries carry it; `None` for one
/// without steps.
pub fn packed<V: Argument>(steps: &[Step<V>]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    (!steps.is_empty()).then(|| {
        encode(steps, &mut out);
        out
    })
}

/// Reads a context. The error is the code it is refused with.
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

fn step(kind: i64, value: &[u8], first: bool) -> Option<Step<&[u8]>> {
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
