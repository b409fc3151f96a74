use super::read::{read_expression, read_filter};
use crate::expression::text::{parse, parse_filter};
use crate::expression::{Expression, Type};

fn ael(text: &str) -> String {
    parse_filter(text, &[]).unwrap_or_else(|error| panic!("{text}: {error}")).ael().unwrap()
}

fn reason(text: &str) -> String {
    let tree = parse_filter(text, &[]).unwrap_or_else(|error| panic!("{text}: {error}"));
    tree.ael().expect_err(text).to_string()
}

/// The text in section 5.1 of the protocol notes.
#[test]
fn a_comparison_with_a_constant_needs_no_type() {
    assert_eq!(ael("$.age >= 18"), "$.age >= 18");
    assert_eq!(ael("'x' == $.a and $.b > 2.5"), "'x' == $.a and $.b > 2.5");
    assert_eq!(ael("$.a:INT == $.b"), "$.a:INT == $.b:INT");
    assert_eq!(ael("$.ok"), "$.ok:BOOL");
}

/// What is rendered, read as a server does, is the same expression.
#[test]
fn whatever_becomes_ael_is_read_as_the_same_expression() {
    let texts = [
        "$.age >= 18",
        "$.age > -5 and $.age < 0x20 or not ($.name == 'x')",
        "($.a == 1 or $.b == 2) and ($.c == 3 or $.d == 4)",
        "$.n % 3 == 1",
        "($.a:INT + 1) * 2 - $.b > 7",
        "$.a - ($.b:INT - $.c) == 0",
        "$.f ** 2.0 > 1e300",
        "$.f > 1e-7 and $.f < 0.1",
        "-($.a:INT) == 4 and abs($.a) > 2",
        "(~$.a & 7 | 8) == 0 and ($.a << 2) >> 1 != $.a >>> 3",
        "$.a:INT in [1, 2, -3] and $.s:STRING in ['a', 'b''c']",
        "$.b == X'C0FFEE'",
        "'it''s' == $.s and $.\"a b\" == 1 and $.'in' == 2",
        "$.s == 'back\\\\slash \u{e9}\u{4e2d}\u{1f600} \"quoted\"'",
        "$.m.key == 1 and $.m.'two words'.sub > 'x' and $.l.[0] == 5 and $.l.[-1].k == true",
        "$.m.a:INT + $.l.[2]:INT > 3",
        "$.a.exists() and not $.b.exists()",
        "$.ttl() > 100 and $.lastUpdate() > 5 and $.sinceUpdate() < 9 and $.setName() == 'u'",
        "$.digestModulo(3) == 1 and $.keyExists() and not $.isTombstone()",
        "exclusive($.a == 1, $.b == 2, $.c == 3)",
        "when($.n > 3 => 'many', $.n == 3 => 'three', default => 'few') == $.word",
        "let(x = $.a:INT + 1, y = ${x} * 2) then (${y} > 3 and ${x} < 9)",
        "geoCompare($.place, geoJson('{\"type\":\"Point\",\"coordinates\":[1,2]}'))",
        "min($.a, 3) < max($.b:FLOAT, 2.5).toInt() and $.f.toInt() == 2",
        "$.n:INT.toString() == '5'",
        "countOneBits($.a) > 2 and findBitLeft($.a, true) == 1",
        "($.a == 1) == $.ok",
    ];
    for text in texts {
        let tree = parse_filter(text, &[]).unwrap_or_else(|error| panic!("{text}: {error}"));
        let rendered = tree.ael().unwrap_or_else(|error| panic!("{text}: {error}"));
        let read = read_filter(&rendered).unwrap_or_else(|fault| panic!("{rendered}: {fault}"));
        assert_eq!(read.filter(), tree.filter(), "{text} became {rendered}");
    }
}

#[test]
fn strings_are_escaped_as_servers_read_them() {
    let text = "O'Neil \\ \"x\" \n\r\t\0\u{7f} \u{e9}\u{1f600}";
    let tree = parse_filter("$.s == ?0", &[text.try_into_expression()]).unwrap();
    let expected = "$.s == 'O\\'Neil \\\\ \"x\" \\n\\r\\t\\x00\\x7f \u{e9}\u{1f600}'";
    assert_eq!(tree.ael().unwrap(), expected);
    assert_eq!(read_filter(expected).unwrap(), tree);
    // A text that looks like more of the filter stays a text.
    let text = "' or true or 'a' == '";
    let tree = parse_filter("$.s == ?0", &[text.try_into_expression()]).unwrap();
    assert_eq!(read_filter(&tree.ael().unwrap()).unwrap(), tree);
    let quoted = Expression::bin("a\"b\\c").unwrap().refined(Type::Bool, "a filter").unwrap();
    assert_eq!(quoted.ael().unwrap(), "$.\"a\\\"b\\\\c\":BOOL");
    assert_eq!(read_filter("$.\"a\\\"b\\\\c\":BOOL").unwrap(), quoted);
}

#[test]
fn what_means_something_else_there_is_not_rendered() {
    for (text, part) in [
        ("$.name =~ /^a/", "a pattern"),
        ("$.m == {'a': 1}", "a list or map"),
        ("$.l == [1, 2]", "a list or map"),
        ("$.a:INT in []", "an empty list"),
        ("$.a:INT in [[1], 2]", "a list with"),
        ("$.l.[].count() > 2", "an operation on a list"),
        ("$.l.[#0] == 2", "an operation on a list"),
        ("$.m.{@5} == 2", "a map key that is not text"),
        ("$.s.startsWith('a')", "an operation on a list, map, string"),
        ("$.l.[?(@ > 5)].count() > 1", "an operation on a list"),
        ("$.a.type() == 1", "`.type()`"),
        ("$.key() == 'a'", "`$.key()`"),
        ("unknown or $.a == 1", "`unknown`"),
        ("$.a == -9223372036854775808", "the least integer"),
        ("5 in mapKeys($.m)", "`mapKeys`"),
    ] {
        let why = reason(text);
        assert!(why.starts_with(part), "{text}: {why}");
    }
}

#[test]
fn ael_is_refused_where_it_would_be_read_differently() {
    for text in [
        "",
        "$.a == ?0",
        "$.a == ?",
        "$.a == 1e9",
        "$.a == nil",
        "unknown",
        "$.a == 'it''s'",
        "$.a == '\\q'",
        "$.a == '\\xff'",
        "$.a == 'open",
        "$.a =~ /x/m",
        "$.a =~ /x/n",
        "$.s.replaceAll(pattern: /x/n, replacement: 'y') == 'z'",
        "$.a == .5e3",
        "$.sinceUpdate() > 1",
        "$.a == \"x\"\"y\"",
        "$.a =~ /x",
        "$.lastUpdate() > 1",
        "$.a == b64'?'",
        "/* open",
        "$.a:INT",
    ] {
        assert!(read_filter(text).is_err(), "{text}");
    }
    let same = |ael: &str, own: &str| {
        let read = read_expression(ael).unwrap_or_else(|fault| panic!("{ael}: {fault}"));
        assert_eq!(read, parse(own, &[]).unwrap(), "{ael}");
    };
    same("$.a == b64'AQI=' /* two bytes */", "$.a == X'0102'");
    same("$.s =~ /^a\\/'b/i", "$.s =~ /^a\\/'b/i");
    same("NIL", "nil");
    same("$.lastUpdateTime()", "$.lastUpdate()");
    same("$.lastUpdateTime == 1", "$.lastUpdateTime == 1");
    same("(($.a & 1) | 2) == 3", "(($.a & 1) | 2) == 3");
    same("$.a & 1 | 2 == 3", "(($.a & 1) | 2) == 3");
    same("$.s.replace('a', 'nil') == '?'", "$.s.replace('a', 'nil') == '?'");
    same("$.nil.unknown == 1", "$.nil.unknown == 1");
}

trait IntoExpression {
    fn try_into_expression(&self) -> Expression;
}

impl IntoExpression for str {
    fn try_into_expression(&self) -> Expression {
        Expression::try_from(&crate::value::Value::Str(self.to_owned())).unwrap()
    }
}
