//! List, map, bit and sketch operations inside expressions.

use spikewire_aerospike_protocol::expression::{Expression as Tree, Fault, Type};

use super::operand::Operand;
use crate::aerospike::calls::{Argument, Call};

/// An operation inside an expression: its operand, and the result type if nothing else determines
/// it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CallExpression {
    pub on: Tree,
    pub call: Call<Tree>,
    pub kind: Option<Type>,
}

impl Call<Tree> {
    /// Adds an operand.
    pub fn operand(mut self, at: usize, operand: impl Operand) -> Self {
        match operand.into_tree() {
            Ok(tree) => self.with(at, Argument::Value(tree)),
            Err(fault) => {
                self.reject(fault);
                self
            }
        }
    }

    /// Any operand; nil for none.
    pub fn optional_operand(mut self, at: usize, operand: impl Operand) -> Self {
        match operand.into_tree() {
            Ok(tree) if tree.kind() == Some(Type::Nil) => self,
            Ok(tree) => self.with(at, Argument::Value(tree)),
            Err(fault) => {
                self.reject(fault);
                self
            }
        }
    }
}

impl CallExpression {
    /// Builds the expression tree.
    pub fn tree(&self) -> Result<Tree, Fault> {
        self.build().map_err(|fault| fault.within(&format!("exp::{}", self.call.qualified_name())))
    }

    fn build(&self) -> Result<Tree, Fault> {
        let call = &self.call;
        if let Some(fault) = &call.fault {
            return Err(fault.clone());
        }
        call.family.call(call.name, self.on.clone(), call, &call.steps()?, self.kind)
    }
}
