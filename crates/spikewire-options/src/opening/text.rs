//! The text of an option, from a URL or a variable, as a value of the option's type. The engine
//! checks the values.

use std::borrow::Cow;

use crate::{InvalidArgument, Literal};

/// What the text of an option means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextType {
    /// The text itself.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// `true` or `false`, `yes` or `no`, `1` or `0`.
    Flag,
    /// An integer.
    Whole,
    /// A number.
    Number,
    /// A time in seconds, or with a unit.
    Span,
    /// A time, or a percentile of latencies.
    SpanOrPercentile,
    /// Two times separated by a comma.
    TwoSpans,
    /// Integers separated by commas.
    Wholes,
    /// Strings by name: `a=b,c=d`.
    Pairs,
    /// No text has its meaning: it is an object of the program.
    Object,
    /// The same as another type, or `none`.
    Optional(&'static TextType),
}

/// Whether an option's value must never be shown.
pub fn is_secret(name: &str) -> bool {
    name.contains("password") || name.contains("private_key")
}

/// What texts can set.
pub(super) struct Known {
    pub options: Vec<(&'static str, TextType)>,
    /// What sets the others.
    pub argument: &'static str,
}

/// The value of an option. The error names its source, `place`.
pub(super) fn convert(
    name: &str,
    text: &str,
    known: &Known,
    place: &str,
) -> Result<Literal, InvalidArgument> {
    let Some((_, kind)) = known.options.iter().find(|(known, _)| *known == name) else {
        let mut names: Vec<&str> = known.options.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        return Err(InvalidArgument::of_value(format!(
            "{place}: there is no option {}; there are: {}",
            quoted(name),
            names.join(", ")
        )));
    };
    let kind = match kind {
        TextType::Optional(_) if text == "none" => return Ok(Literal::None),
        TextType::Optional(kind) => **kind,
        kind => *kind,
    };
    if kind == TextType::Object {
        let argument = known.argument;
        return Err(InvalidArgument::of_value(format!(
            "{place}: it takes an object, not text; pass it as {argument}"
        )));
    }
    value(kind, text).map_err(|expected| {
        let detail =
            if is_secret(name) { String::new() } else { format!(", not {}", quoted(text)) };
        InvalidArgument::of_value(format!("{place}: it must be {expected}{detail}"))
    })
}

/// The value of a text, or what it should have been.
fn value(kind: TextType, text: &str) -> Result<Literal, Cow<'static, str>> {
    let expected = |what: &'static str| Cow::Borrowed(what);
    match kind {
        TextType::Text => Ok(Literal::Text(text.to_owned())),
        TextType::Word(words) if words.contains(&text) => Ok(Literal::Text(text.to_owned())),
        TextType::Word(words) => Err(Cow::Owned(
            words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" or "),
        )),
        TextType::Flag => match text.to_lowercase().as_str() {
            "true" | "yes" | "1" => Ok(Literal::Flag(true)),
            "false" | "no" | "0" => Ok(Literal::Flag(false)),
            _ => Err(expected("true or false")),
        },
        TextType::Whole => {
            whole(text).map(Literal::Number).ok_or_else(|| expected("a whole number"))
        }
        TextType::Number => decimal(text).map(Literal::Number).ok_or_else(|| expected("a number")),
        TextType::SpanOrPercentile if text.starts_with('p') => Ok(Literal::Text(text.to_owned())),
        TextType::Span | TextType::SpanOrPercentile => span(text)
            .map(Literal::Span)
            .ok_or_else(|| expected("a time in seconds, or with a unit: 0.25, 250ms, 2s, 5min")),
        TextType::TwoSpans => {
            let Some((first, second)) = text.split_once(',').filter(|(_, it)| !it.contains(','))
            else {
                return Err(expected("two times separated by a comma, such as 100ms,30s"));
            };
            Ok(Literal::List(vec![value(TextType::Span, first)?, value(TextType::Span, second)?]))
        }
        TextType::Wholes => {
            let numbers = text.split(',').map(|part| whole(part).map(Literal::Number));
            numbers
                .collect::<Option<Vec<_>>>()
                .map(Literal::List)
                .ok_or_else(|| expected("whole numbers separated by commas"))
        }
        TextType::Pairs => {
            let pairs = text.split(',').map(|part| {
                let (name, value) = part.split_once('=')?;
                let is_pair = !name.is_empty() && !value.is_empty();
                is_pair.then(|| (name.to_owned(), Literal::from(value)))
            });
            pairs.collect::<Option<Vec<_>>>().map(Literal::Map).ok_or_else(|| {
                expected("pairs separated by commas, such as 10.0.0.1=192.0.2.1,10.0.0.2=192.0.2.2")
            })
        }
        TextType::Object | TextType::Optional(_) => Err(expected("something else")),
    }
}

fn whole(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_whole = matches!(digits.len(), 1..=20) && digits.bytes().all(|it| it.is_ascii_digit());
    is_whole.then(|| text.parse().ok()).flatten()
}

/// Digits with at most one point, and at least one digit.
fn decimal(text: &str) -> Option<f64> {
    let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().filter(|byte| *byte == b'.').count() <= 1;
    is_decimal.then(|| text.parse().ok()).flatten()
}

/// Seconds.
fn span(text: &str) -> Option<f64> {
    let end = text.find(|char: char| !char.is_ascii_digit() && char != '.').unwrap_or(text.len());
    let unit = match &text[end..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "min" => 60.0,
        _ => return None,
    };
    Some(decimal(&text[..end])? * unit)
}

/// A text in quotes, for messages.
pub fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for char in text.chars() {
        match char {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            _ if char == quote => out.extend(['\\', char]),
            _ if char.is_control() => {
                let code = char as u32;
                out.extend(['\\', 'x']);
                out.extend(
                    [code >> 4, code & 15].map(|it| char::from_digit(it, 16).unwrap_or('0')),
                );
            }
            _ => out.push(char),
        }
    }
    out.push(quote);
    out
}
