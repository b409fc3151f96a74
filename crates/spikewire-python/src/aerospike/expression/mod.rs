//! Expressions, checked when they are created.
//!
//! | module | contents |
//! |---|---|
//! | [`bytes`] | filters and operations from expressions and from text |
//! | [`constant`] | Python values in expressions |
//! | [`call`] | list, map, bit and sketch operations in expressions |

mod bytes;
mod call;
mod constant;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::OnceLock;

use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple, PyType};

use spikewire_aerospike_protocol::expression::{
    Expression as Tree, Fault, LoopPart, Meta, Op, PathStep, Type,
};

use self::bytes::read_text;
pub use self::bytes::{filter, operation_bytes, plain_bytes, query_filter};
pub use self::call::path_operation_of;
use self::constant::{kind_of, operand};
use crate::aerospike::arguments::flags;
use crate::aerospike::calls::context::{Path, Step};
use crate::aerospike::value::pairs;
use crate::errors::{about, invalid_argument, type_error, value_error};

/// An expression, created by functions of `spikewire.exp` and operators on expressions.
#[pyclass(frozen, module = "spikewire.exp")]
pub struct Expression {
    tree: Tree,
    /// The expression encoded as a filter, once it was needed.
    filter: OnceLock<Vec<u8>>,
}

fn into_expression(tree: Result<Tree, Fault>) -> PyResult<Expression> {
    Ok(tree.map_err(invalid_argument)?.into())
}

impl From<Tree> for Expression {
    fn from(tree: Tree) -> Self {
        Self { tree, filter: OnceLock::new() }
    }
}

impl Expression {
    fn with(&self, op: Op, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        let other = operand(other)?.aligned(&self.tree);
        into_expression(Tree::join(op, self.tree.clone().aligned(&other), other))
    }

    fn behind(&self, op: Op, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        let other = operand(other)?.aligned(&self.tree);
        let own = self.tree.clone().aligned(&other);
        into_expression(Tree::join(op, other, own))
    }

    fn alone(&self, op: Op) -> PyResult<Self> {
        into_expression(Tree::apply(op, vec![self.tree.clone()]))
    }

    /// `&`, `|` and `^` are logical operators for bools, and bitwise operators for integers.
    fn bits_or(
        &self,
        bits: Op,
        logic: Op,
        other: &Bound<'_, PyAny>,
        front: bool,
    ) -> PyResult<Self> {
        let other = operand(other)?;
        let ints = self.tree.kind() == Some(Type::Int) || other.kind() == Some(Type::Int);
        let own = self.tree.clone();
        let (left, right) = if front { (own, other) } else { (other, own) };
        into_expression(Tree::join(if ints { bits } else { logic }, left, right))
    }
}

#[pymethods]
impl Expression {
    /// A bin; its type is inferred from its use, unless `kind` gives it.
    #[staticmethod]
    #[pyo3(signature = (name, kind=None))]
    fn bin(name: &str, kind: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        match kind {
            Some(kind) => into_expression(Tree::typed_bin(kind_of(kind)?, name)),
            None => into_expression(Tree::bin(name)),
        }
    }

    /// The particle type of a bin, 0 if it is missing.
    #[staticmethod]
    fn bin_type(name: &str) -> PyResult<Self> {
        into_expression(Tree::bin_type(name))
    }

    /// A constant.
    #[staticmethod]
    fn value(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(operand(value)?.into())
    }

    /// What is never known.
    #[staticmethod]
    fn unknown() -> Self {
        Tree::unknown().into()
    }

    /// The stored user key.
    #[staticmethod]
    fn key(kind: &Bound<'_, PyAny>) -> PyResult<Self> {
        into_expression(Tree::key(kind_of(kind)?))
    }

    /// Metadata of the record, by its name in text expressions.
    #[staticmethod]
    fn meta(name: &str) -> PyResult<Self> {
        let meta = Meta::ALL.iter().find(|meta| meta.word() == name);
        let meta = meta.ok_or_else(|| value_error(format!("a record has no {name}()")))?;
        Ok(Tree::meta(*meta).into())
    }

    /// The last four bytes of the digest modulo `divisor`.
    #[staticmethod]
    fn digest_modulo(divisor: i64) -> PyResult<Self> {
        into_expression(Tree::digest_modulo(divisor))
    }

    /// The value of a variable.
    #[staticmethod]
    fn var(name: &str) -> PyResult<Self> {
        into_expression(Tree::var(name))
    }

    /// Variables and the expression they hold in.
    #[staticmethod]
    fn let_(definitions: &Bound<'_, PyDict>, scope: &Bound<'_, PyAny>) -> PyResult<Self> {
        let define = |pair: PyResult<(Bound<'_, PyAny>, Bound<'_, PyAny>)>| {
            let (name, value) = pair?;
            Ok((name.extract::<String>()?.into_bytes(), operand(&value)?))
        };
        let definitions = pairs(definitions).map(define).collect::<PyResult<_>>()?;
        into_expression(Tree::bind(definitions, operand(scope)?))
    }

    /// An operator, by its name in text expressions, on operands.
    #[staticmethod]
    fn apply(operator: &str, operands: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let op = Op::ALL.iter().find(|op| op.word() == operator);
        let op = op.ok_or_else(|| value_error(format!("unknown operator {operator:?}")))?;
        let operands = operands.iter().map(|it| operand(&it)).collect::<PyResult<_>>()?;
        into_expression(Tree::apply(*op, operands))
    }

    /// A list, map, bit or sketch operation of `spikewire.exp`: `family` is its module, `on`
    /// what it works on, `kind` the type of what it gives where nothing else says that.
    #[staticmethod]
    #[pyo3(signature = (family, name, on, arguments, ctx=None, kind=None))]
    fn call(
        family: &str,
        name: &str,
        on: &Bound<'_, PyAny>,
        arguments: &Bound<'_, PyTuple>,
        ctx: Option<&Bound<'_, PyAny>>,
        kind: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let kind = kind.map(kind_of).transpose()?;
        Ok(call::call(family, name, operand(on)?, arguments, ctx, kind)?.into())
    }

    /// A path operation of `spikewire.exp.path` on a list or map.
    #[staticmethod]
    #[pyo3(signature = (name, on, path, returning=None, value=None, *, no_fail=false))]
    fn path(
        name: &str,
        on: &Bound<'_, PyAny>,
        path: &Bound<'_, PyAny>,
        returning: Option<&Bound<'_, PyAny>>,
        value: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = flags::no_fail)] no_fail: bool,
    ) -> PyResult<Self> {
        let within = |error| about(on.py(), error, &format!("exp.path.{name}"));
        let path = Path::along(path)?;
        let operation =
            path_operation_of(name, &path, returning, value, no_fail).map_err(within)?;
        into_expression(Tree::path(operand(on)?, operation)).map_err(within)
    }

    /// The step of a path that names all elements for which a filter is true, or, with
    /// `and_where`, those of the step before.
    #[staticmethod]
    fn filter_step(kind: &str, filter: &Bound<'_, PyAny>) -> PyResult<Step> {
        let within = |error| about(filter.py(), error, &format!("ctx.{kind}"));
        let filter = bytes::element_filter(filter).map_err(within)?;
        let step = match kind {
            "and_where" => PathStep::and_where(filter),
            _ => PathStep::children_where(filter),
        };
        step.map(Step::from).map_err(invalid_argument).map_err(within)
    }

    /// A loop variable of a path: `key`, `value` or `index` of its element.
    #[staticmethod]
    #[pyo3(signature = (part, kind=None))]
    fn loop_var(part: &str, kind: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let part = match part {
            "key" => LoopPart::Key,
            "value" => LoopPart::Value,
            "index" => LoopPart::Index,
            other => return Err(value_error(format!("an element has no {other}"))),
        };
        into_expression(Tree::loop_var(kind.map(kind_of).transpose()?, part))
    }

    /// Parses a text; `?0` is the first of `parameters`, or each `?` the next one.
    #[staticmethod]
    fn text(text: &str, parameters: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let parameters: Vec<_> = parameters.iter().collect();
        Ok(read_text(text, &parameters)?.into())
    }

    /// Parses the wire form, as returned by `bytes()`.
    #[staticmethod]
    fn from_bytes(data: &[u8]) -> PyResult<Self> {
        into_expression(Tree::decode(data))
    }

    /// Whether the string matches a POSIX pattern.
    #[pyo3(signature = (pattern, *, ignore_case=false, by_lines=false, basic=false))]
    fn matches(
        &self,
        pattern: &str,
        #[pyo3(from_py_with = flags::ignore_case)] ignore_case: bool,
        #[pyo3(from_py_with = flags::by_lines)] by_lines: bool,
        #[pyo3(from_py_with = flags::basic)] basic: bool,
    ) -> PyResult<Self> {
        let flags = i64::from(!basic) | i64::from(ignore_case) << 1 | i64::from(by_lines) << 2;
        into_expression(Tree::regex(self.tree.clone(), pattern, flags))
    }

    /// Whether a list holds this value.
    fn is_in(&self, list: &Bound<'_, PyAny>) -> PyResult<Self> {
        into_expression(Tree::apply(Op::In, vec![self.tree.clone(), operand(list)?]))
    }

    /// The float truncated toward zero.
    fn to_int(&self) -> PyResult<Self> {
        self.alone(Op::ToInt)
    }

    /// The integer as a float.
    fn to_float(&self) -> PyResult<Self> {
        self.alone(Op::ToFloat)
    }

    /// The text of an integer, a float, a string, or of bytes in UTF-8; needs server 8.2.
    fn to_text(&self) -> PyResult<Self> {
        self.alone(Op::ToText)
    }

    /// The bits shifted right, filled with zeros. (`>>` keeps the sign.)
    fn shift_right(&self, count: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.with(Op::ShiftRight, count)
    }

    /// Whether the other is the same expression. (`==` creates a comparison.)
    fn same_as(&self, other: &Self) -> bool {
        self.tree.image() == other.tree.image()
    }

    /// The type of its value, by its name in text expressions; `None` while unknown.
    #[getter]
    fn kind(&self) -> Option<&'static str> {
        self.tree.kind().map(Type::name)
    }

    fn __richcmp__(&self, other: &Bound<'_, PyAny>, how: CompareOp) -> PyResult<Self> {
        let op = match how {
            CompareOp::Eq => Op::Eq,
            CompareOp::Ne => Op::Ne,
            CompareOp::Lt => Op::Lt,
            CompareOp::Le => Op::Le,
            CompareOp::Gt => Op::Gt,
            CompareOp::Ge => Op::Ge,
        };
        self.with(op, other)
    }

    #[allow(clippy::unused_self)] // Python passes it
    fn __bool__(&self) -> PyResult<bool> {
        Err(type_error(
            "an expression has no truth value in Python: join with & | ~ instead of `and`, `or`, \
             `not`, write a < b & b < c as (a < b) & (b < c), and compare with same_as()",
        ))
    }

    fn __and__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.bits_or(Op::IntAnd, Op::And, other, true)
    }

    fn __rand__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.bits_or(Op::IntAnd, Op::And, other, false)
    }

    fn __or__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.bits_or(Op::IntOr, Op::Or, other, true)
    }

    fn __ror__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.bits_or(Op::IntOr, Op::Or, other, false)
    }

    fn __xor__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.bits_or(Op::IntXor, Op::Exclusive, other, true)
    }

    fn __rxor__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.bits_or(Op::IntXor, Op::Exclusive, other, false)
    }

    fn __invert__(&self) -> PyResult<Self> {
        self.alone(if self.tree.kind() == Some(Type::Int) { Op::IntNot } else { Op::Not })
    }

    fn __add__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.with(Op::Add, other)
    }

    fn __radd__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.behind(Op::Add, other)
    }

    fn __sub__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.with(Op::Sub, other)
    }

    fn __rsub__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.behind(Op::Sub, other)
    }

    fn __mul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.with(Op::Mul, other)
    }

    fn __rmul__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.behind(Op::Mul, other)
    }

    fn __truediv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.with(Op::Div, other)
    }

    fn __rtruediv__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.behind(Op::Div, other)
    }

    fn __mod__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.with(Op::Mod, other)
    }

    fn __rmod__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.behind(Op::Mod, other)
    }

    fn __pow__(
        &self,
        other: &Bound<'_, PyAny>,
        modulo: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        no_modulo(modulo)?;
        self.with(Op::Pow, other)
    }

    fn __rpow__(
        &self,
        other: &Bound<'_, PyAny>,
        modulo: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        no_modulo(modulo)?;
        self.behind(Op::Pow, other)
    }

    fn __lshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.with(Op::ShiftLeft, other)
    }

    fn __rlshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.behind(Op::ShiftLeft, other)
    }

    fn __rshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.with(Op::ShiftSigned, other)
    }

    fn __rrshift__(&self, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.behind(Op::ShiftSigned, other)
    }

    fn __neg__(&self) -> PyResult<Self> {
        self.alone(Op::Sub)
    }

    fn __abs__(&self) -> PyResult<Self> {
        self.alone(Op::Abs)
    }

    fn __floor__(&self) -> PyResult<Self> {
        self.alone(Op::Floor)
    }

    fn __ceil__(&self) -> PyResult<Self> {
        self.alone(Op::Ceil)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.tree.image().hash(&mut hasher);
        hasher.finish()
    }

    /// The wire form; all types must be known.
    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.tree.encode().map_err(invalid_argument)?))
    }

    fn __str__(&self) -> String {
        self.tree.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Expression({})", self.tree)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let class: Bound<'py, PyType> = py.get_type::<Self>();
        Ok((class.getattr("from_bytes")?, (self.__bytes__(py)?,)))
    }
}

fn no_modulo(modulo: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match modulo {
        Some(modulo) if !modulo.is_none() => {
            Err(type_error("pow() of expressions takes two arguments"))
        }
        _ => Ok(()),
    }
}
