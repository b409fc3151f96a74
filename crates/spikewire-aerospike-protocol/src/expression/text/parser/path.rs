//! Parses what follows `$`: bins, paths inside them, and record metadata.

use std::ops::Range;

use super::method;
use super::root::Root;
use super::select::{Selection, Selector};
use super::value::Literal;
use super::{ParseResult, Parser, Spanned, faulty};
use crate::cdt::context::{self, At, Inside, Step};
use crate::cdt::{ListOp, MapOp, Op as Operation, return_type as returns};
use crate::expression::call::{CDT, Call};
use crate::expression::text::TextError;
use crate::expression::text::lexer::Word;
use crate::expression::{Expression, Meta, Op, Slot, Type};
use crate::value::Value;

/// Arguments of `.get(return: …)`.
pub const RETURNS: [(&str, i64); 16] = [
    ("NONE", returns::NONE),
    ("VALUE", returns::VALUE),
    ("COUNT", returns::COUNT),
    ("EXISTS", returns::EXISTS),
    ("INDEX", returns::INDEX),
    ("REVERSE_INDEX", returns::REVERSE_INDEX),
    ("RANK", returns::RANK),
    ("REVERSE_RANK", returns::REVERSE_RANK),
    ("INDEX_RANGE", returns::INDEX_RANGE),
    ("REVERSE_INDEX_RANGE", returns::REVERSE_INDEX_RANGE),
    ("RANK_RANGE", returns::RANK_RANGE),
    ("REVERSE_RANK_RANGE", returns::REVERSE_RANK_RANGE),
    ("KEY", returns::KEY),
    ("KEY_VALUE", returns::KEY_VALUE),
    ("ORDERED_MAP", returns::ORDERED_MAP),
    ("UNORDERED_MAP", returns::UNORDERED_MAP),
];

impl Parser<'_> {
    /// Parses what follows `$`.
    pub(super) fn path(&mut self, start: usize, depth: usize) -> ParseResult<Spanned> {
        self.expect(".")?;
        let quoted = matches!(self.word, Word::Text(_));
        let name = match self.word.clone() {
            Word::Text(name) => name,
            Word::Name(name) => name.to_owned(),
            _ => return Err(self.unexpected("a bin name")),
        };
        let name_at = self.at.clone();
        self.advance()?;
        if !quoted && self.is("(") {
            self.advance()?;
            return self.metadata(&name, start, &name_at, depth);
        }
        let is_local = self.suffix(&["LOCAL"])?.is_some();
        let mut pin = self.pin()?;
        if let Some(about) = self.method(&["exists", "type"])? {
            let at = start..self.last;
            let kind = faulty(&at, Expression::bin_type(&name))?;
            let whole = if about == "type" {
                kind
            } else {
                faulty(&at, Expression::apply(Op::Ne, vec![kind, Expression::from(0_i64)]))?
            };
            return Ok((whole, at));
        }
        let selectors = self.selectors(depth)?;
        if pin.is_none() && !is_local {
            pin = self.known.get(name.as_str()).copied();
        }
        let root = Root::Bin(name);
        if selectors.is_empty() && self.is_change(pin) {
            self.advance()?;
            return self.change(start, &root, pin, &[], depth);
        }
        if !selectors.is_empty() {
            return self.inside(start, &root, pin, &selectors, depth);
        }
        let at = start..self.last;
        self.bins.push(at.clone());
        Ok((faulty(&at, root.expression(pin))?, at))
    }

    /// The value at the end of a path into a list or map.
    pub(super) fn inside(
        &mut self,
        start: usize,
        root: &Root,
        pin: Option<Type>,
        selectors: &[Selector],
        depth: usize,
    ) -> ParseResult<Spanned> {
        let Some((last, steps)) = selectors.split_last() else {
            return Err(self.unexpected("a path"));
        };
        let first = &selectors[0];
        let kind = match first.inside {
            Inside::List => Some(Type::List),
            Inside::Map => Some(Type::Map),
            Inside::Either => None,
        };
        let on_at = start..first.at.start;
        let on = match (kind, pin) {
            (Some(kind), Some(pin)) if pin != kind => {
                let why = format!("the path looks into a {kind}, so the bin is one");
                return Err(TextError::new(start..first.at.end, why));
            }
            (None, None) => {
                let why = "nothing says whether this is a LIST or a MAP: write :LIST.* or :MAP.*";
                return Err(TextError::new(start..first.at.end, why));
            }
            (kind, pin) => faulty(&on_at, root.expression(kind.or(pin)))?,
        };
        for pair in selectors.windows(2) {
            pair[0].check_next(&pair[1])?;
        }
        let many = selectors.iter().any(Selector::names_many)
            || steps.iter().any(Selector::is_key_list)
            || self.is_method("modify")
            || self.is_method("getTree");
        if many {
            return self.many(start, on, selectors, depth);
        }
        if self.is_change(last.pin) {
            self.advance()?;
            return self.change(start, root, pin, selectors, depth);
        }
        let mut context = Vec::new();
        for step in steps {
            context.push(step.step()?);
        }
        let (returns, pinned) = self.returning(last)?;
        let pinned = match pinned.or(last.pin.filter(|_| returns == returns::VALUE)) {
            None => self.pin()?,
            pinned => pinned,
        };
        let at = start..self.last;
        self.bins.push(at.clone());
        let (op, gives) = last.operation(returns)?;
        let result = match (gives, pinned) {
            (Some(gives), Some(pinned)) if gives != pinned => {
                return Err(TextError::new(at, format!("this gives {gives}, not {pinned}")));
            }
            (gives, pinned) => gives.or(pinned),
        };
        let write = |out: &mut Vec<u8>| op.encode::<Value>(&[], out);
        let operands = faulty(&last.at, last.operands())?;
        let mut call = faulty(&at, Call::new(CDT, false, write, &operands, on))?;
        call.result = result;
        if !context.is_empty() {
            let mut packed = Vec::new();
            context::encode(&context, &mut packed);
            call.context = Some(packed);
        }
        Ok((faulty(&at, Expression::call(call))?, at))
    }

    /// The return type for the selected elements, and the value type if given.
    fn returning(&mut self, last: &Selector) -> ParseResult<(i64, Option<Type>)> {
        let whole = matches!(last.selection, Selection::Whole);
        let known: &[&str] = if whole {
            &["count"]
        } else {
            &["count", "exists", "getKeys", "getKeyValues", "getIndexes", "getRanks", "getMaps"]
        };
        let returns = match self.method(known)?.as_deref() {
            Some("count") => returns::COUNT,
            Some("exists") => returns::EXISTS,
            Some("getKeys") => returns::KEY,
            Some("getKeyValues") => returns::KEY_VALUE,
            Some("getIndexes") => match self.suffix(&["REVERSE"])? {
                Some(_) => returns::REVERSE_INDEX,
                None => returns::INDEX,
            },
            Some("getRanks") => match self.suffix(&["REVERSE"])? {
                Some(_) => returns::REVERSE_RANK,
                None => returns::RANK,
            },
            Some("getMaps") => match self.suffix(&["UNORDERED"])? {
                Some(_) => returns::UNORDERED_MAP,
                None => returns::ORDERED_MAP,
            },
            _ if whole => {
                return Err(self.unexpected("`.count()`, which `[]` and `{}` are for"));
            }
            _ => return self.get(),
        };
        Ok((returns, None))
    }

    /// `.get(return: RANK, type: INT)`.
    fn get(&mut self) -> ParseResult<(i64, Option<Type>)> {
        if !self.is_method("get") {
            return Ok((returns::VALUE, None));
        }
        for _ in 0..3 {
            self.advance()?;
        }
        let (mut returns, mut kind) = (returns::VALUE, None);
        while !self.is(")") {
            let Word::Name(option @ ("return" | "type")) = self.word else {
                return Err(self.unexpected("`return:` or `type:`"));
            };
            self.advance()?;
            if option == "type" {
                kind = self.pin()?;
                if kind.is_none() {
                    return Err(self.unexpected("`:` and a type"));
                }
            } else {
                self.expect(":")?;
                let known = match self.word {
                    Word::Name(name) => RETURNS.iter().find(|(known, _)| *known == name),
                    _ => None,
                };
                let Some((_, number)) = known else {
                    let known: Vec<_> = RETURNS.iter().map(|(name, _)| *name).collect();
                    return Err(self.unexpected(&format!("one of {}", known.join(" "))));
                };
                returns = *number;
                self.advance()?;
            }
            if !self.takes(",")? {
                break;
            }
        }
        self.expect(")")?;
        Ok((returns, kind))
    }

    /// Whether a method of this name comes next.
    pub(super) fn is_method(&self, name: &str) -> bool {
        let mut ahead = self.lexer.clone();
        self.is(".")
            && matches!(ahead.next(), Ok((Word::Name(next), _)) if next == name)
            && matches!(ahead.next(), Ok((Word::Sign("("), _)))
    }

    /// Whether a method of strings comes next, or one that makes a string.
    pub(super) fn is_string_method(&self) -> bool {
        let mut ahead = self.lexer.clone();
        let Ok((Word::Name(name), _)) = ahead.next() else { return false };
        let is_known = name == "toString" || method::is_known(name);
        self.is(".") && is_known && matches!(ahead.next(), Ok((Word::Sign("("), _)))
    }

    /// Consumes one of these methods, if one comes next.
    fn method(&mut self, known: &[&str]) -> ParseResult<Option<String>> {
        let Some(name) = known.iter().find(|name| self.is_method(name)) else { return Ok(None) };
        for _ in 0..3 {
            self.advance()?;
        }
        self.expect(")")?;
        Ok(Some((*name).to_owned()))
    }

    /// A type in the middle of a path: more of it follows, or a method.
    pub(super) fn pin_before_more(&mut self) -> ParseResult<Option<Type>> {
        if !self.is(":") {
            return Ok(None);
        }
        let mut ahead = self.lexer.clone();
        let is_type =
            matches!(ahead.next(), Ok((Word::Name(name), _)) if Type::from_name(name).is_some());
        let more = is_type && matches!(ahead.next(), Ok((Word::Sign("." | "["), _)));
        if more { self.pin() } else { Ok(None) }
    }

    /// A type after a colon.
    pub(super) fn pin(&mut self) -> ParseResult<Option<Type>> {
        if !self.takes(":")? {
            return Ok(None);
        }
        let kind = match self.word {
            Word::Name(name) => Type::from_name(name).filter(|kind| *kind != Type::Nil),
            _ => None,
        };
        let Some(kind) = kind else {
            return Err(
                self.unexpected("a type (INT, FLOAT, BOOL, STRING, BLOB, LIST, MAP, GEO or HLL)")
            );
        };
        self.advance()?;
        Ok(Some(kind))
    }

    fn metadata(
        &mut self,
        name: &str,
        start: usize,
        name_at: &Range<usize>,
        depth: usize,
    ) -> ParseResult<Spanned> {
        let whole = match name {
            "digestModulo" => {
                let value_at = self.at.clone();
                let Literal::Scalar(Value::Int(divisor)) = self.literal(depth)? else {
                    return Err(TextError::new(value_at, "a digest modulo takes an integer"));
                };
                faulty(&value_at, Expression::digest_modulo(divisor))?
            }
            "key" => {
                self.expect(")")?;
                let kind = self.pin()?.unwrap_or(Type::Str);
                let at = start..self.last;
                return Ok((faulty(&at, Expression::key(kind))?, at));
            }
            _ => {
                let alias = match name {
                    "lastUpdateTime" => "lastUpdate",
                    "timeSinceLastUpdate" => "sinceUpdate",
                    name => name,
                };
                let meta = Meta::ALL.iter().find(|meta| meta.word() == alias);
                let why = || TextError::new(name_at.clone(), format!("a record has no {name}()"));
                Expression::meta(*meta.ok_or_else(why)?)
            }
        };
        self.expect(")")?;
        Ok((whole, start..self.last))
    }
}

impl Selector {
    /// The selector as a path step.
    pub(super) fn step(&self) -> ParseResult<Step<Vec<u8>>> {
        let at = match &self.selection {
            Selection::Index(index) => At::Index(*index),
            Selection::Rank(rank) => At::Rank(*rank),
            Selection::Key(key) => At::Key(faulty(&self.at, key.packed())?),
            Selection::Value(value) => At::Value(faulty(&self.at, value.packed())?),
            _ => {
                let why = "only the last part of a path may name several elements";
                return Err(TextError::new(self.at.clone(), why));
            }
        };
        if self.inverted {
            return Err(TextError::new(self.at.clone(), "only the last part may be inverted"));
        }
        Ok(Step::new(self.inside, at))
    }

    /// Checks the type of what it selects against what the next part is for.
    fn check_next(&self, next: &Self) -> ParseResult<()> {
        let wants = match next.inside {
            Inside::List => Type::List,
            Inside::Map => Type::Map,
            Inside::Either => return Ok(()),
        };
        match self.pin {
            Some(pin) if pin != wants => {
                let why = format!("the next part looks into a {wants}, not a {pin}");
                Err(TextError::new(self.at.start..next.at.end, why))
            }
            _ => Ok(()),
        }
    }

    /// The operation that reads it, and the type of the result.
    fn operation(&self, returns: i64) -> ParseResult<(Operation<Slot, Slot>, Option<Type>)> {
        let Some(by) = self.by() else {
            let op = match self.inside {
                Inside::List => Operation::List(ListOp::Size),
                _ => Operation::Map(MapOp::Size),
            };
            return Ok((op, Some(Type::Int)));
        };
        let single = by.is_single();
        if self.inverted && single {
            let why = "one element cannot be inverted: name a range or several";
            return Err(TextError::new(self.at.clone(), why));
        }
        let of_map = matches!(
            returns,
            returns::KEY | returns::KEY_VALUE | returns::ORDERED_MAP | returns::UNORDERED_MAP
        );
        if of_map && self.inside == Inside::List {
            return Err(TextError::new(self.at.clone(), "the elements of a list have no keys"));
        }
        let of_places = matches!(
            returns,
            returns::RANK | returns::REVERSE_RANK | returns::INDEX_RANGE
                ..=returns::REVERSE_RANK_RANGE
        );
        if of_places && matches!(self.selection, Selection::KeyList(_)) {
            let why = "servers say no ranks, and no ranges, of several keys";
            return Err(TextError::new(self.at.clone(), why));
        }
        let gives = returns::kind(returns, single);
        let flags = if self.inverted { returns | returns::INVERTED } else { returns };
        let op = match self.inside {
            Inside::List => Operation::List(ListOp::GetBy(flags, by)),
            _ => Operation::Map(MapOp::GetBy(flags, by)),
        };
        Ok((op, gives))
    }
}
