//! Bit operations on blobs. Bits count from the most significant bit of the first byte, negative
//! offsets from the end.

use crate::Malformed;
use crate::cdt::call::{Argument, Arguments, Blob, Call};

/// Write flags.
pub mod write {
    /// Fail if the blob exists.
    pub const CREATE_ONLY: i64 = 1;
    /// Fail if the blob does not exist.
    pub const UPDATE_ONLY: i64 = 2;
    /// Do nothing instead of failing.
    pub const NO_FAIL: i64 = 4;
    /// Stop at the end of the blob instead of failing.
    pub const PARTIAL: i64 = 8;
}

/// Resize flags.
pub mod resize {
    /// At the front instead of the end.
    pub const FROM_FRONT: i64 = 1;
    /// Never get smaller.
    pub const GROW_ONLY: i64 = 2;
    /// Never get larger.
    pub const SHRINK_ONLY: i64 = 4;
}

/// Flags for adding and subtracting.
pub mod integer {
    /// The integer is signed.
    pub const SIGNED: i64 = 1;
    /// On overflow, use the largest or smallest value.
    pub const SATURATE: i64 = 2;
    /// On overflow, wrap around.
    pub const WRAP: i64 = 4;
}

/// Flags for base64.
pub mod base64 {
    /// The size counts from the end: that many bytes are left out there.
    pub const FROM_END: i64 = 1;
}

/// Numbers of the operations on the wire.
mod number {
    pub const RESIZE: i64 = 0;
    pub const INSERT: i64 = 1;
    pub const REMOVE: i64 = 2;
    pub const SET: i64 = 3;
    pub const OR: i64 = 4;
    pub const XOR: i64 = 5;
    pub const AND: i64 = 6;
    pub const NOT: i64 = 7;
    pub const SHIFT_LEFT: i64 = 8;
    pub const SHIFT_RIGHT: i64 = 9;
    pub const ADD: i64 = 10;
    pub const SUBTRACT: i64 = 11;
    pub const SET_INT: i64 = 12;
    pub const GET: i64 = 50;
    pub const COUNT: i64 = 51;
    pub const SCAN_LEFT: i64 = 52;
    pub const SCAN_RIGHT: i64 = 53;
    pub const GET_INT: i64 = 54;
    pub const BASE64: i64 = 55;
}

/// A range of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Area<N = i64> {
    /// Its first bit.
    pub offset: N,
    /// Number of bits.
    pub size: N,
}

/// How bits are combined with the existing ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combine {
    /// Replace.
    Set,
    /// Or.
    Or,
    /// Exclusive or.
    Xor,
    /// And.
    And,
}

/// A bit operation. `flags` are those of [`mod@write`]; `B` is the type of byte strings, `N` that
/// of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BitOp<B, N = i64> {
    /// Resize the blob to a number of bytes.
    Resize {
        /// The size.
        size: N,
        /// Write flags.
        flags: i64,
        /// Flags of [`resize`].
        how: i64,
    },
    /// Insert bytes.
    Insert {
        /// Offset in bytes.
        offset: N,
        /// The bytes.
        bytes: B,
        /// Write flags.
        flags: i64,
    },
    /// Remove bytes.
    Remove {
        /// Offset in bytes.
        offset: N,
        /// How many.
        size: N,
        /// Write flags.
        flags: i64,
    },
    /// Combine bits with the first ones of `bytes`.
    Combine {
        /// How.
        how: Combine,
        /// The bits.
        area: Area<N>,
        /// The other bits.
        bytes: B,
        /// Write flags.
        flags: i64,
    },
    /// Invert bits.
    Not {
        /// The bits.
        area: Area<N>,
        /// Write flags.
        flags: i64,
    },
    /// Shift bits within their area, filling with zeros.
    Shift {
        /// To the right instead of to the left.
        right: bool,
        /// The bits.
        area: Area<N>,
        /// How far.
        by: N,
        /// Write flags.
        flags: i64,
    },
    /// Add to the bits as an integer.
    Add {
        /// Subtract instead.
        subtract: bool,
        /// The bits.
        area: Area<N>,
        /// What to add.
        value: N,
        /// Write flags.
        flags: i64,
        /// Flags of [`integer`].
        how: i64,
    },
    /// Set the bits to an integer.
    SetInt {
        /// The bits.
        area: Area<N>,
        /// The integer.
        value: N,
        /// Write flags.
        flags: i64,
    },
    /// Read the bits as bytes, starting with the first bit.
    Get(Area<N>),
    /// Count the bits that are 1.
    Count(Area<N>),
    /// Find the first bit with a value.
    Scan {
        /// Find the last one instead.
        right: bool,
        /// The bits.
        area: Area<N>,
        /// The value.
        bit: bool,
    },
    /// Read the bits as an integer.
    GetInt {
        /// The bits.
        area: Area<N>,
        /// [`integer::SIGNED`] or 0.
        how: i64,
    },
    /// Read bytes as base64 text.
    Base64 {
        /// The first byte.
        offset: N,
        /// How many; all that follow if omitted.
        size: Option<N>,
        /// [`base64::FROM_END`] or 0.
        how: i64,
    },
}

impl Combine {
    fn number(self) -> i64 {
        match self {
            Self::Set => number::SET,
            Self::Or => number::OR,
            Self::Xor => number::XOR,
            Self::And => number::AND,
        }
    }
}

impl<B, N> BitOp<B, N> {
    /// Whether it is sent with the code for modifying operations.
    pub fn modifies(&self) -> bool {
        !matches!(
            self,
            Self::Get(_)
                | Self::Count(_)
                | Self::Scan { .. }
                | Self::GetInt { .. }
                | Self::Base64 { .. }
        )
    }
}

impl<B: Argument, N: Argument> BitOp<B, N> {
    /// Appends the value of a message operation.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let call = Call::new(out);
        match self {
            Self::Resize { size, flags, how } => {
                call.op(number::RESIZE).value(size).int(*flags).int(*how)
            }
            Self::Insert { offset, bytes, flags } => {
                call.op(number::INSERT).value(offset).value(bytes).int(*flags)
            }
            Self::Remove { offset, size, flags } => {
                call.op(number::REMOVE).value(offset).value(size).int(*flags)
            }
            Self::Combine { how, area, bytes, flags } => {
                call.op(how.number()).area(area).value(bytes).int(*flags)
            }
            Self::Not { area, flags } => call.op(number::NOT).area(area).int(*flags),
            Self::Shift { right, area, by, flags } => call
                .op(if *right { number::SHIFT_RIGHT } else { number::SHIFT_LEFT })
                .area(area)
                .value(by)
                .int(*flags),
            Self::Add { subtract, area, value, flags, how } => call
                .op(if *subtract { number::SUBTRACT } else { number::ADD })
                .area(area)
                .value(value)
                .int(*flags)
                .int(*how),
            Self::SetInt { area, value, flags } => {
                call.op(number::SET_INT).area(area).value(value).int(*flags)
            }
            Self::Get(area) => call.op(number::GET).area(area),
            Self::Count(area) => call.op(number::COUNT).area(area),
            Self::Scan { right, area, bit } => call
                .op(if *right { number::SCAN_RIGHT } else { number::SCAN_LEFT })
                .area(area)
                .flag(*bit),
            Self::GetInt { area, how } => {
                call.op(number::GET_INT).area(area).optional_int(Some(*how).filter(|how| *how != 0))
            }
            Self::Base64 { offset, size, how } => {
                let call = call.op(number::BASE64).value(offset);
                match size {
                    Some(size) => call.value(size).int(*how),
                    None => call,
                }
            }
        };
    }
}

impl<'a> BitOp<Blob<'a>> {
    /// Reads the value of a message operation.
    pub fn decode(payload: &'a [u8]) -> Result<Self, Malformed> {
        let (number, mut args) = Arguments::open(payload)?;
        let op = Self::arguments(number, &mut args)?;
        args.end()?;
        Ok(op)
    }

    fn arguments(number: i64, args: &mut Arguments<'a>) -> Result<Self, Malformed> {
        Ok(match number {
            number::RESIZE => {
                let size = args.int()?;
                Self::Resize { size, flags: args.int_or(0)?, how: args.int_or(0)? }
            }
            number::INSERT => {
                let (offset, bytes) = (args.int()?, Blob(args.bytes()?));
                Self::Insert { offset, bytes, flags: args.int_or(0)? }
            }
            number::REMOVE => {
                let (offset, size) = (args.int()?, args.int()?);
                Self::Remove { offset, size, flags: args.int_or(0)? }
            }
            number::SET => Self::combine(Combine::Set, args)?,
            number::OR => Self::combine(Combine::Or, args)?,
            number::XOR => Self::combine(Combine::Xor, args)?,
            number::AND => Self::combine(Combine::And, args)?,
            number::NOT => Self::Not { area: area(args)?, flags: args.int_or(0)? },
            number::SHIFT_LEFT | number::SHIFT_RIGHT => {
                let (area, by) = (area(args)?, args.int()?);
                let right = number == number::SHIFT_RIGHT;
                Self::Shift { right, area, by, flags: args.int_or(0)? }
            }
            number::ADD | number::SUBTRACT => {
                let (area, value) = (area(args)?, args.int()?);
                let (flags, how) = (args.int_or(0)?, args.int_or(0)?);
                Self::Add { subtract: number == number::SUBTRACT, area, value, flags, how }
            }
            number::SET_INT => {
                let (area, value) = (area(args)?, args.int()?);
                Self::SetInt { area, value, flags: args.int_or(0)? }
            }
            number::GET => Self::Get(area(args)?),
            number::COUNT => Self::Count(area(args)?),
            number::SCAN_LEFT | number::SCAN_RIGHT => {
                let right = number == number::SCAN_RIGHT;
                Self::Scan { right, area: area(args)?, bit: args.flag()? }
            }
            number::GET_INT => Self::GetInt { area: area(args)?, how: args.int_or(0)? },
            number::BASE64 => {
                let (offset, size) = (args.int_or(0)?, args.optional_int()?);
                Self::Base64 { offset, size, how: args.int_or(0)? }
            }
            _ => return Err(Malformed::new("bit operation", "unknown number")),
        })
    }

    fn combine(how: Combine, args: &mut Arguments<'a>) -> Result<Self, Malformed> {
        let (area, bytes) = (area(args)?, Blob(args.bytes()?));
        Ok(Self::Combine { how, area, bytes, flags: args.int_or(0)? })
    }
}

fn area(args: &mut Arguments<'_>) -> Result<Area, Malformed> {
    Ok(Area { offset: args.int()?, size: args.int()? })
}

impl Call<'_> {
    fn area<N: Argument>(self, area: &Area<N>) -> Self {
        self.value(&area.offset).value(&area.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_round_trips() {
        let area = Area { offset: -9, size: 300 };
        let (bytes, flags) = (Blob(b"\xff\x00"), 4);
        let mut all = vec![
            BitOp::Resize { size: 8, flags, how: 1 },
            BitOp::Insert { offset: -1, bytes, flags },
            BitOp::Remove { offset: 0, size: 3, flags: 0 },
            BitOp::Not { area, flags },
            BitOp::SetInt { area, value: -1, flags },
            BitOp::Get(area),
            BitOp::Count(area),
            BitOp::GetInt { area, how: 0 },
            BitOp::GetInt { area, how: 1 },
            BitOp::Base64 { offset: 1, size: None, how: 0 },
            BitOp::Base64 { offset: 1, size: Some(2), how: 0 },
            BitOp::Base64 { offset: 1, size: Some(2), how: base64::FROM_END },
        ];
        for how in [Combine::Set, Combine::Or, Combine::Xor, Combine::And] {
            all.push(BitOp::Combine { how, area, bytes, flags });
        }
        for flag in [false, true] {
            all.push(BitOp::Shift { right: flag, area, by: 3, flags });
            all.push(BitOp::Add { subtract: flag, area, value: 7, flags, how: 5 });
            all.push(BitOp::Scan { right: flag, area, bit: !flag });
        }
        for op in all {
            let mut out = Vec::new();
            op.encode(&mut out);
            assert_eq!(BitOp::decode(&out), Ok(op));
            for end in 0..out.len() {
                assert!(BitOp::decode(&out[..end]).is_err(), "{op:?} cut at {end}");
            }
        }
        let set = [0x95, 3, 0, 8, 0xa2, 4, 0xff, 0];
        let area = Area { offset: 0, size: 8 };
        let op = BitOp::Combine { how: Combine::Set, area, bytes: Blob(&[0xff]), flags: 0 };
        assert_eq!(BitOp::decode(&set), Ok(op));
        for (bytes, expected) in [
            (&[0x91, 55][..], BitOp::Base64 { offset: 0, size: None, how: 0 }),
            (&[0x92, 55, 1], BitOp::Base64 { offset: 1, size: None, how: 0 }),
            (&[0x93, 55, 1, 2], BitOp::Base64 { offset: 1, size: Some(2), how: 0 }),
            (&[0x94, 55, 1, 2, 1], BitOp::Base64 { offset: 1, size: Some(2), how: 1 }),
        ] {
            assert_eq!(BitOp::decode(bytes), Ok(expected));
        }
        for bad in
            [&[0x91, 13][..], &[0x91, 0xcc, 0xff], &[0x94, 52, 0, 1, 1], &[0x94, 51, 0, 1, 1]]
        {
            assert!(BitOp::decode(bad).is_err());
        }
    }
}
