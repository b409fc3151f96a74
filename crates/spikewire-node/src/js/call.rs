//! Calls from JavaScript: arguments, result, exception.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use napi_sys as sys;

use super::failure::{Failure, Result};
use super::handle::Value;
use super::handle::{Env, checked};

/// The number of arguments fetched; no function uses more.
const MOST: usize = 24;

/// A call from JavaScript.
#[derive(Debug)]
pub struct Call<'e, H> {
    pub env: Env<'e>,
    /// The module's state in this environment.
    pub host: &'e H,
    arguments: [sys::napi_value; MOST],
    count: usize,
}

impl<'e, H> Call<'e, H> {
    /// An argument; `undefined` if it was not given.
    #[inline]
    pub fn argument(&self, at: usize) -> Value<'e> {
        // SAFETY: the call's arguments are live until it returns; those that were not given are
        // `undefined`.
        unsafe { Value::from_raw(self.env, self.arguments[at]) }
    }

    /// A number passed by the package's own code.
    #[inline]
    pub fn index(&self, at: usize) -> Result<u32> {
        self.argument(at).index()
    }

    /// The number of arguments.
    pub fn count(&self) -> usize {
        self.count.min(MOST)
    }

    /// The arguments from an index on.
    pub fn rest(&self, from: usize) -> impl ExactSizeIterator<Item = Value<'e>> {
        (from..self.count().max(from)).map(|at| self.argument(at))
    }
}

/// A module's state in an environment.
pub trait Host: 'static {
    /// Throws a failure as a JavaScript exception.
    fn throw(&self, env: Env<'_>, failure: Failure);
}

/// The body of an exported function; `None` returns `undefined`.
pub type Body<H> = for<'e> fn(&Call<'e, H>) -> Result<Option<Value<'e>>>;

/// A function exported to JavaScript under a name.
#[derive(Debug, Clone, Copy)]
pub struct Export {
    pub name: &'static str,
    pub raw: unsafe extern "C" fn(sys::napi_env, sys::napi_callback_info) -> sys::napi_value,
}

/// Creates an [`Export`] from a function of type [`Body`].
macro_rules! export {
    ($name:literal, $body:path) => {{
        unsafe extern "C" fn raw(
            env: napi_sys::napi_env,
            info: napi_sys::napi_callback_info,
        ) -> napi_sys::napi_value {
            // SAFETY: Node-API passes the environment of the running thread and the call's own info.
            unsafe { $crate::js::call::answer(env, info, $body) }
        }
        $crate::js::Export { name: $name, raw }
    }};
}
pub(crate) use export;

/// Runs a body; exceptions and panics become JavaScript exceptions.
///
/// # Safety
///
/// `raw` and `info` must be those of a call in progress of a function created by [`define`] with a
/// host of this type.
pub unsafe fn answer<H: Host>(
    raw: sys::napi_env,
    info: sys::napi_callback_info,
    body: Body<H>,
) -> sys::napi_value {
    let mut arguments = [ptr::null_mut(); MOST];
    let (mut count, mut data) = (MOST, ptr::null_mut::<c_void>());
    // SAFETY: there is room for this many arguments; those that were not given become `undefined`.
    unsafe {
        sys::napi_get_cb_info(
            raw,
            info,
            &raw mut count,
            arguments.as_mut_ptr(),
            ptr::null_mut(),
            &raw mut data,
        );
    }
    // SAFETY: the call's scope is open until it returns, and its data is the host, which lives
    // longer than its functions.
    let (env, host) = unsafe { (Env::from_raw(raw), &*data.cast::<H>()) };
    let call = Call { env, host, arguments, count };
    let outcome = catch_unwind(AssertUnwindSafe(|| body(&call)));
    let failure = match outcome {
        Ok(Ok(Some(value))) => return value.as_raw(),
        Ok(Ok(None)) => return ptr::null_mut(),
        Ok(Err(failure)) => failure,
        Err(panic) => Failure::of_type(format!("internal error: {}", panic_text(&*panic))),
    };
    host.throw(env, failure);
    ptr::null_mut()
}

/// The message of a panic.
fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic")
}

/// Sets functions as properties of an object.
pub fn define<H: Host>(
    env: Env<'_>,
    object: Value<'_>,
    host: *const H,
    exports: &[Export],
) -> Result<()> {
    for Export { name, raw } in exports {
        let mut function = ptr::null_mut();
        // SAFETY: the name's pointer and length are those of a live str; the host outlives
        // its functions.
        checked(unsafe {
            sys::napi_create_function(
                env.raw,
                name.as_ptr().cast(),
                name.len() as isize,
                Some(*raw),
                host.cast_mut().cast(),
                &raw mut function,
            )
        })?;
        // SAFETY: the function was just made.
        object.set(env.string(name)?, unsafe { Value::from_raw(env, function) })?;
    }
    Ok(())
}

/// Throws an exception.
pub fn throw(env: Env<'_>, exception: Value<'_>) {
    // SAFETY: both are live.
    unsafe { sys::napi_throw(env.raw, exception.as_raw()) };
}

/// A `TypeError` or a `RangeError`.
pub fn builtin_error<'e>(env: Env<'e>, range: bool, message: &str) -> Result<Value<'e>> {
    let code = if range { "ERR_OUT_OF_RANGE" } else { "ERR_INVALID_ARG_TYPE" };
    let (code, message) = (env.string(code)?.as_raw(), env.string(message)?.as_raw());
    let make = if range { sys::napi_create_range_error } else { sys::napi_create_type_error };
    // SAFETY: all values are live; the result is written to a valid place.
    env.new_value(|out| unsafe { make(env.raw, code, message, out) })
}
