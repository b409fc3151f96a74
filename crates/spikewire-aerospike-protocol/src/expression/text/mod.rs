//! The text dialect of expressions: `$.age > 25 and $.country == 'US'`.
//!
//! The grammar is that of the language that servers from 8.2 on parse themselves, with differences
//! that `tests/behaviour/text_language.txt` lists and checks. Here the client parses it, so it works
//! with any server.
//!
//! | what | how |
//! |---|---|
//! | bin | `$.age`, `$."a name"`; with a type where nothing else says it: `$.a:INT == $.b` |
//! | types | `INT FLOAT BOOL STRING BLOB LIST MAP GEO HLL` |
//! | about a bin | `$.age.exists()`, `$.age.type()` (particle type) |
//! | inside lists and maps | `$.map.key.'a key'`, `$.list.[0]`, `$.map.{0}`; in the brackets an index, or behind `@` a key, `#` a rank, `=` a value; a range with `:`, several with `,`, counted from a key or value behind `~`; `!` in front: all others |
//! | many elements | `$.map:MAP.*.price`, `$.list.[?(@ > 5)].name`: `.*`, `.[*]` and `.{*}` are all elements of a list or map, `.*[?(…)]`, `.[?(…)]` and `.{?(…)}` those for which a filter is true, `.{@'a', 'b'}` those with these keys, `&[?(…)]` filters what is before it. In a filter `@` is the element, `@key` its key, `@index` its index, with a type where nothing else says it (`@:INT > @index`). Such a path gives a list of values; `.getTree() .getKeys() .getKeyValues() .count() .exists()` what they say, `.modify(@ + 1)` and `.remove()` a changed copy of the list or map. In the parentheses, `NO_FAIL` skips elements that the path does not fit |
//! | what to give of it | the value, with its type where nothing else says it (`$.a.b:INT == $.c`), `.count() .exists() .getKeys() .getKeyValues() .getIndexes() .getRanks() .getMaps() .get(return: RANK, type: INT)`; `$.list.[].count()` and `$.map.{}.count()` are sizes |
//! | about the record | `$.ttl() $.voidTime() $.lastUpdate() $.sinceUpdate() $.setName() $.recordSize() $.deviceSize() $.memorySize() $.isTombstone() $.keyExists() $.key() $.digestModulo(3)` |
//! | constants | `25 0x19 0b11 2.5 .5 1e9 true false NIL nil INF 'text' "text" X'C0FFEE' b64'wP8=' [1, *] {a: 1} geoJson('…')`, with an order `[2, 1]:SORTED`, `{a: 1}:UNORDERED`; escapes `\n \r \t \0 \" \' \\ \x41`, and a quote that is written twice |
//! | parameters | `?0`, `?1`, or each `?` the next one: the values given beside the text |
//! | logic | `and or not(…)`, `exclusive(a, b)` |
//! | comparison | `== != < <= > >=`, `in [1, 2]`, `=~ /pattern/i` (POSIX extended; `i` ignore case, `n` by lines, `b` basic syntax) |
//! | strings (servers from 8.2 on) | `.strlen() .substr(from, to) .charAt(i) .find(text, occurrence) .contains(text) .startsWith(text) .endsWith(text) .bytesLength() .isNumeric() .isUpper() .isLower() .toBlob() .split(text) .b64Decode() .insert(i, text) .overwrite(i, text) .snip(from, to) .replace(text, text) .replaceAll(text, text) .upper() .lower() .caseFold() .normalizeNFC() .trim() .trimStart() .trimEnd() .padStart(n, text) .padEnd(n, text) .repeat(n)`, and `.toString()` of numbers, strings and blobs |
//! | numbers | `+ - * / % **` (`+` joins texts), `abs min max floor ceil log pow`, `.toInt() .toFloat()` of numbers and texts |
//! | blobs, sketches | `.bitGet(offset: 0, size: 8)` and so on, `.b64Encode()`, `.hllCount()` and so on |
//! | changed copies | `$.l.append(5) $.l.[0].setTo(5) $.m.key.add(1) $.m.putItems({a: 1}) .remove() .sort() .clear()`, behind them `:NO_FAIL` and so on |
//! | bits | `& \| ^ ~ << >> >>>`, `countOneBits findBitLeft findBitRight` |
//! | others | `when(test => value, default => value)`, `let(x = …) then (…)` with `${x}`, `unknown`, `geoCompare(a, b)`, `mapKeys(m)`, `mapValues(m)`, `/* comment */` |
//!
//! From lowest to highest precedence: `or`, `and`, `not` without parentheses, comparisons (not
//! chainable), `|`, `^`, `&`, shifts, `+ -`, `* / %`, `**` (right-associative), unary `- ~ +` and
//! `not(…)`.

mod lexer;
mod own;
mod parser;

use std::fmt::Write as _;
use std::ops::Range;

pub(super) use self::own::reject as reject_own;
pub(super) use self::parser::RETURNS;
use super::{Expression, Fault};

/// Pattern flags besides 1 (extended), and their letters.
pub(super) const REGEX_FLAGS: [(i64, char); 3] = [(2, 'i'), (4, 'n'), (8, 's')];

/// Longest accepted text in bytes.
pub const LONGEST: usize = 1 << 20;

/// Why a text is not a valid expression, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault} (at byte {})", at.start)]
pub struct TextError {
    /// What is wrong.
    pub fault: Fault,
    /// The offending range of bytes in the text.
    pub at: Range<usize>,
}

impl TextError {
    fn new(at: Range<usize>, why: impl Into<String>) -> Self {
        Self { fault: Fault::of_value(why), at }
    }

    /// Where it is in `text`, as people count lines and columns: from 1, columns by letters.
    pub fn place(&self, text: &str) -> String {
        let before = &text[..floor_boundary(text, self.at.start)];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        format!("line {line}, column {}", before[start..].chars().count() + 1)
    }

    /// The offending line of `text`, with a marker below it.
    pub fn excerpt(&self, text: &str) -> String {
        let at = floor_boundary(text, self.at.start);
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
        let until = floor_boundary(text, self.at.end).clamp(at, end);
        let column = text[start..at].chars().count();
        let marks = text[at..until].chars().count().max(1);
        let mut excerpt = String::new();
        let _ = write!(excerpt, "{}\n{:column$}{}", &text[start..end], "", "^".repeat(marks));
        excerpt
    }
}

/// The last character boundary at or before `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Parses an expression. `?0` stands for the first of `parameters`, or each `?` for the next one;
/// all must be used.
///
/// ```
/// use spikewire_aerospike_protocol::expression::{Expression, text::parse};
///
/// let filter = parse("$.age > ?0 and $.country == 'US'", &[Expression::from(25_i64)])?;
/// assert_eq!(filter.to_string(), "$.age:INT > 25 and $.country:STRING == 'US'");
/// let error = parse("$.age > 'x' + 1", &[]).unwrap_err();
/// assert_eq!(error.at, 8..15);
/// # Ok::<(), spikewire_aerospike_protocol::expression::text::TextError>(())
/// ```
pub fn parse(text: &str, parameters: &[Expression]) -> Result<Expression, TextError> {
    parser::parse(text, parameters, None, false)
}

/// Parses an expression that may be about an element of a path, `@`.
pub fn parse_element(text: &str, parameters: &[Expression]) -> Result<Expression, TextError> {
    parser::parse(text, parameters, None, true)
}

/// Parses a filter of the elements of a path.
pub fn parse_element_filter(
    text: &str,
    parameters: &[Expression],
) -> Result<Expression, TextError> {
    parser::parse(text, parameters, Some(super::Type::Bool), true)
}

/// Parses an expression that must be a bool.
pub fn parse_filter(text: &str, parameters: &[Expression]) -> Result<Expression, TextError> {
    parser::parse(text, parameters, Some(super::Type::Bool), false)
}

#[cfg(test)]
mod tests;
