//! Options of calls with many rows of parameters, and their bounds.

use std::fmt::Display;
use std::time::Duration;

use spikewire_options::{Bounds, InvalidArgument, OptionValue};

/// The maximum number of rows of a call in flight.
pub const MOST: usize = 30_000;

const BOUNDS: Bounds =
    Bounds { counts: &[], spans: &[("deadline", (Duration::from_millis(1), Duration::MAX))] };

/// The time within which a call with many rows ends: rows without a result by then are late, which
/// needs results. `None` for a host's value that stands for none.
pub fn deadline<V: OptionValue>(value: &V, results: bool) -> Result<Option<Duration>, V::Error> {
    let limit = value.optional(|value| BOUNDS.span("deadline", value))?;
    if limit.is_some() && !results {
        let why = "deadline returns late rows among the results, so it does not go with results \
                   switched off";
        return Err(InvalidArgument::of_value(why).into());
    }
    Ok(limit)
}

/// Options of a call with many rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ManyOptions {
    /// Maximum number of rows in flight.
    pub concurrency: usize,
    /// Whether errors are returned among the results; otherwise the first one ends the call.
    pub returns_errors: bool,
    /// Whether results are returned.
    pub results: bool,
}

impl ManyOptions {
    /// Parses a caller's options, or returns what is wrong with them. `concurrency` is the
    /// number `text`, or `None` if that is not a whole number.
    pub fn read(
        concurrency: Option<usize>,
        text: &dyn Display,
        errors: &str,
        results: bool,
    ) -> Result<Self, String> {
        let Some(concurrency @ 1..=MOST) = concurrency else {
            return Err(format!("concurrency must be from 1 to {MOST}, got {text}"));
        };
        let returns_errors = match errors {
            "raise" => false,
            "return" => true,
            _ => return Err(format!("errors must be \"raise\" or \"return\", got {errors:.100?}")),
        };
        if returns_errors && !results {
            let why = "errors \"return\" returns errors among the results, so results are needed";
            return Err(why.to_owned());
        }
        Ok(Self { concurrency, returns_errors, results })
    }
}

#[cfg(test)]
mod tests {
    use spikewire_options::Literal;

    use super::*;

    #[test]
    fn deadlines_are_spans_and_need_results() {
        let read = |value: Literal, results| deadline(&value, results);
        assert_eq!(read(0.25.into(), true).unwrap(), Some(Duration::from_millis(250)));
        let error = read(0.into(), true).unwrap_err();
        assert_eq!(error.message(), "deadline must be at least 0.001 s, got 0 s");
        let error = read(1.into(), false).unwrap_err();
        assert!(error.message().contains("deadline") && error.message().contains("results"));
    }

    #[test]
    fn concurrency_must_be_in_range() {
        let read =
            |rows: usize, errors, results| ManyOptions::read(Some(rows), &rows, errors, results);
        let how = read(MOST, "return", true).unwrap();
        assert_eq!(how, ManyOptions { concurrency: MOST, returns_errors: true, results: true });
        assert!(!read(1, "raise", false).unwrap().returns_errors);
        for (outcome, words) in [
            (read(0, "raise", true), "concurrency must be from 1"),
            (read(MOST + 1, "raise", true), "got 30001"),
            (ManyOptions::read(None, &-0.5, "raise", true), "got -0.5"),
            (read(1, "ignore", true), "got \"ignore\""),
            (read(1, "return", false), "results are needed"),
        ] {
            let why = outcome.unwrap_err();
            assert!(why.contains(words), "{why}");
        }
    }
}
