//! Waking the environment from another thread, for runtimes without libuv.

use std::ffi::c_void;
use std::ptr;

use napi_sys as sys;

use super::failure::Result;
use super::handle::{Env, checked};

/// A handle to wake the environment from any thread. Dropping it releases the environment.
#[derive(Debug)]
pub struct Waker(sys::napi_threadsafe_function);

// SAFETY: Node-API allows calls of a threadsafe function from any thread.
unsafe impl Send for Waker {}
// SAFETY: as above.
unsafe impl Sync for Waker {}

type Callback = Box<dyn Fn(Env<'_>)>;

impl Waker {
    /// Creates a waker. `woken` is called on the environment's thread, with its scopes open, after
    /// each [`Waker::wake`]. Does not keep the environment alive.
    pub fn new(env: Env<'_>, name: &str, woken: impl Fn(Env<'_>) + 'static) -> Result<Self> {
        unsafe extern "C" fn called(
            raw: sys::napi_env,
            _function: sys::napi_value,
            context: *mut c_void,
            _data: *mut c_void,
        ) {
            // A null environment is being torn down.
            if raw.is_null() {
                return;
            }
            // SAFETY: the environment is live and on its thread; the closure lives until `finalize`.
            let (env, woken) = unsafe { (Env::from_raw(raw), &*context.cast::<Callback>()) };
            woken(env);
            if let Some(exception) = env.take_exception() {
                env.report(exception);
            }
        }
        unsafe extern "C" fn finalize(_: sys::napi_env, _: *mut c_void, context: *mut c_void) {
            // SAFETY: the closure was boxed below and is no longer called.
            drop(unsafe { Box::from_raw(context.cast::<Callback>()) });
        }
        let name = env.string(name)?;
        let woken: Box<Callback> = Box::new(Box::new(woken));
        let context = Box::into_raw(woken);
        let mut function = ptr::null_mut();
        // SAFETY: the closure lives until `finalize`; the result is written to a valid place.
        let created = checked(unsafe {
            sys::napi_create_threadsafe_function(
                env.raw,
                ptr::null_mut(),
                ptr::null_mut(),
                name.as_raw(),
                0,
                1,
                ptr::null_mut(),
                Some(finalize),
                context.cast(),
                Some(called),
                &raw mut function,
            )
        });
        if let Err(failure) = created {
            // SAFETY: there is no other reference to it.
            drop(unsafe { Box::from_raw(context) });
            return Err(failure);
        }
        let waker = Self(function);
        waker.keep_alive(env, false);
        Ok(waker)
    }

    /// Wakes the environment; callable from any thread.
    pub fn wake(&self) {
        let mode = sys::ThreadsafeFunctionCallMode::nonblocking;
        // SAFETY: the function is released only when this is dropped.
        unsafe { sys::napi_call_threadsafe_function(self.0, ptr::null_mut(), mode) };
    }

    /// Sets whether the waker keeps the environment alive.
    pub fn keep_alive(&self, env: Env<'_>, keep: bool) {
        let change = if keep {
            sys::napi_ref_threadsafe_function
        } else {
            sys::napi_unref_threadsafe_function
        };
        // SAFETY: the function has not been released.
        unsafe { change(env.raw, self.0) };
    }
}

impl Drop for Waker {
    fn drop(&mut self) {
        let mode = sys::ThreadsafeFunctionReleaseMode::release;
        // SAFETY: this is the only reference.
        unsafe { sys::napi_release_threadsafe_function(self.0, mode) };
    }
}
