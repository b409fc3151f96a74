//! What a text may have here, and servers do not read or read differently.

use super::TextError;
use super::lexer::{Lexer, Word};

/// Rejects a text with words that only this dialect has. What servers read differently although it
/// looks the same is refused as well, except for paths and methods.
pub(in crate::expression) fn reject(text: &str) -> Result<(), TextError> {
    let mut lexer = Lexer::new(text);
    // The two words before.
    let mut before = [Word::End, Word::End];
    loop {
        let (word, mut at) = lexer.next()?;
        let follows =
            |sign| matches!(lexer.clone().next(), Ok((Word::Sign(next), _)) if next == sign);
        let is_in_path = matches!(before[1], Word::Sign("." | "@" | "{"));
        let of_record = before == [Word::Sign("$"), Word::Sign(".")];
        let why = match &word {
            Word::End => return Ok(()),
            Word::Parameter(_) => Some("a parameter"),
            Word::Float(_) if text[at.clone()].contains(['e', 'E']) => {
                Some("a float with an exponent")
            }
            Word::Text(_) if has_doubled_quote(&text[at.clone()]) => {
                Some("a quote that is doubled")
            }
            Word::Name("nil" | "unknown" | "error") if !is_in_path => Some("a bare name"),
            Word::Name("lastUpdate" | "sinceUpdate") if of_record && follows("(") => {
                Some("an unknown function of the record")
            }
            Word::Name("pattern") if follows(":") => {
                lexer.next()?;
                reject_flags(&mut lexer)?
            }
            Word::Sign("=~") => reject_flags(&mut lexer)?,
            _ => None,
        };
        if let Some(why) = why {
            at.end = at.end.max(at.start + 1);
            return Err(TextError::new(at, format!("{why}, which servers do not read")));
        }
        before = [before[1].clone(), word];
    }
}

/// Why the flags of the pattern that comes next are refused.
fn reject_flags(lexer: &mut Lexer<'_>) -> Result<Option<&'static str>, TextError> {
    let (_, flags, _) = lexer.pattern()?;
    Ok((!matches!(flags, "" | "i")).then_some("a pattern with flags other than i"))
}

/// Whether a quoted text has its quote inside, not escaped.
fn has_doubled_quote(quoted: &str) -> bool {
    let mut bytes = quoted.bytes();
    let quote = bytes.next();
    let mut quotes = 0;
    while let Some(byte) = bytes.next() {
        if byte == b'\\' {
            bytes.next();
        }
        quotes += usize::from(Some(byte) == quote);
    }
    quotes > 1
}
