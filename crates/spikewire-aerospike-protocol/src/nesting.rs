//! Notes that a value is nested deep while it is encoded, so that what is flat is not walked through
//! once more to find out.
//!
//! Values are encoded and requests composed on one thread, one after the other. A note says that a
//! value may be nested deeper than newer servers allow; only then is it looked at.

use std::cell::Cell;

use crate::{features, limits};

thread_local! {
    static DEEP: Cell<bool> = const { Cell::new(false) };
}

/// Notes a value that may be nested too deep for newer servers.
#[cold]
pub fn note() {
    DEEP.set(true);
}

/// With so few of [`limits::NESTING`] levels left, newer servers may refuse a value.
pub const NOTED: usize = limits::NESTING - features::NESTING;

/// Notes a value within which `left` more levels are allowed, if it may be nested too deep for newer
/// servers.
#[inline]
pub fn note_at(left: usize) {
    if left <= NOTED {
        note();
    }
}

/// Forgets the note, and says whether there was one.
#[inline]
pub fn take() -> bool {
    DEEP.replace(false)
}
