//! The encoding shared by list, map, bit and HLL operations: an array of an operation number and
//! its arguments.

use super::map_order::sort_maps;
use crate::Malformed;
use crate::msgpack::{self, Reader, Token, take};
use crate::value::{Value, particle};

/// A value that can be encoded as one argument, or as one element of a list or map.
///
/// Byte slices are values that are already encoded, and are copied as they are.
pub trait Argument {
    /// Appends exactly one `MessagePack` value.
    fn write(&self, out: &mut Vec<u8>);
}

impl Argument for [u8] {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }
}

impl Argument for Value {
    fn write(&self, out: &mut Vec<u8>) {
        self.encode_nested(out);
    }
}

impl Argument for Vec<u8> {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }
}

impl Argument for i64 {
    fn write(&self, out: &mut Vec<u8>) {
        msgpack::int(out, *self);
    }
}

/// Raw bytes that are not encoded yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blob<'a>(pub &'a [u8]);

impl Argument for Blob<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        msgpack::bytes(out, particle::BLOB, self.0);
    }
}

impl<T: Argument + ?Sized> Argument for &T {
    fn write(&self, out: &mut Vec<u8>) {
        (**self).write(out);
    }
}

/// Appends a value that an operation is given, in the form in which servers compare it: the pairs of
/// its maps are in their order.
pub(super) fn operand(value: &(impl Argument + ?Sized), out: &mut Vec<u8>) {
    let start = out.len();
    value.write(out);
    sort_maps(out, start);
}

/// Writes a call and counts its arguments, at most 14.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    out: &'a mut Vec<u8>,
    head: usize,
}

impl<'a> Call<'a> {
    /// Starts a call; append the operation number first.
    pub(crate) fn new(out: &'a mut Vec<u8>) -> Self {
        let head = out.len();
        out.push(0x90);
        Self { out, head }
    }

    /// Appends the operation number.
    pub(crate) fn op(self, number: i64) -> Self {
        self.int(number)
    }

    fn counted(self) -> Self {
        self.out[self.head] += 1;
        self
    }

    pub(crate) fn int(self, int: i64) -> Self {
        msgpack::int(self.out, int);
        self.counted()
    }

    pub(crate) fn flag(self, flag: bool) -> Self {
        msgpack::boolean(self.out, flag);
        self.counted()
    }

    pub(crate) fn nil(self) -> Self {
        msgpack::nil(self.out);
        self.counted()
    }

    pub(crate) fn value(self, value: &(impl Argument + ?Sized)) -> Self {
        operand(value, self.out);
        self.counted()
    }

    pub(crate) fn optional_int(self, int: Option<i64>) -> Self {
        match int {
            Some(int) => self.int(int),
            None => self,
        }
    }

    pub(crate) fn optional_value(self, value: Option<&impl Argument>) -> Self {
        match value {
            Some(value) => self.value(value),
            None => self,
        }
    }
}

/// Reads the arguments of a call.
#[derive(Debug)]
pub(crate) struct Arguments<'a> {
    reader: Reader<'a>,
    left: u32,
}

const WHAT: &str = "operation";

impl<'a> Arguments<'a> {
    /// Reads the operation number of a call; its arguments follow. Bytes after the call are
    /// ignored.
    pub(crate) fn open(payload: &'a [u8]) -> Result<(i64, Self), Malformed> {
        // Old encoding: the number in two bytes, then an array of the arguments, if any.
        if let [0, op, rest @ ..] = payload {
            let mut reader = Reader::new(rest);
            let left = match rest {
                [] => 0,
                _ => array(&mut reader)?,
            };
            return Ok((i64::from(*op), Self { reader, left }));
        }
        let mut reader = Reader::new(payload);
        let left = array(&mut reader)?;
        let mut arguments = Self { reader, left };
        Ok((arguments.int()?, arguments))
    }

    /// The next argument, undecoded.
    pub(crate) fn value(&mut self) -> Result<&'a [u8], Malformed> {
        let left = self.left.checked_sub(1).ok_or(Malformed::new(WHAT, "too few arguments"))?;
        self.left = left;
        take(&mut self.reader)
    }

    pub(crate) fn optional_value(&mut self) -> Result<Option<&'a [u8]>, Malformed> {
        if self.left == 0 { Ok(None) } else { self.value().map(Some) }
    }

    pub(crate) fn int(&mut self) -> Result<i64, Malformed> {
        int(self.value()?).ok_or(Malformed::new(WHAT, "an argument is not an integer"))
    }

    pub(crate) fn optional_int(&mut self) -> Result<Option<i64>, Malformed> {
        if self.left == 0 { Ok(None) } else { self.int().map(Some) }
    }

    pub(crate) fn int_or(&mut self, default: i64) -> Result<i64, Malformed> {
        Ok(self.optional_int()?.unwrap_or(default))
    }

    pub(crate) fn flag(&mut self) -> Result<bool, Malformed> {
        match self.value()? {
            [0xc2] => Ok(false),
            [0xc3] => Ok(true),
            _ => Err(Malformed::new(WHAT, "an argument is not a bool")),
        }
    }

    /// The payload of a byte string, of any particle type.
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        match Reader::new(self.value()?).next()? {
            Token::Bytes(_, bytes) => Ok(bytes),
            _ => Err(Malformed::new(WHAT, "an argument is not a byte string")),
        }
    }

    /// Fails if there are more arguments.
    pub(crate) fn end(&self) -> Result<(), Malformed> {
        if self.left == 0 { Ok(()) } else { Err(Malformed::new(WHAT, "too many arguments")) }
    }
}

fn array(reader: &mut Reader<'_>) -> Result<u32, Malformed> {
    match reader.next()? {
        Token::Array(count) => Ok(count),
        _ => Err(Malformed::new(WHAT, "not an array")),
    }
}

/// The value as an integer, if it is one; 2^63 and above are read as negative.
pub fn int(value: &[u8]) -> Option<i64> {
    match Reader::new(value).next() {
        Ok(Token::Int(int)) => Some(int),
        Ok(Token::UInt(int)) => Some(int as i64),
        _ => None,
    }
}

/// The undecoded elements of an array, without order flags; `None` if the value is not an array.
pub fn elements(value: &[u8]) -> Result<Option<Vec<&[u8]>>, Malformed> {
    let mut reader = Reader::new(value);
    let Token::Array(count) = reader.next()? else { return Ok(None) };
    let flags = count > 0 && reader.skip_flags();
    let mut elements = Vec::with_capacity(reader.capacity(count, 1));
    for _ in u32::from(flags)..count {
        elements.push(take(&mut reader)?);
    }
    Ok(Some(elements))
}
