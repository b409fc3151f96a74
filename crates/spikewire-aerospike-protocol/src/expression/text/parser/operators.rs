//! Operators between operands and in front of them.

use std::ops::Range;

use super::super::lexer::Word;
use super::super::{REGEX_FLAGS, TextError};
use super::{ParseResult, Parser, Spanned, faulty, method, value};
use crate::expression::{Expression, Op, Type};

/// Precedence of operators.
mod strength {
    pub const NOT: u8 = 5;
    pub const COMPARE: u8 = 7;
    pub const POWER: u8 = 17;
    pub const FRONT: u8 = 19;
}

/// Whether a sum is one of texts.
fn is_text_sum(left: &Expression, right: &Expression) -> bool {
    [left, right].iter().any(|side| side.kind() == Some(Type::Str))
}

enum Infix {
    Op(Op),
    Regex,
}

impl Parser<'_> {
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
    pub(super) fn expression(&mut self, least: u8, depth: usize) -> ParseResult<Spanned> {
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
}
