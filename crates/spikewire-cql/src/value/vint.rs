//! Variable-length integers, and durations, which consist of them.

use crate::notation::{Malformed, Reader, Result};

/// Months, days and nanoseconds. The server requires that they do not differ in sign.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Duration {
    /// Months; not a fixed number of days.
    pub months: i32,
    /// Days; not a fixed number of hours.
    pub days: i32,
    /// Nanoseconds.
    pub nanoseconds: i64,
}

impl Duration {
    /// A duration of these parts, if they are not too large.
    pub fn of(months: i64, days: i64, nanoseconds: i64) -> Option<Self> {
        let (months, days) = (months.try_into().ok()?, days.try_into().ok()?);
        Some(Self { months, days, nanoseconds })
    }

    /// Whether no two parts differ in sign.
    pub fn has_one_sign(&self) -> bool {
        let parts = [i64::from(self.months), self.days.into(), self.nanoseconds];
        parts.iter().all(|part| *part >= 0) || parts.iter().all(|part| *part <= 0)
    }
}

/// Appends a duration.
pub(super) fn put_duration(duration: Duration, out: &mut Vec<u8>) {
    for part in [duration.months.into(), duration.days.into(), duration.nanoseconds] {
        let part: i64 = part;
        let zigzag = ((part << 1) ^ (part >> 63)).cast_unsigned();
        let end = out.len();
        put_unsigned_vint(zigzag, out, end);
    }
}

/// Reads a duration, which must take up all bytes.
pub(super) fn read_duration(bytes: &[u8]) -> Result<Duration> {
    let mut reader = Reader(bytes);
    let months = read_vint(&mut reader)?;
    let days = read_vint(&mut reader)?;
    let nanoseconds = read_vint(&mut reader)?;
    match Duration::of(months, days, nanoseconds) {
        Some(duration) if reader.is_empty() => Ok(duration),
        _ => Err(Malformed(format!(
            "a duration of {months} months, {days} days and {nanoseconds} nanoseconds, with {} \
             bytes behind it",
            reader.rest().len()
        ))),
    }
}

/// Inserts an `[unsigned vint]` at this position of `out`.
pub(super) fn put_unsigned_vint(number: u64, out: &mut Vec<u8>, at: usize) {
    // Each further byte uses a bit of the first and adds eight: seven bits per byte, up to nine
    // bytes.
    let bits = (64 - number.leading_zeros() as usize).max(1);
    let more = bits.div_ceil(7).min(9) - 1;
    let mut bytes = [0; 9];
    bytes[1..].copy_from_slice(&number.to_be_bytes());
    let bytes = &mut bytes[8 - more..];
    bytes[0] |= (0xff00_u16 >> more) as u8;
    let len = out.len();
    out.extend_from_slice(bytes);
    if at < len {
        out[at..].rotate_right(more + 1);
    }
}

/// Reads an `[unsigned vint]`.
pub(super) fn read_unsigned_vint(reader: &mut Reader<'_>) -> Result<u64> {
    let first = reader.byte()?;
    let more = first.leading_ones() as usize;
    let high = if more >= 7 { 0 } else { u64::from(first & (0x7f >> more)) };
    let rest = reader.take(more)?;
    Ok(rest.iter().fold(high, |number, byte| number << 8 | u64::from(*byte)))
}

fn read_vint(reader: &mut Reader<'_>) -> Result<i64> {
    let zigzag = read_unsigned_vint(reader)?;
    Ok((zigzag >> 1).cast_signed() ^ -((zigzag & 1).cast_signed()))
}
