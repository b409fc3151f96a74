//! The lexer of text expressions.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::TextError;

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Word<'a> {
    /// A name or keyword.
    Name(&'a str),
    /// An integer without sign.
    Int(u64),
    /// A float without sign.
    Float(f64),
    /// A quoted string.
    Text(String),
    /// Bytes: `X'00'` or `b64'AA=='`.
    Bytes(Vec<u8>),
    /// A parameter by its number: `?0`, or `?` for the next one.
    Parameter(usize),
    /// A variable: `${x}`.
    Variable(&'a str),
    /// An operator, bracket or comma.
    Sign(&'static str),
    /// The end of the input.
    End,
}

/// Longer signs must come first.
const SIGNS: [&str; 38] = [
    ">>>", "?(", "**", "==", "!=", "<=", ">=", "=~", "=>", "<<", ">>", "&&", "||", "(", ")", "[",
    "]", "{", "}", ",", ":", ".", "$", "+", "-", "*", "/", "%", "&", "|", "^", "~", "<", ">", "=",
    "!", "@", "#",
];

/// Splits a text into tokens.
#[derive(Debug, Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Number of parameters without a number so far.
    unnumbered: usize,
    /// Whether there was one with a number.
    numbered: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, unnumbered: 0, numbered: false }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips white space and comments.
    fn skip(&mut self) -> Result<(), TextError> {
        loop {
            let rest = self.rest().trim_start();
            self.at = self.text.len() - rest.len();
            let Some(comment) = rest.strip_prefix("/*") else { return Ok(()) };
            let Some(end) = comment.find("*/") else {
                return Err(TextError::new(self.at..self.at + 2, "a comment without its end"));
            };
            self.at += end + 4;
        }
    }

    /// The next token and its position.
    pub(super) fn next(&mut self) -> Result<(Word<'a>, Range<usize>), TextError> {
        self.skip()?;
        let start = self.at;
        let word = self.word()?;
        Ok((word, start..self.at))
    }

    fn word(&mut self) -> Result<Word<'a>, TextError> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(Word::End) };
        match first {
            '\'' | '"' => self.quoted(first).map(Word::Text),
            'X' | 'x' if rest[1..].starts_with(['\'', '"']) => self.bytes(),
            'B' | 'b' if rest[1..].starts_with("64'") || rest[1..].starts_with("64\"") => {
                self.base64()
            }
            '0'..='9' => self.number(),
            '?' if !rest.starts_with("?(") => self.parameter(),
            '$' if rest.starts_with("${") => self.variable(),
            'A'..='Z' | 'a'..='z' | '_' => Ok(Word::Name(self.name(rest))),
            _ => {
                let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) else {
                    let at = self.at..self.at + first.len_utf8();
                    return Err(TextError::new(at, format!("unexpected {first:?}")));
                };
                self.at += sign.len();
                Ok(Word::Sign(sign))
            }
        }
    }

    /// Reads letters, digits and underscores.
    fn name(&mut self, rest: &'a str) -> &'a str {
        let end = rest
            .find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))
            .unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// A quoted string. A quote inside is doubled or escaped.
    fn quoted(&mut self, quote: char) -> Result<String, TextError> {
        let start = self.at;
        let mut text = Vec::new();
        loop {
            self.at += 1;
            let rest = self.rest();
            let Some(end) = rest.find([quote, '\\']) else {
                return Err(TextError::new(start..start + 1, "a text without its closing quote"));
            };
            text.extend_from_slice(&rest.as_bytes()[..end]);
            self.at += end;
            if self.rest().starts_with('\\') {
                text.push(self.escape()?);
                continue;
            }
            self.at += 1;
            if !self.rest().starts_with(quote) {
                break;
            }
            text.push(quote as u8);
        }
        String::from_utf8(text).map_err(|_| {
            let why = "a text is UTF-8, which these \\x are not; bytes are written X'00'";
            TextError::new(start..self.at, why)
        })
    }

    /// An escape in a quoted string, up to its last letter.
    fn escape(&mut self) -> Result<u8, TextError> {
        let letters = self.rest().as_bytes();
        let digit = |at: usize| letters.get(at).and_then(|it| char::from(*it).to_digit(16));
        let (byte, length) = match letters.get(1) {
            Some(same @ (b'\\' | b'"' | b'\'')) => (*same, 1),
            Some(b'n') => (b'\n', 1),
            Some(b'r') => (b'\r', 1),
            Some(b't') => (b'\t', 1),
            Some(b'0') => (0, 1),
            Some(b'x') => match (digit(2), digit(3)) {
                (Some(high), Some(low)) => ((high << 4 | low) as u8, 3),
                _ => return Err(self.no_escape()),
            },
            _ => return Err(self.no_escape()),
        };
        self.at += length;
        Ok(byte)
    }

    fn no_escape(&self) -> TextError {
        let why = "not an escape (\\n \\r \\t \\0 \\\" \\' \\x00); a backslash is written twice";
        TextError::new(self.at..self.at + 1, why)
    }

    fn bytes(&mut self) -> Result<Word<'a>, TextError> {
        let start = self.at;
        self.at += 1;
        let quote = if self.rest().starts_with('\'') { '\'' } else { '"' };
        let digits = self.quoted(quote)?;
        let pairs = digits.as_bytes().chunks(2).map(|pair| match pair {
            [high, low] => {
                Some((char::from(*high).to_digit(16)? << 4 | char::from(*low).to_digit(16)?) as u8)
            }
            _ => None,
        });
        pairs.collect::<Option<_>>().map(Word::Bytes).ok_or_else(|| {
            TextError::new(start..self.at, "bytes are written with two hexadecimal digits each")
        })
    }

    fn base64(&mut self) -> Result<Word<'a>, TextError> {
        let start = self.at;
        self.at += 3;
        let quote = if self.rest().starts_with('\'') { '\'' } else { '"' };
        let digits = self.quoted(quote)?;
        STANDARD.decode(digits).map(Word::Bytes).map_err(|error| {
            TextError::new(start..self.at, format!("not base64 with its padding: {error}"))
        })
    }

    /// A float that begins with its point, behind which this is.
    pub(super) fn fraction(&mut self) -> Option<f64> {
        let rest = self.rest();
        let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let float = format!("0.{}", &rest[..end]).parse().ok();
        self.at += end;
        float.filter(|_| end > 0)
    }

    fn number(&mut self) -> Result<Word<'a>, TextError> {
        let (start, rest) = (self.at, self.rest());
        for (prefix, radix) in [("0x", 16), ("0X", 16), ("0b", 2), ("0B", 2)] {
            if let Some(digits) = rest.strip_prefix(prefix) {
                self.at += 2;
                let digits = self.name(digits);
                return u64::from_str_radix(digits, radix)
                    .map(Word::Int)
                    .map_err(|_| TextError::new(start..self.at, "not an integer of 64 bits"));
            }
        }
        let bytes = rest.as_bytes();
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let mut end = digits(0);
        let mut is_float = false;
        if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
            end = digits(end + 1);
            is_float = true;
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
                end = digits(end + 1 + sign);
                is_float = true;
            }
        }
        self.at += end;
        let at = start..self.at;
        if self.rest().starts_with(|next: char| next.is_alphanumeric() || next == '_') {
            return Err(TextError::new(at, "a number and a name run into one another"));
        }
        if is_float {
            let float: f64 =
                rest[..end].parse().map_err(|_| TextError::new(at.clone(), "not a number"))?;
            if float.is_infinite() {
                return Err(TextError::new(at, "a float this large cannot be written"));
            }
            return Ok(Word::Float(float));
        }
        let int = rest[..end].parse();
        int.map(Word::Int).map_err(|_| TextError::new(at, "not an integer of 64 bits"))
    }

    fn parameter(&mut self) -> Result<Word<'a>, TextError> {
        let start = self.at;
        self.at += 1;
        let digits = self.name(self.rest());
        let number = if digits.is_empty() {
            self.unnumbered += 1;
            self.unnumbered - 1
        } else {
            self.numbered = true;
            digits.parse().map_err(|_| {
                TextError::new(start..self.at, "a parameter is written ?, or ?0, ?1 and so on")
            })?
        };
        if self.numbered && self.unnumbered > 0 {
            let message = "parameters either all have a number or none has: ? or ?0";
            return Err(TextError::new(start..self.at, message));
        }
        Ok(Word::Parameter(number))
    }

    fn variable(&mut self) -> Result<Word<'a>, TextError> {
        let start = self.at;
        self.at += 2;
        let name = self.name(self.rest());
        if name.is_empty() || !self.rest().starts_with('}') {
            return Err(TextError::new(start..self.at, "a variable is written ${name}"));
        }
        self.at += 1;
        Ok(Word::Variable(name))
    }

    /// The operand of `=~`: a pattern between slashes, then flag letters.
    pub(super) fn pattern(&mut self) -> Result<(String, &'a str, Range<usize>), TextError> {
        let space = self.rest().len() - self.rest().trim_start().len();
        self.at += space;
        let start = self.at;
        let Some(body) = self.rest().strip_prefix('/') else {
            let end = self.text.len().min(start + 1);
            return Err(TextError::new(start..end, "a pattern is written /pattern/"));
        };
        let mut pattern = String::new();
        let mut letters = body.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '/' => {
                    self.at += at + 2;
                    let flags = self.name(self.rest());
                    return Ok((pattern, flags, start..self.at));
                }
                '\\' => match letters.next() {
                    Some((_, '/')) => pattern.push('/'),
                    Some((_, other)) => pattern.extend(['\\', other]),
                    None => break,
                },
                other => pattern.push(other),
            }
        }
        Err(TextError::new(start..start + 1, "a pattern without its closing slash"))
    }
}
