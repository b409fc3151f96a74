//! Bulk decoding of fixed-width numbers.

/// A number that the protocol encodes big-endian in a fixed number of bytes.
pub trait Fixed: Sized {
    /// The number of bytes.
    const WIDTH: usize = size_of::<Self>();

    /// Decodes these bytes; `None` if there are more or fewer than needed.
    fn read(bytes: &[u8]) -> Option<Self>;

    /// Decodes consecutive numbers, as in most vectors. Incomplete trailing bytes are ignored.
    fn read_all(bytes: &[u8]) -> impl ExactSizeIterator<Item = Self>;
}

macro_rules! fixed {
    ($($number:ty)*) => {$(
        impl Fixed for $number {
            #[inline]
            fn read(bytes: &[u8]) -> Option<Self> {
                bytes.try_into().ok().map(Self::from_be_bytes)
            }

            #[inline]
            fn read_all(bytes: &[u8]) -> impl ExactSizeIterator<Item = Self> {
                let (chunks, _) = bytes.as_chunks::<{ size_of::<Self>() }>();
                chunks.iter().map(|chunk| Self::from_be_bytes(*chunk))
            }
        }
    )*};
}

fixed!(i8 i16 i32 i64 u32 f32 f64);
