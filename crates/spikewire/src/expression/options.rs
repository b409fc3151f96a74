//! What list, map, bit and sketch operations inside expressions may be told besides their
//! arguments.

use spikewire_protocol::expression::{Expression as Tree, Fault, Type};

use super::call::Called;
use super::{Expression, Form};
use crate::ctx::Step;
use crate::operation::call::{Argument, no_option};
use crate::operation::{Order, Overflow, Returning};

/// Options of the operations in [`exp::list`](crate::exp::list), [`map`](crate::exp::map),
/// [`bit`](crate::exp::bit) and [`hll`](crate::exp::hll); each names those that it takes. Another
/// one fails with [`Kind::Invalid`](crate::Kind::Invalid) when the expression is used.
impl Expression {
    /// What to give of the chosen elements or entries.
    #[must_use]
    pub fn returning(self, returning: Returning) -> Self {
        self.option("returning", Argument::Word(returning.word()))
    }

    /// All elements or entries but the chosen ones.
    #[must_use]
    pub fn inverted(self) -> Self {
        self.flag("inverted")
    }

    /// The type of the element that is read, where its use does not tell.
    #[must_use]
    pub fn of_type(self, kind: Type) -> Self {
        self.change("of_type", |called| called.kind = Some(kind))
    }

    /// The path to a nested list or map.
    #[must_use]
    pub fn ctx(self, path: impl IntoIterator<Item = Step>) -> Self {
        self.change("ctx", |called| called.call.path = path.into_iter().collect())
    }

    /// The order of a list or map that has to be created.
    #[must_use]
    pub fn order(self, order: Order) -> Self {
        self.option("order", Argument::Word(order.word()))
    }

    /// What happens to a result that does not fit its bits.
    #[must_use]
    pub fn overflow(self, overflow: Overflow) -> Self {
        self.option("overflow", Argument::Word(overflow.word()))
    }

    /// The precision of a sketch that has to be made, from 4 to 16.
    #[must_use]
    pub fn index_bits(self, bits: u8) -> Self {
        self.option("index_bits", Argument::Number(i64::from(bits)))
    }

    /// Bits for similarities of a sketch that has to be made: 0, or from 4 to 51.
    #[must_use]
    pub fn minhash_bits(self, bits: u8) -> Self {
        self.option("minhash_bits", Argument::Number(i64::from(bits)))
    }

    fn flag(self, name: &'static str) -> Self {
        self.option(name, Argument::Flag(true))
    }

    fn option(self, name: &'static str, argument: Argument<Tree>) -> Self {
        self.change(name, |called| called.call.set(name, argument))
    }

    fn change(self, name: &'static str, change: impl FnOnce(&mut Called)) -> Self {
        match self.0 {
            Form::Call(mut called) => {
                change(&mut called);
                Self(Form::Call(called))
            }
            Form::Tree(Err(fault)) => Self(Form::Tree(Err(fault))),
            _ => {
                let fault: Fault = no_option("the expression", name);
                Self(Form::Tree(Err(fault)))
            }
        }
    }
}

macro_rules! flags {
    ($($(#[doc = $doc:literal])* $name:ident;)*) => {
        /// Flags of the same operations.
        impl Expression {
            $($(#[doc = $doc])*
            #[must_use]
            pub fn $name(self) -> Self {
                self.flag(stringify!($name))
            })*
        }
    };
}

flags! {
    /// Keeps an index with a list or map.
    persist_index;
    /// Refuses values that are there already.
    unique;
    /// Refuses an index beyond the end.
    bounded;
    /// Refuses what is there already.
    create_only;
    /// Refuses to make what is not there.
    update_only;
    /// Does nothing instead of failing.
    no_fail;
    /// Applies what is not refused.
    partial;
    /// Sorts the largest element first.
    descending;
    /// Keeps one of several equal elements.
    drop_duplicates;
    /// Resizes at the front instead of the end.
    from_front;
    /// Refuses a smaller size.
    grow_only;
    /// Refuses a larger size.
    shrink_only;
    /// The integer that the bits are has a sign.
    signed;
    /// Lets a union make the sketch less precise.
    allow_fold;
}
