//! Which thread completes the futures of submitted calls.

use std::cell::Cell;

thread_local! {
    /// Number of the driver whose thread this is; 0 on all other threads.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// From now on this thread is the one of the driver with this number.
pub fn begin(driver: usize) {
    CURRENT.set(driver);
}

/// Whether this thread is the one of the driver with this number.
pub fn is_current(driver: usize) -> bool {
    driver != 0 && CURRENT.get() == driver
}

/// Whether this thread is the one of any driver.
pub fn is_any() -> bool {
    CURRENT.get() != 0
}
