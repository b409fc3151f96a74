//! Operands of expressions: other expressions, and values that become constants.

use spikewire_aerospike_protocol::expression::{Expression as Tree, Fault};

use super::Expression;
use crate::Value;

/// An operand: an [`Expression`], or a value that becomes a constant.
///
/// Integers, floats, bools, strings, bytes, lists (`Vec<Value>`), maps (`Vec<(Value, Value)>`) and
/// [`Value`]. A string is a string constant; [`exp::text`](crate::exp::text) parses one as an
/// expression.
pub trait Operand: sealed::Operand {}

impl<T: sealed::Operand> Operand for T {}

pub(crate) mod sealed {
    use super::{Fault, Tree};

    /// Converts an operand to an expression tree.
    pub trait Operand {
        /// Builds the expression tree.
        fn into_tree(self) -> Result<Tree, Fault>;
    }
}

impl sealed::Operand for Expression {
    fn into_tree(self) -> Result<Tree, Fault> {
        Expression::tree(&self, false)
    }
}

impl sealed::Operand for &Expression {
    fn into_tree(self) -> Result<Tree, Fault> {
        Expression::tree(self, false)
    }
}

impl sealed::Operand for Value {
    fn into_tree(self) -> Result<Tree, Fault> {
        Tree::try_from(&self)
    }
}

impl sealed::Operand for &Value {
    fn into_tree(self) -> Result<Tree, Fault> {
        Tree::try_from(self)
    }
}

macro_rules! constants {
    ($($of:ty => $make:expr;)*) => {
        $(impl sealed::Operand for $of {
            fn into_tree(self) -> Result<Tree, Fault> {
                let make: fn($of) -> Value = $make;
                make(self).into_tree()
            }
        })*
    };
}

constants! {
    i8 => |it| Value::Int(it.into());
    i16 => |it| Value::Int(it.into());
    i32 => |it| Value::Int(it.into());
    i64 => Value::Int;
    u8 => |it| Value::Int(it.into());
    u16 => |it| Value::Int(it.into());
    u32 => |it| Value::Int(it.into());
    f32 => |it| Value::Float(it.into());
    f64 => Value::Float;
    bool => Value::Bool;
    &str => |it| Value::Str(it.to_owned());
    String => Value::Str;
    &[u8] => |it| Value::Bytes(it.to_vec());
    Vec<u8> => Value::Bytes;
    Vec<Value> => Value::List;
    Vec<(Value, Value)> => Value::Map;
}

impl<const N: usize> sealed::Operand for [Value; N] {
    fn into_tree(self) -> Result<Tree, Fault> {
        Value::List(self.into()).into_tree()
    }
}

impl<const N: usize> sealed::Operand for &[u8; N] {
    fn into_tree(self) -> Result<Tree, Fault> {
        self.as_slice().into_tree()
    }
}
