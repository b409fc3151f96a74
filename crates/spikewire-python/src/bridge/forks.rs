//! How often this process was forked. Whatever was created before the latest fork belongs to the
//! parent.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use pyo3::prelude::*;

use super::python_code;

static FORKS: AtomicU32 = AtomicU32::new(0);

/// The number of forks between the first process and this one.
pub fn forks() -> u32 {
    FORKS.load(Relaxed)
}

/// Called in the child after a fork.
#[pyfunction]
pub fn _after_fork() {
    FORKS.fetch_add(1, Relaxed);
    python_code::after_fork();
}
