//! Where in an expression a failure is, for clients that ask for traces. Only failures are looked
//! into, so nothing here is fast: parts of the expression are read and evaluated again.

use std::ops::Range;

use spikewire_aerospike_protocol::cdt::take;
use spikewire_aerospike_protocol::error_details::{
    DetailLevel, ErrorDetails, Outcome, Phase, Trace,
};
use spikewire_aerospike_protocol::expression::{Expression, Fault, Node, Op};
use spikewire_aerospike_protocol::msgpack::{Reader, Token};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::{Program, RecordView, Val};
use crate::reason;

/// How deep parts of an expression are looked into.
const DEPTH: usize = 64;

/// What stands for expressions on the wire.
mod node {
    pub const REGEX: i64 = 7;
    pub const LET: i64 = 125;
    pub const CALL: i64 = 127;
    /// Those without expressions inside, such as bins, names and constants.
    pub const LEAVES: [i64; 7] = [64, 80, 81, 82, 122, 124, 126];
}

/// Notes why an expression is not built, which has failed with this code; returns the code.
pub fn unbuilt(code: ResultCode, bytes: &[u8]) -> ResultCode {
    reason::note(code, || {
        let message = match Expression::decode(bytes) {
            Err(Fault::Type(why) | Fault::Value(why)) => format!("invalid expression: {why}"),
            Ok(_) => "invalid expression".to_owned(),
        };
        let trace = reason::is_requested(DetailLevel::Trace).then(|| {
            let fails = |part: &[u8]| Expression::decode(part).is_err();
            let way = innermost(bytes, |_, parts| {
                parts.iter().position(|part| fails(&bytes[part.clone()]))
            });
            Box::new(along(bytes, &way, Trace::at(Phase::Build)))
        });
        ErrorDetails { subcode: None, message: Some(message), trace }
    })
}

/// Notes why an expression has no value, or a filter is not true; returns the result code.
pub fn without_value(code: ResultCode, bytes: &[u8], view: &RecordView<'_>) -> ResultCode {
    reason::note(code, || {
        let is_false = value_of(bytes, view, |value| *value == Val::Bool(false));
        let message = if is_false { "the filter is false" } else { "the expression has no value" };
        let trace = reason::is_requested(DetailLevel::Trace).then(|| {
            let fails = |part: &Range<usize>| {
                value_of(&bytes[part.clone()], view, |value| match value {
                    Val::Unknown => true,
                    Val::Bool(false) => is_false,
                    _ => false,
                })
            };
            let is_true = |part: &Range<usize>| {
                value_of(&bytes[part.clone()], view, |it| *it == Val::Bool(true))
            };
            let way = innermost(bytes, |op, parts| match op {
                // What makes others false is not false itself.
                Some(Op::And) if is_false => parts.iter().position(&fails),
                _ if is_false => None,
                Some(Op::Cond) => branch(parts, fails, is_true),
                _ => parts.iter().position(&fails),
            });
            let outcome = match (is_false, way.last().and_then(|part| tree(&bytes[part.clone()]))) {
                (true, _) => Outcome::False,
                (_, Some(tree)) if matches!(tree.node(), Node::Bin(..) | Node::Key(_)) => {
                    Outcome::Absent
                }
                _ => Outcome::Fault,
            };
            let trace = Trace { outcome: Some(outcome), ..Trace::at(Phase::Evaluation) };
            let mut trace = along(bytes, &way, trace);
            trace.operands =
                way.last().map(|part| operands(&bytes[part.clone()], view)).unwrap_or_default();
            Box::new(trace)
        });
        ErrorDetails { subcode: None, message: Some(message.to_owned()), trace }
    })
}

/// The part of a choice that has no value: those behind a false test were not evaluated.
fn branch(
    parts: &[Range<usize>],
    fails: impl Fn(&Range<usize>) -> bool,
    is_true: impl Fn(&Range<usize>) -> bool,
) -> Option<usize> {
    for at in (0..parts.len().saturating_sub(1)).step_by(2) {
        if fails(&parts[at]) {
            return Some(at);
        }
        if is_true(&parts[at]) {
            return fails(&parts[at + 1]).then_some(at + 1);
        }
    }
    let last = parts.len().checked_sub(1)?;
    fails(&parts[last]).then_some(last)
}

/// The parts on the way to the innermost one that fails, the whole first; `choose` names the part
/// that fails among those of an operator.
fn innermost(
    bytes: &[u8],
    choose: impl Fn(Option<Op>, &[Range<usize>]) -> Option<usize>,
) -> Vec<Range<usize>> {
    let mut way: Vec<Range<usize>> = Vec::new();
    way.push(0..bytes.len());
    while way.len() < DEPTH {
        let Some(part) = way.last().cloned() else { break };
        let (op, parts) = parts(&bytes[part.clone()]);
        let parts: Vec<_> =
            parts.iter().map(|it| part.start + it.start..part.start + it.end).collect();
        match choose(op, &parts) {
            Some(at) => way.push(parts[at].clone()),
            None => break,
        }
    }
    way
}

/// The operator of an encoded expression, and where the expressions inside it are; none if it is
/// malformed.
fn parts(bytes: &[u8]) -> (Option<Op>, Vec<Range<usize>>) {
    let (mut op, mut parts) = (None, Vec::new());
    let _ = collect(bytes, &mut op, &mut parts);
    (op, parts)
}

fn collect(bytes: &[u8], op: &mut Option<Op>, parts: &mut Vec<Range<usize>>) -> Option<()> {
    let mut reader = Reader::new(bytes);
    let at = |reader: &Reader<'_>| bytes.len() - reader.rest().len();
    let Ok(Token::Array(count)) = reader.next() else { return None };
    let Ok(Token::Int(code)) = reader.next() else { return None };
    *op = Op::from_wire(code);
    if node::LEAVES.contains(&code) {
        return None;
    }
    for operand in 1..count {
        let start = at(&reader);
        take(&mut reader).ok()?;
        let is_part = match code {
            node::REGEX => operand == 3,
            node::LET => operand % 2 == 0 || operand == count - 1,
            node::CALL => operand == count - 1,
            _ => true,
        };
        if is_part {
            parts.push(start..at(&reader));
        }
    }
    Some(())
}

fn tree(bytes: &[u8]) -> Option<Expression> {
    Expression::from_image(bytes).ok()
}

fn value_of(bytes: &[u8], view: &RecordView<'_>, test: impl Fn(&Val<'_>) -> bool) -> bool {
    let program = tree(bytes).and_then(|tree| Program::new(tree).ok());
    program.is_some_and(|program| test(&program.evaluate(view)))
}

/// The trace with the last part of a way, and the operations that it is inside of.
fn along(bytes: &[u8], way: &[Range<usize>], trace: Trace) -> Trace {
    let names = || way.iter().map(|part| name(&bytes[part.clone()]));
    let Some(last) = way.last() else { return trace };
    Trace {
        offset: u32::try_from(last.start).ok(),
        op: names().next_back().flatten(),
        depth: u32::try_from(way.len() - 1).ok(),
        path: names().map(|name| name.unwrap_or_else(|| "?".to_owned())).collect(),
        snippet: tree(&bytes[last.clone()]).map(|tree| tree.to_string()),
        ..trace
    }
}

/// How text expressions call what an encoded expression does.
fn name(bytes: &[u8]) -> Option<String> {
    let mut reader = Reader::new(bytes);
    let code = match (reader.next(), reader.next()) {
        (Ok(Token::Array(1..)), Ok(Token::Int(code))) => code,
        (Ok(Token::Array(_)) | Err(_), _) => return None,
        _ => return Some("constant".to_owned()),
    };
    let word = match (Op::from_wire(code), code) {
        (Some(op), _) => op.word(),
        (_, node::REGEX) => "=~",
        (_, node::LET) => "let",
        (_, node::CALL) => "call",
        (_, 80) => "key",
        (_, 81) => "bin",
        (_, 82) => "binType",
        (_, 64) => "digestModulo",
        (_, 122) => "loopVar",
        (_, 124) => "variable",
        (_, 126) => "constant",
        _ => return Some(format!("op {code}")),
    };
    Some(word.to_owned())
}

/// The first two operands of an operator, as text.
fn operands(bytes: &[u8], view: &RecordView<'_>) -> Vec<String> {
    let (op, parts) = parts(bytes);
    let text = |part: &Range<usize>| {
        let program = tree(&bytes[part.clone()]).and_then(|tree| Program::new(tree).ok());
        program.map_or_else(|| "?".to_owned(), |program| describe(&program.evaluate(view)))
    };
    match op {
        Some(_) => parts.iter().take(2).map(text).collect(),
        None => Vec::new(),
    }
}

fn describe(value: &Val<'_>) -> String {
    match value {
        Val::Unknown => "unknown".to_owned(),
        Val::Nil => "nil".to_owned(),
        Val::Bool(flag) => flag.to_string(),
        Val::Int(int) => int.to_string(),
        Val::Float(float) => float.to_string(),
        Val::Bytes(kind, bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => format!("{text:?}"),
            Err(_) => format!("{kind} of {} bytes", bytes.len()),
        },
        Val::Packed(kind, bytes) => format!("{kind} of {} bytes", bytes.len()),
    }
}
