//! Many numbers of one width at once.

/// A number that the protocol writes big-endian in a fixed number of bytes.
pub trait Fixed: Sized {
    /// The number of bytes.
    const WIDTH: usize = size_of::<Self>();

    /// The number that these bytes are; `None` if they are more or fewer.
    fn read(bytes: &[u8]) -> Option<Self>;

    /// Numbers that stand one behind the other, as in most vectors. Bytes at the end that are too few
    /// for a number are left.
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
