//! Formats expressions in the text dialect of [`super::text`].
//!
//! Expressions that the dialect cannot express (modifying calls, numeric operators with one
//! operand) are shown in a similar form that cannot be parsed.

mod call;
mod parts;
mod path;

use std::fmt::{Display, Formatter, Result, Write as _};

use super::{Constant, Expression, LoopPart, Node, Op, Type};
use crate::value::Value;

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.node() {
            Node::Unknown => f.write_str("unknown"),
            Node::Constant(constant) => constant.fmt(f),
            Node::Apply(op, operands) => apply(f, *op, operands),
            Node::Meta(meta) => write!(f, "$.{}()", meta.word()),
            Node::DigestModulo(divisor) => write!(f, "$.digestModulo({divisor})"),
            Node::Key(kind) => write!(f, "$.key():{kind}"),
            Node::Bin(kind, name) => {
                bin(f, name)?;
                kind.map_or(Ok(()), |kind| write!(f, ":{kind}"))
            }
            Node::BinType(name) => {
                bin(f, name)?;
                f.write_str(".type()")
            }
            Node::Regex { flags, pattern, on } => {
                operand(f, on)?;
                let pattern = String::from_utf8_lossy(pattern).replace('/', "\\/");
                write!(f, " =~ /{pattern}/")?;
                for (flag, letter) in super::text::REGEX_FLAGS {
                    if flags & flag != 0 {
                        f.write_char(letter)?;
                    }
                }
                if flags & 1 == 0 { f.write_char('b') } else { Ok(()) }
            }
            Node::Var(name) => write!(f, "${{{}}}", String::from_utf8_lossy(name)),
            Node::Let(definitions, scope) => {
                f.write_str("let(")?;
                for (at, (name, definition)) in definitions.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ", " };
                    write!(f, "{comma}{} = {definition}", String::from_utf8_lossy(name))?;
                }
                write!(f, ") then ({scope})")
            }
            Node::Call(call) => call.fmt(f),
            Node::Loop(kind, part) => {
                f.write_str(part.word())?;
                // The type of an index is no question.
                let kind = kind.filter(|_| *part != LoopPart::Index);
                kind.map_or(Ok(()), |kind| write!(f, ":{kind}"))
            }
            Node::Path(call) => call.fmt(f),
        }
    }
}

/// Whether an operator stands between its operands.
fn is_infix(op: Op, operands: usize) -> bool {
    let sign = !op.word().starts_with(|first: char| first.is_alphabetic());
    operands > 1 && (sign || matches!(op, Op::And | Op::Or | Op::In))
}

fn apply(f: &mut Formatter<'_>, op: Op, operands: &[Expression]) -> Result {
    if is_infix(op, operands.len()) {
        for (at, part) in operands.iter().enumerate() {
            if at > 0 {
                write!(f, " {} ", op.word())?;
            }
            // Comparisons need no parentheses next to `and` and `or`.
            match part.node() {
                Node::Apply(inner, _)
                    if matches!(op, Op::And | Op::Or)
                        && (*inner as u8 <= Op::Le as u8 || matches!(inner, Op::In | Op::Not)) =>
                {
                    part.fmt(f)?;
                }
                Node::Regex { .. } if matches!(op, Op::And | Op::Or) => part.fmt(f)?,
                _ => operand(f, part)?,
            }
        }
        return Ok(());
    }
    if op == Op::Cond {
        f.write_str("when(")?;
        let (last, tests) = operands.split_last().expect("a cond has a last value");
        for pair in tests.chunks(2) {
            write!(f, "{} => {}, ", pair[0], pair[1])?;
        }
        return write!(f, "default => {last})");
    }
    write!(f, "{}(", op.word())?;
    for (at, part) in operands.iter().enumerate() {
        let comma = if at == 0 { "" } else { ", " };
        write!(f, "{comma}{part}")?;
    }
    f.write_char(')')
}

/// An operand, in parentheses if it could be misread.
fn operand(f: &mut Formatter<'_>, part: &Expression) -> Result {
    let infix = match part.node() {
        Node::Apply(op, operands) => is_infix(*op, operands.len()) || *op == Op::Not,
        Node::Regex { .. } | Node::Let(..) => true,
        _ => false,
    };
    if infix { write!(f, "({part})") } else { part.fmt(f) }
}

fn bin(f: &mut Formatter<'_>, name: &[u8]) -> Result {
    let name = String::from_utf8_lossy(name);
    let plain = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if plain { write!(f, "$.{name}") } else { write!(f, "$.{}", quoted(&name)) }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02X}");
        text
    })
}

impl Display for Constant {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Nil => f.write_str("nil"),
            Self::Bool(flag) => flag.fmt(f),
            Self::Int(int) => int.fmt(f),
            Self::Float(float) => write!(f, "{float:?}"),
            Self::Bytes(kind, bytes) => match (kind, std::str::from_utf8(bytes)) {
                (Type::Str, Ok(text)) => f.write_str(&quoted(text)),
                (Type::Geo, Ok(text)) => write!(f, "geoJson({})", quoted(text)),
                (Type::Hll, _) => write!(f, "hll(X'{}')", hex(bytes)),
                _ => write!(f, "X'{}'", hex(bytes)),
            },
            Self::Packed(_, bytes) => match parts::value_text(bytes) {
                Some(text) => f.write_str(&text),
                None => write!(f, "X'{}'", hex(bytes)),
            },
        }
    }
}

fn write_value(f: &mut Formatter<'_>, value: &Value) -> Result {
    match value {
        Value::List(items) => {
            f.write_char('[')?;
            for (at, item) in items.iter().enumerate() {
                f.write_str(if at == 0 { "" } else { ", " })?;
                write_value(f, item)?;
            }
            f.write_char(']')
        }
        Value::Map(pairs) => {
            f.write_char('{')?;
            for (at, (key, value)) in pairs.iter().enumerate() {
                f.write_str(if at == 0 { "" } else { ", " })?;
                write_value(f, key)?;
                f.write_str(": ")?;
                write_value(f, value)?;
            }
            f.write_char('}')
        }
        scalar => match super::build::constant(scalar) {
            Ok(constant) => constant.fmt(f),
            Err(_) => f.write_char('?'),
        },
    }
}
