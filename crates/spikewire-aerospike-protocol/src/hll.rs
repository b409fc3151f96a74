//! `HyperLogLog` operations.

use crate::Malformed;
use crate::cdt::call::{Argument, Arguments, Call};

/// Write flags.
pub mod write {
    /// Fail if the sketch exists.
    pub const CREATE_ONLY: i64 = 1;
    /// Fail if the sketch does not exist.
    pub const UPDATE_ONLY: i64 = 2;
    /// Do nothing instead of failing.
    pub const NO_FAIL: i64 = 4;
    /// Allow a union to make the sketch less precise.
    pub const ALLOW_FOLD: i64 = 8;
}

/// The precision of a sketch; -1 keeps that of the existing sketch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Precision {
    /// Index bits; the sketch has 2^index registers.
    pub index: i64,
    /// Minhash bits per register.
    pub minhash: i64,
}

/// No precision given.
pub const UNSET: Precision = Precision { index: -1, minhash: -1 };

/// Numbers of the operations on the wire.
mod number {
    pub const INIT: i64 = 0;
    pub const ADD: i64 = 1;
    pub const SET_UNION: i64 = 2;
    pub const REFRESH_COUNT: i64 = 3;
    pub const FOLD: i64 = 4;
    pub const COUNT: i64 = 50;
    pub const UNION: i64 = 51;
    pub const UNION_COUNT: i64 = 52;
    pub const INTERSECT_COUNT: i64 = 53;
    pub const SIMILARITY: i64 = 54;
    pub const DESCRIBE: i64 = 55;
    pub const MAY_CONTAIN: i64 = 56;
}

/// A sketch operation. Values and sketches are lists; `flags` are those of [`mod@write`].
#[derive(Debug, Clone, PartialEq)]
pub enum HllOp<V> {
    /// Create a sketch, or clear the existing one.
    Init(Precision, i64),
    /// Add values.
    Add {
        /// The values.
        values: V,
        /// Used if the sketch has to be created.
        precision: Precision,
        /// Write flags.
        flags: i64,
    },
    /// Make the bin the union of itself and other sketches.
    SetUnion(V, i64),
    /// Count, and store the result in the sketch.
    RefreshCount,
    /// Reduce to fewer index bits.
    Fold(i64),
    /// The estimated number of distinct values.
    Count,
    /// The union with other sketches.
    Union(V),
    /// The estimated number of values in the union.
    UnionCount(V),
    /// The estimated number of values in the intersection.
    IntersectCount(V),
    /// The estimated similarity: intersection divided by union.
    Similarity(V),
    /// Index bits and minhash bits.
    Describe,
    /// Whether all values may have been added.
    MayContain(V),
}

impl<V> HllOp<V> {
    /// Whether it is sent with the code for modifying operations.
    pub fn modifies(&self) -> bool {
        matches!(
            self,
            Self::Init(..)
                | Self::Add { .. }
                | Self::SetUnion(..)
                | Self::RefreshCount
                | Self::Fold(_)
        )
    }
}

impl<V: Argument> HllOp<V> {
    /// Appends the value of a message operation.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let call = Call::new(out);
        match self {
            Self::Init(precision, flags) => call.op(number::INIT).precision(*precision).int(*flags),
            Self::Add { values, precision, flags } => {
                call.op(number::ADD).value(values).precision(*precision).int(*flags)
            }
            Self::SetUnion(sketches, flags) => {
                call.op(number::SET_UNION).value(sketches).int(*flags)
            }
            Self::RefreshCount => call.op(number::REFRESH_COUNT),
            Self::Fold(index) => call.op(number::FOLD).int(*index),
            Self::Count => call.op(number::COUNT),
            Self::Union(sketches) => call.op(number::UNION).value(sketches),
            Self::UnionCount(sketches) => call.op(number::UNION_COUNT).value(sketches),
            Self::IntersectCount(sketches) => call.op(number::INTERSECT_COUNT).value(sketches),
            Self::Similarity(sketches) => call.op(number::SIMILARITY).value(sketches),
            Self::Describe => call.op(number::DESCRIBE),
            Self::MayContain(values) => call.op(number::MAY_CONTAIN).value(values),
        };
    }
}

impl Call<'_> {
    fn precision(self, precision: Precision) -> Self {
        self.int(precision.index).int(precision.minhash)
    }
}

impl<'a> HllOp<&'a [u8]> {
    /// Reads the value of a message operation.
    pub fn decode(payload: &'a [u8]) -> Result<Self, Malformed> {
        let (number, mut args) = Arguments::open(payload)?;
        let op = match number {
            number::INIT => Self::Init(precision(&mut args)?, args.int_or(0)?),
            number::ADD => {
                let values = args.value()?;
                let precision = precision(&mut args)?;
                Self::Add { values, precision, flags: args.int_or(0)? }
            }
            number::SET_UNION => Self::SetUnion(args.value()?, args.int_or(0)?),
            number::REFRESH_COUNT => Self::RefreshCount,
            number::FOLD => Self::Fold(args.int()?),
            number::COUNT => Self::Count,
            number::UNION => Self::Union(args.value()?),
            number::UNION_COUNT => Self::UnionCount(args.value()?),
            number::INTERSECT_COUNT => Self::IntersectCount(args.value()?),
            number::SIMILARITY => Self::Similarity(args.value()?),
            number::DESCRIBE => Self::Describe,
            number::MAY_CONTAIN => Self::MayContain(args.value()?),
            _ => return Err(Malformed::new("HLL operation", "unknown number")),
        };
        args.end()?;
        Ok(op)
    }
}

fn precision(args: &mut Arguments<'_>) -> Result<Precision, Malformed> {
    Ok(Precision { index: args.int_or(-1)?, minhash: args.int_or(-1)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[test]
    fn every_operation_round_trips() {
        let list = || Value::List(vec![Value::from("a")]);
        let precision = Precision { index: 8, minhash: -1 };
        let add = HllOp::Add { values: list(), precision, flags: 0 };
        let mut out = Vec::new();
        add.encode(&mut out);
        assert_eq!(out, [0x95, 1, 0x91, 0xa2, 3, b'a', 8, 0xff, 0]);
        for op in [
            HllOp::Init(UNSET, 2),
            add,
            HllOp::SetUnion(list(), 8),
            HllOp::RefreshCount,
            HllOp::Fold(4),
            HllOp::Count,
            HllOp::Union(list()),
            HllOp::UnionCount(list()),
            HllOp::IntersectCount(list()),
            HllOp::Similarity(list()),
            HllOp::Describe,
            HllOp::MayContain(list()),
        ] {
            let mut out = Vec::new();
            op.encode(&mut out);
            let read = HllOp::decode(&out).unwrap();
            assert_eq!(read.modifies(), op.modifies());
            let mut again = Vec::new();
            read.encode(&mut again);
            assert_eq!(again, out);
            assert!((0..out.len()).all(|end| HllOp::decode(&out[..end]).is_err()), "{op:?}");
        }
        assert!(HllOp::decode(&[0x92, 50, 1]).is_err());
    }
}
