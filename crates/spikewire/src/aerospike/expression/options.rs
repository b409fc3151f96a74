//! Options of operations inside expressions.

use spikewire_aerospike_protocol::expression::{Expression as Tree, Fault, Type};

use super::call::CallExpression;
use super::{Expression, Form};
use crate::aerospike::calls::{Argument, Call, Order, Overflow, Returning, options};
use crate::aerospike::ctx::Step;

options!(Expression, Tree);

impl Expression {
    /// The type of the element that is read, if its use does not determine it.
    #[must_use]
    pub fn of_type(self, kind: Type) -> Self {
        self.change_call("of_type", |called| called.kind = Some(kind))
    }

    fn change(self, name: &'static str, change: impl FnOnce(&mut Call<Tree>)) -> Self {
        self.change_call(name, |called| change(&mut called.call))
    }

    fn change_call(self, name: &'static str, change: impl FnOnce(&mut CallExpression)) -> Self {
        match self.0 {
            Form::Call(mut called) => {
                change(&mut called);
                Self(Form::Call(called))
            }
            Form::Tree(Err(fault)) => Self(Form::Tree(Err(fault))),
            _ => {
                let fault = Fault::Value(format!("the expression takes no {name}"));
                Self(Form::Tree(Err(fault)))
            }
        }
    }
}
