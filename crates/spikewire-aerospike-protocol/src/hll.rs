//! `HyperLogLog` operations.

use crate::Malformed;
use crate::cdt::call::{Argument, Arguments, Call};

/// What a modifying operation may do.
pub mod write {
    /// Refuse to change a sketch that is there.
    pub const CREATE_ONLY: i64 = 1;
    /// Refuse to make a sketch.
    pub const UPDATE_ONLY: i64 = 2;
    /// Do nothing where it would be refused.
    pub const NO_FAIL: i64 = 4;
    /// Let a union make the sketch less precise.
    pub const ALLOW_FOLD: i64 = 8;
}

/// How precise a sketch is to be; -1 leaves a part to the sketch that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Precision {
    /// Index bits: there are 2 to this many registers.
    pub index: i64,
    /// Minhash bits of each register.
    pub minhash: i64,
}

/// Nothing said about precision.
pub const NOT_GIVEN: Precision = Precision { index: -1, minhash: -1 };

/// A sketch operation. Values and sketches are lists; `flags` are those of [`mod@write`].
#[derive(Debug, Clone, PartialEq)]
pub enum HllOp<V> {
    /// Make a sketch, or empty the one that is there.
    Init(Precision, i64),
    /// Add values.
    Add {
        /// The values.
        values: V,
        /// For a sketch that has to be made.
        precision: Precision,
        /// Write flags.
        flags: i64,
    },
    /// Make the bin the union of itself and other sketches.
    SetUnion(V, i64),
    /// Count and keep the result with the sketch.
    RefreshCount,
    /// Reduce to fewer index bits.
    Fold(i64),
    /// About how many different values were added.
    Count,
    /// The union with other sketches.
    Union(V),
    /// How many values the union has.
    UnionCount(V),
    /// How many values are in all sketches.
    IntersectCount(V),
    /// Which share of the union is in all sketches.
    Similarity(V),
    /// Index bits and minhash bits.
    Describe,
    /// Whether all values may have been added.
    MayContain(V),
}

impl<V> HllOp<V> {
    /// Whether it goes out with the code for modifying operations.
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
            Self::Init(precision, flags) => call.op(0).precision(*precision).int(*flags),
            Self::Add { values, precision, flags } => {
                call.op(1).value(values).precision(*precision).int(*flags)
            }
            Self::SetUnion(sketches, flags) => call.op(2).value(sketches).int(*flags),
            Self::RefreshCount => call.op(3),
            Self::Fold(index) => call.op(4).int(*index),
            Self::Count => call.op(50),
            Self::Union(sketches) => call.op(51).value(sketches),
            Self::UnionCount(sketches) => call.op(52).value(sketches),
            Self::IntersectCount(sketches) => call.op(53).value(sketches),
            Self::Similarity(sketches) => call.op(54).value(sketches),
            Self::Describe => call.op(55),
            Self::MayContain(values) => call.op(56).value(values),
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
            0 => Self::Init(precision(&mut args)?, args.int_or(0)?),
            1 => {
                let values = args.value()?;
                let precision = precision(&mut args)?;
                Self::Add { values, precision, flags: args.int_or(0)? }
            }
            2 => Self::SetUnion(args.value()?, args.int_or(0)?),
            3 => Self::RefreshCount,
            4 => Self::Fold(args.int()?),
            50 => Self::Count,
            51 => Self::Union(args.value()?),
            52 => Self::UnionCount(args.value()?),
            53 => Self::IntersectCount(args.value()?),
            54 => Self::Similarity(args.value()?),
            55 => Self::Describe,
            56 => Self::MayContain(args.value()?),
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
    fn what_is_written_is_read() {
        let list = || Value::List(vec![Value::from("a")]);
        let precision = Precision { index: 8, minhash: -1 };
        let add = HllOp::Add { values: list(), precision, flags: 0 };
        let mut out = Vec::new();
        add.encode(&mut out);
        assert_eq!(out, [0x95, 1, 0x91, 0xa2, 3, b'a', 8, 0xff, 0]);
        for op in [
            HllOp::Init(NOT_GIVEN, 2),
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
