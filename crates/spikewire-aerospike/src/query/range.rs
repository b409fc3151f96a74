//! Validates the index range of a query.

use spikewire_aerospike_protocol::limits;
use spikewire_aerospike_protocol::query::{Index, Range, Subject};

use crate::model::{Error, Result};

/// Strings and blobs of this size or more are not indexed.
const MAX_VALUE: usize = 2048;

/// Rejects values that cannot be indexed, and indexes that cannot be identified. The caller checks
/// bin names.
pub fn check_index(index: &Index) -> Result<()> {
    check_range(&index.range)?;
    match &index.subject {
        Subject::Name(name) if name.is_empty() || name.len() > limits::INDEX_NAME => {
            let most = limits::INDEX_NAME;
            Err(Error::invalid(format!("name must have from 1 to {most} bytes, got {name:?}")))
        }
        Subject::Name(_) | Subject::Expression(_) if index.context.is_some() => {
            Err(Error::invalid("ctx goes with a bin, not with an expression or name="))
        }
        _ => Ok(()),
    }
}

fn check_range(range: &Range) -> Result<()> {
    let size = match range {
        Range::Int(low, high) if low > high => {
            return Err(Error::invalid(format!(
                "low must not be greater than high, got {low} and {high}"
            )));
        }
        Range::Geo(text) if text.is_empty() => {
            return Err(Error::invalid("a place must be GeoJSON text, not an empty one"));
        }
        Range::Int(..) | Range::Geo(_) => return Ok(()),
        Range::Str(text) => text.len(),
        Range::Blob(bytes) => bytes.len(),
    };
    if size >= MAX_VALUE {
        return Err(Error::invalid(format!(
            "value has {size} bytes; an index holds values under {MAX_VALUE}"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use spikewire_aerospike_protocol::query::Collection;

    fn check(subject: Subject, range: Range, context: Option<Vec<u8>>) -> Result<()> {
        check_index(&Index { subject, collection: Collection::Value, context, range })
    }

    fn bin() -> Subject {
        Subject::Bin("n".to_owned())
    }

    #[test]
    fn values_beyond_the_index_limits_are_rejected() {
        check(bin(), Range::Int(1, 1), None).unwrap();
        check(bin(), Range::Str("x".repeat(MAX_VALUE - 1)), None).unwrap();
        for range in [
            Range::Int(2, 1),
            Range::Str("x".repeat(MAX_VALUE)),
            Range::Blob(vec![0; MAX_VALUE]),
            Range::Geo(String::new()),
        ] {
            assert!(check(bin(), range.clone(), None).is_err(), "{range:?}");
        }
    }

    #[test]
    fn only_an_index_of_a_bin_takes_a_context() {
        let named = |name: &str| Subject::Name(name.to_owned());
        check(named("n"), Range::Int(1, 1), None).unwrap();
        check(bin(), Range::Int(1, 1), Some(vec![0x90])).unwrap();
        for name in ["", &"n".repeat(64)] {
            assert!(check(named(name), Range::Int(1, 1), None).is_err(), "{name:?}");
        }
        for subject in [named("n"), Subject::Expression(vec![0x90])] {
            assert!(check(subject, Range::Int(1, 1), Some(vec![0x90])).is_err());
        }
    }
}
