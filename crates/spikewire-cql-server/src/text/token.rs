//! Names, texts, markers and punctuation.

/// A token of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name or keyword, in lower case unless it was quoted.
    Name(String),
    /// A text in single quotes.
    Text(String),
    /// A number, a UUID or a blob.
    Literal(String),
    /// `?`, or `:name`.
    Marker,
    /// Anything else.
    Sign(char),
}

/// Splits a statement into tokens.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut rest = text.trim_start();
    let mut tokens = Vec::new();
    while let Some(first) = rest.chars().next() {
        let (token, after) = match first {
            '\'' => {
                let (text, after) = quoted(rest, '\'')?;
                (Token::Text(text), after)
            }
            '"' => {
                let (name, after) = quoted(rest, '"')?;
                (Token::Name(name), after)
            }
            '?' => (Token::Marker, &rest[1..]),
            ':' if rest[1..].starts_with(|c: char| c.is_alphabetic()) => {
                (Token::Marker, word(&rest[1..]).1)
            }
            _ if first.is_alphabetic() => {
                let (name, after) = word(rest);
                (Token::Name(name.to_lowercase()), after)
            }
            _ if first.is_ascii_digit() || first == '-' => {
                let end =
                    rest[1..].find(|c: char| !is_of_literal(c)).map_or(rest.len(), |at| at + 1);
                (Token::Literal(rest[..end].to_owned()), &rest[end..])
            }
            _ => (Token::Sign(first), &rest[first.len_utf8()..]),
        };
        tokens.push(token);
        rest = after.trim_start();
    }
    Ok(tokens)
}

fn is_of_literal(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+')
}

fn word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    text.split_at(end)
}

/// The contents of quotes (doubled quotes stand for one), and the rest.
fn quoted(text: &str, quote: char) -> Result<(String, &str), String> {
    let mut content = String::new();
    let mut rest = &text[1..];
    loop {
        let (part, after) = rest.split_once(quote).ok_or("a quote is not closed")?;
        content.push_str(part);
        rest = after;
        match rest.strip_prefix(quote) {
            Some(after) => rest = after,
            None => return Ok((content, rest)),
        }
        content.push(quote);
    }
}
