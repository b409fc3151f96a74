//! Operators on values.

use std::borrow::Cow;
use std::collections::HashMap;

use spikewire_aerospike_protocol::cdt::take;
use spikewire_aerospike_protocol::expression::{Constant, Expression, Node, Op, Type};
use spikewire_aerospike_protocol::msgpack::{self, Reader, Token};

use super::budget::Budget;
use super::call::Evaluator;
use super::compare::{compare, is_in};
use super::path::{Element, Judge};
use super::{Program, RecordView, Val, call, path};
use crate::strings;
use crate::value::geo::within;

/// What an expression is about.
#[derive(Clone, Copy)]
enum Subject<'a> {
    /// A record.
    Record(&'a RecordView<'a>),
    /// An element of a list or map, at which a path is.
    Element(Element<'a>),
}

/// What is taken from the budget for each step of an expression about an element, since there may
/// be many elements.
const STEP: usize = 8;

/// One evaluation of an expression.
pub(super) struct Evaluation<'a> {
    program: &'a Program,
    subject: Subject<'a>,
    /// The levels that the paths around it are in.
    levels: usize,
    /// The variables of the scopes it is in; none is defined twice.
    names: HashMap<&'a [u8], Val<'a>>,
    budget: Budget,
}

impl<'a> Evaluator<'a> for Evaluation<'a> {
    fn value(&mut self, part: &'a Expression) -> Val<'a> {
        self.value(part)
    }

    fn budget(&mut self) -> &mut Budget {
        &mut self.budget
    }
}

/// Evaluates an expression of a path about the element that the path is at, inside paths of this
/// many levels; returns what is left of the budget, too.
pub(super) fn about_element<'a>(
    program: &'a Program,
    part: &'a Expression,
    element: Element<'a>,
    budget: Budget,
    levels: usize,
) -> (Val<'a>, Budget) {
    let subject = Subject::Element(element);
    let mut evaluation = Evaluation { program, subject, levels, names: HashMap::new(), budget };
    let value = evaluation.value(part);
    (value, evaluation.budget)
}

impl<'a> Evaluation<'a> {
    pub(super) fn new(program: &'a Program, view: &'a RecordView<'a>) -> Self {
        let subject = Subject::Record(view);
        Self { program, subject, levels: 0, names: HashMap::new(), budget: Budget::default() }
    }

    pub(super) fn whole(mut self) -> Val<'a> {
        self.value(&self.program.tree)
    }

    /// Evaluates a subexpression.
    fn value(&mut self, part: &'a Expression) -> Val<'a> {
        if matches!(self.subject, Subject::Element(_)) && !self.budget.spend(STEP) {
            return Val::Unknown;
        }
        match part.node() {
            Node::Unknown => Val::Unknown,
            Node::Constant(constant) => literal(constant),
            Node::Apply(op, operands) => self.apply(*op, operands),
            Node::Meta(_)
            | Node::DigestModulo(_)
            | Node::Key(_)
            | Node::Bin(..)
            | Node::BinType(_) => match self.subject {
                Subject::Record(view) => of_record(view, part),
                Subject::Element(_) => Val::Unknown,
            },
            Node::Loop(kind, part) => match (self.subject, kind) {
                (Subject::Element(element), Some(kind)) => element.variable(*kind, *part),
                _ => Val::Unknown,
            },
            Node::Path(call) => {
                let on = self.value(&call.on);
                let budget = &mut self.budget;
                let (program, levels) = (self.program, self.levels);
                path::value(call, &on, Judge { program, evaluate: about_element, budget, levels })
            }
            Node::Regex { flags, pattern, on } => {
                match (self.value(on), self.program.pattern(*flags, pattern)) {
                    (Val::Bytes(_, text), Some(regex)) => Val::Bool(regex.is_match(&text)),
                    _ => Val::Unknown,
                }
            }
            Node::Var(name) => {
                let variable = self.names.get(name.as_slice());
                variable.and_then(|value| self.budget.copy(value)).unwrap_or(Val::Unknown)
            }
            Node::Let(definitions, scope) => {
                for (name, definition) in definitions {
                    let value = self.value(definition);
                    self.names.insert(name, value);
                }
                let value = self.value(scope);
                for (name, _) in definitions {
                    self.names.remove(name.as_slice());
                }
                value
            }
            Node::Call(call) => call::run(call, self),
        }
    }

    fn apply(&mut self, op: Op, operands: &'a [Expression]) -> Val<'a> {
        match op {
            Op::And => self.decided_by(false, operands),
            Op::Or => self.decided_by(true, operands),
            Op::Exclusive => self.exclusive(operands),
            Op::Cond => self.cond(operands),
            Op::Eq | Op::Ne | Op::Gt | Op::Ge | Op::Lt | Op::Le => {
                compare(op, &self.value(&operands[0]), &self.value(&operands[1]))
            }
            Op::Geo => match (self.value(&operands[0]), self.value(&operands[1])) {
                (Val::Bytes(Type::Geo, a), Val::Bytes(Type::Geo, b)) => {
                    within(&a, &b).map_or(Val::Unknown, Val::Bool)
                }
                _ => Val::Unknown,
            },
            Op::In => match (self.value(&operands[0]), self.value(&operands[1])) {
                (value, Val::Packed(Type::List, list)) => is_in(&value, &list),
                _ => Val::Unknown,
            },
            Op::MapKeys | Op::MapValues => match self.value(&operands[0]) {
                Val::Packed(Type::Map, map) => {
                    let fits = self.budget.spend(map.len());
                    let list = if fits { half(&map, op == Op::MapKeys) } else { None };
                    list.map_or(Val::Unknown, |list| Val::Packed(Type::List, Cow::Owned(list)))
                }
                _ => Val::Unknown,
            },
            _ => self.compute(op, operands),
        }
    }

    /// `and` and `or`: one operand with this value decides, whatever the others are.
    fn decided_by(&mut self, decisive: bool, operands: &'a [Expression]) -> Val<'a> {
        let mut unknown = false;
        for operand in operands {
            match self.value(operand) {
                Val::Bool(flag) if flag == decisive => return Val::Bool(decisive),
                Val::Bool(_) => {}
                _ => unknown = true,
            }
        }
        if unknown { Val::Unknown } else { Val::Bool(!decisive) }
    }

    /// Whether exactly one is true. Two true ones decide, unless an unknown one comes before.
    fn exclusive(&mut self, operands: &'a [Expression]) -> Val<'a> {
        let mut count = 0;
        for operand in operands {
            let Val::Bool(flag) = self.value(operand) else { return Val::Unknown };
            count += u32::from(flag);
            if count > 1 {
                return Val::Bool(false);
            }
        }
        Val::Bool(count == 1)
    }

    fn cond(&mut self, operands: &'a [Expression]) -> Val<'a> {
        let Some((last, tests)) = operands.split_last() else { return Val::Unknown };
        for pair in tests.chunks_exact(2) {
            match self.value(&pair[0]) {
                Val::Bool(true) => return self.value(&pair[1]),
                Val::Bool(false) => {}
                _ => return Val::Unknown,
            }
        }
        self.value(last)
    }

    /// Operators whose result is unknown if an operand is.
    fn compute(&mut self, op: Op, operands: &'a [Expression]) -> Val<'a> {
        let first = match operands.first().map(|operand| self.value(operand)) {
            None | Some(Val::Unknown) => return Val::Unknown,
            Some(first) => first,
        };
        let rest = &operands[1..];
        match (op, first) {
            (Op::Not, Val::Bool(flag)) => Val::Bool(!flag),
            (Op::Abs, Val::Int(int)) => Val::Int(int.wrapping_abs()),
            (Op::Abs, Val::Float(float)) => Val::Float(float.abs()),
            (Op::Floor, Val::Float(float)) => Val::Float(float.floor()),
            (Op::Ceil, Val::Float(float)) => Val::Float(float.ceil()),
            (Op::ToInt, Val::Float(float)) => Val::Int(whole(float)),
            (Op::ToFloat, Val::Int(int)) => Val::Float(int as f64),
            (Op::IntNot, Val::Int(int)) => Val::Int(!int),
            (Op::ToText, value) => text(&value),
            (Op::BitCount, Val::Int(int)) => Val::Int(i64::from(int.count_ones())),
            (Op::ScanLeft | Op::ScanRight, Val::Int(int)) => match self.value(&rest[0]) {
                Val::Bool(bit) => Val::Int(scan(op, int, bit)),
                _ => Val::Unknown,
            },
            (op, Val::Int(int)) => self.ints(op, int, rest),
            (op, Val::Float(float)) => self.floats(op, float, rest),
            _ => Val::Unknown,
        }
    }

    fn ints(&mut self, op: Op, first: i64, rest: &'a [Expression]) -> Val<'a> {
        if rest.is_empty() {
            return match op {
                Op::Sub => Val::Int(first.wrapping_neg()),
                Op::Div => 1_i64.checked_div(first).map_or(Val::Unknown, Val::Int),
                _ => Val::Int(first),
            };
        }
        let mut total = first;
        for operand in rest {
            let Val::Int(next) = self.value(operand) else { return Val::Unknown };
            let shift = (next & 63) as u32;
            total = match op {
                Op::Add => total.wrapping_add(next),
                Op::Sub => total.wrapping_sub(next),
                Op::Mul => total.wrapping_mul(next),
                Op::Div | Op::Mod if next == 0 => return Val::Unknown,
                Op::Div => total.wrapping_div(next),
                Op::Mod => total.wrapping_rem(next),
                Op::IntAnd => total & next,
                Op::IntOr => total | next,
                Op::IntXor => total ^ next,
                Op::ShiftLeft => total << shift,
                Op::ShiftRight => (total as u64 >> shift) as i64,
                Op::ShiftSigned => total >> shift,
                Op::Min => total.min(next),
                Op::Max => total.max(next),
                _ => return Val::Unknown,
            };
        }
        Val::Int(total)
    }

    fn floats(&mut self, op: Op, first: f64, rest: &'a [Expression]) -> Val<'a> {
        if rest.is_empty() {
            return Val::Float(match op {
                Op::Sub => -first,
                Op::Div => 1.0 / first,
                _ => first,
            });
        }
        let mut total = first;
        for operand in rest {
            let Val::Float(next) = self.value(operand) else { return Val::Unknown };
            total = match op {
                Op::Add => total + next,
                Op::Sub => total - next,
                Op::Mul => total * next,
                Op::Div => total / next,
                Op::Pow => total.powf(next),
                Op::Log => total.ln() / next.ln(),
                Op::Min | Op::Max if total.is_nan() || next.is_nan() => f64::NAN,
                Op::Min => total.min(next),
                Op::Max => total.max(next),
                _ => return Val::Unknown,
            };
        }
        Val::Float(total)
    }
}

/// The text of a value.
fn text<'a>(value: &Val<'_>) -> Val<'a> {
    let text = value.particle().and_then(|(kind, bytes)| strings::text_of((kind, &bytes)).ok());
    text.map_or(Val::Unknown, |text| Val::Bytes(Type::Str, Cow::Owned(text.value)))
}

/// A float as an integer; the smallest integer if out of range.
fn whole(float: f64) -> i64 {
    let limit = 2_f64.powi(63);
    if (-limit..limit).contains(&float) { float as i64 } else { i64::MIN }
}

/// The position of the first bit equal to `bit`, from the top or the bottom; counted from the top.
fn scan(op: Op, int: i64, bit: bool) -> i64 {
    let bits = if bit { int } else { !int };
    if bits == 0 {
        return -1;
    }
    i64::from(match op {
        Op::ScanLeft => bits.leading_zeros(),
        _ => 63 - bits.trailing_zeros(),
    })
}

/// What is known of a record.
fn of_record<'a>(view: &'a RecordView<'a>, part: &Expression) -> Val<'a> {
    match part.node() {
        Node::Meta(meta) => view.meta(*meta),
        Node::DigestModulo(divisor) => Val::Int(view.digest_modulo(*divisor)),
        Node::Key(kind) => view.key(*kind),
        Node::Bin(Some(kind), name) => view.bin(*kind, name),
        Node::BinType(name) => Val::Int(view.bin_type(name)),
        _ => Val::Unknown,
    }
}

fn literal(constant: &Constant) -> Val<'_> {
    match constant {
        Constant::Nil => Val::Nil,
        Constant::Bool(flag) => Val::Bool(*flag),
        Constant::Int(int) => Val::Int(*int),
        Constant::Float(float) => Val::Float(*float),
        Constant::Bytes(kind, bytes) => Val::Bytes(*kind, Cow::Borrowed(bytes)),
        Constant::Packed(kind, bytes) => Val::Packed(*kind, Cow::Borrowed(bytes)),
    }
}

/// The keys or the values of a map, as a list.
fn half(map: &[u8], keys: bool) -> Option<Vec<u8>> {
    let mut reader = Reader::new(map);
    let Ok(Token::Map(count)) = reader.next() else { return None };
    let flagged = count > 0 && reader.skip_flags();
    if flagged {
        take(&mut reader).ok()?;
    }
    let count = count - u32::from(flagged);
    let mut list = Vec::new();
    msgpack::array(&mut list, count);
    for _ in 0..count {
        let (key, value) = (take(&mut reader).ok()?, take(&mut reader).ok()?);
        list.extend_from_slice(if keys { key } else { value });
    }
    Some(list)
}
