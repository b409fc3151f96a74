//! What operations are made of: arguments, after they became bytes or parts of an expression.

use super::Words;
use crate::cdt::Argument;
use crate::expression::Fault;

/// The arguments of one operation on their way into it.
pub trait Given {
    /// What values become.
    type Value: Argument;
    /// What indexes, ranks, counts and other numbers become.
    type Number: Argument;
    /// Why an argument is refused.
    type Error: From<Fault>;

    /// How many arguments there are.
    fn count(&self) -> usize;
    /// Whether an option was left out.
    fn is_absent(&self, at: usize) -> bool;
    /// Any value.
    fn value(&mut self, at: usize, name: &'static str) -> Result<Self::Value, Self::Error>;
    /// What can be stored as the key of a map.
    fn key(&mut self, at: usize, name: &'static str) -> Result<Self::Value, Self::Error>;
    /// A list.
    fn list(&mut self, at: usize, name: &'static str) -> Result<Self::Value, Self::Error>;
    /// A map.
    fn map(&mut self, at: usize, name: &'static str) -> Result<Self::Value, Self::Error>;
    /// Bytes.
    fn bytes(&mut self, at: usize, name: &'static str) -> Result<Self::Value, Self::Error>;
    /// A list of sketches; inside an expression also one sketch.
    fn sketches(&mut self, at: usize, name: &'static str) -> Result<Self::Value, Self::Error>;
    /// An integer.
    fn number(&mut self, at: usize, name: &'static str) -> Result<Self::Number, Self::Error>;
    /// An integer within bounds that is known when the operation is made.
    fn bits(
        &mut self,
        at: usize,
        name: &'static str,
        bounds: (i64, i64),
    ) -> Result<i64, Self::Error>;
    /// True or false.
    fn flag(&mut self, at: usize, name: &'static str) -> Result<bool, Self::Error>;
    /// The number of a word.
    fn word(&mut self, at: usize, name: &'static str, known: &Words) -> Result<i64, Self::Error>;
    /// Whether a list that was made is known to have no elements.
    fn is_empty(&self, list: &Self::Value) -> bool;

    /// Any value, if there is one.
    fn optional_value(
        &mut self,
        at: usize,
        name: &'static str,
    ) -> Result<Option<Self::Value>, Self::Error> {
        if self.is_absent(at) { Ok(None) } else { self.value(at, name).map(Some) }
    }

    /// An integer, if there is one.
    fn optional_number(
        &mut self,
        at: usize,
        name: &'static str,
    ) -> Result<Option<Self::Number>, Self::Error> {
        if self.is_absent(at) { Ok(None) } else { self.number(at, name).map(Some) }
    }

    /// An integer within bounds, if there is one.
    fn optional_bits(
        &mut self,
        at: usize,
        name: &'static str,
        bounds: (i64, i64),
    ) -> Result<Option<i64>, Self::Error> {
        if self.is_absent(at) { Ok(None) } else { self.bits(at, name, bounds).map(Some) }
    }

    /// The number of a word; 0 if there is none.
    fn optional_word(
        &mut self,
        at: usize,
        name: &'static str,
        known: &Words,
    ) -> Result<i64, Self::Error> {
        if self.is_absent(at) { Ok(0) } else { self.word(at, name, known) }
    }

    /// What a flag adds to its field.
    fn flagged(&mut self, at: usize, name: &'static str, number: i64) -> Result<i64, Self::Error> {
        Ok(if self.flag(at, name)? { number } else { 0 })
    }

    /// Refuses another number of arguments.
    fn exactly(&self, wanted: usize) -> Result<(), Self::Error> {
        let given = self.count();
        if wanted == given {
            return Ok(());
        }
        let why = format!("{wanted} arguments are wanted and {given} were given");
        Err(Fault::of_type(why).into())
    }
}
