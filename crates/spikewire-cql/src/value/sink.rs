//! What makes a host's values.

use std::net::IpAddr;

use super::vint::Duration;
use crate::notation::Malformed;
use crate::types::{Type, Udt};

/// What stands in a list, set, vector, tuple, user-defined type or map: each is decoded when it is
/// asked for, and the number of those that are left is exact. After an error there are none.
pub trait Elements<T, E>: ExactSizeIterator<Item = Result<T, E>> {
    /// The bytes of all elements that are left, one behind the other, where each has the same number
    /// of bytes and nothing stands between them: in most vectors of numbers. They are then taken.
    fn take_fixed(&mut self) -> Option<&[u8]> {
        None
    }

    /// The next element as another sink makes it: for hosts whose elements are of another type than
    /// the whole.
    fn next_by<K: Sink + ?Sized>(&mut self, sink: &K) -> Option<Result<K::Value, K::Error>>;
}

/// A key and a value, as these sinks make them.
pub type Entry<K, V> = Result<(<K as Sink>::Value, <V as Sink>::Value), <K as Sink>::Error>;

/// The entries of a map.
pub trait MapEntries<T, E>: ExactSizeIterator<Item = Result<(T, T), E>> {
    /// The next key and value as other sinks make them.
    fn next_by<K, V>(&mut self, keys: &K, values: &V) -> Option<Entry<K, V>>
    where
        K: Sink + ?Sized,
        V: Sink<Error = K::Error> + ?Sized;
}

/// Makes a host's values. What a type calls something else is made the same way unless it is said
/// otherwise: `ascii` as text, `timeuuid` as a UUID.
pub trait Sink {
    /// The host's value.
    type Value;
    /// The host's error.
    type Error: From<Malformed>;

    /// Null.
    fn null(&self) -> Result<Self::Value, Self::Error>;

    /// No bytes at all, of a type whose values have bytes. Null, unless it is said otherwise.
    fn empty(&self, ty: &Type) -> Result<Self::Value, Self::Error> {
        let _ = ty;
        self.null()
    }

    /// A `boolean`.
    fn boolean(&self, value: bool) -> Result<Self::Value, Self::Error>;
    /// A `tinyint`.
    fn tinyint(&self, value: i8) -> Result<Self::Value, Self::Error>;
    /// A `smallint`.
    fn smallint(&self, value: i16) -> Result<Self::Value, Self::Error>;
    /// An `int`.
    fn int(&self, value: i32) -> Result<Self::Value, Self::Error>;
    /// A `bigint`.
    fn bigint(&self, value: i64) -> Result<Self::Value, Self::Error>;
    /// A `counter`.
    fn counter(&self, value: i64) -> Result<Self::Value, Self::Error> {
        self.bigint(value)
    }
    /// A `float`.
    fn float(&self, value: f32) -> Result<Self::Value, Self::Error>;
    /// A `double`.
    fn double(&self, value: f64) -> Result<Self::Value, Self::Error>;
    /// A `text` or an `ascii`, of bytes that are not checked yet. Checks that they are UTF-8, unless
    /// it is said otherwise: a host that does so itself need not have it done twice.
    #[inline]
    fn utf8(&self, ty: &Type, value: &[u8]) -> Result<Self::Value, Self::Error> {
        match std::str::from_utf8(value) {
            Ok(text) if matches!(ty, Type::Ascii) => self.ascii(text),
            Ok(text) => self.text(text),
            Err(error) => Err(Malformed(format!("{ty} that is no UTF-8: {error}")).into()),
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
    /// A `varint`: two's complement, big-endian, perhaps with more bytes than it needs.
    fn varint(&self, value: &[u8]) -> Result<Self::Value, Self::Error>;
    /// A `decimal`: digits × 10^-scale; the digits are as in [`Sink::varint`], and none mean 0.
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
    /// A `time`: nanoseconds since midnight. The server does not see to it that they are within a day.
    fn time(&self, nanoseconds: i64) -> Result<Self::Value, Self::Error>;
    /// A `duration`.
    fn duration(&self, value: Duration) -> Result<Self::Value, Self::Error>;
    /// A value of a class that has no spelling in CQL.
    fn custom(&self, class: &str, value: &[u8]) -> Result<Self::Value, Self::Error> {
        let _ = class;
        self.blob(value)
    }

    /// A `list`.
    fn list<I>(&self, element: &Type, items: &mut I) -> Result<Self::Value, Self::Error>
    where
        I: Elements<Self::Value, Self::Error>;
    /// A `set`, in the order of the server.
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
    /// A `map`, in the order of the server.
    fn map<I>(&self, key: &Type, value: &Type, entries: &mut I) -> Result<Self::Value, Self::Error>
    where
        I: MapEntries<Self::Value, Self::Error>;
    /// A tuple. There are as many components as the type has; those that were not sent are null.
    fn tuple<I>(&self, types: &[Type], components: &mut I) -> Result<Self::Value, Self::Error>
    where
        I: Elements<Self::Value, Self::Error>;
    /// A user-defined type. There are as many values as it has fields, in their order; those that
    /// were not sent are null.
    fn udt<I>(&self, udt: &Udt, fields: &mut I) -> Result<Self::Value, Self::Error>
    where
        I: Elements<Self::Value, Self::Error>;
}
