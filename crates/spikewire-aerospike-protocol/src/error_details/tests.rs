use super::*;
use crate::message::{self, Header, info2};
use crate::request::Request;
use crate::result_code::ResultCode;

fn bytes(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(pair).collect()
}

const EXAMPLE: &str = "82 01 0a 02 b0 62616420696e74656765722074657874";

fn example() -> ErrorDetails {
    ErrorDetails { subcode: Some(10), message: Some("bad integer text".to_owned()), trace: None }
}

fn whole() -> ErrorDetails {
    let trace = Trace {
        phase: Some(Phase::Evaluation),
        offset: Some(3),
        op: Some("/".to_owned()),
        depth: Some(1),
        path: vec!["==".to_owned(), "/".to_owned()],
        snippet: Some("$.a / 0".to_owned()),
        outcome: Some(Outcome::Fault),
        language: None,
        text_offset: None,
        text_length: None,
        line: None,
        column: None,
        operands: vec!["7".to_owned(), "0".to_owned()],
    };
    ErrorDetails { trace: Some(Box::new(trace)), ..example() }
}

#[test]
fn the_example_of_the_field_is_read_and_written() {
    assert_eq!(ErrorDetails::read(&bytes(EXAMPLE)), Some(example()));
    assert_eq!(example().write(DetailLevel::Message), Some(bytes(EXAMPLE)));
    assert_eq!(example().write(DetailLevel::Subcode), Some(bytes("81 01 0a")));
    assert_eq!(example().write(DetailLevel::Off), None);
    let unknown = ErrorDetails { subcode: None, ..example() };
    assert_eq!(unknown.write(DetailLevel::Subcode), None);
}

#[test]
fn a_trace_is_written_in_the_order_of_its_keys_and_read_again() {
    let field = whole().write(DetailLevel::Trace).unwrap();
    let expected =
        "83 01 0a 02 b0 62616420696e74656765722074657874 03 88 01 02 02 03 03 a1 2f 04 01
        05 92 a2 3d3d a1 2f 06 a7 242e61202f2030 07 01 0d 92 a1 37 a1 30";
    assert_eq!(field, bytes(expected));
    assert_eq!(ErrorDetails::read(&field), Some(whole()));
    assert_eq!(whole().write(DetailLevel::Message), Some(bytes(EXAMPLE)));
}

#[test]
fn text_traces_say_their_language_and_position() {
    let trace = Trace {
        language: Some(Language::Ael),
        text_offset: Some(4),
        text_length: Some(2),
        line: Some(1),
        column: Some(5),
        ..Trace::at(Phase::Build)
    };
    let details = ErrorDetails { trace: Some(Box::new(trace)), ..ErrorDetails::default() };
    let field = details.write(DetailLevel::Trace).unwrap();
    assert_eq!(field, bytes("81 03 86 01 01 08 02 09 04 0a 02 0b 01 0c 05"));
    assert_eq!(ErrorDetails::read(&field), Some(details));
}

#[test]
fn unknown_keys_and_values_of_other_types_are_skipped() {
    // Key 9 with a list, a key that is text, and a subcode of 64 bits.
    let read = |text| ErrorDetails::read(&bytes(text));
    assert_eq!(
        read("83 09 92 01 02 a1 78 c3 01 0a"),
        Some(ErrorDetails { message: None, ..example() })
    );
    assert_eq!(read("82 01 cf ffffffffffffffff 02 a1 78").unwrap().subcode, None);
    assert_eq!(read("82 01 c3 02 a1 78").unwrap().message.as_deref(), Some("x"));
    assert_eq!(read("82 01 05 02 07").unwrap().message, None);
    assert_eq!(read("82 01 05 03 07").unwrap().trace, None);
    assert_eq!(read("81 03 83 01 09 63 01 02 04").unwrap().trace.unwrap().offset, Some(4));
    // Longer forms of map and text; text that is no UTF-8.
    assert_eq!(read("de 0001 02 d9 01 78").unwrap().message.as_deref(), Some("x"));
    assert_eq!(read("df 00000001 02 da 0001 78").unwrap().message.as_deref(), Some("x"));
    assert_eq!(read("81 02 a1 ff").unwrap().message.as_deref(), Some("\u{fffd}"));
}

#[test]
fn what_cannot_be_read_are_no_details() {
    for text in [
        "",
        "80",
        "01",
        "c0",
        "91 01",
        "82 01 0a",
        "81 01",
        "8f",
        "df ffffffff 01",
        "81 01 00",
        "81 02 a0",
        "81 02 db ffffffff 78",
        "82 01 0a 02 a5 62",
        "c1",
        "81 03 80",
    ] {
        assert_eq!(ErrorDetails::read(&bytes(text)), None, "{text}");
    }
    let field = whole().write(DetailLevel::Trace).unwrap();
    for end in 0..field.len() {
        assert_eq!(ErrorDetails::read(&field[..end]), None, "the first {end} bytes");
    }
    assert_eq!(ErrorDetails::read(&[0x81; 5000]), None);
    assert_eq!(ErrorDetails::read(&vec![0x91; 100_000]), None);
}

#[test]
fn what_is_too_long_is_left_out_in_order() {
    let long = |length: usize| "é".repeat(length);
    let mut details = whole();
    details.message = Some(long(2000));
    let field = details.write(DetailLevel::Trace).unwrap();
    assert!(field.len() <= LONGEST, "{}", field.len());
    let read = ErrorDetails::read(&field).unwrap();
    assert_eq!(read.message.unwrap().len(), MESSAGE - 1, "characters stay whole");
    assert_eq!(read.trace, None);
    details.message = Some("x".repeat(960));
    let trace = |details: &ErrorDetails| {
        let field = details.write(DetailLevel::Trace).unwrap();
        *ErrorDetails::read(&field).unwrap().trace.unwrap()
    };
    let shortened = trace(&details);
    assert_eq!((shortened.operands.len(), shortened.snippet.is_some()), (2, true));
    details.message = Some("x".repeat(985));
    assert_eq!((trace(&details).operands.len(), trace(&details).snippet.is_some()), (0, true));
    details.message = Some("x".repeat(992));
    assert_eq!((trace(&details).snippet, trace(&details).path.len()), (None, 2));
    let path = (0..40).map(|frame| frame.to_string()).collect();
    let deep = Trace { path, ..Trace::at(Phase::Build) };
    let deep = ErrorDetails { trace: Some(Box::new(deep)), ..ErrorDetails::default() };
    let path = trace(&deep).path;
    assert_eq!((path.len(), &*path[8], &*path[9], &*path[15]), (16, "...", "33", "39"));
}

#[test]
fn requests_ask_in_two_bits_of_the_fourth_info_byte() {
    for (name, level) in DetailLevel::NAMES {
        let mut frame = Vec::new();
        let header =
            Header { info2: info2::WRITE, info4: info4::LOCKING_ONLY, ..Header::default() };
        Request::begin(&mut frame, &header).finish().unwrap();
        let plain = frame.clone();
        ask(&mut frame, level);
        assert_eq!(DetailLevel::of_flags(frame[12]), level, "{name}");
        assert_eq!(frame[12], 0x10 | (level as u8) << 5, "{name}");
        ask(&mut frame, DetailLevel::Off);
        assert_eq!(frame, plain, "{name}");
    }
    // The steps of a transaction's end never ask.
    let mut frame = Vec::new();
    let header = Header { info4: info4::VERIFY_READ, ..Header::default() };
    Request::begin(&mut frame, &header).finish().unwrap();
    ask(&mut frame, DetailLevel::Trace);
    assert_eq!(frame[12], info4::VERIFY_READ);
    ask(&mut [], DetailLevel::Trace);
    assert_eq!(message::HEADER_LEN, 22);
}

#[test]
fn names_belong_to_a_result_code() {
    let details = |number| ErrorDetails { subcode: Some(number), ..ErrorDetails::default() };
    assert_eq!(details(10).name(ResultCode::OP_NOT_APPLICABLE.0), Some("string_conversion"));
    assert_eq!(details(10).name(ResultCode::PARAMETER.0), Some("regex"));
    assert_eq!(details(10).name(ResultCode::SERVER.0), None);
    for (at, known) in subcode::ALL.iter().enumerate() {
        let same = |other: &Subcode| other.code == known.code && other.number == known.number;
        assert_eq!(subcode::ALL.iter().position(same), Some(at), "{}", known.name);
    }
}

#[test]
fn texts_of_errors_have_the_details_in_brackets() {
    let code = ResultCode::OP_NOT_APPLICABLE.0;
    assert_eq!(example().brackets(code), "[string_conversion 10: bad integer text]");
    let number = ErrorDetails { subcode: Some(99), ..ErrorDetails::default() };
    assert_eq!(number.brackets(code), "[subcode 99]");
    let message = ErrorDetails { subcode: None, ..example() };
    assert_eq!(message.brackets(code), "[bad integer text]");
    assert_eq!(
        whole().brackets(code),
        "[string_conversion 10: bad integer text; in / at byte 3 of the expression ($.a / 0)]"
    );
}

/// The table of the page is that of the code.
#[test]
#[cfg_attr(miri, ignore = "reads a file")]
fn the_page_lists_every_subcode() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/error-details.md");
    let page = std::fs::read_to_string(path).unwrap();
    for Subcode { code, number, name, text } in subcode::ALL {
        let row = format!("| {} | {number} | `{name}` | {text} |", code.0);
        assert!(page.contains(&row), "docs/error-details.md lacks {row}");
    }
}
