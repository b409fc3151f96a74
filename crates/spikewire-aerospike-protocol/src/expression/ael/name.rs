//! Names and quoted texts in AEL.

use std::fmt::Write as _;

use super::NoAel;

/// Words that are no bin names, keys or variables without quotes.
const WORDS: [&str; 14] = [
    "and",
    "or",
    "not",
    "in",
    "exclusive",
    "true",
    "false",
    "NIL",
    "INF",
    "let",
    "then",
    "when",
    "default",
    "unknown",
];

/// A text in quotes, with the escapes of AEL; everything above ASCII is written as it is.
pub(super) fn quoted(text: &str, quote: char) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for letter in text.chars() {
        match letter {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x00'..='\x1f' | '\x7f' => {
                let _ = write!(out, "\\x{:02x}", u32::from(letter));
            }
            letter if letter == quote => out.extend(['\\', letter]),
            letter => out.push(letter),
        }
    }
    out.push(quote);
    out
}

/// Whether a name needs no quotes.
pub(super) fn is_plain(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        && !WORDS.contains(&name)
}

/// A bin, without its type.
pub(super) fn bin_name(name: &[u8]) -> Result<String, NoAel> {
    let name = std::str::from_utf8(name).map_err(|_| NoAel("a bin name that is not UTF-8"))?;
    Ok(if is_plain(name) { format!("$.{name}") } else { format!("$.{}", quoted(name, '"')) })
}

/// Bytes as a constant.
pub(super) fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02X}");
        text
    });
    format!("X'{digits}'")
}
