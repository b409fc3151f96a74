//! Options, references, lists, sets, maps and tuples.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;

use super::{SourceResult, shortened};
use crate::types::{Type, Udt};
use crate::value::{Accept, AcceptEntries, Duration, EncodeError, Presence, Source, Unfit};

/// Forwards every method.
macro_rules! forward {
    ($self:ident => $inner:expr) => {
        forward!(@all $self, $inner,
            boolean bool, integer i64, float f32, double f64, uuid [u8; 16], inet IpAddr,
            timestamp i64, date i64, time i64, duration Duration);
    };
    (@all $self:ident, $inner:expr, $($method:ident $out:ty),*) => {
        $(
            #[inline]
            fn $method(&$self) -> Result<$out, Unfit<Self::Error>> {
                $inner.$method()
            }
        )*

        #[inline]
        fn text(&$self, out: &mut Vec<u8>) -> Result<(), Unfit<Self::Error>> {
            $inner.text(out)
        }

        fn bytes(&$self, out: &mut Vec<u8>) -> Result<(), Unfit<Self::Error>> {
            $inner.bytes(out)
        }

        fn varint(&$self, out: &mut Vec<u8>) -> Result<(), Unfit<Self::Error>> {
            $inner.varint(out)
        }

        fn decimal(&$self, digits: &mut Vec<u8>) -> Result<i32, Unfit<Self::Error>> {
            $inner.decimal(digits)
        }

        fn items<A: Accept<Self::Error>>(
            &$self,
            ty: &Type,
            into: &mut A,
        ) -> Result<(), Unfit<Self::Error>> {
            $inner.items(ty, into)
        }

        fn entries<A: AcceptEntries<Self::Error>>(
            &$self,
            into: &mut A,
        ) -> Result<(), Unfit<Self::Error>> {
            $inner.entries(into)
        }

        fn field<A: Accept<Self::Error>>(
            &$self,
            index: usize,
            name: &str,
            into: &mut A,
        ) -> Result<(), Unfit<Self::Error>> {
            $inner.field(index, name, into)
        }

        fn unknown_field(&$self, udt: &Udt) -> Result<Option<String>, Unfit<Self::Error>> {
            $inner.unknown_field(udt)
        }
    };
}

macro_rules! pointers {
    ($($pointer:ty)*) => {
        $(impl<S: Source + ?Sized> Source for $pointer {
            type Error = S::Error;

            #[inline]
            fn presence(&self) -> Presence {
                (**self).presence()
            }

            fn describe(&self) -> String {
                (**self).describe()
            }

            forward!(self => (**self));
        })*
    };
}

pointers!(&S Box<S> Rc<S> Arc<S>);

impl<S: Source + ToOwned + ?Sized> Source for Cow<'_, S> {
    type Error = S::Error;

    fn presence(&self) -> Presence {
        (**self).presence()
    }

    fn describe(&self) -> String {
        (**self).describe()
    }

    forward!(self => (**self));
}

/// `None` is null.
impl<S: Source> Source for Option<S> {
    type Error = S::Error;

    #[inline]
    fn presence(&self) -> Presence {
        self.as_ref().map_or(Presence::Null, Source::presence)
    }

    fn describe(&self) -> String {
        self.as_ref().map_or_else(|| "null".to_owned(), Source::describe)
    }

    forward!(self => self.as_ref().ok_or(Unfit::Kind)?);
}

macro_rules! sequences {
    ($([$($generics:tt)*] $sequence:ty)*) => {
        $(impl<$($generics)*> Source for $sequence {
            type Error = EncodeError;

            fn presence(&self) -> Presence {
                Presence::Value
            }

            fn describe(&self) -> String {
                listed("[", self.iter().map(Source::describe), "]")
            }

            fn items<A: Accept<EncodeError>>(&self, _: &Type, into: &mut A) -> SourceResult {
                self.iter().try_for_each(|item| into.item(item))
            }
        })*
    };
}

sequences! {
    [S: Source<Error = EncodeError>] [S]
    [S: Source<Error = EncodeError>] Vec<S>
    [S: Source<Error = EncodeError>] VecDeque<S>
    [S: Source<Error = EncodeError>, const N: usize] [S; N]
    [S: Source<Error = EncodeError>, H] HashSet<S, H>
    [S: Source<Error = EncodeError>] BTreeSet<S>
}

macro_rules! maps {
    ($([$($generics:tt)*] $map:ty)*) => {
        $(impl<K, V, $($generics)*> Source for $map
        where
            K: Source<Error = EncodeError>,
            V: Source<Error = EncodeError>,
        {
            type Error = EncodeError;

            fn presence(&self) -> Presence {
                Presence::Value
            }

            fn describe(&self) -> String {
                let entry = |(key, value): (&K, &V)| {
                    format!("{}: {}", key.describe(), value.describe())
                };
                listed("{", self.iter().map(entry), "}")
            }

            fn entries<A: AcceptEntries<EncodeError>>(&self, into: &mut A) -> SourceResult {
                self.iter().try_for_each(|(key, value)| into.entry(key, value))
            }
        })*
    };
}

maps! {
    [H] HashMap<K, V, H>
    [] BTreeMap<K, V>
}

macro_rules! tuples {
    ($(($($part:ident $at:tt)+))*) => {
        $(impl<$($part),+> Source for ($($part,)+)
        where
            $($part: Source<Error = EncodeError>),+
        {
            type Error = EncodeError;

            fn presence(&self) -> Presence {
                Presence::Value
            }

            fn describe(&self) -> String {
                listed("(", [$(self.$at.describe()),+].into_iter(), ")")
            }

            /// Only for tuples: a list has elements of one type, and so does `Vec`.
            fn items<Z: Accept<EncodeError>>(&self, ty: &Type, into: &mut Z) -> SourceResult {
                if !matches!(ty, Type::Tuple(_)) {
                    return Err(Unfit::Kind);
                }
                $(into.item(&self.$at)?;)+
                Ok(())
            }
        })*
    };
}

tuples! {
    (A 0)
    (A 0 B 1)
    (A 0 B 1 C 2)
    (A 0 B 1 C 2 D 3)
    (A 0 B 1 C 2 D 3 E 4)
    (A 0 B 1 C 2 D 3 E 4 F 5)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7)
}

fn listed(open: &str, parts: impl Iterator<Item = String>, close: &str) -> String {
    let mut parts: Vec<String> = parts.take(20).collect();
    if parts.len() == 20 {
        parts.truncate(19);
        parts.push("…".to_owned());
    }
    shortened(format!("{open}{}{close}", parts.join(", ")))
}
