//! From words to expressions.

use std::ops::Range;

use super::lexer::{Lexer, Word};
use super::{LONGEST, REGEX_FLAGS, TextError};
use crate::expression::{Argument, Constant, Expression, Fault, Meta, Node, Op, Type};
use crate::value::Value;

/// Deepest nesting of a text.
const DEPTH: usize = 100;

/// How strongly operators hold their operands.
mod strength {
    pub const NOT: u8 = 5;
    pub const COMPARE: u8 = 7;
    pub const POWER: u8 = 17;
    pub const FRONT: u8 = 19;
}

type Found<T> = Result<T, TextError>;
/// An expression and where it stands.
type Spanned = (Expression, Range<usize>);

pub(super) fn parse(
    text: &str,
    parameters: &[Expression],
    wanted: Option<Type>,
) -> Found<Expression> {
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
    };
    if parser.word == Word::End {
        return Err(TextError::new(0..text.len(), "an empty text is no expression"));
    }
    let (whole, at) = parser.expression(0, DEPTH)?;
    if parser.word != Word::End {
        return Err(parser.unexpected("an operator or the end"));
    }
    if let Some(unused) = parser.used.iter().position(|used| !used) {
        let why = format!("nothing uses the parameter ?{unused}");
        return Err(TextError::new(0..text.len(), why));
    }
    let whole = match wanted {
        Some(wanted) => faulty(&at, whole.refined(wanted, "a filter"))?,
        None => whole,
    };
    match whole.check() {
        Ok(kind) => match (wanted, kind) {
            (Some(wanted), Some(kind)) if wanted != kind => Err(TextError {
                fault: Fault::Type(format!("the whole must be {wanted}, not {kind}")),
                at,
            }),
            _ => Ok(whole),
        },
        Err(fault) => {
            let at = parser.untyped(&whole).unwrap_or(at);
            Err(TextError { fault, at })
        }
    }
}

/// Says where a fault is.
fn faulty<T>(at: &Range<usize>, outcome: Result<T, Fault>) -> Found<T> {
    outcome.map_err(|fault| TextError { fault, at: at.clone() })
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    /// The word that comes next.
    word: Word<'a>,
    at: Range<usize>,
    /// Where the word before ended.
    last: usize,
    parameters: &'a [Expression],
    used: Vec<bool>,
    /// The variables that can be seen.
    names: Vec<&'a str>,
    /// Where bins were named, in order.
    bins: Vec<Range<usize>>,
}

impl<'a> Parser<'a> {
    fn advance(&mut self) -> Found<Word<'a>> {
        self.last = self.at.end;
        let (word, at) = self.lexer.next()?;
        self.at = at;
        Ok(std::mem::replace(&mut self.word, word))
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.word, Word::Sign(found) if found == sign)
    }

    /// Takes a sign if it comes next.
    fn takes(&mut self, sign: &str) -> Found<bool> {
        let found = self.is(sign);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect(&mut self, sign: &str) -> Found<()> {
        if self.takes(sign)? { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn takes_name(&mut self, name: &str) -> Found<bool> {
        let found = matches!(self.word, Word::Name(found) if found == name);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn unexpected(&self, wanted: &str) -> TextError {
        let found = match &self.word {
            Word::End => "the end".to_owned(),
            Word::Name(name) => format!("`{name}`"),
            Word::Sign("=") => "`=` (equality is written `==`)".to_owned(),
            Word::Sign("&&") => "`&&` (written `and`)".to_owned(),
            Word::Sign("||") => "`||` (written `or`)".to_owned(),
            Word::Sign("!") => "`!` (written `not`)".to_owned(),
            Word::Sign(sign) => format!("`{sign}`"),
            Word::Int(_) | Word::Float(_) => "a number".to_owned(),
            Word::Text(_) | Word::Bytes(_) => "a text".to_owned(),
            Word::Parameter(_) => "a parameter".to_owned(),
            Word::Variable(_) => "a variable".to_owned(),
        };
        TextError::new(self.at.clone(), format!("expected {wanted}, found {found}"))
    }

    /// The operator that comes next between two operands: how strongly it holds.
    fn infix(&self) -> Option<(Infix, u8)> {
        Some(match self.word {
            Word::Name("or") => (Infix::Op(Op::Or), 1),
            Word::Name("and") => (Infix::Op(Op::And), 3),
            Word::Name("in") => (Infix::Op(Op::In), strength::COMPARE),
            Word::Sign("=~") => (Infix::Regex, strength::COMPARE),
            Word::Sign(sign) => {
                let op = *Op::ALL.iter().find(|op| op.word() == sign)?;
                let strength = match op {
                    Op::IntAnd | Op::IntOr | Op::IntXor => 9,
                    Op::ShiftLeft | Op::ShiftRight | Op::ShiftSigned => 11,
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

    /// An expression of operators that hold more strongly than `least`.
    fn expression(&mut self, least: u8, depth: usize) -> Found<Spanned> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(TextError::new(self.at.clone(), "nested too deep"));
        };
        let (mut left, mut at) = self.front(depth)?;
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
            left = faulty(&at, Expression::join(op, left, right))?;
        }
        Ok((left, at))
    }

    fn regex(&mut self, left: Expression, mut at: Range<usize>) -> Found<Spanned> {
        // The pattern is no word, so it is read from behind the operator.
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

    /// What may have an operator in front.
    fn front(&mut self, depth: usize) -> Found<Spanned> {
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
        let (operand, end) = self.expression(strength, depth)?;
        let at = start..end.end;
        let whole = if op == Op::Add { Ok(operand) } else { Expression::apply(op, vec![operand]) };
        Ok((faulty(&at, whole)?, at))
    }

    /// An operand and the methods behind it.
    fn with_methods(&mut self, depth: usize) -> Found<Spanned> {
        let (mut operand, mut at) = self.operand(depth)?;
        while self.is(".") {
            self.advance()?;
            let name_at = self.at.clone();
            let op = match self.word {
                Word::Name("toInt") => Op::ToInt,
                Word::Name("toFloat") => Op::ToFloat,
                _ => {
                    return Err(TextError::new(
                        name_at,
                        "only .toInt() and .toFloat() can stand here; paths into lists and maps \
                         are not supported",
                    ));
                }
            };
            self.advance()?;
            self.expect("(")?;
            self.expect(")")?;
            at.end = self.last;
            operand = faulty(&at, Expression::apply(op, vec![operand]))?;
        }
        Ok((operand, at))
    }

    fn operand(&mut self, depth: usize) -> Found<Spanned> {
        let at = self.at.clone();
        let leaf = |found: Expression| Ok((found, at.clone()));
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
            Word::Parameter(number) => {
                self.advance()?;
                let Some(found) = self.parameters.get(number) else {
                    let count = self.parameters.len();
                    let why = format!("there is no parameter ?{number}, {count} were given");
                    return Err(TextError::new(at, why));
                };
                self.used[number] = true;
                leaf(found.clone())
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
            Word::Name("unknown" | "error") => {
                self.advance()?;
                leaf(Expression::unknown())
            }
            Word::End => Err(self.unexpected("an operand")),
            _ => {
                let value = self.value(depth)?;
                let at = at.start..self.last;
                let constant = faulty(&at, Expression::try_from(&value))?;
                Ok((constant, at))
            }
        }
    }

    /// Whether this name starts something with parentheses.
    fn is_call(&self, name: &str) -> bool {
        let known = matches!(name, "when" | "let" | "pow" | "geoJson" | "hll")
            || Op::ALL.iter().any(|op| op.word() == name);
        known && matches!(self.lexer.clone().next(), Ok((Word::Sign("("), _)))
    }

    fn call(&mut self, name: &'a str, depth: usize) -> Found<Spanned> {
        let start = self.at.start;
        self.advance()?;
        self.expect("(")?;
        match name {
            "when" => return self.when(start, depth),
            "let" => return self.bind(start, depth),
            _ => {}
        }
        let mut operands = Vec::new();
        while !self.is(")") {
            if !operands.is_empty() {
                self.expect(",")?;
            }
            operands.push(self.expression(0, depth)?.0);
        }
        self.expect(")")?;
        let at = start..self.last;
        let whole = match name {
            "geoJson" => bytes_as(Type::Geo, &operands),
            "hll" => bytes_as(Type::Hll, &operands),
            _ => {
                let named = Op::ALL.iter().find(|op| op.word() == name);
                Expression::apply(named.copied().unwrap_or(Op::Pow), operands)
            }
        };
        Ok((faulty(&at, whole)?, at))
    }

    fn when(&mut self, start: usize, depth: usize) -> Found<Spanned> {
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

    fn bind(&mut self, start: usize, depth: usize) -> Found<Spanned> {
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

    /// What follows `$`.
    fn path(&mut self, start: usize, depth: usize) -> Found<Spanned> {
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
        let pin = self.pin()?;
        let mut ahead = self.lexer.clone();
        if self.is(".")
            && let Ok((Word::Name(about @ ("exists" | "type")), _)) = ahead.next()
            && matches!(ahead.next(), Ok((Word::Sign("("), _)))
        {
            for _ in 0..3 {
                self.advance()?;
            }
            self.expect(")")?;
            let at = start..self.last;
            let kind = faulty(&at, Expression::bin_type(&name))?;
            let whole = if about == "type" {
                kind
            } else {
                faulty(&at, Expression::apply(Op::Ne, vec![kind, Expression::from(0_i64)]))?
            };
            return Ok((whole, at));
        }
        let at = start..self.last;
        self.bins.push(at.clone());
        let bin = match pin {
            Some(kind) => Expression::typed_bin(kind, &name),
            None => Expression::bin(&name),
        };
        Ok((faulty(&at, bin)?, at))
    }

    /// A type behind a colon.
    fn pin(&mut self) -> Found<Option<Type>> {
        if !self.takes(":")? {
            return Ok(None);
        }
        let found = match self.word {
            Word::Name(name) => Type::from_name(name).filter(|kind| *kind != Type::Nil),
            _ => None,
        };
        let Some(kind) = found else {
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
    ) -> Found<Spanned> {
        let whole = match name {
            "digestModulo" => {
                let value_at = self.at.clone();
                let Value::Int(divisor) = self.value(depth)? else {
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
                let found = Meta::ALL.iter().find(|meta| meta.word() == alias);
                let why = || TextError::new(name_at.clone(), format!("a record has no {name}()"));
                Expression::meta(*found.ok_or_else(why)?)
            }
        };
        self.expect(")")?;
        Ok((whole, start..self.last))
    }

    /// A constant.
    fn value(&mut self, depth: usize) -> Found<Value> {
        let at = self.at.clone();
        let Some(depth) = depth.checked_sub(1) else {
            return Err(TextError::new(at, "nested too deep"));
        };
        let negative = self.takes("-")?;
        if negative && !matches!(self.word, Word::Int(_) | Word::Float(_)) {
            return Err(self.unexpected("a number"));
        }
        let value = match self.word.clone() {
            Word::Int(int) => {
                let signed = if negative {
                    0_i64.checked_sub_unsigned(int)
                } else {
                    i64::try_from(int).ok()
                };
                let why = "does not fit 64 bits signed";
                Value::Int(signed.ok_or_else(|| TextError::new(at, why))?)
            }
            Word::Float(float) => Value::Float(if negative { -float } else { float }),
            Word::Text(text) => Value::Str(text),
            Word::Bytes(bytes) => Value::Bytes(bytes),
            Word::Name("true") => Value::Bool(true),
            Word::Name("false") => Value::Bool(false),
            Word::Name("nil") => Value::Nil,
            Word::Sign("[") => return self.list(depth),
            Word::Sign("{") => return self.map(depth),
            Word::Name(name) => {
                let why = format!("`{name}` is nothing known here; a bin is written $.{name}");
                return Err(TextError::new(at, why));
            }
            _ => return Err(self.unexpected("an operand")),
        };
        self.advance()?;
        Ok(value)
    }

    fn list(&mut self, depth: usize) -> Found<Value> {
        self.advance()?;
        let mut items = Vec::new();
        while !self.is("]") {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(self.element(depth)?);
        }
        self.advance()?;
        Ok(Value::List(items))
    }

    fn map(&mut self, depth: usize) -> Found<Value> {
        self.advance()?;
        let mut pairs = Vec::new();
        while !self.is("}") {
            if !pairs.is_empty() {
                self.expect(",")?;
            }
            let key = self.element(depth)?;
            self.expect(":")?;
            pairs.push((key, self.element(depth)?));
        }
        self.advance()?;
        Ok(Value::Map(pairs))
    }

    /// A constant or a parameter that is one.
    fn element(&mut self, depth: usize) -> Found<Value> {
        let Word::Parameter(_) = self.word else { return self.value(depth) };
        let (found, at) = self.operand(depth)?;
        match found.node() {
            Node::Constant(constant) => match constant {
                Constant::Nil => Ok(Value::Nil),
                Constant::Bool(flag) => Ok(Value::Bool(*flag)),
                Constant::Int(int) => Ok(Value::Int(*int)),
                Constant::Float(float) => Ok(Value::Float(*float)),
                Constant::Bytes(kind, bytes) | Constant::Packed(kind, bytes) => {
                    Value::decode_constant(*kind, bytes)
                        .ok_or_else(|| TextError::new(at, "a parameter that cannot be here"))
                }
            },
            _ => Err(TextError::new(at, "lists and maps are made of constants")),
        }
    }

    /// Where the first bin without a type is.
    fn untyped(&self, whole: &Expression) -> Option<Range<usize>> {
        let mut found = Vec::new();
        bins(whole, &mut found);
        // Bins of parameters stand nowhere in the text.
        if found.len() != self.bins.len() {
            return None;
        }
        let at = found.iter().position(|typed| !typed)?;
        Some(self.bins[at].clone())
    }
}

enum Infix {
    Op(Op),
    Regex,
}

/// Whether the bins of an expression have types, in the order of the text.
fn bins(whole: &Expression, found: &mut Vec<bool>) {
    match whole.node() {
        Node::Bin(kind, _) => found.push(kind.is_some()),
        Node::Apply(_, operands) => operands.iter().for_each(|operand| bins(operand, found)),
        Node::Regex { on, .. } => bins(on, found),
        Node::Let(definitions, scope) => {
            definitions.iter().for_each(|(_, definition)| bins(definition, found));
            bins(scope, found);
        }
        Node::Call(call) => {
            for argument in &call.arguments {
                if let Argument::Expression(argument) = argument {
                    bins(argument, found);
                }
            }
            bins(&call.on, found);
        }
        _ => {}
    }
}

/// The only operand, a text or bytes, as a constant of another type.
fn bytes_as(kind: Type, operands: &[Expression]) -> Result<Expression, Fault> {
    if let [operand] = operands
        && let Node::Constant(Constant::Bytes(Type::Str | Type::Blob, bytes)) = operand.node()
    {
        return Expression::constant(Constant::Bytes(kind, bytes.clone()));
    }
    Err(Fault::Type(format!("a {kind} constant is made of one text or of bytes")))
}

impl Value {
    fn decode_constant(kind: Type, bytes: &[u8]) -> Option<Self> {
        let text = || String::from_utf8(bytes.to_vec()).ok();
        Some(match kind {
            Type::Str => Self::Str(text()?),
            Type::Geo => Self::GeoJson(text()?),
            Type::Hll => Self::Hll(bytes.to_vec()),
            Type::List | Type::Map => Self::decode(kind.particle(), bytes).ok()?,
            _ => Self::Bytes(bytes.to_vec()),
        })
    }
}
