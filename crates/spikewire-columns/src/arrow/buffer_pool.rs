//! Memory that the tables of a query give back, for the tables that follow.
//!
//! Memory that is fresh from the system costs more than copying a record's bytes to it. A caller who
//! is through with a table before the next one is made pays for it once.

use std::sync::{Arc, Weak};

use arrow_buffer::Buffer;
use spikewire_sync::Mutex;

/// More bytes of one column are not kept.
const MOST: usize = 16 << 20;

/// What is kept for the columns of a query.
#[derive(Debug, Default)]
pub struct BufferPool {
    columns: Mutex<Vec<Kept>>,
}

/// What is kept for one column.
#[derive(Debug)]
struct Kept {
    name: String,
    /// Bytes that the column had last.
    len: usize,
    /// Empty while they are in use.
    spare: Vec<u8>,
}

impl BufferPool {
    /// Room for a column's bytes: as much as they took last.
    pub fn take(&self, name: &str) -> Vec<u8> {
        let (spare, len) = match self.columns.lock().iter_mut().find(|kept| kept.name == name) {
            Some(kept) => (std::mem::take(&mut kept.spare), kept.len),
            None => return Vec::new(),
        };
        if spare.capacity() > 0 { spare } else { Vec::with_capacity(len + len / 8) }
    }

    /// A column's bytes for a table. They come back after the last reference is gone.
    pub fn lend(self: &Arc<Self>, name: &str, data: Vec<u8>) -> Buffer {
        let len = data.len();
        let known = {
            let mut columns = self.columns.lock();
            let known = columns.iter_mut().find(|kept| kept.name == name);
            known.map(|kept| kept.len = len).is_some()
        };
        if !known {
            let kept = Kept { name: name.to_owned(), len, spare: Vec::new() };
            self.columns.lock().push(kept);
        }
        if len < data.capacity() / 2 {
            // The last table is shorter, and should not hold more than it needs.
            let short = Buffer::from_slice_ref(&data);
            self.give(name, data);
            return short;
        }
        let pool = Arc::downgrade(self);
        bytes::Bytes::from_owner(Lent { pool, name: name.to_owned(), data }).into()
    }

    fn give(&self, name: &str, mut data: Vec<u8>) {
        if data.capacity() > MOST {
            return;
        }
        data.clear();
        let mut columns = self.columns.lock();
        if let Some(kept) = columns.iter_mut().find(|kept| kept.name == name)
            && kept.spare.capacity() < data.capacity()
        {
            std::mem::swap(&mut kept.spare, &mut data);
        }
        // What is freed is freed without the lock.
        drop(columns);
    }
}

/// Bytes that are in a table.
struct Lent {
    pool: Weak<BufferPool>,
    name: String,
    data: Vec<u8>,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.give(&self.name, std::mem::take(&mut self.data));
        }
    }
}
