//! Numbers that strings spell, as the C library reads them.

use spikewire_aerospike_protocol::strings::number;

/// The longest text of an integer and of a float, in bytes.
const INT: usize = 20;
const FLOAT: usize = 327;

/// White space of the C library.
fn without_blanks(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r'])
}

/// The integer that the whole text spells.
pub fn int(text: &str) -> Option<i64> {
    if text.is_empty() || text.len() > INT {
        return None;
    }
    let digits = without_blanks(text);
    digits.bytes().last()?.is_ascii_digit().then(|| digits.parse().ok()).flatten()
}

/// The float that the whole text spells. (Hexadecimal floats are not read.)
pub fn float(text: &str) -> Option<f64> {
    if text.is_empty() || text.len() > FLOAT {
        return None;
    }
    let digits = without_blanks(text);
    let float: f64 = digits.parse().ok()?;
    let is_word = |letter: u8| letter.is_ascii_alphabetic() && !letter.eq_ignore_ascii_case(&b'e');
    // Too large a number is an error, infinity is none.
    (float.is_finite() || digits.bytes().any(is_word)).then_some(float)
}

/// Whether the text spells such a number.
pub fn is_numeric(text: &str, kind: i64) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let all = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
    let is_int = !digits.is_empty() && all(digits) && text.parse::<i64>().is_ok();
    let is_float = digits
        .split_once('.')
        .is_some_and(|(whole, rest)| all(whole) && all(rest) && !rest.is_empty());
    match kind {
        number::INT => is_int,
        number::FLOAT => is_float,
        _ => is_int || is_float,
    }
}
