//! Scopes around work started by the event loop.

use std::ffi::c_void;
use std::ptr;
use std::rc::Rc;

use napi_sys as sys;

use super::failure::Result;
use super::handle::{Env, Value, checked};

impl<'e> Env<'e> {
    /// The global object.
    pub fn global(self) -> Result<Value<'e>> {
        // SAFETY: the result is written to a valid place.
        self.new_value(|out| unsafe { sys::napi_get_global(self.raw, out) })
    }

    /// The address of the environment's event loop, if it has one of libuv.
    pub fn uv_loop(self) -> Option<*mut c_void> {
        let mut raw = ptr::null_mut();
        // SAFETY: as above.
        let status = unsafe { sys::napi_get_uv_event_loop(self.raw, &raw mut raw) };
        (status == sys::Status::napi_ok && !raw.is_null()).then(|| raw.cast())
    }
}

/// Node's async context for the work done between its own callbacks; one per environment.
#[derive(Debug)]
pub struct AsyncContext {
    raw: sys::napi_env,
    context: sys::napi_async_context,
    resource: sys::napi_ref,
}

impl AsyncContext {
    /// Creates a context with this name, for the lifetime of the environment.
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

    /// Runs work that may call JavaScript code, from a callback of the event loop. The tasks that
    /// it wakes run when it ends, all at once. Does nothing if the environment is being torn down.
    pub fn run_on_loop(&self, work: impl FnOnce(Env<'_>)) {
        let raw = self.raw;
        // SAFETY: the context is of this environment and not shared with other threads; the scope
        // is opened before any value is created.
        let env = unsafe { Env::from_raw(raw) };
        let (mut handles, mut callback) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: each scope is closed below, in reverse order.
        if unsafe { sys::napi_open_handle_scope(raw, &raw mut handles) } != sys::Status::napi_ok {
            return;
        }
        // SAFETY: the reference is of this environment; the result is written to a valid place.
        let resource = env
            .new_value(|out| unsafe { sys::napi_get_reference_value(raw, self.resource, out) })
            .ok();
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
                // Node reports exceptions of tasks; one left pending would affect the next call.
                if let Some(exception) = env.take_exception() {
                    env.report(exception);
                }
            }
        }
        // SAFETY: it was opened above.
        unsafe { sys::napi_close_handle_scope(raw, handles) };
    }
}

/// Runs a part of a longer piece of work in its own handle scope, which frees the values it
/// creates.
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

/// Like [`inner`], for work on values from the outer scope.
pub fn inner_with<'e, R, const N: usize>(
    env: Env<'e>,
    values: [Value<'e>; N],
    work: impl for<'i> FnOnce(Env<'i>, [Value<'i>; N]) -> R,
) -> R {
    // SAFETY: values of an outer scope are live in an inner one.
    inner(env, |env| work(env, values.map(|value| unsafe { Value::from_raw(env, value.as_raw()) })))
}

/// Keeps an environment from being torn down before its handles are closed.
#[derive(Debug, Clone, Copy)]
pub struct CleanupHook(sys::napi_async_cleanup_hook_handle);

impl CleanupHook {
    /// Lets the environment be torn down.
    pub fn remove(self) {
        // SAFETY: the handle is that of a hook that was called and not removed.
        unsafe { sys::napi_remove_async_cleanup_hook(self.0) };
    }
}

/// Calls `end` when the environment is torn down, with the hook to remove once everything is
/// closed.
pub fn on_cleanup<T>(env: Env<'_>, data: Rc<T>, end: fn(&T, CleanupHook)) -> Result<()> {
    struct Hook<T> {
        data: Rc<T>,
        end: fn(&T, CleanupHook),
    }
    unsafe extern "C" fn called<T>(handle: sys::napi_async_cleanup_hook_handle, data: *mut c_void) {
        // SAFETY: the box was created below, and the hook is called once.
        let hook = unsafe { Box::from_raw(data.cast::<Hook<T>>()) };
        (hook.end)(&hook.data, CleanupHook(handle));
    }
    let hook = Box::into_raw(Box::new(Hook { data, end }));
    // SAFETY: the box lives until the hook is called.
    checked(unsafe {
        sys::napi_add_async_cleanup_hook(env.raw, Some(called::<T>), hook.cast(), ptr::null_mut())
    })
}

/// Calls `end` when the environment is torn down, without a way to wait. For Deno, which frees an
/// asynchronous hook a second time when it is removed.
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

/// Keeps data alive as long as the environment's functions may be called.
pub fn keep_with<T>(env: Env<'_>, data: Rc<T>) -> Result<*const T> {
    unsafe extern "C" fn finalize<T>(_: sys::napi_env, data: *mut c_void, _: *mut c_void) {
        // SAFETY: takes back the reference count given away below; no function is called after
        // this.
        drop(unsafe { Rc::from_raw(data.cast::<T>().cast_const()) });
    }
    let raw = Rc::into_raw(data);
    // SAFETY: the finalizer takes back the reference count given away here.
    let set = unsafe {
        let data = raw.cast_mut().cast();
        sys::napi_set_instance_data(env.raw, data, Some(finalize::<T>), ptr::null_mut())
    };
    checked(set)?;
    Ok(raw)
}
