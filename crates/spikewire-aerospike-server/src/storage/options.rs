//! Options of a namespace.

use std::io;

use spikewire_aerospike_protocol::{frame, limits};

use crate::error::invalid;
use crate::record::sets::MAX_SETS;

/// Options of a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamespaceOptions {
    /// Its name.
    pub name: String,
    /// Copies of each partition, including the master's.
    pub replication_factor: usize,
    /// Default TTL in seconds; 0 = never expire.
    pub default_ttl: u32,
    /// Seconds between two checks for expired records. 0 = never check, and reject TTLs.
    pub nsup_period: u32,
    /// Largest stored record in bytes.
    pub max_record_size: usize,
    /// Sets with an index of all their records.
    pub indexed_sets: Vec<String>,
}

impl Default for NamespaceOptions {
    fn default() -> Self {
        Self {
            name: "test".to_owned(),
            replication_factor: 2,
            default_ttl: 0,
            nsup_period: 1,
            max_record_size: limits::RECORD_SIZE,
            indexed_sets: Vec::new(),
        }
    }
}

impl NamespaceOptions {
    /// A namespace with this name and default options.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Validates the namespaces of a cluster.
    pub(crate) fn check(namespaces: &[Self]) -> io::Result<()> {
        for (at, namespace) in namespaces.iter().enumerate() {
            let name = namespace.name.as_str();
            let odd = |c: char| c.is_control() || c.is_whitespace() || ":;,/=".contains(c);
            if name.is_empty() || name.len() > limits::NAMESPACE_NAME || name.contains(odd) {
                return Err(invalid(format!(
                    "namespace {name:?}: 1 to 31 bytes, without space and any of : ; , / ="
                )));
            }
            if namespaces[..at].iter().any(|other| other.name == name) {
                return Err(invalid(format!("namespace {name:?} is given twice")));
            }
            if namespace.replication_factor == 0 {
                return Err(invalid(format!("namespace {name:?}: replication factor 0")));
            }
            if namespace.max_record_size > frame::MAX_BODY {
                return Err(invalid(format!("namespace {name:?}: records above 128 MiB")));
            }
            for set in &namespace.indexed_sets {
                let odd = |c: char| c.is_control() || ":;".contains(c);
                if set.is_empty() || set.len() > limits::SET_NAME || set.contains(odd) {
                    return Err(invalid(format!(
                        "indexed set {set:?}: 1 to 63 bytes, without : and ;"
                    )));
                }
            }
            if namespace.indexed_sets.len() > MAX_SETS {
                return Err(invalid(format!("namespace {name:?}: more than {MAX_SETS} sets")));
            }
            if namespace.default_ttl > limits::TTL_SECONDS {
                return Err(invalid(format!("namespace {name:?}: default TTL above 10 years")));
            }
        }
        Ok(())
    }
}
