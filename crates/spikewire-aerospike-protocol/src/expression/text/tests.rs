use super::*;
use crate::expression::Expression as E;
use crate::value::Value;

fn reformatted(text: &str) -> String {
    match parse(text, &[]) {
        Ok(expression) => expression.to_string(),
        Err(error) => panic!("{error}\n{}", error.excerpt(text)),
    }
}

#[test]
fn expressions_parse_with_inferred_types() {
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
            // The value to compare with is missing.
            assert!(parse(text, &[]).is_err());
            continue;
        }
        assert_eq!(reformatted(text), read, "{text}");
        assert_eq!(reformatted(read), read);
    }
}

#[test]
fn paths_into_lists_and_maps_parse() {
    for (text, read) in [
        ("$.m.k > 5", "$.m.k:INT > 5"),
        ("$.m.'a key'.b:STRING == $.c", "$.m.'a key'.b:STRING == $.c:STRING"),
        ("$.m.{@'k'} > 5", "$.m.k:INT > 5"),
        ("$.m.{@5}.{@X'00'} > 5", "$.m.{@5}.{@X'00'}:INT > 5"),
        ("$.l.[0].[-1].[#0] == 'x'", "$.l.[0].[-1].[#0]:STRING == 'x'"),
        ("$.m.{0}.{#-1}.{=[1, 2]}.k == true", "$.m.{0}.{#-1}.{=[1, 2]}.k:BOOL == true"),
        ("$.l.[1:3] == [1, 2]", "$.l.[1:3] == [1, 2]"),
        ("$.l.[ : 3 ].count() == 3", "$.l.[0:3].count() == 3"),
        ("$.l.[-3:] == [1]", "$.l.[-3:] == [1]"),
        ("$.l.[#-3:-1] == [1]", "$.l.[#-3:-1] == [1]"),
        ("$.l.[=3].exists()", "$.l.[=3].exists()"),
        ("$.l.[!=3].count() > 0", "$.l.[!=3].count() > 0"),
        ("$.l.[! = 1, 'b'] == []", "$.l.[!=1, 'b'] == []"),
        ("$.l.[=1:9].count() == 1", "$.l.[=1:9].count() == 1"),
        ("$.l.[=:9].count() == 1", "$.l.[=nil:9].count() == 1"),
        ("$.l.[=1:].get(return: RANK) == [0]", "$.l.[=1:].get(return: RANK) == [0]"),
        ("$.l.[#-1:2~7] == [1]", "$.l.[#-1:2~7] == [1]"),
        ("$.m.{@'a','b'} == [1, 2]", "$.m.{@'a', 'b'} == [1, 2]"),
        ("$.m.{@'a':}.getKeys() == ['a']", "$.m.{@'a':}.getKeys() == ['a']"),
        ("$.m.{0:~'k'}.getKeyValues() == {}", "$.m.{0:~'k'}.getKeyValues() == {}"),
        ("$.m.{#0}.getKeys() == 'a'", "$.m.{#0}.getKeys():STRING == 'a'"),
        ("$.m.k.get(return: INDEX) == 0", "$.m.k.get(return: INDEX) == 0"),
        ("$.m.k.get(type: FLOAT) > $.f", "$.m.k:FLOAT > $.f:FLOAT"),
        ("$.m.k.exists() and not $.m.exists()", "$.m.k.exists() and not($.m.type() != 0)"),
        ("$.l.[].count() + $.m.{}.count() > 1", "($.l.[].count() + $.m.{}.count()) > 1"),
        ("$.m.k.[].count() == 1", "$.m.k.[].count() == 1"),
        ("$.m.k.toFloat() > 1.5", "toFloat($.m.k:INT) > 1.5"),
        ("$.m.count == 1 and $.m.{@'exists'} == 2", "$.m.count:INT == 1 and $.m.exists:INT == 2"),
    ] {
        assert_eq!(reformatted(text), read, "{text}");
        assert_eq!(reformatted(read), read);
    }
    let read = parse("$.l.[?0].[=?1].exists()", &[E::from(5_i64), E::from(6_i64)]).unwrap();
    assert_eq!(read.to_string(), "$.l.[5].[=6].exists()");
}

#[test]
fn parse_errors_name_their_span() {
    for (text, at, why) in [
        ("", 0..0, "empty"),
        ("$.a >", 5..5, "the end"),
        ("$.a = 5", 4..5, "`==`"),
        ("$.a == 1 && $.b == 2", 9..11, "`and`"),
        ("$.a > 'x' + 1", 6..13, "STRING, not INT"),
        ("$.a == $.b", 0..3, "bin \"a\""),
        ("$.c == 1 and $.a == $.b", 13..16, "bin \"a\""),
        ("1 < $.a < 3", 8..9, "chain"),
        ("$.age > 99999999999999999999", 8..28, "64 bits"),
        ("age > 1", 0..3, "$.age"),
        ("$.a.b == $.c", 0..5, "nothing says"),
        ("$.a.[1:2].b == 1", 3..9, "last part"),
        ("$.a.[=1].[0] > 1.5 + 1", 15..22, "one type"),
        ("$.a.[@1] == 1", 5..6, "no keys"),
        ("$.a.[!0] == 1", 3..8, "inverted"),
        ("$.a.[!0:1].b == 1", 3..10, "last part"),
        ("$.a.['x'] == 1", 5..8, "{@'key'}"),
        ("$.a.[2:1] == [1]", 5..8, "no size"),
        ("$.a.[-1:1] == [1]", 5..9, "no size"),
        ("$.a.[0].getKeys() == 1", 3..7, "no keys"),
        ("$.a.{0:}:INT == 1", 0..12, "gives LIST"),
        ("$.a.[0].get(return: FAST) == 1", 20..24, "VALUE"),
        ("$.a.[0].get(kind: INT) == 1", 12..16, "return:"),
        ("$.a:INT.[0] == 1", 0..11, "the bin is one"),
        ("$.a.[] == 1", 7..9, "count"),
        ("$.a.[0 == 1", 7..9, "`]`"),
        ("(1 + 2).b > 1", 0..7, "a path takes MAP"),
        ("$.a =~ /x", 7..8, "slash"),
        ("$.a =~ ", 7..7, "pattern"),
        ("$.a =~ /x/q", 7..11, "'q'"),
        ("'abc", 0..1, "quote"),
        ("${x} > 1", 0..4, "not defined"),
        ("let(x = 1, x = 2) then (${x} > 1)", 11..12, "twice"),
        ("$.nothing()", 2..9, "nothing()"),
        ("$.a == ?0", 7..9, "1 placeholder, no values"),
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
fn an_error_excerpt_marks_the_column() {
    let text = "$.a == 1\nand $.ü == 2";
    let error = parse(text, &[]).unwrap_err();
    assert_eq!(error.excerpt(text), "and $.ü == 2\n      ^");
}

#[test]
fn parameters_are_values_not_text() {
    let tricky = E::try_from(&Value::from("' or 1 == 1")).unwrap();
    let read = parse("$.name == ?0 and $.age > ?1", &[tricky, E::from(5_i64)]).unwrap();
    assert_eq!(read.to_string(), "$.name:STRING == ''' or 1 == 1' and $.age:INT > 5");
    for (text, values, why) in [
        ("$.a == 1", 1, "the text has no placeholders, 1 value was given"),
        ("$.a == ?", 3, "the text has 1 placeholder, 3 values were given"),
        ("$.a == ? and $.b == ?", 1, "the text has 2 placeholders, 1 value was given"),
        ("$.a == ?2", 3, "nothing uses the parameter ?0"),
    ] {
        let message = parse(text, &vec![E::from(5_i64); values]).unwrap_err().to_string();
        assert!(message.contains(why), "{message}");
    }
    let read = parse("$.l.[?].[=?].exists() and $.n > ?", &[5_i64, 6, 7].map(E::from)).unwrap();
    assert_eq!(
        read,
        parse("$.l.[?0].[=?1].exists() and $.n > ?2", &[5_i64, 6, 7].map(E::from)).unwrap()
    );
    for (text, why) in [
        ("? == ?0", "all have a number"),
        ("$.a == ?0 + ?", "all have a number"),
        ("? == ?", "2 placeholders"),
        ("$.a == ?x", "?0, ?1"),
    ] {
        assert!(parse(text, &[E::from(5_i64)]).unwrap_err().to_string().contains(why), "{text}");
    }
    let read = parse("?0 in [?0, 3]", &[E::from(5_i64)]).unwrap();
    assert_eq!(read.to_string(), "5 in [5, 3]");
}

#[test]
#[cfg_attr(miri, ignore = "large, and slow there")]
fn nesting_is_bounded() {
    for text in ["(", "not ", "-", "[", "{1:", "abs(", "2.0 ** ", "1 + ("] {
        assert!(parse(&text.repeat(50_000), &[]).is_err(), "{text}");
    }
    let long = vec!["$.a == 1"; 5_000].join(" and ");
    assert!(parse(&long, &[]).is_ok());
}

#[test]
fn strings_have_methods() {
    let same = |text: &str, expected: &str| {
        let bytes = parse_filter(text, &[]).unwrap().filter().unwrap();
        let hex = bytes.iter().fold(String::new(), |all, byte| format!("{all}{byte:02x}"));
        assert_eq!(hex, expected, "{text}");
    };
    same("$.a.strlen() > 3", "9303957f02039100935103a16103");
    same("$.a.find('x', 2) == 0", "9301957f02039303a2037802935103a16100");
    same("$.a.substr(1, 2) == 'x'", "9301957f030393010102935103a161a20378");
    same("$.a.upper() == 'X'", "9301957f0343923800935103a161a20358");
    same("$.n:INT.toString() == '5'", "93019263935102a16ea20335");
    let nested = parse_filter("$.m.k.lower().contains('x')", &[]).unwrap();
    assert_eq!(Expression::decode(&nested.filter().unwrap()).unwrap(), nested);
    for (text, why) in [
        ("$.a.upper(1) == 'x'", ".upper() takes 0 arguments, not 1"),
        ("$.a.contains() ", ".contains() takes 1 arguments, not 0"),
        ("$.a:INT.upper() == 'x'", "STRING"),
        ("$.a.isNumeric('hex')", "a number is 'any', 'int' or 'float'"),
        ("'x'.fly() == 1", "methods of strings, blobs"),
    ] {
        let error = parse_filter(text, &[]).unwrap_err().to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
}
