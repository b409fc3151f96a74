//! Creates JavaScript values.

use std::ffi::c_void;
use std::ptr;

use napi_sys as sys;

use super::failure::Result;
use super::handle::{Env, Value};

/// JavaScript's `MAX_SAFE_INTEGER`.
pub const MAX_SAFE: i64 = (1 << 53) - 1;

impl<'e> Env<'e> {
    /// `undefined`.
    pub fn undefined(self) -> Result<Value<'e>> {
        // SAFETY: the environment is live; the result is written to a valid place.
        self.new_value(|out| unsafe { sys::napi_get_undefined(self.raw, out) })
    }

    /// `null`.
    pub fn null(self) -> Result<Value<'e>> {
        // SAFETY: as above.
        self.new_value(|out| unsafe { sys::napi_get_null(self.raw, out) })
    }

    /// `true` or `false`.
    pub fn boolean(self, flag: bool) -> Result<Value<'e>> {
        // SAFETY: as above.
        self.new_value(|out| unsafe { sys::napi_get_boolean(self.raw, flag, out) })
    }

    /// A number.
    pub fn number(self, number: f64) -> Result<Value<'e>> {
        // SAFETY: as above.
        self.new_value(|out| unsafe { sys::napi_create_double(self.raw, number, out) })
    }

    /// A small number.
    pub fn uint32(self, number: u32) -> Result<Value<'e>> {
        // SAFETY: as above.
        self.new_value(|out| unsafe { sys::napi_create_uint32(self.raw, number, out) })
    }

    /// A 32-bit number.
    pub fn int32(self, number: i32) -> Result<Value<'e>> {
        // SAFETY: as above.
        self.new_value(|out| unsafe { sys::napi_create_int32(self.raw, number, out) })
    }

    /// An integer: a number if that is exact, otherwise a bigint.
    #[inline]
    pub fn integer(self, int: i64) -> Result<Value<'e>> {
        if let Ok(small) = i32::try_from(int) {
            return self.int32(small);
        }
        if (-MAX_SAFE..=MAX_SAFE).contains(&int) {
            self.number(int as f64)
        } else {
            self.bigint(int)
        }
    }

    /// A bigint.
    pub fn bigint(self, int: i64) -> Result<Value<'e>> {
        // SAFETY: as above.
        self.new_value(|out| unsafe { sys::napi_create_bigint_int64(self.raw, int, out) })
    }

    /// An unsigned bigint.
    pub fn bigint_unsigned(self, int: u64) -> Result<Value<'e>> {
        // SAFETY: as above.
        self.new_value(|out| unsafe { sys::napi_create_bigint_uint64(self.raw, int, out) })
    }

    /// A bigint from big-endian two's complement.
    pub fn bigint_of(self, bytes: &[u8]) -> Result<Value<'e>> {
        let is_negative = bytes.first().is_some_and(|first| first >> 7 == 1);
        let fill = if is_negative { 0xff } else { 0 };
        let mut words: Vec<u64> = bytes
            .rchunks(8)
            .map(|chunk| {
                let mut word = [fill; 8];
                word[8 - chunk.len()..].copy_from_slice(chunk);
                u64::from_be_bytes(word)
            })
            .collect();
        if is_negative {
            negate(&mut words);
        }
        let (sign, count) = (i32::from(is_negative), words.len());
        // SAFETY: pointer and count are those of a live vector.
        self.new_value(|out| unsafe {
            sys::napi_create_bigint_words(self.raw, sign, count, words.as_ptr(), out)
        })
    }

    /// A `Date`, in milliseconds since 1970.
    pub fn date(self, milliseconds: f64) -> Result<Value<'e>> {
        // SAFETY: the environment is live; the result is written to a valid place.
        self.new_value(|out| unsafe { sys::napi_create_date(self.raw, milliseconds, out) })
    }

    /// A `Float32Array` of these numbers.
    pub fn float32_array(self, numbers: impl ExactSizeIterator<Item = f32>) -> Result<Value<'e>> {
        let bytes: Vec<u8> = numbers.flat_map(f32::to_ne_bytes).collect();
        let (buffer, kind) = (self.array_buffer(&bytes)?, sys::TypedarrayType::float32_array);
        let len = bytes.len() / size_of::<f32>();
        // SAFETY: the buffer is live, and the numbers fill it from its start.
        self.new_value(|out| unsafe {
            sys::napi_create_typedarray(self.raw, kind, len, buffer.as_raw(), 0, out)
        })
    }

    /// A string.
    #[inline]
    pub fn string(self, text: &str) -> Result<Value<'e>> {
        if text.is_ascii() {
            return self.ascii(text.as_bytes());
        }
        let (bytes, len) = (text.as_ptr().cast(), text.len() as isize);
        // SAFETY: pointer and length are those of a live slice.
        self.new_value(|out| unsafe { sys::napi_create_string_utf8(self.raw, bytes, len, out) })
    }

    /// A string with one character per byte.
    pub fn latin1(self, bytes: &[u8]) -> Result<Value<'e>> {
        let (data, len) = (bytes.as_ptr().cast(), bytes.len() as isize);
        // SAFETY: pointer and length are those of a live slice.
        self.new_value(|out| unsafe { sys::napi_create_string_latin1(self.raw, data, len, out) })
    }

    /// A string of ASCII characters.
    #[inline]
    pub fn ascii(self, text: &[u8]) -> Result<Value<'e>> {
        let (bytes, len) = (text.as_ptr().cast(), text.len() as isize);
        // SAFETY: pointer and length are those of a live slice; ASCII is Latin-1.
        self.new_value(|out| unsafe { sys::napi_create_string_latin1(self.raw, bytes, len, out) })
    }

    /// A `Buffer` with a copy of the bytes.
    pub fn buffer(self, bytes: &[u8]) -> Result<Value<'e>> {
        let (data, mut copied) = (bytes.as_ptr().cast::<c_void>(), ptr::null_mut());
        // SAFETY: pointer and length are those of a live slice; the address of the copy is
        // discarded.
        self.new_value(|out| unsafe {
            sys::napi_create_buffer_copy(self.raw, bytes.len(), data, &raw mut copied, out)
        })
    }

    /// An `ArrayBuffer` with a copy of the bytes.
    pub fn array_buffer(self, bytes: &[u8]) -> Result<Value<'e>> {
        let mut data = ptr::null_mut::<c_void>();
        let buffer = self.new_value(|out| {
            // SAFETY: the environment is live; the results are written to valid places.
            unsafe { sys::napi_create_arraybuffer(self.raw, bytes.len(), &raw mut data, out) }
        })?;
        if !bytes.is_empty() {
            // SAFETY: the buffer was just created with room for this many bytes.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), data.cast(), bytes.len()) };
        }
        Ok(buffer)
    }

    /// An `Int32Array` with a copy of these numbers.
    pub fn int32_array(self, numbers: &[i32]) -> Result<Value<'e>> {
        let (len, mut data) = (numbers.len(), ptr::null_mut::<c_void>());
        let buffer = self.new_value(|out| {
            // SAFETY: the environment is live; the results are written to valid places.
            unsafe {
                sys::napi_create_arraybuffer(self.raw, size_of_val(numbers), &raw mut data, out)
            }
        })?;
        if len > 0 {
            // SAFETY: the buffer was just created with room for this many numbers.
            unsafe { ptr::copy_nonoverlapping(numbers.as_ptr(), data.cast(), len) };
        }
        let kind = sys::TypedarrayType::int32_array;
        // SAFETY: as above; the numbers fill the buffer from its start.
        self.new_value(|out| unsafe {
            sys::napi_create_typedarray(self.raw, kind, len, buffer.as_raw(), 0, out)
        })
    }

    /// An array of this length, without elements.
    pub fn array(self, len: usize) -> Result<Value<'e>> {
        // SAFETY: the environment is live; the result is written to a valid place.
        self.new_value(|out| unsafe { sys::napi_create_array_with_length(self.raw, len, out) })
    }

    /// An array of these values.
    pub fn array_of(
        self,
        values: impl ExactSizeIterator<Item = Result<Value<'e>>>,
    ) -> Result<Value<'e>> {
        let array = self.array(values.len())?;
        for (at, value) in values.enumerate() {
            array.set_element(at as u32, value?)?;
        }
        Ok(array)
    }

    /// An empty object.
    pub fn object(self) -> Result<Value<'e>> {
        // SAFETY: the environment is live; the result is written to a valid place.
        self.new_value(|out| unsafe { sys::napi_create_object(self.raw, out) })
    }

    /// Takes the pending exception, if there is one.
    pub fn take_exception(self) -> Option<Value<'e>> {
        let mut pending = false;
        // SAFETY: the environment is live; the result is written to a valid place.
        let status = unsafe { sys::napi_is_exception_pending(self.raw, &raw mut pending) };
        if status != sys::Status::napi_ok || !pending {
            return None;
        }
        // SAFETY: as above.
        self.new_value(|out| unsafe { sys::napi_get_and_clear_last_exception(self.raw, out) }).ok()
    }

    /// Reports an exception that no JavaScript code can catch: `uncaughtException`.
    pub fn report(self, exception: Value<'_>) {
        // SAFETY: the environment is live, and the value belongs to it.
        unsafe { sys::napi_fatal_exception(self.raw, exception.as_raw()) };
    }
}

/// Negates an integer in two's complement, the lowest word first.
pub(super) fn negate(words: &mut [u64]) {
    let mut carry = true;
    for word in words {
        (*word, carry) = (!*word).overflowing_add(u64::from(carry));
    }
}
