//! Why a command fails, beyond its result code, for clients that ask for it.
//!
//! A command runs on one thread from its start to its reply, and result codes are what its parts
//! hand up when they fail. So the reason is noted on the side, where the failure is found, and
//! whoever writes the reply takes it. The first one counts, as on servers. Nothing is noted, and no
//! message is composed, for a command that does not ask.

use std::cell::RefCell;
use std::ops::Range;

use spikewire_aerospike_protocol::error_details::{
    DetailLevel, ErrorDetails, Language, Phase, Subcode, Trace,
};
use spikewire_aerospike_protocol::result_code::ResultCode;

#[derive(Debug)]
struct Reason {
    level: DetailLevel,
    first: Option<(ResultCode, ErrorDetails)>,
}

thread_local! {
    static REASON: RefCell<Reason> =
        const { RefCell::new(Reason { level: DetailLevel::Off, first: None }) };
}

/// Starts a command that asks for this much.
pub fn begin(level: DetailLevel) {
    REASON.with_borrow_mut(|reason| *reason = Reason { level, first: None });
}

/// Whether the command asks for this much.
pub fn is_requested(level: DetailLevel) -> bool {
    REASON.with_borrow(|reason| reason.level >= level)
}

/// Forgets what was noted: it was no failure of the command.
pub fn forget() {
    REASON.with_borrow_mut(|reason| reason.first = None);
}

/// The field for a reply with this code, if there is anything to say.
pub fn take(code: ResultCode) -> Option<Vec<u8>> {
    REASON.with_borrow_mut(|reason| {
        let (of, details) = reason.first.take()?;
        if of == code { details.write(reason.level) } else { None }
    })
}

/// Notes a reason; returns its result code.
pub fn of(subcode: Subcode) -> ResultCode {
    because(subcode, || subcode.text.to_owned())
}

/// Notes a reason with a message of its own; returns its result code.
pub fn because(subcode: Subcode, message: impl FnOnce() -> String) -> ResultCode {
    note(subcode.code, || ErrorDetails {
        subcode: Some(subcode.number),
        message: Some(message()),
        trace: None,
    })
}

/// Notes a reason that has no subcode; returns the result code.
pub fn saying(code: ResultCode, message: impl FnOnce() -> String) -> ResultCode {
    note(code, || ErrorDetails { message: Some(message()), ..ErrorDetails::default() })
}

/// Notes the details of a failure; returns its result code. A trace is added to what has been noted
/// before.
pub fn note(code: ResultCode, details: impl FnOnce() -> ErrorDetails) -> ResultCode {
    let counts = |reason: &Reason| match &reason.first {
        None => reason.level > DetailLevel::Off,
        Some((of, known)) => {
            reason.level == DetailLevel::Trace && *of == code && known.trace.is_none()
        }
    };
    if REASON.with_borrow(counts) {
        let details = details();
        REASON.with_borrow_mut(|reason| match &mut reason.first {
            Some((_, known)) => known.trace = details.trace,
            first => *first = Some((code, details)),
        });
    }
    code
}

/// The details of an expression sent as text that cannot be read: `at` is the part of `text` that
/// is the reason, in bytes. The message ends with its line and column, which count characters from
/// 1.
pub fn of_text(text: &str, at: Range<usize>, why: &str) -> ErrorDetails {
    let start = (0..=at.start.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    let start = start.unwrap_or(0);
    let end = (at.end.max(start)..text.len()).find(|at| text.is_char_boundary(*at));
    let end = end.unwrap_or(text.len());
    let before = &text[..start];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |rest| rest.chars().count()) + 1;
    let number = |number: usize| u32::try_from(number).ok();
    let trace = Trace {
        language: Some(Language::Ael),
        text_offset: number(start),
        text_length: number(end - start),
        line: number(line),
        column: number(column),
        snippet: Some(text[start..end].to_owned()).filter(|part| !part.is_empty()),
        ..Trace::at(Phase::Build)
    };
    ErrorDetails {
        subcode: None,
        message: Some(format!("{why} at line {line} col {column}")),
        trace: Some(Box::new(trace)),
    }
}

#[cfg(test)]
mod tests {
    use spikewire_aerospike_protocol::error_details::subcode;

    use super::*;

    fn noted(level: DetailLevel, code: ResultCode) -> Option<ErrorDetails> {
        begin(level);
        assert_eq!(of(subcode::CDT_INDEX), ResultCode::OP_NOT_APPLICABLE);
        of(subcode::STRING_CONVERSION);
        take(code).and_then(|field| ErrorDetails::read(&field))
    }

    #[test]
    fn the_first_reason_with_the_code_of_the_reply_counts() {
        let code = ResultCode::OP_NOT_APPLICABLE;
        let details = noted(DetailLevel::Message, code).unwrap();
        assert_eq!(details.subcode, Some(1));
        assert_eq!(details.message.as_deref(), Some(subcode::CDT_INDEX.text));
        assert_eq!(noted(DetailLevel::Subcode, code).unwrap().message, None);
        assert_eq!(noted(DetailLevel::Off, code), None);
        assert_eq!(noted(DetailLevel::Trace, ResultCode::PARAMETER), None);
        begin(DetailLevel::Trace);
        of(subcode::CDT_RANK);
        forget();
        assert_eq!(take(code), None);
    }

    #[test]
    fn positions_in_a_text_are_lines_and_columns() {
        let text = "$.a == 1 and\n  $.é = 2";
        let at = text.find("= 2").unwrap();
        let details = of_text(text, at..at + 1, "'=' is no operator");
        assert_eq!(details.message.as_deref(), Some("'=' is no operator at line 2 col 7"));
        let trace = details.trace.unwrap();
        assert_eq!((trace.line, trace.column), (Some(2), Some(7)));
        assert_eq!((trace.text_offset, trace.text_length), (Some(at as u32), Some(1)));
        assert_eq!(trace.snippet.as_deref(), Some("="));
        for at in [0..0, 5..900, 900..901] {
            of_text(text, at, "why");
        }
    }
}
