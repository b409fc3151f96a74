//! How a call with many rows of parameters goes: the bounds of what its callers may say.

use std::fmt::Display;

/// The most rows of a call that may be in flight.
pub const MOST: usize = 30_000;

/// How a call with many rows goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HowMany {
    /// How many of its rows are in flight at most.
    pub concurrency: usize,
    /// Whether errors stand among the results; otherwise the first one ends the call.
    pub returns_errors: bool,
    /// Whether there are results.
    pub results: bool,
}

impl HowMany {
    /// Reads what a caller said, or says what is wrong with it. `concurrency` is the number that was
    /// `given`, if that is a whole one.
    pub fn read(
        concurrency: Option<usize>,
        given: &dyn Display,
        errors: &str,
        results: bool,
    ) -> Result<Self, String> {
        let Some(concurrency @ 1..=MOST) = concurrency else {
            return Err(format!("concurrency must be from 1 to {MOST}, got {given}"));
        };
        let returns_errors = match errors {
            "raise" => false,
            "return" => true,
            _ => return Err(format!("errors must be \"raise\" or \"return\", got {errors:.100?}")),
        };
        if returns_errors && !results {
            let why = "errors \"return\" puts errors among the results: it needs them";
            return Err(why.to_owned());
        }
        Ok(Self { concurrency, returns_errors, results })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds() {
        let read = |rows: usize, errors, results| HowMany::read(Some(rows), &rows, errors, results);
        let how = read(MOST, "return", true).unwrap();
        assert_eq!(how, HowMany { concurrency: MOST, returns_errors: true, results: true });
        assert!(!read(1, "raise", false).unwrap().returns_errors);
        for (refused, words) in [
            (read(0, "raise", true), "concurrency must be from 1"),
            (read(MOST + 1, "raise", true), "got 30001"),
            (HowMany::read(None, &-0.5, "raise", true), "got -0.5"),
            (read(1, "ignore", true), "got \"ignore\""),
            (read(1, "return", false), "needs them"),
        ] {
            let why = refused.unwrap_err();
            assert!(why.contains(words), "{why}");
        }
    }
}
