//! The entries of one partition in one index.

use std::collections::{BTreeSet, HashSet};
use std::ops::Bound;
use std::sync::Arc;

use super::Index;
use crate::expression::RecordView;
use crate::record::View;
use crate::record::clock::Moment;
use crate::record::sets::Sets;

/// A key and the digest of a record that it was found in.
pub type Entry = (u64, [u8; 20]);

/// Entries ordered by key, then digest.
#[derive(Debug)]
pub struct Entries {
    index: Arc<Index>,
    tree: BTreeSet<Entry>,
}

impl Entries {
    /// The entries of these records.
    pub fn build<'a>(
        index: Arc<Index>,
        sets: &Sets,
        records: impl Iterator<Item = View<'a>>,
    ) -> Self {
        let mut entries = Self { index, tree: BTreeSet::new() };
        for record in records {
            entries.update(sets, None, Some(record));
        }
        entries
    }

    /// Whether these are the entries of `index`.
    pub fn belong_to(&self, index: &Index) -> bool {
        std::ptr::eq(&raw const *self.index, index)
    }

    /// Updates the entries when a record is replaced, added or removed.
    pub fn update(&mut self, sets: &Sets, old: Option<View<'_>>, new: Option<View<'_>>) {
        if let (Some(old), Some(new)) = (old, new)
            && self.index.definition.is_unchanged(old, new)
        {
            return;
        }
        let (before, after) = (self.keys(sets, old), self.keys(sets, new));
        if before == after {
            return;
        }
        if let Some(old) = old {
            for key in before.iter().filter(|key| !after.contains(key)) {
                self.tree.remove(&(*key, *old.digest()));
            }
        }
        if let Some(new) = new {
            for key in after.iter().filter(|key| !before.contains(key)) {
                self.tree.insert((*key, *new.digest()));
            }
        }
    }

    /// The keys of a record, each once.
    fn keys(&self, sets: &Sets, record: Option<View<'_>>) -> Vec<u64> {
        let mut keys = Vec::new();
        let definition = &self.index.definition;
        if let Some(record) = record.filter(|record| definition.covers(*record)) {
            // Indexed values do not depend on the time.
            let view = RecordView::stored(sets, record, Moment::from_millis(0));
            definition.for_each_key(&view, &mut |key| key.numbers(|number| keys.push(number)));
            keys.sort_unstable();
            keys.dedup();
        }
        keys
    }

    /// Removes all entries: the records are gone.
    pub fn clear(&mut self) {
        self.tree.clear();
    }

    /// The digests of all entries, below `after` if given.
    pub fn digests<'a>(
        &'a self,
        after: Option<&'a [u8; 20]>,
    ) -> impl Iterator<Item = [u8; 20]> + 'a {
        let digests = self.tree.iter().map(|(_, digest)| *digest);
        digests.filter(move |digest| after.is_none_or(|after| digest < after))
    }

    /// The keys, each once.
    pub fn keys_once(&self) -> impl Iterator<Item = u64> {
        let mut last = None;
        let keys = self.tree.iter().map(|(key, _)| *key);
        keys.filter(move |key| last.replace(*key) != Some(*key))
    }

    /// Number of records with entries.
    pub fn records(&self) -> usize {
        self.tree.iter().map(|(_, digest)| digest).collect::<HashSet<_>>().len()
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.tree.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }

    /// The entries after `after` up to the last one with key `last`, excluding keys below `first`.
    pub fn between(
        &self,
        first: u64,
        last: u64,
        after: Option<Entry>,
    ) -> impl Iterator<Item = &Entry> {
        let start = (first, [0; 20]);
        let lower = match after {
            Some(after) if after >= start => Bound::Excluded(after),
            _ => Bound::Included(start),
        };
        let upper = (last, [0xff; 20]);
        // `range` panics if the start is after the end.
        let whole = match lower {
            Bound::Excluded(after) => after < upper,
            _ => first <= last,
        };
        whole.then(|| self.tree.range((lower, Bound::Included(upper)))).into_iter().flatten()
    }
}
