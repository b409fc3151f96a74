//! Expressions from AEL, as the embedded cluster reads them.
//!
//! The dialect of [`text`] has the same grammar, and its parser reads AEL, too. What only the
//! dialect has is refused: parameters, floats with an exponent, quotes that are doubled, `unknown`
//! and `nil`, flags of patterns other than `i`, its own names of metadata.

use crate::expression::text::{self, TextError};
use crate::expression::{Expression, Fault};

/// Reads a filter, which is a bool.
pub fn read_filter(ael: &str) -> Result<Expression, Fault> {
    read_with(ael, text::parse_filter)
}

/// Reads an expression, which may be about an element of a path.
pub fn read_expression(ael: &str) -> Result<Expression, Fault> {
    read_with(ael, text::parse_element)
}

type Parse = fn(&str, &[Expression]) -> Result<Expression, TextError>;

fn read_with(ael: &str, parse: Parse) -> Result<Expression, Fault> {
    if ael.len() > super::LONGEST {
        return Err(Fault::of_value("a text has 1 byte to 1 MiB"));
    }
    let whole = text::reject_own(ael).and_then(|()| parse(ael, &[]));
    whole.map_err(|error| error.fault)
}
