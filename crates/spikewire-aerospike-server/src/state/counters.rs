//! Counters of one thread, added to a node's counters when a connection's turn ends.

use std::sync::atomic::{AtomicU64, Ordering};

use spikewire_aerospike_protocol::result_code::ResultCode;

/// Counters of one thread.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct LocalCounters {
    /// Binary requests.
    pub requests: u64,
    /// Reads.
    pub reads: u64,
    /// Writes and deletes.
    pub writes: u64,
    /// Requests for missing records.
    pub not_found: u64,
    /// Requests with any other code but 0.
    pub errors: u64,
    /// Info requests.
    pub infos: u64,
    /// Requests that came compressed.
    pub compressed_requests: u64,
    /// Compressed frames of replies.
    pub compressed_replies: u64,
    /// Writes that were answered before their copies were made.
    pub master_commits: u64,
    /// Requests that asked for details of errors.
    pub detailed_requests: u64,
}

impl LocalCounters {
    /// Counts an error.
    pub fn count_error(&mut self, code: ResultCode) {
        if code == ResultCode::NOT_FOUND {
            self.not_found += 1;
        } else {
            self.errors += 1;
        }
    }
}

/// The same counters, shared.
#[derive(Debug, Default)]
pub struct SharedCounters {
    values: [AtomicU64; 10],
}

impl SharedCounters {
    /// Adds the counters of one thread, and resets them.
    pub fn take(&self, counters: &mut LocalCounters) {
        let LocalCounters {
            requests,
            reads,
            writes,
            not_found,
            errors,
            infos,
            compressed_requests,
            compressed_replies,
            master_commits,
            detailed_requests,
        } = std::mem::take(counters);
        let rare = [compressed_requests, compressed_replies, master_commits, detailed_requests];
        let others = [requests, reads, writes, not_found, errors, infos];
        for (value, more) in self.values.iter().zip(others.into_iter().chain(rare)) {
            if more != 0 {
                value.fetch_add(more, Ordering::Relaxed);
            }
        }
    }

    /// Reads the counters.
    pub fn read(&self) -> LocalCounters {
        let values: [u64; 10] = std::array::from_fn(|at| self.values[at].load(Ordering::Relaxed));
        let [requests, reads, writes, not_found, errors, infos, ..] = values;
        let [.., compressed_requests, compressed_replies, master_commits, detailed_requests] =
            values;
        LocalCounters {
            requests,
            reads,
            writes,
            not_found,
            errors,
            infos,
            compressed_requests,
            compressed_replies,
            master_commits,
            detailed_requests,
        }
    }
}
