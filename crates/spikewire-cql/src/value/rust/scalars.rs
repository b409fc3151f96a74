//! Numbers, text, bytes and addresses, and types for what Rust has no type for.

use std::fmt::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;
use std::time::SystemTime;

use super::{SourceResult, brief};
use crate::types::Type;
use crate::value::{Accept, Decimal, Duration, EncodeError, Presence, Source, Unfit, Varint};

macro_rules! present {
    () => {
        type Error = EncodeError;

        fn presence(&self) -> Presence {
            Presence::Value
        }

        fn describe(&self) -> String {
            brief(self)
        }
    };
}

macro_rules! integers {
    ($($int:ty)*) => {
        $(
            /// Accepted for every integer type that can hold it, and for `decimal`.
            impl Source for $int {
                present!();

                #[inline]
                fn integer(&self) -> SourceResult<i64> {
                    i64::try_from(*self).map_err(|_| Unfit::Range)
                }

                fn varint(&self, out: &mut Vec<u8>) -> SourceResult {
                    // Unsigned numbers need a leading zero byte as their sign.
                    let sign = if *self < <$int>::default() { 0xff } else { 0 };
                    out.push(sign);
                    out.extend_from_slice(&self.to_be_bytes());
                    Ok(())
                }

                fn decimal(&self, digits: &mut Vec<u8>) -> SourceResult<i32> {
                    self.varint(digits).map(|()| 0)
                }
            }
        )*
    };
}

integers!(i8 i16 i32 i64 i128 u16 u32 u64 u128);

impl Source for bool {
    present!();

    fn boolean(&self) -> SourceResult<bool> {
        Ok(*self)
    }
}

impl Source for f32 {
    present!();

    fn float(&self) -> SourceResult<f32> {
        Ok(*self)
    }

    fn double(&self) -> SourceResult<f64> {
        Ok((*self).into())
    }
}

impl Source for f64 {
    present!();

    fn double(&self) -> SourceResult<f64> {
        Ok(*self)
    }
}

impl Source for str {
    present!();

    #[inline]
    fn text(&self, out: &mut Vec<u8>) -> SourceResult {
        out.extend_from_slice(self.as_bytes());
        Ok(())
    }
}

impl Source for String {
    present!();

    #[inline]
    fn text(&self, out: &mut Vec<u8>) -> SourceResult {
        self.as_str().text(out)
    }
}

impl Source for [u8] {
    present!();

    fn bytes(&self, out: &mut Vec<u8>) -> SourceResult {
        out.extend_from_slice(self);
        Ok(())
    }
}

impl Source for Vec<u8> {
    present!();

    fn bytes(&self, out: &mut Vec<u8>) -> SourceResult {
        self.as_slice().bytes(out)
    }
}

/// A `blob`; with 16 bytes, also a `uuid`.
impl<const N: usize> Source for [u8; N] {
    present!();

    fn bytes(&self, out: &mut Vec<u8>) -> SourceResult {
        self.as_slice().bytes(out)
    }

    fn uuid(&self) -> SourceResult<[u8; 16]> {
        self.as_slice().try_into().map_err(|_| Unfit::Kind)
    }
}

impl Source for IpAddr {
    present!();

    fn inet(&self) -> SourceResult<IpAddr> {
        Ok(*self)
    }
}

impl Source for Ipv4Addr {
    present!();

    fn inet(&self) -> SourceResult<IpAddr> {
        Ok((*self).into())
    }
}

impl Source for Ipv6Addr {
    present!();

    fn inet(&self) -> SourceResult<IpAddr> {
        Ok((*self).into())
    }
}

impl Source for Varint {
    present!();

    fn integer(&self) -> SourceResult<i64> {
        self.to_i128().and_then(|wide| wide.try_into().ok()).ok_or(Unfit::Range)
    }

    fn varint(&self, out: &mut Vec<u8>) -> SourceResult {
        out.extend_from_slice(self.as_bytes());
        Ok(())
    }

    fn decimal(&self, digits: &mut Vec<u8>) -> SourceResult<i32> {
        self.varint(digits).map(|()| 0)
    }
}

impl Source for Decimal {
    present!();

    fn decimal(&self, digits: &mut Vec<u8>) -> SourceResult<i32> {
        digits.extend_from_slice(self.digits.as_bytes());
        Ok(self.scale)
    }
}

impl Source for Duration {
    present!();

    fn duration(&self) -> SourceResult<Duration> {
        Ok(*self)
    }
}

/// No value: leaves the column unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Unset;

impl Source for Unset {
    type Error = EncodeError;

    fn presence(&self) -> Presence {
        Presence::Unset
    }

    fn describe(&self) -> String {
        "unset".to_owned()
    }
}

/// A `uuid` or `timeuuid`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Uuid(pub [u8; 16]);

impl Source for Uuid {
    present!();

    fn uuid(&self) -> SourceResult<[u8; 16]> {
        Ok(self.0)
    }
}

impl Uuid {
    /// Its text, which is ASCII: `123e4567-e89b-12d3-a456-426614174000`.
    pub fn to_ascii(self) -> [u8; 36] {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [b'-'; 36];
        let mut at = 0;
        for byte in self.0 {
            if matches!(at, 8 | 13 | 18 | 23) {
                at += 1;
            }
            text[at] = DIGITS[usize::from(byte >> 4)];
            text[at + 1] = DIGITS[usize::from(byte & 15)];
            at += 2;
        }
        text
    }
}

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_ascii().iter().try_for_each(|char| f.write_char((*char).into()))
    }
}

impl fmt::Debug for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is not a UUID.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a UUID: expected 32 hexadecimal digits, as 8-4-4-4-12 or without hyphens")]
pub struct InvalidUuid(pub String);

impl FromStr for Uuid {
    type Err = InvalidUuid;

    fn from_str(text: &str) -> Result<Self, InvalidUuid> {
        let ascii = text.as_bytes();
        let is_shaped = match ascii.len() {
            32 => true,
            36 => [8, 13, 18, 23].iter().all(|at| ascii[*at] == b'-'),
            _ => false,
        };
        let mut digits = ascii.iter().filter(|char| **char != b'-');
        let mut digit = || char::from(*digits.next()?).to_digit(16);
        let mut bytes = [0; 16];
        for byte in &mut bytes {
            let (Some(high), Some(low), true) = (digit(), digit(), is_shaped) else {
                return Err(InvalidUuid(text.to_owned()));
            };
            *byte = (high * 16 + low) as u8;
        }
        Ok(Self(bytes))
    }
}

/// A `timestamp`: milliseconds since the beginning of 1970, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The current time, with millisecond precision.
    pub fn now() -> Self {
        Self::floor(SystemTime::now())
    }

    /// The last millisecond that began at or before this time.
    pub fn floor(time: SystemTime) -> Self {
        let nanoseconds = match time.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(after) => after.as_nanos() as i128,
            Err(before) => -(before.duration().as_nanos() as i128),
        };
        let whole = nanoseconds.div_euclid(1_000_000);
        Self(whole.clamp(i64::MIN.into(), i64::MAX.into()) as i64)
    }

    /// As a system time, if that can represent it.
    pub fn to_system_time(self) -> Option<SystemTime> {
        let span = std::time::Duration::from_millis(self.0.unsigned_abs());
        match self.0 {
            0.. => SystemTime::UNIX_EPOCH.checked_add(span),
            _ => SystemTime::UNIX_EPOCH.checked_sub(span),
        }
    }
}

impl Source for Timestamp {
    present!();

    fn timestamp(&self) -> SourceResult<i64> {
        Ok(self.0)
    }
}

/// A `date`: days since 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Date(pub i32);

impl Source for Date {
    present!();

    fn date(&self) -> SourceResult<i64> {
        Ok(self.0.into())
    }
}

/// A `time`: nanoseconds since midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(pub i64);

impl Source for Time {
    present!();

    fn time(&self) -> SourceResult<i64> {
        Ok(self.0)
    }
}

/// Nothing: an empty list, set or tuple.
impl Source for () {
    present!();

    fn items<A: Accept<EncodeError>>(&self, _: &Type, _: &mut A) -> SourceResult {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_parse_and_print_as_text() {
        let text = "c9b1c9f0-9b3a-11ee-8c90-0242ac120002";
        let uuid: Uuid = text.parse().unwrap();
        assert_eq!(uuid.to_string(), text);
        assert_eq!(text.replace('-', "").to_uppercase().parse(), Ok(uuid));
        for bad in ["", "c9b1", &text[1..], &text.replace('c', "g"), &text.replace("-9", "9-")] {
            assert!(
                bad.parse::<Uuid>().unwrap_err().to_string().contains("is not a UUID"),
                "{bad}"
            );
        }
    }

    #[test]
    fn times_are_cut_to_the_millisecond_before() {
        let at = |nanos: i64| {
            let span = std::time::Duration::from_nanos(nanos.unsigned_abs());
            let epoch = SystemTime::UNIX_EPOCH;
            Timestamp::floor(if nanos < 0 { epoch - span } else { epoch + span }).0
        };
        assert_eq!([at(1_999_999), at(0), at(-1), at(-1_000_000)], [1, 0, -1, -1]);
        let times = [i64::MIN, -1, 0, 1, i64::MAX].map(Timestamp);
        for time in times.into_iter().filter_map(|time| Some((time, time.to_system_time()?))) {
            assert_eq!(Timestamp::floor(time.1), time.0);
        }
    }
}
