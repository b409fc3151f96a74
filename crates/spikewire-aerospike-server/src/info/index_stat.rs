//! Statistics of an index: progress, size, selectivity.

use spikewire_aerospike_protocol::query::Collection;
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::{InfoTarget, error, named_namespace};
use crate::index::Index;
use crate::index::entries::Entry;
use crate::storage::namespace::Namespace;

/// `sindex-stat`, and `sindex/NAMESPACE/INDEX`.
pub(super) fn stat(target: &InfoTarget<'_>, namespace: Option<&str>, name: Option<&str>) -> String {
    let namespace = match named_namespace(target, namespace) {
        Ok(namespace) => namespace,
        Err(text) => return text,
    };
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        return format!(
            "{}{}",
            error(ResultCode::PARAMETER, "missing 'indexname'"),
            error(ResultCode::INDEX_NOT_FOUND, "no index")
        );
    };
    let Some(index) = namespace.indexes.find(name) else {
        return error(ResultCode::INDEX_NOT_FOUND, "no index");
    };
    let size = Size::of(namespace, &index, target.number);
    let (entries, bytes, percent) =
        (size.entries, size.entries * size_of::<Entry>(), index.percent());
    if index.is_of_set() {
        return format!("entries={entries};used_bytes={bytes};load_pct={percent}");
    }
    format!(
        "entries={entries};used_bytes={bytes};entries_per_bval={};entries_per_rec={};\
         load_pct={percent};load_time={};stat_gc_recs=0",
        rounded(entries, size.values),
        rounded(entries, size.records),
        index.load_time()
    )
}

/// The size of an index on a node.
#[derive(Default)]
struct Size {
    entries: usize,
    /// Distinct keys, and records with entries. Not counted before the index is ready: counting
    /// visits every entry, and clients that wait for the index poll often.
    values: usize,
    records: usize,
}

impl Size {
    fn of(namespace: &Namespace, index: &Index, node: usize) -> Self {
        let counted = index.is_ready() && !index.is_of_set();
        let several = index.definition.collection != Collection::Value;
        let (mut size, mut keys) = (Self::default(), Vec::new());
        for pid in Namespace::ids() {
            let partition = namespace.partition(pid);
            if partition.role(node).is_none() {
                continue;
            }
            let Some(entries) = partition.entries(index) else { continue };
            size.entries += entries.len();
            if counted {
                keys.extend(entries.keys_once());
                // As on servers, a record with a single value counts as one entry.
                size.records += if several { entries.records() } else { entries.len() };
            }
        }
        keys.sort_unstable();
        keys.dedup();
        size.values = keys.len();
        size
    }
}

/// The ratio of entries, rounded to the nearest integer; 0 if there are none.
fn rounded(entries: usize, of: usize) -> usize {
    (entries + of / 2).checked_div(of).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_entries_are_rounded() {
        let rounded = [(0, 0), (5, 0), (5, 5), (7, 5), (8, 5), (15, 10), (14, 10)]
            .map(|(entries, of)| rounded(entries, of));
        assert_eq!(rounded, [0, 0, 1, 1, 2, 2, 1]);
    }
}
