//! Memory that threads of JavaScript share: it may change while it is read.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU8, Ordering};

use napi_sys as sys;

use super::handle::Env;

impl Env<'_> {
    /// Whether the buffer of a view is an `ArrayBuffer`, and not a `SharedArrayBuffer`.
    #[inline]
    pub(super) fn owns_memory(self, buffer: sys::napi_value) -> bool {
        let mut is = false;
        // SAFETY: the value is live, or null, which is refused; the result is written to a valid
        // place.
        unsafe { sys::napi_is_arraybuffer(self.raw, buffer, &raw mut is) };
        is
    }
}

/// Copies bytes that other threads may write to meanwhile.
///
/// # Safety
///
/// There must be `len` bytes at `data`.
pub unsafe fn copied_shared(data: *mut c_void, len: usize) -> Vec<u8> {
    let byte = |at| {
        // SAFETY: guaranteed by the caller; threads of JavaScript access shared memory atomically,
        // or with races that yield any value of a byte.
        unsafe { AtomicU8::from_ptr(data.cast::<u8>().add(at)) }.load(Ordering::Relaxed)
    };
    (0..len).map(byte).collect()
}

/// Copies the numbers of a typed array that other threads may write to meanwhile.
///
/// # Safety
///
/// There must be `len` numbers of its type at `data`.
pub unsafe fn copied_shared_numbers(
    kind: sys::napi_typedarray_type,
    data: *mut c_void,
    len: usize,
) -> Option<Vec<f64>> {
    macro_rules! numbers {
        ($($name:ident $number:ty),*) => {
            match kind {
                $(sys::TypedarrayType::$name => {
                    // SAFETY: guaranteed by the caller.
                    let bytes = unsafe { copied_shared(data, len * size_of::<$number>()) };
                    let (numbers, _) = bytes.as_chunks();
                    numbers.iter().map(|bytes| <$number>::from_ne_bytes(*bytes).into()).collect()
                })*
                _ => return None,
            }
        };
    }
    Some(numbers!(
        float32_array f32, float64_array f64, int8_array i8, int16_array i16, int32_array i32,
        uint8_array u8, uint8_clamped_array u8, uint16_array u16, uint32_array u32
    ))
}
