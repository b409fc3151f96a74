//! Parses keywords, durations and counts from arguments of callers in any language, with the error
//! messages for invalid ones.

use std::fmt::Display;
use std::time::Duration;

use crate::InvalidArgument;

/// 100 years: far beyond any use, and safe to add to any clock.
const LONGEST_SPAN: f64 = 3.2e9;

/// A duration in seconds; `text` is the value as the caller wrote it.
pub fn seconds(what: &str, number: f64, text: impl Display) -> Result<Duration, InvalidArgument> {
    if !(0.0..=LONGEST_SPAN).contains(&number) {
        return Err(InvalidArgument::of_value(format!(
            "{what} must be a number of seconds from 0 to 3.2e9, got {text}"
        )));
    }
    // Zero often means no limit, so values above zero must not be rounded to it.
    let least = Duration::from_nanos(u64::from(number > 0.0));
    Ok(Duration::from_secs_f64(number).max(least))
}

/// The same in milliseconds, for hosts that use them.
pub fn milliseconds(
    what: &str,
    number: f64,
    text: impl Display,
) -> Result<Duration, InvalidArgument> {
    if !(0.0..=LONGEST_SPAN * 1e3).contains(&number) {
        return Err(InvalidArgument::of_value(format!(
            "{what} must be a number of milliseconds from 0 to 3.2e12, got {text}"
        )));
    }
    seconds(what, number / 1e3, text)
}

/// A count within bounds; `None` is a value that does not fit a count. `text` is the value as the
/// caller wrote it.
pub fn count(
    what: &str,
    count: Option<u64>,
    (least, most): (u64, u64),
    text: impl Display,
) -> Result<u64, InvalidArgument> {
    let within = count.filter(|count| (least..=most).contains(count));
    within.ok_or_else(|| {
        InvalidArgument::of_value(format!("{what} must be from {least} to {most}, got {text}"))
    })
}

/// Looks up a name; the error lists all names.
pub fn named<T: Copy>(what: &str, known: &[(&str, T)], word: &str) -> Result<T, InvalidArgument> {
    let value = known.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
    value.ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        not_among(what, &names, word)
    })
}

/// The error for a word that is none of these names.
pub fn not_among(what: &str, names: &[&str], word: &str) -> InvalidArgument {
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    let names = match quoted.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => quoted.concat(),
    };
    InvalidArgument::of_value(format!("{what} must be {names}, got {word:?}"))
}

/// The error for an option that does not exist; `what` is the beginning of its message.
pub fn unknown(what: &str, name: &str, names: &[&str]) -> InvalidArgument {
    let mut names = names.to_vec();
    names.sort_unstable();
    let names = names.join(", ");
    InvalidArgument::of_type(format!("{what} {name:?}; there are: {names}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policy_words_parse_or_list_the_choices() {
        let known = [("lz4", true), ("snappy", false), ("none", false)];
        assert_eq!(named("compression", &known, "lz4"), Ok(true));
        assert_eq!(
            named("compression", &known, "zip").unwrap_err().message(),
            "compression must be 'lz4', 'snappy' or 'none', got \"zip\""
        );
        assert_eq!(
            unknown("unknown option", "speed", &["b", "a"]).message(),
            "unknown option \"speed\"; there are: a, b"
        );
    }

    #[test]
    fn seconds_must_be_finite_and_not_negative() {
        assert_eq!(seconds("timeout", 1.5, 1.5), Ok(Duration::from_millis(1500)));
        assert_eq!(seconds("timeout", 1e-12, 1e-12), Ok(Duration::from_nanos(1)));
        assert_eq!(seconds("timeout", 0.0, 0), Ok(Duration::ZERO));
        for odd in [-1.0, f64::NAN, f64::INFINITY, 3.3e9] {
            let error = seconds("timeout", odd, odd).unwrap_err();
            assert!(error.message().contains(&format!("got {odd}")), "{error}");
        }
    }

    #[test]
    fn counts_must_be_in_range() {
        assert_eq!(count("limit", Some(3), (1, 3), 3), Ok(3));
        for odd in [Some(0), Some(4), None] {
            let error = count("limit", odd, (1, 3), "x").unwrap_err();
            assert_eq!(error.message(), "limit must be from 1 to 3, got x");
        }
    }
}
