//! Arguments that are invalid whatever the string is.

use spikewire_aerospike_protocol::cdt::elements;
use spikewire_aerospike_protocol::error_details::subcode;
use spikewire_aerospike_protocol::msgpack::{Reader, Token};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::strings::{LARGEST, StringOp, number, regex, write};
use spikewire_aerospike_protocol::value::particle;

use crate::reason;

/// An operation whose texts are decoded; those of a list are in `texts`.
pub struct CheckedOp<'a> {
    /// The operation.
    pub op: StringOp<&'a str>,
    /// The texts to append.
    pub texts: Vec<&'a str>,
}

/// Arguments that the operation does not take.
fn invalid() -> ResultCode {
    reason::of(subcode::STRING_PARAMETERS)
}

impl<'a> CheckedOp<'a> {
    /// Checks an operation on a bin, or on what is inside one. The error is the result code of the
    /// rejection, which no flag suppresses.
    pub fn new(op: &StringOp<&'a [u8]>, is_inside: bool) -> Result<Self, ResultCode> {
        check_flags(op, is_inside)?;
        let mut texts = Vec::new();
        let op = match *op {
            StringOp::Concat(list, flags) => {
                for item in elements(list).ok().flatten().ok_or_else(invalid)? {
                    texts.push(text(item)?);
                }
                StringOp::Concat("", flags)
            }
            StringOp::Length => StringOp::Length,
            StringOp::Substring(start, end) => {
                StringOp::Substring(place(start)?, end.map(place).transpose()?)
            }
            StringOp::CharAt(index) => StringOp::CharAt(place(index)?),
            StringOp::ToText | StringOp::Find(_, 0) => return Err(invalid()),
            StringOp::Find(needle, occurrence) => StringOp::Find(text(needle)?, place(occurrence)?),
            StringOp::Contains(needle) => StringOp::Contains(text(needle)?),
            StringOp::StartsWith(affix) => StringOp::StartsWith(text(affix)?),
            StringOp::EndsWith(affix) => StringOp::EndsWith(text(affix)?),
            StringOp::ToInt => StringOp::ToInt,
            StringOp::ToFloat => StringOp::ToFloat,
            StringOp::ByteLength => StringOp::ByteLength,
            StringOp::IsNumeric(kind) => {
                if !(number::ANY..=number::FLOAT).contains(&kind) {
                    return Err(invalid());
                }
                StringOp::IsNumeric(kind)
            }
            StringOp::IsUpper => StringOp::IsUpper,
            StringOp::IsLower => StringOp::IsLower,
            StringOp::ToBlob => StringOp::ToBlob,
            StringOp::Split(separator) => StringOp::Split(separator.map(text).transpose()?),
            StringOp::FromBase64 => StringOp::FromBase64,
            StringOp::Matches(pattern, how) => {
                check_pattern(how, PATTERN)?;
                StringOp::Matches(text(pattern)?, how)
            }
            StringOp::Insert { index, value, flags } => {
                StringOp::Insert { index: place(index)?, value: text(value)?, flags }
            }
            StringOp::Overwrite { index, value, flags } => {
                StringOp::Overwrite { index: place(index)?, value: text(value)?, flags }
            }
            StringOp::Snip { start, end, flags } => {
                StringOp::Snip { start: place(start)?, end: end.map(place).transpose()?, flags }
            }
            StringOp::Replace { all, find, replacement, flags } => {
                let (find, replacement) = (text(find)?, text(replacement)?);
                StringOp::Replace { all, find, replacement, flags }
            }
            StringOp::Change(change, flags) => StringOp::Change(change, flags),
            StringOp::Pad { end, length, pad, flags } => {
                StringOp::Pad { end, length: place(length)?, pad: text(pad)?, flags }
            }
            StringOp::Repeat(count, flags) => StringOp::Repeat(place(count)?, flags),
            StringOp::ReplaceMatches { pattern, replacement, how, flags } => {
                check_pattern(how, PATTERN | regex::ALL)?;
                let (pattern, replacement) = (text(pattern)?, text(replacement)?);
                StringOp::ReplaceMatches { pattern, replacement, how, flags }
            }
            StringOp::Append(value, flags) => StringOp::Append(text(value)?, flags),
            StringOp::Prepend(value, flags) => StringOp::Prepend(text(value)?, flags),
        };
        Ok(Self { op, texts })
    }
}

/// Flags of every pattern.
const PATTERN: i64 = regex::IGNORE_CASE | regex::MULTILINE | regex::DOT_ALL | regex::UNIX_LINES;

fn check_pattern(how: i64, known: i64) -> Result<(), ResultCode> {
    if how & !known == 0 { Ok(()) } else { Err(invalid()) }
}

fn check_flags(op: &StringOp<&[u8]>, is_inside: bool) -> Result<(), ResultCode> {
    let flags = op.flags().unwrap_or(0);
    let both = write::CREATE_ONLY | write::UPDATE_ONLY;
    let known = both | write::NO_FAIL;
    let creates = op.creates() && !is_inside;
    let valid =
        flags & !known == 0 && flags & both != both && (creates || flags & write::CREATE_ONLY == 0);
    if valid {
        return Ok(());
    }
    let creates_inside = is_inside && flags & write::CREATE_ONLY != 0;
    Err(if creates_inside { reason::of(subcode::STRING_CONTEXT) } else { invalid() })
}

fn text(value: &[u8]) -> Result<&str, ResultCode> {
    match Reader::new(value).next() {
        Ok(Token::Bytes(particle::STRING, text)) => {
            std::str::from_utf8(text).map_err(|_| reason::of(subcode::ARGUMENT_ENCODING))
        }
        // A string without even a type.
        _ => Err(invalid()),
    }
}

fn place(place: i64) -> Result<i64, ResultCode> {
    if (-LARGEST..=LARGEST).contains(&place) { Ok(place) } else { Err(invalid()) }
}
