//! Rows of a batch of different kinds.

use spikewire_aerospike::command::{BinSelection, CommandSpec, Function, Operations};
use spikewire_aerospike_protocol::batch::Kind;
use spikewire_aerospike_protocol::message::op;

use crate::aerospike::encode::Encode;
use crate::aerospike::function::function;
use crate::aerospike::key::Key;
use crate::aerospike::operation::Operation;
use crate::aerospike::options::CallOptions;
use crate::aerospike::verbs::{Place, steps};
use crate::{Result, Value};

/// A record and what to do with it: a row of [`batch`](crate::Dataset::batch).
///
/// ```
/// use spikewire::{CallOptions, Client, Exists, Row, bins, op};
///
/// # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
/// # let users = Client::connect(cluster.seeds())?.dataset("test", "users")?;
/// let create = CallOptions::new().exists(Exists::Create);
/// let result = users.batch([
///     Row::put("alice", bins! { "name" => "Alice", "age" => 28 }).with(create),
///     Row::operate("bob", [op::add("visits", 1), op::get("visits")]),
///     Row::get_bins("carol", ["age"]),
///     Row::delete("dave"),
/// ])?;
/// assert_eq!(result.row(1)?.unwrap().get("visits"), Some(&1.into()));
/// assert!(result.row(2)?.is_none());
/// # Ok::<(), spikewire::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Row<'k> {
    pub(crate) key: Key<'k>,
    work: RowCommand,
    options: Option<CallOptions>,
}

#[derive(Debug, Clone)]
enum RowCommand {
    Get(Option<Vec<String>>),
    Write(Vec<Operation>),
    Delete,
    Touch,
    Operate(Vec<Operation>),
    Apply(Result<Function>),
}

impl<'k> Row<'k> {
    fn new(key: impl Into<Key<'k>>, work: RowCommand) -> Self {
        Self { key: key.into(), work, options: None }
    }

    /// Reads all bins.
    pub fn get(key: impl Into<Key<'k>>) -> Self {
        Self::new(key, RowCommand::Get(None))
    }

    /// Reads some bins; without any name, only generation and TTL.
    pub fn get_bins<N: Into<String>>(
        key: impl Into<Key<'k>>,
        bins: impl IntoIterator<Item = N>,
    ) -> Self {
        Self::new(key, RowCommand::Get(Some(bins.into_iter().map(Into::into).collect())))
    }

    /// Checks whether the record exists, without reading its bins.
    pub fn exists(key: impl Into<Key<'k>>) -> Self {
        Self::new(key, RowCommand::Get(Some(Vec::new())))
    }

    /// Writes bins.
    pub fn put<N: Into<String>, V: Encode>(
        key: impl Into<Key<'k>>,
        bins: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        Self::write_as(op::WRITE, key, bins)
    }

    /// Adds numbers to bins.
    pub fn add<N: Into<String>, V: Encode>(
        key: impl Into<Key<'k>>,
        bins: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        Self::write_as(op::ADD, key, bins)
    }

    fn write_as<N: Into<String>, V: Encode>(
        code: u8,
        key: impl Into<Key<'k>>,
        bins: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let operation = |(name, value): (N, V)| Operation::with(code, name.into(), value);
        Self::new(key, RowCommand::Write(bins.into_iter().map(operation).collect()))
    }

    /// Deletes the record.
    pub fn delete(key: impl Into<Key<'k>>) -> Self {
        Self::new(key, RowCommand::Delete)
    }

    /// Renews the TTL.
    pub fn touch(key: impl Into<Key<'k>>) -> Self {
        Self::new(key, RowCommand::Touch)
    }

    /// Runs several operations atomically.
    pub fn operate(
        key: impl Into<Key<'k>>,
        operations: impl IntoIterator<Item = Operation>,
    ) -> Self {
        Self::new(key, RowCommand::Operate(operations.into_iter().collect()))
    }

    /// Calls a function of a registered module. The record of the row has its return value as the
    /// only bin.
    pub fn apply(key: impl Into<Key<'k>>, module: &str, name: &str, arguments: &[Value]) -> Self {
        Self::new(key, RowCommand::Apply(function(module, name, arguments)))
    }

    /// The row with other options than those of the dataset. `timeout`, `replica` and the retry
    /// options apply to the whole batch, which takes them from the dataset.
    pub fn with(mut self, options: CallOptions) -> Self {
        self.options = Some(options);
        self
    }

    /// The command of the row, and which of its operations have results.
    pub(crate) fn spec(&self, place: &Place<'_>) -> Result<(CommandSpec, Vec<bool>)> {
        let own = self.options.as_ref().map(|own| own.for_row(place.options)).transpose()?;
        let options = own.as_ref().unwrap_or(place.options);
        let place = Place { options, ..*place };
        let defaults = place.defaults;
        let spec = match &self.work {
            RowCommand::Get(bins) => {
                let selection = BinSelection::of(bins.as_ref().map(Vec::len));
                CommandSpec::get(defaults, &options.for_read()?, selection)?
            }
            RowCommand::Write(_) => CommandSpec::write(defaults, &options.for_write()?)?,
            RowCommand::Delete => CommandSpec::delete(defaults, &options.for_write()?)?,
            RowCommand::Touch => CommandSpec::touch(defaults, &options.for_write()?)?,
            RowCommand::Operate(operations) => return place.operations(&steps(operations)?),
            RowCommand::Apply(_) => CommandSpec::apply(defaults, &options.for_write()?)?,
        };
        Ok((spec, Vec::new()))
    }

    /// Encodes its operations.
    pub(crate) fn write(&self, out: &mut Kind) -> Result<()> {
        match &self.work {
            RowCommand::Get(bins) => {
                bins.iter().flatten().try_for_each(|name| Ok(out.read_bin(name)?))
            }
            RowCommand::Write(operations) => {
                steps(operations)?.into_iter().for_each(|step| out.step(step));
                Ok(out.check_any()?)
            }
            RowCommand::Operate(operations) => {
                steps(operations)?.into_iter().for_each(|step| out.step(step));
                Ok(())
            }
            RowCommand::Apply(function) => {
                out.call(function.as_ref().map_err(Clone::clone)?);
                Ok(())
            }
            RowCommand::Touch => {
                out.touch();
                Ok(())
            }
            RowCommand::Delete => Ok(()),
        }
    }
}
