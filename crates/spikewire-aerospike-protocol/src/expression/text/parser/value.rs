//! Constants.

use super::{ParseResult, Parser};
use crate::expression::build;
use crate::expression::text::TextError;
use crate::expression::text::lexer::Word;
use crate::expression::{Constant, Expression, Fault, Node, Type};
use crate::limits;
use crate::msgpack;
use crate::value::Value;

/// A constant as a text has it: besides values, there are `INF`, `*` and the order of a list or map.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// A value that is neither list nor map.
    Scalar(Value),
    /// What is larger than every value.
    Infinity,
    /// What equals every value.
    Wildcard,
    /// A list, and whether it is sorted.
    List(Vec<Literal>, bool),
    /// A map, and whether it is ordered by key.
    Map(Vec<(Literal, Literal)>, bool),
}

/// A list of the order in which servers have values.
fn sorted(items: &[Literal]) -> Result<Vec<Vec<u8>>, Fault> {
    let mut packed = Vec::with_capacity(items.len());
    for item in items {
        let Literal::Scalar(value) = item else {
            return Err(Fault::of_value("a sorted list is made of numbers, texts and bytes"));
        };
        let rank = match value {
            Value::Nil => 0,
            Value::Bool(_) => 1,
            Value::Int(_) => 2,
            Value::Str(_) => 3,
            Value::Bytes(_) => 4,
            _ => 5,
        };
        packed.push((rank, value, item.packed()?));
    }
    packed.sort_by(|(a, x, _), (b, y, _)| {
        a.cmp(b).then_with(|| match (x, y) {
            (Value::Bool(x), Value::Bool(y)) => x.cmp(y),
            (Value::Int(x), Value::Int(y)) => x.cmp(y),
            (Value::Str(x), Value::Str(y)) => x.as_bytes().cmp(y.as_bytes()),
            (Value::Bytes(x), Value::Bytes(y)) => x.cmp(y),
            (Value::Float(x), Value::Float(y)) => x.total_cmp(y),
            _ => std::cmp::Ordering::Equal,
        })
    });
    Ok(packed.into_iter().map(|(_, _, packed)| packed).collect())
}

impl Literal {
    /// In `MessagePack`.
    pub fn packed(&self) -> Result<Vec<u8>, Fault> {
        let mut out = Vec::new();
        self.pack(&mut out, limits::NESTING)?;
        Ok(out)
    }

    fn pack(&self, out: &mut Vec<u8>, depth: usize) -> Result<(), Fault> {
        let deeper =
            || depth.checked_sub(1).ok_or_else(|| Fault::of_value("a value nested too deep"));
        match self {
            Self::Scalar(value) => value.encode_nested(out),
            Self::Infinity => out.extend_from_slice(&msgpack::INFINITY),
            Self::Wildcard => out.extend_from_slice(&msgpack::WILDCARD),
            Self::List(items, false) => {
                let depth = deeper()?;
                msgpack::array(out, items.len() as u32);
                for item in items {
                    item.pack(out, depth)?;
                }
            }
            Self::List(items, true) => {
                msgpack::array(out, items.len() as u32 + 1);
                out.extend_from_slice(&[0xc7, 0, 1]);
                sorted(items)?.iter().for_each(|item| out.extend_from_slice(item));
            }
            Self::Map(pairs, ordered) => Self::pack_map(pairs, *ordered, out, deeper()?)?,
        }
        Ok(())
    }

    fn pack_map(
        pairs: &[(Self, Self)],
        ordered: bool,
        out: &mut Vec<u8>,
        depth: usize,
    ) -> Result<(), Fault> {
        let mut all = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            match key {
                Self::Scalar(key @ (Value::Int(_) | Value::Str(_) | Value::Bytes(_))) => {
                    all.push((key, value));
                }
                _ => return Err(Fault::of_type("a map key must be INT, STRING or BLOB")),
            }
        }
        let is_flagged = ordered && !pairs.is_empty();
        all.sort_by(|(a, _), (b, _)| build::by_key(a, b));
        if all.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err(Fault::of_value("a map key that comes twice"));
        }
        msgpack::map(out, all.len() as u32 + u32::from(is_flagged));
        if is_flagged {
            out.extend_from_slice(&[0xc7, 0, 1, 0xc0]);
        }
        for (key, value) in all {
            key.encode_nested(out);
            value.pack(out, depth)?;
        }
        Ok(())
    }

    /// As an operand of an operator.
    pub fn constant(&self) -> Result<Expression, Fault> {
        let kind = match self {
            Self::Scalar(value) => return Expression::try_from(value),
            Self::List(..) => Type::List,
            Self::Map(..) => Type::Map,
            Self::Infinity | Self::Wildcard => {
                return Err(Fault::of_value("INF and * stand in lists, in maps and behind `:`"));
            }
        };
        Expression::constant(Constant::Packed(kind, self.packed()?))
    }

    /// As an argument of a list or map operation.
    pub fn argument(&self) -> Result<Expression, Fault> {
        match self {
            // It has no type of its own; a call takes it as it is.
            Self::Infinity | Self::Wildcard => {
                Expression::constant(Constant::Packed(Type::Nil, self.packed()?))
            }
            _ => self.constant(),
        }
    }
}

/// The type of the elements of a constant list, if all have the same.
pub fn element_type(list: &Expression) -> Option<Type> {
    let Node::Constant(Constant::Packed(Type::List, packed)) = list.node() else { return None };
    let Ok(Value::List(items)) = Value::decode(Type::List.particle(), packed) else { return None };
    let mut kinds = items.iter().map(|item| build::constant(item).ok().map(|it| it.kind()));
    let first = kinds.next()??;
    kinds.all(|kind| kind == Some(first)).then_some(first)
}

/// What `type()` gives for a type.
pub fn particle(name: &str) -> Option<i64> {
    let kind = Type::from_name(name).filter(|kind| *kind != Type::Nil)?;
    Some(i64::from(kind.particle()))
}

impl Parser<'_> {
    /// A constant.
    pub(super) fn literal(&mut self, depth: usize) -> ParseResult<Literal> {
        let at = self.at.clone();
        let Some(depth) = depth.checked_sub(1) else {
            return Err(TextError::new(at, "nested too deep"));
        };
        let negative = self.takes("-")?;
        let signed = negative || self.takes("+")?;
        if signed && !matches!(self.word, Word::Int(_) | Word::Float(_) | Word::Sign(".")) {
            return Err(self.unexpected("a number"));
        }
        if self.is(".")
            && let Some(float) = self.lexer.fraction()
        {
            self.advance()?;
            return Ok(Literal::Scalar(Value::Float(if negative { -float } else { float })));
        }
        if let Word::Name(name) = self.word
            && let Some(number) = particle(name)
        {
            self.advance()?;
            return Ok(Literal::Scalar(Value::Int(number)));
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
            Word::Name("nil" | "NIL") => Value::Nil,
            Word::Name("INF") => {
                self.advance()?;
                return Ok(Literal::Infinity);
            }
            Word::Sign("[") => return self.list(depth),
            Word::Sign("{") => return self.map(depth),
            Word::Name(name) => {
                let why = format!(
                    "unknown name `{name}`; a bin is written $.{name}, a text in quotes: '{name}'"
                );
                return Err(TextError::new(at, why));
            }
            _ => return Err(self.unexpected("an operand")),
        };
        self.advance()?;
        Ok(Literal::Scalar(value))
    }

    fn list(&mut self, depth: usize) -> ParseResult<Literal> {
        self.advance()?;
        let mut items = Vec::new();
        while !self.is("]") {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(self.member(depth)?);
        }
        self.advance()?;
        let order = self.suffix(&["SORTED", "UNSORTED", "ORDERED", "UNORDERED"])?;
        Ok(Literal::List(items, matches!(order, Some("SORTED" | "ORDERED"))))
    }

    fn map(&mut self, depth: usize) -> ParseResult<Literal> {
        self.advance()?;
        let mut pairs = Vec::new();
        while !self.is("}") {
            if !pairs.is_empty() {
                self.expect(",")?;
            }
            let key = self.named(depth)?;
            self.expect(":")?;
            pairs.push((key, self.member(depth)?));
        }
        self.advance()?;
        let order = self.suffix(&["UNORDERED", "ORDERED"])?;
        Ok(Literal::Map(pairs, order != Some("UNORDERED")))
    }

    /// A constant in a list or map, or `*`.
    fn member(&mut self, depth: usize) -> ParseResult<Literal> {
        if self.takes("*")? { Ok(Literal::Wildcard) } else { self.element(depth) }
    }

    /// A constant that may be a text without quotes: a key.
    pub(super) fn named(&mut self, depth: usize) -> ParseResult<Literal> {
        let Word::Name(name) = self.word else { return self.element(depth) };
        if matches!(name, "true" | "false" | "nil" | "NIL" | "INF") {
            return self.element(depth);
        }
        self.advance()?;
        Ok(Literal::Scalar(Value::from(name)))
    }

    /// One of these words behind a colon.
    pub(super) fn suffix(&mut self, known: &[&'static str]) -> ParseResult<Option<&'static str>> {
        if !self.is(":") {
            return Ok(None);
        }
        let next = match self.lexer.clone().next() {
            Ok((Word::Name(name), _)) => known.iter().find(|it| **it == name),
            _ => None,
        };
        if next.is_some() {
            self.advance()?;
            self.advance()?;
        }
        Ok(next.copied())
    }

    /// A constant or a constant parameter.
    pub(super) fn element(&mut self, depth: usize) -> ParseResult<Literal> {
        let Word::Parameter(_) = self.word else { return self.literal(depth) };
        let (operand, at) = self.operand(depth)?;
        match operand.node() {
            Node::Constant(constant) => Ok(Literal::Scalar(match constant {
                Constant::Nil => Value::Nil,
                Constant::Bool(flag) => Value::Bool(*flag),
                Constant::Int(int) => Value::Int(*int),
                Constant::Float(float) => Value::Float(*float),
                Constant::Bytes(kind, bytes) | Constant::Packed(kind, bytes) => {
                    let value = Value::decode_constant(*kind, bytes)
                        .ok_or_else(|| TextError::new(at, "a parameter that cannot be here"))?;
                    return Ok(Literal::of(value));
                }
            })),
            _ => Err(TextError::new(at, "lists and maps are made of constants")),
        }
    }
}

impl Literal {
    fn of(value: Value) -> Self {
        match value {
            Value::List(items) => Self::List(items.into_iter().map(Self::of).collect(), false),
            Value::Map(pairs) => {
                let pairs = pairs.into_iter().map(|(key, value)| (Self::of(key), Self::of(value)));
                Self::Map(pairs.collect(), true)
            }
            scalar => Self::Scalar(scalar),
        }
    }
}

/// Converts the only operand, a string or bytes, to a constant of another type.
pub(super) fn bytes_as(kind: Type, operands: &[Expression]) -> Result<Expression, Fault> {
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
