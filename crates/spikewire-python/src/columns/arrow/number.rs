//! Numbers in a column: each type's vector, and which numbers it takes.

use arrow_buffer::Buffer;

use super::super::item::Item;
use super::super::trouble::Trouble;

macro_rules! numbers {
    ($($variant:ident $type:ident $shown:literal),*) => {
        /// Numbers of one type. Times are the integers they are kept as.
        #[derive(Debug)]
        pub enum Numbers {
            $($variant(Vec<$type>),)*
        }

        impl Numbers {
            /// Stores a number; `false` for what is none, or of another kind.
            #[inline]
            pub fn push(&mut self, item: &Item<'_>) -> Result<bool, Trouble> {
                match self {
                    $(Self::$variant(all) => match <$type as Number>::take(item) {
                        Took::Number(number) => all.push(number),
                        Took::Other => return Ok(false),
                        Took::Beyond(number) => return Err(Trouble::overflow(
                            format!("{number} does not fit {}", $shown),
                        )),
                    },)*
                }
                Ok(true)
            }

            pub fn zero(&mut self) {
                match self {
                    $(Self::$variant(all) => all.push($type::default()),)*
                }
            }

            pub fn truncate(&mut self, len: usize) {
                match self {
                    $(Self::$variant(all) => all.truncate(len),)*
                }
            }

            /// The type, as NumPy calls it.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $shown,)*
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

/// What a type makes of a value.
enum Took<T> {
    Number(T),
    Beyond(String),
    Other,
}

trait Number: Sized {
    fn take(item: &Item<'_>) -> Took<Self>;
}

macro_rules! integer {
    ($($type:ident)*) => {
        $(impl Number for $type {
            #[inline]
            fn take(item: &Item<'_>) -> Took<Self> {
                match *item {
                    Item::Int(int) => Self::try_from(int)
                        .map_or_else(|_| Took::Beyond(int.to_string()), Took::Number),
                    Item::UInt(int) => Self::try_from(int)
                        .map_or_else(|_| Took::Beyond(int.to_string()), Took::Number),
                    _ => Took::Other,
                }
            }
        })*
    };
}

integer!(i8 i16 i32 i64 u8 u16 u32 u64);

/// An integer that the float must hold exactly.
macro_rules! exact {
    ($int:expr, $type:ident) => {{
        let float = $int as $type;
        if float as i128 == i128::from($int) {
            Took::Number(float)
        } else {
            Took::Beyond($int.to_string())
        }
    }};
}

impl Number for f64 {
    #[inline]
    fn take(item: &Item<'_>) -> Took<Self> {
        match *item {
            Item::Float(float) => Took::Number(float),
            Item::Int(int) => exact!(int, f64),
            Item::UInt(int) => exact!(int, f64),
            _ => Took::Other,
        }
    }
}

impl Number for f32 {
    #[inline]
    fn take(item: &Item<'_>) -> Took<Self> {
        match *item {
            Item::Float(float) => {
                let short = float as Self;
                if short.is_infinite() && float.is_finite() {
                    return Took::Beyond(float.to_string());
                }
                Took::Number(short)
            }
            Item::Int(int) => exact!(int, f32),
            Item::UInt(int) => exact!(int, f32),
            _ => Took::Other,
        }
    }
}
