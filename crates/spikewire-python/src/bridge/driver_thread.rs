//! Which thread completes the futures of submitted calls.

use std::cell::Cell;

thread_local! {
    /// The number of the driver whose thread this is, or 0 in all other threads.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// Marks this thread as that of the driver with this number.
pub fn begin(driver: usize) {
    CURRENT.set(driver);
}

/// Whether this thread belongs to the driver with this number.
pub fn is_current(driver: usize) -> bool {
    driver != 0 && CURRENT.get() == driver
}

/// Whether this thread belongs to any driver.
pub fn is_any() -> bool {
    CURRENT.get() != 0
}
