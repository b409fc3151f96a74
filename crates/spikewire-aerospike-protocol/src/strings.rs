//! Operations on strings (servers from 8.2 on). Positions and lengths are in code points, negative
//! positions count from the end.
//!
//! An operation is an array of its number and its arguments, sent as the value of a message
//! operation with code 17 (reads) or 18 (modifies), wrapped like one on lists and maps if the
//! string is inside one. Reading a bin as text is a message operation without a value.

use crate::Malformed;
use crate::cdt::call::{Argument, Arguments, Call};
use crate::cdt::{Step, context, elements};
use crate::msgpack;
use crate::result_code::ResultCode;

/// Write flags.
pub mod write {
    /// Fail if the bin exists.
    pub const CREATE_ONLY: i64 = 1;
    /// Do nothing if the bin does not exist.
    pub const UPDATE_ONLY: i64 = 2;
    /// Do nothing instead of failing.
    pub const NO_FAIL: i64 = 4;
}

/// Flags of patterns.
pub mod regex {
    /// Case does not matter.
    pub const IGNORE_CASE: i64 = 1;
    /// `^` and `$` match at the ends of lines, too.
    pub const MULTILINE: i64 = 2;
    /// `.` matches ends of lines, too.
    pub const DOT_ALL: i64 = 4;
    /// Only `\n` ends a line.
    pub const UNIX_LINES: i64 = 8;
    /// Replace every match instead of the first.
    pub const ALL: i64 = 16;
}

/// What a string may be, besides any number.
pub mod number {
    /// Any number.
    pub const ANY: i64 = 0;
    /// An integer.
    pub const INT: i64 = 1;
    /// A float.
    pub const FLOAT: i64 = 2;
}

/// Integers of operations are within this.
pub const LARGEST: i64 = 134_217_728;

/// Operation number that wraps an operation together with a context.
const WRAPPED: u8 = 0xff;

/// Numbers of the operations on the wire.
mod code {
    pub const LENGTH: i64 = 0;
    pub const SUBSTRING: i64 = 1;
    pub const CHAR_AT: i64 = 2;
    pub const FIND: i64 = 3;
    pub const CONTAINS: i64 = 4;
    pub const STARTS_WITH: i64 = 5;
    pub const ENDS_WITH: i64 = 6;
    pub const TO_INT: i64 = 7;
    pub const TO_FLOAT: i64 = 8;
    pub const BYTE_LENGTH: i64 = 9;
    pub const IS_NUMERIC: i64 = 10;
    pub const IS_UPPER: i64 = 11;
    pub const IS_LOWER: i64 = 12;
    pub const TO_BLOB: i64 = 13;
    pub const SPLIT: i64 = 14;
    pub const FROM_BASE64: i64 = 15;
    pub const MATCHES: i64 = 16;
    pub const INSERT: i64 = 50;
    pub const OVERWRITE: i64 = 51;
    pub const CONCAT: i64 = 52;
    pub const SNIP: i64 = 53;
    pub const REPLACE: i64 = 54;
    pub const REPLACE_ALL: i64 = 55;
    pub const UPPER: i64 = 56;
    pub const TRIM: i64 = 62;
    pub const PAD_START: i64 = 63;
    pub const PAD_END: i64 = 64;
    pub const REPEAT: i64 = 65;
    pub const REPLACE_MATCHES: i64 = 66;
    pub const APPEND: i64 = 67;
    pub const PREPEND: i64 = 68;
}

/// A change of a whole string. The discriminants are the operation numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Change {
    /// To upper case.
    Upper = 56,
    /// To lower case.
    Lower = 57,
    /// To a form for comparisons regardless of case.
    FoldCase = 58,
    /// To Unicode's normal form NFC.
    Normalize = 59,
    /// Without white space at the start.
    TrimStart = 60,
    /// Without white space at the end.
    TrimEnd = 61,
    /// Without white space at either end.
    Trim = 62,
}

impl Change {
    const ALL: [Self; 7] = [
        Self::Upper,
        Self::Lower,
        Self::FoldCase,
        Self::Normalize,
        Self::TrimStart,
        Self::TrimEnd,
        Self::Trim,
    ];
}

/// An operation on a string. `flags` are those of [`mod@write`], `how` those of [`regex`]; `V` is the
/// type of strings, `N` that of positions and counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StringOp<V, N = i64> {
    /// The bin as text, whatever its type.
    ToText,
    /// The number of code points.
    Length,
    /// The code points from one position up to another, or to the end.
    Substring(N, Option<N>),
    /// One code point.
    CharAt(N),
    /// The position of an occurrence, counted from 1, or from -1 for the last.
    Find(V, N),
    /// Whether it contains this.
    Contains(V),
    /// Whether it starts with this.
    StartsWith(V),
    /// Whether it ends with this.
    EndsWith(V),
    /// The integer it spells.
    ToInt,
    /// The float it spells.
    ToFloat,
    /// The number of bytes.
    ByteLength,
    /// Whether it spells a number, one of [`number`].
    IsNumeric(i64),
    /// Whether its letters are in upper case.
    IsUpper,
    /// Whether its letters are in lower case.
    IsLower,
    /// Its bytes.
    ToBlob,
    /// The parts between separators; without one, its code points.
    Split(Option<V>),
    /// The bytes that it encodes as base64.
    FromBase64,
    /// Whether a pattern matches somewhere.
    Matches(V, i64),
    /// Insert before a position.
    Insert {
        /// The position.
        index: N,
        /// The text.
        value: V,
        /// Write flags.
        flags: i64,
    },
    /// Replace as many code points as the text has.
    Overwrite {
        /// The position of the first.
        index: N,
        /// The text.
        value: V,
        /// Write flags.
        flags: i64,
    },
    /// Append the strings of a list.
    Concat(V, i64),
    /// Remove the code points from one position up to another, or to the end.
    Snip {
        /// The first position.
        start: N,
        /// The position after the last.
        end: Option<N>,
        /// Write flags.
        flags: i64,
    },
    /// Replace a text with another.
    Replace {
        /// Every occurrence instead of the first.
        all: bool,
        /// What to find.
        find: V,
        /// The replacement.
        replacement: V,
        /// Write flags.
        flags: i64,
    },
    /// Change it as a whole.
    Change(Change, i64),
    /// Pad it to a length.
    Pad {
        /// At the end instead of the start.
        end: bool,
        /// The length.
        length: N,
        /// What to add, repeatedly.
        pad: V,
        /// Write flags.
        flags: i64,
    },
    /// Repeat it.
    Repeat(N, i64),
    /// Replace what a pattern matches.
    ReplaceMatches {
        /// The pattern.
        pattern: V,
        /// The replacement, which may refer to groups.
        replacement: V,
        /// Flags of the pattern.
        how: i64,
        /// Write flags.
        flags: i64,
    },
    /// Append a text.
    Append(V, i64),
    /// Prepend a text.
    Prepend(V, i64),
}

impl<V, N> StringOp<V, N> {
    /// Whether it is sent with the code for modifying operations.
    pub fn modifies(&self) -> bool {
        self.flags().is_some()
    }

    /// The write flags of an operation that modifies.
    pub fn flags(&self) -> Option<i64> {
        Some(match self {
            Self::Insert { flags, .. }
            | Self::Overwrite { flags, .. }
            | Self::Concat(_, flags)
            | Self::Snip { flags, .. }
            | Self::Replace { flags, .. }
            | Self::Change(_, flags)
            | Self::Pad { flags, .. }
            | Self::Repeat(_, flags)
            | Self::ReplaceMatches { flags, .. }
            | Self::Append(_, flags)
            | Self::Prepend(_, flags) => *flags,
            _ => return None,
        })
    }

    /// Whether it creates a bin that does not exist, from an empty string.
    pub fn creates(&self) -> bool {
        matches!(
            self,
            Self::Insert { .. }
                | Self::Overwrite { .. }
                | Self::Concat(..)
                | Self::Pad { .. }
                | Self::Repeat(..)
                | Self::Append(..)
                | Self::Prepend(..)
        )
    }
}

impl<V: Argument, N: Argument> StringOp<V, N> {
    /// Appends the value of a message operation: this operation on the string at `context`, or on
    /// the bin itself if that is empty.
    pub fn encode<S: Argument>(&self, context: &[Step<S>], out: &mut Vec<u8>) {
        if matches!(self, Self::ToText) {
            return;
        }
        if !context.is_empty() {
            msgpack::array(out, 3);
            msgpack::uint(out, u64::from(WRAPPED));
            context::encode(context, out);
        }
        self.write(out);
    }

    fn write(&self, out: &mut Vec<u8>) {
        let call = Call::new(out);
        match self {
            Self::ToText => call,
            Self::Length => call.op(code::LENGTH),
            Self::Substring(start, end) => {
                call.op(code::SUBSTRING).value(start).optional_value(end.as_ref())
            }
            Self::CharAt(index) => call.op(code::CHAR_AT).value(index),
            Self::Find(needle, occurrence) => call.op(code::FIND).value(needle).value(occurrence),
            Self::Contains(needle) => call.op(code::CONTAINS).value(needle),
            Self::StartsWith(affix) => call.op(code::STARTS_WITH).value(affix),
            Self::EndsWith(affix) => call.op(code::ENDS_WITH).value(affix),
            Self::ToInt => call.op(code::TO_INT),
            Self::ToFloat => call.op(code::TO_FLOAT),
            Self::ByteLength => call.op(code::BYTE_LENGTH),
            Self::IsNumeric(kind) => call.op(code::IS_NUMERIC).int(*kind),
            Self::IsUpper => call.op(code::IS_UPPER),
            Self::IsLower => call.op(code::IS_LOWER),
            Self::ToBlob => call.op(code::TO_BLOB),
            Self::Split(separator) => call.op(code::SPLIT).optional_value(separator.as_ref()),
            Self::FromBase64 => call.op(code::FROM_BASE64),
            Self::Matches(pattern, how) => call.op(code::MATCHES).value(pattern).int(*how),
            Self::Insert { index, value, flags } => {
                call.op(code::INSERT).value(index).value(value).int(*flags)
            }
            Self::Overwrite { index, value, flags } => {
                call.op(code::OVERWRITE).value(index).value(value).int(*flags)
            }
            Self::Concat(texts, flags) => call.op(code::CONCAT).value(texts).int(*flags),
            Self::Snip { start, end: None, flags: 0 } => call.op(code::SNIP).value(start),
            // Without an end, the flags would be taken for it; no string is as long as this.
            Self::Snip { start, end: None, flags } => {
                call.op(code::SNIP).value(start).int(LARGEST).int(*flags)
            }
            Self::Snip { start, end: Some(end), flags } => {
                call.op(code::SNIP).value(start).value(end).int(*flags)
            }
            Self::Replace { all, find, replacement, flags } => call
                .op(if *all { code::REPLACE_ALL } else { code::REPLACE })
                .pair(find, replacement)
                .int(*flags),
            Self::Change(change, flags) => call.op(*change as i64).int(*flags),
            Self::Pad { end, length, pad, flags } => call
                .op(if *end { code::PAD_END } else { code::PAD_START })
                .value(length)
                .value(pad)
                .int(*flags),
            Self::Repeat(count, flags) => call.op(code::REPEAT).value(count).int(*flags),
            Self::ReplaceMatches { pattern, replacement, how, flags } => {
                call.op(code::REPLACE_MATCHES).pair(pattern, replacement).int(*how).int(*flags)
            }
            Self::Append(text, flags) => call.op(code::APPEND).value(text).int(*flags),
            Self::Prepend(text, flags) => call.op(code::PREPEND).value(text).int(*flags),
        };
    }
}

impl Call<'_> {
    /// A list of two texts.
    fn pair<V: Argument>(self, first: &V, second: &V) -> Self {
        let mut pair = Vec::new();
        msgpack::array(&mut pair, 2);
        first.write(&mut pair);
        second.write(&mut pair);
        self.value(pair.as_slice())
    }
}

impl<'a> StringOp<&'a [u8]> {
    /// Reads an operation without a context; its texts are undecoded values.
    fn decode(payload: &'a [u8]) -> Result<Self, Malformed> {
        let (number, mut args) = Arguments::open(payload)?;
        let op = Self::arguments(number, &mut args)?;
        args.end()?;
        Ok(op)
    }

    fn arguments(number: i64, args: &mut Arguments<'a>) -> Result<Self, Malformed> {
        Ok(match number {
            code::LENGTH => Self::Length,
            code::SUBSTRING => Self::Substring(args.int()?, args.optional_int()?),
            code::CHAR_AT => Self::CharAt(args.int()?),
            code::FIND => Self::Find(args.value()?, args.int_or(1)?),
            code::CONTAINS => Self::Contains(args.value()?),
            code::STARTS_WITH => Self::StartsWith(args.value()?),
            code::ENDS_WITH => Self::EndsWith(args.value()?),
            code::TO_INT => Self::ToInt,
            code::TO_FLOAT => Self::ToFloat,
            code::BYTE_LENGTH => Self::ByteLength,
            code::IS_NUMERIC => Self::IsNumeric(args.int_or(number::ANY)?),
            code::IS_UPPER => Self::IsUpper,
            code::IS_LOWER => Self::IsLower,
            code::TO_BLOB => Self::ToBlob,
            code::SPLIT => Self::Split(args.optional_value()?),
            code::FROM_BASE64 => Self::FromBase64,
            code::MATCHES => Self::Matches(args.value()?, args.int_or(0)?),
            code::INSERT => {
                let (index, value) = (args.int()?, args.value()?);
                Self::Insert { index, value, flags: args.int_or(0)? }
            }
            code::OVERWRITE => {
                let (index, value) = (args.int()?, args.value()?);
                Self::Overwrite { index, value, flags: args.int_or(0)? }
            }
            code::CONCAT => Self::Concat(args.value()?, args.int_or(0)?),
            code::SNIP => {
                let (start, end) = (args.int()?, args.optional_int()?);
                Self::Snip { start, end, flags: args.int_or(0)? }
            }
            code::REPLACE | code::REPLACE_ALL => {
                let (find, replacement) = pair(args)?;
                let all = number == code::REPLACE_ALL;
                Self::Replace { all, find, replacement, flags: args.int_or(0)? }
            }
            code::UPPER..=code::TRIM => {
                let change = Change::ALL[(number - code::UPPER) as usize];
                Self::Change(change, args.int_or(0)?)
            }
            code::PAD_START | code::PAD_END => {
                let (length, pad) = (args.int()?, args.value()?);
                Self::Pad { end: number == code::PAD_END, length, pad, flags: args.int_or(0)? }
            }
            code::REPEAT => Self::Repeat(args.int()?, args.int_or(0)?),
            code::REPLACE_MATCHES => {
                let (pattern, replacement) = pair(args)?;
                let how = args.int_or(0)?;
                Self::ReplaceMatches { pattern, replacement, how, flags: args.int_or(0)? }
            }
            code::APPEND => Self::Append(args.value()?, args.int_or(0)?),
            code::PREPEND => Self::Prepend(args.value()?, args.int_or(0)?),
            _ => return Err(Malformed::new("string operation", "unknown number")),
        })
    }
}

fn pair<'a>(args: &mut Arguments<'a>) -> Result<(&'a [u8], &'a [u8]), Malformed> {
    match elements(args.value()?)?.as_deref() {
        Some(&[first, second]) => Ok((first, second)),
        _ => Err(Malformed::new("string operation", "not a list of two texts")),
    }
}

/// A decoded operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Request<'a> {
    /// The path to the string; empty for the bin itself.
    pub context: Vec<Step<&'a [u8]>>,
    /// The operation.
    pub op: StringOp<&'a [u8]>,
}

impl<'a> Request<'a> {
    /// Reads the value of a message operation with code 17 or 18. The error is the result code of
    /// the rejection.
    pub fn decode(payload: &'a [u8]) -> Result<Self, ResultCode> {
        let malformed = |_| ResultCode::PARAMETER;
        let (number, mut arguments) = Arguments::open(payload).map_err(malformed)?;
        if number != i64::from(WRAPPED) {
            let op = StringOp::decode(payload).map_err(malformed)?;
            return Ok(Self { context: Vec::new(), op });
        }
        let context = arguments.value().map_err(malformed)?;
        let inner = arguments.value().map_err(malformed)?;
        arguments.end().map_err(malformed)?;
        let op = StringOp::decode(inner).map_err(malformed)?;
        Ok(Self { context: context::decode(context)?, op })
    }
}

#[cfg(test)]
#[path = "strings_tests.rs"]
mod tests;
