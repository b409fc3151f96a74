//! Percentiles of latencies by name.

use std::fmt::Display;

use crate::invalid_argument::InvalidArgument;

/// The percentile with this name, from `"p50"` to `"p99.9"`, as a share in ten thousandths. `what` is
/// the option.
pub fn percentile(what: &str, word: &str) -> Result<u16, InvalidArgument> {
    let number = word.strip_prefix('p').filter(|number| {
        number.starts_with(|first: char| first.is_ascii_digit())
            && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    });
    let percent = number.and_then(|number| number.parse().ok()).unwrap_or_default();
    percentile_of(what, percent, format_args!("{word:?}"))
}

/// The same by number, from 50 to 99.9; `text` is the value as the caller wrote it.
pub fn percentile_of(what: &str, percent: f64, text: impl Display) -> Result<u16, InvalidArgument> {
    if (50.0..=99.9).contains(&percent) {
        return Ok((percent * 100.0).round() as u16);
    }
    Err(InvalidArgument::of_value(format!(
        "{what} must be a time, or a percentile from 'p50' to 'p99.9', got {text}"
    )))
}
