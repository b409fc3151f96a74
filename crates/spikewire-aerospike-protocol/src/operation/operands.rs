//! Operations inside expressions: arguments become operands.

use super::{ArgumentConverter, Family, OperandArguments, Words, within};
use crate::cdt::{Argument, Step, context};
use crate::expression::{Call, Constant, Expression, Fault, Node, Slot, Type};
use crate::strings::LARGEST;

impl Family {
    /// The operation with this name on the result of `on`, or on the list or map at `path` inside
    /// it. `kind` is the type of the result if neither the operation nor its use determines it.
    pub fn call<A: OperandArguments, S: Argument>(
        self,
        name: &str,
        on: Expression,
        arguments: &A,
        path: &[Step<S>],
        kind: Option<Type>,
    ) -> Result<Expression, A::Error> {
        let mut operands = Operands { arguments, trees: Vec::new() };
        let composed = self.compose(name, &mut operands)?;
        self.check_path(name, path)?;
        if self == Self::String && !path.is_empty() {
            return Err(self.takes_no(name, "ctx").into());
        }
        let result = match (composed.modifies(), composed.gives(), kind) {
            // A modifying operation returns its operand.
            (true, ..) => None,
            (_, Some(gives), Some(kind)) if gives != kind => {
                return Err(Fault::of_type(format!("it gives {gives}, not {kind}")).into());
            }
            (_, gives, kind) => gives.or(kind),
        };
        let write = |out: &mut Vec<u8>| composed.encode::<i64>(&[], out);
        let mut call = Call::new(self.system(), composed.modifies(), write, &operands.trees, on)?;
        call.result = result;
        call.context = context::packed(path);
        Ok(Expression::call(call)?)
    }
}

/// Converts a host's arguments to operands.
struct Operands<'a, A> {
    arguments: &'a A,
    trees: Vec<Expression>,
}

impl<A: OperandArguments> Operands<'_, A> {
    fn slot(&mut self, operand: Expression) -> Slot {
        self.trees.push(operand);
        Slot(self.trees.len() as u8 - 1)
    }

    /// An operand of one type.
    fn typed(&mut self, at: usize, name: &'static str, kind: Type) -> Result<Slot, A::Error> {
        let operand = self.arguments.operand(at, name)?;
        let operand = operand.refined(kind, &format!("the argument {name}"))?;
        Ok(self.slot(operand))
    }
}

impl<A: OperandArguments> ArgumentConverter for Operands<'_, A> {
    type Value = Slot;
    type Number = Slot;
    type Error = A::Error;

    fn count(&self) -> usize {
        self.arguments.count()
    }

    fn is_absent(&self, at: usize) -> bool {
        self.arguments.is_absent(at)
    }

    fn value(&mut self, at: usize, name: &'static str) -> Result<Slot, A::Error> {
        let operand = self.arguments.operand(at, name)?;
        Ok(self.slot(operand))
    }

    fn key(&mut self, at: usize, name: &'static str) -> Result<Slot, A::Error> {
        let operand = self.arguments.operand(at, name)?;
        match operand.kind() {
            None | Some(Type::Int | Type::Str | Type::Blob) => Ok(self.slot(operand)),
            Some(other) => {
                let why = format!("{name}: a map key must be INT, STRING or BLOB, not {other}");
                Err(Fault::of_type(why).into())
            }
        }
    }

    fn list(&mut self, at: usize, name: &'static str) -> Result<Slot, A::Error> {
        self.typed(at, name, Type::List)
    }

    fn map(&mut self, at: usize, name: &'static str) -> Result<Slot, A::Error> {
        self.typed(at, name, Type::Map)
    }

    fn bytes(&mut self, at: usize, name: &'static str) -> Result<Slot, A::Error> {
        self.typed(at, name, Type::Blob)
    }

    /// A list of sketches, or an expression of sketch type.
    fn sketches(&mut self, at: usize, name: &'static str) -> Result<Slot, A::Error> {
        let is_list = self.arguments.operand(at, name)?.kind() == Some(Type::List);
        self.typed(at, name, if is_list { Type::List } else { Type::Hll })
    }

    fn text(&mut self, at: usize, name: &'static str) -> Result<Slot, A::Error> {
        self.typed(at, name, Type::Str)
    }

    fn texts(&mut self, at: usize, name: &'static str) -> Result<Slot, A::Error> {
        self.typed(at, name, Type::List)
    }

    fn place(&mut self, at: usize, name: &'static str) -> Result<Slot, A::Error> {
        let operand = self.arguments.operand(at, name)?;
        if let Node::Constant(Constant::Int(int)) = operand.node() {
            within(name, *int, (-LARGEST, LARGEST))?;
        }
        self.typed(at, name, Type::Int)
    }

    fn number(&mut self, at: usize, name: &'static str) -> Result<Slot, A::Error> {
        self.typed(at, name, Type::Int)
    }

    fn bits(&mut self, at: usize, name: &'static str, bounds: (i64, i64)) -> Result<i64, A::Error> {
        self.arguments.bits(at, name, bounds)
    }

    fn flag(&mut self, at: usize, name: &'static str) -> Result<bool, A::Error> {
        self.arguments.flag(at, name)
    }

    fn word(&mut self, at: usize, name: &'static str, known: &Words) -> Result<i64, A::Error> {
        self.arguments.word(at, name, known)
    }

    fn is_empty(&self, list: &Slot) -> bool {
        self.trees[usize::from(list.0)].is_empty_list()
    }
}
