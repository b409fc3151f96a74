//! The verbs on many records: one call, one [`Batch`](crate::Batch), in input order. Each node gets
//! its rows in one request, all nodes at the same time.

use spikewire_aerospike::Policy;
use spikewire_aerospike::command::batch::{Batch as Rows, BatchBuilder, ResultFlags, RowCommand};
use spikewire_aerospike::command::{BinSelection, CommandSpec, InvalidArgument, limits};
use spikewire_aerospike_protocol::batch::Kind;
use spikewire_aerospike_protocol::message::op;

use crate::aerospike::encode::Encode;
use crate::aerospike::function::function;
use crate::aerospike::key::Key;
use crate::aerospike::operation::Operation;
use crate::aerospike::row::Row;
use crate::aerospike::verbs::{Place, steps, write_bins};
use crate::{Error, Result, Value};

type Checked = std::result::Result<(), InvalidArgument>;

/// A composed batch, ready to be sent by either API.
#[derive(Debug)]
pub(crate) struct ComposedBatch {
    pub rows: Rows,
    pub answered: ResultFlags<Vec<bool>>,
    /// Its name in spans.
    pub verb: &'static str,
}

/// Sets the record of the next row; returns its user key if that is sent.
fn address(
    rows: &mut BatchBuilder,
    place: &Place<'_>,
    key: &Key<'_>,
    send_key: bool,
) -> Option<Vec<u8>> {
    match key.user() {
        Ok(user) => rows.stored_key(place.set, &user, send_key),
        Err(digest) => {
            rows.digest(digest);
            None
        }
    }
}

/// Adds the row to an error.
fn at_row(error: Error, row: usize) -> Error {
    Error::invalid(format!("row {row}: {error}"))
}

impl Place<'_> {
    fn finish(
        &self,
        rows: BatchBuilder,
        policy: Policy,
        answered: ResultFlags<Vec<bool>>,
        verb: &'static str,
    ) -> Result<ComposedBatch> {
        let policy = Policy { metrics_flags: self.began.1.metrics_flags, ..policy };
        let mut rows = rows.finish(policy, |_, _| ());
        if let Some(deadline) = self.options.deadline {
            rows.set_deadline(deadline)?;
        }
        self.encoded();
        Ok(ComposedBatch { rows, answered, verb })
    }

    /// Rows of a single kind, unless the key is stored with the record.
    fn alike<'k, K: Into<Key<'k>>>(
        &self,
        verb: &'static str,
        keys: impl IntoIterator<Item = K>,
        command: RowCommand<impl Fn(&mut Kind) -> Checked>,
    ) -> Result<ComposedBatch> {
        let RowCommand { spec, answered, write } = command;
        let mut rows = BatchBuilder::default();
        for key in keys {
            let stored = address(&mut rows, self, &key.into(), spec.send_key);
            rows.alike(&spec, self.set, stored.as_deref(), &write)?;
        }
        if rows.is_empty() {
            // Invalid requests are rejected even if there are no rows.
            spec.row(self.set, None, &write)?;
        }
        self.finish(rows, spec.policy, answered.into(), verb)
    }

    pub fn get_many<'k, K: Into<Key<'k>>>(
        &self,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<ComposedBatch> {
        let bins = (BinSelection::All, Vec::<&str>::new());
        let command = RowCommand::get(self.defaults, &self.options.for_read()?, bins)?;
        self.alike("BATCH get", keys, command)
    }

    pub fn get_bins_many<'k, K: Into<Key<'k>>, N: AsRef<str>>(
        &self,
        keys: impl IntoIterator<Item = K>,
        bins: impl IntoIterator<Item = N>,
    ) -> Result<ComposedBatch> {
        let bins: Vec<N> = bins.into_iter().collect();
        let bins = (BinSelection::of(Some(bins.len())), bins);
        let command = RowCommand::get(self.defaults, &self.options.for_read()?, bins)?;
        self.alike("BATCH get", keys, command)
    }

    pub fn exists_many<'k, K: Into<Key<'k>>>(
        &self,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<ComposedBatch> {
        let command = RowCommand::exists(self.defaults, &self.options.for_read()?)?;
        self.alike("BATCH exists", keys, command)
    }

    pub fn delete_many<'k, K: Into<Key<'k>>>(
        &self,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<ComposedBatch> {
        let command = RowCommand::delete(self.defaults, &self.options.for_write()?)?;
        self.alike("BATCH delete", keys, command)
    }

    pub fn operate_many<'k, K: Into<Key<'k>>>(
        &self,
        keys: impl IntoIterator<Item = K>,
        operations: &[Operation],
    ) -> Result<ComposedBatch> {
        let steps = steps(operations)?;
        let (options, rules) = self.options.for_operations(&steps)?;
        let steps = steps.iter().copied();
        let command = RowCommand::operate(self.defaults, &options, &rules, steps)?;
        self.alike("BATCH operate", keys, command)
    }

    pub fn apply_many<'k, K: Into<Key<'k>>>(
        &self,
        keys: impl IntoIterator<Item = K>,
        module: &str,
        name: &str,
        arguments: &[Value],
    ) -> Result<ComposedBatch> {
        let (function, options) = (function(module, name, arguments)?, self.options.for_write()?);
        let command = RowCommand::apply(self.defaults, &options, &function, true)?;
        self.alike("BATCH apply", keys, command)
    }

    pub fn put_many<'k, K: Into<Key<'k>>, N: AsRef<str>, V: Encode, B>(
        &self,
        records: impl IntoIterator<Item = (K, B)>,
    ) -> Result<ComposedBatch>
    where
        B: IntoIterator<Item = (N, V)>,
    {
        let spec = CommandSpec::write(self.defaults, &self.options.for_write()?)?;
        let mut rows = BatchBuilder::default();
        for (number, (key, bins)) in records.into_iter().enumerate() {
            let stored = address(&mut rows, self, &key.into(), spec.send_key);
            rows.row(&spec, self.set, stored.as_deref(), false, |row| {
                write_bins(row, op::WRITE, bins)
            })
            .map_err(|error| at_row(error, number))?;
        }
        self.finish(rows, spec.policy, ResultFlags::None, "BATCH put")
    }

    /// Adds a row of its own kind; returns which of its operations have results.
    pub fn row(
        &self,
        rows: &mut BatchBuilder,
        key: &Key<'_>,
        command: RowCommand<impl FnOnce(&mut Kind) -> Checked>,
    ) -> Result<Option<Vec<bool>>> {
        let RowCommand { spec, answered, write } = command;
        let stored = address(rows, self, key, spec.send_key);
        rows.row(&spec, self.set, stored.as_deref(), true, write)?;
        Ok(answered)
    }

    /// Rows of different kinds.
    pub fn batch<'k>(&self, all: impl IntoIterator<Item = Row<'k>>) -> Result<ComposedBatch> {
        let (timeout, replica) = (self.options.timeout, self.options.replica);
        let retry = self.options.checked_retry()?;
        let policy = limits(&self.defaults.policy, timeout, replica, retry.as_deref());
        let (mut rows, mut answered) = (BatchBuilder::default(), Vec::new());
        for (number, row) in all.into_iter().enumerate() {
            let flags = row.add_to(&mut rows, self);
            answered.push(flags.map_err(|error| at_row(error, number))?);
        }
        self.finish(rows, policy, ResultFlags::Each(answered), "BATCH")
    }
}

/// Defines the verbs on many records as methods of `$class`, which provides `fn place(&self) ->
/// Place<'_>` and `fn run_many(&self, Result<ComposedBatch>) -> $answer`.
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

            /// Reads some bins of many records. Without any bin name, only generations and TTLs are
            /// read.
            pub fn get_bins_many<'k, K: Into<$crate::Key<'k>>, N: AsRef<str>>(
                &self,
                keys: impl IntoIterator<Item = K>,
                bins: impl IntoIterator<Item = N>,
            ) -> $answer {
                self.run_many(self.place().get_bins_many(keys, bins))
            }

            /// Checks which records exist: their rows contain a record without bins.
            pub fn exists_many<'k, K: Into<$crate::Key<'k>>>(
                &self,
                keys: impl IntoIterator<Item = K>,
            ) -> $answer {
                self.run_many(self.place().exists_many(keys))
            }

            /// Writes many records, each with bins of its own, from pairs of a key and bins.
            pub fn put_many<'k, K: Into<$crate::Key<'k>>, N: AsRef<str>, V: $crate::Encode, B>(
                &self,
                records: impl IntoIterator<Item = (K, B)>,
            ) -> $answer
            where
                B: IntoIterator<Item = (N, V)>,
            {
                self.run_many(self.place().put_many(records))
            }

            /// Deletes many records; rows of records that existed contain one without bins.
            pub fn delete_many<'k, K: Into<$crate::Key<'k>>>(
                &self,
                keys: impl IntoIterator<Item = K>,
            ) -> $answer {
                self.run_many(self.place().delete_many(keys))
            }

            /// Calls a function of a registered module on many records. The record of a row has the
            /// function's return value as its only bin; a row fails if the function raises an
            /// error.
            pub fn apply_many<'k, K: Into<$crate::Key<'k>>>(
                &self,
                keys: impl IntoIterator<Item = K>,
                module: &str,
                function: &str,
                arguments: &[$crate::Value],
            ) -> $answer {
                self.run_many(self.place().apply_many(keys, module, function, arguments))
            }

            /// Reads, writes, deletes and calls functions in one call, with one [`Row`](crate::Row)
            /// per record. Rows for one node are executed in order, those for different nodes
            /// concurrently.
            pub fn batch<'k>(&self, rows: impl IntoIterator<Item = $crate::Row<'k>>) -> $answer {
                self.run_many(self.place().batch(rows))
            }

            /// Runs the same operations on many records, atomically on each of them.
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
