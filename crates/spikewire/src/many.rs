//! The verbs on many records: one call, one [`Batch`], in input order. Each node gets its rows in
//! one request, all nodes at the same time.

use std::sync::Arc;

use spikewire_engine::clock::Tick;
use spikewire_engine::command::batch::{Batch as Rows, RowKind};
use spikewire_protocol::batch::Kind;
use spikewire_protocol::key::Digest;
use spikewire_protocol::message::{Header, field, info1, info2, op};

use crate::encode::Encode;
use crate::key::Key;
use crate::operation::Operation;
use crate::verbs::{Composer, Place};
use crate::{Error, Result};

/// A composed batch, ready for whichever face sends it.
#[derive(Debug)]
pub(crate) struct Many {
    pub rows: Rows,
    pub plan: Plan,
}

/// What is needed besides the replies to read them.
#[derive(Debug)]
pub(crate) struct Plan {
    /// For `operate_many`: which operations have an answer.
    pub answered: Option<Arc<[bool]>>,
}

impl Place<'_> {
    fn kind(
        &self,
        key: Option<&Key<'_>>,
        header: &Header,
        compose: impl FnOnce(&mut Composer<Kind>) -> Result<()>,
    ) -> Result<RowKind> {
        let mut row = Kind::new(header, &self.space.fields);
        if let Some(Ok(user)) = key.map(Key::user) {
            let mut data = Vec::with_capacity(16);
            user.encode(&mut data);
            row.field(field::KEY, &data);
        }
        let mut composer = Composer { request: row, ops: 0 };
        compose(&mut composer)?;
        composer.request.finish()?;
        let write = header.info2 & info2::WRITE != 0;
        let (namespace, replica) = (self.space.namespace.clone(), self.policy().replica);
        Ok(RowKind { row: composer.request, namespace, write, replica })
    }

    fn digest(&self, key: &Key<'_>) -> Digest {
        match key.user() {
            Ok(user) => self.space.hasher.digest(&user),
            Err(digest) => digest,
        }
    }

    /// Rows that are all of one kind, unless the key is stored with the record.
    fn alike<'k, K: Into<Key<'k>>>(
        &self,
        keys: impl IntoIterator<Item = K>,
        header: &Header,
        send_key: bool,
        answered: Option<Vec<bool>>,
        mut compose: impl FnMut(&mut Composer<Kind>) -> Result<()>,
    ) -> Result<Many> {
        let mut kinds = Vec::new();
        let mut rows = Vec::new();
        if !send_key {
            kinds.push(self.kind(None, header, &mut compose)?);
        }
        for key in keys {
            let key = key.into();
            if send_key {
                kinds.push(self.kind(Some(&key), header, &mut compose)?);
            }
            rows.push((self.digest(&key), kinds.len() as u32 - 1));
        }
        Ok(self.many(kinds, rows, answered))
    }

    fn many(
        &self,
        kinds: Vec<RowKind>,
        rows: Vec<(Digest, u32)>,
        answered: Option<Vec<bool>>,
    ) -> Many {
        let rows = Rows::new(kinds, rows.into_iter(), self.policy(), Tick::now());
        Many { rows, plan: Plan { answered: answered.map(Into::into) } }
    }

    pub fn get_many<'k, K: Into<Key<'k>>>(
        &self,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Many> {
        self.options.check_read()?;
        let header = Header { info1: info1::READ | info1::GET_ALL, ..Header::default() };
        self.alike(keys, &header, false, None, |_| Ok(()))
    }

    pub fn get_bins_many<'k, K: Into<Key<'k>>, N: AsRef<str>>(
        &self,
        keys: impl IntoIterator<Item = K>,
        bins: impl IntoIterator<Item = N>,
    ) -> Result<Many> {
        self.options.check_read()?;
        let bins: Vec<N> = bins.into_iter().collect();
        let none = if bins.is_empty() { info1::NO_BINS } else { 0 };
        let header = Header { info1: info1::READ | none, ..Header::default() };
        self.alike(keys, &header, false, None, |composer| {
            bins.iter().try_for_each(|name| composer.plain(op::READ, Some(name.as_ref())))
        })
    }

    pub fn exists_many<'k, K: Into<Key<'k>>>(
        &self,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Many> {
        self.options.check_read()?;
        let header = Header { info1: info1::READ | info1::NO_BINS, ..Header::default() };
        self.alike(keys, &header, false, None, |_| Ok(()))
    }

    pub fn delete_many<'k, K: Into<Key<'k>>>(
        &self,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Many> {
        self.options.check_no_exists("delete")?;
        let mut header = self.options.write_header()?;
        header.info2 |= info2::DELETE | info2::RESPOND_ALL_OPS;
        header.ttl = 0;
        self.alike(keys, &header, false, None, |_| Ok(()))
    }

    pub fn operate_many<'k, K: Into<Key<'k>>>(
        &self,
        keys: impl IntoIterator<Item = K>,
        operations: &[Operation],
    ) -> Result<Many> {
        let (mut header, answered) = self.steps(operations)?;
        let writes = header.info2 & info2::WRITE != 0;
        if !writes {
            // Rows that only read always answer each of their operations that has a value.
            header.info2 = 0;
        }
        let answered = writes.then_some(answered);
        self.alike(keys, &header, writes && self.send_key(), answered, |composer| {
            operations.iter().try_for_each(|operation| composer.step(operation))
        })
    }

    pub fn put_many<'k, K: Into<Key<'k>>, N: AsRef<str>, V: Encode, B>(
        &self,
        records: impl IntoIterator<Item = (K, B)>,
    ) -> Result<Many>
    where
        B: IntoIterator<Item = (N, V)>,
    {
        let mut header = self.options.write_header()?;
        header.info2 |= info2::RESPOND_ALL_OPS;
        let send_key = self.send_key();
        let mut kinds = Vec::new();
        let mut rows = Vec::new();
        for (number, (key, bins)) in records.into_iter().enumerate() {
            let key = key.into();
            let stored = send_key.then_some(&key);
            let kind = self.kind(stored, &header, |composer| composer.bins(op::WRITE, bins));
            let at_row = |error: Error| Error::invalid(format!("row {number}: {error}"));
            kinds.push(kind.map_err(at_row)?);
            rows.push((self.digest(&key), number as u32));
        }
        Ok(self.many(kinds, rows, None))
    }
}

/// Writes the verbs on many records as methods of `$class`, which offers
/// `fn place(&self) -> Place<'_>` and `fn run_many(&self, Result<Many>) -> $answer`.
macro_rules! many {
    ($class:ident, $answer:ty) => {
        impl $class {
            /// Reads many records with all their bins.
            pub fn get_many<'k, K: Into<$crate::Key<'k>>>(
                &self,
                keys: impl IntoIterator<Item = K>,
            ) -> $answer {
                self.run_many(self.place().get_many(keys))
            }

            /// Reads some bins of many records. Without any bin name only generations and times
            /// to live are read.
            pub fn get_bins_many<'k, K: Into<$crate::Key<'k>>, N: AsRef<str>>(
                &self,
                keys: impl IntoIterator<Item = K>,
                bins: impl IntoIterator<Item = N>,
            ) -> $answer {
                self.run_many(self.place().get_bins_many(keys, bins))
            }

            /// Which of many records are there: their rows hold a record without bins.
            pub fn exists_many<'k, K: Into<$crate::Key<'k>>>(
                &self,
                keys: impl IntoIterator<Item = K>,
            ) -> $answer {
                self.run_many(self.place().exists_many(keys))
            }

            /// Writes many records, each with bins of its own: pairs of a key and bins.
            pub fn put_many<'k, K: Into<$crate::Key<'k>>, N: AsRef<str>, V: $crate::Encode, B>(
                &self,
                records: impl IntoIterator<Item = (K, B)>,
            ) -> $answer
            where
                B: IntoIterator<Item = (N, V)>,
            {
                self.run_many(self.place().put_many(records))
            }

            /// Deletes many records; rows of records that were there hold one without bins.
            pub fn delete_many<'k, K: Into<$crate::Key<'k>>>(
                &self,
                keys: impl IntoIterator<Item = K>,
            ) -> $answer {
                self.run_many(self.place().delete_many(keys))
            }

            /// Runs the same operations on many records, on each of them all or none.
            pub fn operate_many<'k, K: Into<$crate::Key<'k>>>(
                &self,
                keys: impl IntoIterator<Item = K>,
                operations: impl AsRef<[$crate::Operation]>,
            ) -> $answer {
                self.run_many(self.place().operate_many(keys, operations.as_ref()))
            }
        }
    };
}
pub(crate) use many;
