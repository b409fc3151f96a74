//! Collects the records of a query for a table of columns, which a host builds.

use std::time::Duration;

use spikewire_aerospike_protocol::query::Row;

use super::{Advance, MAX_RUN, ReadError, Stream};

/// A table with this many bytes of records is complete.
const LARGEST: usize = 4 << 20;

/// How much to collect.
#[derive(Debug, Clone, Copy)]
pub struct TableDemand {
    /// The rows of a complete table.
    pub rows: usize,
    /// The rows for which there is room now.
    pub room: usize,
    /// The bytes after which others should get a turn.
    pub turn: usize,
    /// Whether this thread waits for records; otherwise it takes those that have arrived.
    pub wait: bool,
}

/// The size of a table that is being built.
#[derive(Debug, Default)]
pub struct TableSize {
    /// Its rows.
    pub rows: usize,
    bytes: usize,
}

impl TableSize {
    /// Passes records to `add`, with the numbers of their rows, and reads on, until the table is
    /// complete, a turn is over, or records have to arrive. `None`: there is no more room.
    pub fn collect<E>(
        &mut self,
        stream: &mut Stream,
        demand: TableDemand,
        mut add: impl FnMut(usize, &Row<'_>) -> Result<(), E>,
    ) -> Result<Option<Advance>, ReadError<E>> {
        let TableDemand { rows, room, turn, wait } = demand;
        let (begun, room) = (self.bytes, room.min(rows));
        let (most, pause) = if wait { (room, None) } else { (MAX_RUN, Some(Duration::ZERO)) };
        loop {
            if self.rows >= rows || self.bytes >= LARGEST {
                return Ok(Some(Advance::Ready));
            }
            if self.rows >= room {
                return Ok(None);
            }
            let count = stream.take((room - self.rows).min(most), |record| {
                add(self.rows, &record.row)?;
                self.rows += 1;
                self.bytes += record.row.ops.len();
                Ok(())
            });
            if count.map_err(ReadError::Row)? > 0 {
                if self.bytes - begun >= turn {
                    return Ok(Some(Advance::Again));
                }
                continue;
            }
            if stream.is_over() {
                return Ok(Some(if self.rows > 0 { Advance::Ready } else { Advance::Over }));
            }
            if !stream.fill(pause)? {
                return Ok(Some(if wait { Advance::Again } else { Advance::Wait }));
            }
        }
    }
}
