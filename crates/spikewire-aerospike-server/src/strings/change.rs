//! What operations change.

use caseless::default_case_fold_str;
use spikewire_aerospike_protocol::error_details::subcode;
use spikewire_aerospike_protocol::strings::{Change, StringOp, regex};
use unicode_normalization::UnicodeNormalization as _;

use super::arguments::CheckedOp;
use super::search::Search;
use super::{Fault, LARGEST, pattern, positions};
use crate::reason;

/// A length, a count or a text that does not fit the string.
fn unfit() -> Fault {
    Fault::Unless(reason::of(subcode::STRING_PARAMETERS))
}

/// An index that is not in the string.
fn outside() -> Fault {
    Fault::Unless(reason::of(subcode::STRING_INDEX))
}

/// Runs an operation that modifies; returns the new string.
pub(super) fn run(text: &str, op: &CheckedOp<'_>) -> Result<String, Fault> {
    let estimate = estimate(text, op);
    if estimate.is_none_or(|bytes| bytes > LARGEST) {
        return Err(unfit());
    }
    Ok(match op.op {
        StringOp::Insert { index, value, .. } => {
            let at = positions::within(index, positions::length(text));
            let at = positions::byte_of(text, at);
            [&text[..at], value, &text[at..]].concat()
        }
        StringOp::Overwrite { index, value, .. } => overwrite(text, index, value)?,
        StringOp::Concat(..) => [&[text][..], &op.texts].concat().concat(),
        StringOp::Snip { start, end, .. } => {
            let range = positions::between(text, start, end);
            [&text[..range.start], &text[range.end..]].concat()
        }
        StringOp::Replace { find: "", .. } => return Err(unfit()),
        StringOp::Replace { all, find, replacement, .. } => {
            let mut out = String::with_capacity(text.len());
            let mut from = 0;
            let matches = Search::new(text, find).matches();
            for range in matches.into_iter().take(if all { usize::MAX } else { 1 }) {
                out.push_str(&text[from..range.start]);
                out.push_str(replacement);
                from = range.end;
            }
            out + &text[from..]
        }
        StringOp::Change(change, _) => changed(text, change),
        StringOp::Pad { end, length, pad, .. } => pad_to(text, end, length, pad)?,
        StringOp::Repeat(count, _) => text.repeat(usize::try_from(count).map_err(|_| unfit())?),
        StringOp::ReplaceMatches { pattern: source, replacement, how, .. } => {
            let compiled = pattern::compile(source, how & !regex::ALL)?;
            pattern::replace(&compiled, text, replacement, how & regex::ALL != 0)?
        }
        StringOp::Append(value, _) => [text, value].concat(),
        StringOp::Prepend(value, _) => [value, text].concat(),
        _ => return Err(Fault::Always(reason::of(subcode::STRING_OP))),
    })
}

/// How many bytes the result may have, as servers estimate it; `None`: too many to count.
fn estimate(text: &str, op: &CheckedOp<'_>) -> Option<usize> {
    let old = text.len();
    match op.op {
        StringOp::Insert { value, .. }
        | StringOp::Overwrite { value, .. }
        | StringOp::Append(value, _)
        | StringOp::Prepend(value, _) => old.checked_add(value.len()),
        StringOp::Concat(..) => Some(old + op.texts.iter().map(|text| text.len()).sum::<usize>()),
        StringOp::Pad { length, .. } => usize::try_from(length)
            .ok()
            .map_or(Some(old), |length| length.checked_mul(4).map(|bytes| bytes.max(old))),
        StringOp::Repeat(count, _) => old.checked_mul(usize::try_from(count).unwrap_or(0)),
        StringOp::Change(Change::TrimStart | Change::TrimEnd | Change::Trim, _) => Some(old),
        StringOp::Change(..) => old.checked_mul(3),
        StringOp::Replace { find, replacement, all, .. } => {
            let most = if all { old / find.len().max(1) } else { 1 };
            let larger = most.checked_mul(replacement.len())?;
            old.checked_add(larger)?.checked_mul(3)
        }
        StringOp::ReplaceMatches { pattern, replacement, .. } => {
            let list = pattern.len() + replacement.len();
            (old + 1).checked_mul(list)?.checked_add(old)?.checked_mul(3)
        }
        _ => Some(old),
    }
}

/// Only a position of the string can be overwritten, and the start of an empty one.
fn overwrite(text: &str, index: i64, value: &str) -> Result<String, Fault> {
    let length = positions::length(text);
    let index = usize::try_from(index).map_err(|_| outside())?;
    if index >= length && index > 0 {
        return Err(outside());
    }
    let start = positions::byte_of(text, index);
    let end = start + positions::byte_of(&text[start..], positions::length(value));
    Ok([&text[..start], value, &text[end..]].concat())
}

fn changed(text: &str, change: Change) -> String {
    match change {
        Change::Upper => text.to_uppercase(),
        Change::Lower => text.to_lowercase(),
        Change::FoldCase => default_case_fold_str(text),
        Change::Normalize => text.nfc().collect(),
        Change::TrimStart => text.trim_start().to_owned(),
        Change::TrimEnd => text.trim_end().to_owned(),
        Change::Trim => text.trim().to_owned(),
    }
}

fn pad_to(text: &str, end: bool, length: i64, pad: &str) -> Result<String, Fault> {
    let length = usize::try_from(length).map_err(|_| unfit())?;
    if pad.is_empty() {
        return Err(unfit());
    }
    let missing = length.saturating_sub(positions::length(text));
    let padding: String = pad.chars().cycle().take(missing).collect();
    Ok(if end { [text, &padding].concat() } else { [&padding, text].concat() })
}
