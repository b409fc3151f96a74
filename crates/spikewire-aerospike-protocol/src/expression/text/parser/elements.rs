//! Paths to many elements: `.*`, filters, and the elements that filters look at.

use super::root::Root;
use super::select::{Selection, Selector};
use super::{ParseResult, Parser, Spanned, faulty};
use crate::cdt::context::Inside;
use crate::cdt::{ListOp, Op as Operation, Step};
use crate::expression::call::{CDT, Call};
use crate::expression::text::TextError;
use crate::expression::text::lexer::Word;
use crate::expression::{
    Expression, Fault, LoopPart, Op, PathOperation, PathReturn, PathStep, Slot, Type,
};
use crate::value::Value;

/// The option of methods that skips elements which a path does not fit.
const NO_FAIL: &str = "NO_FAIL";

impl Parser<'_> {
    /// What follows `@`.
    pub(super) fn element_of_path(&mut self, start: usize, depth: usize) -> ParseResult<Spanned> {
        if !self.has_element {
            let why = "`@` is an element that a filter of a path looks at: .*[?(@ > 1)]";
            return Err(TextError::new(start..self.last, why));
        }
        let part = match self.word {
            Word::Name("key") => LoopPart::Key,
            Word::Name("index") => LoopPart::Index,
            _ => LoopPart::Value,
        };
        if part != LoopPart::Value {
            self.advance()?;
        }
        let pin = self.pin()?;
        let root = Root::Element(part);
        let selectors = if part == LoopPart::Value { self.selectors(depth)? } else { Vec::new() };
        if !selectors.is_empty() {
            return self.inside(start, &root, pin, &selectors, depth);
        }
        let at = start..self.last;
        self.bins.push(at.clone());
        Ok((faulty(&at, root.expression(pin))?, at))
    }

    /// Whether a part comes next that names all elements, or filters them, and of what.
    pub(super) fn children_follow(&self) -> Option<Inside> {
        let mut ahead = self.lexer.clone();
        let mut next = || match ahead.next() {
            Ok((Word::Sign(sign), _)) => sign,
            _ => "",
        };
        let Word::Sign(mut bracket) = self.word else { return None };
        let dot = bracket == ".";
        if dot {
            bracket = next();
        }
        match bracket {
            "*" if dot => Some(Inside::Either),
            "[" if matches!(next(), "*" | "?(") => Some(Inside::List),
            "{" if matches!(next(), "*" | "?(") => Some(Inside::Map),
            _ => None,
        }
    }

    /// `.*`, `.*[?(…)]`, `.[*]`, `.[?(…)]` and the same in braces.
    pub(super) fn children(&mut self, depth: usize) -> ParseResult<Option<Expression>> {
        self.takes(".")?;
        if self.takes("*")? {
            let filtered = self.is("[") && self.children_follow() == Some(Inside::List);
            let mut ahead = self.lexer.clone();
            let filtered = filtered && matches!(ahead.next(), Ok((Word::Sign("?("), _)));
            return if filtered { self.filter_in_brackets(depth).map(Some) } else { Ok(None) };
        }
        let close = if self.is("{") { "}" } else { "]" };
        self.advance()?;
        if self.takes("*")? {
            self.expect(close)?;
            return Ok(None);
        }
        let filter = self.filter(depth)?;
        self.expect(close)?;
        Ok(Some(filter))
    }

    /// Whether a filter of what is before it comes next: `&[?(…)]`.
    pub(super) fn has_and_filter(&self) -> bool {
        let mut ahead = self.lexer.clone();
        self.is("&")
            && matches!(ahead.next(), Ok((Word::Sign("["), _)))
            && matches!(ahead.next(), Ok((Word::Sign("?("), _)))
    }

    pub(super) fn filter_in_brackets(&mut self, depth: usize) -> ParseResult<Expression> {
        self.expect("[")?;
        let filter = self.filter(depth)?;
        self.expect("]")?;
        Ok(filter)
    }

    /// `?(…)`, checked.
    fn filter(&mut self, depth: usize) -> ParseResult<Expression> {
        self.expect("?(")?;
        let (filter, at) = self.about_element(depth)?;
        self.expect(")")?;
        match faulty(&at, PathStep::children_where(filter))? {
            PathStep::Children(Some(filter)) => Ok(filter),
            _ => Err(TextError::new(at, "a filter that is none")),
        }
    }

    /// An expression about an element of a path. The variables around it are not known in it.
    fn about_element(&mut self, depth: usize) -> ParseResult<Spanned> {
        let names = std::mem::take(&mut self.names);
        let had_element = std::mem::replace(&mut self.has_element, true);
        let bins = self.bins.len();
        let result = self.expression(0, depth)?;
        self.names = names;
        self.has_element = had_element;
        self.bins.truncate(bins);
        Ok(result)
    }

    /// What a path to many elements gives.
    pub(super) fn many(
        &mut self,
        start: usize,
        on: Expression,
        selectors: &[Selector],
        depth: usize,
    ) -> ParseResult<Spanned> {
        let mut steps = Vec::new();
        for selector in selectors {
            selector.add_steps(&mut steps)?;
        }
        let known =
            ["get", "getTree", "getKeys", "getKeyValues", "count", "exists", "modify", "remove"];
        let method = known.into_iter().find(|name| self.is_method(name)).unwrap_or("");
        let (mut value, mut no_fail) = (None, false);
        if !method.is_empty() {
            for _ in 0..3 {
                self.advance()?;
            }
            if method == "modify" {
                value = Some(self.about_element(depth)?.0);
            }
            no_fail = (value.is_none() || self.takes(",")?) && self.takes_name(NO_FAIL)?;
            self.expect(")")?;
            no_fail |= self.suffix(&[NO_FAIL])?.is_some();
        }
        let pin = self.pin()?;
        let at = start..self.last;
        self.bins.push(at.clone());
        let returns = match method {
            "getTree" => PathReturn::Tree,
            "getKeys" => PathReturn::Key,
            "getKeyValues" => PathReturn::KeyValue,
            _ => PathReturn::Value,
        };
        let operation = match (method, value) {
            (_, Some(value)) => PathOperation::modify(steps, value, no_fail),
            ("remove", _) => PathOperation::remove(steps, no_fail),
            _ => PathOperation::select(steps, returns, no_fail),
        };
        let path = faulty(&at, operation.and_then(|operation| Expression::path(on, operation)))?;
        let whole = match method {
            "count" => faulty(&at, size(path))?,
            "exists" => faulty(&at, size(path).and_then(is_positive))?,
            _ => path,
        };
        if let (Some(pin), Some(kind)) = (pin, whole.kind())
            && pin != kind
        {
            return Err(TextError::new(at, format!("this gives {kind}, not {pin}")));
        }
        Ok((whole, at))
    }
}

/// The number of elements of a list.
fn size(list: Expression) -> Result<Expression, Fault> {
    let op: Operation<Slot, Slot> = Operation::List(ListOp::Size);
    let write = |out: &mut Vec<u8>| op.encode::<Value>(&[], out);
    let mut call = Call::new(CDT, false, write, &[], list)?;
    call.result = Some(Type::Int);
    Expression::call(call)
}

fn is_positive(count: Expression) -> Result<Expression, Fault> {
    Expression::apply(Op::Gt, vec![count, Expression::from(0_i64)])
}

impl Selector {
    /// Whether only a path expression has such a part.
    pub fn names_many(&self) -> bool {
        matches!(self.selection, Selection::Children(_)) || self.filter.is_some()
    }

    /// Whether it names elements by a list of keys.
    pub fn is_key_list(&self) -> bool {
        matches!(self.selection, Selection::KeyList(_)) && !self.inverted
    }

    /// Appends it as steps of a path expression.
    fn add_steps(&self, steps: &mut Vec<PathStep>) -> ParseResult<()> {
        steps.push(match &self.selection {
            Selection::Children(filter) => PathStep::Children(filter.clone()),
            Selection::KeyList(keys) if !self.inverted => {
                PathStep::KeysIn(faulty(&self.at, keys.packed())?)
            }
            Selection::Whole => {
                let why = "all elements are written .[*] or .{*}";
                return Err(TextError::new(self.at.clone(), why));
            }
            Selection::Index(_) | Selection::Rank(_) | Selection::Key(_) | Selection::Value(_) => {
                let Step { inside, at, .. } = self.step()?;
                PathStep::At(Step::new(inside, at))
            }
            _ => {
                let why = "in a path to many elements, a part names one element, several keys, \
                           or all that a filter is true for";
                return Err(TextError::new(self.at.clone(), why));
            }
        });
        if let Some(filter) = &self.filter {
            steps.push(PathStep::And(Some(filter.clone())));
        }
        Ok(())
    }
}
