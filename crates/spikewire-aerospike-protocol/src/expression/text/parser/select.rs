//! Parts of a path: `.name`, `.[…]` into a list, `.{…}` into a map.
//!
//! Inside the brackets is an index, or a key after `@`, a rank after `#`, a value after `=`. `:`
//! makes a range whose end is exclusive, `,` a list, and `~` is followed by what a range is
//! relative to. A leading `!` selects all others.

use std::ops::Range;

use super::value::Literal;
use super::{ParseResult, Parser};
use crate::cdt::By;
use crate::cdt::context::Inside;
use crate::expression::text::TextError;
use crate::expression::text::lexer::Word;
use crate::expression::{Expression, Fault, Slot, Type};
use crate::value::Value;

/// One part of a path.
pub struct Selector {
    pub inside: Inside,
    pub selection: Selection,
    pub inverted: bool,
    /// A filter of what it selects.
    pub filter: Option<Expression>,
    /// The type of what it selects.
    pub pin: Option<Type>,
    pub at: Range<usize>,
}

/// What a part selects.
pub enum Selection {
    /// The list or map itself.
    Whole,
    Index(i64),
    Rank(i64),
    Key(Literal),
    Value(Literal),
    /// First and count.
    Indexes(i64, Option<i64>),
    Ranks(i64, Option<i64>),
    Keys(Literal, Option<Literal>),
    Values(Literal, Option<Literal>),
    KeyList(Literal),
    ValueList(Literal),
    /// Relative to a key or value.
    FromKey(Literal, i64, Option<i64>),
    FromValue(Literal, i64, Option<i64>),
    /// All elements, or those for which a filter is true.
    Children(Option<Expression>),
}

impl Selector {
    /// Its values and numbers, in the order of [`Selector::by`].
    pub fn operands(&self) -> Result<Vec<Expression>, Fault> {
        let number = |number: &i64| Expression::from(*number);
        Ok(match &self.selection {
            Selection::Whole | Selection::Children(_) => Vec::new(),
            Selection::Index(at) | Selection::Rank(at) => vec![number(at)],
            Selection::Key(one)
            | Selection::Value(one)
            | Selection::KeyList(one)
            | Selection::ValueList(one) => vec![one.argument()?],
            Selection::Indexes(first, count) | Selection::Ranks(first, count) => {
                [Some(number(first)), count.as_ref().map(number)].into_iter().flatten().collect()
            }
            Selection::Keys(begin, end) | Selection::Values(begin, end) => {
                let mut operands = vec![begin.argument()?];
                if let Some(end) = end {
                    operands.push(end.argument()?);
                }
                operands
            }
            Selection::FromKey(from, first, count) | Selection::FromValue(from, first, count) => {
                let numbers = [Some(number(first)), count.as_ref().map(number)];
                let mut operands = vec![from.argument()?];
                operands.extend(numbers.into_iter().flatten());
                operands
            }
        })
    }

    /// The selection with placeholders for its operands; `None` for the whole container.
    pub fn by(&self) -> Option<By<Slot, Slot>> {
        let [a, b, c] = [Slot(0), Slot(1), Slot(2)];
        Some(match &self.selection {
            Selection::Whole | Selection::Children(_) => return None,
            Selection::Index(_) => By::Index(a),
            Selection::Rank(_) => By::Rank(a),
            Selection::Key(_) => By::Key(a),
            Selection::Value(_) => By::AllByValue(a),
            Selection::Indexes(_, count) => By::IndexRange(a, count.map(|_| b)),
            Selection::Ranks(_, count) => By::RankRange(a, count.map(|_| b)),
            Selection::Keys(_, end) => By::KeyInterval(a, end.as_ref().map(|_| b)),
            Selection::Values(_, end) => By::ValueInterval(a, end.as_ref().map(|_| b)),
            Selection::KeyList(_) => By::KeyList(a),
            Selection::ValueList(_) => By::ValueList(a),
            Selection::FromKey(_, _, count) => By::RelativeIndex(a, b, count.map(|_| c)),
            Selection::FromValue(_, _, count) => By::RelativeRank(a, b, count.map(|_| c)),
        })
    }
}

impl Parser<'_> {
    /// The parts of a path.
    pub(super) fn selectors(&mut self, depth: usize) -> ParseResult<Vec<Selector>> {
        let mut selectors = Vec::new();
        while !self.is_string_method()
            && let Some(mut selector) = self.selector(depth)?
        {
            if self.has_and_filter() {
                self.advance()?;
                selector.filter = Some(self.filter_in_brackets(depth)?);
                selector.at.end = self.last;
            }
            // A type in the middle of a path; one at its end is read there.
            if let Some(pin) = self.pin_before_more()? {
                selector.pin = Some(pin);
            }
            selectors.push(selector);
        }
        Ok(selectors)
    }

    /// The next part of a path, if there is one.
    fn selector(&mut self, depth: usize) -> ParseResult<Option<Selector>> {
        let start = self.at.start;
        if let Some(inside) = self.children_follow() {
            let selection = Selection::Children(self.children(depth)?);
            return Ok(Some(self.part(inside, selection, start)));
        }
        if !self.is(".") {
            return Ok(None);
        }
        let mut ahead = self.lexer.clone();
        let (next, _) = ahead.next()?;
        let (inside, close) = match next {
            Word::Name(_) if matches!(ahead.next()?.0, Word::Sign("(")) => return Ok(None),
            Word::Name(name) => {
                self.advance()?;
                self.advance()?;
                return Ok(Some(self.key(Value::from(name), start)));
            }
            Word::Text(name) => {
                self.advance()?;
                self.advance()?;
                return Ok(Some(self.key(Value::from(name.as_str()), start)));
            }
            Word::Int(key) => {
                let Ok(key) = i64::try_from(key) else {
                    return Err(TextError::new(start..self.last, "does not fit 64 bits signed"));
                };
                self.advance()?;
                self.advance()?;
                return Ok(Some(self.key(Value::Int(key), start)));
            }
            Word::Float(_) => {
                self.advance()?;
                let why = "a number with a point is no part of a path: integer keys are written \
                           .{@1}.{@1}, texts in quotes";
                return Err(TextError::new(self.at.clone(), why));
            }
            Word::Sign("[") => (Inside::List, "]"),
            Word::Sign("{") => (Inside::Map, "}"),
            _ => return Ok(None),
        };
        self.advance()?;
        self.advance()?;
        if self.takes(close)? {
            return Ok(Some(self.part(inside, Selection::Whole, start)));
        }
        // `!=` is one token.
        let both = self.takes("!=")?;
        let inverted = both || self.takes("!")?;
        let selection = if both || self.takes("=")? {
            self.values(close, depth)?
        } else if self.is("@") {
            if inside == Inside::List {
                return Err(TextError::new(self.at.clone(), "the elements of a list have no keys"));
            }
            self.advance()?;
            self.keys(close, depth)?
        } else if self.takes("#")? {
            self.numbers(true, depth)?
        } else {
            self.numbers(false, depth)?
        };
        if matches!(selection, Selection::FromKey(..)) && inside == Inside::List {
            let why = "a list has no keys to count from";
            return Err(TextError::new(start..self.last, why));
        }
        self.expect(close)?;
        Ok(Some(Selector { inverted, ..self.part(inside, selection, start) }))
    }

    fn key(&self, key: Value, start: usize) -> Selector {
        self.part(Inside::Map, Selection::Key(Literal::Scalar(key)), start)
    }

    fn part(&self, inside: Inside, selection: Selection, start: usize) -> Selector {
        let at = start..self.last;
        Selector { inside, selection, inverted: false, filter: None, pin: None, at }
    }

    /// A value, a range of values or several.
    fn values(&mut self, close: &str, depth: usize) -> ParseResult<Selection> {
        if self.takes(":")? {
            let begin = Literal::Scalar(Value::Nil);
            return Ok(Selection::Values(begin, self.end(close, depth)?));
        }
        let first = self.named(depth)?;
        if self.takes(":")? {
            return Ok(Selection::Values(first, self.end(close, depth)?));
        }
        if !self.is(",") {
            return Ok(Selection::Value(first));
        }
        let mut all = vec![first];
        // A comma at the end makes a single value several.
        while self.takes(",")? && !self.is(close) {
            all.push(self.named(depth)?);
        }
        Ok(Selection::ValueList(Literal::List(all, false)))
    }

    fn keys(&mut self, close: &str, depth: usize) -> ParseResult<Selection> {
        Ok(match self.values(close, depth)? {
            Selection::Values(begin, end) => Selection::Keys(begin, end),
            Selection::ValueList(all) => Selection::KeyList(all),
            Selection::Value(key) => Selection::Key(key),
            other => other,
        })
    }

    /// The end of a range, if it has one.
    fn end(&mut self, close: &str, depth: usize) -> ParseResult<Option<Literal>> {
        let end = if self.is(close) { None } else { Some(self.named(depth)?) };
        Ok(end.filter(|end| *end != Literal::Infinity))
    }

    /// An index or rank, or a range of them.
    fn numbers(&mut self, ranks: bool, depth: usize) -> ParseResult<Selection> {
        let start = self.at.start;
        let first = if self.is(":") { 0 } else { self.number(depth)? };
        if !self.takes(":")? {
            return Ok(if ranks { Selection::Rank(first) } else { Selection::Index(first) });
        }
        let closes = self.is("]") || self.is("}") || self.is("~");
        let count = if closes {
            None
        } else {
            let end = self.number(depth)?;
            let count = end.saturating_sub(first);
            // A range relative to a key or value may start before it.
            let from_ends = (end < 0) != (first < 0) && !self.is("~");
            if count < 0 || from_ends {
                let why = format!("the range from {first} to {end} has no size");
                return Err(TextError::new(start..self.last, why));
            }
            Some(count)
        };
        if self.takes("~")? {
            let from = self.named(depth)?;
            return Ok(if ranks {
                Selection::FromValue(from, first, count)
            } else {
                Selection::FromKey(from, first, count)
            });
        }
        Ok(if ranks { Selection::Ranks(first, count) } else { Selection::Indexes(first, count) })
    }

    fn number(&mut self, depth: usize) -> ParseResult<i64> {
        let at = self.at.clone();
        match self.element(depth)? {
            Literal::Scalar(Value::Int(int)) => Ok(int),
            _ => Err(TextError::new(
                at.start..self.last,
                "an index or rank is an integer; a key is written {@'key'}, a value [='value']",
            )),
        }
    }
}
