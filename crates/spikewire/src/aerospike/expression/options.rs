//! Options of operations inside expressions.

use spikewire_aerospike_protocol::expression::{Expression as Tree, Fault, Type};

use super::call::CallExpression;
use super::{Expression, Form};
use crate::aerospike::calls::{Argument, Call, Order, Overflow, Returning, options};
use crate::aerospike::step::Step;

options!(Expression, Tree);

impl Expression {
    /// The type of the element that is read, if its use does not determine it.
    #[must_use]
    pub fn of_type(self, kind: Type) -> Self {
        self.change_call("of_type", |called| called.kind = Some(kind))
    }

    /// Sets an option of a path operation; gives back what is none.
    fn change_path(self, name: &'static str, argument: &Argument<Tree>) -> Result<Self, Self> {
        let Form::Path(mut path) = self.0 else { return Err(self) };
        path.1.set(name, argument);
        Ok(Self(Form::Path(path)))
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
            Form::Path(mut path) => {
                path.1.reject(name);
                Self(Form::Path(path))
            }
            _ => {
                let fault = Fault::Value(format!("the expression takes no {name}"));
                Self(Form::Tree(Err(fault)))
            }
        }
    }
}
