//! Handles of the environment and its values.

use std::marker::PhantomData;
use std::ptr;

use napi_sys as sys;

use super::failure::{Failure, Result};

/// The JavaScript environment, on its own thread, while one of its scopes is open.
#[derive(Debug, Clone, Copy)]
pub struct Env<'e> {
    pub(super) raw: sys::napi_env,
    scope: PhantomData<&'e ()>,
}

/// Converts a status. Any other than success means that an exception is pending or the environment
/// is being torn down.
pub(super) fn checked(status: sys::napi_status) -> Result<()> {
    if status == sys::Status::napi_ok { Ok(()) } else { Err(Failure::Pending) }
}

impl<'e> Env<'e> {
    /// # Safety
    ///
    /// `raw` must be the environment of the running thread, and a handle scope of it must be open
    /// for as long as `'e`.
    pub unsafe fn from_raw(raw: sys::napi_env) -> Self {
        Self { raw, scope: PhantomData }
    }

    /// The raw handle, to find the environment again.
    pub fn as_raw(self) -> sys::napi_env {
        self.raw
    }

    /// The value that `make` writes to the given place.
    pub(super) fn new_value(
        self,
        make: impl FnOnce(*mut sys::napi_value) -> sys::napi_status,
    ) -> Result<Value<'e>> {
        let mut raw = ptr::null_mut();
        checked(make(&raw mut raw))?;
        // SAFETY: the value was just made in this environment's open scope.
        Ok(unsafe { Value::from_raw(self, raw) })
    }
}

/// A JavaScript value, valid while its scope is open.
#[derive(Debug, Clone, Copy)]
pub struct Value<'e> {
    pub(super) env: Env<'e>,
    pub(super) raw: sys::napi_value,
}

impl<'e> Value<'e> {
    /// # Safety
    ///
    /// `raw` must be a value of this environment in a scope that is open for as long as `'e`.
    pub unsafe fn from_raw(env: Env<'e>, raw: sys::napi_value) -> Self {
        Self { env, raw }
    }

    /// The raw handle.
    pub fn as_raw(self) -> sys::napi_value {
        self.raw
    }

    /// The environment it belongs to.
    pub fn env(self) -> Env<'e> {
        self.env
    }
}
