//! What list, map, bit and sketch operations may be told besides their arguments: the same for
//! steps of `operate` and for parts of an expression.

use super::call::{Argument, Call};
use super::{Operation, Order, Overflow, Returning};
use crate::Error;
use crate::ctx::Step;

/// Writes the options as methods of `$class`, whose `change` sets them in a call with values of
/// `$value`.
macro_rules! options {
    ($class:ident, $value:ty) => {
        /// Options of the operations on lists, maps, bits and sketches; each operation names those
        /// that it takes. Another one fails with [`Kind::Invalid`](crate::Kind::Invalid) when it is
        /// used.
        impl $class {
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

            /// The path to a nested list or map.
            #[must_use]
            pub fn ctx(self, path: impl IntoIterator<Item = Step>) -> Self {
                self.change("ctx", |call| call.path = path.into_iter().collect())
            }

            /// The order of a list or map that has to be created.
            #[must_use]
            pub fn order(self, order: Order) -> Self {
                self.option("order", Argument::Word(order.word()))
            }

            /// Keeps an index with a list or map at the top of a bin: faster in large ones.
            #[must_use]
            pub fn persist_index(self) -> Self {
                self.flag("persist_index")
            }

            /// Refuses values that are there already (`ELEMENT_EXISTS`).
            #[must_use]
            pub fn unique(self) -> Self {
                self.flag("unique")
            }

            /// Refuses an index beyond the end, which would fill the gap with nil.
            #[must_use]
            pub fn bounded(self) -> Self {
                self.flag("bounded")
            }

            /// Refuses what is there already: keys of a map, bytes, a sketch.
            #[must_use]
            pub fn create_only(self) -> Self {
                self.flag("create_only")
            }

            /// Refuses to make what is not there: keys of a map, bytes, a sketch.
            #[must_use]
            pub fn update_only(self) -> Self {
                self.flag("update_only")
            }

            /// Does nothing instead of failing.
            #[must_use]
            pub fn no_fail(self) -> Self {
                self.flag("no_fail")
            }

            /// With [`no_fail`](Self::no_fail), applies the values or entries that are not refused. On
            /// bits: stops at the end of the bytes instead of failing.
            #[must_use]
            pub fn partial(self) -> Self {
                self.flag("partial")
            }

            /// Sorts the largest element first.
            #[must_use]
            pub fn descending(self) -> Self {
                self.flag("descending")
            }

            /// Keeps one of several equal elements.
            #[must_use]
            pub fn drop_duplicates(self) -> Self {
                self.flag("drop_duplicates")
            }

            /// Resizes at the front instead of the end.
            #[must_use]
            pub fn from_front(self) -> Self {
                self.flag("from_front")
            }

            /// Refuses a smaller size.
            #[must_use]
            pub fn grow_only(self) -> Self {
                self.flag("grow_only")
            }

            /// Refuses a larger size.
            #[must_use]
            pub fn shrink_only(self) -> Self {
                self.flag("shrink_only")
            }

            /// The integer that the bits are has a sign.
            #[must_use]
            pub fn signed(self) -> Self {
                self.flag("signed")
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

            /// Lets a union make the sketch less precise.
            #[must_use]
            pub fn allow_fold(self) -> Self {
                self.flag("allow_fold")
            }

            fn flag(self, name: &'static str) -> Self {
                self.option(name, Argument::Flag(true))
            }

            fn option(self, name: &'static str, argument: Argument<$value>) -> Self {
                self.change(name, |call| call.set(name, argument))
            }
        }
    };
}

pub(crate) use options;

options!(Operation, Vec<u8>);

impl Operation {
    /// Fills the list that the path ends in with nil up to the index.
    #[must_use]
    pub fn pad(self) -> Self {
        self.change("pad", |call| call.pad = true)
    }

    fn change(mut self, name: &'static str, change: impl FnOnce(&mut Call<Vec<u8>>)) -> Self {
        if let Some(mut call) = self.call.take() {
            change(&mut call);
            return Self::called(self.bin.unwrap_or_default(), *call);
        }
        let fault = format!("the operation takes no {name}");
        self.value = self.value.and_then(|_| Err(Error::invalid(fault)));
        self
    }
}
