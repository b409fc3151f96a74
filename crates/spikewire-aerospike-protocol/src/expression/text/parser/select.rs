//! Parts of a path: `.name`, `.[…]` into a list, `.{…}` into a map.
//!
//! Inside the brackets is an index, or a key after `@`, a rank after `#`, a value after `=`. `:`
//! makes a range whose end is exclusive, `,` a list, and `~` is followed by what a range is
//! relative to. A leading `!` selects all others.

use std::ops::Range;

use super::{ParseResult, Parser};
use crate::cdt::By;
use crate::cdt::context::Inside;
use crate::expression::text::TextError;
use crate::expression::text::lexer::Word;
use crate::expression::{Expression, Slot};
use crate::value::Value;

/// One part of a path.
pub struct Selector {
    pub inside: Inside,
    pub selection: Selection,
    pub inverted: bool,
    /// A filter of what it selects.
    pub filter: Option<Expression>,
    pub at: Range<usize>,
}

/// What a part selects.
pub enum Selection {
    /// The list or map itself.
    Whole,
    Index(i64),
    Rank(i64),
    Key(Value),
    Value(Value),
    /// First and count.
    Indexes(i64, Option<i64>),
    Ranks(i64, Option<i64>),
    Keys(Value, Option<Value>),
    Values(Value, Option<Value>),
    KeyList(Value),
    ValueList(Value),
    /// Relative to a key or value.
    FromKey(Value, i64, Option<i64>),
    FromValue(Value, i64, Option<i64>),
    /// All elements, or those for which a filter is true.
    Children(Option<Expression>),
}

impl Selector {
    /// Its values and numbers, in the order of [`Selector::by`].
    pub fn operands(&self) -> Vec<Expression> {
        let number = |number: &i64| Expression::from(*number);
        let value =
            |value: &Value| Expression::try_from(value).unwrap_or_else(|_| Expression::unknown());
        match &self.selection {
            Selection::Whole | Selection::Children(_) => Vec::new(),
            Selection::Index(at) | Selection::Rank(at) => vec![number(at)],
            Selection::Key(one)
            | Selection::Value(one)
            | Selection::KeyList(one)
            | Selection::ValueList(one) => vec![value(one)],
            Selection::Indexes(first, count) | Selection::Ranks(first, count) => {
                [Some(number(first)), count.as_ref().map(number)].into_iter().flatten().collect()
            }
            Selection::Keys(begin, end) | Selection::Values(begin, end) => {
                [Some(value(begin)), end.as_ref().map(value)].into_iter().flatten().collect()
            }
            Selection::FromKey(from, first, count) | Selection::FromValue(from, first, count) => {
                let operands = [Some(value(from)), Some(number(first)), count.as_ref().map(number)];
                operands.into_iter().flatten().collect()
            }
        }
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
        self.part(Inside::Map, Selection::Key(key), start)
    }

    fn part(&self, inside: Inside, selection: Selection, start: usize) -> Selector {
        Selector { inside, selection, inverted: false, filter: None, at: start..self.last }
    }

    /// A value, a range of values or several.
    fn values(&mut self, close: &str, depth: usize) -> ParseResult<Selection> {
        if self.takes(":")? {
            return Ok(Selection::Values(Value::Nil, self.end(close, depth)?));
        }
        let first = self.element(depth)?;
        if self.takes(":")? {
            return Ok(Selection::Values(first, self.end(close, depth)?));
        }
        Ok(match self.more(&first, depth)? {
            Some(all) => Selection::ValueList(all),
            None => Selection::Value(first),
        })
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
    fn end(&mut self, close: &str, depth: usize) -> ParseResult<Option<Value>> {
        if self.is(close) { Ok(None) } else { self.element(depth).map(Some) }
    }

    /// Several values as a list.
    fn more(&mut self, first: &Value, depth: usize) -> ParseResult<Option<Value>> {
        if !self.is(",") {
            return Ok(None);
        }
        let mut all = vec![first.clone()];
        while self.takes(",")? {
            all.push(self.element(depth)?);
        }
        Ok(Some(Value::List(all)))
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
            let from = self.element(depth)?;
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
            Value::Int(int) => Ok(int),
            _ => Err(TextError::new(
                at.start..self.last,
                "an index or rank is an integer; a key is written {@'key'}, a value [='value']",
            )),
        }
    }
}
