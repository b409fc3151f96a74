//! Expressions from AEL, as the embedded cluster reads them.
//!
//! AEL is rewritten, word by word, to the dialect of [`text`], whose parser
//! then reads it. What would be read differently there is refused: floats with an exponent, flags of
//! patterns other than `i`, `& | ^` side by side without parentheses. So are methods and literals
//! that the dialect does not have.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::LONGEST;
use super::name::hex;
use crate::expression::text::{self, TextError};
use crate::expression::{Expression, Fault};

/// Reads a filter, which is a bool.
pub fn read_filter(ael: &str) -> Result<Expression, Fault> {
    read_with(ael, text::parse_filter)
}

/// Reads an expression, which may be about an element of a path.
pub fn read_expression(ael: &str) -> Result<Expression, Fault> {
    read_with(ael, text::parse_element)
}

type Parse = fn(&str, &[Expression]) -> Result<Expression, TextError>;

fn read_with(ael: &str, parse: Parse) -> Result<Expression, Fault> {
    if ael.is_empty() || ael.len() > LONGEST {
        return Err(Fault::of_value("a text has 1 byte to 1 MiB"));
    }
    let rewritten = Rewriting { ael, at: 0, out: String::new(), joined: vec![None] }.whole()?;
    parse(&rewritten, &[]).map_err(|error| error.fault)
}

struct Rewriting<'a> {
    ael: &'a str,
    at: usize,
    out: String,
    /// The operator of bits that was seen on each level of brackets.
    joined: Vec<Option<char>>,
}

fn invalid<T>(why: &str) -> Result<T, Fault> {
    Err(Fault::of_value(why))
}

impl<'a> Rewriting<'a> {
    fn whole(mut self) -> Result<String, Fault> {
        while let Some(first) = self.rest().chars().next() {
            match first {
                '\'' | '"' => {
                    let text = self.quoted(first)?;
                    self.put_text(&text);
                }
                '/' if self.rest().starts_with("/*") => self.comment()?,
                '=' if self.rest().starts_with("=~") => self.pattern()?,
                '?' if !self.rest().starts_with("?(") => return invalid("a parameter"),
                'A'..='Z' | 'a'..='z' | '_' => self.word()?,
                '0'..='9' => self.number()?,
                _ => self.sign(first)?,
            }
        }
        Ok(self.out)
    }

    fn rest(&self) -> &'a str {
        &self.ael[self.at..]
    }

    /// The letters, digits and underscores that come next.
    fn name(&mut self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
        let name = &rest[..end.unwrap_or(rest.len())];
        self.at += name.len();
        name
    }

    fn put_text(&mut self, text: &str) {
        // Two texts side by side would become one.
        if self.out.ends_with('\'') {
            self.out.push(' ');
        }
        self.out.push('\'');
        self.out.push_str(&text.replace('\\', "\\\\").replace('\'', "''"));
        self.out.push('\'');
    }

    fn sign(&mut self, sign: char) -> Result<(), Fault> {
        match sign {
            '(' | '[' | '{' => self.joined.push(None),
            ')' | ']' | '}' if self.joined.len() > 1 => {
                self.joined.pop();
            }
            // A new operand: what came before is complete.
            ',' => self.joined.last_mut().map_or((), |joined| *joined = None),
            '&' | '|' | '^' if !self.rest().starts_with("&[") => {
                let joined = self.joined.last_mut().map(|joined| joined.replace(sign));
                if joined.flatten().is_some_and(|before| before != sign) {
                    return invalid("& | ^ side by side without parentheses");
                }
            }
            _ => {}
        }
        self.out.push(sign);
        self.at += sign.len_utf8();
        Ok(())
    }

    fn word(&mut self) -> Result<(), Fault> {
        let is_step = self.out.ends_with(['.', '@', '{']);
        let of_record = self.out.ends_with("$.");
        let name = self.name();
        let quote = self.rest().chars().next().filter(|next| matches!(next, '\'' | '"'));
        match (name, quote) {
            ("X" | "x", Some(quote)) if !is_step => {
                let digits = self.quoted(quote)?;
                self.out.push('X');
                self.put_text(&digits);
                return Ok(());
            }
            ("b64", Some(quote)) if !is_step => {
                let text = self.quoted(quote)?;
                let bytes =
                    STANDARD.decode(text).or_else(|_| invalid("bytes that are no base64"))?;
                self.out.push_str(&hex(&bytes));
                return Ok(());
            }
            _ => {}
        }
        let is_call = self.rest().trim_start().starts_with('(');
        let own = match name {
            "NIL" if !is_step => "nil",
            "nil" | "unknown" | "error" if !is_step => return invalid("a bare name"),
            "lastUpdateTime" if of_record && is_call => "lastUpdate",
            "timeSinceLastUpdate" if of_record && is_call => "sinceUpdate",
            "lastUpdate" | "sinceUpdate" if of_record && is_call => {
                return invalid("an unknown function of the record");
            }
            name => name,
        };
        self.out.push_str(own);
        Ok(())
    }

    fn number(&mut self) -> Result<(), Fault> {
        let number = self.name();
        let has_prefix = ["0x", "0X", "0b", "0B"].iter().any(|it| number.starts_with(it));
        if !has_prefix && !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return invalid("a number with something else than digits");
        }
        self.out.push_str(number);
        Ok(())
    }

    fn comment(&mut self) -> Result<(), Fault> {
        let Some(end) = self.rest()[2..].find("*/") else {
            return invalid("a comment without its end");
        };
        self.at += end + 4;
        self.out.push(' ');
        Ok(())
    }

    /// The value of a quoted text.
    fn quoted(&mut self, quote: char) -> Result<String, Fault> {
        let mut bytes = Vec::new();
        let text = self.rest();
        let mut letters = text.char_indices();
        letters.next();
        while let Some((at, letter)) = letters.next() {
            if letter == quote {
                self.at += at + 1;
                return String::from_utf8(bytes).or_else(|_| invalid("a text that is not UTF-8"));
            }
            if letter != '\\' {
                bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
            bytes.push(match letters.next() {
                Some((_, escape @ ('\\' | '"' | '\''))) => escape as u8,
                Some((_, 'n')) => b'\n',
                Some((_, 'r')) => b'\r',
                Some((_, 't')) => b'\t',
                Some((_, '0')) => 0,
                Some((_, 'x')) => {
                    let mut digit = || letters.next().and_then(|(_, digit)| digit.to_digit(16));
                    match (digit(), digit()) {
                        (Some(high), Some(low)) => (high << 4 | low) as u8,
                        _ => return invalid("\\x without two hexadecimal digits"),
                    }
                }
                _ => return invalid("an unknown escape in a text"),
            });
        }
        invalid("a text without its closing quote")
    }

    /// `=~ /pattern/flags`.
    fn pattern(&mut self) -> Result<(), Fault> {
        let rest = self.rest();
        let start = 2 + rest[2..].len() - rest[2..].trim_start().len();
        let mut letters = rest[start..].char_indices();
        if letters.next() != Some((0, '/')) {
            return invalid("a pattern is written /pattern/");
        }
        let mut end = None;
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\\' => {
                    letters.next();
                }
                '/' => {
                    end = Some(start + at + 1);
                    break;
                }
                _ => {}
            }
        }
        let Some(end) = end else { return invalid("a pattern without its closing slash") };
        self.at += end;
        self.out.push_str(&rest[..end]);
        let flags = self.name();
        if !matches!(flags, "" | "i") {
            return invalid("a pattern with flags other than i");
        }
        self.out.push_str(flags);
        Ok(())
    }
}
