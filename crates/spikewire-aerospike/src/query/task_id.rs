//! Task ids, which identify queries and jobs on the nodes.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime};

use spikewire_aerospike_protocol::key::{UserKey, digest};

/// A task id that no other query on the server has; not small, unlike those that the server
/// assigns.
pub fn task_id() -> u64 {
    static BASE: OnceLock<[u8; 8]> = OnceLock::new();
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let base = BASE.get_or_init(|| {
        let since =
            SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let seed = format!("{} {}", since.as_nanos(), std::process::id());
        let hash = digest("query", &UserKey::Str(&seed));
        let mut base = [0; 8];
        base.copy_from_slice(&hash.0[..8]);
        base
    });
    // Includes the process id again, since a forked process has the same base.
    let process = u64::from(std::process::id()) << 32;
    let number = u64::from_be_bytes(*base).wrapping_add(process);
    number.wrapping_add(NEXT.fetch_add(1, Relaxed)) | 1 << 63
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_large_and_differ() {
        let (first, second) = (task_id(), task_id());
        assert_ne!(first, second);
        assert!(first >= 1 << 63 && second >= 1 << 63);
    }
}
