//! References to JavaScript functions.

use std::ptr;

use napi_sys as sys;

use super::failure::Result;
use super::handle::{Env, Value, checked};

/// A persistent reference to a function or another object. It is released with its environment.
#[derive(Debug)]
pub struct Function(sys::napi_ref);

impl Function {
    /// Creates a reference to a function.
    pub fn keep(value: Value<'_>) -> Result<Self> {
        let mut reference = ptr::null_mut();
        // SAFETY: the value is live; the result is written to a valid place.
        checked(unsafe {
            sys::napi_create_reference(value.env().raw, value.as_raw(), 1, &raw mut reference)
        })?;
        Ok(Self(reference))
    }

    /// Releases the reference early. It must not be used afterwards.
    pub fn let_go(&self, env: Env<'_>) {
        // SAFETY: the reference is of this environment, and is used no more.
        unsafe { sys::napi_delete_reference(env.raw, self.0) };
    }

    /// The function itself.
    #[inline]
    pub fn get<'e>(&self, env: Env<'e>) -> Result<Value<'e>> {
        // SAFETY: the reference is of this environment, which lives as long as it does.
        env.new_value(|out| unsafe { sys::napi_get_reference_value(env.raw, self.0, out) })
    }

    /// Calls the function. A failure means that it threw an exception or that the environment is
    /// ending.
    #[inline]
    pub fn call<'e>(&self, env: Env<'e>, arguments: &[Value<'e>]) -> Result<Value<'e>> {
        env.call(self.get(env)?, arguments)
    }
}

/// A reference to a function that is released when this is dropped, on the environment's thread.
#[derive(Debug)]
pub struct OwnFunction {
    raw: sys::napi_env,
    function: Function,
}

impl OwnFunction {
    /// Creates a reference to a function.
    pub fn keep(value: Value<'_>) -> Result<Self> {
        Ok(Self { raw: value.env().raw, function: Function::keep(value)? })
    }

    /// Calls the function. A failure means that it threw an exception or that the environment is
    /// ending.
    pub fn call<'e>(&self, env: Env<'e>, arguments: &[Value<'e>]) -> Result<Value<'e>> {
        self.function.call(env, arguments)
    }
}

impl Drop for OwnFunction {
    fn drop(&mut self) {
        // SAFETY: the pointer of the reference keeps this on the environment's thread, which is
        // live while it drops what belongs to it.
        self.function.let_go(unsafe { Env::from_raw(self.raw) });
    }
}

impl<'e> Env<'e> {
    /// Calls a function. A failure means that it threw an exception or that the environment is
    /// ending.
    #[inline]
    pub fn call(self, function: Value<'e>, arguments: &[Value<'e>]) -> Result<Value<'e>> {
        let this = self.undefined()?;
        // On the stack for most calls.
        let mut few = [ptr::null_mut(); 12];
        let many: Vec<_>;
        let raw = if arguments.len() <= few.len() {
            for (place, argument) in few.iter_mut().zip(arguments) {
                *place = argument.as_raw();
            }
            few.as_ptr()
        } else {
            many = arguments.iter().map(|argument| argument.as_raw()).collect();
            many.as_ptr()
        };
        // SAFETY: the function and the arguments are live values, and `arguments.len()` is their
        // number.
        self.new_value(|out| unsafe {
            sys::napi_call_function(
                self.raw,
                this.as_raw(),
                function.as_raw(),
                arguments.len(),
                raw,
                out,
            )
        })
    }
}
