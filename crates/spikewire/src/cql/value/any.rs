//! Reading columns of any type as [`Value`].

use std::net::IpAddr;

use spikewire_cql::types::{Type, Udt};
use spikewire_cql::value::{Decimal, Duration, Elements, MapEntries, Value, Varint};

use super::from_value::{As, FromValue, ReadResult};
use super::unreadable::Unreadable;

macro_rules! values {
    ($($method:ident($($argument:ident: $ty:ty),*) => $value:expr;)*) => {
        $(fn $method($($argument: $ty),*) -> ReadResult<Self> {
            Ok($value)
        })*
    };
}

fn all<S>(items: &mut impl Elements<S, Unreadable>) -> ReadResult<Vec<Value>> {
    std::iter::from_fn(|| items.next_by(&As::<Value>::VALUE)).collect()
}

impl FromValue for Value {
    values! {
        null() => Self::Null;
        boolean(value: bool) => Self::Boolean(value);
        tinyint(value: i8) => Self::Tinyint(value);
        smallint(value: i16) => Self::Smallint(value);
        int(value: i32) => Self::Int(value);
        bigint(value: i64) => Self::Bigint(value);
        float(value: f32) => Self::Float(value);
        double(value: f64) => Self::Double(value);
        text(value: &str) => Self::Text(value.to_owned());
        blob(value: &[u8]) => Self::Blob(value.to_vec());
        varint(value: &[u8]) => Self::Varint(Varint::from_bytes(value));
        decimal(scale: i32, digits: &[u8]) => {
            Self::Decimal(Decimal { scale, digits: Varint::from_bytes(digits) })
        };
        uuid(value: [u8; 16]) => Self::Uuid(value);
        inet(value: IpAddr) => Self::Inet(value);
        timestamp(milliseconds: i64) => Self::Timestamp(milliseconds);
        date(days: i32) => Self::Date(days);
        time(nanoseconds: i64) => Self::Time(nanoseconds);
        duration(value: Duration) => Self::Duration(value);
    }

    fn empty(_: &Type) -> ReadResult<Self> {
        Ok(Self::Empty)
    }

    fn list<S, I: Elements<S, Unreadable>>(items: &mut I) -> ReadResult<Self> {
        all(items).map(Self::List)
    }

    fn set<S, I: Elements<S, Unreadable>>(items: &mut I) -> ReadResult<Self> {
        all(items).map(Self::Set)
    }

    fn map<S, I: MapEntries<S, Unreadable>>(entries: &mut I) -> ReadResult<Self> {
        let next = || entries.next_by(&As::<Self>::VALUE, &As::<Self>::VALUE);
        std::iter::from_fn(next).collect::<Result<_, _>>().map(Self::Map)
    }

    fn tuple<S, I: Elements<S, Unreadable>>(components: &mut I) -> ReadResult<Self> {
        all(components).map(Self::Tuple)
    }

    fn udt<S, I: Elements<S, Unreadable>>(udt: &Udt, fields: &mut I) -> ReadResult<Self> {
        let values = all(fields)?;
        let names = udt.fields.iter().map(|(name, _)| name.clone());
        Ok(Self::Udt(names.zip(values).collect()))
    }
}
