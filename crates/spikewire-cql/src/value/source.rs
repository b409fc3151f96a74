//! A host's value, as something to send.

use std::borrow::Cow;
use std::net::IpAddr;

use super::misfit::{Misfit, Problem, Step};
use super::vint::Duration;
use crate::types::{Type, Udt};

/// Whether there is a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// There is one.
    Value,
    /// There is none: a column loses what it holds.
    Null,
    /// It is not set: a column keeps what it holds.
    Unset,
    /// A value of no bytes, which some types have beside their usual ones.
    Empty,
}

/// Why a host's value did not give what its type needs. The traversal adds the type and the place.
#[derive(Debug)]
pub enum Unfit<E> {
    /// The value is of another kind.
    Kind,
    /// The type cannot hold it.
    Range,
    /// Something else, in words.
    Invalid(Cow<'static, str>),
    /// Something inside of it is wrong.
    Misfit(Box<Misfit>),
    /// The host itself failed.
    Host(E),
}

impl<E> From<E> for Unfit<E> {
    fn from(error: E) -> Self {
        Self::Host(error)
    }
}

impl<E> Unfit<E> {
    /// With the type, and with the value in words.
    #[cold]
    pub(super) fn of(self, ty: &Type, describe: impl FnOnce() -> String) -> Self {
        let problem = match self {
            Self::Kind => Problem::Kind { value: describe() },
            Self::Range => Problem::Range { value: describe() },
            Self::Invalid(why) => Problem::Invalid(why),
            known => return known,
        };
        Self::misfit(ty, problem)
    }

    #[cold]
    pub(super) fn misfit(ty: &Type, problem: Problem) -> Self {
        Self::Misfit(Box::new(Misfit::new(ty.clone(), problem)))
    }

    /// Seen from outside of the thing that it is in.
    #[cold]
    pub(super) fn within(self, step: impl FnOnce() -> Step) -> Self {
        match self {
            Self::Misfit(misfit) => Self::Misfit(Box::new(misfit.within(step()))),
            other => other,
        }
    }
}

/// What a traversal takes the elements of a value with: each is encoded as it is handed over.
pub trait Accept<E> {
    /// Takes the next element. An error is to be handed on.
    fn item<S: Source<Error = E> + ?Sized>(&mut self, item: &S) -> Result<(), Unfit<E>>;
}

/// What a traversal takes the entries of a map with.
pub trait AcceptEntries<E> {
    /// Takes the next entry. An error is to be handed on.
    fn entry<K, V>(&mut self, key: &K, value: &V) -> Result<(), Unfit<E>>
    where
        K: Source<Error = E> + ?Sized,
        V: Source<Error = E> + ?Sized;
}

/// A host's value. The traversal asks for what the type needs; a value that is of another kind says
/// [`Unfit::Kind`], which is what every method does that is not implemented.
pub trait Source {
    /// The host's error.
    type Error: From<Misfit>;

    /// Whether there is a value.
    fn presence(&self) -> Presence;

    /// The value in a few words, for errors: `'abc' (str)`.
    fn describe(&self) -> String;

    /// True or false.
    fn boolean(&self) -> Result<bool, Unfit<Self::Error>> {
        Err(Unfit::Kind)
    }

    /// An integer; [`Unfit::Range`] for one that takes more bits. Ranges of narrower types are
    /// checked by the traversal.
    fn integer(&self) -> Result<i64, Unfit<Self::Error>> {
        Err(Unfit::Kind)
    }

    /// A number for a `float`.
    fn float(&self) -> Result<f32, Unfit<Self::Error>> {
        Err(Unfit::Kind)
    }

    /// A number for a `double`.
    fn double(&self) -> Result<f64, Unfit<Self::Error>> {
        Err(Unfit::Kind)
    }

    /// Appends text in UTF-8.
    fn text(&self, out: &mut Vec<u8>) -> Result<(), Unfit<Self::Error>> {
        let _ = out;
        Err(Unfit::Kind)
    }

    /// Appends bytes, for `blob` and for classes that have no spelling in CQL.
    fn bytes(&self, out: &mut Vec<u8>) -> Result<(), Unfit<Self::Error>> {
        let _ = out;
        Err(Unfit::Kind)
    }

    /// Appends an integer of any size: two's complement, big-endian. More bytes than it takes do no
    /// harm; none at all stand for 0.
    fn varint(&self, out: &mut Vec<u8>) -> Result<(), Unfit<Self::Error>> {
        let _ = out;
        Err(Unfit::Kind)
    }

    /// Appends the digits of a decimal number as [`Source::varint`] does and returns its scale: the
    /// number is digits × 10^-scale.
    fn decimal(&self, digits: &mut Vec<u8>) -> Result<i32, Unfit<Self::Error>> {
        let _ = digits;
        Err(Unfit::Kind)
    }

    /// A UUID.
    fn uuid(&self) -> Result<[u8; 16], Unfit<Self::Error>> {
        Err(Unfit::Kind)
    }

    /// An IP address.
    fn inet(&self) -> Result<IpAddr, Unfit<Self::Error>> {
        Err(Unfit::Kind)
    }

    /// Milliseconds since the beginning of 1970.
    fn timestamp(&self) -> Result<i64, Unfit<Self::Error>> {
        Err(Unfit::Kind)
    }

    /// Days since 1970-01-01.
    fn date(&self) -> Result<i64, Unfit<Self::Error>> {
        Err(Unfit::Kind)
    }

    /// Nanoseconds since midnight.
    fn time(&self) -> Result<i64, Unfit<Self::Error>> {
        Err(Unfit::Kind)
    }

    /// A duration.
    fn duration(&self) -> Result<Duration, Unfit<Self::Error>> {
        Err(Unfit::Kind)
    }

    /// Hands over the elements of a list, a set, a vector or a tuple; which of them says `ty`.
    fn items<A: Accept<Self::Error>>(
        &self,
        ty: &Type,
        into: &mut A,
    ) -> Result<(), Unfit<Self::Error>> {
        let _ = (ty, into);
        Err(Unfit::Kind)
    }

    /// Hands over the entries of a map.
    fn entries<A: AcceptEntries<Self::Error>>(
        &self,
        into: &mut A,
    ) -> Result<(), Unfit<Self::Error>> {
        let _ = into;
        Err(Unfit::Kind)
    }

    /// Hands over the field of a user-defined type with this name and index; nothing where there is
    /// no such field, which then is null. Asked for each field in order.
    fn field<A: Accept<Self::Error>>(
        &self,
        index: usize,
        name: &str,
        into: &mut A,
    ) -> Result<(), Unfit<Self::Error>> {
        let _ = (index, name, into);
        Err(Unfit::Kind)
    }

    /// A field that is here and not in the type. Asked before the fields.
    fn unknown_field(&self, udt: &Udt) -> Result<Option<String>, Unfit<Self::Error>> {
        let _ = udt;
        Ok(None)
    }
}
