//! Evaluates expressions: filters on records, and values of expression operations.
//!
//! An expression is decoded and checked once per request ([`Program`]; once per batch with a common
//! filter), then evaluated on records ([`RecordView`]). In addition to values there is "unknown":
//! the result for a missing bin, a bin of another type or a division by zero. It propagates through
//! everything but `and` and `or`, which may be decided without it.
//!
//! | module | what it holds |
//! |---|---|
//! | [`evaluate`] | operators on values |
//! | [`budget`] | how much one evaluation may read and keep |
//! | [`compare`] | the order of values, lists and maps among them |
//! | [`call`] | list, map, bit and sketch operations inside expressions |
//! | `path` | path expressions: many elements of a list or map |
//! | [`record_view`] | a record as expressions see it |
//! | [`pattern`] | POSIX patterns |
//! | [`operation`] | the operations that read and write what an expression gives |
//! | [`path_operation`] | path expressions as operations |
//! | [`trace`] | where in an expression a failure is |

pub mod budget;
pub mod call;
pub mod compare;
pub mod evaluate;
pub mod operation;
mod path;
pub mod path_operation;
pub mod pattern;
pub mod record_view;
pub mod trace;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use regex::bytes::Regex;
use spikewire_aerospike_protocol::expression::{
    Argument, Constant, Expression, Node, PathOperation, Type,
};
use spikewire_aerospike_protocol::result_code::ResultCode;

pub use self::record_view::{Bins, RecordView};
use crate::value::geo::Shape;

/// The result of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Val<'a> {
    /// Unknown.
    Unknown,
    /// No value.
    Nil,
    /// True or false.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// String, blob, `GeoJSON` text or sketch.
    Bytes(Type, Cow<'a, [u8]>),
    /// List or map in `MessagePack`.
    Packed(Type, Cow<'a, [u8]>),
}

/// A decoded expression with its compiled patterns.
#[derive(Debug)]
pub struct Program {
    tree: Expression,
    /// By flags and text.
    patterns: HashMap<i64, HashMap<Vec<u8>, Regex>>,
    pattern_count: usize,
    /// Paths inside the expression with an expression that does not build: their value is unknown.
    broken: Vec<PathOperation>,
}

impl Program {
    /// Decodes a filter.
    pub fn filter(bytes: &[u8]) -> Result<Self, ResultCode> {
        let tree = Expression::decode(bytes).map_err(|_| ResultCode::PARAMETER)?;
        if !matches!(tree.check(), Ok(None | Some(Type::Bool))) {
            return Err(ResultCode::PARAMETER);
        }
        Self::new(tree)
    }

    /// Prepares an expression.
    pub fn new(tree: Expression) -> Result<Self, ResultCode> {
        if tree.redefined().is_some() {
            return Err(ResultCode::PARAMETER);
        }
        let mut program = Self {
            tree: tree.clone(),
            patterns: HashMap::new(),
            pattern_count: 0,
            broken: Vec::new(),
        };
        program.prepare(&tree)?;
        Ok(program)
    }

    /// Prepares the expressions of a path.
    pub fn of_path(operation: &PathOperation) -> Result<Self, ResultCode> {
        let mut program = Self::new(Expression::unknown())?;
        for inside in operation.expressions() {
            if inside.redefined().is_some() {
                return Err(ResultCode::PARAMETER);
            }
            program.prepare(inside)?;
        }
        Ok(program)
    }

    /// Whether a record passes this filter.
    pub fn passes(&self, view: &RecordView<'_>) -> bool {
        self.evaluate(view) == Val::Bool(true)
    }

    /// Evaluates the expression on a record.
    pub fn evaluate<'a>(&'a self, view: &'a RecordView<'a>) -> Val<'a> {
        evaluate::Evaluation::new(self, view).whole()
    }

    fn pattern(&self, flags: i64, pattern: &[u8]) -> Option<&Regex> {
        self.patterns.get(&flags)?.get(pattern)
    }

    /// Whether a path inside the expression has a value.
    fn builds(&self, operation: &PathOperation) -> bool {
        !self.broken.contains(operation)
    }

    /// Compiles the patterns; rejects what servers do not build.
    fn prepare(&mut self, part: &Expression) -> Result<(), ResultCode> {
        match part.node() {
            Node::Apply(_, operands) => {
                for operand in operands {
                    self.prepare(operand)?;
                }
            }
            Node::Regex { flags, pattern, on } => {
                if self.pattern(*flags, pattern).is_none() {
                    let regex = pattern::compile(pattern, *flags, self.pattern_count)?;
                    self.pattern_count += 1;
                    self.patterns.entry(*flags).or_default().insert(pattern.clone(), regex);
                }
                self.prepare(on)?;
            }
            Node::Let(definitions, scope) => {
                for (_, definition) in definitions {
                    self.prepare(definition)?;
                }
                self.prepare(scope)?;
            }
            Node::Call(call) => {
                for argument in &call.arguments {
                    if let Argument::Expression(argument) = argument {
                        self.prepare(argument)?;
                    }
                }
                self.prepare(&call.on)?;
            }
            Node::Path(call) => {
                if let Some(operation) = &call.operation
                    && operation.expressions().any(|inside| self.prepare(inside).is_err())
                {
                    self.broken.push(operation.clone());
                }
                self.prepare(&call.on)?;
            }
            Node::Constant(Constant::Bytes(Type::Geo, text)) if Shape::read(text).is_none() => {
                return Err(ResultCode::PARAMETER);
            }
            _ => {}
        }
        Ok(())
    }
}

/// The last decoded filter, which the next request often has, too.
#[derive(Debug, Default)]
pub struct Filters {
    last: Option<(Vec<u8>, Arc<Program>)>,
}

impl Filters {
    /// Decodes a filter.
    pub fn read(&mut self, bytes: &[u8]) -> Result<Arc<Program>, ResultCode> {
        if let Some((last, program)) = &self.last
            && last == bytes
        {
            return Ok(program.clone());
        }
        let program = Program::filter(bytes).map_err(|code| trace::unbuilt(code, bytes))?;
        let program = Arc::new(program);
        self.last = Some((bytes.to_vec(), program.clone()));
        Ok(program)
    }
}

#[cfg(test)]
mod tests;
