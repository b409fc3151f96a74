//! List, map, bit and sketch operations in expressions.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};

use spikewire_protocol::expression::{Call, Expression as Tree, Slot, Type};
use spikewire_protocol::operation::{Family, Given, Words};

use super::constant::operand;
use crate::calls::Arguments;
use crate::calls::context::Path;
use crate::errors::{Raised, about, refused, type_error, value_error};

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
    let unknown = || value_error(format!("unknown family of operations {family:?}"));
    let of = Family::named(family).ok_or_else(unknown)?;
    let mut given = Composer { arguments: Arguments(arguments), operands: Vec::new() };
    let composed = of.compose(name, &mut given).map_err(|error: Raised| within(error.into()))?;
    // What the operation gives: `None` is told by `kind` or by how the result is used.
    let result = match (composed.modifies(), composed.gives(), kind) {
        (true, ..) => None,
        (_, Some(gives), Some(kind)) if gives != kind => {
            return Err(within(type_error(format!("it gives {gives}, not {kind}"))));
        }
        (_, gives, kind) => gives.or(kind),
    };
    let write = |out: &mut Vec<u8>| composed.encode::<i64>(&[], out);
    let call = Call::new(of.system(), composed.modifies(), write, &given.operands, on);
    let mut call = call.map_err(refused)?;
    call.result = result;
    call.context = path.packed();
    Tree::call(call).map_err(|fault| within(refused(fault)))
}

/// Turns arguments into operands of a call.
struct Composer<'a, 'py> {
    arguments: Arguments<'a, 'py>,
    operands: Vec<Tree>,
}

impl Composer<'_, '_> {
    fn slot(&mut self, operand: Tree) -> Slot {
        self.operands.push(operand);
        Slot(self.operands.len() as u8 - 1)
    }

    /// An operand of one type.
    fn typed(&mut self, at: usize, name: &str, kind: Type) -> Result<Slot, Raised> {
        Ok(self.refined(&self.arguments.get(at)?, name, kind)?)
    }

    fn refined(&mut self, value: &Bound<'_, PyAny>, name: &str, kind: Type) -> PyResult<Slot> {
        let what = format!("the argument {name}");
        let operand = operand(value).map_err(|error| about(value.py(), error, &what))?;
        Ok(self.slot(operand.refined(kind, &what).map_err(refused)?))
    }
}

impl Given for Composer<'_, '_> {
    type Value = Slot;
    type Number = Slot;
    type Error = Raised;

    fn count(&self) -> usize {
        self.arguments.count()
    }

    fn is_absent(&self, at: usize) -> bool {
        self.arguments.is_absent(at)
    }

    fn value(&mut self, at: usize, name: &'static str) -> Result<Slot, Raised> {
        let (value, what) = (self.arguments.get(at)?, format!("the argument {name}"));
        let operand = operand(&value).map_err(|error| about(value.py(), error, &what))?;
        Ok(self.slot(operand))
    }

    fn key(&mut self, at: usize, name: &'static str) -> Result<Slot, Raised> {
        let slot = self.value(at, name)?;
        let kind = self.operands[usize::from(slot.0)].kind();
        if matches!(kind, None | Some(Type::Int | Type::Str | Type::Blob)) {
            return Ok(slot);
        }
        Err(type_error(format!("{name}: a map key must be int, str or bytes")).into())
    }

    fn list(&mut self, at: usize, name: &'static str) -> Result<Slot, Raised> {
        self.typed(at, name, Type::List)
    }

    fn map(&mut self, at: usize, name: &'static str) -> Result<Slot, Raised> {
        self.typed(at, name, Type::Map)
    }

    fn bytes(&mut self, at: usize, name: &'static str) -> Result<Slot, Raised> {
        self.typed(at, name, Type::Blob)
    }

    /// A list of sketches, or an expression that gives a sketch.
    fn sketches(&mut self, at: usize, name: &'static str) -> Result<Slot, Raised> {
        let list = operand(&self.arguments.get(at)?)?.kind() == Some(Type::List);
        self.typed(at, name, if list { Type::List } else { Type::Hll })
    }

    fn number(&mut self, at: usize, name: &'static str) -> Result<Slot, Raised> {
        let number = self.arguments.get(at)?;
        if number.is_instance_of::<PyBool>() {
            return Err(type_error(format!("{name} must be int, not bool")).into());
        }
        Ok(self.refined(&number, name, Type::Int)?)
    }

    fn bits(&mut self, at: usize, name: &'static str, bounds: (i64, i64)) -> Result<i64, Raised> {
        Ok(self.arguments.bits(at, name, bounds)?)
    }

    fn flag(&mut self, at: usize, name: &'static str) -> Result<bool, Raised> {
        Ok(self.arguments.flag(at, name)?)
    }

    fn word(&mut self, at: usize, name: &'static str, known: &Words) -> Result<i64, Raised> {
        Ok(self.arguments.word(at, name, known)?)
    }

    fn is_empty(&self, list: &Slot) -> bool {
        self.operands[usize::from(list.0)].is_empty_list()
    }
}
