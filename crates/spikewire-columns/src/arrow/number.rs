//! Numbers in a column: a vector per type, and which numbers it accepts.

use arrow_buffer::Buffer;

use crate::error::ColumnError;
use crate::wire_value::WireValue;

macro_rules! numbers {
    ($($variant:ident $type:ident $name:literal),*) => {
        /// Numbers of one type. Times are stored as integers.
        #[derive(Debug)]
        pub enum Numbers {
            $(#[doc = concat!("The type ", $name, ".")] $variant(Vec<$type>),)*
        }

        impl Numbers {
            /// Stores a number; `false` if the value is not one, or of another kind.
            #[inline]
            pub fn push(&mut self, item: &WireValue<'_>) -> Result<bool, ColumnError> {
                match self {
                    $(Self::$variant(all) => match <$type as Number>::take(item) {
                        Conversion::Number(number) => all.push(number),
                        Conversion::Other => return Ok(false),
                        Conversion::Beyond(number) => return Err(ColumnError::overflow(
                            format!("{number} does not fit {}", $name),
                        )),
                    },)*
                }
                Ok(true)
            }

            /// Stores a zero in place of a null.
            pub fn zero(&mut self) {
                match self {
                    $(Self::$variant(all) => all.push($type::default()),)*
                }
            }

            /// Drops all but the first `len` numbers.
            pub fn truncate(&mut self, len: usize) {
                match self {
                    $(Self::$variant(all) => all.truncate(len),)*
                }
            }

            /// The type's NumPy name.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                }
            }

            /// The memory.
            pub fn finish(self) -> Buffer {
                match self {
                    $(Self::$variant(all) => Buffer::from_vec(all),)*
                }
            }
        }
    };
}

numbers!(
    I8 i8 "int8",
    I16 i16 "int16",
    I32 i32 "int32",
    I64 i64 "int64",
    U8 u8 "uint8",
    U16 u16 "uint16",
    U32 u32 "uint32",
    U64 u64 "uint64",
    F32 f32 "float32",
    F64 f64 "float64"
);

/// The result of converting a value to a type.
enum Conversion<T> {
    Number(T),
    Beyond(String),
    Other,
}

trait Number: Sized {
    fn take(item: &WireValue<'_>) -> Conversion<Self>;
}

macro_rules! integer {
    ($($type:ident)*) => {
        $(impl Number for $type {
            #[inline]
            fn take(item: &WireValue<'_>) -> Conversion<Self> {
                match *item {
                    WireValue::Int(int) => Self::try_from(int)
                        .map_or_else(|_| Conversion::Beyond(int.to_string()), Conversion::Number),
                    WireValue::UInt(int) => Self::try_from(int)
                        .map_or_else(|_| Conversion::Beyond(int.to_string()), Conversion::Number),
                    _ => Conversion::Other,
                }
            }
        })*
    };
}

integer!(i8 i16 i32 i64 u8 u16 u32 u64);

/// Converts an integer to a float, which must represent it exactly.
macro_rules! exact {
    ($int:expr, $type:ident) => {{
        let float = $int as $type;
        if float as i128 == i128::from($int) {
            Conversion::Number(float)
        } else {
            Conversion::Beyond($int.to_string())
        }
    }};
}

impl Number for f64 {
    #[inline]
    fn take(item: &WireValue<'_>) -> Conversion<Self> {
        match *item {
            WireValue::Float(float) => Conversion::Number(float),
            WireValue::Int(int) => exact!(int, f64),
            WireValue::UInt(int) => exact!(int, f64),
            _ => Conversion::Other,
        }
    }
}

impl Number for f32 {
    #[inline]
    fn take(item: &WireValue<'_>) -> Conversion<Self> {
        match *item {
            WireValue::Float(float) => {
                let short = float as Self;
                if short.is_infinite() && float.is_finite() {
                    return Conversion::Beyond(float.to_string());
                }
                Conversion::Number(short)
            }
            WireValue::Int(int) => exact!(int, f32),
            WireValue::UInt(int) => exact!(int, f32),
            _ => Conversion::Other,
        }
    }
}
