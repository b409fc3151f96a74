//! libuv's functions, found at run time: not every JavaScript runtime has them.

use std::ffi::{CStr, c_int, c_uint, c_void};

/// A pointer to a libuv loop.
pub type RawLoop = *mut c_void;
/// A pointer to a libuv handle.
pub type RawHandle = *mut c_void;
/// The callback of a poll handle: status and events.
pub type PollCallback = unsafe extern "C" fn(RawHandle, c_int, c_int);
/// The callback of other handles.
pub type Callback = unsafe extern "C" fn(RawHandle);

/// Numbers of handle types (`uv.h`).
pub const POLL: c_uint = 8;
/// See [`POLL`].
pub const PREPARE: c_uint = 9;
/// See [`POLL`].
pub const TIMER: c_uint = 13;
/// The event of a readable descriptor (`uv.h`).
pub const READABLE: c_int = 1;

macro_rules! library {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The libuv functions in use.
        #[derive(Debug, Clone, Copy)]
        pub struct Library {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Library {
            /// Looks them up in the running program; `None` if one is missing.
            pub fn find() -> Option<Self> {
                Some(Self { $($name: {
                    let name = concat!(stringify!($name), "\0");
                    let name = CStr::from_bytes_with_nul(name.as_bytes()).ok()?;
                    // SAFETY: the name ends with a zero.
                    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
                    if symbol.is_null() {
                        return None;
                    }
                    // SAFETY: libuv's function of this name has this type in every version of
                    // Node.js that is supported (libuv keeps its ABI since 1.0).
                    unsafe {
                        std::mem::transmute::<
                            *mut c_void,
                            unsafe extern "C" fn($($argument),*) $(-> $result)?,
                        >(symbol)
                    }
                },)* })
            }
        }
    };
}

library! {
    uv_handle_size: fn(c_uint) -> usize;
    uv_handle_set_data: fn(RawHandle, *mut c_void);
    uv_close: fn(RawHandle, Option<Callback>);
    uv_ref: fn(RawHandle);
    uv_unref: fn(RawHandle);
    uv_poll_init: fn(RawLoop, RawHandle, c_int) -> c_int;
    uv_poll_start: fn(RawHandle, c_int, PollCallback) -> c_int;
    uv_poll_stop: fn(RawHandle) -> c_int;
    uv_prepare_init: fn(RawLoop, RawHandle) -> c_int;
    uv_prepare_start: fn(RawHandle, Callback) -> c_int;
    uv_prepare_stop: fn(RawHandle) -> c_int;
    uv_timer_init: fn(RawLoop, RawHandle) -> c_int;
    uv_timer_start: fn(RawHandle, Callback, u64, u64) -> c_int;
    uv_timer_stop: fn(RawHandle) -> c_int;
}
