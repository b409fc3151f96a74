//! Reusable request buffers, so that commands allocate nothing in steady state.

use std::cell::RefCell;

/// Buffers kept per thread.
const KEEP: usize = 256;
/// Larger buffers go back to the allocator.
const KEEP_CAPACITY: usize = 16 << 10;

thread_local! {
    static FREE_LIST: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// An empty buffer.
pub fn take() -> Vec<u8> {
    FREE_LIST
        .try_with(|free_list| free_list.try_borrow_mut().ok()?.pop())
        .ok()
        .flatten()
        .unwrap_or_else(|| Vec::with_capacity(256))
}

/// Returns a buffer for reuse on this thread; empty and large ones are simply dropped.
pub fn give(mut buffer: Vec<u8>) {
    if buffer.capacity() == 0 || buffer.capacity() > KEEP_CAPACITY {
        return;
    }
    buffer.clear();
    let _ = FREE_LIST.try_with(|free_list| {
        if let Ok(mut free_list) = free_list.try_borrow_mut()
            && free_list.len() < KEEP
        {
            free_list.push(buffer);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn take_returns_a_buffer_with_room() {
        give(Vec::new());
        assert!(take().capacity() > 0);
        let mut buffer = Vec::with_capacity(1000);
        buffer.extend_from_slice(b"left over");
        give(buffer);
        let again = take();
        assert!(again.is_empty() && again.capacity() == 1000);
    }

    #[test]
    fn large_buffers_are_dropped() {
        give(Vec::with_capacity(KEEP_CAPACITY + 1));
        assert!(take().capacity() <= KEEP_CAPACITY);
    }
}
