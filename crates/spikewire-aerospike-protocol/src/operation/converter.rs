//! Arguments of operations, converted to bytes or to parts of an expression.

use super::Words;
use crate::cdt::Argument;
use crate::expression::Fault;

/// Converts the arguments of one operation.
pub trait ArgumentConverter {
    /// The form of values.
    type Value: Argument;
    /// The form of indexes, ranks, counts and other numbers.
    type Number: Argument;
    /// The error for an invalid argument.
    type Error: From<Fault>;

    /// Number of arguments.
    fn count(&self) -> usize;
    /// Whether an option is absent.
    fn is_absent(&self, at: usize) -> bool;
    /// Any value.
    fn value(&mut self, at: usize, name: &'static str) -> Result<Self::Value, Self::Error>;
    /// A value that can be a map key.
    fn key(&mut self, at: usize, name: &'static str) -> Result<Self::Value, Self::Error>;
    /// A list.
    fn list(&mut self, at: usize, name: &'static str) -> Result<Self::Value, Self::Error>;
    /// A map.
    fn map(&mut self, at: usize, name: &'static str) -> Result<Self::Value, Self::Error>;
    /// Bytes.
    fn bytes(&mut self, at: usize, name: &'static str) -> Result<Self::Value, Self::Error>;
    /// A list of sketches; inside an expression also one sketch.
    fn sketches(&mut self, at: usize, name: &'static str) -> Result<Self::Value, Self::Error>;
    /// A text.
    fn text(&mut self, at: usize, name: &'static str) -> Result<Self::Value, Self::Error>;
    /// A list of texts.
    fn texts(&mut self, at: usize, name: &'static str) -> Result<Self::Value, Self::Error>;
    /// A position in a text, or a length, as far as strings can be long.
    fn place(&mut self, at: usize, name: &'static str) -> Result<Self::Number, Self::Error>;
    /// An integer.
    fn number(&mut self, at: usize, name: &'static str) -> Result<Self::Number, Self::Error>;
    /// An integer within bounds, which must be a constant.
    fn bits(
        &mut self,
        at: usize,
        name: &'static str,
        bounds: (i64, i64),
    ) -> Result<i64, Self::Error>;
    /// True or false.
    fn flag(&mut self, at: usize, name: &'static str) -> Result<bool, Self::Error>;
    /// The number of a keyword.
    fn word(&mut self, at: usize, name: &'static str, known: &Words) -> Result<i64, Self::Error>;
    /// Whether a converted list is known to be empty.
    fn is_empty(&self, list: &Self::Value) -> bool;

    /// Any value, if present.
    fn optional_value(
        &mut self,
        at: usize,
        name: &'static str,
    ) -> Result<Option<Self::Value>, Self::Error> {
        if self.is_absent(at) { Ok(None) } else { self.value(at, name).map(Some) }
    }

    /// A text, if present.
    fn optional_text(
        &mut self,
        at: usize,
        name: &'static str,
    ) -> Result<Option<Self::Value>, Self::Error> {
        if self.is_absent(at) { Ok(None) } else { self.text(at, name).map(Some) }
    }

    /// A position in a text, if present.
    fn optional_place(
        &mut self,
        at: usize,
        name: &'static str,
    ) -> Result<Option<Self::Number>, Self::Error> {
        if self.is_absent(at) { Ok(None) } else { self.place(at, name).map(Some) }
    }

    /// An integer, if present.
    fn optional_number(
        &mut self,
        at: usize,
        name: &'static str,
    ) -> Result<Option<Self::Number>, Self::Error> {
        if self.is_absent(at) { Ok(None) } else { self.number(at, name).map(Some) }
    }

    /// An integer within bounds, if present.
    fn optional_bits(
        &mut self,
        at: usize,
        name: &'static str,
        bounds: (i64, i64),
    ) -> Result<Option<i64>, Self::Error> {
        if self.is_absent(at) { Ok(None) } else { self.bits(at, name, bounds).map(Some) }
    }

    /// The number of a keyword; 0 if absent.
    fn optional_word(
        &mut self,
        at: usize,
        name: &'static str,
        known: &Words,
    ) -> Result<i64, Self::Error> {
        if self.is_absent(at) { Ok(0) } else { self.word(at, name, known) }
    }

    /// The bits that a flag contributes to its field.
    fn flagged(&mut self, at: usize, name: &'static str, number: i64) -> Result<i64, Self::Error> {
        Ok(if self.flag(at, name)? { number } else { 0 })
    }

    /// Rejects any other number of arguments.
    fn exactly(&self, expected: usize) -> Result<(), Self::Error> {
        let count = self.count();
        if expected == count {
            return Ok(());
        }
        let why = format!("{expected} arguments are wanted and {count} were given");
        Err(Fault::of_type(why).into())
    }
}
