//! Formats path expressions.

use std::fmt::{Display, Formatter, Result, Write as _};

use super::parts::{list_text, step_text};
use super::{bin, hex, operand};
use crate::expression::{
    Expression, Node, PathAction, PathCall, PathOperation, PathReturn, PathStep, Type,
};

impl Display for PathCall {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Some(operation) = &self.operation else { return write!(f, "path(?, {})", self.on) };
        self.fmt_path(f, operation)?;
        operation.fmt_action(f)
    }
}

/// Formats the number of values that a path gives, if this expression is one that gives values.
pub(super) fn fmt_count(f: &mut Formatter<'_>, on: &Expression) -> Option<Result> {
    let Node::Path(call) = on.node() else { return None };
    let operation = call.operation.as_ref()?;
    if operation.action != PathAction::Select(PathReturn::Value) {
        return None;
    }
    let no_fail = if operation.no_fail { "NO_FAIL" } else { "" };
    Some(call.fmt_path(f, operation).and_then(|()| write!(f, ".count({no_fail})")))
}

impl PathCall {
    fn fmt_path(&self, f: &mut Formatter<'_>, operation: &PathOperation) -> Result {
        // Of itself such a path names one element.
        let single = !operation.steps.iter().any(PathStep::is_of_paths);
        if single {
            f.write_str("path(")?;
        }
        match self.on.node() {
            Node::Bin(Some(kind), name) => {
                bin(f, name)?;
                write_kind(f, operation, *kind)?;
            }
            Node::Loop(Some(kind), part) => {
                f.write_str(part.word())?;
                write_kind(f, operation, *kind)?;
            }
            _ => operand(f, &self.on)?,
        }
        for step in &operation.steps {
            step.fmt_step(f)?;
        }
        if single { f.write_char(')') } else { Ok(()) }
    }
}

/// The type of what a path begins at, unless its first step has it.
fn write_kind(f: &mut Formatter<'_>, operation: &PathOperation, kind: Type) -> Result {
    if operation.container() == Some(kind) { Ok(()) } else { write!(f, ":{kind}") }
}

impl PathOperation {
    fn fmt_action(&self, f: &mut Formatter<'_>) -> Result {
        let no_fail = if self.no_fail { "NO_FAIL" } else { "" };
        match &self.action {
            PathAction::Select(PathReturn::Value) if !self.no_fail => Ok(()),
            PathAction::Select(PathReturn::Value) => write!(f, ".get({no_fail})"),
            PathAction::Select(PathReturn::Tree) => write!(f, ".getTree({no_fail})"),
            PathAction::Select(PathReturn::Key) => write!(f, ".getKeys({no_fail})"),
            PathAction::Select(PathReturn::KeyValue) => write!(f, ".getKeyValues({no_fail})"),
            PathAction::Remove => write!(f, ".remove({no_fail})"),
            PathAction::Modify(value) if self.no_fail => write!(f, ".modify({value}, {no_fail})"),
            PathAction::Modify(value) => write!(f, ".modify({value})"),
        }
    }
}

impl PathStep {
    fn fmt_step(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::At(step) => {
                let step = step.borrowed();
                match step_text(&step) {
                    Some(text) => f.write_str(&text),
                    None => write!(f, ".<{step:?}>"),
                }
            }
            Self::KeysIn(keys) => match list_text(keys) {
                Some(keys) => write!(f, ".{{@{keys}}}"),
                None => write!(f, ".{{@X'{}'}}", hex(keys)),
            },
            Self::Children(filter) => {
                f.write_str(".*")?;
                filter.as_ref().map_or(Ok(()), |filter| fmt_filter(f, filter))
            }
            Self::And(Some(filter)) => {
                f.write_char('&')?;
                fmt_filter(f, filter)
            }
            Self::And(None) => f.write_str("&[?(true)]"),
        }
    }
}

fn fmt_filter(f: &mut Formatter<'_>, filter: &Expression) -> Result {
    write!(f, "[?({filter})]")
}
