//! What the bytes of a request need.

use std::fmt;

use super::hazards::row;
use super::{Features, NESTING};
use crate::Malformed;
use crate::cdt::take;
use crate::expression::DEPTH;
use crate::message::{Op, op, ops_in};
use crate::msgpack::{self, Reader, Token};
use crate::particle;

/// Wraps an operation on lists and maps together with the path to its container.
const WRAPPED: i64 = 0xff;
/// Selects by a path.
const SELECT: i64 = 0xfe;
/// List operation: joins strings.
const JOIN: i64 = 28;
/// Bit operation: base64.
const BASE64: i64 = 55;

/// What stands for expressions on the wire.
mod node {
    pub const IN: i64 = 9;
    pub const DIVIDE: i64 = 23;
    pub const REMAINDER: i64 = 26;
    pub const TO_STRING: i64 = 99;
    pub const REMOVE: i64 = 100;
    pub const MAP_KEYS: i64 = 101;
    pub const MAP_VALUES: i64 = 102;
    pub const LOOP_VAR: i64 = 122;
    pub const COND: i64 = 123;
    pub const LET: i64 = 125;
    pub const QUOTE: i64 = 126;
    pub const CALL: i64 = 127;
    pub const TEXT: i64 = 128;
}

/// Systems of calls in expressions.
mod system {
    pub const CDT: i64 = 0;
    pub const BITS: i64 = 1;
    pub const STRINGS: i64 = 3;
    /// The call modifies.
    pub const MODIFIES: i64 = 0x40;
}

/// Types of the steps of a path.
mod step {
    pub const CHILDREN: i64 = 4;
    pub const KEYS: i64 = 0x2a;
    pub const FILTER: i64 = 0x204;
    /// A value in whatever is there.
    pub const VALUE: i64 = 3;
    pub const LIST_INDEX: i64 = 0x10;
    pub const LIST_VALUE: i64 = 0x13;
    pub const MAP_INDEX: i64 = 0x20;
    pub const MAP_RANK: i64 = 0x21;
    pub const MAP_VALUE: i64 = 0x23;
    /// An index of a list that is padded up to it.
    pub const PADDED: i64 = 0x90;
}

/// In the flags of a path: what it names is changed.
const APPLY: i64 = 4;

/// Levels that an operation on a list or map adds to those of its arguments: itself, and the array
/// that it shares with the path to its container.
const CALL_LEVELS: usize = 2;

/// Levels that a function adds to those of its arguments: their list.
const ARGUMENT_LEVELS: usize = 1;

/// What an operation of a message needs.
#[inline]
pub fn of_operation(code: u8, value: &[u8]) -> Features {
    match code {
        op::STRING_READ | op::STRING_MODIFY | op::TO_STRING => Features::STRINGS,
        op::CDT_READ | op::CDT_MODIFY => {
            of_container_call(value) | of_nesting(value, NESTING + CALL_LEVELS)
        }
        op::BITS_READ if number(value) == Some(BASE64) => Features::STRINGS,
        op::EXP_READ | op::EXP_MODIFY => of_expression_operation(value),
        _ => Features::NONE,
    }
}

/// What encoded operations of a message need.
pub fn of_operations(ops: &[u8]) -> Features {
    ops_in(ops).fold(Features::NONE, |all, op| {
        all | of_operation(op.code, op.value) | of_particle(op.code, op.particle, op.value)
    })
}

/// What the value of an operation that stores it needs.
#[inline]
pub fn of_particle(code: u8, kind: u8, value: &[u8]) -> Features {
    match (code, kind) {
        (op::WRITE, particle::LIST) if has_index_only(value) => {
            Features::withstanding(row::LIST_WITH_INDEX_ONLY) | of_nesting(value, NESTING)
        }
        (op::WRITE, particle::LIST | particle::MAP) => of_nesting(value, NESTING),
        _ => Features::NONE,
    }
}

/// Whether a list has the flag of a stored index, and no order.
fn has_index_only(list: &[u8]) -> bool {
    let mut reader = Reader::new(list);
    let is_list = matches!(reader.next(), Ok(Token::Array(_)));
    is_list && reader.flags() == Some(crate::cdt::flags::PERSIST_INDEX)
}

/// Whether lists and maps are nested deeper than this. Values that are short, or have few lists and
/// maps, are not walked through.
fn is_deep(value: &[u8], levels: usize) -> bool {
    let begins = |byte: &&u8| matches!(**byte, 0x80..=0x9f | 0xdc..=0xdf);
    value.len() > levels
        && value.iter().filter(begins).count() > levels
        && !msgpack::is_nested_within(value, levels)
}

fn of_nesting(value: &[u8], levels: usize) -> Features {
    if is_deep(value, levels) { Features::DEEP_NESTING } else { Features::NONE }
}

/// What the arguments of a function need, a packed list.
pub fn of_arguments(arguments: &[u8]) -> Features {
    of_nesting(arguments, NESTING + ARGUMENT_LEVELS)
}

/// Where in a request a value is nested too deep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeepPlace<'a> {
    /// The value of an operation on this bin.
    Bin(&'a str),
    /// An argument of a function.
    Arguments,
}

impl fmt::Display for DeepPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bin(name) => write!(f, "bin {name:?}"),
            Self::Arguments => f.write_str("arguments of the function"),
        }
    }
}

/// The first value that is nested too deep for servers from 8.2 on, among the arguments of a
/// function and the operations of a request.
pub fn deep_place<'a>(
    arguments: Option<&[u8]>,
    ops: impl IntoIterator<Item = Op<'a>>,
) -> Option<DeepPlace<'a>> {
    if arguments.is_some_and(|list| !of_arguments(list).is_empty()) {
        return Some(DeepPlace::Arguments);
    }
    let deep = ops.into_iter().find(|op| {
        let needs = of_operation(op.code, op.value) | of_particle(op.code, op.particle, op.value);
        needs.has(Features::DEEP_NESTING)
    });
    deep.and_then(|op| std::str::from_utf8(op.name).ok()).map(DeepPlace::Bin)
}

/// What an encoded expression needs. Nothing, if it is malformed: servers reject it anyway.
pub fn of_expression(bytes: &[u8]) -> Features {
    let mut walk = Walk { reader: Reader::new(bytes), needs: Features::NONE };
    let _ = walk.expression(DEPTH);
    walk.needs
}

/// The number of an operation inside a bin.
fn number(value: &[u8]) -> Option<i64> {
    let mut reader = Reader::new(value);
    match (reader.next(), reader.next()) {
        (Ok(Token::Array(_)), Ok(Token::Int(number))) => Some(number),
        _ => None,
    }
}

#[inline]
fn of_container_call(value: &[u8]) -> Features {
    match value {
        // All operations on the bin itself that every server has.
        [0x91..=0x9f, number, ..] if *number < 0x80 && i64::from(*number) != JOIN => Features::NONE,
        _ => of_other_call(value),
    }
}

#[cold]
fn of_other_call(value: &[u8]) -> Features {
    let mut walk = Walk { reader: Reader::new(value), needs: Features::NONE };
    let _ = walk.call(system::CDT, Within::Operation, DEPTH);
    walk.needs
}

fn of_expression_operation(value: &[u8]) -> Features {
    let mut walk = Walk { reader: Reader::new(value), needs: Features::NONE };
    if let Ok(Token::Array(1..)) = walk.reader.next() {
        let _ = walk.expression(DEPTH);
    }
    walk.needs
}

/// Walks through an expression and collects what it needs.
struct Walk<'a> {
    reader: Reader<'a>,
    needs: Features,
}

/// What a call is part of.
#[derive(Debug, Clone, Copy)]
enum Within {
    /// A message: its arguments are values.
    Operation,
    /// An expression: those of its arguments that are lists are expressions.
    Expression,
}

type Walked = Result<(), Malformed>;

const ODD: Malformed = Malformed::new("expression", "not of a known form");

impl Walk<'_> {
    fn expression(&mut self, depth: u16) -> Walked {
        let depth = depth.checked_sub(1).ok_or(ODD)?;
        let before = self.reader;
        let count = match self.reader.next()? {
            Token::Array(count) => count.checked_sub(1).ok_or(ODD)?,
            Token::Map(_) => {
                self.reader = before;
                let value = take(&mut self.reader)?;
                self.needs |= of_nesting(value, NESTING);
                return Ok(());
            }
            _ => return Ok(()),
        };
        match self.int()? {
            node::QUOTE => {
                let value = take(&mut self.reader)?;
                self.needs |= of_nesting(value, NESTING);
                return Ok(());
            }
            node::CALL => {
                self.skip()?;
                let system = self.int()? & !system::MODIFIES;
                self.call(system, Within::Expression, depth)?;
                return self.expression(depth);
            }
            node::IN | node::MAP_KEYS | node::MAP_VALUES => self.needs |= Features::PATH_KEYS,
            node::TO_STRING => self.needs |= Features::STRINGS,
            node::REMOVE | node::LOOP_VAR => self.needs |= Features::PATHS,
            node::TEXT => self.needs |= Features::TEXT_FILTERS,
            node::DIVIDE | node::REMAINDER => return self.division(count, depth),
            _ => {}
        }
        (0..count).try_for_each(|_| self.expression(depth))
    }

    /// The operands of a division; one that is not the first divides.
    fn division(&mut self, count: u32, depth: u16) -> Walked {
        for at in 0..count {
            if at > 0 && matches!(self.reader.clone().next(), Ok(Token::Int(-1))) {
                self.needs |= Features::withstanding(row::DIVIDED_BY_MINUS_ONE);
            }
            self.expression(depth)?;
        }
        Ok(())
    }

    /// An operation inside a bin; its arguments may be expressions if it is part of one.
    fn call(&mut self, system: i64, within: Within, depth: u16) -> Walked {
        let Token::Array(count) = self.reader.next()? else { return Err(ODD) };
        if system == system::STRINGS {
            self.needs |= Features::STRINGS;
        }
        match (system, self.int()?) {
            (_, WRAPPED) => {
                let context = take(&mut self.reader)?;
                if pads_before_start(context) {
                    self.needs |= Features::withstanding(row::PADDED_BEFORE_START);
                }
                return self.call(system, within, depth.checked_sub(1).ok_or(ODD)?);
            }
            (system::CDT, SELECT) => return self.select(count, depth),
            (system::CDT, JOIN) | (system::BITS, BASE64) => self.needs |= Features::STRINGS,
            _ => {}
        }
        (1..count).try_for_each(|_| self.argument(within, depth))
    }

    fn select(&mut self, count: u32, depth: u16) -> Walked {
        self.needs |= Features::PATHS;
        let Token::Array(steps) = self.reader.next()? else { return Err(ODD) };
        let (mut enters_list, mut several, mut last) = (false, false, None);
        let mut names_several = false;
        for at in 0..steps / 2 {
            let kind = self.int()?;
            if kind == step::FILTER {
                self.needs |= Features::PATH_KEYS;
                if matches!(last, Some(0 | 1 | step::MAP_INDEX | step::MAP_RANK)) {
                    self.needs |= Features::withstanding(row::AND_FILTER_OF_PLACE);
                }
                self.expression(depth)?;
                continue;
            }
            // Below the top, where it is not a map for sure.
            let into_list = matches!(kind, 0 | 1 | step::VALUE | step::CHILDREN)
                || (step::LIST_INDEX..=step::LIST_VALUE).contains(&kind);
            enters_list |= at > 0 && into_list;
            several |= names_several;
            names_several |= matches!(
                kind,
                step::CHILDREN | step::KEYS | step::VALUE | step::LIST_VALUE | step::MAP_VALUE
            );
            last = Some(kind);
            match kind {
                step::CHILDREN => self.expression(depth)?,
                step::KEYS => {
                    self.needs |= Features::PATH_KEYS;
                    self.skip()?;
                }
                _ => self.skip()?,
            }
        }
        if count < 3 || self.int()? & 0xf != APPLY {
            return (3..count).try_for_each(|_| self.expression(depth));
        }
        let removes = self.reader.rest().starts_with(&[0x91, node::REMOVE as u8]);
        if removes && several {
            self.needs |= Features::withstanding(row::REMOVE_IN_SEVERAL);
        }
        if !removes && enters_list {
            self.needs |= Features::withstanding(row::MODIFY_BELOW_LIST);
        }
        if gives_text_of_call(self.reader, depth) {
            self.needs |= Features::withstanding(row::MODIFY_WITH_TEXT_OF_CALL);
        }
        (3..count).try_for_each(|_| self.expression(depth))
    }

    /// An argument of a call, other than a path. What looks like an expression is a list of the
    /// caller's in an operation: `[99, 1]` is appended as it is.
    fn argument(&mut self, within: Within, depth: u16) -> Walked {
        let mut ahead = self.reader;
        match (within, ahead.next()?) {
            (Within::Expression, Token::Array(_) | Token::Map(_)) => self.expression(depth),
            _ => self.skip(),
        }
    }

    fn int(&mut self) -> Result<i64, Malformed> {
        match self.reader.next()? {
            Token::Int(int) => Ok(int),
            _ => Err(ODD),
        }
    }

    fn skip(&mut self) -> Walked {
        take(&mut self.reader).map(|_| ())
    }
}

/// Whether the path to a container pads a list at an index before its start.
fn pads_before_start(context: &[u8]) -> bool {
    let mut reader = Reader::new(context);
    let Ok(Token::Array(parts)) = reader.next() else { return false };
    (0..parts / 2).any(|_| {
        let kind = reader.next();
        let value = reader.clone().next();
        let _ = take(&mut reader);
        matches!((kind, value), (Ok(Token::Int(step::PADDED)), Ok(Token::Int(..=-1))))
    })
}

/// Whether an expression may give a text or a blob that a call returns.
fn gives_text_of_call(mut reader: Reader<'_>, depth: u16) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let Ok(Token::Array(count @ 1..)) = reader.next() else { return false };
    let last = |mut reader: Reader<'_>| {
        // The last operand is what such a node gives.
        (2..count).try_for_each(|_| take(&mut reader).map(|_| ())).is_ok()
            && gives_text_of_call(reader, depth)
    };
    match reader.next() {
        Ok(Token::Int(node::CALL)) => {
            matches!(reader.next(), Ok(Token::Int(TEXT_TYPE | BLOB_TYPE)))
        }
        Ok(Token::Int(node::LET)) => last(reader),
        Ok(Token::Int(node::COND)) => {
            let mut values = reader;
            let mut any = last(reader);
            for _ in 0..(count - 1) / 2 {
                let _ = take(&mut values);
                any |= gives_text_of_call(values, depth);
                let _ = take(&mut values);
            }
            any
        }
        _ => false,
    }
}

/// Types of texts and of blobs in expressions.
const TEXT_TYPE: i64 = 3;
const BLOB_TYPE: i64 = 6;

#[cfg(test)]
mod tests {
    use super::super::bytes;
    use super::*;

    fn operation(code: u8, hex: &str) -> Features {
        of_operation(code, &bytes(hex))
    }

    fn expression(hex: &str) -> Features {
        of_expression(&bytes(hex))
    }

    const NONE: Features = Features::NONE;
    const STRINGS: Features = Features::STRINGS;
    const PATHS: Features = Features::PATHS;

    #[test]
    fn operations_say_what_they_need() {
        assert_eq!(operation(op::STRING_READ, "91 00"), STRINGS);
        assert_eq!(operation(op::STRING_MODIFY, "92 38 00"), STRINGS);
        assert_eq!(operation(op::TO_STRING, ""), STRINGS);
        assert_eq!(operation(op::CDT_READ, "92 1c a2032c"), STRINGS);
        assert_eq!(operation(op::CDT_READ, "93 ccff 92 22 a2036b 91 1c"), STRINGS);
        assert_eq!(operation(op::CDT_READ, "92 11 00"), NONE, "list get");
        assert_eq!(operation(op::CDT_MODIFY, "93 ccff 92 10 00 92 01 1c"), NONE);
        assert_eq!(operation(op::BITS_READ, "91 37"), STRINGS);
        assert_eq!(operation(op::BITS_READ, "93 32 00 08"), NONE);
        assert_eq!(operation(op::WRITE, "92 1c a2032c"), NONE);
        // Every element; those with a value above 2; several keys of a map.
        assert_eq!(operation(op::CDT_READ, "93 ccfe 94 04c3 22a20376 01"), PATHS);
        let filtered = "93 ccfe 92 04 93 03 95 7f0200 93 6107a20376 93 7a0501 02 01";
        assert_eq!(operation(op::CDT_READ, filtered), PATHS);
        let keys = "93 ccfe 92 2a 93a20361a20363a3037a7a 02";
        assert_eq!(operation(op::CDT_READ, keys), PATHS | Features::PATH_KEYS);
        assert_eq!(operation(op::EXP_READ, "92 92 63 93 51 02 a16e 00"), STRINGS);
        assert_eq!(operation(op::EXP_READ, "92 93 01 93 51 02 a16e 05 00"), NONE);
    }

    #[test]
    fn expressions_say_what_they_need() {
        assert_eq!(expression("93 03 95 7f 02 03 91 00 93 51 03 a161 03"), STRINGS);
        assert_eq!(expression("93 01 95 7f 03 43 92 38 00 93 51 03 a161 a20358"), STRINGS);
        assert_eq!(expression("93 01 92 63 93 51 02 a16e a20335"), STRINGS);
        assert_eq!(expression("95 7f 03 01 91 37 93 51 06 a161"), STRINGS);
        assert_eq!(expression("93 09 05 93 51 04 a16c"), Features::PATH_KEYS);
        assert_eq!(expression("92 cc80 c40b 242e616765203e3d203138"), Features::TEXT_FILTERS);
        let more = "93 03 95 7f020091 10 957f0400 93ccfe92 04c3 01 935105a16d 00 01";
        assert_eq!(expression(more), PATHS);
        // Constants that look like expressions.
        assert_eq!(expression("93 01 93 51 04 a16c 92 7e 92 63 01"), NONE);
        assert_eq!(expression("93 01 93 51 05 a16d 81 01 92 63 01"), NONE);
        assert_eq!(expression("93 03 93 51 02 a161 19"), NONE);
    }

    #[test]
    fn values_of_operations_that_look_like_expressions_need_nothing() {
        // [99, 100] and [100, 101] into a nested list; [[99, 1]] as one element; [9, 1] by value.
        assert_eq!(operation(op::CDT_MODIFY, "93 ccff 92 22 a5036c697374 92 02 92 63 64"), NONE);
        assert_eq!(operation(op::CDT_MODIFY, "93 ccff 92 10 00 93 04 01 92 64 65"), NONE);
        assert_eq!(operation(op::CDT_MODIFY, "93 ccff 92 10 00 92 01 92 63 01"), NONE);
        assert_eq!(operation(op::CDT_READ, "93 ccff 92 10 00 93 16 07 93 09 01 02"), NONE);
        assert_eq!(operation(op::CDT_MODIFY, "93 ccff 92 22 92 63 01 92 0b"), NONE, "a key");
    }

    #[test]
    fn nesting_beyond_the_limit_of_new_servers_needs_an_older_one() {
        let nested = |levels: usize| [vec![0x91; levels - 1], vec![0x90]].concat();
        let deep = Features::DEEP_NESTING;
        let write = |levels| of_particle(op::WRITE, particle::LIST, &nested(levels));
        assert_eq!((write(NESTING), write(NESTING + 1)), (NONE, deep));
        assert_eq!(of_particle(op::WRITE, particle::STRING, &nested(100)), NONE, "text");
        let append =
            |levels| of_operation(op::CDT_MODIFY, &[&[0x92, 1][..], &nested(levels)].concat());
        assert_eq!((append(NESTING), append(NESTING + 2)), (NONE, deep));
        let filter = |levels| {
            let head = bytes("93 01 93 51 04 a16c 92 7e");
            of_expression(&[&head[..], &nested(levels)].concat())
        };
        assert_eq!((filter(NESTING), filter(NESTING + 1)), (NONE, deep));
        let argument = |levels| of_arguments(&[&[0x92, 1][..], &nested(levels)].concat());
        assert_eq!((argument(NESTING), argument(NESTING + 1)), (NONE, deep));
        // Many lists, none of them deep.
        let flat = [&[0xdc, 0, 200][..], &[0x90; 200]].concat();
        assert_eq!(of_particle(op::WRITE, particle::LIST, &flat), NONE);
    }

    #[test]
    fn malformed_bytes_need_nothing_more_and_do_not_panic() {
        let whole = bytes("93 03 95 7f 02 03 91 00 93 51 03 a161 03");
        (0..whole.len()).for_each(|end| {
            of_expression(&whole[..end]);
            of_operation(op::CDT_READ, &whole[..end]);
        });
        assert_eq!(of_expression(&[0x91; 1000]), NONE);
        let nested: Vec<u8> = [0x93, 0xcc, 0xff, 0x90].repeat(1000);
        assert_eq!(of_operation(op::CDT_READ, &nested), Features::DEEP_NESTING);
    }
}
