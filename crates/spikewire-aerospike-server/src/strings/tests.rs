use super::*;
use spikewire_aerospike_protocol::strings::{Change, StringOp, regex};

type Op = StringOp<Vec<u8>>;

const OK: ResultCode = ResultCode::OK;
const PARAMETER: ResultCode = ResultCode::PARAMETER;
const NOT_APPLICABLE: ResultCode = ResultCode::OP_NOT_APPLICABLE;

fn packed(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    msgpack::bytes(&mut out, particle::STRING, text.as_bytes());
    out
}

fn payload(op: &Op, path: &[Step<Vec<u8>>]) -> Vec<u8> {
    let mut out = Vec::new();
    op.encode(path, &mut out);
    out
}

fn read_of(text: &str, op: &Op) -> Result<ReplyValue, ResultCode> {
    let old = (particle::STRING, text.as_bytes());
    read(old, particle::STRING, &payload(op, &[])).map(|value| value.unwrap())
}

fn int(text: &str, op: &Op) -> i64 {
    let value = read_of(text, op).unwrap();
    assert_eq!(value.particle, particle::INTEGER);
    i64::from_be_bytes(value.value.try_into().unwrap())
}

fn string(text: &str, op: &Op) -> String {
    let value = read_of(text, op).unwrap();
    assert_eq!(value.particle, particle::STRING);
    String::from_utf8(value.value).unwrap()
}

fn flag(text: &str, op: &Op) -> bool {
    let value = read_of(text, op).unwrap();
    assert_eq!(value.particle, particle::BOOL);
    value.value == [1]
}

/// The string after an operation; `None` if the bin is not written.
fn modified(text: Option<&str>, op: &Op) -> Result<Option<String>, ResultCode> {
    let old = text.map(|text| (particle::STRING, text.as_bytes()));
    let outcome = modify(old, particle::STRING, &payload(op, &[]))?;
    assert_eq!(outcome.result, None, "an operation that modifies returns nothing");
    Ok(outcome.bin.map(|(_, text)| String::from_utf8(text).unwrap()))
}

fn after(text: &str, op: &Op) -> String {
    modified(Some(text), op).unwrap().unwrap()
}

fn code(text: &str, op: &Op) -> ResultCode {
    let error =
        if op.modifies() { modified(Some(text), op).err() } else { read_of(text, op).err() };
    error.unwrap_or(OK)
}

const ZOE: &str = "Zoé-12";

#[test]
fn positions_are_code_points_and_are_clamped() {
    assert_eq!((int(ZOE, &Op::Length), int(ZOE, &Op::ByteLength)), (6, 7));
    let substring = |start, end| string(ZOE, &Op::Substring(start, end));
    assert_eq!(substring(1, Some(3)), "oé");
    assert_eq!(substring(-2, None), "12");
    assert_eq!(substring(-99, Some(99)), ZOE);
    assert_eq!(substring(3, Some(3)), "");
    assert_eq!(substring(4, Some(1)), "");
    let char_at = |index| string(ZOE, &Op::CharAt(index));
    assert_eq!([char_at(-1), char_at(6), char_at(-99), char_at(2)], ["2", "", "Z", "é"]);
    let insert = |index| after(ZOE, &Op::Insert { index, value: packed("x"), flags: 0 });
    assert_eq!([insert(0), insert(-1), insert(99)], ["xZoé-12", "Zoé-1x2", "Zoé-12x"]);
    let snip = |start, end| after(ZOE, &Op::Snip { start, end, flags: 0 });
    assert_eq!([snip(1, None), snip(1, Some(3)), snip(-2, None)], ["Z", "Z-12", "Zoé-"]);
}

#[test]
fn text_is_found_however_it_is_composed() {
    let find = |text: &str, needle: &str, which| int(text, &Op::Find(packed(needle), which));
    assert_eq!(
        [find("abcabc", "bc", 1), find("abcabc", "bc", 2), find("abcabc", "bc", 3)],
        [1, 4, -1]
    );
    assert_eq!(
        [find("abcabc", "bc", -1), find("abcabc", "bc", -2), find("aaa", "aa", 2)],
        [4, 1, -1]
    );
    assert_eq!(find("abc", "", 1), 0);
    assert_eq!(code("abc", &Op::Find(packed("a"), 0)), PARAMETER);
    let (composed, decomposed) = ("caf\u{e9} bar", "cafe\u{301} bar");
    for text in [composed, decomposed] {
        for e in ["\u{e9}", "e\u{301}"] {
            assert!(flag(text, &Op::Contains(packed(e))), "{text} {e}");
            assert_eq!(find(text, e, 1), 3);
            assert!(flag(text, &Op::StartsWith(packed(&format!("caf{e}")))));
            let replaced =
                Op::Replace { all: false, find: packed(e), replacement: packed("e"), flags: 0 };
            assert_eq!(after(text, &replaced), "cafe bar");
        }
        assert!(!flag(text, &Op::Contains(packed("\u{c9}"))), "case distinguishes");
    }
    assert!(!flag(decomposed, &Op::Contains(packed("cafe "))), "accents distinguish");
    assert!(!flag(decomposed, &Op::StartsWith(packed("cafe"))));
    assert_eq!(find(decomposed, "bar", 1), 6, "in code points of the stored form");
    assert!(flag(decomposed, &Op::EndsWith(packed("\u{e9} bar"))));
    let all = Op::Replace { all: true, find: packed("a"), replacement: packed("aa"), flags: 0 };
    assert_eq!(after("banana", &all), "baanaanaa");
    let empty = Op::Replace { all: true, find: packed(""), replacement: packed("x"), flags: 0 };
    assert_eq!(code("abc", &empty), PARAMETER);
}

#[test]
fn numbers_are_those_of_the_c_library() {
    let int_of = |text: &str| read_of(text, &Op::ToInt).map(|_| int(text, &Op::ToInt));
    assert_eq!([int_of("42"), int_of(" -7"), int_of("+8")], [Ok(42), Ok(-7), Ok(8)]);
    for text in ["", "4 ", "4x", "0x10", "1.5", "9223372036854775808", "000000000000000000001"] {
        assert_eq!(int_of(text), Err(NOT_APPLICABLE), "{text:?}");
    }
    let float = |text: &str| {
        let value = read_of(text, &Op::ToFloat)?;
        Ok(f64::from_be_bytes(value.value.try_into().unwrap()))
    };
    assert_eq!([float("1.5"), float("1e5"), float(" 2")], [Ok(1.5), Ok(1e5), Ok(2.0)]);
    assert_eq!(float("inf"), Ok(f64::INFINITY));
    for text in ["", "1e999", "1.5x", "."] {
        assert_eq!(float(text), Err(NOT_APPLICABLE), "{text:?}");
    }
    let numeric = |text: &str| [0, 1, 2].map(|kind| flag(text, &Op::IsNumeric(kind)));
    assert_eq!(numeric("5"), [true, true, false]);
    assert_eq!(numeric("-5.25"), [true, false, true]);
    assert!(!numeric("5.")[2]);
    assert_eq!(numeric("1e5"), [false; 3]);
    assert!(!numeric("9223372036854775808")[1]);
    assert_eq!(code("5", &Op::IsNumeric(3)), PARAMETER);
}

#[test]
fn strings_are_read_in_other_forms() {
    assert!(flag("AB1", &Op::IsUpper) && !flag("aB1", &Op::IsUpper) && flag("", &Op::IsLower));
    assert_eq!(read_of("é", &Op::ToBlob).unwrap().value, [0xc3, 0xa9]);
    let parts = |text: &str, by: Option<&str>| read_of(text, &Op::Split(by.map(packed))).unwrap();
    assert_eq!(parts("a,,b", Some(",")).value, b"\x93\xa2\x03a\xa1\x03\xa2\x03b");
    assert_eq!(
        (parts("", Some(",")).value, parts("", None).value),
        (vec![0x91, 0xa1, 3], vec![0x90])
    );
    assert_eq!(parts("é1", None).value, b"\x92\xa3\x03\xc3\xa9\xa2\x031");
    assert_eq!(read_of("aGk=", &Op::FromBase64).unwrap().value, b"hi");
    for text in ["aGk", "a-k=", "aGk=\n"] {
        assert_eq!(code(text, &Op::FromBase64), NOT_APPLICABLE, "{text:?}");
    }
    let text = |kind, bytes: &[u8]| text_of((kind, bytes)).map(|text| text.value);
    assert_eq!(text(particle::INTEGER, &5_i64.to_be_bytes()), Ok(b"5".to_vec()));
    assert_eq!(text(particle::FLOAT, &1.5_f64.to_be_bytes()), Ok(b"1.5".to_vec()));
    assert_eq!(text(particle::BLOB, &[0xff]), Err(NOT_APPLICABLE));
    assert_eq!(text(particle::LIST, &[0x90]), Err(ResultCode::BIN_TYPE));
}

#[test]
fn strings_are_changed() {
    let change = |text: &str, how| after(text, &Op::Change(how, 0));
    assert_eq!(
        (change("straße", Change::Upper), change("ÉA", Change::Lower)),
        ("STRASSE".into(), "éa".into())
    );
    assert_eq!(change("Straße", Change::FoldCase), "strasse");
    assert_eq!(change("e\u{301}", Change::Normalize), "\u{e9}");
    let trims =
        [Change::TrimStart, Change::TrimEnd, Change::Trim].map(|how| change("\u{3000} a\t", how));
    assert_eq!(trims, ["a\t", "\u{3000} a", "a"]);
    let pad = |end, length| after("é", &Op::Pad { end, length, pad: packed("12"), flags: 0 });
    assert_eq!([pad(false, 4), pad(true, 4), pad(true, 1)], ["121é", "é121", "é"]);
    let list = [&[0x92][..], &packed("x"), &packed("y")].concat();
    assert_eq!(after("a", &Op::Concat(list, 0)), "axy");
    assert_eq!(after("a", &Op::Concat(vec![0x90], 0)), "a");
    assert_eq!(
        (after("ab", &Op::Repeat(2, 0)), after("ab", &Op::Repeat(0, 0))),
        ("abab".into(), String::new())
    );
    assert_eq!(
        (after("a", &Op::Append(packed("b"), 0)), after("a", &Op::Prepend(packed("b"), 0))),
        ("ab".into(), "ba".into())
    );
    let over =
        |text, index| modified(Some(text), &Op::Overwrite { index, value: packed("xy"), flags: 0 });
    assert_eq!(over(ZOE, 1), Ok(Some("Zxy-12".into())));
    assert_eq!(over("ab", 1), Ok(Some("axy".into())));
    assert_eq!([over("ab", 2), over("ab", -1)], [Err(PARAMETER), Err(PARAMETER)]);
}

#[test]
fn patterns_search_and_replace() {
    let matches = |text: &str, pattern: &str, how| flag(text, &Op::Matches(packed(pattern), how));
    assert!(matches("abc", "b", 0) && matches("abc", "", 0) && !matches("abc", "^b", 0));
    assert!(!matches("ABC", "b", 0) && matches("ABC", "b", regex::IGNORE_CASE));
    assert!(matches("a\nb", "^b", regex::MULTILINE) && matches("a\nb", "a.b", regex::DOT_ALL));
    assert!(matches("foobar", "foo(?=bar)", 0) && matches("abab", r"(ab)\1", 0));
    let replace = |pattern: &str, replacement: &str, how, flags| Op::ReplaceMatches {
        pattern: packed(pattern),
        replacement: packed(replacement),
        how,
        flags,
    };
    assert_eq!(after("a1b22", &replace("[0-9]+", "<$0>", 0, 0)), "a<1>b22");
    assert_eq!(after("a1b22", &replace("[0-9]+", "#", regex::ALL, 0)), "a#b#");
    assert_eq!(after("ab", &replace("(?<x>a)(b)", r"${x}$2$1\$", 0, 0)), "aba$");
    for pattern in ["(", r"\K", "(?P<n>a)", "(?|a)", "[a"] {
        assert_eq!(code("a", &Op::Matches(packed(pattern), 0)), PARAMETER, "{pattern}");
    }
    let bad = replace("a", "$9", 0, 0);
    assert_eq!((code("a", &bad), after("b", &bad)), (PARAMETER, "b".into()));
    assert_eq!(modified(Some("a"), &replace("a", "$9", 0, write::NO_FAIL)), Ok(None));
    let slow = Op::Matches(packed("^((?=a)a|(?=a)a)*c"), 0);
    assert_eq!(code(&"a".repeat(40), &slow), NOT_APPLICABLE);
    assert_eq!(code("a", &Op::Matches(packed("a"), 32)), PARAMETER);
}

#[test]
fn write_flags_decide_about_bins() {
    let append = |flags| Op::Append(packed("x"), flags);
    assert_eq!(modified(None, &append(0)), Ok(Some("x".into())));
    assert_eq!(modified(None, &append(write::UPDATE_ONLY)), Ok(None));
    assert_eq!(modified(Some("a"), &append(write::CREATE_ONLY)), Err(ResultCode::BIN_EXISTS));
    let quiet = append(write::CREATE_ONLY | write::NO_FAIL);
    assert_eq!(modified(Some("a"), &quiet), Ok(None));
    assert_eq!(modified(None, &quiet), Ok(Some("x".into())));
    // Those that create a missing bin, and those that do nothing to it.
    let pad = Op::Pad { end: true, length: 2, pad: packed("-"), flags: 0 };
    assert_eq!(modified(None, &pad), Ok(Some("--".into())));
    assert_eq!(modified(None, &Op::Repeat(2, 0)), Ok(Some(String::new())));
    let over = Op::Overwrite { index: 0, value: packed("x"), flags: 0 };
    assert_eq!(modified(None, &over), Ok(Some("x".into())));
    assert_eq!(modified(None, &Op::Change(Change::Upper, 0)), Ok(None));
    for flags in [write::CREATE_ONLY, 8, write::CREATE_ONLY | write::UPDATE_ONLY] {
        for no_fail in [0, write::NO_FAIL] {
            assert_eq!(code("a", &Op::Change(Change::Upper, flags | no_fail)), PARAMETER);
        }
    }
    assert_eq!(code("a", &append(write::CREATE_ONLY | write::UPDATE_ONLY)), PARAMETER);
}

#[test]
fn some_failures_are_never_suppressed() {
    let quiet = Op::Change(Change::Upper, write::NO_FAIL);
    let run = |old: (u8, &[u8]), kind| modify(Some(old), kind, &payload(&quiet, &[]));
    assert_eq!(run((particle::INTEGER, &[0; 8]), particle::STRING), Err(ResultCode::BIN_TYPE));
    assert_eq!(run((particle::STRING, b"a"), particle::BLOB), Err(ResultCode::BIN_TYPE));
    let invalid = run((particle::STRING, &[0xff]), particle::STRING);
    assert_eq!(invalid, Err(ResultCode::INVALID_ENCODING));
    let argument = Op::Append(vec![0xa2, 3, 0xff], write::NO_FAIL);
    assert_eq!(code("a", &argument), PARAMETER);
    assert_eq!(code("a", &Op::Append(vec![5], write::NO_FAIL)), PARAMETER);
    assert_eq!(code("a", &Op::Concat([&[0x91][..], &[5]].concat(), write::NO_FAIL)), PARAMETER);
    assert_eq!(code("a", &Op::Repeat(1 << 40, write::NO_FAIL)), PARAMETER, "out of range");
    // A read among those that modify, and the reverse.
    let old = (particle::STRING, &b"a"[..]);
    assert_eq!(modify(Some(old), particle::STRING, &[0x91, 0]), Err(PARAMETER));
    assert_eq!(read(old, particle::STRING, &[0x92, 56, 0]), Err(PARAMETER));
    assert_eq!(read((particle::STRING, &[0xff]), 3, &[0x91, 0]), Err(ResultCode::INVALID_ENCODING));
}

#[test]
fn results_are_limited_by_an_estimate() {
    let text = "a".repeat(3 << 20);
    assert_eq!(code(&text, &Op::Change(Change::Upper, 0)), PARAMETER);
    assert_eq!(code(&text, &Op::Change(Change::Trim, 0)), OK);
    assert_eq!(code(&text, &Op::Repeat(3, 0)), PARAMETER);
    assert_eq!(modified(Some(&text), &Op::Repeat(3, write::NO_FAIL)), Ok(None));
    let pad = |length| Op::Pad { end: true, length, pad: packed("-"), flags: 0 };
    assert_eq!((code("a", &pad(3 << 20)), code("a", &pad(-1))), (PARAMETER, PARAMETER));
    let all = Op::Replace { all: true, find: packed("a"), replacement: packed("bb"), flags: 0 };
    assert_eq!(code(&text, &all), PARAMETER);
}

#[test]
fn strings_inside_lists_and_maps() {
    // {"k": "ab", "n": 1}
    let map = b"\x82\xa2\x03k\xa3\x03ab\xa2\x03n\x01";
    let old = (particle::MAP, &map[..]);
    let at = |key: &str| [Step::map_key(packed(key))];
    let length = |key: &str| read(old, particle::STRING, &payload(&Op::Length, &at(key)));
    assert_eq!(length("k").unwrap(), Some(ReplyValue::count(2)));
    assert_eq!(length("n"), Err(ResultCode::BIN_TYPE));
    assert_eq!(length("x"), Err(NOT_APPLICABLE));
    let upper = |key: &str, flags| {
        let op = Op::Change(Change::Upper, flags);
        modify(Some(old), particle::STRING, &payload(&op, &at(key))).map(|outcome| outcome.bin)
    };
    let expected = b"\x82\xa2\x03k\xa3\x03AB\xa2\x03n\x01".to_vec();
    assert_eq!(upper("k", 0), Ok(Some((particle::MAP, expected))));
    assert_eq!((upper("x", 0), upper("x", write::NO_FAIL)), (Err(NOT_APPLICABLE), Ok(None)));
    assert_eq!(upper("n", write::NO_FAIL), Err(ResultCode::BIN_TYPE));
    let append = |flags| payload(&Op::Append(packed("x"), flags), &at("k"));
    let create = append(write::CREATE_ONLY);
    assert_eq!(modify(Some(old), particle::STRING, &create), Err(PARAMETER));
    assert_eq!(modify(None, particle::STRING, &append(0)), Ok(Outcome::default()));
}
