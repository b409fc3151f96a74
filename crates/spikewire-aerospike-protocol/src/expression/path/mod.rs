//! Path expressions: operations on many elements of nested lists and maps at once.
//!
//! A path has a step for each level. Each step names one element, some of them, or all; a filter
//! decides on an element by its key, value and index, the loop variables. [`PathOperation`] returns
//! the elements at the end of the path, replaces them or removes them, as an operation of `operate`
//! or as [a part of an expression](super::Expression::path).

mod wire;

use super::{Argument, Expression, Fault, Node, Type};
use crate::cdt::Step;
use crate::cdt::context::{Create, Inside};
use crate::limits;

/// What a loop variable is of the element that a path is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum LoopPart {
    /// Its key, in a map.
    Key = 0,
    /// Its value.
    Value = 1,
    /// Its index, in a list.
    Index = 2,
}

impl LoopPart {
    /// The part with this wire number.
    pub fn from_wire(number: i64) -> Option<Self> {
        [Self::Key, Self::Value, Self::Index].into_iter().find(|part| *part as i64 == number)
    }

    /// The name in text expressions.
    pub fn word(self) -> &'static str {
        match self {
            Self::Key => "@key",
            Self::Value => "@",
            Self::Index => "@index",
        }
    }
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq)]
pub enum PathStep {
    /// One element; by value, all elements that equal it.
    At(Step<Vec<u8>>),
    /// The entries of a map whose keys are in this packed list.
    KeysIn(Vec<u8>),
    /// All elements, or those for which a filter is true.
    Children(Option<Expression>),
    /// Of the elements that the step before names, those for which a filter is true. `None` is true
    /// for all.
    And(Option<Expression>),
}

impl PathStep {
    /// All elements for which `filter` is true.
    pub fn children_where(filter: Expression) -> Result<Self, Fault> {
        filtered(filter).map(|filter| Self::Children(Some(filter)))
    }

    /// Of the elements of the step before, those for which `filter` is true.
    pub fn and_where(filter: Expression) -> Result<Self, Fault> {
        filtered(filter).map(|filter| Self::And(Some(filter)))
    }

    /// Whether only paths have it, not contexts.
    pub fn is_of_paths(&self) -> bool {
        !matches!(self, Self::At(_))
    }

    /// Its filter.
    pub fn filter(&self) -> Option<&Expression> {
        match self {
            Self::Children(filter) | Self::And(filter) => filter.as_ref(),
            Self::At(_) | Self::KeysIn(_) => None,
        }
    }
}

/// A complete filter of elements.
fn filtered(filter: Expression) -> Result<Expression, Fault> {
    let what = "a filter of a path";
    sees_no_record(&filter, what)?;
    let filter = filter.refined(Type::Bool, what)?;
    if let Some(kind) = filter.check()?
        && kind != Type::Bool
    {
        return Err(Fault::of_type(format!("{what} must be BOOL, not {kind}")));
    }
    Ok(filter)
}

/// Rejects expressions that need the record, of which a path sees nothing.
fn sees_no_record(part: &Expression, what: &str) -> Result<(), Fault> {
    part.find(&mut |node| {
        let reads = matches!(
            node,
            Node::Bin(..) | Node::BinType(_) | Node::Key(_) | Node::Meta(_) | Node::DigestModulo(_)
        );
        reads.then(|| {
            Fault::of_value(format!(
                "{what} sees only the key, value and index of an element, not the record"
            ))
        })
    })
    .map_or(Ok(()), Err)
}

/// What is returned of the elements at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PathReturn {
    /// The list or map itself with nothing but what leads to the elements.
    Tree = 0,
    /// A list of their values.
    Value = 1,
    /// A list of their keys.
    Key = 2,
    /// A list of a key, its value, the next key and so on.
    KeyValue = 3,
}

impl PathReturn {
    /// The one with this wire number.
    pub fn from_wire(number: i64) -> Option<Self> {
        let all = [Self::Tree, Self::Value, Self::Key, Self::KeyValue];
        all.into_iter().find(|it| *it as i64 == number)
    }
}

/// What is done with the elements at the end of a path.
#[derive(Debug, Clone, PartialEq)]
pub enum PathAction {
    /// They are returned.
    Select(PathReturn),
    /// Each is replaced by the value of an expression.
    Modify(Expression),
    /// They are removed.
    Remove,
}

/// An operation on the elements at the end of a path.
#[derive(Debug, Clone, PartialEq)]
pub struct PathOperation {
    /// The path: 1 to [`limits::PATH_STEPS`] steps.
    pub steps: Vec<PathStep>,
    /// What is done.
    pub action: PathAction,
    /// Whether elements that a step or expression fails on are skipped.
    pub no_fail: bool,
}

impl PathOperation {
    /// Returns elements.
    pub fn select(steps: Vec<PathStep>, returns: PathReturn, no_fail: bool) -> Result<Self, Fault> {
        Self::checked(steps, PathAction::Select(returns), no_fail)
    }

    /// Replaces each element by the value of an expression, which sees the element by its loop
    /// variables. Its value must have a type.
    pub fn modify(steps: Vec<PathStep>, value: Expression, no_fail: bool) -> Result<Self, Fault> {
        sees_no_record(&value, "the new value of an element")?;
        value.check()?;
        Self::checked(steps, PathAction::Modify(value), no_fail)
    }

    /// Removes elements.
    pub fn remove(steps: Vec<PathStep>, no_fail: bool) -> Result<Self, Fault> {
        Self::checked(steps, PathAction::Remove, no_fail)
    }

    /// Rejects paths that no server takes.
    fn checked(steps: Vec<PathStep>, action: PathAction, no_fail: bool) -> Result<Self, Fault> {
        let creates = |step: &PathStep| matches!(step, PathStep::At(step) if step.create != Create::No || step.persist);
        if let Some(at) = steps.iter().position(creates) {
            let why = "the steps of a path expression create nothing";
            return Err(Fault::of_value(format!("path[{at}]: {why}")));
        }
        check_steps(&steps)?;
        Ok(Self { steps, action, no_fail })
    }

    /// Whether it changes the list or map.
    pub fn modifies(&self) -> bool {
        !matches!(self.action, PathAction::Select(_))
    }

    /// The expressions in it.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let value = match &self.action {
            PathAction::Modify(value) => Some(value),
            PathAction::Select(_) | PathAction::Remove => None,
        };
        self.steps.iter().filter_map(PathStep::filter).chain(value)
    }
}

/// The number of steps, and where filters may be.
fn check_steps(steps: &[PathStep]) -> Result<(), Fault> {
    let most = limits::PATH_STEPS;
    if steps.is_empty() || steps.len() > most {
        let count = steps.len();
        return Err(Fault::of_value(format!("a path has 1 to {most} steps, not {count}")));
    }
    for (at, step) in steps.iter().enumerate() {
        if !matches!(step, PathStep::And(_)) {
            continue;
        }
        let why = match at.checked_sub(1).map(|before| &steps[before]) {
            None => "it must follow the step whose elements it filters",
            Some(PathStep::Children(_)) => "it cannot follow `all_children`, which has a filter",
            Some(PathStep::And(_)) => "a step has one filter: join two with `and`",
            Some(_) => continue,
        };
        return Err(Fault::of_value(format!("path[{at}]: {why}")));
    }
    Ok(())
}

/// A path operation inside an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct PathCall {
    /// The type of its value; `None` if not known yet.
    pub result: Option<Type>,
    /// Whether it is marked as modifying. It has no value if it does not fit the operation.
    pub modifies: bool,
    /// The operation; `None` for one that is malformed, which has no value.
    pub operation: Option<PathOperation>,
    /// The list or map it works on.
    pub on: Expression,
}

impl Expression {
    /// A path operation on a list or map. Its value is a list, or, for a tree and for one that
    /// modifies, a list or map like `on`.
    pub fn path(on: Self, operation: PathOperation) -> Result<Self, Fault> {
        let on = match (on.kind(), operation.container()) {
            (None, Some(kind)) => on.refined(kind, "a path")?,
            (None | Some(Type::List | Type::Map), _) => on,
            (Some(kind), _) => {
                return Err(Fault::of_type(format!("a path leads into LIST or MAP, not {kind}")));
            }
        };
        if let (Some(kind), Some(container)) = (on.kind(), operation.container())
            && kind != container
        {
            let why = format!("the path leads into a {container}, not a {kind}");
            return Err(Fault::of_type(why));
        }
        let result = match operation.action {
            PathAction::Select(PathReturn::Tree) | PathAction::Modify(_) | PathAction::Remove => {
                on.kind()
            }
            PathAction::Select(_) => Some(Type::List),
        };
        let modifies = operation.modifies();
        Self::path_call(PathCall { result, modifies, operation: Some(operation), on })
    }

    /// A path operation as it was decoded.
    pub(super) fn path_call(call: PathCall) -> Result<Self, Fault> {
        let kind = call.result;
        Self::make(Node::Path(call), kind)
    }

    /// A loop variable; `None` if its type is to be that of its use. The type of an index is INT.
    pub fn loop_var(kind: Option<Type>, part: LoopPart) -> Result<Self, Fault> {
        let kind = match (part, kind) {
            (LoopPart::Index, None | Some(Type::Int)) => Some(Type::Int),
            (LoopPart::Index, Some(kind)) => {
                return Err(Fault::of_type(format!("the index of an element is INT, not {kind}")));
            }
            (LoopPart::Key, Some(kind)) if !matches!(kind, Type::Int | Type::Str | Type::Blob) => {
                let why = format!("a map key is INT, STRING or BLOB, not {kind}");
                return Err(Fault::of_type(why));
            }
            (_, kind) => kind,
        };
        Ok(Self::leaf(Node::Loop(kind, part), kind))
    }

    /// Rejects what a server would find to be always unknown: loop variables outside a path, and
    /// malformed paths.
    pub(super) fn check_loops(&self) -> Result<(), Fault> {
        let fault = self.find(&mut |node| match node {
            Node::Loop(_, part) => Some(Fault::of_value(format!(
                "the loop variable {} has a value only in a filter of a path, and in the new \
                 value of an element",
                part.word()
            ))),
            Node::Path(PathCall { operation: None, .. }) => {
                Some(Fault::of_value("a malformed path"))
            }
            _ => None,
        });
        fault.map_or(Ok(()), Err)
    }

    /// The first fault that `look` finds. The expressions inside paths are not looked at: they see
    /// elements, not the record.
    fn find(&self, look: &mut dyn FnMut(&Node) -> Option<Fault>) -> Option<Fault> {
        let fault = look(self.node());
        if fault.is_some() {
            return fault;
        }
        let mut inside = |part: &Self| part.find(look);
        match self.node() {
            Node::Apply(_, operands) => operands.iter().find_map(inside),
            Node::Regex { on, .. } => inside(on),
            Node::Let(definitions, scope) => {
                definitions.iter().find_map(|(_, part)| inside(part)).or_else(|| inside(scope))
            }
            Node::Call(call) => inside(&call.on).or_else(|| {
                call.arguments.iter().find_map(|argument| match argument {
                    Argument::Expression(argument) => inside(argument),
                    Argument::Raw(_) => None,
                })
            }),
            Node::Path(call) => inside(&call.on),
            _ => None,
        }
    }
}

impl PathOperation {
    /// The kind of container that its first step leads into, if the step says so.
    pub fn container(&self) -> Option<Type> {
        match self.steps.first()? {
            PathStep::At(Step { inside: Inside::List, .. }) => Some(Type::List),
            PathStep::At(Step { inside: Inside::Map, .. }) | PathStep::KeysIn(_) => Some(Type::Map),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
