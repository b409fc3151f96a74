//! Request buffers that are used again, so that a command in steady state allocates nothing.

use std::cell::RefCell;

/// Buffers kept per thread.
const KEEP: usize = 256;
/// Larger buffers go back to the allocator.
const KEEP_CAPACITY: usize = 16 << 10;

thread_local! {
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// An empty buffer.
pub fn take() -> Vec<u8> {
    SPARE
        .try_with(|spare| spare.try_borrow_mut().ok()?.pop())
        .ok()
        .flatten()
        .unwrap_or_else(|| Vec::with_capacity(256))
}

/// Gives a buffer back for later use on this thread.
pub fn give(mut buffer: Vec<u8>) {
    if buffer.capacity() > KEEP_CAPACITY {
        return;
    }
    buffer.clear();
    let _ = SPARE.try_with(|spare| {
        if let Ok(mut spare) = spare.try_borrow_mut()
            && spare.len() < KEEP
        {
            spare.push(buffer);
        }
    });
}
