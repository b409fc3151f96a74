//! The operators, their operands and result types.

use super::Type;

/// Number and types of an operator's operands, and its result type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signature {
    /// Two of the same type; bool.
    Compare,
    /// Two `GeoJSON` values; bool.
    Geo,
    /// Anything and a list; bool.
    In,
    /// Two or more bools; bool.
    Bools,
    /// One or more numbers of one type; the same type.
    Numbers,
    /// One number; the same type.
    Number,
    /// These types; the last one is the result type.
    Fixed(&'static [Type]),
    /// One or more integers; integer.
    Ints,
    /// Anything that has a text: an integer, a float, a string, a blob; a string.
    Text,
    /// Alternating tests and values, then a default value; the type of the values.
    Cond,
}

macro_rules! operators {
    ($($(#[doc = $text:literal])* $name:ident = $code:literal, $word:literal, $shape:expr;)*) => {
        /// An operator whose operands are all expressions. Its discriminant is its wire number.
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

            /// Its operands and result type.
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
    /// A point is within a region.
    Geo = 8, "geoCompare", Signature::Geo;
    /// A list contains the value.
    In = 9, "in", Signature::In;
    /// All are true.
    And = 16, "and", Signature::Bools;
    /// At least one is true.
    Or = 17, "or", Signature::Bools;
    /// Negation.
    Not = 18, "not", Signature::Fixed(&[Bool, Bool]);
    /// Exactly one is true.
    Exclusive = 19, "exclusive", Signature::Bools;
    /// Sum.
    Add = 20, "+", Signature::Numbers;
    /// The first minus the others; the negative of a single operand.
    Sub = 21, "-", Signature::Numbers;
    /// Product.
    Mul = 22, "*", Signature::Numbers;
    /// The first divided by the others; the reciprocal of a single operand. Integers are truncated
    /// toward zero.
    Div = 23, "/", Signature::Numbers;
    /// Power.
    Pow = 24, "**", Signature::Fixed(&[Float, Float, Float]);
    /// Logarithm of a number to a base.
    Log = 25, "log", Signature::Fixed(&[Float, Float, Float]);
    /// Remainder of a division, with the sign of the dividend.
    Mod = 26, "%", Signature::Fixed(&[Int, Int, Int]);
    /// Absolute value.
    Abs = 27, "abs", Signature::Number;
    /// Rounds down.
    Floor = 28, "floor", Signature::Fixed(&[Float, Float]);
    /// Rounds up.
    Ceil = 29, "ceil", Signature::Fixed(&[Float, Float]);
    /// Truncates a float toward zero.
    ToInt = 30, "toInt", Signature::Fixed(&[Float, Int]);
    /// Converts an integer to a float.
    ToFloat = 31, "toFloat", Signature::Fixed(&[Int, Float]);
    /// Bitwise AND.
    IntAnd = 32, "&", Signature::Ints;
    /// Bitwise OR.
    IntOr = 33, "|", Signature::Ints;
    /// Bitwise XOR.
    IntXor = 34, "^", Signature::Ints;
    /// Bitwise NOT.
    IntNot = 35, "~", Signature::Fixed(&[Int, Int]);
    /// Shift left.
    ShiftLeft = 36, "<<", Signature::Fixed(&[Int, Int, Int]);
    /// Logical shift right.
    ShiftRight = 37, ">>>", Signature::Fixed(&[Int, Int, Int]);
    /// Arithmetic shift right.
    ShiftSigned = 38, ">>", Signature::Fixed(&[Int, Int, Int]);
    /// Number of bits set.
    BitCount = 39, "countOneBits", Signature::Fixed(&[Int, Int]);
    /// The position of the first bit with this value, from the most significant; -1 if there is
    /// none.
    ScanLeft = 40, "findBitLeft", Signature::Fixed(&[Int, Bool, Int]);
    /// The position of the last bit with this value, counted from the most significant; -1 if there
    /// is none.
    ScanRight = 41, "findBitRight", Signature::Fixed(&[Int, Bool, Int]);
    /// The smallest.
    Min = 50, "min", Signature::Numbers;
    /// The largest.
    Max = 51, "max", Signature::Numbers;
    /// The text of an integer, a float, a string or a blob.
    ToText = 99, "toString", Signature::Text;
    /// The keys of a map.
    MapKeys = 101, "mapKeys", Signature::Fixed(&[Map, List]);
    /// The values of a map.
    MapValues = 102, "mapValues", Signature::Fixed(&[Map, List]);
    /// The value for the first test that is true, else the default.
    Cond = 123, "when", Signature::Cond;
}

impl Op {
    /// The operator with this wire number.
    pub fn from_wire(number: i64) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| *op as i64 == number)
    }
}

macro_rules! metadata {
    ($($(#[doc = $text:literal])* $name:ident = $code:literal, $word:literal, $kind:ident;)*) => {
        /// Metadata of a record. The discriminant is the wire number.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Meta {
            $($(#[doc = $text])* $name = $code,)*
        }

        impl Meta {
            /// Every kind of metadata.
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
    /// Size of the record in bytes.
    RecordSize = 74, "recordSize", Int;
}

impl Meta {
    /// The metadata with this wire number.
    pub fn from_wire(number: i64) -> Option<Self> {
        Self::ALL.iter().copied().find(|meta| *meta as i64 == number)
    }
}
