//! Constants.

use super::{ParseResult, Parser};
use crate::expression::text::TextError;
use crate::expression::text::lexer::Word;
use crate::expression::{Constant, Expression, Fault, Node, Type};
use crate::value::Value;

impl Parser<'_> {
    /// A constant.
    pub(super) fn value(&mut self, depth: usize) -> ParseResult<Value> {
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
                let why = format!(
                    "unknown name `{name}`; a bin is written $.{name}, a text in quotes: '{name}'"
                );
                return Err(TextError::new(at, why));
            }
            _ => return Err(self.unexpected("an operand")),
        };
        self.advance()?;
        Ok(value)
    }

    pub(super) fn list(&mut self, depth: usize) -> ParseResult<Value> {
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

    pub(super) fn map(&mut self, depth: usize) -> ParseResult<Value> {
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

    /// A constant or a constant parameter.
    pub(super) fn element(&mut self, depth: usize) -> ParseResult<Value> {
        let Word::Parameter(_) = self.word else { return self.value(depth) };
        let (operand, at) = self.operand(depth)?;
        match operand.node() {
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
