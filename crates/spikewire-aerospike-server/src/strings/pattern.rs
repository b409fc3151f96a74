//! Regular expressions, in place of those of ICU. [`fancy_regex`] has most of their syntax; what
//! differs is in `docs/string-operations.md`.

use fancy_regex::{Captures, Error, Regex, RegexBuilder, RuntimeError};
use spikewire_aerospike_protocol::error_details::subcode;
use spikewire_aerospike_protocol::strings::regex;

use super::{Fault, LARGEST};
use crate::reason;

/// Steps after which a pattern is given up.
const STEPS: usize = 5_000_000;
/// The longest pattern in bytes, and the memory that its automaton may take.
const LONGEST: usize = 16 << 10;
const AUTOMATON: usize = 1 << 20;

fn invalid() -> Fault {
    Fault::Unless(reason::of(subcode::REGEX))
}

fn limit() -> Fault {
    Fault::Unless(reason::of(subcode::REGEX_LIMIT))
}

/// Compiles a pattern with flags of [`regex`].
pub fn compile(pattern: &str, how: i64) -> Result<Regex, Fault> {
    if pattern.len() > LONGEST || is_foreign(pattern) {
        return Err(invalid());
    }
    let has = |flag| how & flag != 0;
    RegexBuilder::new(pattern)
        .case_insensitive(has(regex::IGNORE_CASE))
        .multi_line(has(regex::MULTILINE))
        .dot_matches_new_line(has(regex::DOT_ALL))
        .backtrack_limit(STEPS)
        .delegate_size_limit(AUTOMATON)
        .delegate_dfa_size_limit(AUTOMATON)
        .build()
        .map_err(|_| invalid())
}

/// Whether it has what ICU's expressions do not have, and this engine's do.
fn is_foreign(pattern: &str) -> bool {
    let mut rest = pattern;
    while let Some(at) = rest.find(['\\', '(']) {
        rest = &rest[at..];
        let foreign = ["\\K", "\\g", "\\O", "(?P", "(?|", "(?R)", "(?(", "(*", "(?~"];
        if foreign.iter().any(|it| rest.starts_with(it)) {
            return true;
        }
        let first = if rest.starts_with('\\') { 2 } else { 1 };
        rest = rest.char_indices().nth(first).map_or("", |(at, _)| &rest[at..]);
    }
    false
}

/// Whether the pattern matches somewhere.
pub fn is_match(pattern: &Regex, text: &str) -> Result<bool, Fault> {
    pattern.is_match(text).map_err(|error| fault(&error))
}

/// The text with the first match replaced, or every one.
pub fn replace(
    pattern: &Regex,
    text: &str,
    replacement: &str,
    every: bool,
) -> Result<String, Fault> {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for captures in pattern.captures_iter(text) {
        let captures = captures.map_err(|error| fault(&error))?;
        let Some(whole) = captures.get(0) else { break };
        out.push_str(&text[from..whole.start()]);
        expand(pattern, &captures, replacement, &mut out)?;
        from = whole.end();
        if out.len() > LARGEST {
            return Err(invalid());
        }
        if !every {
            break;
        }
    }
    out.push_str(&text[from..]);
    Ok(out)
}

fn fault(error: &Error) -> Fault {
    match error {
        Error::RuntimeError(RuntimeError::BacktrackLimitExceeded | RuntimeError::StackOverflow) => {
            limit()
        }
        _ => invalid(),
    }
}

/// Appends a replacement: `$1` and `${name}` are groups, a backslash takes the next character as it
/// is.
fn expand(
    pattern: &Regex,
    captures: &Captures<'_, str>,
    replacement: &str,
    out: &mut String,
) -> Result<(), Fault> {
    let mut rest = replacement;
    while let Some(at) = rest.find(['\\', '$']) {
        out.push_str(&rest[..at]);
        let (mark, after) = rest.split_at(at).1.split_at(1);
        if mark == "\\" {
            let next = after.chars().next().ok_or_else(invalid)?;
            out.push(next);
            rest = &after[next.len_utf8()..];
            continue;
        }
        let group;
        if let Some(named) = after.strip_prefix('{') {
            let (name, after) = named.split_once('}').ok_or_else(invalid)?;
            let is_known = pattern.capture_names().flatten().any(|known| known == name);
            if !is_known {
                return Err(invalid());
            }
            group = captures.name(name);
            rest = after;
        } else {
            let (number, len) = group_number(after, captures.len()).ok_or_else(invalid)?;
            group = captures.get(number);
            rest = &after[len..];
        }
        out.push_str(group.map_or("", |group| group.as_str()));
    }
    out.push_str(rest);
    Ok(())
}

/// The number of a group, of as many digits as make one that exists, and the length of that.
fn group_number(text: &str, groups: usize) -> Option<(usize, usize)> {
    let mut number = None;
    for (at, digit) in text.bytes().enumerate().take_while(|(_, digit)| digit.is_ascii_digit()) {
        let next = number.map_or(0, |(number, _)| 10 * number) + usize::from(digit - b'0');
        if next >= groups {
            break;
        }
        number = Some((next, at + 1));
    }
    number
}
