//! The verbs on one record: arguments become a request, which either API sends. [`verbs!`] defines
//! the methods of both APIs.

use std::sync::Arc;

use spikewire_aerospike::command::{
    BinSelection, CommandDefaults, CommandSpec, OperationRef, Operations, Prepared, SetRef, Source,
};
use spikewire_aerospike::transport::buffer;
use spikewire_aerospike_protocol::request;
use spikewire_aerospike_protocol::value::ParticleType;
use spikewire_transport::metrics::CallStart;

use crate::aerospike::client_kind::ClientContext;
use crate::aerospike::encode::{Encode, bin_error};
use crate::aerospike::function::function;
use crate::aerospike::key::Key;
use crate::aerospike::operation::Operation;
use crate::aerospike::options::CallOptions;
use crate::metrics::Metrics;
use crate::{Error, Result, Value};

/// The dataset and options of a verb.
pub(crate) struct Place<'a> {
    pub set: &'a Arc<SetRef>,
    pub defaults: &'a CommandDefaults,
    pub options: &'a CallOptions,
    /// The start of the call, and the metrics to record it in.
    pub began: (&'a Metrics, CallStart),
}

/// A caller's value to be encoded.
pub(crate) struct ValueSource<'a, V>(pub &'a V);

impl<V: Encode> Source for ValueSource<'_, V> {
    type Error = Error;

    fn encode(&self, bin: &str, out: &mut Vec<u8>) -> Result<ParticleType> {
        self.0.encode(out).map_err(|fault| bin_error(bin, &fault))
    }
}

/// Writes one write operation per bin; there must be at least one.
pub(crate) fn write_bins<N: AsRef<str>, V: Encode>(
    out: &mut impl Operations,
    code: u8,
    bins: impl IntoIterator<Item = (N, V)>,
) -> Result<()> {
    for (name, value) in bins {
        out.write_bin(code, name.as_ref(), &ValueSource(&value))?;
    }
    Ok(out.check_any()?)
}

/// The encoded operations, each checked.
pub(crate) fn steps(operations: &[Operation]) -> Result<Vec<OperationRef<'_>>> {
    operations.iter().map(Operation::as_sent).collect()
}

impl<'a> Place<'a> {
    /// For a call that starts now.
    pub fn of(set: &'a Arc<SetRef>, options: &'a CallOptions, context: &'a ClientContext) -> Self {
        let metrics = context.cluster.metrics();
        let began = (metrics, metrics.begin());
        Self { set, defaults: &context.defaults, options, began }
    }

    /// The request has been composed.
    pub fn encoded(&self) {
        let (metrics, CallStart { at, .. }) = self.began;
        if let Some(at) = at {
            metrics.encoded(at);
        }
    }
}

impl Place<'_> {
    fn compose(
        &self,
        key: &Key<'_>,
        spec: &CommandSpec,
        write: impl FnOnce(&mut request::Request<'_>) -> Result<()>,
    ) -> Result<Prepared> {
        let mut prepared = self.composed(key, spec, write)?;
        prepared.policy.metrics_flags = self.began.1.metrics_flags;
        self.encoded();
        Ok(prepared)
    }

    fn composed(
        &self,
        key: &Key<'_>,
        spec: &CommandSpec,
        write: impl FnOnce(&mut request::Request<'_>) -> Result<()>,
    ) -> Result<Prepared> {
        let (digest, stored) = match key.user() {
            Ok(user) => (self.set.digest(&user), spec.send_key.then_some(user)),
            Err(digest) => (digest, None),
        };
        let Some(user) = stored else { return spec.compose(self.set, &digest, None, write) };
        let mut data = buffer::take();
        user.encode(&mut data);
        let prepared = spec.compose(self.set, &digest, Some(&data), write);
        buffer::give(data);
        prepared
    }

    pub fn get(&self, key: &Key<'_>) -> Result<Prepared> {
        let options = self.options.for_read()?;
        let spec = CommandSpec::get(self.defaults, &options, BinSelection::All)?;
        self.compose(key, &spec, |_| Ok(()))
    }

    pub fn get_bins<N: AsRef<str>>(
        &self,
        key: &Key<'_>,
        bins: impl IntoIterator<Item = N>,
    ) -> Result<Prepared> {
        let mut bins = bins.into_iter().peekable();
        let selection = BinSelection::of(Some(usize::from(bins.peek().is_some())));
        let spec = CommandSpec::get(self.defaults, &self.options.for_read()?, selection)?;
        self.compose(key, &spec, |out| bins.try_for_each(|name| Ok(out.read_bin(name.as_ref())?)))
    }

    pub fn exists(&self, key: &Key<'_>) -> Result<Prepared> {
        let spec = CommandSpec::exists(self.defaults, &self.options.for_read()?)?;
        self.compose(key, &spec, |_| Ok(()))
    }

    /// One write operation per bin: put, add, append, prepend.
    pub fn write<N: AsRef<str>, V: Encode>(
        &self,
        key: &Key<'_>,
        bins: impl IntoIterator<Item = (N, V)>,
        code: u8,
    ) -> Result<Prepared> {
        let spec = CommandSpec::write(self.defaults, &self.options.for_write()?)?;
        self.compose(key, &spec, |out| write_bins(out, code, bins))
    }

    pub fn delete(&self, key: &Key<'_>) -> Result<Prepared> {
        let spec = CommandSpec::delete(self.defaults, &self.options.for_write()?)?;
        self.compose(key, &spec, |_| Ok(()))
    }

    pub fn touch(&self, key: &Key<'_>) -> Result<Prepared> {
        let spec = CommandSpec::touch(self.defaults, &self.options.for_write()?)?;
        self.compose(key, &spec, |out| {
            out.touch();
            Ok(())
        })
    }

    /// The request, and which operations have results.
    pub fn operate(
        &self,
        key: &Key<'_>,
        operations: &[Operation],
    ) -> Result<(Prepared, Vec<bool>)> {
        let steps = steps(operations)?;
        let (options, rules) = self.options.for_operations(&steps)?;
        let all = steps.iter().copied();
        let (spec, answered) = CommandSpec::operate(self.defaults, &options, &rules, all)?;
        let request = self.compose(key, &spec, |out| {
            steps.iter().for_each(|step| out.step(*step));
            Ok(())
        })?;
        Ok((request, answered))
    }

    pub fn apply(
        &self,
        key: &Key<'_>,
        module: &str,
        name: &str,
        arguments: &[Value],
    ) -> Result<Prepared> {
        let function = function(module, name, arguments)?;
        let spec = CommandSpec::apply(self.defaults, &self.options.for_write()?)?;
        self.compose(key, &spec, |out| {
            out.call(&function);
            Ok(())
        })
    }
}

/// Defines the verbs on one record as methods of `$class`, which provides `fn place(&self) ->
/// Place<'_>` and `fn run(&self, Result<Prepared>, plan) -> $answer<A>`.
macro_rules! verbs {
    ($class:ident, $answer:ident) => {
        impl $class {
            /// Reads a record with all its bins; `None` if there is no record.
            pub fn get<'k>(&self, key: impl Into<$crate::Key<'k>>) -> $answer<Option<Record>> {
                self.run(self.place().get(&key.into()), ())
            }

            /// Reads some bins of a record; `None` if there is no record. Without any bin name,
            /// only generation and TTL are read.
            pub fn get_bins<'k, N: AsRef<str>>(
                &self,
                key: impl Into<$crate::Key<'k>>,
                bins: impl IntoIterator<Item = N>,
            ) -> $answer<Option<Record>> {
                self.run(self.place().get_bins(&key.into(), bins), ())
            }

            /// Whether a record exists.
            pub fn exists<'k>(&self, key: impl Into<$crate::Key<'k>>) -> $answer<bool> {
                self.run(self.place().exists(&key.into()), ())
            }

            /// Writes bins: pairs of a name and a value, as an array, a vector, a map, or from
            /// [`bins!`](crate::bins). Other bins of the record are kept; a bin written as
            /// [`Value::Nil`](crate::Value::Nil) or `None` is removed.
            pub fn put<'k, N: AsRef<str>, V: $crate::Encode>(
                &self,
                key: impl Into<$crate::Key<'k>>,
                bins: impl IntoIterator<Item = (N, V)>,
            ) -> $answer<()> {
                let code = spikewire_aerospike_protocol::message::op::WRITE;
                self.run(self.place().write(&key.into(), bins, code), ())
            }

            /// Adds numbers to bins. A missing bin counts as 0, and a missing record is created.
            pub fn add<'k, N: AsRef<str>, V: $crate::Encode>(
                &self,
                key: impl Into<$crate::Key<'k>>,
                bins: impl IntoIterator<Item = (N, V)>,
            ) -> $answer<()> {
                let code = spikewire_aerospike_protocol::message::op::ADD;
                self.run(self.place().write(&key.into(), bins, code), ())
            }

            /// Appends text or bytes to bins; a missing bin counts as empty.
            pub fn append<'k, N: AsRef<str>, V: $crate::Encode>(
                &self,
                key: impl Into<$crate::Key<'k>>,
                bins: impl IntoIterator<Item = (N, V)>,
            ) -> $answer<()> {
                let code = spikewire_aerospike_protocol::message::op::APPEND;
                self.run(self.place().write(&key.into(), bins, code), ())
            }

            /// Prepends text or bytes to bins; a missing bin counts as empty.
            pub fn prepend<'k, N: AsRef<str>, V: $crate::Encode>(
                &self,
                key: impl Into<$crate::Key<'k>>,
                bins: impl IntoIterator<Item = (N, V)>,
            ) -> $answer<()> {
                let code = spikewire_aerospike_protocol::message::op::PREPEND;
                self.run(self.place().write(&key.into(), bins, code), ())
            }

            /// Deletes a record; returns whether it existed and passed the filter.
            pub fn delete<'k>(&self, key: impl Into<$crate::Key<'k>>) -> $answer<bool> {
                self.run(self.place().delete(&key.into()), ())
            }

            /// Renews a record's TTL; fails with `NOT_FOUND` if there is no record.
            pub fn touch<'k>(&self, key: impl Into<$crate::Key<'k>>) -> $answer<()> {
                self.run(self.place().touch(&key.into()), ())
            }

            /// Runs several operations on one record atomically. The returned record has one entry
            /// in [`Record::bins`] per operation, in order.
            pub fn operate<'k>(
                &self,
                key: impl Into<$crate::Key<'k>>,
                operations: impl AsRef<[$crate::Operation]>,
            ) -> $answer<Record> {
                let operations = operations.as_ref();
                match self.place().operate(&key.into(), operations) {
                    Ok((request, answered)) => self.run(Ok(request), answered),
                    Err(error) => self.run(Err(error), Vec::new()),
                }
            }

            /// Calls a function of a registered module on a record, and returns its result. The
            /// function gets the record, which may not exist, and then `arguments`. An error that
            /// it raises is returned.
            pub fn apply<'k>(
                &self,
                key: impl Into<$crate::Key<'k>>,
                module: &str,
                function: &str,
                arguments: &[$crate::Value],
            ) -> $answer<$crate::Value> {
                self.run(self.place().apply(&key.into(), module, function, arguments), ())
            }

            /// This dataset with other options, for one call or for keeping. They replace the
            /// previous options.
            pub fn with(&self, options: $crate::CallOptions) -> Self {
                Self { options, ..self.clone() }
            }

            /// The namespace.
            pub fn namespace(&self) -> &str {
                &self.space.namespace
            }

            /// Its set; empty for records without a set.
            pub fn set(&self) -> &str {
                &self.space.set
            }

            /// The digest of a key in this set.
            pub fn digest<'k>(&self, key: impl Into<$crate::Key<'k>>) -> [u8; 20] {
                match key.into().user() {
                    Ok(user) => self.space.digest(&user).0,
                    Err(digest) => digest.0,
                }
            }
        }
    };
}
pub(crate) use verbs;
