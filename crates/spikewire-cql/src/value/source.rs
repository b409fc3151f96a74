//! A host's value to be sent.

use std::borrow::Cow;
use std::net::IpAddr;

use super::encode_error::{EncodeError, Problem, Step};
use super::vint::Duration;
use crate::types::{Type, Udt};

/// Whether there is a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// There is one.
    Value,
    /// There is none: the column is cleared.
    Null,
    /// It is not set: the column is left unchanged.
    Unset,
    /// The empty value of types that have one in addition to their usual values.
    Empty,
}

/// Why a host's value does not fit its type. The traversal adds the type and the place.
#[derive(Debug)]
pub enum Unfit<E> {
    /// The value is of the wrong kind.
    Kind,
    /// The type cannot hold it.
    Range,
    /// Something else, in words.
    Invalid(Cow<'static, str>),
    /// Something within it is wrong.
    Encode(Box<EncodeError>),
    /// The host itself failed.
    Host(E),
}

impl<E> From<E> for Unfit<E> {
    fn from(error: E) -> Self {
        Self::Host(error)
    }
}

impl<E> Unfit<E> {
    /// Adds the type, and a description of the value.
    #[cold]
    pub(super) fn of(self, ty: &Type, describe: impl FnOnce() -> String) -> Self {
        let problem = match self {
            Self::Kind => Problem::Kind { value: describe() },
            Self::Range => Problem::Range { value: describe() },
            Self::Invalid(why) => Problem::Invalid(why),
            known => return known,
        };
        Self::encode_error(ty, problem)
    }

    #[cold]
    pub(super) fn encode_error(ty: &Type, problem: Problem) -> Self {
        Self::Encode(Box::new(EncodeError::new(ty.clone(), problem)))
    }

    /// The same as seen from the enclosing value.
    #[cold]
    pub(super) fn within(self, step: impl FnOnce() -> Step) -> Self {
        match self {
            Self::Encode(error) => Self::Encode(Box::new(error.within(step()))),
            other => other,
        }
    }
}

/// A number as a `float`: rounded, but not to infinity.
#[inline]
pub fn single<E>(double: f64) -> Result<f32, Unfit<E>> {
    let float = double as f32;
    if float.is_infinite() && double.is_finite() { Err(Unfit::Range) } else { Ok(float) }
}

/// Accepts the elements of a value; each is encoded at once.
pub trait Accept<E> {
    /// Accepts the next element. Errors must be propagated.
    fn item<S: Source<Error = E> + ?Sized>(&mut self, item: &S) -> Result<(), Unfit<E>>;

    /// The components of a tuple that are left are not sent; otherwise they are null.
    fn leave_rest(&mut self) {}
}

/// Accepts the entries of a map.
pub trait AcceptEntries<E> {
    /// Accepts the next entry. Errors must be propagated.
    fn entry<K, V>(&mut self, key: &K, value: &V) -> Result<(), Unfit<E>>
    where
        K: Source<Error = E> + ?Sized,
        V: Source<Error = E> + ?Sized;
}

/// A host's value. The traversal calls the method for what the type needs; values of another kind
/// return [`Unfit::Kind`], which is the default for every method.
pub trait Source {
    /// The host's error.
    type Error: From<EncodeError>;

    /// Whether there is a value.
    fn presence(&self) -> Presence;

    /// A short description of the value, for errors: `'abc' (str)`.
    fn describe(&self) -> String;

    /// True or false.
    fn boolean(&self) -> Result<bool, Unfit<Self::Error>> {
        Err(Unfit::Kind)
    }

    /// An integer; [`Unfit::Range`] if it has more bits. The traversal checks the ranges of
    /// narrower types.
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

    /// Appends UTF-8 text.
    fn text(&self, out: &mut Vec<u8>) -> Result<(), Unfit<Self::Error>> {
        let _ = out;
        Err(Unfit::Kind)
    }

    /// Appends bytes, for `blob` and for classes without a CQL spelling.
    fn bytes(&self, out: &mut Vec<u8>) -> Result<(), Unfit<Self::Error>> {
        let _ = out;
        Err(Unfit::Kind)
    }

    /// Appends an arbitrary-precision integer: two's complement, big-endian. Redundant bytes are
    /// allowed; no bytes mean 0.
    fn varint(&self, out: &mut Vec<u8>) -> Result<(), Unfit<Self::Error>> {
        let _ = out;
        Err(Unfit::Kind)
    }

    /// Appends the digits of a decimal number as [`Source::varint`] does, and returns its scale:
    /// the number is digits × 10^-scale.
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

    /// Passes on the elements of a list, set, vector or tuple, depending on `ty`.
    fn items<A: Accept<Self::Error>>(
        &self,
        ty: &Type,
        into: &mut A,
    ) -> Result<(), Unfit<Self::Error>> {
        let _ = (ty, into);
        Err(Unfit::Kind)
    }

    /// Passes on the entries of a map.
    fn entries<A: AcceptEntries<Self::Error>>(
        &self,
        into: &mut A,
    ) -> Result<(), Unfit<Self::Error>> {
        let _ = into;
        Err(Unfit::Kind)
    }

    /// Passes on the field of a user-defined type with this name and index, or nothing if the value
    /// lacks it, which makes it null. Called for each field in order.
    fn field<A: Accept<Self::Error>>(
        &self,
        index: usize,
        name: &str,
        into: &mut A,
    ) -> Result<(), Unfit<Self::Error>> {
        let _ = (index, name, into);
        Err(Unfit::Kind)
    }

    /// A field of the value that the type lacks. Called before the fields.
    fn unknown_field(&self, udt: &Udt) -> Result<Option<String>, Unfit<Self::Error>> {
        let _ = udt;
        Ok(None)
    }
}
