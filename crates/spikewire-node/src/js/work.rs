//! Work off the event loop's thread.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use napi_sys as sys;

use super::failure::Result;
use super::handle::{Env, checked};

/// Work for another thread, and the callback for its result on this one.
struct Work<W, D, R> {
    run: Option<W>,
    done: Option<D>,
    result: Option<std::thread::Result<R>>,
    handle: sys::napi_async_work,
}

/// Runs `work` on a thread of libuv's pool, and then `done` with its result on the environment's
/// thread. The environment is not torn down before that; a panic of `work` is `Err`.
pub fn spawn<W, D, R>(env: Env<'_>, name: &str, work: W, done: D) -> Result<()>
where
    W: FnOnce() -> R + Send + 'static,
    R: Send + 'static,
    D: FnOnce(Env<'_>, std::thread::Result<R>) + 'static,
{
    let work: Box<Work<W, D, R>> =
        Box::new(Work { run: Some(work), done: Some(done), result: None, handle: ptr::null_mut() });
    let name = env.string(name)?;
    let raw = Box::into_raw(work);
    // SAFETY: the box lives until `complete` takes it back.
    unsafe {
        let created = sys::napi_create_async_work(
            env.raw,
            ptr::null_mut(),
            name.as_raw(),
            Some(execute::<W, D, R>),
            Some(complete::<W, D, R>),
            raw.cast(),
            &raw mut (*raw).handle,
        );
        if let Err(failure) = checked(created) {
            drop(Box::from_raw(raw));
            return Err(failure);
        }
        checked(sys::napi_queue_async_work(env.raw, (*raw).handle))
    }
}

unsafe extern "C" fn execute<W, D, R>(_env: sys::napi_env, data: *mut c_void)
where
    W: FnOnce() -> R,
{
    // SAFETY: this thread has exclusive access to the box until `complete` runs.
    let it = unsafe { &mut *data.cast::<Work<W, D, R>>() };
    if let Some(work) = it.run.take() {
        it.result = Some(catch_unwind(AssertUnwindSafe(work)));
    }
}

unsafe extern "C" fn complete<W, D, R>(
    raw: sys::napi_env,
    _status: sys::napi_status,
    data: *mut c_void,
) where
    D: FnOnce(Env<'_>, std::thread::Result<R>),
{
    // SAFETY: the work is done, so the box is taken back; Node has opened the scopes around this.
    let (mut it, env) =
        unsafe { (Box::from_raw(data.cast::<Work<W, D, R>>()), Env::from_raw(raw)) };
    // SAFETY: the handle was created with this work and is not used again.
    unsafe { sys::napi_delete_async_work(raw, it.handle) };
    if let (Some(done), Some(result)) = (it.done.take(), it.result.take()) {
        let _ = catch_unwind(AssertUnwindSafe(|| done(env, result)));
        if let Some(exception) = env.take_exception() {
            env.report(exception);
        }
    }
}
