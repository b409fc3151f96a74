//! Types as which columns can be read.

use std::marker::PhantomData;
use std::net::IpAddr;

use spikewire_cql::types::{Type, Udt};
use spikewire_cql::value::{Duration, Elements, MapEntries, Sink, decode};

use super::unreadable::Unreadable;

/// The result of reading a value.
pub(super) type ReadResult<T> = Result<T, Unreadable>;

/// A type as which a column can be read.
///
/// | Rust | CQL |
/// |---|---|
/// | `i8`, `i16`, `i32`, `i64` | the integer of this size and smaller ones; `i64` reads `counter` |
/// | `i128` | every integer; a `varint` that has no more bits |
/// | `f32`, `f64` | `float`; `f64` reads `double`, too |
/// | `bool` | `boolean` |
/// | `String` | `text`, `ascii` |
/// | `Vec<u8>`, `[u8; N]` | `blob`, and types that have no spelling in CQL |
/// | [`Uuid`](crate::cql::Uuid), `[u8; 16]` | `uuid`, `timeuuid` |
/// | `IpAddr` | `inet` |
/// | [`Timestamp`](crate::cql::Timestamp), [`Date`](crate::cql::Date), [`Time`](crate::cql::Time), [`Duration`] | the types of these names |
/// | [`Varint`](crate::cql::Varint), [`Decimal`](crate::cql::Decimal) | the types of these names, of any size |
/// | `Vec<T>`, `[T; N]`, `HashSet<T>`, `BTreeSet<T>` | `list`, `set`, `vector` |
/// | `HashMap<K, V>`, `BTreeMap<K, V>` | `map` |
/// | tuples | tuples of as many components |
/// | `Option<T>` | what `T` reads; null is `None` |
/// | [`Value`](crate::cql::Value) | anything, user-defined types included |
///
/// Reading a column as an unsuitable type is an error that names the column and its type; so is
/// null without an `Option`. Values are never rounded or truncated.
///
/// Your own types implement the methods for the CQL types that they support; the others return an
/// error. Related CQL types are read by the same method unless you implement their own: `ascii` as
/// text, `timeuuid` as a UUID, a smaller integer as the next larger one.
///
/// ```
/// use spikewire::cql::{FromValue, Unreadable};
///
/// struct Email(String);
///
/// impl FromValue for Email {
///     fn text(value: &str) -> Result<Self, Unreadable> {
///         match value.contains('@') {
///             true => Ok(Self(value.to_owned())),
///             false => Err(Unreadable::Invalid("no e-mail address".into())),
///         }
///     }
/// }
/// ```
#[expect(unused_variables, reason = "names of arguments are documentation here")]
pub trait FromValue: Sized {
    /// From null.
    fn null() -> Result<Self, Unreadable> {
        Err(Unreadable::Null)
    }
    /// From an empty value of a type that has no empty values. By default the same as from null.
    fn empty(ty: &Type) -> Result<Self, Unreadable> {
        Self::null()
    }
    /// From a `boolean`.
    fn boolean(value: bool) -> Result<Self, Unreadable> {
        Err(Unreadable::Kind)
    }
    /// From a `tinyint`.
    fn tinyint(value: i8) -> Result<Self, Unreadable> {
        Self::smallint(value.into())
    }
    /// From a `smallint`.
    fn smallint(value: i16) -> Result<Self, Unreadable> {
        Self::int(value.into())
    }
    /// From an `int`.
    fn int(value: i32) -> Result<Self, Unreadable> {
        Self::bigint(value.into())
    }
    /// From a `bigint`.
    fn bigint(value: i64) -> Result<Self, Unreadable> {
        Err(Unreadable::Kind)
    }
    /// From a `counter`.
    fn counter(value: i64) -> Result<Self, Unreadable> {
        Self::bigint(value)
    }
    /// From a `float`.
    fn float(value: f32) -> Result<Self, Unreadable> {
        Self::double(value.into())
    }
    /// From a `double`.
    fn double(value: f64) -> Result<Self, Unreadable> {
        Err(Unreadable::Kind)
    }
    /// From a `text`.
    fn text(value: &str) -> Result<Self, Unreadable> {
        Err(Unreadable::Kind)
    }
    /// From an `ascii`.
    fn ascii(value: &str) -> Result<Self, Unreadable> {
        Self::text(value)
    }
    /// From a `blob`.
    fn blob(value: &[u8]) -> Result<Self, Unreadable> {
        Err(Unreadable::Kind)
    }
    /// From a `varint`: two's complement, big-endian.
    fn varint(value: &[u8]) -> Result<Self, Unreadable> {
        Err(Unreadable::Kind)
    }
    /// From a `decimal`: digits × 10^-scale. The digits are encoded as in [`FromValue::varint`].
    fn decimal(scale: i32, digits: &[u8]) -> Result<Self, Unreadable> {
        Err(Unreadable::Kind)
    }
    /// From a `uuid`.
    fn uuid(value: [u8; 16]) -> Result<Self, Unreadable> {
        Err(Unreadable::Kind)
    }
    /// From a `timeuuid`.
    fn timeuuid(value: [u8; 16]) -> Result<Self, Unreadable> {
        Self::uuid(value)
    }
    /// From an `inet`.
    fn inet(value: IpAddr) -> Result<Self, Unreadable> {
        Err(Unreadable::Kind)
    }
    /// From a `timestamp`: milliseconds since 1970.
    fn timestamp(milliseconds: i64) -> Result<Self, Unreadable> {
        Err(Unreadable::Kind)
    }
    /// From a `date`: days since 1970-01-01.
    fn date(days: i32) -> Result<Self, Unreadable> {
        Err(Unreadable::Kind)
    }
    /// From a `time`: nanoseconds since midnight.
    fn time(nanoseconds: i64) -> Result<Self, Unreadable> {
        Err(Unreadable::Kind)
    }
    /// From a `duration`.
    fn duration(value: Duration) -> Result<Self, Unreadable> {
        Err(Unreadable::Kind)
    }
    /// From a value of a class without a CQL type.
    fn custom(class: &str, value: &[u8]) -> Result<Self, Unreadable> {
        Self::blob(value)
    }
    /// From a `list`. The elements are read with [`Elements::next_by`] and [`As`].
    fn list<S, I: Elements<S, Unreadable>>(items: &mut I) -> Result<Self, Unreadable> {
        Err(Unreadable::Kind)
    }
    /// From a `set`, in the server's order.
    fn set<S, I: Elements<S, Unreadable>>(items: &mut I) -> Result<Self, Unreadable> {
        Self::list(items)
    }
    /// From a `vector`.
    fn vector<S, I: Elements<S, Unreadable>>(items: &mut I) -> Result<Self, Unreadable> {
        Self::list(items)
    }
    /// From a `map`, in the server's order.
    fn map<S, I: MapEntries<S, Unreadable>>(entries: &mut I) -> Result<Self, Unreadable> {
        Err(Unreadable::Kind)
    }
    /// From a tuple.
    fn tuple<S, I: Elements<S, Unreadable>>(components: &mut I) -> Result<Self, Unreadable> {
        Err(Unreadable::Kind)
    }
    /// From a user-defined type: the values of its fields, in their order.
    fn udt<S, I: Elements<S, Unreadable>>(udt: &Udt, fields: &mut I) -> Result<Self, Unreadable> {
        Err(Unreadable::Kind)
    }
}

/// Reads a cell.
#[inline]
pub(crate) fn read<T: FromValue>(ty: &Type, cell: Option<&[u8]>) -> ReadResult<T> {
    decode(ty, cell, &As::<T>::VALUE)
}

/// Reads values as `T`s: the sink for a [`FromValue`].
#[derive(Debug, Clone, Copy)]
pub struct As<T>(PhantomData<fn() -> T>);

impl<T> As<T> {
    /// The only value.
    pub const VALUE: Self = Self(PhantomData);
}

macro_rules! scalars {
    ($($method:ident($($argument:ident: $ty:ty),*))*) => {
        $(
            #[inline]
            fn $method(&self, $($argument: $ty),*) -> ReadResult<T> {
                T::$method($($argument),*)
            }
        )*
    };
}

impl<T: FromValue> Sink for As<T> {
    type Value = T;
    type Error = Unreadable;

    scalars! {
        null() empty(ty: &Type) boolean(value: bool) tinyint(value: i8) smallint(value: i16)
        int(value: i32) bigint(value: i64) counter(value: i64) float(value: f32)
        double(value: f64) text(value: &str) ascii(value: &str) blob(value: &[u8])
        varint(value: &[u8]) decimal(scale: i32, digits: &[u8]) uuid(value: [u8; 16])
        timeuuid(value: [u8; 16]) inet(value: IpAddr) timestamp(milliseconds: i64)
        date(days: i32) time(nanoseconds: i64) duration(value: Duration)
        custom(class: &str, value: &[u8])
    }

    fn list<I: Elements<T, Unreadable>>(&self, _: &Type, items: &mut I) -> ReadResult<T> {
        T::list(items)
    }

    fn set<I: Elements<T, Unreadable>>(&self, _: &Type, items: &mut I) -> ReadResult<T> {
        T::set(items)
    }

    fn vector<I: Elements<T, Unreadable>>(&self, _: &Type, items: &mut I) -> ReadResult<T> {
        T::vector(items)
    }

    fn map<I: MapEntries<T, Unreadable>>(
        &self,
        _: &Type,
        _: &Type,
        entries: &mut I,
    ) -> ReadResult<T> {
        T::map(entries)
    }

    fn tuple<I: Elements<T, Unreadable>>(&self, _: &[Type], components: &mut I) -> ReadResult<T> {
        T::tuple(components)
    }

    fn udt<I: Elements<T, Unreadable>>(&self, udt: &Udt, fields: &mut I) -> ReadResult<T> {
        T::udt(udt, fields)
    }
}
