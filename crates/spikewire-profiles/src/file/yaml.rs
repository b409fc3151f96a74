//! YAML, with the line of each key. Words mean what they do in YAML 1.1: `yes` and `on` are true.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput, Tag};
use spikewire_options::Literal;

use super::document::{Content, DEEPEST, Document, Node, SyntaxError, TOO_DEEP, line_at};

/// More values than any valid file; aliases multiply them.
const MOST: usize = 100_000;

type Result<T> = std::result::Result<T, SyntaxError>;

pub(super) fn parse(text: &str) -> Result<Document> {
    let is_special =
        |char: char| char.is_control() && !matches!(char, '\t' | '\n' | '\r' | '\u{85}');
    if let Some(at) = text.find(is_special) {
        let line = Some(line_at(text, at));
        return Err(SyntaxError::new("special characters are not allowed", line));
    }
    let parser = Parser::new_from_str(text);
    let mut reader = Reader { parser, anchors: HashMap::new(), values: 0 };
    match reader.document()? {
        None | Some(Node { content: Content::Leaf(Literal::None), .. }) => Ok(Document(Vec::new())),
        Some(Node { content: Content::Map(entries), .. }) => Ok(Document(entries)),
        Some(_) => Err(SyntaxError::new("the file must map profile names to profiles", Some(1))),
    }
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    /// The values that have names; of one that is being read, nothing.
    anchors: HashMap<usize, Option<Content>>,
    values: usize,
}

fn scan(error: ScanError) -> SyntaxError {
    let (message, line) = (error.info(), error.marker().line());
    if message.contains("recursion") || message.contains("depth") {
        return SyntaxError::new(TOO_DEEP, None);
    }
    SyntaxError::new(message, Some(line))
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span)> {
        match self.parser.next_event() {
            Some(event) => event.map_err(scan),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    /// The only document.
    fn document(&mut self) -> Result<Option<Node>> {
        let mut only = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => return Ok(only),
                Event::DocumentStart(_) if only.is_some() => {
                    let message = "there must be a single document";
                    return Err(SyntaxError::new(message, Some(span.start.line())));
                }
                Event::DocumentStart(_) => {
                    let (event, span) = self.next()?;
                    let content = self.value(event, span, &mut Vec::new(), 0)?;
                    only = Some(Node { line: None, content });
                }
                _ => {}
            }
        }
    }

    fn value(
        &mut self,
        event: Event<'a>,
        span: Span,
        path: &mut Vec<String>,
        depth: usize,
    ) -> Result<Content> {
        let line = span.start.line();
        self.values += 1;
        if depth > DEEPEST || self.values > MOST {
            return Err(SyntaxError::new(TOO_DEEP, None));
        }
        let (anchor, content) = match event {
            Event::Alias(anchor) => {
                let Some(Some(content)) = self.anchors.get(&anchor).cloned() else {
                    let message = "an alias must not be inside of what it stands for";
                    let key = path.join(".");
                    return Err(SyntaxError { key, ..SyntaxError::new(message, Some(line)) });
                };
                self.values += size(&content);
                return Ok(content);
            }
            Event::Scalar(text, style, anchor, tag) => {
                (anchor, Content::Leaf(scalar(&text, style, tag.as_deref(), line)?))
            }
            Event::SequenceStart(anchor, tag) => {
                untagged(tag.as_deref(), "seq", line)?;
                self.anchors.insert(anchor, None);
                let mut elements = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break,
                        (event, span) => {
                            let content = self.value(event, span, path, depth + 1)?;
                            elements.push(Node { line: None, content }.value());
                        }
                    }
                }
                (anchor, Content::Leaf(Literal::List(elements)))
            }
            Event::MappingStart(anchor, tag) => {
                untagged(tag.as_deref(), "map", line)?;
                self.anchors.insert(anchor, None);
                (anchor, Content::Map(self.entries(path, depth)?))
            }
            _ => return Err(SyntaxError::new("a value is missing", Some(line))),
        };
        self.anchors.insert(anchor, Some(content.clone()));
        Ok(content)
    }

    fn entries(&mut self, path: &mut Vec<String>, depth: usize) -> Result<Vec<(String, Node)>> {
        let mut entries: Vec<(String, Node)> = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                return Ok(entries);
            }
            let line = Some(span.start.line());
            let wrong = |message: &str, path: &[String], key: &str| {
                let key = [path, &[key.to_owned()]].concat().join(".");
                Err(SyntaxError { key, ..SyntaxError::new(message, line) })
            };
            if let Event::Scalar(text, ScalarStyle::Plain, ..) = &event
                && text == "<<"
            {
                return wrong("merge keys are not supported: use `derives`", path, "<<");
            }
            let key = match self.value(event, span, path, depth + 1)? {
                Content::Leaf(Literal::Text(key)) => key,
                Content::Leaf(key) => {
                    return wrong("keys must be strings", path, &key.to_string());
                }
                Content::Map(_) => return wrong("keys must be strings", path, "{}"),
            };
            if entries.iter().any(|(known, _)| *known == key) {
                return wrong("the key occurs twice", path, &key);
            }
            path.push(key.clone());
            let (event, span) = self.next()?;
            let content = self.value(event, span, path, depth + 1)?;
            path.pop();
            entries.push((key, Node { line, content }));
        }
    }
}

fn size(content: &Content) -> usize {
    fn of(value: &Literal) -> usize {
        match value {
            Literal::List(elements) => 1 + elements.iter().map(of).sum::<usize>(),
            Literal::Map(entries) => 1 + entries.iter().map(|(_, it)| of(it)).sum::<usize>(),
            _ => 1,
        }
    }
    match content {
        Content::Leaf(value) => of(value),
        Content::Map(entries) => {
            1 + entries.iter().map(|(_, node)| size(&node.content)).sum::<usize>()
        }
    }
}

/// Rejects tags other than that of what it is.
fn untagged(tag: Option<&Tag>, name: &str, line: usize) -> Result<()> {
    match tag {
        None => Ok(()),
        Some(tag) if tag.is_yaml_core_schema() && tag.suffix == name => Ok(()),
        Some(tag) => Err(no_such(tag, line)),
    }
}

fn no_such(tag: &Tag, line: usize) -> SyntaxError {
    let message = format!("there are no values with the tag {}{}", tag.handle, tag.suffix);
    SyntaxError::new(message, Some(line))
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>, line: usize) -> Result<Literal> {
    let Some(tag) = tag else {
        let is_plain = style == ScalarStyle::Plain;
        return Ok(if is_plain { plain(text) } else { Literal::Text(text.to_owned()) });
    };
    if !tag.is_yaml_core_schema() {
        return Err(no_such(tag, line));
    }
    let value = plain(text);
    if tag.suffix == "str" {
        return Ok(Literal::Text(text.to_owned()));
    }
    let fits = matches!(
        (&*tag.suffix, &value),
        ("null", Literal::None)
            | ("bool", Literal::Flag(_))
            | ("int" | "float", Literal::Number(_))
    );
    if fits { Ok(value) } else { Err(no_such(tag, line)) }
}

/// A scalar without quotes.
fn plain(text: &str) -> Literal {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Literal::None,
        "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Literal::Flag(true);
        }
        "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Literal::Flag(false);
        }
        _ => {}
    }
    let (sign, digits) = match text.as_bytes().first() {
        Some(b'-') => (-1.0, &text[1..]),
        Some(b'+') => (1.0, &text[1..]),
        _ => (1.0, text),
    };
    number(digits).map_or_else(|| Literal::Text(text.to_owned()), |it| Literal::Number(sign * it))
}

fn number(digits: &str) -> Option<f64> {
    match digits {
        ".inf" | ".Inf" | ".INF" => return Some(f64::INFINITY),
        ".nan" | ".NaN" | ".NAN" => return Some(f64::NAN),
        _ => {}
    }
    let radix = |digits: &str, radix| {
        let digits: String = digits.chars().filter(|char| *char != '_').collect();
        let is_number = !digits.is_empty() && digits.chars().all(|char| char.is_digit(radix));
        let number = is_number.then(|| u64::from_str_radix(&digits, radix).ok()).flatten();
        number.map(|number| number as f64)
    };
    if let Some(digits) = digits.strip_prefix("0b") {
        return radix(digits, 2);
    }
    if let Some(digits) = digits.strip_prefix("0x") {
        return radix(digits, 16);
    }
    let first = digits.bytes().next()?;
    if digits.len() > 1
        && first == b'0'
        && digits.bytes().all(|it| matches!(it, b'0'..=b'7' | b'_'))
    {
        return radix(&digits[1..], 8);
    }
    let is_whole = first.is_ascii_digit()
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
        && (first != b'0' || digits.len() == 1);
    if is_whole || is_decimal(digits) {
        let digits: String = digits.chars().filter(|char| *char != '_').collect();
        return digits.parse().ok();
    }
    None
}

/// Whether it has a point; an exponent has a sign.
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let Some((whole, part)) = mantissa.split_once('.') else { return false };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let starts = |text: &str| text.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    let has_exponent = exponent.is_none_or(|exponent| {
        exponent.strip_prefix(['+', '-']).is_some_and(|it| !it.is_empty() && digits(it))
    });
    digits(whole)
        && digits(part)
        && (starts(whole) || whole.is_empty() && starts(part))
        && has_exponent
}
