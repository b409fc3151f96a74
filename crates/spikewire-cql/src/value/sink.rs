//! Creating a host's values.

use std::fmt;
use std::net::IpAddr;

use super::vint::Duration;
use crate::notation::Malformed;
use crate::types::{Type, Udt};

/// The elements of a list, set, vector, tuple, user-defined type or map. Each is decoded when
/// requested, and the number of remaining ones is exact. After an error there are none.
pub trait Elements<T, E>: ExactSizeIterator<Item = Result<T, E>> {
    /// Takes the bytes of all remaining elements, if they are contiguous and have the same size, as
    /// in most vectors of numbers.
    fn take_fixed(&mut self) -> Option<&[u8]> {
        None
    }

    /// The next element created by another sink, for hosts whose elements have a different type
    /// than the whole.
    fn next_by<K: Sink + ?Sized>(&mut self, sink: &K) -> Option<Result<K::Value, K::Error>>;
}

/// A key and a value created by these sinks.
pub type Entry<K, V> = Result<(<K as Sink>::Value, <V as Sink>::Value), <K as Sink>::Error>;

/// The entries of a map.
pub trait MapEntries<T, E>: ExactSizeIterator<Item = Result<(T, T), E>> {
    /// The next key and value created by other sinks.
    fn next_by<K, V>(&mut self, keys: &K, values: &V) -> Option<Entry<K, V>>
    where
        K: Sink + ?Sized,
        V: Sink<Error = K::Error> + ?Sized;
}

/// The error for text that is not UTF-8.
#[cold]
pub fn not_utf8(ty: &Type, error: impl fmt::Display) -> Malformed {
    Malformed(format!("{ty} that is not valid UTF-8: {error}"))
}

/// Creates a host's values. By default related types are created in the same way: `ascii` as text,
/// `timeuuid` as a UUID, and numbers as the next wider ones.
pub trait Sink {
    /// The host's value.
    type Value;
    /// The host's error.
    type Error: From<Malformed>;

    /// Null.
    fn null(&self) -> Result<Self::Value, Self::Error>;

    /// A component of a tuple, or a field of a user-defined type, that was not sent. Null by default.
    fn absent(&self) -> Result<Self::Value, Self::Error> {
        self.null()
    }

    /// Zero bytes, for a type whose values otherwise have some. Null by default.
    fn empty(&self, ty: &Type) -> Result<Self::Value, Self::Error> {
        let _ = ty;
        self.null()
    }

    /// A `boolean`.
    fn boolean(&self, value: bool) -> Result<Self::Value, Self::Error>;
    /// A `tinyint`.
    fn tinyint(&self, value: i8) -> Result<Self::Value, Self::Error> {
        self.smallint(value.into())
    }
    /// A `smallint`.
    fn smallint(&self, value: i16) -> Result<Self::Value, Self::Error> {
        self.int(value.into())
    }
    /// An `int`.
    fn int(&self, value: i32) -> Result<Self::Value, Self::Error>;
    /// A `bigint`.
    fn bigint(&self, value: i64) -> Result<Self::Value, Self::Error>;
    /// A `counter`.
    fn counter(&self, value: i64) -> Result<Self::Value, Self::Error> {
        self.bigint(value)
    }
    /// A `float`.
    #[inline]
    fn float(&self, value: f32) -> Result<Self::Value, Self::Error> {
        self.double(value.into())
    }
    /// A `double`.
    fn double(&self, value: f64) -> Result<Self::Value, Self::Error>;
    /// A `text` or `ascii` from bytes that are not validated yet. By default validates that they
    /// are UTF-8; a host that does so itself can override this to avoid checking twice.
    // Inlined, it would cost every other type of `decode`, which is recursive, two instructions.
    #[inline(never)]
    fn utf8(&self, ty: &Type, value: &[u8]) -> Result<Self::Value, Self::Error> {
        match std::str::from_utf8(value) {
            Ok(text) if matches!(ty, Type::Ascii) => self.ascii(text),
            Ok(text) => self.text(text),
            Err(error) => Err(not_utf8(ty, error).into()),
        }
    }
    /// A `text`.
    fn text(&self, value: &str) -> Result<Self::Value, Self::Error>;
    /// An `ascii`.
    fn ascii(&self, value: &str) -> Result<Self::Value, Self::Error> {
        self.text(value)
    }
    /// A `blob`.
    fn blob(&self, value: &[u8]) -> Result<Self::Value, Self::Error>;
    /// A `varint`: two's complement, big-endian, possibly with redundant bytes.
    fn varint(&self, value: &[u8]) -> Result<Self::Value, Self::Error>;
    /// A `decimal`: digits × 10^-scale. The digits are as in [`Sink::varint`]; no bytes mean 0.
    fn decimal(&self, scale: i32, digits: &[u8]) -> Result<Self::Value, Self::Error>;
    /// A `uuid`.
    fn uuid(&self, value: [u8; 16]) -> Result<Self::Value, Self::Error>;
    /// A `timeuuid`.
    fn timeuuid(&self, value: [u8; 16]) -> Result<Self::Value, Self::Error> {
        self.uuid(value)
    }
    /// An `inet`.
    fn inet(&self, value: IpAddr) -> Result<Self::Value, Self::Error>;
    /// A `timestamp`: milliseconds since the beginning of 1970.
    fn timestamp(&self, milliseconds: i64) -> Result<Self::Value, Self::Error>;
    /// A `date`: days since 1970-01-01.
    fn date(&self, days: i32) -> Result<Self::Value, Self::Error>;
    /// A `time`: nanoseconds since midnight. The server does not ensure that they are within a day.
    fn time(&self, nanoseconds: i64) -> Result<Self::Value, Self::Error>;
    /// A `duration`.
    fn duration(&self, value: Duration) -> Result<Self::Value, Self::Error>;
    /// A value of a class without a CQL spelling.
    fn custom(&self, class: &str, value: &[u8]) -> Result<Self::Value, Self::Error> {
        let _ = class;
        self.blob(value)
    }

    /// A `list`.
    fn list<I>(&self, element: &Type, items: &mut I) -> Result<Self::Value, Self::Error>
    where
        I: Elements<Self::Value, Self::Error>;
    /// A `set`, in the server's order.
    fn set<I>(&self, element: &Type, items: &mut I) -> Result<Self::Value, Self::Error>
    where
        I: Elements<Self::Value, Self::Error>;
    /// A `vector`.
    fn vector<I>(&self, element: &Type, items: &mut I) -> Result<Self::Value, Self::Error>
    where
        I: Elements<Self::Value, Self::Error>,
    {
        self.list(element, items)
    }
    /// A `map`, in the server's order.
    fn map<I>(&self, key: &Type, value: &Type, entries: &mut I) -> Result<Self::Value, Self::Error>
    where
        I: MapEntries<Self::Value, Self::Error>;
    /// A tuple. It has as many components as its type; those not sent are null.
    fn tuple<I>(&self, types: &[Type], components: &mut I) -> Result<Self::Value, Self::Error>
    where
        I: Elements<Self::Value, Self::Error>;
    /// A user-defined type. It has as many values as its type has fields, in order; those not sent
    /// are null.
    fn udt<I>(&self, udt: &Udt, fields: &mut I) -> Result<Self::Value, Self::Error>
    where
        I: Elements<Self::Value, Self::Error>;
}
