use super::*;
use crate::value::particle;

fn text(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    msgpack::bytes(&mut out, particle::STRING, text.as_bytes());
    out
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |all, byte| format!("{all}{byte:02x}"))
}

type Owned = StringOp<Vec<u8>>;

/// The bytes of every operation, as another client sends them.
#[test]
fn operations_have_the_bytes_of_other_clients() {
    let x = || text("x");
    let pair = |all, flags| Owned::Replace { all, find: x(), replacement: text("y"), flags };
    let matches =
        |how, flags| Owned::ReplaceMatches { pattern: x(), replacement: text("y"), how, flags };
    let list = [&[0x92][..], &x(), &text("y")].concat();
    let pad = |end| Owned::Pad { end, length: 5, pad: text("-"), flags: 0 };
    let cases: Vec<(Owned, &str)> = vec![
        (Owned::ToText, ""),
        (Owned::Length, "9100"),
        (Owned::Substring(1, None), "920101"),
        (Owned::Substring(1, Some(-1)), "930101ff"),
        (Owned::CharAt(-1), "9202ff"),
        (Owned::Find(x(), 1), "9303a2037801"),
        (Owned::Find(x(), -1), "9303a20378ff"),
        (Owned::Contains(x()), "9204a20378"),
        (Owned::StartsWith(x()), "9205a20378"),
        (Owned::EndsWith(x()), "9206a20378"),
        (Owned::ToInt, "9107"),
        (Owned::ToFloat, "9108"),
        (Owned::ByteLength, "9109"),
        (Owned::IsNumeric(number::ANY), "920a00"),
        (Owned::IsNumeric(number::INT), "920a01"),
        (Owned::IsUpper, "910b"),
        (Owned::IsLower, "910c"),
        (Owned::ToBlob, "910d"),
        (Owned::Split(None), "910e"),
        (Owned::Split(Some(text(","))), "920ea2032c"),
        (Owned::FromBase64, "910f"),
        (Owned::Matches(text("^x"), 0), "9310a3035e7800"),
        (Owned::Matches(text("^x"), regex::IGNORE_CASE), "9310a3035e7801"),
        (Owned::Insert { index: 1, value: x(), flags: 0 }, "943201a2037800"),
        (Owned::Overwrite { index: 1, value: x(), flags: 0 }, "943301a2037800"),
        (Owned::Concat(list, 0), "933492a20378a2037900"),
        (Owned::Snip { start: 1, end: None, flags: 0 }, "923501"),
        (Owned::Snip { start: 1, end: Some(2), flags: 0 }, "9435010200"),
        (Owned::Snip { start: 1, end: Some(2), flags: write::NO_FAIL }, "9435010204"),
        (pair(false, 0), "933692a20378a2037900"),
        (pair(true, 0), "933792a20378a2037900"),
        (Owned::Change(Change::Upper, 0), "923800"),
        (Owned::Change(Change::Lower, 0), "923900"),
        (Owned::Change(Change::FoldCase, 0), "923a00"),
        (Owned::Change(Change::Normalize, 0), "923b00"),
        (Owned::Change(Change::TrimStart, 0), "923c00"),
        (Owned::Change(Change::TrimEnd, 0), "923d00"),
        (Owned::Change(Change::Trim, 0), "923e00"),
        (pad(false), "943f05a2032d00"),
        (pad(true), "944005a2032d00"),
        (Owned::Repeat(3, 0), "93410300"),
        (matches(0, 0), "944292a20378a203790000"),
        (matches(regex::ALL, write::NO_FAIL), "944292a20378a203791004"),
        (Owned::Append(x(), 0), "9343a2037800"),
        (Owned::Prepend(x(), write::NO_FAIL), "9344a2037804"),
    ];
    for (op, expected) in cases {
        let mut out = Vec::new();
        op.encode::<Vec<u8>>(&[], &mut out);
        assert_eq!(hex(&out), expected, "{op:?}");
        if expected.is_empty() {
            continue;
        }
        let decoded = Request::decode(&out).unwrap();
        let mut again = Vec::new();
        decoded.op.encode::<&[u8]>(&decoded.context, &mut again);
        assert_eq!(again, out, "{op:?}");
        assert_eq!((decoded.op.modifies(), decoded.op.flags()), (op.modifies(), op.flags()));
        for end in 0..out.len() {
            assert!(Request::decode(&out[..end]).is_err(), "{op:?} cut at {end}");
        }
    }
}

#[test]
fn operations_inside_lists_and_maps_are_wrapped() {
    let path = [Step::map_key(text("k"))];
    let mut out = Vec::new();
    Owned::Length.encode(&path, &mut out);
    assert_eq!(hex(&out), "93ccff9222a2036b9100");
    let mut out = Vec::new();
    Owned::Change(Change::Upper, write::NO_FAIL).encode(&path, &mut out);
    assert_eq!(hex(&out), "93ccff9222a2036b923804");
    assert_eq!(Request::decode(&out).unwrap().context.len(), 1);
}

#[test]
fn flags_without_an_end_do_not_become_one() {
    let mut out = Vec::new();
    Owned::Snip { start: 1, end: None, flags: 4 }.encode::<Vec<u8>>(&[], &mut out);
    assert_eq!(hex(&out), "943501ce0800000004");
}

#[test]
fn malformed_operations_are_parameter_errors() {
    for bytes in [
        &[][..],
        &[0x90],
        &[0x91, 17],
        &[0x91, 69],
        &[0x92, 0, 1],
        &[0x93, 54, 0x91, 0xa1, 0],
        &[0x93, 54, 0xa1, 3, 0],
        &[0x92, 1, 0xa1, 3],
    ] {
        assert_eq!(Request::decode(bytes).unwrap_err(), ResultCode::PARAMETER, "{bytes:?}");
    }
}
