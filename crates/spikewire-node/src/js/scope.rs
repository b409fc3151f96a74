//! The scopes around work that the event loop begins.

use std::ffi::c_void;
use std::ptr;
use std::rc::Rc;

use napi_sys as sys;

use super::failure::Result;
use super::handle::{Env, Value, checked};

/// What Node.js calls the work that is done between its own callbacks: one for each environment.
#[derive(Debug)]
pub struct AsyncContext {
    raw: sys::napi_env,
    context: sys::napi_async_context,
    resource: sys::napi_ref,
}

impl AsyncContext {
    /// A context of this name, for as long as the environment lives.
    pub fn new(env: Env<'_>, name: &str) -> Result<Self> {
        let (name, resource) = (env.string(name)?, env.object()?);
        let (mut context, mut reference) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: all values are live; the results are written to valid places.
        checked(unsafe {
            sys::napi_create_reference(env.raw, resource.as_raw(), 1, &raw mut reference)
        })?;
        // SAFETY: as above.
        checked(unsafe {
            sys::napi_async_init(env.raw, resource.as_raw(), name.as_raw(), &raw mut context)
        })?;
        Ok(Self { raw: env.raw, context, resource: reference })
    }

    /// Runs work in which JavaScript code may be called, from a callback of the event loop. The tasks
    /// that it wakes run when it ends, all at once. Nothing happens when the environment is being
    /// torn down.
    pub fn run_on_loop(&self, work: impl FnOnce(Env<'_>)) {
        let raw = self.raw;
        // SAFETY: the context, which no other thread can have, is of this environment; the scope is
        // opened before any value is made.
        let env = unsafe { Env::from_raw(raw) };
        let (mut handles, mut callback) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: each scope is closed below, in reverse order.
        if unsafe { sys::napi_open_handle_scope(raw, &raw mut handles) } != sys::Status::napi_ok {
            return;
        }
        // SAFETY: the reference is of this environment; the result is written to a valid place.
        let resource =
            env.made(|out| unsafe { sys::napi_get_reference_value(raw, self.resource, out) }).ok();
        if let Some(resource) = resource {
            // SAFETY: the resource is live, and the context is of this environment.
            let opened = unsafe {
                sys::napi_open_callback_scope(
                    raw,
                    resource.as_raw(),
                    self.context,
                    &raw mut callback,
                )
            };
            if opened == sys::Status::napi_ok {
                work(env);
                if let Some(exception) = env.take_exception() {
                    env.report(exception);
                }
                // SAFETY: it was opened above.
                unsafe { sys::napi_close_callback_scope(raw, callback) };
                // What tasks raised is Node's to report; what is left pending would hit the next call.
                if let Some(exception) = env.take_exception() {
                    env.report(exception);
                }
            }
        }
        // SAFETY: it was opened above.
        unsafe { sys::napi_close_handle_scope(raw, handles) };
    }
}

/// Runs a part of a longer piece of work, and frees the values that it makes.
pub fn inner<R>(env: Env<'_>, work: impl FnOnce(Env<'_>) -> R) -> R {
    let mut handles = ptr::null_mut();
    // SAFETY: the scope is closed below, and nothing made in it leaves the closure.
    let opened = unsafe { sys::napi_open_handle_scope(env.raw, &raw mut handles) };
    // SAFETY: the scope is open for as long as the closure runs.
    let done = work(unsafe { Env::from_raw(env.raw) });
    if opened == sys::Status::napi_ok {
        // SAFETY: it was opened above.
        unsafe { sys::napi_close_handle_scope(env.raw, handles) };
    }
    done
}

/// The same, for work on values from outside.
pub fn inner_with<'e, R, const N: usize>(
    env: Env<'e>,
    values: [Value<'e>; N],
    work: impl for<'i> FnOnce(Env<'i>, [Value<'i>; N]) -> R,
) -> R {
    // SAFETY: what is in an outer scope is live in an inner one.
    inner(env, |env| work(env, values.map(|value| unsafe { Value::from_raw(env, value.as_raw()) })))
}

/// What keeps an environment from being torn down before its handles are closed.
#[derive(Debug, Clone, Copy)]
pub struct CleanupHook(sys::napi_async_cleanup_hook_handle);

impl CleanupHook {
    /// The environment can go.
    pub fn remove(self) {
        // SAFETY: the handle is that of a hook that was called and not removed.
        unsafe { sys::napi_remove_async_cleanup_hook(self.0) };
    }
}

/// Lets `end` be called when the environment is torn down, with what is to be removed once
/// everything of it is closed.
pub fn on_cleanup<T>(env: Env<'_>, data: Rc<T>, end: fn(&T, CleanupHook)) -> Result<()> {
    struct Hook<T> {
        data: Rc<T>,
        end: fn(&T, CleanupHook),
    }
    unsafe extern "C" fn called<T>(handle: sys::napi_async_cleanup_hook_handle, data: *mut c_void) {
        // SAFETY: the box was made below, and the hook is called once.
        let hook = unsafe { Box::from_raw(data.cast::<Hook<T>>()) };
        (hook.end)(&hook.data, CleanupHook(handle));
    }
    let hook = Box::into_raw(Box::new(Hook { data, end }));
    // SAFETY: the box lives until the hook is called.
    checked(unsafe {
        sys::napi_add_async_cleanup_hook(env.raw, Some(called::<T>), hook.cast(), ptr::null_mut())
    })
}

/// Lets `end` be called when the environment is torn down, which does not wait for anything. Deno
/// frees a hook that can be waited for once more when that is removed.
pub fn on_exit<T>(env: Env<'_>, data: Rc<T>, end: fn(&T)) -> Result<()> {
    struct Hook<T> {
        data: Rc<T>,
        end: fn(&T),
    }
    unsafe extern "C" fn called<T>(data: *mut c_void) {
        // SAFETY: the box was made below, and the hook is called once.
        let hook = unsafe { Box::from_raw(data.cast::<Hook<T>>()) };
        (hook.end)(&hook.data);
    }
    let hook = Box::into_raw(Box::new(Hook { data, end }));
    // SAFETY: the box lives until the hook is called.
    checked(unsafe { sys::napi_add_env_cleanup_hook(env.raw, Some(called::<T>), hook.cast()) })
}

/// Keeps data for as long as the environment's functions may be called.
pub fn keep_with<T>(env: Env<'_>, data: Rc<T>) -> Result<*const T> {
    unsafe extern "C" fn finalize<T>(_: sys::napi_env, data: *mut c_void, _: *mut c_void) {
        // SAFETY: the count that was given away below; functions are gone when this is called.
        drop(unsafe { Rc::from_raw(data.cast::<T>().cast_const()) });
    }
    let raw = Rc::into_raw(data);
    // SAFETY: the finalizer takes back the count that is given away here.
    let set = unsafe {
        let data = raw.cast_mut().cast();
        sys::napi_set_instance_data(env.raw, data, Some(finalize::<T>), ptr::null_mut())
    };
    checked(set)?;
    Ok(raw)
}
