//! Reads values.

use std::ffi::c_void;
use std::ptr;

use memchr::{memchr, memmem};
use napi_sys as sys;

use super::create::negate;
use super::failure::{Failure, Result};
use super::handle::{Value, checked};
use super::shared::{copied_shared, copied_shared_numbers};

/// The result of `typeof`, with `null` separate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    Undefined,
    Null,
    Boolean,
    Number,
    String,
    Symbol,
    Object,
    Function,
    External,
    BigInt,
}

impl Type {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Undefined => "undefined",
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Symbol => "symbol",
            Self::Object | Self::External => "object",
            Self::Function => "function",
            Self::BigInt => "bigint",
        }
    }
}

/// Whether text contains the replacement character. Most text does not even contain its first byte.
fn has_replacement(text: &[u8]) -> bool {
    const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();
    memchr(REPLACEMENT[0], text).is_some_and(|at| memmem::find(&text[at..], REPLACEMENT).is_some())
}

/// The buffer size first offered for text; longer text is asked for its length.
const ROOM: usize = 256;

impl<'e> Value<'e> {
    /// The result of `typeof`, with `null` separate.
    #[inline]
    pub fn kind(self) -> Type {
        let mut kind = sys::ValueType::napi_undefined;
        // SAFETY: the value is live; the result is written to a valid place.
        unsafe { sys::napi_typeof(self.env.raw, self.raw, &raw mut kind) };
        match kind {
            sys::ValueType::napi_null => Type::Null,
            sys::ValueType::napi_boolean => Type::Boolean,
            sys::ValueType::napi_number => Type::Number,
            sys::ValueType::napi_string => Type::String,
            sys::ValueType::napi_symbol => Type::Symbol,
            sys::ValueType::napi_object => Type::Object,
            sys::ValueType::napi_function => Type::Function,
            sys::ValueType::napi_external => Type::External,
            sys::ValueType::napi_bigint => Type::BigInt,
            _ => Type::Undefined,
        }
    }

    /// Whether it is `undefined` or `null`, which mean that an option is left out.
    pub fn is_absent(self) -> bool {
        matches!(self.kind(), Type::Undefined | Type::Null)
    }

    /// The value, unless it is `undefined` or `null`.
    pub fn present(self) -> Option<Self> {
        (!self.is_absent()).then_some(self)
    }

    /// A number; `None` for other types.
    #[inline]
    pub fn number(self) -> Option<f64> {
        let mut number = 0.0;
        // SAFETY: the value is live; the result is written to a valid place.
        let status = unsafe { sys::napi_get_value_double(self.env.raw, self.raw, &raw mut number) };
        (status == sys::Status::napi_ok).then_some(number)
    }

    /// A small integer passed by the package's own code.
    #[inline]
    pub fn index(self) -> Result<u32> {
        let mut number = 0;
        // SAFETY: as above.
        let status = unsafe { sys::napi_get_value_uint32(self.env.raw, self.raw, &raw mut number) };
        if status == sys::Status::napi_ok {
            return Ok(number);
        }
        Err(Failure::of_type(format!("a number was expected, not {}", self.kind().name())))
    }

    /// A boolean; `None` for other types.
    pub fn boolean(self) -> Option<bool> {
        let mut flag = false;
        // SAFETY: as above.
        let status = unsafe { sys::napi_get_value_bool(self.env.raw, self.raw, &raw mut flag) };
        (status == sys::Status::napi_ok).then_some(flag)
    }

    /// A bigint; `None` for other types, and `Some(Err)` for one that does not fit signed 64 bits.
    pub fn bigint(self) -> Option<std::result::Result<i64, ()>> {
        let (mut int, mut lossless) = (0, false);
        // SAFETY: as above.
        let status = unsafe {
            sys::napi_get_value_bigint_int64(
                self.env.raw,
                self.raw,
                &raw mut int,
                &raw mut lossless,
            )
        };
        (status == sys::Status::napi_ok).then_some(if lossless { Ok(int) } else { Err(()) })
    }

    /// A bigint of any size, as big-endian two's complement; `None` for other types.
    pub fn bigint_bytes(self) -> Option<Vec<u8>> {
        let (mut sign, mut count) = (0, 0);
        // SAFETY: the value is live; without a place for the words only their number is written.
        let status = unsafe {
            sys::napi_get_value_bigint_words(
                self.env.raw,
                self.raw,
                ptr::null_mut(),
                &raw mut count,
                ptr::null_mut(),
            )
        };
        if status != sys::Status::napi_ok {
            return None;
        }
        // One more word for the sign.
        let mut words = vec![0_u64; count + 1];
        // SAFETY: there is room for this many words.
        let status = unsafe {
            let place = words.as_mut_ptr();
            sys::napi_get_value_bigint_words(
                self.env.raw,
                self.raw,
                &raw mut sign,
                &raw mut count,
                place,
            )
        };
        if status != sys::Status::napi_ok {
            return None;
        }
        if sign != 0 {
            negate(&mut words);
        }
        Some(words.iter().rev().flat_map(|word| word.to_be_bytes()).collect())
    }

    /// A copy of the numbers of a typed array; `None` for other types, including arrays of bigints.
    pub fn typed_numbers(self) -> Option<Vec<f64>> {
        let mut is = false;
        // SAFETY: the value is live; the result is written to a valid place.
        unsafe { sys::napi_is_typedarray(self.env.raw, self.raw, &raw mut is) };
        if !is {
            return None;
        }
        let (mut kind, mut data, mut len) = (0, ptr::null_mut::<c_void>(), 0);
        let mut buffer = ptr::null_mut();
        // SAFETY: as above; the offset is not asked for.
        let status = unsafe {
            sys::napi_get_typedarray_info(
                self.env.raw,
                self.raw,
                &raw mut kind,
                &raw mut len,
                &raw mut data,
                &raw mut buffer,
                ptr::null_mut(),
            )
        };
        if status != sys::Status::napi_ok {
            return None;
        }
        if len == 0 || data.is_null() {
            return Some(Vec::new());
        }
        let is_shared = !self.env.owns_memory(buffer);
        // SAFETY: the array is live and has this many numbers of its type; no JavaScript code runs
        // meanwhile. Its memory is shared with no other thread, or copied with care.
        unsafe {
            if is_shared {
                return copied_shared_numbers(kind, data, len);
            }
            Some(match kind {
                sys::TypedarrayType::float32_array => copied::<f32>(data, len),
                sys::TypedarrayType::float64_array => copied::<f64>(data, len),
                sys::TypedarrayType::int8_array => copied::<i8>(data, len),
                sys::TypedarrayType::int16_array => copied::<i16>(data, len),
                sys::TypedarrayType::int32_array => copied::<i32>(data, len),
                sys::TypedarrayType::uint8_array | sys::TypedarrayType::uint8_clamped_array => {
                    copied::<u8>(data, len)
                }
                sys::TypedarrayType::uint16_array => copied::<u16>(data, len),
                sys::TypedarrayType::uint32_array => copied::<u32>(data, len),
                _ => return None,
            })
        }
    }

    /// Appends a string as UTF-8; `false` for other types. A lone surrogate, which UTF-8 cannot
    /// represent, is rejected.
    #[inline]
    pub fn append_text(self, out: &mut Vec<u8>) -> Result<bool> {
        let start = out.len();
        out.reserve(ROOM);
        let mut written = self.copy_text(out, ROOM)?;
        let Some(len) = written.as_mut() else { return Ok(false) };
        // A character takes up to four bytes, so the text may have been truncated.
        if *len + 4 >= ROOM {
            let whole = self.text_len()?;
            out.reserve(whole + 1);
            *len = self.copy_text(out, whole + 1)?.unwrap_or_default();
        }
        // SAFETY: this many bytes after `start` were just written.
        unsafe { out.set_len(start + *len) };
        if has_replacement(&out[start..]) && self.has_lone_surrogate()? {
            out.truncate(start);
            return Err(Failure::of_range(
                "the string cannot be written as UTF-8: it has a lone surrogate",
            ));
        }
        Ok(true)
    }

    /// Copies text to the end of `out`, up to `room` bytes including the terminating zero; `None`
    /// for other types.
    fn copy_text(self, out: &mut Vec<u8>, room: usize) -> Result<Option<usize>> {
        debug_assert!(out.capacity() - out.len() >= room);
        let mut written = 0;
        // SAFETY: the vector has this much room behind its end.
        let status = unsafe {
            let end = out.as_mut_ptr().add(out.len()).cast();
            sys::napi_get_value_string_utf8(self.env.raw, self.raw, end, room, &raw mut written)
        };
        match status {
            sys::Status::napi_ok => Ok(Some(written)),
            sys::Status::napi_string_expected => Ok(None),
            _ => Err(Failure::Pending),
        }
    }

    fn text_len(self) -> Result<usize> {
        let mut len = 0;
        // SAFETY: without a place for the text only its length is written.
        checked(unsafe {
            sys::napi_get_value_string_utf8(
                self.env.raw,
                self.raw,
                ptr::null_mut(),
                0,
                &raw mut len,
            )
        })?;
        Ok(len)
    }

    fn has_lone_surrogate(self) -> Result<bool> {
        let mut len = 0;
        // SAFETY: without a place for the text only its length is written.
        checked(unsafe {
            sys::napi_get_value_string_utf16(
                self.env.raw,
                self.raw,
                ptr::null_mut(),
                0,
                &raw mut len,
            )
        })?;
        let mut units = vec![0_u16; len + 1];
        // SAFETY: the vector has room for the text and the zero at its end.
        checked(unsafe {
            let place = units.as_mut_ptr();
            sys::napi_get_value_string_utf16(self.env.raw, self.raw, place, len + 1, &raw mut len)
        })?;
        Ok(char::decode_utf16(units[..len].iter().copied()).any(|unit| unit.is_err()))
    }

    /// A string; `None` for other types.
    pub fn text(self) -> Result<Option<String>> {
        let mut bytes = Vec::new();
        let is_text = self.append_text(&mut bytes)?;
        // Node-API writes valid UTF-8, with replacement characters.
        Ok(is_text.then(|| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Whether it is an array.
    pub fn is_array(self) -> bool {
        let mut is = false;
        // SAFETY: the value is live; the result is written to a valid place.
        unsafe { sys::napi_is_array(self.env.raw, self.raw, &raw mut is) };
        is
    }

    /// The length of an array.
    pub fn len(self) -> Result<u32> {
        let mut len = 0;
        // SAFETY: as above.
        checked(unsafe { sys::napi_get_array_length(self.env.raw, self.raw, &raw mut len) })?;
        Ok(len)
    }

    /// An element of an array.
    #[inline]
    pub fn element(self, at: u32) -> Result<Value<'e>> {
        // SAFETY: as above.
        self.env.new_value(|out| unsafe { sys::napi_get_element(self.env.raw, self.raw, at, out) })
    }

    /// Sets an element of an array.
    pub fn set_element(self, at: u32, value: Value<'_>) -> Result<()> {
        // SAFETY: both values are live.
        checked(unsafe { sys::napi_set_element(self.env.raw, self.raw, at, value.raw) })
    }

    /// A property; `undefined` if there is none.
    pub fn get(self, name: Value<'_>) -> Result<Value<'e>> {
        // SAFETY: both values are live.
        self.env.new_value(|out| unsafe {
            sys::napi_get_property(self.env.raw, self.raw, name.raw, out)
        })
    }

    /// A property with a constant name.
    pub fn named(self, name: &std::ffi::CStr) -> Result<Value<'e>> {
        let name = name.as_ptr();
        // SAFETY: the value is live, and the name ends with a zero.
        self.env.new_value(|out| unsafe {
            sys::napi_get_named_property(self.env.raw, self.raw, name, out)
        })
    }

    /// Sets a property.
    pub fn set(self, name: Value<'_>, value: Value<'_>) -> Result<()> {
        // SAFETY: all values are live.
        checked(unsafe { sys::napi_set_property(self.env.raw, self.raw, name.raw, value.raw) })
    }

    /// Sets a property with a constant name.
    pub fn set_named(self, name: &std::ffi::CStr, value: Value<'_>) -> Result<()> {
        let name = name.as_ptr();
        // SAFETY: both values are live, and the name ends with a zero.
        checked(unsafe { sys::napi_set_named_property(self.env.raw, self.raw, name, value.raw) })
    }

    /// The names of an object's own enumerable properties, in an array; some may be symbols.
    pub fn own_names(self) -> Result<Value<'e>> {
        use sys::{KeyCollectionMode, KeyConversion, KeyFilter};
        let filter = KeyFilter::enumerable;
        // SAFETY: the value is live; the result is written to a valid place.
        self.env.new_value(|out| unsafe {
            sys::napi_get_all_property_names(
                self.env.raw,
                self.raw,
                KeyCollectionMode::own_only,
                filter,
                KeyConversion::numbers_to_strings,
                out,
            )
        })
    }

    /// Whether it is a plain object, from whatever realm: its prototype itself has none.
    pub fn is_plain_object(self) -> Result<bool> {
        let prototype = self.prototype()?;
        if prototype.kind() == Type::Null {
            return Ok(false);
        }
        Ok(prototype.prototype()?.kind() == Type::Null)
    }

    /// Whether it has no prototype: it is a plain object without one, or a `Proxy`.
    pub fn has_no_prototype(self) -> Result<bool> {
        Ok(self.prototype()?.kind() == Type::Null)
    }

    fn prototype(self) -> Result<Value<'e>> {
        // SAFETY: the value is live; the result is written to a valid place.
        self.env.new_value(|out| unsafe { sys::napi_get_prototype(self.env.raw, self.raw, out) })
    }

    /// Whether it is a `Date`.
    pub fn is_date(self) -> bool {
        let mut is = false;
        // SAFETY: as above.
        unsafe { sys::napi_is_date(self.env.raw, self.raw, &raw mut is) };
        is
    }

    /// The milliseconds of a `Date`.
    pub fn date(self) -> Option<f64> {
        let mut at = 0.0;
        // SAFETY: as above.
        let status = unsafe { sys::napi_get_date_value(self.env.raw, self.raw, &raw mut at) };
        (status == sys::Status::napi_ok).then_some(at)
    }

    /// A copy of the first numbers of a `Float64Array`; `None` for other types.
    pub fn doubles(self, count: usize) -> Option<Vec<f64>> {
        let mut is = false;
        // SAFETY: the value is live; the result is written to a valid place.
        unsafe { sys::napi_is_typedarray(self.env.raw, self.raw, &raw mut is) };
        if !is {
            return None;
        }
        let (mut kind, mut data, mut len) = (0, ptr::null_mut::<c_void>(), 0);
        // SAFETY: as above; the buffer and the offset are not asked for.
        let status = unsafe {
            sys::napi_get_typedarray_info(
                self.env.raw,
                self.raw,
                &raw mut kind,
                &raw mut len,
                &raw mut data,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        let fits = kind == sys::TypedarrayType::float64_array && len >= count;
        if status != sys::Status::napi_ok || !fits || data.is_null() {
            return None;
        }
        // SAFETY: the array is live and has at least this many numbers at an address that is
        // aligned for them; no JavaScript code runs meanwhile.
        Some(unsafe { std::slice::from_raw_parts(data.cast::<f64>(), count) }.to_vec())
    }

    /// Whether an `ArrayBuffer`, or the buffer of a view, is detached.
    pub fn is_detached(self) -> bool {
        let (mut buffer, mut is) = (self.raw, false);
        // SAFETY: the value is live; results are written to valid places, and unwanted results have
        // none. A value of another type leaves the places unchanged.
        unsafe {
            sys::napi_get_typedarray_info(
                self.env.raw,
                self.raw,
                ptr::null_mut(),
                ptr::null_mut(),
                ptr::null_mut(),
                &raw mut buffer,
                ptr::null_mut(),
            );
            sys::napi_is_detached_arraybuffer(self.env.raw, buffer, &raw mut is);
        }
        is
    }

    /// Calls `read` with the bytes of a `Uint8Array` (such as a `Buffer`) or `ArrayBuffer`; `None`
    /// for other types. No JavaScript code may run meanwhile, since it could free them.
    #[inline]
    pub fn with_bytes<R>(self, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        let mut is = false;
        // SAFETY: as above.
        unsafe { sys::napi_is_typedarray(self.env.raw, self.raw, &raw mut is) };
        let (mut kind, mut data, mut len) = (0, ptr::null_mut::<c_void>(), 0);
        let mut is_shared = false;
        if is {
            let mut buffer = ptr::null_mut();
            // SAFETY: as above; the offset is not asked for.
            let status = unsafe {
                sys::napi_get_typedarray_info(
                    self.env.raw,
                    self.raw,
                    &raw mut kind,
                    &raw mut len,
                    &raw mut data,
                    &raw mut buffer,
                    ptr::null_mut(),
                )
            };
            is_shared = !self.env.owns_memory(buffer);
            let bytes = matches!(
                kind,
                sys::TypedarrayType::uint8_array | sys::TypedarrayType::uint8_clamped_array
            );
            if status != sys::Status::napi_ok || !bytes {
                return None;
            }
        } else {
            // SAFETY: as above.
            unsafe { sys::napi_is_arraybuffer(self.env.raw, self.raw, &raw mut is) };
            if !is {
                return None;
            }
            // SAFETY: as above.
            unsafe {
                sys::napi_get_arraybuffer_info(self.env.raw, self.raw, &raw mut data, &raw mut len);
            }
        }
        if len == 0 || data.is_null() {
            return Some(read(&[]));
        }
        if is_shared {
            // SAFETY: the array is live and has this many bytes.
            return Some(read(&unsafe { copied_shared(data, len) }));
        }
        // SAFETY: the array is live and has this many bytes; no JavaScript code runs meanwhile, and
        // this thread is the only one of its environment.
        Some(read(unsafe { std::slice::from_raw_parts(data.cast(), len) }))
    }
}

/// Copies the numbers of a typed array.
///
/// # Safety
///
/// There must be `len` numbers at `data`, aligned for their type.
unsafe fn copied<T: Copy + Into<f64>>(data: *const c_void, len: usize) -> Vec<f64> {
    // SAFETY: guaranteed by the caller.
    let numbers = unsafe { std::slice::from_raw_parts(data.cast::<T>(), len) };
    numbers.iter().map(|number| (*number).into()).collect()
}
