//! Path operations on the wire: an array of a number, the path, flags, and an expression if the
//! elements are modified.

use super::{
    Expression, Fault, LoopPart, Node, PathAction, PathCall, PathOperation, PathReturn, PathStep,
    Type, check_steps,
};
use crate::cdt::context::{self, At};
use crate::cdt::{Step, elements, int, sort_maps};
use crate::msgpack::{self, Reader, Token};

/// Steps that only paths have.
mod kind {
    pub const CHILDREN: u64 = 0x04;
    pub const KEYS_IN: u64 = 0x2a;
    pub const AND: u64 = 0x200 | CHILDREN;
}

/// Create bits of a step; ignored on steps into a list.
const CREATE: i64 = 0xc0;
const IN_LIST: i64 = 0x10;

/// The action, in the low bits of the flags: a [`PathReturn`], or this one.
const APPLY: i64 = 4;
const ACTION: i64 = 0x0f;
/// Flag: elements that a step or expression fails on are skipped.
const NO_FAIL: i64 = 0x10;

/// The expression that removes an element, in place of its new value.
const REMOVE: [u8; 2] = [0x91, 0x64];

impl PathOperation {
    /// The number that marks a path operation, where other operations have theirs.
    pub const NUMBER: i64 = 0xfe;

    /// Whether the value of a message operation is a path operation.
    pub fn is_in(payload: &[u8]) -> bool {
        let mut reader = Reader::new(payload);
        matches!(reader.next(), Ok(Token::Array(1..)))
            && matches!(reader.next(), Ok(Token::Int(Self::NUMBER)))
    }

    /// Appends the value of a message operation, which is also the call in an expression.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let (count, action) = match &self.action {
            PathAction::Select(returns) => (3, *returns as i64),
            PathAction::Modify(_) | PathAction::Remove => (4, APPLY),
        };
        msgpack::array(out, count);
        msgpack::int(out, Self::NUMBER);
        msgpack::array(out, 2 * self.steps.len() as u32);
        for step in &self.steps {
            step.encode(out);
        }
        msgpack::int(out, action | if self.no_fail { NO_FAIL } else { 0 });
        match &self.action {
            PathAction::Select(_) => {}
            PathAction::Modify(value) => out.extend_from_slice(&value.image()),
            PathAction::Remove => out.extend_from_slice(&REMOVE),
        }
    }

    /// Reads the value of a message operation; bytes that follow are ignored.
    pub fn decode(payload: &[u8]) -> Result<Self, Fault> {
        Self::decode_within(payload, crate::expression::DEPTH)
    }

    /// Reads a path operation whose expressions may be nested this deep.
    pub(in crate::expression) fn decode_within(payload: &[u8], depth: u16) -> Result<Self, Fault> {
        let parts = elements(payload)?.unwrap_or_default();
        let [number, path, flags, value @ ..] = parts.as_slice() else { return fail("no path") };
        if int(number) != Some(Self::NUMBER) {
            return fail("no path");
        }
        let steps = steps(path, depth)?;
        check_steps(&steps)?;
        let Some(flags) = int(flags) else { return fail("flags that are no integer") };
        let action = match (flags & ACTION, value) {
            (APPLY, [value]) if *value == REMOVE => PathAction::Remove,
            (APPLY, [value]) => PathAction::Modify(whole(value, depth)?),
            (action, []) => match PathReturn::from_wire(action) {
                Some(returns) => PathAction::Select(returns),
                None => return fail("an unknown action"),
            },
            _ => return fail("a wrong number of arguments"),
        };
        Ok(Self { steps, action, no_fail: flags & NO_FAIL != 0 })
    }

    /// The approximate encoded size in bytes of what is no expression.
    pub(in crate::expression) fn weight(&self) -> usize {
        let size = |step: &PathStep| match step {
            PathStep::At(Step { at: At::Key(packed) | At::Value(packed), .. })
            | PathStep::KeysIn(packed) => packed.len(),
            _ => 0,
        };
        self.steps.iter().map(|step| 8 + size(step)).sum()
    }
}

impl PathStep {
    /// Reads a step from an array of its number and its value: as in a context, or of paths only.
    pub fn decode(bytes: &[u8]) -> Result<Self, Fault> {
        if let Ok([step]) = context::decode(bytes).as_deref() {
            return Ok(Self::At(step.owned()));
        }
        match steps(bytes, crate::expression::DEPTH)?.pop() {
            Some(step) => Ok(step),
            None => fail("a path of no steps"),
        }
    }

    /// Appends the step: its number and its value.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let operand = |packed: &[u8], out: &mut Vec<u8>| {
            let start = out.len();
            out.extend_from_slice(packed);
            sort_maps(out, start);
        };
        match self {
            Self::At(step) => {
                msgpack::uint(out, u64::from(step.kind()));
                match &step.at {
                    At::Index(at) | At::Rank(at) => msgpack::int(out, *at),
                    At::Key(value) | At::Value(value) => operand(value, out),
                }
            }
            Self::KeysIn(keys) => {
                msgpack::uint(out, kind::KEYS_IN);
                operand(keys, out);
            }
            Self::Children(filter) => {
                msgpack::uint(out, kind::CHILDREN);
                write_filter(filter.as_ref(), out);
            }
            Self::And(filter) => {
                msgpack::uint(out, kind::AND);
                write_filter(filter.as_ref(), out);
            }
        }
    }
}

fn write_filter(filter: Option<&Expression>, out: &mut Vec<u8>) {
    match filter {
        Some(filter) => out.extend_from_slice(&filter.image()),
        None => msgpack::boolean(out, true),
    }
}

fn fail<T>(why: &str) -> Result<T, Fault> {
    Err(Fault::of_value(why))
}

fn steps(path: &[u8], depth: u16) -> Result<Vec<PathStep>, Fault> {
    let Some(items) = elements(path)? else { return fail("a path is a list") };
    let pairs = items.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return fail("a step of a path without its value");
    }
    pairs.map(|pair| step(pair[0], pair[1], depth)).collect()
}

fn step(number: &[u8], value: &[u8], depth: u16) -> Result<PathStep, Fault> {
    let number = int(number).and_then(|number| u64::try_from(number).ok());
    Ok(match number {
        Some(kind::CHILDREN) => PathStep::Children(filter(value, depth)?),
        Some(kind::AND) => PathStep::And(filter(value, depth)?),
        Some(kind::KEYS_IN) => PathStep::KeysIn(value.to_vec()),
        Some(number @ 0..=0xff) => {
            let number = number as i64;
            let number = if number & IN_LIST != 0 { number & !CREATE } else { number };
            match context::step(number, value, false) {
                Some(step) if number & CREATE == 0 => PathStep::At(step.owned()),
                _ => return fail("an unknown step of a path, or a useless value"),
            }
        }
        _ => return fail("an unknown step of a path"),
    })
}

/// A filter: true, or an expression.
fn filter(value: &[u8], depth: u16) -> Result<Option<Expression>, Fault> {
    match value {
        [0xc3] => Ok(None),
        [0x91..=0x9f | 0xdc | 0xdd, ..] => whole(value, depth).map(Some),
        _ => fail("a filter is an expression or true"),
    }
}

/// A complete expression of its own.
fn whole(value: &[u8], depth: u16) -> Result<Expression, Fault> {
    let expression = Expression::read(&mut Reader::new(value), depth)?;
    expression.check()?;
    Ok(expression)
}

impl PathCall {
    /// Appends the operation. A malformed one is a path of no steps.
    pub(in crate::expression) fn write_operation(&self, out: &mut Vec<u8>) {
        match &self.operation {
            Some(operation) => operation.encode(out),
            None => out.extend_from_slice(&[0x93, 0xcc, Self::NUMBER, 0x90, 0x00]),
        }
    }

    const NUMBER: u8 = PathOperation::NUMBER as u8;
}

impl Expression {
    /// A loop variable of any type, even one that it never has.
    pub(in crate::expression) fn loop_var_as_sent(
        kind: Option<Type>,
        part: LoopPart,
    ) -> Result<Self, Fault> {
        match (part, kind) {
            (LoopPart::Index, Some(Type::Int)) | (LoopPart::Key | LoopPart::Value, _) => {
                Ok(Self::leaf(Node::Loop(kind, part), kind))
            }
            (LoopPart::Index, _) => fail("the index of an element is an integer"),
        }
    }
}
