//! What is made once and kept, where that is done very often.

use pyo3::Python;
use pyo3::sync::PyOnceLock;

/// Keeps a value unless there is one, and gives the one that is kept.
///
/// `PyOnceLock::get_or_init` lets go of the interpreter before it makes the value. Where many
/// threads wait for that, each value costs a change of threads.
#[inline]
pub fn keep<'a, T>(py: Python<'_>, cell: &'a PyOnceLock<T>, value: T) -> &'a T {
    // Full already where another thread was faster.
    let _ = cell.set(py, value);
    cell.get(py).expect("full from here on")
}
