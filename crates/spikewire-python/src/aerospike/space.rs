//! Namespaces and sets from Python objects.

use std::cell::RefCell;
use std::sync::Arc;

use pyo3::prelude::*;

use crate::arguments::text;
use crate::errors::invalid_argument;

pub use spikewire_aerospike::command::SetRef as Space;

thread_local! {
    /// The names that were checked last, because key tuples name the same set again and again.
    static LATEST: RefCell<Option<Arc<Space>>> = const { RefCell::new(None) };
}

/// Checks names. `None` is the null set.
pub fn of(namespace: &str, set: Option<&str>) -> PyResult<Arc<Space>> {
    let set = set.unwrap_or_default();
    LATEST.with_borrow_mut(|latest| {
        if let Some(space) = latest
            && *space.namespace == *namespace
            && space.set == set
        {
            return Ok(space.clone());
        }
        let space = Space::new(namespace, set).map_err(invalid_argument)?;
        *latest = Some(space.clone());
        Ok(space)
    })
}

/// Checks names given as Python objects. `None` is the null set.
pub fn named(namespace: &Bound<'_, PyAny>, set: Option<&Bound<'_, PyAny>>) -> PyResult<Arc<Space>> {
    let set = set.map(|set| text("set", set)).transpose()?;
    of(text("namespace", namespace)?, set)
}
