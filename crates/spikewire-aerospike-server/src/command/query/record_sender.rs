//! Selects and sends the records of a query.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use spikewire_aerospike_protocol::frame;
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::message::HEADER_LEN;
use spikewire_aerospike_protocol::query::{Point, Row};

use super::projection::Projection;
use crate::expression::{Program, RecordView};
use crate::index::Index;
use crate::index::query_range::QueryRange;
use crate::job::Job;
use crate::record::View;
use crate::record::clock::Moment;
use crate::record::sets::Set;
use crate::storage::namespace::Namespace;

/// Maximum size of a frame with more than one record, in bytes.
const FRAME: usize = 1 << 20;

/// Selection by set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetFilter {
    /// All.
    All,
    /// Records of one set.
    Set(u16),
    /// None: the set was never written to.
    Nothing,
}

/// The index of a query and its range.
#[derive(Debug)]
pub struct IndexRange {
    /// The index.
    pub index: Arc<Index>,
    /// The values.
    pub range: QueryRange,
}

/// The records that a query selects.
#[derive(Debug)]
pub struct Selection {
    /// By set.
    pub set_filter: SetFilter,
    /// By index.
    pub by_index: Option<Arc<IndexRange>>,
    /// The index of all records of the set, if there is one.
    pub of_set: Option<Arc<Index>>,
    /// The filter.
    pub filter: Option<Arc<Program>>,
}

impl Selection {
    /// Whether a record is selected, and if not, whether the filter excluded it. `key` is the index
    /// key under which it was found; `None` = any matching value.
    pub fn takes(
        &self,
        namespace: &Namespace,
        record: View<'_>,
        key: Option<u64>,
        now: Moment,
    ) -> Result<(), bool> {
        if let SetFilter::Set(set) = self.set_filter
            && set != record.set()
        {
            return Err(false);
        }
        if self.set_filter == SetFilter::Nothing
            || namespace.is_monitor(record)
            || namespace.is_gone(record, now)
        {
            return Err(false);
        }
        if self.by_index.is_none() && self.filter.is_none() {
            return Ok(());
        }
        let view = RecordView::stored(&namespace.sets, record, now);
        if self.filter.as_ref().is_some_and(|filter| !filter.passes(&view)) {
            return Err(true);
        }
        match &self.by_index {
            Some(by_index) if !by_index.range.confirms(&by_index.index.definition, &view, key) => {
                Err(false)
            }
            _ => Ok(()),
        }
    }
}

/// Why no more records are accepted for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The turn is over.
    Turn,
    /// The rate limit allows no more before this time.
    Rate(Instant),
    /// The record limit was reached.
    Enough,
}

/// Sends records.
#[derive(Debug)]
pub struct RecordSender {
    job: Arc<Job>,
    selection: Selection,
    projection: Projection,
    /// Remaining record limit.
    left: Option<u64>,
    /// Records that passed the filter.
    passed: u64,
    /// When the next record may be sent, with a rate limit.
    paused_until: Option<Instant>,
    last_set: Option<(u16, Arc<Set>)>,
    scratch: Vec<u8>,
}

impl RecordSender {
    /// Sends at most `left` records.
    pub fn new(
        job: Arc<Job>,
        selection: Selection,
        projection: Projection,
        left: Option<u64>,
    ) -> Self {
        let (last_set, scratch) = (None, Vec::new());
        Self { job, selection, projection, left, passed: 0, paused_until: None, last_set, scratch }
    }

    /// Selection by set.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// The index it uses.
    pub fn by_index(&self) -> Option<Arc<IndexRange>> {
        self.selection.by_index.clone()
    }

    /// Whether the record limit was reached.
    pub fn is_enough(&self) -> bool {
        self.left == Some(0)
    }

    /// Appends a record to the frame at `start`, if it is selected. A rejected one has to be
    /// offered again.
    pub fn offer(
        &mut self,
        namespace: &Namespace,
        record: View<'_>,
        key: u64,
        now: Moment,
        start: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        match self.selection.takes(namespace, record, Some(key), now) {
            Ok(()) => {}
            Err(filtered) => {
                self.job.counters.filtered.fetch_add(u64::from(filtered), Ordering::Relaxed);
                return Ok(());
            }
        }
        if self.is_enough() {
            return Err(Stop::Enough);
        }
        let len = out.len() - start;
        if len > frame::HEADER_LEN && len + record.image().len() > FRAME {
            return Err(Stop::Turn);
        }
        if let Some(due) = self.paused_until {
            if Instant::now() < due {
                return Err(Stop::Rate(due));
            }
            self.paused_until = None;
        }
        self.send(namespace, record, key, now, out);
        Ok(())
    }

    /// Appends a record, if the projection returns anything.
    fn send(
        &mut self,
        namespace: &Namespace,
        record: View<'_>,
        key: u64,
        now: Moment,
        out: &mut Vec<u8>,
    ) {
        self.passed += 1;
        self.left = self.left.map(|left| left - 1);
        let counters = &self.job.counters;
        if self.job.options.rate > 0 {
            counters.throttled.fetch_add(1, Ordering::Relaxed);
            self.paused_until = self.job.pause(self.passed);
        }
        let (op_count, ops, no_bins) = match &self.projection {
            Projection::All => (record.bin_count(), record.bins(), false),
            Projection::NoBins => (0, &[][..], true),
            Projection::Ops { ops, respond_all } => {
                let view = RecordView::stored(&namespace.sets, record, now);
                let count = Projection::run(ops, *respond_all, &view, &mut self.scratch);
                let Some(count) = count else { return };
                (count, &self.scratch[HEADER_LEN..], false)
            }
        };
        let number = record.set();
        if self.last_set.as_ref().is_none_or(|(known, _)| *known != number) {
            self.last_set = namespace.sets.get(number).map(|set| (number, set));
        }
        let set = self.last_set.as_ref().map_or(&[][..], |(_, set)| &set.name);
        let value =
            self.selection.by_index.as_ref().map(|by_index| by_index.range.kind.wire_key(key));
        let digest = Digest(*record.digest());
        let row = Row {
            point: Point { digest, value: value.unwrap_or(0) },
            set: if number == 0 { &[] } else { set },
            key: record.key(),
            generation: u32::from(record.generation()),
            void_time: record.void_time(),
            op_count,
            ops,
        };
        row.write(namespace.options.name.as_bytes(), value.is_some(), no_bins, out);
        counters.succeeded.fetch_add(1, Ordering::Relaxed);
    }
}
