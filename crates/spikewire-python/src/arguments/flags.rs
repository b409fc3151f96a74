//! Boolean arguments. A value of another type is refused with an error that names the option.

use pyo3::prelude::*;

use crate::bridge::keywords;

/// A `bool`, or an `Option<bool>` where `None` leaves the decision to another setting.
pub trait Switch: Sized {
    fn read(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self>;
}

impl Switch for bool {
    fn read(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        keywords::flag(name, value)
    }
}

impl Switch for Option<bool> {
    fn read(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        keywords::optional(name, value, keywords::flag)
    }
}

/// Defines one function per option name, because `from_py_with` does not pass the parameter's name.
macro_rules! flags {
    ($($name:ident)*) => {
        $(pub fn $name<T: Switch>(value: &Bound<'_, PyAny>) -> PyResult<T> {
            T::read(stringify!($name), value)
        })*
    };
}

flags! {
    allow_delete
    basic
    buffers
    by_lines
    compress
    create_only
    durable
    ignore_case
    include_values
    no_fail
    on_locking_only
    pad
    persist_index
    respond_all_keys
    retry_in_doubt
    require_hint
    require_index
    send_key
    server_filter
    sleep_jitter
    update_only
}
