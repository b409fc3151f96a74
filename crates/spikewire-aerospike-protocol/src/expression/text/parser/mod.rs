//! The parser of text expressions.

mod arguments;
mod change;
mod elements;
mod method;
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
use super::{LONGEST, REGEX_FLAGS, TextError};
use crate::expression::{Expression, Fault, Op, Type};

/// Deepest nesting of a text.
const DEPTH: usize = 100;

/// Precedence of operators.
mod strength {
    pub const NOT: u8 = 5;
    pub const COMPARE: u8 = 7;
    pub const POWER: u8 = 17;
    pub const FRONT: u8 = 19;
}

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

    /// The infix operator that comes next, and its precedence.
    fn infix(&self) -> Option<(Infix, u8)> {
        Some(match self.word {
            Word::Name("or") => (Infix::Op(Op::Or), 1),
            Word::Name("and") => (Infix::Op(Op::And), 3),
            Word::Name("in") => (Infix::Op(Op::In), strength::COMPARE),
            Word::Sign("=~") => (Infix::Regex, strength::COMPARE),
            Word::Sign(sign) => {
                let op = *Op::ALL.iter().find(|op| op.word() == sign)?;
                let strength = match op {
                    Op::IntOr => 9,
                    Op::IntXor => 10,
                    Op::IntAnd => 11,
                    Op::ShiftLeft | Op::ShiftRight | Op::ShiftSigned => 12,
                    Op::Add | Op::Sub => 13,
                    Op::Mul | Op::Div | Op::Mod => 15,
                    Op::Pow => strength::POWER,
                    Op::IntNot => return None,
                    _ => strength::COMPARE,
                };
                (Infix::Op(op), strength)
            }
            _ => return None,
        })
    }

    /// An expression of operators whose precedence is higher than `least`.
    fn expression(&mut self, least: u8, depth: usize) -> ParseResult<Spanned> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(TextError::new(self.at.clone(), "nested too deep"));
        };
        let first = self.front(depth)?;
        self.infixes(first, least, depth)
    }

    /// The operators behind a first operand.
    fn infixes(
        &mut self,
        (mut left, mut at): Spanned,
        least: u8,
        depth: usize,
    ) -> ParseResult<Spanned> {
        let mut closed = u8::MAX;
        while let Some((infix, strength)) = self.infix() {
            if strength < least || strength == least && strength != strength::POWER {
                break;
            }
            if strength == strength::COMPARE && closed == strength {
                return Err(TextError::new(
                    self.at.clone(),
                    "comparisons do not chain; join them with `and`",
                ));
            }
            closed = strength;
            let Infix::Op(op) = infix else {
                (left, at) = self.regex(left, at)?;
                continue;
            };
            self.advance()?;
            let (right, end) = self.expression(strength, depth)?;
            at.end = end.end;
            if let (Op::In, None, Some(kind)) = (op, left.kind(), value::element_type(&right)) {
                left = faulty(&at, left.refined(kind, "`in`"))?;
            }
            left = if op == Op::Add && is_text_sum(&left, &right) {
                faulty(&at, method::concat(left, right))?
            } else {
                faulty(&at, Expression::join(op, left, right))?
            };
        }
        Ok((left, at))
    }

    fn regex(&mut self, left: Expression, mut at: Range<usize>) -> ParseResult<Spanned> {
        // The pattern is not a token, so it is read directly after the operator.
        let (pattern, letters, place) = self.lexer.pattern()?;
        let mut flags = 1;
        for letter in letters.chars() {
            match REGEX_FLAGS.iter().find(|(_, known)| *known == letter) {
                Some((flag, _)) => flags |= flag,
                None if letter == 'b' => flags &= !1,
                None => {
                    let why = format!("patterns have the flags i, n, s and b, not {letter:?}");
                    return Err(TextError::new(place, why));
                }
            }
        }
        self.at = place.clone();
        self.advance()?;
        at.end = place.end;
        Ok((faulty(&at, Expression::regex(left, pattern, flags))?, at))
    }

    /// An operand with optional prefix operators.
    fn front(&mut self, depth: usize) -> ParseResult<Spanned> {
        let start = self.at.start;
        let op = match self.word {
            Word::Name("not") => Op::Not,
            Word::Sign("-") => Op::Sub,
            Word::Sign("~") => Op::IntNot,
            Word::Sign("+") => Op::Add,
            _ => return self.with_methods(depth),
        };
        self.advance()?;
        if op == Op::Sub && matches!(self.word, Word::Int(_) | Word::Float(_)) {
            let at = start..self.at.end;
            let negative = match self.advance()? {
                Word::Float(float) => Expression::from(-float),
                Word::Int(int) => {
                    let int = 0_i64.checked_sub_unsigned(int);
                    let why = "does not fit 64 bits signed";
                    Expression::from(int.ok_or_else(|| TextError::new(at.clone(), why))?)
                }
                _ => unreachable!("a number"),
            };
            return Ok((negative, at));
        }
        let strength = if op == Op::Not { strength::NOT } else { strength::FRONT };
        let (operand, end) = if op == Op::Not && self.is("(") {
            // What is in the parentheses is all that is negated, if it can be.
            let first = self.with_methods(depth)?;
            let whole = first.0.kind() == Some(Type::Bool);
            if whole { first } else { self.infixes(first, strength, depth)? }
        } else {
            self.expression(strength, depth)?
        };
        let at = start..end.end;
        let whole = if op == Op::Add { Ok(operand) } else { Expression::apply(op, vec![operand]) };
        Ok((faulty(&at, whole)?, at))
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

    /// What is in the parentheses of a call, up to the closing one, with the names that are written.
    pub(super) fn arguments(&mut self, depth: usize) -> ParseResult<Vec<arguments::Argument<'a>>> {
        let mut arguments = Vec::new();
        while !self.is(")") {
            if !arguments.is_empty() {
                self.expect(",")?;
            }
            let name = match self.word {
                Word::Name(name) => {
                    let next = self.lexer.clone().next();
                    matches!(next, Ok((Word::Sign(":"), _))).then_some(name)
                }
                _ => None,
            };
            if name.is_some() {
                self.advance()?;
            }
            if name == Some("pattern") {
                // The pattern is not a token, so it is read directly after the colon.
                let (pattern, letters, place) = self.lexer.pattern()?;
                self.at = place.clone();
                self.advance()?;
                arguments.push(arguments::pattern(pattern, letters, &place)?);
                continue;
            }
            if name.is_some() {
                self.expect(":")?;
            }
            arguments.push(arguments::Argument {
                name,
                value: self.expression(0, depth)?.0,
                how: 0,
            });
        }
        self.expect(")")?;
        Ok(arguments)
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

/// Whether a sum is one of texts.
fn is_text_sum(left: &Expression, right: &Expression) -> bool {
    [left, right].iter().any(|side| side.kind() == Some(Type::Str))
}

enum Infix {
    Op(Op),
    Regex,
}
