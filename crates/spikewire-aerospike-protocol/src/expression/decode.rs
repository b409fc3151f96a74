//! Expressions from their wire form.

use super::ael::read::read_expression;
use super::encode::{MODIFIES, WRAPPED, number};
use super::{
    Argument, Call, Constant, DEPTH, Expression, Fault, LoopPart, Meta, Op, PathCall,
    PathOperation, SIZE, Type,
};
use crate::Malformed;
use crate::cdt::take;
use crate::msgpack::{Reader, Token};
use crate::value::particle;

impl From<Malformed> for Fault {
    fn from(malformed: Malformed) -> Self {
        Self::of_value(malformed.to_string())
    }
}

fn fail<T>(why: &str) -> Result<T, Fault> {
    Err(Fault::of_value(why))
}

impl Expression {
    /// Reads a whole expression and checks its types.
    pub fn decode(bytes: &[u8]) -> Result<Self, Fault> {
        let whole = Self::from_image(bytes)?;
        whole.check()?;
        Ok(whole)
    }

    /// Reads the result of [`image`](Self::image); unknown types stay unknown.
    pub fn from_image(bytes: &[u8]) -> Result<Self, Fault> {
        if bytes.len() > SIZE {
            return fail("the expression is larger than a server accepts");
        }
        let mut reader = Reader::new(bytes);
        let whole = expression(&mut reader, DEPTH)?;
        if !reader.is_at_end() {
            return fail("bytes after the expression's end");
        }
        Ok(whole)
    }

    /// Reads the value of an operation: the expression and its flags. Bytes that follow are
    /// ignored.
    pub fn decode_operation(bytes: &[u8]) -> Result<(Self, i64), Fault> {
        let mut reader = Reader::new(bytes);
        let Token::Array(count @ 1..=2) = reader.next()? else {
            return fail("an operation is an expression and flags");
        };
        let whole = expression(&mut reader, DEPTH)?;
        let flags = if count == 2 { int(&mut reader)? } else { 0 };
        whole.check()?;
        Ok((whole, flags))
    }

    /// Reads an expression that is part of something else. Its types are not checked as a whole.
    pub(super) fn read(reader: &mut Reader<'_>, depth: u16) -> Result<Self, Fault> {
        expression(reader, depth)
    }
}

fn expression(reader: &mut Reader<'_>, depth: u16) -> Result<Expression, Fault> {
    let Some(depth) = depth.checked_sub(1) else {
        return fail("the expression is nested too deep");
    };
    let before = *reader;
    let count = match reader.next()? {
        Token::Array(count) => count,
        Token::Map(_) => {
            *reader = before;
            let packed = take(reader)?.to_vec();
            return Expression::constant(Constant::Packed(Type::Map, packed));
        }
        token => return Expression::constant(scalar(&token)?),
    };
    let Some(operands) = count.checked_sub(1) else { return fail("an empty list") };
    let code = int(reader)?;
    if let Some(op) = Op::from_wire(code) {
        let mut parts = Vec::with_capacity(reader.capacity(operands, 1));
        for _ in 0..operands {
            parts.push(expression(reader, depth)?);
        }
        return Expression::apply(op, parts);
    }
    if let Some(meta) = Meta::from_wire(code) {
        exactly(operands, 0)?;
        return Ok(Expression::meta(meta));
    }
    match u64::try_from(code).unwrap_or(u64::MAX) {
        number::UNKNOWN => {
            exactly(operands, 0)?;
            Ok(Expression::unknown())
        }
        number::REGEX => {
            exactly(operands, 3)?;
            let flags = int(reader)?;
            let pattern = raw(reader)?;
            Expression::regex(expression(reader, depth)?, pattern, flags)
        }
        number::DIGEST_MODULO => {
            exactly(operands, 1)?;
            Expression::digest_modulo(int(reader)?)
        }
        number::KEY => {
            exactly(operands, 1)?;
            Expression::key(kind(reader)?)
        }
        number::BIN => {
            exactly(operands, 2)?;
            let kind = known_kind(reader)?;
            let name = raw(reader)?;
            kind.map_or_else(|| Expression::bin(&name), |kind| Expression::typed_bin(kind, &name))
        }
        number::BIN_TYPE => {
            exactly(operands, 1)?;
            Expression::bin_type(raw(reader)?)
        }
        number::LOOP => {
            exactly(operands, 2)?;
            let kind = known_kind(reader)?;
            let part = LoopPart::from_wire(int(reader)?);
            let part = part.map_or_else(|| fail("an unknown loop variable"), Ok)?;
            Expression::loop_var_as_sent(kind, part)
        }
        number::VAR => {
            exactly(operands, 1)?;
            Expression::var(raw(reader)?)
        }
        number::LET => {
            if operands < 3 || operands.is_multiple_of(2) {
                return fail("variables without a definition or an expression");
            }
            let mut definitions = Vec::with_capacity(reader.capacity(operands / 2, 2));
            for _ in 0..operands / 2 {
                definitions.push((raw(reader)?, expression(reader, depth)?));
            }
            Expression::bind(definitions, expression(reader, depth)?)
        }
        number::QUOTE => {
            exactly(operands, 1)?;
            let packed = take(reader)?;
            match Reader::new(packed).next()? {
                Token::Array(_) => {
                    Expression::constant(Constant::Packed(Type::List, packed.to_vec()))
                }
                _ => fail("what is quoted is not a list"),
            }
        }
        number::CALL => {
            exactly(operands, 4)?;
            call(reader, depth)
        }
        number::TEXT => {
            exactly(operands, 1)?;
            let ael = raw(reader)?;
            let ael = std::str::from_utf8(&ael).or_else(|_| fail("a text that is not UTF-8"))?;
            read_expression(ael)
        }
        _ => fail("an unknown operator"),
    }
}

fn scalar(token: &Token<'_>) -> Result<Constant, Fault> {
    Ok(match *token {
        Token::Nil => Constant::Nil,
        Token::Bool(flag) => Constant::Bool(flag),
        Token::Int(int) => Constant::Int(int),
        Token::UInt(int) => Constant::Int(int as i64),
        Token::Float(float) => Constant::Float(float),
        Token::Bytes(of, bytes) => {
            let kind = match of {
                particle::STRING => Type::Str,
                particle::BLOB => Type::Blob,
                particle::HLL => Type::Hll,
                particle::GEOJSON => Type::Geo,
                _ => return fail("a constant of an unknown type"),
            };
            Constant::Bytes(kind, bytes.to_vec())
        }
        _ => return fail("a constant of an unknown type"),
    })
}

fn call(reader: &mut Reader<'_>, depth: u16) -> Result<Expression, Fault> {
    let result = known_kind(reader)?;
    let Ok(system) = u8::try_from(int(reader)?) else { return fail("an unknown call") };
    let before = *reader;
    let Token::Array(mut count @ 1..) = reader.next()? else { return fail("a call of nothing") };
    let mut number = int(reader)?;
    if number == PathOperation::NUMBER {
        *reader = before;
        let operation = PathOperation::decode_within(take(reader)?, depth).ok();
        let on = expression(reader, depth)?;
        let modifies = i64::from(system) == i64::from(MODIFIES);
        let operation = operation.filter(|_| modifies || system == 0);
        return Expression::path_call(PathCall { result, modifies, operation, on });
    }
    let mut context = None;
    if number == i64::from(WRAPPED) {
        exactly(count, 3)?;
        context = Some(take(reader)?.to_vec());
        let Token::Array(inner @ 1..) = reader.next()? else { return fail("a call of nothing") };
        (count, number) = (inner, int(reader)?);
    }
    let mut arguments = Vec::with_capacity(reader.capacity(count, 1));
    for _ in 1..count {
        arguments.push(argument(reader, depth)?);
    }
    let on = expression(reader, depth)?;
    let modifies = system & MODIFIES != 0;
    let system = system & !MODIFIES;
    Expression::call(Call { result, system, modifies, context, number, arguments, on })
}

/// Lists are expressions; everything else is a literal.
fn argument(reader: &mut Reader<'_>, depth: u16) -> Result<Argument, Fault> {
    let mut ahead = *reader;
    if let Token::Array(_) = ahead.next()? {
        return expression(reader, depth).map(Argument::Expression);
    }
    Ok(Argument::Raw(take(reader)?.to_vec()))
}

fn exactly(operands: u32, expected: u32) -> Result<(), Fault> {
    if operands == expected { Ok(()) } else { fail("a wrong number of operands") }
}

fn int(reader: &mut Reader<'_>) -> Result<i64, Fault> {
    match reader.next()? {
        Token::Int(int) => Ok(int),
        _ => fail("not an integer where one must be"),
    }
}

fn kind(reader: &mut Reader<'_>) -> Result<Type, Fault> {
    Type::from_wire(int(reader)?).map_or_else(|| fail("an unknown type"), Ok)
}

/// A type, `None` if unknown.
fn known_kind(reader: &mut Reader<'_>) -> Result<Option<Type>, Fault> {
    let mut ahead = *reader;
    if int(&mut ahead)? == number::UNTYPED as i64 {
        *reader = ahead;
        return Ok(None);
    }
    kind(reader).map(Some)
}

/// A string without a particle type in front.
fn raw(reader: &mut Reader<'_>) -> Result<Vec<u8>, Fault> {
    let before = reader.rest();
    let Token::Bytes(first, rest) = reader.next()? else {
        return fail("not a name where one must be");
    };
    let used = before.len() - reader.rest().len();
    // An empty string is read as a blob without a first byte.
    if rest.is_empty() && before[used - 1] != first {
        return Ok(Vec::new());
    }
    Ok(before[used - rest.len() - 1..used].to_vec())
}
