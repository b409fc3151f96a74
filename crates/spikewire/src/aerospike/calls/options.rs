//! Options of list, map, bit and sketch operations, for `operate` and for expressions.

/// Defines the options as methods of `$class`, whose `change` sets them in a call with values of
/// `$value`, or whose `change_path` in a path operation.
macro_rules! options {
    ($class:ident, $value:ty) => {
        /// Options of the operations on lists, maps, bits and sketches; the documentation of each
        /// operation lists those it supports. Others fail with
        /// [`Kind::Invalid`](crate::Kind::Invalid) when the operation is used.
        impl $class {
            /// What to return of the selected elements or entries.
            #[must_use]
            pub fn returning(self, returning: Returning) -> Self {
                self.option("returning", Argument::Word(returning.word()))
            }

            /// Selects all other elements or entries instead.
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

            /// Stores an index with a list or map at the top level of a bin, which makes large ones
            /// faster.
            #[must_use]
            pub fn persist_index(self) -> Self {
                self.flag("persist_index")
            }

            /// Rejects values that are already in the list (`ELEMENT_EXISTS`).
            #[must_use]
            pub fn unique(self) -> Self {
                self.flag("unique")
            }

            /// Rejects an index beyond the end, which would otherwise pad the gap with nil.
            #[must_use]
            pub fn bounded(self) -> Self {
                self.flag("bounded")
            }

            /// Fails if the target exists: keys of a map, bytes, a sketch.
            #[must_use]
            pub fn create_only(self) -> Self {
                self.flag("create_only")
            }

            /// Fails if the target does not exist: keys of a map, bytes, a sketch.
            #[must_use]
            pub fn update_only(self) -> Self {
                self.flag("update_only")
            }

            /// Does nothing instead of failing.
            #[must_use]
            pub fn no_fail(self) -> Self {
                self.flag("no_fail")
            }

            /// With [`no_fail`](Self::no_fail), applies the values or entries that are not
            /// rejected. On bits: stops at the end of the bytes instead of failing.
            #[must_use]
            pub fn partial(self) -> Self {
                self.flag("partial")
            }

            /// Sorts in descending order.
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

            /// Rejects a smaller size.
            #[must_use]
            pub fn grow_only(self) -> Self {
                self.flag("grow_only")
            }

            /// Rejects a larger size.
            #[must_use]
            pub fn shrink_only(self) -> Self {
                self.flag("shrink_only")
            }

            /// Treats the integer as signed.
            #[must_use]
            pub fn signed(self) -> Self {
                self.flag("signed")
            }

            /// What to do if the result does not fit its bits.
            #[must_use]
            pub fn overflow(self, overflow: Overflow) -> Self {
                self.option("overflow", Argument::Word(overflow.word()))
            }

            /// The precision of a sketch that has to be created, from 4 to 16.
            #[must_use]
            pub fn index_bits(self, bits: u8) -> Self {
                self.option("index_bits", Argument::Number(i64::from(bits)))
            }

            /// The minhash bits of a sketch that has to be created, for similarities: 0, or from 4
            /// to 51.
            #[must_use]
            pub fn minhash_bits(self, bits: u8) -> Self {
                self.option("minhash_bits", Argument::Number(i64::from(bits)))
            }

            /// Allows a union to make the sketch less precise.
            #[must_use]
            pub fn allow_fold(self) -> Self {
                self.flag("allow_fold")
            }

            /// In a regular expression, case does not matter.
            #[must_use]
            pub fn ignore_case(self) -> Self {
                self.flag("ignore_case")
            }

            /// In a regular expression, `^` and `$` match at the ends of lines, too.
            #[must_use]
            pub fn multiline(self) -> Self {
                self.flag("multiline")
            }

            /// In a regular expression, `.` matches the ends of lines, too.
            #[must_use]
            pub fn dot_all(self) -> Self {
                self.flag("dot_all")
            }

            /// In a regular expression, only `\n` ends a line.
            #[must_use]
            pub fn unix_lines(self) -> Self {
                self.flag("unix_lines")
            }

            /// Replaces every match instead of the first.
            #[must_use]
            pub fn every(self) -> Self {
                self.flag("every")
            }

            /// The size of what is read as base64 counts from the end: that many bytes are left
            /// out there.
            #[must_use]
            pub fn from_end(self) -> Self {
                self.flag("from_end")
            }

            fn flag(self, name: &'static str) -> Self {
                self.option(name, Argument::Flag(true))
            }

            fn option(self, name: &'static str, argument: Argument<$value>) -> Self {
                self.change_path(name, &argument)
                    .unwrap_or_else(|own| own.change(name, |call| call.set(name, argument)))
            }
        }
    };
}

pub(crate) use options;
