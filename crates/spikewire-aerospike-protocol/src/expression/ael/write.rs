//! AEL from an expression.

use super::NoAel;
use super::name::{bin_name, hex, is_plain, quoted};
use super::path;
use crate::expression::{Constant, Expression, Meta, Node, Op, Type};
use crate::value::Value;

type Written = Result<(), NoAel>;

pub(super) fn whole(expression: &Expression) -> Result<String, NoAel> {
    let mut writer = Writer { out: String::new() };
    writer.expression(expression)?;
    Ok(writer.out)
}

struct Writer {
    out: String,
}

impl Writer {
    fn expression(&mut self, expression: &Expression) -> Written {
        match expression.node() {
            Node::Constant(constant) => self.constant(constant),
            Node::Apply(op, operands) => self.apply(*op, operands),
            Node::Meta(meta) => self.put(&format!("$.{}()", name_of(*meta))),
            Node::DigestModulo(divisor) => self.put(&format!("$.digestModulo({divisor})")),
            Node::Bin(kind, name) => self.bin(*kind, name),
            Node::Var(name) => {
                let name = variable(name)?;
                self.put(&format!("${{{name}}}"))
            }
            Node::Let(definitions, scope) => self.bind(definitions, scope),
            Node::Call(call) => {
                let text = path::of_call(call)?;
                let kind = call.result.ok_or(NoAel("a value of unknown type"))?;
                self.put(&format!("{text}:{kind}"))
            }
            Node::Unknown => Err(NoAel("`unknown`")),
            Node::Key(_) => Err(NoAel("`$.key()`")),
            Node::BinType(_) => Err(NoAel("`.type()`")),
            Node::Regex { .. } => Err(NoAel("a pattern (`=~`)")),
            Node::Loop(..) => Err(NoAel("`@`")),
            Node::Path(_) => Err(NoAel("a path to many elements")),
        }
    }

    #[allow(clippy::unnecessary_wraps)] // so that it can end what may fail
    fn put(&mut self, text: &str) -> Written {
        self.out.push_str(text);
        Ok(())
    }

    fn bin(&mut self, kind: Option<Type>, name: &[u8]) -> Written {
        let kind = kind.ok_or(NoAel("a bin of unknown type"))?;
        let name = bin_name(name)?;
        self.put(&format!("{name}:{kind}"))
    }

    fn apply(&mut self, op: Op, operands: &[Expression]) -> Written {
        match (op, operands) {
            (Op::Ne, [left, right])
                if is_zero(right) && matches!(left.node(), Node::BinType(_)) =>
            {
                let Node::BinType(name) = left.node() else { unreachable!("a particle type") };
                let name = bin_name(name)?;
                self.put(&format!("{name}.exists()"))
            }
            (Op::Eq | Op::Ne | Op::Gt | Op::Ge | Op::Lt | Op::Le, [left, right]) => {
                self.compared(left, right)?;
                self.put(&format!(" {} ", op.word()))?;
                self.compared(right, left)
            }
            (Op::In, [element, list]) => {
                self.operand(element)?;
                self.put(" in ")?;
                match list.node() {
                    Node::Constant(Constant::Packed(Type::List, packed)) => self.list(packed),
                    _ => self.operand(list),
                }
            }
            (Op::And | Op::Or, [_, _, ..]) => self.joined(op, operands, Self::clause),
            (Op::Not, [operand]) => {
                self.put("not(")?;
                self.expression(operand)?;
                self.put(")")
            }
            (Op::Sub | Op::IntNot, [operand]) => {
                self.put(op.word())?;
                self.put("(")?;
                self.expression(operand)?;
                self.put(")")
            }
            (
                Op::Pow | Op::ShiftLeft | Op::ShiftRight | Op::ShiftSigned | Op::Mod | Op::Div,
                [_, _],
            )
            | (Op::Add | Op::Sub | Op::Mul | Op::IntAnd | Op::IntOr | Op::IntXor, [_, _, ..]) => {
                self.joined(op, operands, Self::operand)
            }
            (Op::Geo, [left, right]) => {
                self.put("geoCompare(")?;
                self.place(left)?;
                self.put(", ")?;
                self.place(right)?;
                self.put(")")
            }
            (
                Op::Exclusive
                | Op::Abs
                | Op::Floor
                | Op::Ceil
                | Op::Log
                | Op::Min
                | Op::Max
                | Op::BitCount
                | Op::ScanLeft
                | Op::ScanRight,
                operands,
            ) => {
                self.put(op.word())?;
                self.put("(")?;
                self.joined_by(", ", operands, Self::expression)?;
                self.put(")")
            }
            (Op::ToInt | Op::ToFloat | Op::ToText, [operand]) => {
                let is_bin = matches!(operand.node(), Node::Bin(..));
                self.put(if is_bin { "" } else { "(" })?;
                self.expression(operand)?;
                self.put(if is_bin { "" } else { ")" })?;
                self.put(&format!(".{}()", op.word()))
            }
            (Op::Cond, [tests @ .., last]) => {
                self.put("when(")?;
                for pair in tests.chunks(2) {
                    let [test, value] = pair else { return Err(NoAel("`when`")) };
                    self.expression(test)?;
                    self.put(" => ")?;
                    self.expression(value)?;
                    self.put(", ")?;
                }
                self.put("default => ")?;
                self.expression(last)?;
                self.put(")")
            }
            (Op::MapKeys | Op::MapValues, _) => Err(NoAel("`mapKeys` or `mapValues`")),
            _ => Err(NoAel("an operator with this number of operands")),
        }
    }

    /// One side of a comparison: a constant on the other side says the type of a bin or of what is
    /// in it.
    fn compared(&mut self, side: &Expression, other: &Expression) -> Written {
        let has_type = matches!(
            other.node(),
            Node::Constant(
                Constant::Int(_)
                    | Constant::Float(_)
                    | Constant::Bool(_)
                    | Constant::Bytes(Type::Str, _)
            )
        );
        match side.node() {
            Node::Bin(Some(_), name) if has_type => {
                let name = bin_name(name)?;
                self.put(&name)
            }
            Node::Call(call) if has_type => {
                let text = path::of_call(call)?;
                self.put(&text)
            }
            _ => self.operand(side),
        }
    }

    /// An operand of `and` or `or`: comparisons bind closer.
    fn clause(&mut self, part: &Expression) -> Written {
        match part.node() {
            Node::Apply(Op::And | Op::Or, _) | Node::Let(..) => self.operand(part),
            Node::Apply(..) => self.expression(part),
            _ => self.operand(part),
        }
    }

    /// An operand, in parentheses unless it is in one piece.
    fn operand(&mut self, part: &Expression) -> Written {
        let is_piece = match part.node() {
            Node::Constant(Constant::Int(int)) => *int >= 0,
            Node::Constant(Constant::Float(float)) => float.is_sign_positive(),
            Node::Apply(op, _) => {
                op.word().starts_with(|first: char| first.is_ascii_alphabetic())
                    && !matches!(op, Op::And | Op::Or | Op::In)
            }
            Node::Let(..) => false,
            _ => true,
        };
        if is_piece {
            return self.expression(part);
        }
        self.put("(")?;
        self.expression(part)?;
        self.put(")")
    }

    fn joined(
        &mut self,
        op: Op,
        operands: &[Expression],
        each: impl Fn(&mut Self, &Expression) -> Written,
    ) -> Written {
        self.joined_by(&format!(" {} ", op.word()), operands, each)
    }

    fn joined_by(
        &mut self,
        between: &str,
        operands: &[Expression],
        each: impl Fn(&mut Self, &Expression) -> Written,
    ) -> Written {
        for (at, operand) in operands.iter().enumerate() {
            if at > 0 {
                self.put(between)?;
            }
            each(self, operand)?;
        }
        Ok(())
    }

    fn bind(&mut self, definitions: &[(Vec<u8>, Expression)], scope: &Expression) -> Written {
        self.put("let(")?;
        for (at, (name, definition)) in definitions.iter().enumerate() {
            if at > 0 {
                self.put(", ")?;
            }
            let name = variable(name)?;
            self.put(&format!("{name} = "))?;
            self.expression(definition)?;
        }
        self.put(") then (")?;
        self.expression(scope)?;
        self.put(")")
    }

    /// A place that is compared with another one.
    fn place(&mut self, part: &Expression) -> Written {
        match part.node() {
            Node::Constant(Constant::Bytes(Type::Geo, text)) => {
                let text = quoted(utf8(text)?, '\'');
                self.put(&format!("geoJson({text})"))
            }
            _ => self.expression(part),
        }
    }

    fn constant(&mut self, constant: &Constant) -> Written {
        let text = match constant {
            Constant::Bool(flag) => flag.to_string(),
            // The sign is an operator there, and the number before it must fit.
            Constant::Int(i64::MIN) => return Err(NoAel("the least integer of 64 bits")),
            Constant::Int(int) => int.to_string(),
            Constant::Float(float) => decimal(*float)?,
            Constant::Bytes(Type::Str, text) => quoted(utf8(text)?, '\''),
            Constant::Bytes(Type::Blob, bytes) => hex(bytes),
            Constant::Nil => return Err(NoAel("`nil`")),
            Constant::Bytes(Type::Geo, _) => return Err(NoAel("a place outside geoCompare")),
            Constant::Bytes(..) => return Err(NoAel("a sketch")),
            Constant::Packed(..) => return Err(NoAel("a list or map beside an operator")),
        };
        self.put(&text)
    }

    /// A list behind `in`.
    fn list(&mut self, packed: &[u8]) -> Written {
        let no_list = NoAel("a list with something else than numbers, strings, bools and bytes");
        let Ok(Value::List(items)) = Value::decode(Type::List.particle(), packed) else {
            return Err(no_list);
        };
        if items.is_empty() {
            return Err(NoAel("an empty list"));
        }
        self.put("[")?;
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.put(", ")?;
            }
            let scalar = matches!(
                item,
                Value::Int(_) | Value::Float(_) | Value::Str(_) | Value::Bool(_) | Value::Bytes(_)
            );
            match Expression::try_from(item) {
                Ok(item) if scalar => self.expression(&item)?,
                _ => return Err(no_list),
            }
        }
        self.put("]")
    }
}

/// The name of what is known about a record.
fn name_of(meta: Meta) -> &'static str {
    match meta {
        Meta::LastUpdate => "lastUpdateTime",
        Meta::SinceUpdate => "timeSinceLastUpdate",
        other => other.word(),
    }
}

fn is_zero(expression: &Expression) -> bool {
    matches!(expression.node(), Node::Constant(Constant::Int(0)))
}

fn utf8(bytes: &[u8]) -> Result<&str, NoAel> {
    std::str::from_utf8(bytes).map_err(|_| NoAel("a string that is not UTF-8"))
}

/// Floats have digits, a dot and digits, and no exponent.
fn decimal(float: f64) -> Result<String, NoAel> {
    if !float.is_finite() {
        return Err(NoAel("a float that is not finite"));
    }
    let text = float.to_string();
    Ok(if text.contains('.') { text } else { text + ".0" })
}

fn variable(name: &[u8]) -> Result<&str, NoAel> {
    let name = std::str::from_utf8(name).ok().filter(|name| is_plain(name));
    name.ok_or(NoAel("a variable with this name"))
}
