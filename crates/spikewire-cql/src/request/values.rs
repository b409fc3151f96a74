//! Values bound to the markers of a statement.

use super::RequestError;
use crate::notation::{Malformed, Reader, Result as ReadResult, TooLong, put_short};

/// Values that are already encoded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Values<'a> {
    /// How many there are.
    pub count: usize,
    /// Whether each is preceded by its name, a `[string]`.
    pub named: bool,
    /// Consecutive `[value]`s.
    pub bytes: &'a [u8],
}

impl Values<'_> {
    /// No values.
    pub const NONE: Self = Self { count: 0, named: false, bytes: &[] };
}

impl<'a> Values<'a> {
    /// Reads this many values from a request.
    pub fn read(count: usize, named: bool, reader: &mut Reader<'a>) -> ReadResult<Self> {
        let all = reader.rest();
        for _ in 0..count {
            if named {
                reader.string()?;
            }
            match reader.int()? {
                ..-2 => return Err(Malformed::new("a value of a negative length")),
                -2..0 => {}
                len => {
                    reader.take(len as usize)?;
                }
            }
        }
        Ok(Self { count, named, bytes: &all[..all.len() - reader.rest().len()] })
    }

    /// Whether the bytes are exactly that many values.
    fn are_whole(&self) -> bool {
        let mut reader = Reader(self.bytes);
        Self::read(self.count, self.named, &mut reader).is_ok() && reader.is_empty()
    }
}

/// Values to be written into a request.
pub trait WriteValues {
    /// Why a value cannot be encoded.
    type Error: From<RequestError>;

    /// How many there are.
    fn count(&self) -> usize;

    /// Whether each is preceded by its name.
    fn named(&self) -> bool;

    /// Appends them.
    fn write(self, out: &mut Vec<u8>) -> Result<(), Self::Error>;
}

impl WriteValues for Values<'_> {
    type Error = RequestError;

    fn count(&self) -> usize {
        self.count
    }

    fn named(&self) -> bool {
        self.named
    }

    fn write(self, out: &mut Vec<u8>) -> Result<(), RequestError> {
        out.extend_from_slice(self.bytes);
        Ok(())
    }
}

/// Values appended by a closure: `[value]`s, each preceded by a `[string]` if they have names.
pub fn values_with<E: From<RequestError>>(
    count: usize,
    named: bool,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> impl WriteValues<Error = E> {
    With { count, named, write }
}

struct With<F> {
    count: usize,
    named: bool,
    write: F,
}

impl<E, F> WriteValues for With<F>
where
    E: From<RequestError>,
    F: FnOnce(&mut Vec<u8>) -> Result<(), E>,
{
    type Error = E;

    fn count(&self) -> usize {
        self.count
    }

    fn named(&self) -> bool {
        self.named
    }

    fn write(self, out: &mut Vec<u8>) -> Result<(), E> {
        (self.write)(out)
    }
}

/// Appends the number of values, and the values.
pub(super) fn put_values<V: WriteValues>(out: &mut Vec<u8>, values: V) -> Result<(), V::Error> {
    let (count, named) = (values.count(), values.named());
    let too_long = |error: TooLong| V::Error::from(RequestError::TooLong(error));
    put_short(out, "values of a statement", count).map_err(too_long)?;
    let start = out.len();
    values.write(out)?;
    debug_assert!(Values { count, named, bytes: &out[start..] }.are_whole(), "{count} values");
    Ok(())
}
