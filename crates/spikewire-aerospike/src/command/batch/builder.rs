//! Collects the rows of a batch: hashes keys several at a time and finds rows of the same kind.

use std::sync::Arc;

use spikewire_aerospike_protocol::batch::Kind;
use spikewire_aerospike_protocol::digests::Digests;
use spikewire_aerospike_protocol::key::{Digest, UserKey};

use super::{Batch, Row, RowKind, RowState};
use crate::clock::Tick;
use crate::command::{CommandSpec, InvalidArgument, SetRef};
use crate::model::Policy;

/// Collects the rows of a batch. For each row, give the record first, by user key or digest, then
/// its kind.
#[derive(Debug, Default)]
pub struct BatchBuilder {
    kinds: Vec<RowKind>,
    rows: Vec<Row>,
    /// Sets whose rows share a kind, and the number of that kind.
    sets: Vec<(Arc<SetRef>, usize)>,
    /// Rows waiting for their digests.
    digests: Digests,
}

impl BatchBuilder {
    /// Reserves capacity for more rows.
    pub fn reserve(&mut self, rows: usize) {
        self.rows.reserve(rows);
    }

    /// Number of rows so far.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Starts a row with the record's user key, which is hashed together with others. Returns the
    /// key in the form in which it is sent, if it is.
    #[inline]
    pub fn stored_key(
        &mut self,
        set: &SetRef,
        key: &UserKey<'_>,
        send_key: bool,
    ) -> Option<Vec<u8>> {
        self.user_key(set, key);
        send_key.then(|| key.stored())
    }

    /// Starts a row with the record's user key, which is hashed together with others.
    #[inline]
    pub fn user_key(&mut self, set: &SetRef, key: &UserKey<'_>) {
        if self.digests.is_full() {
            self.hash();
        }
        let digest = self.digests.add(&set.set, key, self.rows.len());
        self.digest(digest.unwrap_or(Digest([0; 20])));
    }

    /// Starts a row with the record's digest.
    pub fn digest(&mut self, digest: Digest) {
        self.rows.push(Row { digest, kind: 0, doubt: false, state: RowState::Pending(None) });
    }

    fn hash(&mut self) {
        let Self { digests, rows, .. } = self;
        digests.flush(|row, digest| rows[row].digest = digest);
    }

    /// The row shares its kind with the others of its set, unless its user key is sent.
    #[inline]
    pub fn alike<E: From<InvalidArgument>>(
        &mut self,
        spec: &CommandSpec,
        set: &Arc<SetRef>,
        stored_key: Option<&[u8]>,
        write: impl FnOnce(&mut Kind) -> Result<(), E>,
    ) -> Result<(), E> {
        if stored_key.is_some() {
            return self.row(spec, set, stored_key, false, write);
        }
        let same =
            |(known, _): &&(Arc<SetRef>, usize)| Arc::ptr_eq(known, set) || known.same_as(set);
        if let Some((_, number)) = self.sets.iter().rev().find(same) {
            self.kind(*number);
            return Ok(());
        }
        self.sets.push((set.clone(), self.kinds.len()));
        self.row(spec, set, None, false, write)
    }

    /// The row has a kind of its own. If it is `likely` to equal the previous row's, and does, they
    /// share it.
    #[inline]
    pub fn row<E: From<InvalidArgument>>(
        &mut self,
        spec: &CommandSpec,
        set: &SetRef,
        stored_key: Option<&[u8]>,
        likely: bool,
        write: impl FnOnce(&mut Kind) -> Result<(), E>,
    ) -> Result<(), E> {
        let kind = spec.row(set, stored_key, write)?;
        let is_same = |last: &RowKind| {
            last.row == kind.row && last.write == kind.write && last.replica == kind.replica
        };
        if !likely || !self.kinds.last().is_some_and(is_same) {
            self.kinds.push(kind);
        }
        self.kind(self.kinds.len() - 1);
        Ok(())
    }

    fn kind(&mut self, number: usize) {
        if let Some(row) = self.rows.last_mut() {
            row.kind = number as u32;
        }
    }

    /// Builds the batch, which starts now; `each` receives the digests of its rows.
    pub fn finish(mut self, policy: Policy, mut each: impl FnMut(usize, &Digest)) -> Batch {
        self.hash();
        self.rows.iter().enumerate().for_each(|(row, known)| each(row, &known.digest));
        Batch::of_rows(self.kinds, self.rows, policy, Tick::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{CommandDefaults, ReadOptions, WriteOptions};

    fn numbers(batch: &Batch) -> Vec<u32> {
        batch.rows.iter().map(|row| row.kind).collect()
    }

    #[expect(clippy::unnecessary_wraps, reason = "composing may fail")]
    fn nothing(_: &mut Kind) -> Result<(), InvalidArgument> {
        Ok(())
    }

    #[test]
    fn digests_are_those_of_single_keys() {
        let set = SetRef::new("test", "demo").unwrap();
        let mut builder = BatchBuilder::default();
        let spec = CommandSpec::exists(&CommandDefaults::default(), &ReadOptions::default());
        let spec = spec.unwrap();
        let long = "k".repeat(100);
        for number in 0..10 {
            let key = if number == 5 { UserKey::Str(&long) } else { UserKey::Int(number) };
            builder.user_key(&set, &key);
            builder.alike(&spec, &set, None, nothing).unwrap();
        }
        builder.digest(Digest([9; 20]));
        builder.alike(&spec, &set, None, nothing).unwrap();
        let mut digests = Vec::new();
        let batch = builder.finish(spec.policy, |row, digest| {
            assert_eq!(row, digests.len());
            digests.push(*digest);
        });
        for (number, digest) in digests.iter().take(10).enumerate() {
            let key = match number {
                5 => UserKey::Str(&long),
                number => UserKey::Int(number as i64),
            };
            assert_eq!(*digest, set.digest(&key), "{number}");
        }
        assert_eq!(digests[10], Digest([9; 20]));
        assert_eq!((numbers(&batch), batch.kinds.len()), (vec![0; 11], 1));
    }

    #[test]
    fn rows_share_kinds_by_set_but_not_with_their_keys() {
        let sets = ["a", "b"].map(|set| SetRef::new("test", set).unwrap());
        let spec = CommandSpec::delete(&CommandDefaults::default(), &WriteOptions::default());
        let spec = spec.unwrap();
        let mut builder = BatchBuilder::default();
        for number in 0..4 {
            builder.user_key(&sets[number % 2], &UserKey::Int(1));
            builder.alike(&spec, &sets[number % 2], None, nothing).unwrap();
        }
        assert_eq!(numbers(&builder.finish(spec.policy, |_, _| ())), [0, 1, 0, 1]);
        let mut builder = BatchBuilder::default();
        for key in [&b"\x03a"[..], b"\x03b"] {
            builder.digest(Digest([1; 20]));
            builder.alike(&spec, &sets[0], Some(key), nothing).unwrap();
        }
        builder.digest(Digest([1; 20]));
        builder.alike(&spec, &sets[0], None, nothing).unwrap();
        assert_eq!(numbers(&builder.finish(spec.policy, |_, _| ())), [0, 1, 2]);
    }

    #[test]
    fn equal_neighbours_share_a_kind() {
        let set = SetRef::new("test", "demo").unwrap();
        let spec = CommandSpec::touch(&CommandDefaults::default(), &WriteOptions::default());
        let spec = spec.unwrap();
        for (likely, expected) in [(true, [0, 0]), (false, [0, 1])] {
            let mut builder = BatchBuilder::default();
            for _ in 0..2 {
                builder.digest(Digest([1; 20]));
                builder.row(&spec, &set, None, likely, nothing).unwrap();
            }
            assert_eq!(numbers(&builder.finish(Policy::default(), |_, _| ())), expected);
        }
    }
}
