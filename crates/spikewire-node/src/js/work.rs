//! Work off the event loop's thread.
//!
//! It has threads of its own and not those of libuv's pool: the pool has four, which file system,
//! DNS and cryptography of the program share. Connecting may take seconds and must not be delayed by
//! them, nor delay them, nor other clients that connect.

use std::cell::Cell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;

use napi_sys as sys;
use spikewire_sync::Mutex;

use super::failure::Result;
use super::handle::{Env, checked};

/// Where the thread leaves the result.
struct Exchange<R> {
    result: Option<std::thread::Result<R>>,
    /// Set when the environment is torn down: the function that calls its thread is freed then.
    is_gone: bool,
}

type Place<R> = Arc<Mutex<Exchange<R>>>;

/// What the environment's thread does with the result.
struct Delivery<D, R> {
    done: Cell<Option<D>>,
    place: Place<R>,
}

/// The function that calls the environment's thread.
struct Caller(sys::napi_threadsafe_function);

// SAFETY: Node-API allows calls of a threadsafe function from any thread.
unsafe impl Send for Caller {}

impl Caller {
    /// Has the result delivered, or drops it if the environment is gone.
    fn finish<R>(self, place: &Place<R>, result: std::thread::Result<R>) {
        // Locked until the end, so that the function is not freed meanwhile.
        let mut exchange = place.lock();
        if exchange.is_gone {
            drop(exchange);
            return drop(result);
        }
        exchange.result = Some(result);
        let mode = sys::ThreadsafeFunctionCallMode::nonblocking;
        // SAFETY: the function is not freed yet. This thread has the only reference, which a refused
        // call has released.
        unsafe {
            let called = sys::napi_call_threadsafe_function(self.0, ptr::null_mut(), mode);
            if called != sys::Status::napi_closing {
                let mode = sys::ThreadsafeFunctionReleaseMode::release;
                sys::napi_release_threadsafe_function(self.0, mode);
            }
        }
    }
}

/// Work that may be under way.
pub struct Running(Box<dyn Fn(Env<'_>)>);

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Running")
    }
}

impl Running {
    /// The environment may end before the work does.
    pub fn abandon(&self, env: Env<'_>) {
        (self.0)(env);
    }
}

/// Runs `work` on a thread of its own, and then `done` with its result on the environment's thread,
/// which lives at least until then, unless the work is abandoned. A panic of `work` is `Err`. If the environment is torn down
/// before, `done` is not called, and the result is dropped.
///
/// If the system has no thread left, the work is done here.
pub fn spawn<W, D, R>(env: Env<'_>, name: &str, work: W, done: D) -> Result<Running>
where
    W: FnOnce() -> R + Send + 'static,
    R: Send + 'static,
    D: FnOnce(Env<'_>, std::thread::Result<R>) + 'static,
{
    let place = Arc::new(Mutex::new(Exchange { result: None, is_gone: false }));
    let caller = caller(env, name, Delivery { done: Cell::new(Some(done)), place: place.clone() })?;
    let (function, shared) = (caller.0, place.clone());
    let running = Running(Box::new(move |env| {
        let exchange = shared.lock();
        if !exchange.is_gone {
            // SAFETY: the function is not freed yet, and this is the environment's thread.
            unsafe { sys::napi_unref_threadsafe_function(env.raw, function) };
        }
    }));
    let task = Arc::new(Mutex::new(Some((work, caller, place))));
    let perform = move || {
        let Some((work, caller, place)) = task.lock().take() else { return };
        caller.finish(&place, catch_unwind(AssertUnwindSafe(work)));
    };
    let here = perform.clone();
    let thread = std::thread::Builder::new().name("spikewire-work".to_owned());
    if thread.spawn(perform).is_err() {
        here();
    }
    Ok(running)
}

fn caller<D, R>(env: Env<'_>, name: &str, delivery: Delivery<D, R>) -> Result<Caller>
where
    D: FnOnce(Env<'_>, std::thread::Result<R>) + 'static,
{
    let name = env.string(name)?;
    let context = Box::into_raw(Box::new(delivery));
    let mut function = ptr::null_mut();
    // SAFETY: the box lives until `finalize`; the result is written to a valid place.
    let created = checked(unsafe {
        sys::napi_create_threadsafe_function(
            env.raw,
            ptr::null_mut(),
            ptr::null_mut(),
            name.as_raw(),
            0,
            1,
            ptr::null_mut(),
            Some(finalize::<D, R>),
            context.cast(),
            Some(deliver::<D, R>),
            &raw mut function,
        )
    });
    if let Err(failure) = created {
        // SAFETY: there is no other reference to it.
        drop(unsafe { Box::from_raw(context) });
        return Err(failure);
    }
    Ok(Caller(function))
}

unsafe extern "C" fn deliver<D, R>(
    raw: sys::napi_env,
    _function: sys::napi_value,
    context: *mut c_void,
    _data: *mut c_void,
) where
    D: FnOnce(Env<'_>, std::thread::Result<R>),
{
    // A null environment is being torn down.
    if raw.is_null() {
        return;
    }
    // SAFETY: the environment is live and on its thread, in scopes of Node's; the box lives until
    // `finalize`.
    let (env, delivery) = unsafe { (Env::from_raw(raw), &*context.cast::<Delivery<D, R>>()) };
    let result = delivery.place.lock().result.take();
    if let (Some(done), Some(result)) = (delivery.done.take(), result) {
        let _ = catch_unwind(AssertUnwindSafe(|| done(env, result)));
        if let Some(exception) = env.take_exception() {
            env.report(exception);
        }
    }
}

unsafe extern "C" fn finalize<D, R>(_: sys::napi_env, _: *mut c_void, context: *mut c_void) {
    // SAFETY: the box was made in `caller` and is no longer used.
    let delivery = unsafe { Box::from_raw(context.cast::<Delivery<D, R>>()) };
    delivery.place.lock().is_gone = true;
}
