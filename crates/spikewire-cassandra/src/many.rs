//! Options of calls with many rows of parameters, and their bounds.

use std::fmt::Display;

/// The maximum number of rows of a call in flight.
pub const MOST: usize = 30_000;

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
    use super::*;

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
