//! POSIX patterns, run by an engine with linear time in the length of the text.
//!
//! A pattern is translated to that engine's syntax. Differences from the C library: patterns match
//! bytes, not letters of a locale; equivalence classes and collating elements (`[[=a=]]`,
//! `[[.a.]]`) and back-references (`\1`) are rejected; so is a pattern whose automaton would take
//! more than 1 MiB.

use regex::bytes::{Regex, RegexBuilder};
use spikewire_aerospike_protocol::result_code::ResultCode;

/// Flags, with the C library's meaning.
const EXTENDED: i64 = 1;
const IGNORE_CASE: i64 = 2;
const BY_LINES: i64 = 4;

/// Maximum length of a pattern, and of its translation, in bytes.
const LONGEST: usize = 16 << 10;
const AUTOMATON: usize = 1 << 20;
/// Shared by the patterns of an expression: the more there are, the smaller each must be.
const AUTOMATA: usize = 16 << 20;
const SMALL: usize = 4 << 10;
/// Maximum repetition count, as in the C library.
const REPEATS: u32 = 32_767;

/// Compiles a pattern of an expression that has this many patterns already. The error is the result
/// code of the rejection.
pub fn compile(pattern: &[u8], flags: i64, before: usize) -> Result<Regex, ResultCode> {
    if pattern.len() > LONGEST {
        return Err(ResultCode::PARAMETER);
    }
    let written = Writer::new(pattern, flags).write().map_err(|()| ResultCode::PARAMETER)?;
    let size = AUTOMATON.min(AUTOMATA / (before + 1)).max(SMALL);
    RegexBuilder::new(&written)
        .unicode(false)
        .case_insensitive(flags & IGNORE_CASE != 0)
        .multi_line(flags & BY_LINES != 0)
        .dot_matches_new_line(flags & BY_LINES == 0)
        .size_limit(size)
        .dfa_size_limit(size)
        .nest_limit(100)
        .build()
        .map_err(|_| ResultCode::PARAMETER)
}

/// Translates a pattern.
struct Writer<'a> {
    pattern: &'a [u8],
    at: usize,
    extended: bool,
    by_lines: bool,
    out: String,
    /// Where the last repeatable item starts in `out`, and whether it is repeated already.
    atom: Option<(usize, bool)>,
    /// Where open groups start in `out`.
    groups: Vec<usize>,
}

impl<'a> Writer<'a> {
    fn new(pattern: &'a [u8], flags: i64) -> Self {
        Self {
            pattern,
            at: 0,
            extended: flags & EXTENDED != 0,
            by_lines: flags & BY_LINES != 0,
            out: String::new(),
            atom: None,
            groups: Vec::new(),
        }
    }

    fn write(mut self) -> Result<String, ()> {
        while let Some(byte) = self.take() {
            self.one(byte)?;
        }
        if self.groups.is_empty() { Ok(self.out) } else { Err(()) }
    }

    fn take(&mut self) -> Option<u8> {
        let byte = self.pattern.get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte
    }

    fn rest(&self) -> &'a [u8] {
        &self.pattern[self.at..]
    }

    fn one(&mut self, byte: u8) -> Result<(), ()> {
        match byte {
            b'\\' => {
                let escaped = self.take().ok_or(())?;
                return self.escaped(escaped);
            }
            b'[' => return self.bracket(),
            b'.' => self.put("."),
            b'^' if self.extended || self.at_start() => self.assertion("^"),
            b'$' if self.extended || self.at_end() => self.assertion("$"),
            b'*' if self.atom.is_some() => self.repeat("*"),
            b'+' | b'?' if self.extended && self.atom.is_some() => {
                self.repeat(if byte == b'+' { "+" } else { "?" });
            }
            b'{' if self.extended && self.atom.is_some() => self.interval(b"}")?,
            b'(' if self.extended => self.open(),
            b')' if self.extended && !self.groups.is_empty() => self.close()?,
            b'|' if self.extended => self.branch(),
            _ => self.literal(byte),
        }
        Ok(())
    }

    fn escaped(&mut self, byte: u8) -> Result<(), ()> {
        match byte {
            b'(' if !self.extended => self.open(),
            b')' if !self.extended => self.close()?,
            b'{' if !self.extended => self.interval(b"\\}")?,
            b'|' if !self.extended => self.branch(),
            b'+' | b'?' if !self.extended && self.atom.is_some() => {
                self.repeat(if byte == b'+' { "+" } else { "?" });
            }
            b'1'..=b'9' => return Err(()),
            b'w' => self.put("[A-Za-z0-9_]"),
            b'W' => self.put("[^A-Za-z0-9_]"),
            b's' => self.put("[[:space:]]"),
            b'S' => self.put("[^[:space:]]"),
            b'b' => self.assertion(r"\b"),
            b'B' => self.assertion(r"\B"),
            b'<' => self.assertion(r"\b{start}"),
            b'>' => self.assertion(r"\b{end}"),
            b'`' => self.assertion(r"\A"),
            b'\'' => self.assertion(r"\z"),
            other => self.literal(other),
        }
        Ok(())
    }

    fn put(&mut self, text: &str) {
        self.atom = Some((self.out.len(), false));
        self.out.push_str(text);
    }

    fn literal(&mut self, byte: u8) {
        self.atom = Some((self.out.len(), false));
        push_byte(&mut self.out, byte);
    }

    fn assertion(&mut self, text: &str) {
        self.out.push_str(text);
        self.atom = None;
    }

    fn open(&mut self) {
        self.groups.push(self.out.len());
        self.out.push_str("(?:");
        self.atom = None;
    }

    fn close(&mut self) -> Result<(), ()> {
        let start = self.groups.pop().ok_or(())?;
        self.out.push(')');
        self.atom = Some((start, false));
        Ok(())
    }

    fn branch(&mut self) {
        self.out.push('|');
        self.atom = None;
    }

    /// Repeats the last item. An item that is already repeated becomes a group, since `a+?` would
    /// have another meaning.
    fn repeat(&mut self, how: &str) {
        let Some((start, repeated)) = self.atom else { return };
        if repeated {
            self.out.insert_str(start, "(?:");
            self.out.push(')');
        }
        self.out.push_str(how);
        self.atom = Some((start, true));
    }

    /// Bounds of a repetition; without a closing brace, an extended pattern takes it literally.
    fn interval(&mut self, end: &[u8]) -> Result<(), ()> {
        let rest = self.rest();
        let Some(len) = rest.windows(end.len()).position(|window| window == end) else {
            if self.extended {
                self.literal(b'{');
                return Ok(());
            }
            return Err(());
        };
        let text = std::str::from_utf8(&rest[..len]).map_err(|_| ())?;
        let number = |text: &str| -> Result<u32, ()> {
            let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let number = if digits { text.parse().map_err(|_| ())? } else { return Err(()) };
            if number <= REPEATS { Ok(number) } else { Err(()) }
        };
        let how = match text.split_once(',') {
            None => format!("{{{}}}", number(text)?),
            Some((low, high)) => {
                let low = if low.is_empty() { 0 } else { number(low)? };
                match high {
                    "" => format!("{{{low},}}"),
                    high => {
                        let high = number(high)?;
                        if high < low {
                            return Err(());
                        }
                        format!("{{{low},{high}}}")
                    }
                }
            }
        };
        self.at += len + end.len();
        self.repeat(&how);
        Ok(())
    }

    /// Whether an anchor would be the first thing of a basic pattern or group.
    fn at_start(&self) -> bool {
        let before = &self.pattern[..self.at - 1];
        before.is_empty() || before.ends_with(b"\\(") || before.ends_with(b"\\|")
    }

    /// Whether an anchor would be the last item.
    fn at_end(&self) -> bool {
        let rest = self.rest();
        rest.is_empty() || rest.starts_with(b"\\)") || rest.starts_with(b"\\|")
    }

    /// A set of bytes in brackets, where a backslash is literal.
    fn bracket(&mut self) -> Result<(), ()> {
        let start = self.out.len();
        self.out.push('[');
        if self.rest().starts_with(b"^") {
            self.at += 1;
            self.out.push('^');
            if self.by_lines {
                self.out.push_str(r"\n");
            }
        }
        let mut first = true;
        loop {
            let byte = self.take().ok_or(())?;
            if byte == b']' && !first {
                break;
            }
            first = false;
            if byte == b'[' && matches!(self.rest().first(), Some(b':' | b'=' | b'.')) {
                self.class()?;
                continue;
            }
            push_byte(&mut self.out, byte);
            // A range, unless the dash is the last.
            if self.rest().starts_with(b"-") && self.rest().get(1).is_some_and(|to| *to != b']') {
                self.at += 1;
                let to = self.take().ok_or(())?;
                if to == b'[' && matches!(self.rest().first(), Some(b':' | b'=' | b'.')) {
                    return Err(());
                }
                self.out.push('-');
                push_byte(&mut self.out, to);
            }
        }
        self.out.push(']');
        self.atom = Some((start, false));
        Ok(())
    }

    /// A named class: `[:alpha:]`.
    fn class(&mut self) -> Result<(), ()> {
        const NAMES: [&[u8]; 12] = [
            b"alpha", b"digit", b"alnum", b"upper", b"lower", b"space", b"blank", b"punct",
            b"print", b"graph", b"cntrl", b"xdigit",
        ];
        let name = self.rest().strip_prefix(b":").ok_or(())?;
        let class = NAMES
            .into_iter()
            .find(|known| name.strip_prefix(*known).is_some_and(|after| after.starts_with(b":]")));
        let class = class.ok_or(())?;
        self.at += class.len() + 3;
        self.out.push_str("[:");
        self.out.extend(class.iter().copied().map(char::from));
        self.out.push_str(":]");
        Ok(())
    }
}

/// Appends a literal byte, valid inside and outside of brackets.
fn push_byte(out: &mut String, byte: u8) {
    use std::fmt::Write as _;
    if byte.is_ascii_alphanumeric() {
        out.push(char::from(byte));
    } else {
        let _ = write!(out, "\\x{byte:02x}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, flags: i64, text: &str) -> bool {
        compile(pattern.as_bytes(), flags, 0).unwrap().is_match(text.as_bytes())
    }

    #[test]
    fn extended_patterns_match() {
        for (pattern, text, expected) in [
            ("^ab", "abc", true),
            ("^ab", "xab", false),
            ("b+c$", "abbc", true),
            ("a|b", "xxb", true),
            ("(ab){2}", "abab", true),
            ("(ab){2}", "ab", false),
            ("^a{,1}$", "aa", false),
            ("^[^a-c]+$", "xyz", true),
            ("^[]x]+$", "]x", true),
            ("^[a\\]+$", "a\\", true),
            ("^[[:digit:]_-]+$", "4_-", true),
            ("a.c", "a\nc", true),
            ("^\\.$", "x", false),
            ("a+?$", "b", true),
            ("^(a*)*$", "aaaa", true),
            ("*a", "*a", true),
            ("a{x", "a{x", true),
            ("\\<in\\>", "be in it", true),
            ("\\<in\\>", "being", false),
            ("^.$", "é", false), // two bytes
            ("é", "café", true),
            ("[&&~~-]", "&", true),
        ] {
            assert_eq!(matches(pattern, 1, text), expected, "{pattern:?} on {text:?}");
        }
    }

    #[test]
    fn basic_patterns_and_flags_match() {
        for (pattern, flags, text, expected) in [
            ("a+", 0, "a+", true),
            ("a+", 0, "aa", false),
            ("a\\{2\\}", 0, "aa", true),
            ("\\(ab\\)*c", 0, "ababc", true),
            ("^*a", 0, "*a", true),
            ("a^b$c", 0, "a^b$c", true),
            ("(a|b)", 0, "(a|b)", true),
            ("AB", 2, "xab", true),
            ("^b", 4, "a\nb", true),
            ("^b", 0, "a\nb", false),
            ("a.b", 4, "a\nb", false),
            ("a[^x]b", 4, "a\nb", false),
            ("a[^x]b", 0, "a\nb", true),
        ] {
            assert_eq!(matches(pattern, flags, text), expected, "{pattern:?} on {text:?}");
        }
    }

    #[test]
    fn invalid_and_oversized_patterns_are_rejected() {
        for pattern in ["(", "[", "[a", "a{2,1}", "\\", "(a)\\1", "[[:nope:]]", "[[=a=]]", "[b-a]"]
        {
            assert!(compile(pattern.as_bytes(), 1, 0).is_err(), "{pattern}");
        }
        assert!(compile(b"((a{1000}){1000}){1000}", 1, 0).is_err());
        assert!(compile(&b"(".repeat(5_000), 1, 0).is_err());
        assert!(compile(&vec![b'a'; LONGEST + 1], 1, 0).is_err());
        // Many patterns of one expression share the room.
        let large = b"(a|b){2000}";
        assert!(compile(large, 1, 0).is_ok() && compile(large, 1, 1000).is_err());
        assert!(compile(b"^abc*[d-f]$", 1, 50_000).is_ok());
        // A pattern with exponential time in backtracking engines.
        assert!(!matches("^(a|a)*$", 1, &("a".repeat(10_000) + "b")));
    }
}
