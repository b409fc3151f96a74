//! Bounds of the options of clusters, namespaces and faults.

use std::time::Duration;

use spikewire_aerospike_protocol::{frame, limits};
use spikewire_options::Bounds;

use crate::record::sets::MAX_NODES;

const SECOND: Duration = Duration::from_secs(1);

pub(crate) const BOUNDS: Bounds = Bounds {
    counts: &[
        ("code", (1, 255)),
        ("default_ttl", (0, limits::TTL_SECONDS as u64)),
        ("drip", (1, 1 << 30)),
        ("max_record_size", (256, frame::MAX_BODY as u64)),
        ("nodes", (1, MAX_NODES as u64)),
        ("nsup_period", (0, u32::MAX as u64)),
        ("port", (0, u16::MAX as u64)),
        ("replication_factor", (1, MAX_NODES as u64)),
        ("threads", (1, 64)),
    ],
    spans: &[
        // As on servers.
        ("session_ttl", (SECOND, Duration::from_secs(10 * 24 * 60 * 60))),
        ("udf_time", (Duration::from_micros(1), Duration::MAX)),
    ],
};
