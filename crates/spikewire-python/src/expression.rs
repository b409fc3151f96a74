//! Filter expressions, checked when they are made.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use pyo3::basic::CompareOp;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType,
};

use spikewire_protocol::expression::text::{self, TextError};
use spikewire_protocol::expression::{Constant, Expression as Tree, Fault, Meta, Node, Op, Type};
use spikewire_protocol::limits;
use spikewire_protocol::value::Value;

use crate::errors::{overflow, shown, type_error, type_name, value_error};
use crate::value::{GeoJSON, HyperLogLog};

/// The bytes of a filter: an `Expression`, a text, or a tuple of a text and its parameters.
pub fn filter_bytes(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    tree_of(value, true)?.filter().map_err(refused)
}

/// The bytes of an operation that reads or writes what an expression gives. Takes what
/// [`filter_bytes`] takes.
#[allow(dead_code)] // for the operations that are made of expressions
pub fn operation_bytes(value: &Bound<'_, PyAny>, flags: u8) -> PyResult<Vec<u8>> {
    tree_of(value, false)?.operation(flags).map_err(refused)
}

fn tree_of(value: &Bound<'_, PyAny>, filter: bool) -> PyResult<Tree> {
    if let Ok(expression) = value.cast::<Expression>() {
        return Ok(expression.get().tree.clone());
    }
    if let Ok(source) = value.cast::<PyString>() {
        return read_text(source.to_str()?, &[], filter);
    }
    if let Ok(parts) = value.cast::<PyTuple>()
        && let Ok(first) = parts.get_item(0)
        && let Ok(source) = first.cast::<PyString>()
    {
        let parameters: Vec<_> = parts.iter().skip(1).collect();
        return read_text(source.to_str()?, &parameters, filter);
    }
    Err(type_error(format!(
        "an expression is an Expression, a str, or a tuple of a str and its parameters, not {}",
        type_name(value)
    )))
}

fn read_text(source: &str, parameters: &[Bound<'_, PyAny>], filter: bool) -> PyResult<Tree> {
    let parameters: Vec<Tree> = parameters.iter().map(operand).collect::<PyResult<_>>()?;
    let read = if filter { text::parse_filter } else { text::parse };
    read(source, &parameters).map_err(|error| misread(source, error))
}

fn misread(source: &str, error: TextError) -> PyErr {
    let place = format!("\n{}", error.shown(source)).replace('\n', "\n    ");
    let message = |why: &str| format!("{why} (at byte {}){place}", error.at.start);
    match &error.fault {
        Fault::Type(why) => type_error(message(why)),
        Fault::Value(why) => value_error(message(why)),
    }
}

fn refused(fault: Fault) -> PyErr {
    match fault {
        Fault::Type(why) => type_error(why),
        Fault::Value(why) => value_error(why),
    }
}

/// An expression, or the constant that a value is.
fn operand(value: &Bound<'_, PyAny>) -> PyResult<Tree> {
    if let Ok(expression) = value.cast::<Expression>() {
        return Ok(expression.get().tree.clone());
    }
    Tree::try_from(&constant(value, limits::NESTING)?).map_err(refused)
}

fn constant(value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(value_error(format!("nested deeper than {} levels", limits::NESTING)));
    };
    if value.is_none() {
        return Ok(Value::Nil);
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Value::Bool(flag.is_true()));
    }
    if let Ok(int) = value.cast::<PyInt>() {
        return int.extract().map(Value::Int).map_err(|error: PyErr| {
            if error.is_instance_of::<PyOverflowError>(value.py()) {
                overflow(format!("the integer {} does not fit 64 bits signed", shown(value)))
            } else {
                error
            }
        });
    }
    if let Ok(float) = value.cast::<PyFloat>() {
        return Ok(Value::Float(float.value()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        let text = text.to_str().map_err(|error| {
            value_error(format!("the str cannot be written as UTF-8 ({error})"))
        })?;
        return Ok(Value::Str(text.to_owned()));
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Value::Bytes(bytes.as_bytes().to_vec()));
    }
    if let Ok(bytes) = value.cast::<PyByteArray>() {
        return Ok(Value::Bytes(bytes.to_vec()));
    }
    if let Ok(geo) = value.cast::<GeoJSON>() {
        return Ok(Value::GeoJson(geo.get().text.clone()));
    }
    if let Ok(sketch) = value.cast::<HyperLogLog>() {
        return Ok(Value::Hll(sketch.get().bytes.clone()));
    }
    if let Ok(items) = value.cast::<PyList>() {
        return items
            .iter()
            .map(|item| constant(&item, depth))
            .collect::<PyResult<_>>()
            .map(Value::List);
    }
    if let Ok(items) = value.cast::<PyTuple>() {
        return items
            .iter()
            .map(|item| constant(&item, depth))
            .collect::<PyResult<_>>()
            .map(Value::List);
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let pair = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            Ok((constant(&key, depth)?, constant(&value, depth)?))
        };
        return dict.iter().map(pair).collect::<PyResult<_>>().map(Value::Map);
    }
    Err(type_error(format!(
        "an expression has no values of type {}; use int, float, bool, str, bytes, None, list, \
         dict, GeoJSON or HyperLogLog",
        type_name(value)
    )))
}

/// The type that a Python type stands for.
fn kind_of(kind: &Bound<'_, PyAny>) -> PyResult<Type> {
    let py = kind.py();
    let known = [
        (py.get_type::<PyInt>(), Type::Int),
        (py.get_type::<PyFloat>(), Type::Float),
        (py.get_type::<PyString>(), Type::Str),
        (py.get_type::<PyBool>(), Type::Bool),
        (py.get_type::<PyBytes>(), Type::Blob),
        (py.get_type::<PyList>(), Type::List),
        (py.get_type::<PyDict>(), Type::Map),
        (py.get_type::<GeoJSON>(), Type::Geo),
        (py.get_type::<HyperLogLog>(), Type::Hll),
    ];
    let found = known.into_iter().find(|(known, _)| kind.is(known));
    found.map(|(_, kind)| kind).ok_or_else(|| {
        type_error(format!(
            "the type of a bin is int, float, str, bool, bytes, list, dict, GeoJSON or \
             HyperLogLog, not {}",
            shown(kind)
        ))
    })
}

/// Makes an integer constant a float where the other operand is one and nothing is lost.
fn align(constant: Tree, other: &Tree) -> Tree {
    match constant.node() {
        Node::Constant(Constant::Int(int))
            if other.kind() == Some(Type::Float) && *int == (*int as f64) as i64 =>
        {
            Tree::from(*int as f64)
        }
        _ => constant,
    }
}

/// An expression; made by the functions of `spikewire.exp` and by operators on expressions.
#[pyclass(frozen, module = "spikewire.exp")]
#[derive(Clone)]
pub struct Expression {
    tree: Tree,
}

fn made(tree: Result<Tree, Fault>) -> PyResult<Expression> {
    Ok(Expression { tree: tree.map_err(refused)? })
}

impl Expression {
    fn with(&self, op: Op, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        let other = align(operand(other)?, &self.tree);
        made(Tree::join(op, align(self.tree.clone(), &other), other))
    }

    fn behind(&self, op: Op, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        let other = align(operand(other)?, &self.tree);
        let own = align(self.tree.clone(), &other);
        made(Tree::join(op, other, own))
    }

    fn alone(&self, op: Op) -> PyResult<Self> {
        made(Tree::apply(op, vec![self.tree.clone()]))
    }

    /// `&`, `|` and `^` are logic on bools and work bit by bit on integers.
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
        made(Tree::join(if ints { bits } else { logic }, left, right))
    }
}

#[pymethods]
impl Expression {
    /// A bin; what it is used with gives it a type, unless `kind` does.
    #[staticmethod]
    #[pyo3(signature = (name, kind=None))]
    fn bin(name: &str, kind: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        match kind {
            Some(kind) => made(Tree::typed_bin(kind_of(kind)?, name)),
            None => made(Tree::bin(name)),
        }
    }

    /// The particle type of a bin, 0 if it is missing.
    #[staticmethod]
    fn bin_type(name: &str) -> PyResult<Self> {
        made(Tree::bin_type(name))
    }

    /// A constant.
    #[staticmethod]
    fn value(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self { tree: operand(value)? })
    }

    /// What is never known.
    #[staticmethod]
    fn unknown() -> Self {
        Self { tree: Tree::unknown() }
    }

    /// The stored user key.
    #[staticmethod]
    fn key(kind: &Bound<'_, PyAny>) -> PyResult<Self> {
        made(Tree::key(kind_of(kind)?))
    }

    /// Something about the record, by its name in text expressions.
    #[staticmethod]
    fn meta(name: &str) -> PyResult<Self> {
        let found = Meta::ALL.iter().find(|meta| meta.word() == name);
        let meta = found.ok_or_else(|| value_error(format!("a record has no {name}()")))?;
        Ok(Self { tree: Tree::meta(*meta) })
    }

    /// The last four bytes of the digest modulo `divisor`.
    #[staticmethod]
    fn digest_modulo(divisor: i64) -> PyResult<Self> {
        made(Tree::digest_modulo(divisor))
    }

    /// The value of a variable.
    #[staticmethod]
    fn var(name: &str) -> PyResult<Self> {
        made(Tree::var(name))
    }

    /// Variables and the expression they hold in.
    #[staticmethod]
    fn let_(definitions: &Bound<'_, PyDict>, scope: &Bound<'_, PyAny>) -> PyResult<Self> {
        let define = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            Ok((name.extract::<String>()?.into_bytes(), operand(&value)?))
        };
        let definitions = definitions.iter().map(define).collect::<PyResult<_>>()?;
        made(Tree::bind(definitions, operand(scope)?))
    }

    /// An operator, by its name in text expressions, on operands.
    #[staticmethod]
    fn apply(operator: &str, operands: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let found = Op::ALL.iter().find(|op| op.word() == operator);
        let op = found.ok_or_else(|| value_error(format!("unknown operator {operator:?}")))?;
        let operands = operands.iter().map(|it| operand(&it)).collect::<PyResult<_>>()?;
        made(Tree::apply(*op, operands))
    }

    /// Reads a text. `?0` stands for the first of `parameters`.
    #[staticmethod]
    fn text(text: &str, parameters: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let parameters: Vec<_> = parameters.iter().collect();
        Ok(Self { tree: read_text(text, &parameters, false)? })
    }

    /// Reads the wire form, as `bytes()` makes it.
    #[staticmethod]
    fn from_bytes(data: &[u8]) -> PyResult<Self> {
        made(Tree::decode(data))
    }

    /// Whether the string matches a POSIX pattern.
    #[pyo3(signature = (pattern, *, ignore_case=false, by_lines=false, basic=false))]
    fn matches(
        &self,
        pattern: &str,
        ignore_case: bool,
        by_lines: bool,
        basic: bool,
    ) -> PyResult<Self> {
        let flags = i64::from(!basic) | i64::from(ignore_case) << 1 | i64::from(by_lines) << 2;
        made(Tree::regex(self.tree.clone(), pattern, flags))
    }

    /// Whether a list holds this value.
    fn is_in(&self, list: &Bound<'_, PyAny>) -> PyResult<Self> {
        made(Tree::apply(Op::In, vec![self.tree.clone(), operand(list)?]))
    }

    /// The float cut toward zero.
    fn to_int(&self) -> PyResult<Self> {
        self.alone(Op::ToInt)
    }

    /// The integer as a float.
    fn to_float(&self) -> PyResult<Self> {
        self.alone(Op::ToFloat)
    }

    /// The bits moved down, zeros from above. (`>>` keeps the sign.)
    fn shift_right(&self, count: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.with(Op::ShiftRight, count)
    }

    /// Whether the other is the same expression. (`==` makes a comparison.)
    fn same_as(&self, other: &Self) -> bool {
        self.tree.image() == other.tree.image()
    }

    /// The type of its value, by its name in text expressions; `None` while it is not known.
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
        Ok(PyBytes::new(py, &self.tree.encode().map_err(refused)?))
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
