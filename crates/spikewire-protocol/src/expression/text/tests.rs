use super::*;
use crate::expression::Expression as E;
use crate::value::Value;

fn shown(text: &str) -> String {
    match parse(text, &[]) {
        Ok(found) => found.to_string(),
        Err(error) => panic!("{error}\n{}", error.shown(text)),
    }
}

#[test]
fn texts_are_read() {
    for (text, read) in [
        ("$.age > 25", "$.age:INT > 25"),
        ("25 < $.age", "25 < $.age:INT"),
        (
            "$.a == 1 and $.b == 'x' or not $.c == 2.5",
            "($.a:INT == 1 and $.b:STRING == 'x') or not($.c:FLOAT == 2.5)",
        ),
        ("$.a + 2 * $.b - 1 >= 0", "(($.a:INT + (2 * $.b:INT)) - 1) >= 0"),
        ("$.a ** 2.0 ** 3.0 < 1.0", "($.a:FLOAT ** (2.0 ** 3.0)) < 1.0"),
        ("-2.0 ** 2.0 == -$.x", "(-2.0 ** 2.0) == -($.x:FLOAT)"),
        ("$.a & 0xff << 1 == 0b11", "($.a:INT & (255 << 1)) == 3"),
        ("$.a:INT == $.b", "$.a:INT == $.b:INT"),
        ("$.'a name' =~ /^a\\/[bc]+/i", "$.'a name':STRING =~ /^a\\/[bc]+/i"),
        ("$.t in [1, 'two', [3.0], {'a': nil}]", "$.t in [1, 'two', [3.0], {'a': nil}]"),
        (
            "when($.a > 1 => 'x', default => $.n) == 'x'",
            "when($.a:INT > 1 => 'x', default => $.n:STRING) == 'x'",
        ),
        (
            "let(x = $.a + 1, y = ${x} * 2) then (${y} > ${x})",
            "let(x = $.a:INT + 1, y = ${x} * 2) then (${y} > ${x})",
        ),
        ("$.a.exists() and $.b.type() != 3", "$.a.type() != 0 and $.b.type() != 3"),
        ("$.ttl() < 60 and $.digestModulo(3) == 0", "$.ttl() < 60 and $.digestModulo(3) == 0"),
        ("$.key():INT == 5 or $.key() == 'k'", "$.key():INT == 5 or $.key():STRING == 'k'"),
        (
            "exclusive($.a, $.b == X'C0ff', unknown)",
            "exclusive($.a:BOOL, $.b:BLOB == X'C0FF', unknown)",
        ),
        ("abs($.a) + max($.b, 3) == 1 /* sum */", "(abs($.a:INT) + max($.b:INT, 3)) == 1"),
        ("$.a.toFloat() / 2.0 > pow($.b, 0.5)", "(toFloat($.a:INT) / 2.0) > ($.b:FLOAT ** 0.5)"),
        ("geoCompare($.spot, geoJson('{}'))", "geoCompare($.spot:GEO, geoJson('{}'))"),
        ("-9223372036854775808 == $.a", "-9223372036854775808 == $.a:INT"),
        ("\"say \"\"it's\"\"\" == $.a", "'say \"it''s\"' == $.a:STRING"),
    ] {
        if text.starts_with("$.t in") {
            // Nothing says what is looked for.
            assert!(parse(text, &[]).is_err());
            continue;
        }
        assert_eq!(shown(text), read, "{text}");
        assert_eq!(shown(read), read);
    }
}

#[test]
fn errors_say_where() {
    for (text, at, why) in [
        ("", 0..0, "empty"),
        ("$.a >", 5..5, "the end"),
        ("$.a = 5", 4..5, "`==`"),
        ("$.a == 1 && $.b == 2", 9..11, "`and`"),
        ("$.a > 'x' + 1", 6..13, "one type"),
        ("$.a == $.b", 0..3, "bin \"a\""),
        ("$.c == 1 and $.a == $.b", 13..16, "bin \"a\""),
        ("1 < $.a < 3", 8..9, "chain"),
        ("$.age > 99999999999999999999", 8..28, "64 bits"),
        ("age > 1", 0..3, "$.age"),
        ("$.a.b > 1", 4..5, "paths"),
        ("$.a =~ /x", 7..8, "slash"),
        ("$.a =~ ", 7..7, "pattern"),
        ("$.a =~ /x/q", 7..11, "'q'"),
        ("'abc", 0..1, "quote"),
        ("${x} > 1", 0..4, "not defined"),
        ("let(x = 1, x = 2) then (${x} > 1)", 11..12, "twice"),
        ("$.nothing()", 2..9, "nothing()"),
        ("$.a == ?0", 7..9, "parameter"),
        ("$.a:INTEGER == 1", 4..11, "a type"),
        ("$.ä == 1", 2..4, "unexpected"),
        ("/* x", 0..2, "comment"),
        ("12ab == 1", 0..2, "run into"),
        ("when(true => 1) == 1", 14..15, "default"),
        ("$.a.exists() + 1 == 2", 0..16, "BOOL"),
    ] {
        let error = parse(text, &[]).unwrap_err();
        assert_eq!(error.at, at, "{text}: {error}");
        assert!(error.to_string().contains(why), "{text}: {error}");
    }
    assert!(parse_filter("$.a + 1", &[]).is_err());
    assert_eq!(parse_filter("$.a", &[]).unwrap().to_string(), "$.a:BOOL");
}

#[test]
fn a_mark_shows_the_place() {
    let text = "$.a == 1\nand $.ü == 2";
    let error = parse(text, &[]).unwrap_err();
    assert_eq!(error.shown(text), "and $.ü == 2\n      ^");
}

#[test]
fn parameters_are_values_not_text() {
    let tricky = E::try_from(&Value::from("' or 1 == 1")).unwrap();
    let read = parse("$.name == ?0 and $.age > ?1", &[tricky, E::from(5_i64)]).unwrap();
    assert_eq!(read.to_string(), "$.name:STRING == ''' or 1 == 1' and $.age:INT > 5");
    assert!(parse("$.a == 1", &[E::from(5_i64)]).unwrap_err().to_string().contains("?0"));
    let read = parse("?0 in [?0, 3]", &[E::from(5_i64)]).unwrap();
    assert_eq!(read.to_string(), "5 in [5, 3]");
}

#[test]
fn nesting_is_bounded() {
    for text in ["(", "not ", "-", "[", "{1:", "abs(", "2.0 ** ", "1 + ("] {
        assert!(parse(&text.repeat(50_000), &[]).is_err(), "{text}");
    }
    let long = vec!["$.a == 1"; 5_000].join(" and ");
    assert!(parse(&long, &[]).is_ok());
}
