//! Where a call goes, what a read may read, and whether it renews the TTL.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt};

use spikewire_engine::{Policy, ReplicaPolicy};
use spikewire_protocol::limits::TTL_NEVER;
use spikewire_protocol::message::{Header, info1, info3};

use super::seconds;
use crate::errors::{shown, type_error, type_name, value_error};
use crate::space::text;

/// The replica policy of that name.
pub fn replica(value: &Bound<'_, PyAny>) -> PyResult<ReplicaPolicy> {
    Ok(match text("replica", value)? {
        "master" => ReplicaPolicy::Master,
        "sequence" => ReplicaPolicy::Sequence,
        "any" => ReplicaPolicy::Any,
        "prefer-rack" => ReplicaPolicy::PreferRack,
        word => {
            return Err(value_error(format!(
                "replica must be 'master', 'sequence', 'any' or 'prefer-rack', got {word:?}"
            )));
        }
    })
}

/// The limits of one call: the client's defaults, changed by what the caller gave.
pub fn policy(
    base: &Policy,
    timeout: Option<&Bound<'_, PyAny>>,
    chosen: Option<&Bound<'_, PyAny>>,
) -> PyResult<Policy> {
    let mut policy = *base;
    if let Some(timeout) = timeout {
        policy.timeout = seconds("timeout", timeout)?;
    }
    if let Some(chosen) = chosen {
        policy.replica = replica(chosen)?;
    }
    Ok(policy)
}

/// How sure a read is that what it found is the latest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReadMode {
    /// What the node has; in strongly consistent namespaces the same as `Session`.
    #[default]
    One,
    /// Of all copies, where they may differ, the latest.
    All,
    /// Strong consistency: never older than what this client has seen.
    Session,
    /// Strong consistency: never older than what any client has seen.
    Linearize,
    /// Strong consistency: a replica may answer.
    AllowReplica,
    /// Strong consistency: so may a node whose partition is not available.
    AllowUnavailable,
}

impl ReadMode {
    /// The mode of that name.
    pub fn named(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(match text("read_mode", value)? {
            "one" => Self::One,
            "all" => Self::All,
            "session" => Self::Session,
            "linearize" => Self::Linearize,
            "allow_replica" => Self::AllowReplica,
            "allow_unavailable" => Self::AllowUnavailable,
            word => {
                return Err(value_error(format!(
                    "read_mode must be 'one', 'all', 'session', 'linearize', 'allow_replica' or \
                     'allow_unavailable', got {word:?}"
                )));
            }
        })
    }

    /// Says it in a request, and sends that where it can be kept.
    pub fn apply(self, header: &mut Header, policy: &mut Policy) {
        match self {
            Self::One => {}
            Self::All => header.info1 |= info1::READ_MODE_AP_ALL,
            // Only the master knows.
            Self::Session => policy.replica = ReplicaPolicy::Master,
            Self::Linearize => {
                header.info3 |= info3::SC_READ_TYPE;
                if policy.replica == ReplicaPolicy::PreferRack {
                    policy.replica = ReplicaPolicy::Sequence;
                }
            }
            Self::AllowReplica => header.info3 |= info3::SC_READ_RELAX,
            Self::AllowUnavailable => header.info3 |= info3::SC_READ_TYPE | info3::SC_READ_RELAX,
        }
    }
}

/// The expiration slot of a read: the percentage of the TTL below which it is renewed.
pub fn read_touch(value: Option<&Bound<'_, PyAny>>) -> PyResult<u32> {
    let Some(value) = value else { return Ok(0) };
    if !value.is_instance_of::<PyInt>() || value.is_instance_of::<PyBool>() {
        return Err(type_error(format!("read_touch must be int, not {}", type_name(value))));
    }
    match value.extract::<i32>() {
        Ok(-1) => Ok(TTL_NEVER),
        Ok(percent @ 0..=100) => Ok(percent as u32),
        _ => Err(value_error(format!(
            "read_touch must be a percentage from 1 to 100, 0 for the server's default, or -1 for \
             never, got {}",
            shown(value)
        ))),
    }
}
