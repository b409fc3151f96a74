//! Reading columns as scalars.

use std::net::IpAddr;

use spikewire_cql::value::{Date, Decimal, Duration, Time, Timestamp, Uuid, Varint};

use super::from_value::{FromValue, ReadResult};
use super::unreadable::Unreadable;

macro_rules! reads {
    ($($host:ty: $method:ident($argument:ident: $ty:ty) => $value:expr;)*) => {
        $(impl FromValue for $host {
            #[inline]
            fn $method($argument: $ty) -> ReadResult<Self> {
                Ok($value)
            }
        })*
    };
}

reads! {
    bool: boolean(value: bool) => value;
    i8: tinyint(value: i8) => value;
    i16: smallint(value: i16) => value;
    i32: int(value: i32) => value;
    i64: bigint(value: i64) => value;
    f32: float(value: f32) => value;
    f64: double(value: f64) => value;
    String: text(value: &str) => value.to_owned();
    Box<str>: text(value: &str) => value.into();
    std::sync::Arc<str>: text(value: &str) => value.into();
    Vec<u8>: blob(value: &[u8]) => value.to_vec();
    Uuid: uuid(value: [u8; 16]) => Self(value);
    IpAddr: inet(value: IpAddr) => value;
    Timestamp: timestamp(milliseconds: i64) => Self(milliseconds);
    Date: date(days: i32) => Self(days);
    Time: time(nanoseconds: i64) => Self(nanoseconds);
    Duration: duration(value: Duration) => value;
}

impl FromValue for i128 {
    fn bigint(value: i64) -> ReadResult<Self> {
        Ok(value.into())
    }

    fn varint(value: &[u8]) -> ReadResult<Self> {
        Varint::from_bytes(value).to_i128().ok_or(Unreadable::Range)
    }
}

impl FromValue for Varint {
    fn bigint(value: i64) -> ReadResult<Self> {
        Ok(value.into())
    }

    fn varint(value: &[u8]) -> ReadResult<Self> {
        Ok(Self::from_bytes(value))
    }
}

impl FromValue for Decimal {
    fn decimal(scale: i32, digits: &[u8]) -> ReadResult<Self> {
        Ok(Self { scale, digits: Varint::from_bytes(digits) })
    }
}

impl<const N: usize> FromValue for [u8; N] {
    fn blob(value: &[u8]) -> ReadResult<Self> {
        let len = value.len();
        value.try_into().map_err(|_| Unreadable::Invalid(format!("it has {len} bytes").into()))
    }

    fn uuid(value: [u8; 16]) -> ReadResult<Self> {
        value.as_slice().try_into().map_err(|_| Unreadable::Kind)
    }
}
