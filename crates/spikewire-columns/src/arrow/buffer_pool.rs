//! Reuses the memory of a query's tables for the following ones.
//!
//! Fresh memory from the system costs more than copying a record's bytes into it. A caller that
//! drops each table before requesting the next pays for it once.

use std::sync::{Arc, Weak};

use arrow_buffer::Buffer;
use spikewire_sync::Mutex;

/// Larger columns are not kept.
const MOST: usize = 16 << 20;

/// Memory kept for the columns of a query.
#[derive(Debug, Default)]
pub struct BufferPool {
    columns: Mutex<Vec<PooledBuffer>>,
}

/// Memory kept for one column.
#[derive(Debug)]
struct PooledBuffer {
    name: String,
    /// The column's last size in bytes.
    len: usize,
    /// Empty while in use.
    memory: Vec<u8>,
}

impl BufferPool {
    /// Memory for a column's bytes, as much as it last needed.
    pub fn take(&self, name: &str) -> Vec<u8> {
        let (memory, len) = match self.columns.lock().iter_mut().find(|buffer| buffer.name == name)
        {
            Some(buffer) => (std::mem::take(&mut buffer.memory), buffer.len),
            None => return Vec::new(),
        };
        if memory.capacity() > 0 { memory } else { Vec::with_capacity(len + len / 8) }
    }

    /// A column's bytes for a table. They return to the pool when the last reference is dropped.
    pub fn lend(self: &Arc<Self>, name: &str, data: Vec<u8>) -> Buffer {
        let len = data.len();
        let known = {
            let mut columns = self.columns.lock();
            let known = columns.iter_mut().find(|buffer| buffer.name == name);
            known.map(|buffer| buffer.len = len).is_some()
        };
        if !known {
            let buffer = PooledBuffer { name: name.to_owned(), len, memory: Vec::new() };
            self.columns.lock().push(buffer);
        }
        if len < data.capacity() / 2 {
            // The last table is shorter, and should not hold more memory than it needs.
            let short = Buffer::from_slice_ref(&data);
            self.give(name, data);
            return short;
        }
        let pool = Arc::downgrade(self);
        bytes::Bytes::from_owner(BorrowedBytes { pool, name: name.to_owned(), data }).into()
    }

    fn give(&self, name: &str, mut data: Vec<u8>) {
        if data.capacity() > MOST {
            return;
        }
        data.clear();
        let mut columns = self.columns.lock();
        if let Some(buffer) = columns.iter_mut().find(|buffer| buffer.name == name)
            && buffer.memory.capacity() < data.capacity()
        {
            std::mem::swap(&mut buffer.memory, &mut data);
        }
        // Memory is freed without holding the lock.
        drop(columns);
    }
}

/// Bytes that a table holds.
struct BorrowedBytes {
    pool: Weak<BufferPool>,
    name: String,
    data: Vec<u8>,
}

impl AsRef<[u8]> for BorrowedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}

impl Drop for BorrowedBytes {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.give(&self.name, std::mem::take(&mut self.data));
        }
    }
}
