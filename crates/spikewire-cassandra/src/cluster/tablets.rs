//! The tablets of tables, as far as replies named them. A tablet that is not known, or no longer
//! right, costs a detour: its request goes to another node or shard, whose reply names the tablet.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rustc_hash::FxHashMap;
use spikewire_cql::response::SchemaChange;
use spikewire_cql::response::schema::{Change, Target};
use spikewire_cql::tablet::Tablet;
use spikewire_sync::RwLock;

use super::node::HostId;

/// Maximum number of tablets kept for a table. Beyond it, those of the table are learned anew.
const MOST_OF_A_TABLE: usize = 1 << 17;
/// Maximum number of tables whose tablets are kept. Beyond it, all are learned anew.
const MOST_TABLES: usize = 10_000;

/// The tablets of a table, in the order of their tokens; no two overlap.
type OfTable = Vec<Arc<Tablet>>;

/// The tablets of a keyspace, by table.
type OfKeyspace = FxHashMap<Arc<str>, OfTable>;

/// The tablets of a cluster, by keyspace and table.
#[derive(Debug, Default)]
pub(crate) struct Tablets {
    /// Whether there are any: most clusters have none, and then no lock is taken.
    has_some: AtomicBool,
    tables: RwLock<FxHashMap<Arc<str>, OfKeyspace>>,
}

impl Tablets {
    /// The tablet with the rows of a token.
    #[inline]
    pub fn find(&self, keyspace: &str, table: &str, token: i64) -> Option<Arc<Tablet>> {
        if self.has_some.load(Relaxed) { self.look_up(keyspace, table, token) } else { None }
    }

    #[cold]
    fn look_up(&self, keyspace: &str, table: &str, token: i64) -> Option<Arc<Tablet>> {
        let tables = self.tables.read();
        let tablets = tables.get(keyspace)?.get(table)?;
        let at = tablets.partition_point(|tablet| tablet.last < token);
        tablets.get(at).filter(|tablet| tablet.has(token)).cloned()
    }

    /// Adds a tablet in place of those that it overlaps. One without replicas says nothing.
    #[cold]
    pub fn add(&self, keyspace: &Arc<str>, table: &Arc<str>, tablet: Tablet) {
        if tablet.replicas.is_empty() {
            return;
        }
        let mut keyspaces = self.tables.write();
        if keyspaces.values().map(FxHashMap::len).sum::<usize>() >= MOST_TABLES {
            keyspaces.clear();
        }
        let tables = keyspaces.entry(keyspace.clone()).or_default();
        let tablets = tables.entry(table.clone()).or_default();
        if tablets.len() >= MOST_OF_A_TABLE {
            tablets.clear();
        }
        let from = tablets.partition_point(|known| known.last <= tablet.first);
        let to = from + tablets[from..].partition_point(|known| known.first < tablet.last);
        tablets.splice(from..to, [Arc::new(tablet)]);
        self.has_some.store(true, Relaxed);
    }

    /// Takes note of a change of the schema; `None` if that may be anything.
    pub fn schema_changed(&self, change: Option<&SchemaChange>) {
        if !self.has_some.load(Relaxed) {
            return;
        }
        let Some(change) = change else { return self.tables.write().clear() };
        if change.change == Change::Created {
            return;
        }
        let mut keyspaces = self.tables.write();
        match &change.target {
            Target::Keyspace => drop(keyspaces.remove(&*change.keyspace)),
            Target::Table(table) => {
                if let Some(tables) = keyspaces.get_mut(&*change.keyspace) {
                    tables.remove(&**table);
                }
            }
            _ => {}
        }
    }

    /// Forgets the tablets of nodes that left the cluster.
    pub fn forget_nodes(&self, gone: &[HostId]) {
        if gone.is_empty() || !self.has_some.load(Relaxed) {
            return;
        }
        let stays =
            |tablet: &Arc<Tablet>| !tablet.replicas.iter().any(|(host, _)| gone.contains(host));
        for tablets in self.tables.write().values_mut().flat_map(FxHashMap::values_mut) {
            tablets.retain(stays);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tablet(first: i64, last: i64, host: u8) -> Tablet {
        Tablet { first, last, replicas: vec![([host; 16], 1)], version: None }
    }

    fn add(tablets: &Tablets, tablet: Tablet) {
        tablets.add(&"k".into(), &"t".into(), tablet);
    }

    fn host(tablets: &Tablets, token: i64) -> Option<u8> {
        tablets.find("k", "t", token).map(|tablet| tablet.replicas[0].0[0])
    }

    fn change(change: Change, target: Target) -> SchemaChange {
        SchemaChange { change, keyspace: "k".to_owned(), target }
    }

    #[test]
    fn a_tablet_has_the_tokens_behind_its_first_up_to_its_last() {
        let tablets = Tablets::default();
        assert_eq!(host(&tablets, 5), None);
        add(&tablets, tablet(0, 10, 1));
        add(&tablets, tablet(20, 30, 2));
        add(&tablets, tablet(i64::MIN, -5, 3));
        let tokens = [i64::MIN, -6, -5, -4, 0, 1, 10, 11, 20, 21, 30, 31, i64::MAX];
        let none = None;
        assert_eq!(
            tokens.map(|token| host(&tablets, token)),
            [
                none,
                Some(3),
                Some(3),
                none,
                none,
                Some(1),
                Some(1),
                none,
                none,
                Some(2),
                Some(2),
                none,
                none
            ]
        );
        assert!(tablets.find("k", "other", 5).is_none() && tablets.find("o", "t", 5).is_none());
    }

    #[test]
    fn a_new_tablet_replaces_those_that_it_overlaps() {
        let tablets = Tablets::default();
        (0..4).for_each(|at| add(&tablets, tablet(10 * at, 10 * at + 10, at as u8)));
        // As after a merge: from the middle of the first to the end of the third.
        add(&tablets, tablet(5, 30, 9));
        assert_eq!(
            [5, 6, 30, 31].map(|token| host(&tablets, token)),
            [None, Some(9), Some(9), Some(3)]
        );
        // As after a split: only a part is named.
        add(&tablets, tablet(5, 15, 7));
        assert_eq!([10, 16, 35].map(|token| host(&tablets, token)), [Some(7), None, Some(3)]);
        add(&tablets, Tablet { replicas: Vec::new(), ..tablet(0, 40, 0) });
        assert_eq!(host(&tablets, 10), Some(7), "one without replicas says nothing");
    }

    #[test]
    fn changes_of_schema_and_nodes_make_tablets_unknown() {
        let table = |name: &str| Target::Table(name.to_owned());
        for (what, stays) in [
            (Some(change(Change::Dropped, table("t"))), false),
            (Some(change(Change::Updated, table("t"))), false),
            (Some(change(Change::Updated, Target::Keyspace)), false),
            (None, false),
            (Some(change(Change::Created, table("t"))), true),
            (Some(change(Change::Dropped, table("other"))), true),
        ] {
            let tablets = Tablets::default();
            add(&tablets, tablet(0, 10, 1));
            tablets.schema_changed(what.as_ref());
            assert_eq!(host(&tablets, 5).is_some(), stays, "{what:?}");
        }
        let tablets = Tablets::default();
        add(&tablets, tablet(0, 10, 1));
        add(&tablets, tablet(10, 20, 2));
        tablets.forget_nodes(&[[1; 16], [3; 16]]);
        assert_eq!((host(&tablets, 5), host(&tablets, 15)), (None, Some(2)));
    }

    #[test]
    fn the_number_of_tables_has_a_bound() {
        let tablets = Tablets::default();
        for number in 0..=MOST_TABLES {
            tablets.add(&"k".into(), &number.to_string().into(), tablet(0, 10, 1));
        }
        assert!(tablets.find("k", "0", 5).is_none());
        assert!(tablets.find("k", &MOST_TABLES.to_string(), 5).is_some());
    }
}
