//! Initialisation when the library is loaded into an environment.

#![expect(unsafe_code, reason = "Node-API calls this by name")]

use std::panic::catch_unwind;
use std::rc::Rc;

use napi_sys as sys;
use spikewire_transport::build;

use crate::binding::Binding;
use crate::environment::Environment;
use crate::exports::EXPORTS;
use crate::js::call::{builtin_error, define, throw};
use crate::js::scope::{CleanupHook, keep_with, on_cleanup, on_exit};
use crate::js::{Env, Result, Value};
use crate::uv::{Library, Loop};

/// The Node-API version in use, supported by Node.js 12.22 and later.
#[unsafe(no_mangle)]
extern "C" fn node_api_module_get_api_version_v1() -> i32 {
    8
}

#[unsafe(no_mangle)]
unsafe extern "C" fn napi_register_module_v1(
    raw: sys::napi_env,
    exports: sys::napi_value,
) -> sys::napi_value {
    // SAFETY: Node-API opens a scope around this, and the object belongs to it.
    let env = unsafe { Env::from_raw(raw) };
    // SAFETY: as above.
    let object = unsafe { Value::from_raw(env, exports) };
    let registered = catch_unwind(|| register(env, object));
    if !matches!(registered, Ok(Ok(())))
        && let Ok(error) = builtin_error(env, false, "the native module could not be set up")
    {
        throw(env, error);
    }
    exports
}

fn register(env: Env<'_>, exports: Value<'_>) -> Result<()> {
    stay_loaded();
    let binding = Binding::new(Environment::new(find_loop(env)?));
    let host = keep_with(env, binding.clone())?;
    match &binding.environment.uv {
        Some(_) => on_cleanup(env, binding, end)?,
        None => on_exit(env, binding, |binding| binding.environment.end())?,
    }
    define(env, exports, host, EXPORTS)?;
    exports.set_named(c"build", build(env)?)?;
    exports.set_named(c"version", env.string(env!("CARGO_PKG_VERSION"))?)
}

/// How Cargo compiled this, and the commit if the build set it.
fn build(env: Env<'_>) -> Result<Value<'_>> {
    let object = env.object()?;
    object.set_named(c"profile", env.string(build::PROFILE)?)?;
    object.set_named(c"opt_level", env.string(build::OPT_LEVEL)?)?;
    object.set_named(c"rustflags", env.string(build::RUSTFLAGS)?)?;
    object.set_named(c"debug_assertions", env.boolean(cfg!(debug_assertions))?)?;
    object.set_named(
        c"built_from",
        env.string(option_env!("SPIKEWIRE_COMMIT").unwrap_or_default())?,
    )?;
    Ok(object)
}

/// Ends everything when the environment is torn down. Promises of calls in flight stay unsettled.
fn end(binding: &Binding, removal: CleanupHook) {
    binding.environment.end();
    match &binding.environment.uv {
        Some(on) => on.when_idle(move || removal.remove()),
        None => removal.remove(),
    }
}

/// libuv and the environment's event loop. Bun and Deno report that they have one, but it cannot
/// reliably watch a descriptor.
fn find_loop(env: Env<'_>) -> Result<Option<Rc<Loop>>> {
    let global = env.global()?;
    for name in [c"Bun", c"Deno"] {
        if !global.named(name)?.is_absent() {
            return Ok(None);
        }
    }
    let Some(on) = env.uv_loop() else { return Ok(None) };
    Ok(Library::find().map(|library| Rc::new(Loop::new(library, on))))
}

/// Keeps the library from being unloaded when a worker ends, since its threads may still be
/// running.
fn stay_loaded() {
    // SAFETY: the address is one of this library's own; the name is owned by the loader.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        let address = (stay_loaded as *const ()).cast::<libc::c_void>();
        if libc::dladdr(address, &raw mut info) != 0 && !info.dli_fname.is_null() {
            libc::dlopen(info.dli_fname, libc::RTLD_NOW | libc::RTLD_NODELETE | libc::RTLD_NOLOAD);
        }
    }
}
