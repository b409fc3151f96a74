//! What operations read.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use spikewire_aerospike_protocol::error_details::{Subcode, subcode};
use spikewire_aerospike_protocol::msgpack;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::strings::StringOp;
use spikewire_aerospike_protocol::value::{self, particle};

use super::arguments::CheckedOp;
use super::search::Search;
use super::{Fault, numbers, pattern, positions};
use crate::outcome::ReplyValue;
use crate::reason;

/// The text is not what it is to be read as.
fn unreadable(as_what: Subcode) -> Fault {
    Fault::Always(reason::of(as_what))
}

/// Runs an operation that reads.
pub(super) fn run(text: &str, op: &CheckedOp<'_>) -> Result<ReplyValue, Fault> {
    let number = || unreadable(subcode::STRING_CONVERSION);
    Ok(match op.op {
        StringOp::Length => ReplyValue::count(positions::length(text)),
        StringOp::ByteLength => ReplyValue::count(text.len()),
        StringOp::Substring(start, end) => string(&text[positions::between(text, start, end)]),
        StringOp::CharAt(index) => {
            let at = positions::within(index, positions::length(text));
            let first = positions::byte_of(text, at);
            string(&text[first..first + positions::byte_of(&text[first..], 1)])
        }
        StringOp::Find(needle, occurrence) => ReplyValue::int(find(text, needle, occurrence)),
        StringOp::Contains(needle) => flag(!Search::new(text, needle).matches().is_empty()),
        StringOp::StartsWith(prefix) => flag(Search::new(text, prefix).is_at_start()),
        StringOp::EndsWith(suffix) => flag(Search::new(text, suffix).is_at_end()),
        StringOp::ToInt => ReplyValue::int(numbers::int(text).ok_or_else(number)?),
        StringOp::ToFloat => {
            let value = numbers::float(text).ok_or_else(number)?.to_be_bytes().to_vec();
            ReplyValue { particle: particle::FLOAT, value }
        }
        StringOp::IsNumeric(kind) => flag(numbers::is_numeric(text, kind)),
        StringOp::IsUpper => {
            flag(text.chars().all(|letter| !is_cased(letter) || letter.is_uppercase()))
        }
        StringOp::IsLower => {
            flag(text.chars().all(|letter| !is_cased(letter) || letter.is_lowercase()))
        }
        StringOp::ToBlob => blob(text.as_bytes().to_vec()),
        StringOp::FromBase64 => {
            blob(STANDARD.decode(text).map_err(|_| unreadable(subcode::BASE64))?)
        }
        StringOp::Split(separator) => split(text, separator.unwrap_or_default()),
        StringOp::Matches(source, how) => {
            flag(pattern::is_match(&pattern::compile(source, how)?, text)?)
        }
        _ => return Err(Fault::Always(reason::of(subcode::STRING_OP))),
    })
}

/// The text of a bin of any type that has one.
pub fn text_of((kind, bytes): (u8, &[u8])) -> Result<ReplyValue, ResultCode> {
    let text = match kind {
        particle::INTEGER => value::read_int(bytes).map_err(|_| ResultCode::BIN_TYPE)?.to_string(),
        particle::FLOAT => value::read_float(bytes).map_err(|_| ResultCode::BIN_TYPE)?.to_string(),
        particle::BOOL => (bytes != [0]).to_string(),
        particle::STRING => utf8(bytes).ok_or(ResultCode::INVALID_ENCODING)?.to_owned(),
        particle::BLOB => {
            utf8(bytes).ok_or_else(|| reason::of(subcode::STRING_ENCODING))?.to_owned()
        }
        _ => return Err(ResultCode::BIN_TYPE),
    };
    Ok(string(&text))
}

fn utf8(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// Whether a letter has a case: others are neither.
fn is_cased(letter: char) -> bool {
    letter.is_uppercase()
        || letter.is_lowercase()
        || !letter.to_lowercase().eq([letter])
        || !letter.to_uppercase().eq([letter])
}

/// The position of an occurrence in code points; -1 if there is none.
fn find(text: &str, needle: &str, occurrence: i64) -> i64 {
    if needle.is_empty() {
        return 0;
    }
    let matches = Search::new(text, needle).matches();
    let at = match usize::try_from(occurrence) {
        Ok(occurrence) => occurrence.checked_sub(1),
        Err(_) => matches.len().checked_sub(occurrence.unsigned_abs() as usize),
    };
    match at.and_then(|at| matches.get(at)) {
        Some(range) => positions::length(&text[..range.start]) as i64,
        None => -1,
    }
}

fn split(text: &str, separator: &str) -> ReplyValue {
    let parts: Vec<&str> = if separator.is_empty() {
        text.char_indices().map(|(at, letter)| &text[at..at + letter.len_utf8()]).collect()
    } else {
        text.split(separator).collect()
    };
    let mut value = Vec::with_capacity(text.len() + 2 * parts.len());
    msgpack::array(&mut value, parts.len() as u32);
    for part in parts {
        msgpack::bytes(&mut value, particle::STRING, part.as_bytes());
    }
    ReplyValue { particle: particle::LIST, value }
}

fn string(text: &str) -> ReplyValue {
    ReplyValue { particle: particle::STRING, value: text.as_bytes().to_vec() }
}

fn blob(value: Vec<u8>) -> ReplyValue {
    ReplyValue { particle: particle::BLOB, value }
}

fn flag(flag: bool) -> ReplyValue {
    ReplyValue { particle: particle::BOOL, value: vec![u8::from(flag)] }
}
