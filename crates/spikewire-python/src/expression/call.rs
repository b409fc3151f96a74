//! List, map, bit and sketch operations in expressions.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};

use spikewire_protocol::bits::BitOp;
use spikewire_protocol::cdt::{ListOp, MapOp, return_type as returns};
use spikewire_protocol::expression::call::{BITS, CDT, HLL};
use spikewire_protocol::expression::{Call, Expression as Tree, Slot, Type};
use spikewire_protocol::hll::HllOp;

use super::bytes::refused;
use super::constant::operand;
use crate::calls::context::Path;
use crate::calls::{Cursor, Source, bytes, cdt};
use crate::errors::{about, type_error, value_error};

/// The operation `name` of a module of `spikewire.exp`.
pub fn call(
    family: &str,
    name: &str,
    on: Tree,
    arguments: &Bound<'_, PyTuple>,
    ctx: Option<&Bound<'_, PyAny>>,
    kind: Option<Type>,
) -> PyResult<Tree> {
    let py = arguments.py();
    let within = |error| about(py, error, &format!("exp.{family}.{name}"));
    let path = Path::new(ctx)?;
    let mut source = Composer { cursor: Cursor::new(arguments), operands: Vec::new() };
    let mut bytes = Vec::new();
    // What the operation gives: `None` is told by `kind` or by how the result is used.
    let (system, modifies, gives) = match family {
        "list" => {
            let op = cdt::list(name, &mut source).map_err(within)?;
            op.encode(&mut bytes);
            (CDT, op.modifies(), list_gives(&op))
        }
        "map" => {
            let op = cdt::map(name, &mut source).map_err(within)?;
            op.encode(&mut bytes);
            (CDT, op.modifies(), map_gives(&op))
        }
        "bit" => {
            let op = bytes::bit(name, &mut source).map_err(within)?;
            op.encode(&mut bytes);
            let gives = if matches!(op, BitOp::Get(_)) { Type::Blob } else { Type::Int };
            (BITS, op.modifies(), Some(gives))
        }
        "hll" => {
            let op = bytes::sketch(name, &mut source).map_err(within)?;
            op.encode(&mut bytes);
            let gives = match op {
                HllOp::Union(_) => Type::Hll,
                HllOp::Similarity(_) => Type::Float,
                HllOp::Describe => Type::List,
                _ => Type::Int,
            };
            (HLL, op.modifies(), Some(gives))
        }
        _ => return Err(value_error(format!("unknown family of operations {family:?}"))),
    };
    let result = match (modifies, gives, kind) {
        (true, ..) => None,
        (_, Some(gives), Some(kind)) if gives != kind => {
            return Err(within(type_error(format!("it gives {gives}, not {kind}"))));
        }
        (_, gives, kind) => gives.or(kind),
    };
    let call = Call::new(system, modifies, |out| *out = bytes, &source.operands, on);
    let mut call = call.map_err(refused)?;
    call.result = result;
    call.context = path.packed();
    Tree::call(call).map_err(|fault| within(refused(fault)))
}

fn list_gives<V, N>(op: &ListOp<V, N>) -> Option<Type> {
    match op {
        ListOp::Size => Some(Type::Int),
        ListOp::GetRange(..) => Some(Type::List),
        ListOp::GetBy(returns, by) => returns::kind(*returns, by.is_single()),
        _ => None,
    }
}

fn map_gives<V, N>(op: &MapOp<V, N>) -> Option<Type> {
    match op {
        MapOp::Size => Some(Type::Int),
        MapOp::GetBy(returns, by) => returns::kind(*returns, by.is_single()),
        _ => None,
    }
}

/// Turns arguments into operands of a call.
struct Composer<'py> {
    cursor: Cursor<'py>,
    operands: Vec<Tree>,
}

impl Composer<'_> {
    fn slot(&mut self, operand: Tree) -> Slot {
        self.operands.push(operand);
        Slot(self.operands.len() as u8 - 1)
    }

    /// An operand of one type.
    fn typed(&mut self, name: &str, value: &Bound<'_, PyAny>, kind: Type) -> PyResult<Slot> {
        let what = format!("the argument {name}");
        let operand = operand(value).map_err(|error| about(value.py(), error, &what))?;
        Ok(self.slot(operand.refined(kind, &what).map_err(refused)?))
    }
}

impl<'py> Source<'py> for Composer<'py> {
    type Value = Slot;
    type Number = Slot;

    fn cursor(&mut self) -> &mut Cursor<'py> {
        &mut self.cursor
    }

    fn make_value(&mut self, name: &str, value: &Bound<'py, PyAny>) -> PyResult<Slot> {
        let what = format!("the argument {name}");
        let operand = operand(value).map_err(|error| about(value.py(), error, &what))?;
        Ok(self.slot(operand))
    }

    fn make_key(&mut self, name: &str, key: &Bound<'py, PyAny>) -> PyResult<Slot> {
        let slot = self.make_value(name, key)?;
        let kind = self.operands[usize::from(slot.0)].kind();
        if matches!(kind, None | Some(Type::Int | Type::Str | Type::Blob)) {
            return Ok(slot);
        }
        Err(type_error(format!("{name}: a map key must be int, str or bytes")))
    }

    fn make_list(&mut self, name: &str, items: &Bound<'py, PyAny>) -> PyResult<Slot> {
        self.typed(name, items, Type::List)
    }

    fn make_map(&mut self, name: &str, pairs: &Bound<'py, PyAny>) -> PyResult<Slot> {
        self.typed(name, pairs, Type::Map)
    }

    fn make_bytes(&mut self, name: &str, bytes: &Bound<'py, PyAny>) -> PyResult<Slot> {
        self.typed(name, bytes, Type::Blob)
    }

    /// A list of sketches, or an expression that gives a sketch.
    fn make_sketches(&mut self, name: &str, all: &Bound<'py, PyAny>) -> PyResult<Slot> {
        let list = operand(all)?.kind() == Some(Type::List);
        self.typed(name, all, if list { Type::List } else { Type::Hll })
    }

    fn make_number(&mut self, name: &str, number: &Bound<'py, PyAny>) -> PyResult<Slot> {
        if number.is_instance_of::<PyBool>() {
            return Err(type_error(format!("{name} must be int, not bool")));
        }
        self.typed(name, number, Type::Int)
    }
}
