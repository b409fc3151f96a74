//! List, map, bit and sketch operations inside expressions.

use spikewire_protocol::cdt::context;
use spikewire_protocol::expression::{Call as Wire, Expression as Tree, Fault, Slot, Type};
use spikewire_protocol::operation::{Given, Words};

use super::operand::Operand;
use crate::operation::call::{Argument, Call, bits, flag, missing, number_of};

/// An operation inside an expression: what it works on, and the type of what it gives where
/// nothing else says that.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Called {
    pub on: Tree,
    pub call: Call<Tree>,
    pub kind: Option<Type>,
}

impl Call<Tree> {
    /// Any operand.
    pub fn operand(mut self, at: usize, operand: impl Operand) -> Self {
        match operand.into_tree() {
            Ok(tree) => self.with(at, Argument::Value(tree)),
            Err(fault) => {
                self.refuse(fault);
                self
            }
        }
    }

    /// Any operand; nil stands for none.
    pub fn optional_operand(mut self, at: usize, operand: impl Operand) -> Self {
        match operand.into_tree() {
            Ok(tree) if tree.kind() == Some(Type::Nil) => self,
            Ok(tree) => self.with(at, Argument::Value(tree)),
            Err(fault) => {
                self.refuse(fault);
                self
            }
        }
    }
}

impl Called {
    /// The tree that it is.
    pub fn tree(&self) -> Result<Tree, Fault> {
        self.made().map_err(|fault| fault.within(&format!("exp::{}", self.call.shown())))
    }

    fn made(&self) -> Result<Tree, Fault> {
        if let Some(fault) = &self.call.refused {
            return Err(fault.clone());
        }
        let family = self.call.family;
        let mut composer = Composer { arguments: &self.call.arguments, operands: Vec::new() };
        let composed = family.compose(self.call.name, &mut composer)?;
        let result = match (composed.modifies(), composed.gives(), self.kind) {
            (true, ..) => None,
            (_, Some(gives), Some(kind)) if gives != kind => {
                return Err(Fault::Type(format!("it gives {gives}, not {kind}")));
            }
            (_, gives, kind) => gives.or(kind),
        };
        let write = |out: &mut Vec<u8>| composed.encode::<i64>(&[], out);
        let (on, operands) = (self.on.clone(), &composer.operands);
        let mut call = Wire::new(family.system(), composed.modifies(), write, operands, on)?;
        call.result = result;
        let steps = self.call.steps()?;
        call.context = (!steps.is_empty()).then(|| {
            let mut packed = Vec::new();
            context::encode(&steps, &mut packed);
            packed
        });
        Tree::call(call)
    }
}

/// Turns arguments into operands of a call.
struct Composer<'a> {
    arguments: &'a [Argument<Tree>],
    operands: Vec<Tree>,
}

impl Composer<'_> {
    fn operand(&self, at: usize, name: &str) -> Result<Tree, Fault> {
        match &self.arguments[at] {
            Argument::Value(tree) => Ok(tree.clone()),
            _ => Err(missing(name)),
        }
    }

    fn slot(&mut self, operand: Tree) -> Slot {
        self.operands.push(operand);
        Slot(self.operands.len() as u8 - 1)
    }

    fn typed(&mut self, at: usize, name: &str, kind: Type) -> Result<Slot, Fault> {
        let operand = self.operand(at, name)?.refined(kind, &format!("the argument {name}"))?;
        Ok(self.slot(operand))
    }
}

impl Given for Composer<'_> {
    type Value = Slot;
    type Number = Slot;
    type Error = Fault;

    fn count(&self) -> usize {
        self.arguments.len()
    }

    fn is_absent(&self, at: usize) -> bool {
        matches!(self.arguments[at], Argument::Absent)
    }

    fn value(&mut self, at: usize, name: &'static str) -> Result<Slot, Fault> {
        let operand = self.operand(at, name)?;
        Ok(self.slot(operand))
    }

    fn key(&mut self, at: usize, name: &'static str) -> Result<Slot, Fault> {
        let operand = self.operand(at, name)?;
        if matches!(operand.kind(), None | Some(Type::Int | Type::Str | Type::Blob)) {
            return Ok(self.slot(operand));
        }
        Err(Fault::Type(format!("{name}: a map key must be an integer, a string or bytes")))
    }

    fn list(&mut self, at: usize, name: &'static str) -> Result<Slot, Fault> {
        self.typed(at, name, Type::List)
    }

    fn map(&mut self, at: usize, name: &'static str) -> Result<Slot, Fault> {
        self.typed(at, name, Type::Map)
    }

    fn bytes(&mut self, at: usize, name: &'static str) -> Result<Slot, Fault> {
        self.typed(at, name, Type::Blob)
    }

    /// A list of sketches, or an expression that gives a sketch.
    fn sketches(&mut self, at: usize, name: &'static str) -> Result<Slot, Fault> {
        let list = self.operand(at, name)?.kind() == Some(Type::List);
        self.typed(at, name, if list { Type::List } else { Type::Hll })
    }

    fn number(&mut self, at: usize, name: &'static str) -> Result<Slot, Fault> {
        self.typed(at, name, Type::Int)
    }

    fn bits(&mut self, at: usize, name: &'static str, bounds: (i64, i64)) -> Result<i64, Fault> {
        bits(&self.arguments[at], name, bounds)
    }

    fn flag(&mut self, at: usize, _: &'static str) -> Result<bool, Fault> {
        Ok(flag(&self.arguments[at]))
    }

    fn word(&mut self, at: usize, name: &'static str, known: &Words) -> Result<i64, Fault> {
        number_of(&self.arguments[at], name, known)
    }

    fn is_empty(&self, list: &Slot) -> bool {
        self.operands[usize::from(list.0)].is_empty_list()
    }
}
