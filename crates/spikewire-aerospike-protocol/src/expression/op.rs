//! The operators and what they take and give.

use super::Type;

/// How many operands an operator takes, of which types, and the type it gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signature {
    /// Two of the same type; bool.
    Compare,
    /// Two `GeoJSON` values; bool.
    Geo,
    /// Anything and a list; bool.
    In,
    /// Two bools or more; bool.
    Bools,
    /// Numbers of one type, one or more; the same.
    Numbers,
    /// One number; the same.
    Number,
    /// These types; the last one is the result's.
    Fixed(&'static [Type]),
    /// Integers, one or more; integer.
    Ints,
    /// Tests and values by turns, then a value; the type of the values.
    Cond,
}

macro_rules! operators {
    ($($(#[doc = $text:literal])* $name:ident = $code:literal, $word:literal, $shape:expr;)*) => {
        /// An operator whose operands are all expressions. Its number is that on the wire.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Op {
            $($(#[doc = $text])* $name = $code,)*
        }

        impl Op {
            /// Every operator.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The symbol or name in text expressions.
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// What it takes and gives.
            pub fn signature(self) -> Signature {
                match self { $(Self::$name => $shape,)* }
            }
        }
    };
}

use Type::{Bool, Float, Int, List, Map};

operators! {
    /// Equal.
    Eq = 1, "==", Signature::Compare;
    /// Not equal.
    Ne = 2, "!=", Signature::Compare;
    /// Greater.
    Gt = 3, ">", Signature::Compare;
    /// Greater or equal.
    Ge = 4, ">=", Signature::Compare;
    /// Less.
    Lt = 5, "<", Signature::Compare;
    /// Less or equal.
    Le = 6, "<=", Signature::Compare;
    /// A point lies in a region.
    Geo = 8, "geoCompare", Signature::Geo;
    /// A list holds the value.
    In = 9, "in", Signature::In;
    /// All are true.
    And = 16, "and", Signature::Bools;
    /// One is true or more.
    Or = 17, "or", Signature::Bools;
    /// The opposite.
    Not = 18, "not", Signature::Fixed(&[Bool, Bool]);
    /// Exactly one is true.
    Exclusive = 19, "exclusive", Signature::Bools;
    /// Sum.
    Add = 20, "+", Signature::Numbers;
    /// The first less the others; the negative of one alone.
    Sub = 21, "-", Signature::Numbers;
    /// Product.
    Mul = 22, "*", Signature::Numbers;
    /// The first over the others; 1 over one alone. Integers are cut toward zero.
    Div = 23, "/", Signature::Numbers;
    /// Power.
    Pow = 24, "**", Signature::Fixed(&[Float, Float, Float]);
    /// Logarithm of a number to a base.
    Log = 25, "log", Signature::Fixed(&[Float, Float, Float]);
    /// What is left of a division, with the sign of the dividend.
    Mod = 26, "%", Signature::Fixed(&[Int, Int, Int]);
    /// The number without its sign.
    Abs = 27, "abs", Signature::Number;
    /// The next whole number below.
    Floor = 28, "floor", Signature::Fixed(&[Float, Float]);
    /// The next whole number above.
    Ceil = 29, "ceil", Signature::Fixed(&[Float, Float]);
    /// A float cut toward zero.
    ToInt = 30, "toInt", Signature::Fixed(&[Float, Int]);
    /// An integer as a float.
    ToFloat = 31, "toFloat", Signature::Fixed(&[Int, Float]);
    /// Bits set in all.
    IntAnd = 32, "&", Signature::Ints;
    /// Bits set in any.
    IntOr = 33, "|", Signature::Ints;
    /// Bits set in an odd number of them.
    IntXor = 34, "^", Signature::Ints;
    /// Every bit turned over.
    IntNot = 35, "~", Signature::Fixed(&[Int, Int]);
    /// Bits moved up.
    ShiftLeft = 36, "<<", Signature::Fixed(&[Int, Int, Int]);
    /// Bits moved down, zeros from above.
    ShiftRight = 37, ">>>", Signature::Fixed(&[Int, Int, Int]);
    /// Bits moved down, the sign from above.
    ShiftSigned = 38, ">>", Signature::Fixed(&[Int, Int, Int]);
    /// How many bits are set.
    BitCount = 39, "countOneBits", Signature::Fixed(&[Int, Int]);
    /// The first bit like this from the top; -1 if there is none.
    ScanLeft = 40, "findBitLeft", Signature::Fixed(&[Int, Bool, Int]);
    /// The first bit like this from the bottom, counted from the top; -1 if there is none.
    ScanRight = 41, "findBitRight", Signature::Fixed(&[Int, Bool, Int]);
    /// The smallest.
    Min = 50, "min", Signature::Numbers;
    /// The largest.
    Max = 51, "max", Signature::Numbers;
    /// The keys of a map.
    MapKeys = 101, "mapKeys", Signature::Fixed(&[Map, List]);
    /// The values of a map.
    MapValues = 102, "mapValues", Signature::Fixed(&[Map, List]);
    /// The value behind the first test that is true, else the last value.
    Cond = 123, "when", Signature::Cond;
}

impl Op {
    /// The operator with this number on the wire.
    pub fn from_wire(number: i64) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| *op as i64 == number)
    }
}

macro_rules! metadata {
    ($($(#[doc = $text:literal])* $name:ident = $code:literal, $word:literal, $kind:ident;)*) => {
        /// What can be asked of a record besides its bins. Its number is that on the wire.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Meta {
            $($(#[doc = $text])* $name = $code,)*
        }

        impl Meta {
            /// All of it.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name in text expressions.
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// The type of its value.
            pub fn kind(self) -> Type {
                match self { $(Self::$name => Type::$kind,)* }
            }
        }
    };
}

metadata! {
    /// Bytes on a device.
    DeviceSize = 65, "deviceSize", Int;
    /// When the record was last written, in ns since 1970.
    LastUpdate = 66, "lastUpdate", Int;
    /// Milliseconds since it was last written.
    SinceUpdate = 67, "sinceUpdate", Int;
    /// When it expires, in ns since 1970; -1 for never.
    VoidTime = 68, "voidTime", Int;
    /// Seconds until it expires; -1 for never.
    Ttl = 69, "ttl", Int;
    /// The name of its set.
    SetName = 70, "setName", Str;
    /// Whether its user key is stored with it.
    KeyExists = 71, "keyExists", Bool;
    /// Whether it is a tombstone.
    IsTombstone = 72, "isTombstone", Bool;
    /// Bytes in memory.
    MemorySize = 73, "memorySize", Int;
    /// Bytes it takes.
    RecordSize = 74, "recordSize", Int;
}

impl Meta {
    /// What has this number on the wire.
    pub fn from_wire(number: i64) -> Option<Self> {
        Self::ALL.iter().copied().find(|meta| *meta as i64 == number)
    }
}
