//! Arbitrary-precision integers and decimal numbers.

use std::fmt;

/// An arbitrary-precision integer in its wire form.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Varint {
    /// Two's complement, big-endian, as short as possible.
    bytes: Vec<u8>,
}

/// An arbitrary-precision decimal number: digits × 10^-scale.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decimal {
    /// Number of digits after the decimal point; negative for trailing zeros that are not stored.
    pub scale: i32,
    /// All digits.
    pub digits: Varint,
}

/// The shortest two's complement form of these bytes; at least one byte unless they are empty.
pub fn shortest(mut bytes: &[u8]) -> &[u8] {
    while let [sign, next, ..] = bytes {
        let sign_of_next = if next >> 7 == 0 { 0 } else { 0xff };
        if *sign != sign_of_next {
            break;
        }
        bytes = &bytes[1..];
    }
    bytes
}

/// An integer of up to 64 bits from two's complement, big-endian. Redundant bytes are allowed, and
/// no bytes mean 0.
#[inline]
pub fn to_i64(bytes: &[u8]) -> Option<i64> {
    let bytes = if bytes.len() > 8 { shortest(bytes) } else { bytes };
    let start = 8_usize.checked_sub(bytes.len())?;
    let is_negative = bytes.first().is_some_and(|first| first >> 7 == 1);
    let mut wide = if is_negative { [0xff; 8] } else { [0; 8] };
    wide[start..].copy_from_slice(bytes);
    Some(i64::from_be_bytes(wide))
}

impl Varint {
    /// From two's complement, big-endian. Redundant bytes are allowed, and no bytes mean 0.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        match shortest(bytes) {
            [] => Self { bytes: vec![0] },
            bytes => Self { bytes: bytes.to_vec() },
        }
    }

    /// Two's complement, big-endian, as short as possible.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The integer, if it fits into 128 bits.
    pub fn to_i128(&self) -> Option<i128> {
        let mut wide = if self.bytes[0] >> 7 == 0 { [0; 16] } else { [0xff; 16] };
        let start = 16_usize.checked_sub(self.bytes.len())?;
        wide[start..].copy_from_slice(&self.bytes);
        Some(i128::from_be_bytes(wide))
    }
}

impl From<i128> for Varint {
    fn from(number: i128) -> Self {
        Self::from_bytes(&number.to_be_bytes())
    }
}

impl From<i64> for Varint {
    fn from(number: i64) -> Self {
        Self::from_bytes(&number.to_be_bytes())
    }
}

impl fmt::Display for Varint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(number) = self.to_i128() {
            return number.fmt(f);
        }
        let negative = self.bytes[0] >> 7 == 1;
        let mut magnitude = self.bytes.clone();
        if negative {
            magnitude.iter_mut().for_each(|byte| *byte = !*byte);
            for byte in magnitude.iter_mut().rev() {
                let carry;
                (*byte, carry) = byte.overflowing_add(1);
                if !carry {
                    break;
                }
            }
        }
        f.pad_integral(!negative, "", &decimal_digits(&magnitude))
    }
}

/// The decimal digits of an unsigned integer.
fn decimal_digits(bytes: &[u8]) -> String {
    const GROUP: u64 = 1_000_000_000;
    // Groups of nine digits, least significant first.
    let mut groups = vec![0_u64];
    for byte in bytes {
        let mut carry = u64::from(*byte);
        for group in &mut groups {
            let sum = *group * 256 + carry;
            (*group, carry) = (sum % GROUP, sum / GROUP);
        }
        if carry > 0 {
            groups.push(carry);
        }
    }
    let mut groups = groups.iter().rev();
    let first = groups.next().map_or_else(String::new, u64::to_string);
    groups.fold(first, |digits, group| format!("{digits}{group:09}"))
}

impl From<i64> for Decimal {
    fn from(number: i64) -> Self {
        Self { scale: 0, digits: number.into() }
    }
}
