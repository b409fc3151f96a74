//! The parser of text expressions.

mod arguments;
mod change;
mod elements;
mod method;
mod operators;
mod path;
mod root;
mod select;
mod types;
mod value;

use std::collections::HashMap;
use std::ops::Range;

pub use self::path::RETURNS;
use self::value::bytes_as;
use super::lexer::{Lexer, Word};
use super::{LONGEST, TextError};
use crate::expression::{Expression, Fault, Op, Type};

/// Deepest nesting of a text.
const DEPTH: usize = 100;

type ParseResult<T> = Result<T, TextError>;
/// An expression and its position in the text.
type Spanned = (Expression, Range<usize>);

/// How often a text is read again, to find the types of bins that are compared with one another.
const ROUNDS: usize = 8;

pub(super) fn parse(
    text: &str,
    parameters: &[Expression],
    expected: Option<Type>,
    has_element: bool,
) -> ParseResult<Expression> {
    let mut known = HashMap::new();
    let round = |known| once(text, parameters, expected, has_element, known);
    let mut outcome = round(HashMap::new());
    for _ in 1..ROUNDS {
        let Err((error, Some(whole))) = outcome else { break };
        let types = types::of_bins(&whole);
        if types.len() == known.len() {
            outcome = Err((error, None));
            break;
        }
        known = types;
        outcome = match round(known.clone()) {
            Err((_, None)) => Err((error, None)),
            other => other,
        };
    }
    outcome.map_err(|(error, _)| error)
}

/// Reads a text. With an error may come the whole, in which types are not known.
fn once(
    text: &str,
    parameters: &[Expression],
    expected: Option<Type>,
    has_element: bool,
    known: HashMap<String, Type>,
) -> Result<Expression, (TextError, Option<Expression>)> {
    let whole = read(text, parameters, expected, has_element, known);
    let (whole, error) = whole.map_err(|error| (error, None))?;
    match error {
        Some(error) => Err((error, Some(whole))),
        None => Ok(whole),
    }
}

fn read(
    text: &str,
    parameters: &[Expression],
    expected: Option<Type>,
    has_element: bool,
    known: HashMap<String, Type>,
) -> ParseResult<(Expression, Option<TextError>)> {
    if text.len() > LONGEST {
        return Err(TextError::new(0..1, format!("a text longer than {LONGEST} bytes")));
    }
    let mut lexer = Lexer::new(text);
    let (word, at) = lexer.next()?;
    let mut parser = Parser {
        lexer,
        word,
        at,
        last: 0,
        parameters,
        used: vec![false; parameters.len()],
        names: Vec::new(),
        bins: Vec::new(),
        has_element,
        known,
    };
    if parser.word == Word::End {
        return Err(TextError::new(0..text.len(), "an empty text is no expression"));
    }
    let (whole, at) = parser.expression(0, DEPTH)?;
    if parser.word != Word::End {
        return Err(parser.unexpected("an operator or the end"));
    }
    if let Some(unused) = parser.used.iter().position(|used| !used) {
        let why = if parser.used[unused..].contains(&true) {
            format!("nothing uses the parameter ?{unused}")
        } else {
            wrong_count(unused, parameters.len())
        };
        return Err(TextError::new(0..text.len(), why));
    }
    let whole = match expected {
        Some(expected) => faulty(&at, whole.refined(expected, "a filter"))?,
        None => whole,
    };
    match whole.check() {
        Ok(kind) => match (expected, kind) {
            (Some(expected), Some(kind)) if expected != kind => Err(TextError {
                fault: Fault::Type(format!("the whole must be {expected}, not {kind}")),
                at,
            }),
            _ => Ok((whole, None)),
        },
        Err(fault) => {
            let at = parser.untyped(&whole).unwrap_or(at);
            Ok((whole, Some(TextError { fault, at })))
        }
    }
}

/// The error for a text that does not have as many placeholders as there are values.
fn wrong_count(placeholders: usize, values: usize) -> String {
    let of = |count: usize, what: &str| match count {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        more => format!("{more} {what}s"),
    };
    let verb = if values == 1 { "was" } else { "were" };
    format!(
        "the text has {}, {} {verb} given",
        of(placeholders, "placeholder"),
        of(values, "value")
    )
}

/// Adds the position to a fault.
fn faulty<T>(at: &Range<usize>, outcome: Result<T, Fault>) -> ParseResult<T> {
    outcome.map_err(|fault| TextError { fault, at: at.clone() })
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The next token.
    word: Word<'a>,
    at: Range<usize>,
    /// Where the previous token ended.
    last: usize,
    parameters: &'a [Expression],
    used: Vec<bool>,
    /// The variables in scope.
    names: Vec<&'a str>,
    /// Positions of bins, in order.
    bins: Vec<Range<usize>>,
    /// Whether it is about an element of a path, `@`.
    has_element: bool,
    /// The types that bins have elsewhere in the text.
    known: HashMap<String, Type>,
}

impl<'a> Parser<'a> {
    fn advance(&mut self) -> ParseResult<Word<'a>> {
        self.last = self.at.end;
        let (word, at) = self.lexer.next()?;
        self.at = at;
        Ok(std::mem::replace(&mut self.word, word))
    }

    /// How many values the whole text needs, of which this is the number of one.
    fn placeholders(&mut self, number: usize) -> usize {
        let mut highest = number;
        loop {
            if let Word::Parameter(number) = self.word {
                highest = highest.max(number);
            }
            if self.word == Word::End || self.advance().is_err() {
                return highest.saturating_add(1);
            }
        }
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.word, Word::Sign(next) if next == sign)
    }

    /// Consumes a sign if it comes next.
    fn takes(&mut self, sign: &str) -> ParseResult<bool> {
        let matches = self.is(sign);
        if matches {
            self.advance()?;
        }
        Ok(matches)
    }

    fn expect(&mut self, sign: &str) -> ParseResult<()> {
        if self.takes(sign)? { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn takes_name(&mut self, name: &str) -> ParseResult<bool> {
        let matches = matches!(self.word, Word::Name(next) if next == name);
        if matches {
            self.advance()?;
        }
        Ok(matches)
    }

    fn unexpected(&self, expected: &str) -> TextError {
        let actual = match &self.word {
            Word::End => "the end".to_owned(),
            Word::Name(name) => format!("`{name}`"),
            Word::Sign("=") => "`=` (equality is written `==`)".to_owned(),
            Word::Sign("&&") => "`&&` (written `and`)".to_owned(),
            Word::Sign("||") => "`||` (written `or`)".to_owned(),
            Word::Sign("?(") => "`?(`, which begins a filter in a path: .*[?(@ > 1)]".to_owned(),
            Word::Sign("!") => "`!` (written `not`)".to_owned(),
            Word::Sign(sign) => format!("`{sign}`"),
            Word::Int(_) | Word::Float(_) => "a number".to_owned(),
            Word::Text(_) | Word::Bytes(_) => "a text".to_owned(),
            Word::Parameter(_) => "a parameter".to_owned(),
            Word::Variable(_) => "a variable".to_owned(),
        };
        TextError::new(self.at.clone(), format!("expected {expected}, found {actual}"))
    }

    /// An operand, the methods called on it, and paths into it.
    fn with_methods(&mut self, depth: usize) -> ParseResult<Spanned> {
        let start = self.at.start;
        let (mut operand, mut at) = self.operand(depth)?;
        while self.is(".") || self.children_follow().is_some() {
            if !self.is_call_next() {
                let selectors = self.selectors(depth)?;
                if selectors.is_empty() {
                    return Err(self.unexpected("a method, or a part of a path"));
                }
                let kind = operand.kind().filter(|it| matches!(it, Type::List | Type::Map));
                let root = root::Root::Value(operand);
                (operand, at) = self.inside(start, &root, kind, &selectors, depth)?;
                continue;
            }
            (operand, at) = self.method_of(operand, at, depth)?;
        }
        Ok((operand, at))
    }

    /// Whether a method comes next.
    pub(super) fn is_call_next(&self) -> bool {
        let mut ahead = self.lexer.clone();
        self.is(".")
            && matches!(ahead.next(), Ok((Word::Name(_), _)))
            && matches!(ahead.next(), Ok((Word::Sign("("), _)))
    }

    fn operand(&mut self, depth: usize) -> ParseResult<Spanned> {
        let at = self.at.clone();
        let leaf = |expression: Expression| Ok((expression, at.clone()));
        match self.word.clone() {
            Word::Sign("(") => {
                self.advance()?;
                let (inner, _) = self.expression(0, depth)?;
                self.expect(")")?;
                Ok((inner, at.start..self.last))
            }
            Word::Sign("$") => {
                self.advance()?;
                self.path(at.start, depth)
            }
            Word::Sign("@") => {
                self.advance()?;
                self.element_of_path(at.start, depth)
            }
            Word::Parameter(number) => {
                self.advance()?;
                let Some(parameter) = self.parameters.get(number) else {
                    let why = wrong_count(self.placeholders(number), self.parameters.len());
                    return Err(TextError::new(at, why));
                };
                self.used[number] = true;
                leaf(parameter.clone())
            }
            Word::Variable(name) => {
                self.advance()?;
                if !self.names.contains(&name) {
                    return Err(TextError::new(at, format!("the variable {name} is not defined")));
                }
                let var = faulty(&at, Expression::var(name))?;
                leaf(var)
            }
            Word::Name(name) if self.is_call(name) => self.call(name, depth),
            Word::Sign(".") => {
                let value = self.literal(depth)?;
                leaf(faulty(&at, value.constant())?)
            }
            Word::Name("unknown" | "error") => {
                self.advance()?;
                leaf(Expression::unknown())
            }
            Word::End => Err(self.unexpected("an operand")),
            _ => {
                let value = self.literal(depth)?;
                let at = at.start..self.last;
                let constant = faulty(&at, value.constant())?;
                Ok((constant, at))
            }
        }
    }

    /// Whether this name starts a call with parentheses.
    fn is_call(&self, name: &str) -> bool {
        let known = matches!(name, "when" | "let" | "pow" | "geoJson" | "hll")
            || Op::ALL.iter().any(|op| op.word() == name);
        known && matches!(self.lexer.clone().next(), Ok((Word::Sign("("), _)))
    }

    fn call(&mut self, name: &'a str, depth: usize) -> ParseResult<Spanned> {
        let start = self.at.start;
        self.advance()?;
        self.expect("(")?;
        match name {
            "when" => return self.when(start, depth),
            "let" => return self.bind(start, depth),
            _ => {}
        }
        let arguments = self.arguments(depth)?;
        let at = start..self.last;
        let named: &[&str] = match name {
            "log" => &["value", "base"],
            "pow" => &["base", "exponent"],
            "findBitLeft" | "findBitRight" => &["x", "value"],
            _ => &[],
        };
        let operands = faulty(&at, arguments::in_order(name, named, arguments))?;
        let whole = match name {
            "geoJson" => bytes_as(Type::Geo, &operands),
            "hll" => bytes_as(Type::Hll, &operands),
            _ => {
                let op = Op::ALL.iter().find(|op| op.word() == name);
                Expression::apply(op.copied().unwrap_or(Op::Pow), operands)
            }
        };
        Ok((faulty(&at, whole)?, at))
    }

    fn when(&mut self, start: usize, depth: usize) -> ParseResult<Spanned> {
        let mut operands = Vec::new();
        loop {
            let last = self.takes_name("default")?;
            if !last {
                operands.push(self.expression(0, depth)?.0);
            }
            self.expect("=>")?;
            operands.push(self.expression(0, depth)?.0);
            if last {
                break;
            }
            if !self.takes(",")? {
                return Err(self.unexpected("`, default => value`"));
            }
        }
        self.expect(")")?;
        let at = start..self.last;
        Ok((faulty(&at, Expression::apply(Op::Cond, operands))?, at))
    }

    fn bind(&mut self, start: usize, depth: usize) -> ParseResult<Spanned> {
        let outer = self.names.len();
        let mut definitions = Vec::new();
        loop {
            let Word::Name(name) = self.word else {
                return Err(self.unexpected("the name of a variable"));
            };
            if self.names.contains(&name) {
                let why = format!("the variable {name} is defined twice");
                return Err(TextError::new(self.at.clone(), why));
            }
            self.advance()?;
            self.expect("=")?;
            definitions.push((name.as_bytes().to_vec(), self.expression(0, depth)?.0));
            self.names.push(name);
            if !self.takes(",")? {
                break;
            }
        }
        self.expect(")")?;
        if !self.takes_name("then")? {
            return Err(self.unexpected("`then`"));
        }
        self.expect("(")?;
        let (scope, _) = self.expression(0, depth)?;
        self.expect(")")?;
        self.names.truncate(outer);
        let at = start..self.last;
        Ok((faulty(&at, Expression::bind(definitions, scope))?, at))
    }

    /// The position of the first bin without a type.
    fn untyped(&self, whole: &Expression) -> Option<Range<usize>> {
        let mut types = Vec::new();
        types::places(whole, &mut types);
        // Bins in parameters have no position in the text.
        if types.len() != self.bins.len() {
            return None;
        }
        let at = types.iter().position(|typed| !typed)?;
        Some(self.bins[at].clone())
    }
}
