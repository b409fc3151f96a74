//! Bit operations on blobs.

use ::base64::Engine as _;
use ::base64::engine::general_purpose::STANDARD;
use spikewire_aerospike_protocol::bits::{Area, BitOp, Combine, base64, integer, resize, write};
use spikewire_aerospike_protocol::cdt::Blob;
use spikewire_aerospike_protocol::error_details::subcode;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::particle;

use crate::outcome::{ModifyResult, Old, Outcome, ReplyValue};
use crate::reason;

/// Largest blob that an operation creates: more than any record can hold.
const LARGEST: usize = 16 << 20;

const MALFORMED: ResultCode = ResultCode::PARAMETER;
const OUT_OF_RANGE: ResultCode = ResultCode::OP_NOT_APPLICABLE;

/// Decodes the operation, which must be a blob.
fn decode(kind: u8, payload: &[u8]) -> Result<BitOp<Blob<'_>>, ResultCode> {
    if kind != particle::BLOB {
        return Err(ResultCode::BIN_TYPE);
    }
    BitOp::decode(payload).map_err(|_| MALFORMED)
}

/// Runs a read operation with particle type `kind` on an existing bin.
pub fn read(old: (u8, &[u8]), kind: u8, payload: &[u8]) -> Result<Option<ReplyValue>, ResultCode> {
    let op = decode(kind, payload)?;
    if let BitOp::Base64 { offset, size, how } = op {
        return encoded(old, (offset, size, how)).map(Some);
    }
    let area = match op {
        BitOp::Get(area) | BitOp::Count(area) | BitOp::Scan { area, .. } => area,
        BitOp::GetInt { area, how } if area.size <= 64 && how & !integer::SIGNED == 0 => area,
        _ => return Err(MALFORMED),
    };
    if !(1..=i64::from(u32::MAX)).contains(&area.size) {
        return Err(MALFORMED);
    }
    if old.0 != particle::BLOB {
        return Err(ResultCode::BIN_TYPE);
    }
    let blob = old.1;
    let run = run(area, blob.len())?;
    if run.end() > 8 * blob.len() {
        return Err(OUT_OF_RANGE);
    }
    let mut bits = (0..run.size).map(|at| bit(blob, run.start + at));
    Ok(Some(match op {
        BitOp::Count(_) => ReplyValue::count(bits.filter(|bit| *bit).count()),
        BitOp::Scan { right, bit, .. } => {
            let position = if right {
                (0..run.size).rfind(|at| self::bit(blob, run.start + at) == bit)
            } else {
                bits.position(|other| other == bit)
            };
            ReplyValue::int(position.map_or(-1, |at| at as i64))
        }
        BitOp::GetInt { how, .. } => {
            let int = get_int(blob, run);
            let unused = 64 - run.size as u32;
            let signed = how & integer::SIGNED != 0;
            ReplyValue::int(if signed { ((int << unused) as i64) >> unused } else { int as i64 })
        }
        _ => {
            let mut value = vec![0; run.size.div_ceil(8)];
            for (at, bit) in bits.enumerate() {
                set_bit(&mut value, at, bit);
            }
            ReplyValue { particle: particle::BLOB, value }
        }
    }))
}

/// Bytes as base64. With the flag, the size is how many bytes are left out at the end.
fn encoded(
    old: (u8, &[u8]),
    (offset, size, how): (i64, Option<i64>, i64),
) -> Result<ReplyValue, ResultCode> {
    if how & !base64::FROM_END != 0 || size.is_some_and(|size| size < 0) {
        return Err(MALFORMED);
    }
    if old.0 != particle::BLOB {
        return Err(ResultCode::BIN_TYPE);
    }
    let (blob, length) = (old.1, old.1.len() as i64);
    let start = if offset < 0 { length.saturating_add(offset) } else { offset };
    let end = match size {
        None => length,
        Some(size) if how == 0 => start.checked_add(size).ok_or(OUT_OF_RANGE)?,
        Some(size) => length - size,
    };
    if start < 0 || end < start || end > length {
        return Err(OUT_OF_RANGE);
    }
    let text = STANDARD.encode(&blob[start as usize..end as usize]);
    Ok(ReplyValue { particle: particle::STRING, value: text.into_bytes() })
}

/// Runs a modify operation with particle type `kind`.
pub fn modify(old: Old<'_>, kind: u8, payload: &[u8]) -> ModifyResult {
    let op = decode(kind, payload)?;
    let flags = check(&op)?;
    let lenient = flags & write::NO_FAIL != 0;
    let creates = matches!(op, BitOp::Resize { .. } | BitOp::Insert { .. });
    let rejection = match old {
        Some(_) if flags & write::CREATE_ONLY != 0 => Some(ResultCode::BIN_EXISTS),
        None if !creates || flags & write::UPDATE_ONLY != 0 => Some(ResultCode::BIN_NOT_FOUND),
        _ => None,
    };
    match rejection {
        Some(_) if lenient => return Ok(Outcome::default()),
        Some(code) => return Err(code),
        None => {}
    }
    if old.is_some_and(|(particle, _)| particle != particle::BLOB) {
        return Err(ResultCode::BIN_TYPE);
    }
    let old = old.map(|(_, blob)| blob);
    let partial = flags & write::PARTIAL != 0;
    match change(old.unwrap_or_default(), &op, partial) {
        Ok(blob) if old.is_none() && blob.is_empty() => Ok(Outcome::default()),
        Ok(blob) => Ok(Outcome { bin: Some((particle::BLOB, blob)), result: None }),
        Err(BitError::Range(_)) if lenient => Ok(Outcome::default()),
        Err(BitError::Range(code) | BitError::Always(code)) => Err(code),
    }
}

/// Why an operation cannot be applied to a blob.
enum BitError {
    /// Out of range, which the no-fail flag ignores.
    Range(ResultCode),
    /// Invalid in any case.
    Always(ResultCode),
}

impl From<ResultCode> for BitError {
    fn from(code: ResultCode) -> Self {
        Self::Always(code)
    }
}

/// The checks that do not need the blob. Returns the write flags.
fn check(op: &BitOp<Blob<'_>>) -> Result<i64, ResultCode> {
    const MAKE: i64 = write::CREATE_ONLY | write::UPDATE_ONLY | write::NO_FAIL;
    const OVERWRITE: i64 = write::UPDATE_ONLY | write::NO_FAIL | write::PARTIAL;
    const INTEGER: i64 = write::UPDATE_ONLY | write::NO_FAIL;
    let sized = |area: &Area, most: i64| (1..=most).contains(&area.size);
    let any = i64::from(u32::MAX);
    let (flags, allowed, sound) = match op {
        BitOp::Resize { size, flags, how } => {
            let known = resize::FROM_FRONT | resize::GROW_ONLY | resize::SHRINK_ONLY;
            (flags, MAKE, *size >= 0 && how & !known == 0)
        }
        BitOp::Insert { bytes: Blob(bytes), flags, .. } => (flags, MAKE, !bytes.is_empty()),
        BitOp::Remove { size, flags, .. } => (flags, OVERWRITE, *size > 0),
        BitOp::Combine { area, bytes: Blob(bytes), flags, .. } => {
            let enough = bytes.len() as i64 >= area.size.saturating_add(7) / 8;
            (flags, OVERWRITE, sized(area, any) && enough)
        }
        BitOp::Not { area, flags } => (flags, OVERWRITE, sized(area, any)),
        BitOp::Shift { area, by, flags, .. } => (flags, OVERWRITE, sized(area, any) && *by >= 0),
        BitOp::Add { area, flags, how, .. } => {
            let known = integer::SIGNED | integer::SATURATE | integer::WRAP;
            let both = integer::SATURATE | integer::WRAP;
            (flags, INTEGER, sized(area, 64) && how & !known == 0 && how & both != both)
        }
        BitOp::SetInt { area, flags, .. } => (flags, INTEGER, sized(area, 64)),
        _ => return Err(MALFORMED),
    };
    if flags & !allowed != 0 {
        Err(MALFORMED)
    } else if !sound {
        Err(reason::of(subcode::BITS_SIZE))
    } else {
        Ok(*flags)
    }
}

/// Applies a checked modify operation and returns the new blob.
fn change(old: &[u8], op: &BitOp<Blob<'_>>, partial: bool) -> Result<Vec<u8>, BitError> {
    let mut blob = old.to_vec();
    let (area, clips) = match *op {
        BitOp::Resize { size, how, .. } => return resized(blob, size, how),
        BitOp::Insert { offset, bytes: Blob(bytes), .. } => {
            let at = start(offset, blob.len())?;
            let len = at.max(blob.len()).saturating_add(bytes.len());
            if len > LARGEST {
                return Err(BitError::Always(ResultCode::RECORD_TOO_BIG));
            }
            if at > blob.len() {
                blob.resize(at, 0);
            }
            blob.splice(at..at, bytes.iter().copied());
            return Ok(blob);
        }
        BitOp::Remove { offset, size, .. } => {
            let at = start(offset, blob.len())?;
            let end = at.saturating_add(usize::try_from(size).unwrap_or(usize::MAX));
            if at >= blob.len() || end > blob.len() && !partial {
                return Err(BitError::Range(reason::of(subcode::BITS_OFFSET)));
            }
            blob.drain(at..end.min(blob.len()));
            return Ok(blob);
        }
        BitOp::Combine { area, .. } | BitOp::Not { area, .. } | BitOp::Shift { area, .. } => {
            (area, partial)
        }
        BitOp::Add { area, .. } | BitOp::SetInt { area, .. } => (area, false),
        _ => return Err(BitError::Always(MALFORMED)),
    };
    let mut run = run(area, blob.len())?;
    let len = 8 * blob.len();
    if run.start >= len || run.end() > len && !clips {
        return Err(BitError::Range(OUT_OF_RANGE));
    }
    run.size = run.size.min(len - run.start);
    match *op {
        BitOp::Combine { how, bytes: Blob(bytes), .. } => {
            for at in 0..run.size {
                let (old, new) = (bit(&blob, run.start + at), bit(bytes, at));
                let bit = match how {
                    Combine::Set => new,
                    Combine::Or => old | new,
                    Combine::Xor => old ^ new,
                    Combine::And => old & new,
                };
                set_bit(&mut blob, run.start + at, bit);
            }
        }
        BitOp::Shift { right, by, .. } => {
            let by = usize::try_from(by).unwrap_or(usize::MAX).min(run.size);
            for at in 0..run.size {
                let from = if right { at.checked_sub(by) } else { Some(at + by) };
                let from = from.filter(|from| *from < run.size);
                let bit = from.is_some_and(|from| bit(old, run.start + from));
                set_bit(&mut blob, run.start + at, bit);
            }
        }
        BitOp::Add { subtract, value, how, .. } => {
            let sum = sum(get_int(&blob, run), run.size, value, subtract, how)?;
            set_int(&mut blob, run, sum);
        }
        BitOp::SetInt { value, .. } => set_int(&mut blob, run, value as u64),
        _ => {
            for at in run.start..run.end() {
                let bit = bit(&blob, at);
                set_bit(&mut blob, at, !bit);
            }
        }
    }
    Ok(blob)
}

fn resized(mut blob: Vec<u8>, size: i64, how: i64) -> Result<Vec<u8>, BitError> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    if size > LARGEST {
        return Err(BitError::Always(ResultCode::RECORD_TOO_BIG));
    }
    let len = blob.len();
    let wrong_way =
        how & resize::GROW_ONLY != 0 && size < len || how & resize::SHRINK_ONLY != 0 && size > len;
    if wrong_way {
        return Err(BitError::Range(MALFORMED));
    }
    if how & resize::FROM_FRONT == 0 {
        blob.resize(size, 0);
    } else if size < len {
        blob.drain(..len - size);
    } else {
        blob.splice(0..0, std::iter::repeat_n(0, size - len));
    }
    Ok(blob)
}

/// The sum of a `size`-bit integer and a value, as bits.
fn sum(old: u64, size: usize, value: i64, subtract: bool, how: i64) -> Result<u64, BitError> {
    let signed = how & integer::SIGNED != 0;
    let unused = 64 - size as u32;
    // Only as many bits of the value count as the integer has.
    let value = (value as u64) << unused;
    let (old, value, least, most) = if signed {
        let most = (1_i128 << (size - 1)) - 1;
        let old = ((old << unused) as i64) >> unused;
        (i128::from(old), i128::from(value as i64 >> unused), -most - 1, most)
    } else {
        (i128::from(old), i128::from(value >> unused), 0, (1_i128 << size) - 1)
    };
    // The smallest signed value is its own negative.
    let sum = if subtract && !(signed && value == least) { old - value } else { old + value };
    if (least..=most).contains(&sum) || how & integer::WRAP != 0 {
        return Ok(sum as u64);
    }
    if how & integer::SATURATE == 0 {
        return Err(BitError::Range(OUT_OF_RANGE));
    }
    Ok(sum.clamp(least, most) as u64)
}

/// A range of bits in a blob, with offsets from its start.
#[derive(Debug, Clone, Copy)]
struct Run {
    start: usize,
    size: usize,
}

impl Run {
    fn end(self) -> usize {
        self.start.saturating_add(self.size)
    }
}

fn run(area: Area, bytes: usize) -> Result<Run, ResultCode> {
    let size = usize::try_from(area.size).ok().filter(|size| *size > 0);
    let size = size.ok_or_else(|| reason::of(subcode::BITS_SIZE))?;
    Ok(Run { start: start(area.offset, 8 * bytes)?, size })
}

/// An offset from the start, possibly beyond the end.
fn start(offset: i64, len: usize) -> Result<usize, ResultCode> {
    let from_front = if offset < 0 { offset.saturating_add(len as i64) } else { offset };
    usize::try_from(from_front).map_err(|_| reason::of(subcode::BITS_OFFSET))
}

fn bit(bytes: &[u8], at: usize) -> bool {
    bytes[at / 8] >> (7 - at % 8) & 1 != 0
}

fn set_bit(bytes: &mut [u8], at: usize, bit: bool) {
    let mask = 0x80 >> (at % 8);
    if bit {
        bytes[at / 8] |= mask;
    } else {
        bytes[at / 8] &= !mask;
    }
}

fn get_int(bytes: &[u8], run: Run) -> u64 {
    (run.start..run.end()).fold(0, |int, at| int << 1 | u64::from(bit(bytes, at)))
}

fn set_int(bytes: &mut [u8], run: Run, int: u64) {
    for at in 0..run.size {
        set_bit(bytes, run.start + at, int >> (run.size - 1 - at) & 1 != 0);
    }
}

#[cfg(test)]
mod tests;
