//! Monitors: the records of transactions themselves. A monitor has the digests of what its
//! transaction writes, and expires with it.

use spikewire_aerospike_protocol::message::op;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::transaction::{
    self, DIGESTS_BIN, FORWARD_BIN, ID_BIN, LONGEST, RECORDS,
};
use spikewire_aerospike_protocol::value::{self, Value, particle};

use super::Target;
use super::request::Request;
use crate::record::View;
use crate::record::bins::{Bin, Bins};
use crate::record::clock::Moment;
use crate::storage::namespace::Namespace;

/// The bin of a monitor that is set while its transaction is being rolled back.
pub const BACK_BIN: &str = "bwd";
/// Lifetime in seconds of a transaction whose client does not say.
const DEFAULT_LIFETIME: u32 = 10;

fn has(monitor: View<'_>, bin: &str) -> bool {
    Bin::find(monitor.bins(), bin.as_bytes()).is_some()
}

/// Whether a transaction may still write records.
pub fn is_open(namespace: &Namespace, id: u64, now: Moment) -> bool {
    let digest = transaction::monitor(id);
    let partition = namespace.partition(digest.partition());
    let monitor = partition.master().and_then(|table| table.get(&digest.0));
    monitor.is_some_and(|monitor| {
        let ends = has(monitor, FORWARD_BIN) || has(monitor, BACK_BIN);
        !ends && !monitor.is_expired(now.seconds())
    })
}

/// Rejects a write to a monitor that does not fit its state; `monitor` may have expired.
pub fn check(
    monitor: Option<View<'_>>,
    request: &Request<'_>,
    now: Moment,
) -> Result<(), ResultCode> {
    let writes =
        |bin: &str| request.ops().any(|step| step.code == op::WRITE && step.name == bin.as_bytes());
    let (creates, marks) = (writes(ID_BIN), writes(FORWARD_BIN));
    let Some(monitor) = monitor else {
        return if creates { Ok(()) } else { Err(ResultCode::TRANSACTION_EXPIRED) };
    };
    if creates {
        return Err(ResultCode::TRANSACTION_MONITOR_EXISTS);
    }
    if has(monitor, FORWARD_BIN) && marks {
        return Err(ResultCode::TRANSACTION_COMMITTED);
    }
    if has(monitor, BACK_BIN) && marks {
        return Err(ResultCode::TRANSACTION_ABORTED);
    }
    let ends = has(monitor, FORWARD_BIN) || has(monitor, BACK_BIN);
    if ends || monitor.is_expired(now.seconds()) {
        return Err(ResultCode::TRANSACTION_EXPIRED);
    }
    Ok(())
}

/// When a monitor expires after a write.
pub fn void_time(target: &Target<'_>, existing: Option<View<'_>>) -> Result<u32, ResultCode> {
    if let Some(monitor) = existing {
        return Ok(monitor.void_time());
    }
    match target.request.header.ttl {
        0 => Ok(target.now.seconds() + DEFAULT_LIFETIME),
        seconds if seconds <= LONGEST => Ok(target.now.seconds() + seconds),
        _ => Err(ResultCode::PARAMETER),
    }
}

/// Whether a monitor has more records than a transaction may write.
pub fn is_full(bins: &mut Bins) -> bool {
    let digests = bins.get(DIGESTS_BIN.as_bytes()).map_or_else(Vec::new, digests);
    digests.len() > RECORDS
}

fn digests(bin: Bin<'_>) -> Vec<[u8; 20]> {
    let Ok(Value::List(items)) = Value::decode(particle::LIST, bin.value) else {
        return Vec::new();
    };
    let digest = |item: &Value| match item {
        Value::Bytes(bytes) => bytes[..].try_into().ok(),
        _ => None,
    };
    items.iter().filter_map(digest).collect()
}

/// A transaction as its monitor describes it.
#[derive(Debug)]
pub struct Contents {
    /// Its id.
    pub id: u64,
    /// Whether its records are rolled forward.
    pub forward: bool,
    /// The digests of its records.
    pub digests: Vec<[u8; 20]>,
}

impl Contents {
    /// Reads a monitor.
    pub fn of(monitor: View<'_>) -> Self {
        let bin = |name: &str| Bin::find(monitor.bins(), name.as_bytes());
        let id = bin(ID_BIN).and_then(|bin| value::read_int(bin.value).ok()).unwrap_or_default();
        Self {
            id: id as u64,
            forward: bin(FORWARD_BIN).is_some(),
            digests: bin(DIGESTS_BIN).map_or_else(Vec::new, digests),
        }
    }
}
