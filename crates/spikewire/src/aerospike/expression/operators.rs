//! Operators on expressions.

use std::ops;

use spikewire_aerospike_protocol::expression::{Expression as Tree, Fault, Op, Type};

use super::operand::Operand;
use super::{Expression, Form};

impl Expression {
    fn joined(op: Op, left: impl Operand, right: impl Operand) -> Self {
        Self(Form::Tree(left.into_tree().and_then(|left| {
            let right = right.into_tree()?;
            let (left, right) = (left.clone().aligned(&right), right.aligned(&left));
            Tree::join(op, left, right)
        })))
    }

    /// `&`, `|` and `^` are logical on bools and bitwise on integers.
    fn bits_or(bits: Op, logic: Op, left: impl Operand, right: impl Operand) -> Self {
        Self(Form::Tree(left.into_tree().and_then(|left| {
            let right = right.into_tree()?;
            let ints = left.kind() == Some(Type::Int) || right.kind() == Some(Type::Int);
            Tree::join(if ints { bits } else { logic }, left, right)
        })))
    }

    fn alone(&self, op: Op) -> Self {
        Self::applied(op, [Expression::tree(self, false)])
    }

    /// An operator applied to operands.
    pub(super) fn applied(op: Op, operands: impl IntoIterator<Item = Result<Tree, Fault>>) -> Self {
        let operands: Result<Vec<_>, _> = operands.into_iter().collect();
        Self(Form::Tree(operands.and_then(|operands| Tree::apply(op, operands))))
    }
}

macro_rules! joining {
    ($($(#[doc = $doc:literal])* $name:ident $op:ident;)*) => {
        /// Comparisons, and functions without a Rust operator. These only build the expression,
        /// which the nodes evaluate.
        impl Expression {
            $($(#[doc = $doc])*
            #[must_use]
            pub fn $name(self, other: impl Operand) -> Self {
                Self::joined(Op::$op, self, other)
            })*
        }
    };
}

joining! {
    /// Whether both are equal.
    eq Eq;
    /// Whether they are not equal.
    ne Ne;
    /// Whether this is less.
    lt Lt;
    /// Whether this is less or equal.
    le Le;
    /// Whether this is greater.
    gt Gt;
    /// Whether this is greater or equal.
    ge Ge;
    /// Whether both are true.
    and And;
    /// Whether at least one is true.
    or Or;
    /// This float to the power of another.
    pow Pow;
    /// The logarithm of this float to a base.
    log Log;
    /// Logical shift right of an integer. (`>>` keeps the sign.)
    shift_right ShiftRight;
}

impl Expression {
    /// Whether a list contains this value.
    #[must_use]
    pub fn is_in(self, list: impl Operand) -> Self {
        Self::applied(Op::In, [self.tree(false), list.into_tree()])
    }

    /// Whether the string matches a POSIX extended regular expression.
    #[must_use]
    pub fn matches(self, pattern: &str) -> Self {
        Self(Form::Tree(self.tree(false).and_then(|it| Tree::regex(it, pattern, 1))))
    }

    /// The float truncated toward zero.
    #[must_use]
    pub fn to_int(self) -> Self {
        self.alone(Op::ToInt)
    }

    /// The integer converted to a float.
    #[must_use]
    pub fn to_float(self) -> Self {
        self.alone(Op::ToFloat)
    }

    /// The text of an integer, a float, a string, or of bytes in UTF-8; on servers from 8.2 on.
    #[must_use]
    pub fn to_text(self) -> Self {
        self.alone(Op::ToText)
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(self) -> Self {
        self.alone(Op::Abs)
    }

    /// The float rounded down.
    #[must_use]
    pub fn floor(self) -> Self {
        self.alone(Op::Floor)
    }

    /// The float rounded up.
    #[must_use]
    pub fn ceil(self) -> Self {
        self.alone(Op::Ceil)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:ident;)*) => {
        $(impl<T: Operand> ops::$trait<T> for Expression {
            type Output = Self;

            fn $method(self, other: T) -> Self {
                Self::joined(Op::$op, self, other)
            }
        })*
    };
}

operators! {
    Add add Add;
    Sub sub Sub;
    Mul mul Mul;
    Div div Div;
    Rem rem Mod;
    Shl shl ShiftLeft;
    Shr shr ShiftSigned;
}

impl<T: Operand> ops::BitAnd<T> for Expression {
    type Output = Self;

    fn bitand(self, other: T) -> Self {
        Self::bits_or(Op::IntAnd, Op::And, self, other)
    }
}

impl<T: Operand> ops::BitOr<T> for Expression {
    type Output = Self;

    fn bitor(self, other: T) -> Self {
        Self::bits_or(Op::IntOr, Op::Or, self, other)
    }
}

impl<T: Operand> ops::BitXor<T> for Expression {
    type Output = Self;

    fn bitxor(self, other: T) -> Self {
        Self::bits_or(Op::IntXor, Op::Exclusive, self, other)
    }
}

impl ops::Not for Expression {
    type Output = Self;

    fn not(self) -> Self {
        let int = self.tree(false).is_ok_and(|it| it.kind() == Some(Type::Int));
        self.alone(if int { Op::IntNot } else { Op::Not })
    }
}

impl ops::Neg for Expression {
    type Output = Self;

    fn neg(self) -> Self {
        self.alone(Op::Sub)
    }
}
