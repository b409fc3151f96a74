//! Values that are created once and cached, for places that do so very often.

use pyo3::Python;
use pyo3::sync::PyOnceLock;

/// Stores a value unless there is one already, and returns the stored one.
///
/// `PyOnceLock::get_or_init` releases the interpreter before it creates the value. If many threads
/// wait for the interpreter, that costs a thread switch per value.
#[inline]
pub fn get_or_set<'a, T>(py: Python<'_>, cell: &'a PyOnceLock<T>, value: T) -> &'a T {
    // Full already if another thread was faster.
    let _ = cell.set(py, value);
    cell.get(py).expect("full from here on")
}
