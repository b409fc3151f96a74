//! A Rust value of any type.

use std::net::IpAddr;

use super::encode_error::EncodeError;
use super::number::{Decimal, Varint};
use super::sink::{Elements, MapEntries, Sink};
use super::source::{Accept, AcceptEntries, Presence, Source, Unfit};
use super::vint::Duration;
use crate::notation::Malformed;
use crate::types::{Type, Udt};

/// A value of any type.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Null.
    Null,
    /// Only for sending: leaves the column unchanged.
    Unset,
    /// Zero bytes, for a type whose values otherwise have some.
    Empty,
    /// `boolean`.
    Boolean(bool),
    /// `tinyint`.
    Tinyint(i8),
    /// `smallint`.
    Smallint(i16),
    /// `int`.
    Int(i32),
    /// `bigint` and `counter`.
    Bigint(i64),
    /// `float`.
    Float(f32),
    /// `double`.
    Double(f64),
    /// `text` and `ascii`.
    Text(String),
    /// `blob`, and classes without a CQL spelling.
    Blob(Vec<u8>),
    /// `varint`.
    Varint(Varint),
    /// `decimal`.
    Decimal(Decimal),
    /// `uuid` and `timeuuid`.
    Uuid([u8; 16]),
    /// `inet`.
    Inet(IpAddr),
    /// `timestamp`: milliseconds since the beginning of 1970.
    Timestamp(i64),
    /// `date`: days since 1970-01-01.
    Date(i32),
    /// `time`: nanoseconds since midnight.
    Time(i64),
    /// `duration`.
    Duration(Duration),
    /// `list` and `vector`.
    List(Vec<Value>),
    /// `set`.
    Set(Vec<Value>),
    /// `map`.
    Map(Vec<(Value, Value)>),
    /// A tuple.
    Tuple(Vec<Value>),
    /// A user-defined type: names and values of its fields.
    Udt(Vec<(String, Value)>),
}

type SourceResult<T = ()> = Result<T, Unfit<EncodeError>>;

/// Integers are accepted for every integer type that can hold them; lists, sets and tuples are
/// interchangeable. There are no other conversions.
impl Source for Value {
    type Error = EncodeError;

    fn presence(&self) -> Presence {
        match self {
            Self::Null => Presence::Null,
            Self::Unset => Presence::Unset,
            Self::Empty => Presence::Empty,
            _ => Presence::Value,
        }
    }

    fn describe(&self) -> String {
        let mut text = match self {
            Self::Boolean(value) => value.to_string(),
            Self::Tinyint(value) => value.to_string(),
            Self::Smallint(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Bigint(value) => value.to_string(),
            Self::Varint(value) => value.to_string(),
            Self::Text(value) => format!("{value:?}"),
            other => format!("{other:?}"),
        };
        if let Some((end, _)) = text.char_indices().nth(60) {
            text.truncate(end);
            text.push('…');
        }
        text
    }

    fn boolean(&self) -> SourceResult<bool> {
        match self {
            Self::Boolean(value) => Ok(*value),
            _ => Err(Unfit::Kind),
        }
    }

    fn integer(&self) -> SourceResult<i64> {
        match self {
            Self::Tinyint(value) => Ok((*value).into()),
            Self::Smallint(value) => Ok((*value).into()),
            Self::Int(value) => Ok((*value).into()),
            Self::Bigint(value) => Ok(*value),
            Self::Varint(value) => {
                value.to_i128().and_then(|wide| wide.try_into().ok()).ok_or(Unfit::Range)
            }
            _ => Err(Unfit::Kind),
        }
    }

    fn float(&self) -> SourceResult<f32> {
        match self {
            Self::Float(value) => Ok(*value),
            _ => Err(Unfit::Kind),
        }
    }

    fn double(&self) -> SourceResult<f64> {
        match self {
            Self::Float(value) => Ok((*value).into()),
            Self::Double(value) => Ok(*value),
            _ => Err(Unfit::Kind),
        }
    }

    fn text(&self, out: &mut Vec<u8>) -> SourceResult {
        let Self::Text(value) = self else { return Err(Unfit::Kind) };
        out.extend_from_slice(value.as_bytes());
        Ok(())
    }

    fn bytes(&self, out: &mut Vec<u8>) -> SourceResult {
        let Self::Blob(value) = self else { return Err(Unfit::Kind) };
        out.extend_from_slice(value);
        Ok(())
    }

    fn varint(&self, out: &mut Vec<u8>) -> SourceResult {
        match self {
            Self::Varint(value) => out.extend_from_slice(value.as_bytes()),
            other => out.extend_from_slice(&other.integer()?.to_be_bytes()),
        }
        Ok(())
    }

    fn decimal(&self, digits: &mut Vec<u8>) -> SourceResult<i32> {
        match self {
            Self::Decimal(value) => {
                digits.extend_from_slice(value.digits.as_bytes());
                Ok(value.scale)
            }
            integer => integer.varint(digits).map(|()| 0),
        }
    }

    fn uuid(&self) -> SourceResult<[u8; 16]> {
        match self {
            Self::Uuid(value) => Ok(*value),
            _ => Err(Unfit::Kind),
        }
    }

    fn inet(&self) -> SourceResult<IpAddr> {
        match self {
            Self::Inet(value) => Ok(*value),
            _ => Err(Unfit::Kind),
        }
    }

    fn timestamp(&self) -> SourceResult<i64> {
        match self {
            Self::Timestamp(value) => Ok(*value),
            _ => Err(Unfit::Kind),
        }
    }

    fn date(&self) -> SourceResult<i64> {
        match self {
            Self::Date(value) => Ok((*value).into()),
            _ => Err(Unfit::Kind),
        }
    }

    fn time(&self) -> SourceResult<i64> {
        match self {
            Self::Time(value) => Ok(*value),
            _ => Err(Unfit::Kind),
        }
    }

    fn duration(&self) -> SourceResult<Duration> {
        match self {
            Self::Duration(value) => Ok(*value),
            _ => Err(Unfit::Kind),
        }
    }

    fn items<A: Accept<EncodeError>>(&self, _: &Type, into: &mut A) -> SourceResult {
        let (Self::List(items) | Self::Set(items) | Self::Tuple(items)) = self else {
            return Err(Unfit::Kind);
        };
        items.iter().try_for_each(|item| into.item(item))
    }

    fn entries<A: AcceptEntries<EncodeError>>(&self, into: &mut A) -> SourceResult {
        let Self::Map(entries) = self else { return Err(Unfit::Kind) };
        entries.iter().try_for_each(|(key, value)| into.entry(key, value))
    }

    fn field<A: Accept<EncodeError>>(
        &self,
        index: usize,
        name: &str,
        into: &mut A,
    ) -> SourceResult {
        let Self::Udt(fields) = self else { return Err(Unfit::Kind) };
        // Usually the fields are those of the type, in order.
        let field = match fields.get(index) {
            Some(field) if field.0 == name => Some(field),
            _ => fields.iter().find(|field| field.0 == name),
        };
        field.map_or(Ok(()), |(_, value)| into.item(value))
    }

    fn unknown_field(&self, udt: &Udt) -> SourceResult<Option<String>> {
        let Self::Udt(fields) = self else { return Err(Unfit::Kind) };
        Ok(fields.iter().map(|(name, _)| name).find(|name| !udt.has_field(name)).cloned())
    }
}

/// The sink that creates [`Value`]s.
#[derive(Debug, Clone, Copy, Default)]
pub struct Values;

type SinkResult = Result<Value, Malformed>;

impl Sink for Values {
    type Value = Value;
    type Error = Malformed;

    fn null(&self) -> SinkResult {
        Ok(Value::Null)
    }
    fn empty(&self, _: &Type) -> SinkResult {
        Ok(Value::Empty)
    }
    fn boolean(&self, value: bool) -> SinkResult {
        Ok(Value::Boolean(value))
    }
    fn tinyint(&self, value: i8) -> SinkResult {
        Ok(Value::Tinyint(value))
    }
    fn smallint(&self, value: i16) -> SinkResult {
        Ok(Value::Smallint(value))
    }
    fn int(&self, value: i32) -> SinkResult {
        Ok(Value::Int(value))
    }
    fn bigint(&self, value: i64) -> SinkResult {
        Ok(Value::Bigint(value))
    }
    fn float(&self, value: f32) -> SinkResult {
        Ok(Value::Float(value))
    }
    fn double(&self, value: f64) -> SinkResult {
        Ok(Value::Double(value))
    }
    fn text(&self, value: &str) -> SinkResult {
        Ok(Value::Text(value.to_owned()))
    }
    fn blob(&self, value: &[u8]) -> SinkResult {
        Ok(Value::Blob(value.to_vec()))
    }
    fn varint(&self, value: &[u8]) -> SinkResult {
        Ok(Value::Varint(Varint::from_bytes(value)))
    }
    fn decimal(&self, scale: i32, digits: &[u8]) -> SinkResult {
        Ok(Value::Decimal(Decimal { scale, digits: Varint::from_bytes(digits) }))
    }
    fn uuid(&self, value: [u8; 16]) -> SinkResult {
        Ok(Value::Uuid(value))
    }
    fn inet(&self, value: IpAddr) -> SinkResult {
        Ok(Value::Inet(value))
    }
    fn timestamp(&self, milliseconds: i64) -> SinkResult {
        Ok(Value::Timestamp(milliseconds))
    }
    fn date(&self, days: i32) -> SinkResult {
        Ok(Value::Date(days))
    }
    fn time(&self, nanoseconds: i64) -> SinkResult {
        Ok(Value::Time(nanoseconds))
    }
    fn duration(&self, value: Duration) -> SinkResult {
        Ok(Value::Duration(value))
    }
    fn list<I: Elements<Value, Malformed>>(&self, _: &Type, items: &mut I) -> SinkResult {
        items.collect::<Result<_, _>>().map(Value::List)
    }
    fn set<I: Elements<Value, Malformed>>(&self, _: &Type, items: &mut I) -> SinkResult {
        items.collect::<Result<_, _>>().map(Value::Set)
    }
    fn map<I>(&self, _: &Type, _: &Type, entries: &mut I) -> SinkResult
    where
        I: MapEntries<Value, Malformed>,
    {
        entries.collect::<Result<_, _>>().map(Value::Map)
    }
    fn tuple<I: Elements<Value, Malformed>>(&self, _: &[Type], components: &mut I) -> SinkResult {
        components.collect::<Result<_, _>>().map(Value::Tuple)
    }
    fn udt<I: Elements<Value, Malformed>>(&self, udt: &Udt, fields: &mut I) -> SinkResult {
        let names = udt.fields.iter().map(|(name, _)| name.clone());
        let fields: Result<_, _> =
            names.zip(fields).map(|(name, value)| value.map(|value| (name, value))).collect();
        fields.map(Value::Udt)
    }
}
