//! Rows of a batch of different kinds.

use spikewire_aerospike::command::batch::{BatchBuilder, RowCommand};
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
    action: RowAction,
    options: Option<CallOptions>,
}

#[derive(Debug, Clone)]
enum RowAction {
    Get(Option<Vec<String>>),
    Write(Vec<Operation>),
    Delete,
    Touch,
    Operate(Vec<Operation>),
    Apply(Result<Function>),
}

impl<'k> Row<'k> {
    fn new(key: impl Into<Key<'k>>, action: RowAction) -> Self {
        Self { key: key.into(), action, options: None }
    }

    /// Reads all bins.
    pub fn get(key: impl Into<Key<'k>>) -> Self {
        Self::new(key, RowAction::Get(None))
    }

    /// Reads some bins; without any name, only generation and TTL.
    pub fn get_bins<N: Into<String>>(
        key: impl Into<Key<'k>>,
        bins: impl IntoIterator<Item = N>,
    ) -> Self {
        Self::new(key, RowAction::Get(Some(bins.into_iter().map(Into::into).collect())))
    }

    /// Checks whether the record exists, without reading its bins.
    pub fn exists(key: impl Into<Key<'k>>) -> Self {
        Self::new(key, RowAction::Get(Some(Vec::new())))
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
        Self::new(key, RowAction::Write(bins.into_iter().map(operation).collect()))
    }

    /// Deletes the record.
    pub fn delete(key: impl Into<Key<'k>>) -> Self {
        Self::new(key, RowAction::Delete)
    }

    /// Renews the TTL.
    pub fn touch(key: impl Into<Key<'k>>) -> Self {
        Self::new(key, RowAction::Touch)
    }

    /// Runs several operations atomically.
    pub fn operate(
        key: impl Into<Key<'k>>,
        operations: impl IntoIterator<Item = Operation>,
    ) -> Self {
        Self::new(key, RowAction::Operate(operations.into_iter().collect()))
    }

    /// Calls a function of a registered module. The record of the row has its return value as the
    /// only bin.
    pub fn apply(key: impl Into<Key<'k>>, module: &str, name: &str, arguments: &[Value]) -> Self {
        Self::new(key, RowAction::Apply(function(module, name, arguments)))
    }

    /// The row with other options than those of the dataset. `timeout`, `replica` and the retry
    /// options apply to the whole batch, which takes them from the dataset.
    pub fn with(mut self, options: CallOptions) -> Self {
        self.options = Some(options);
        self
    }

    /// Adds the row to a batch; returns which of its operations have results.
    pub(crate) fn add_to(
        self,
        rows: &mut BatchBuilder,
        place: &Place<'_>,
    ) -> Result<Option<Vec<bool>>> {
        let own = self.options.as_ref().map(|own| own.for_row(place.options)).transpose()?;
        let options = own.as_ref().unwrap_or(place.options);
        let (defaults, key) = (place.defaults, &self.key);
        match self.action {
            RowAction::Get(bins) => {
                let selection = BinSelection::of(bins.as_ref().map(Vec::len));
                let bins = (selection, bins.unwrap_or_default());
                place.row(rows, key, RowCommand::get(defaults, &options.for_read()?, bins)?)
            }
            RowAction::Write(operations) => {
                let steps = steps(&operations)?;
                let spec = CommandSpec::write(defaults, &options.for_write()?)?;
                let write = |out: &mut Kind| {
                    steps.into_iter().for_each(|step| out.step(step));
                    out.check_any()
                };
                place.row(rows, key, RowCommand { spec, answered: None, write })
            }
            RowAction::Delete => {
                place.row(rows, key, RowCommand::delete(defaults, &options.for_write()?)?)
            }
            RowAction::Touch => {
                let spec = CommandSpec::touch(defaults, &options.for_write()?)?;
                let write = |out: &mut Kind| {
                    out.touch();
                    Ok(())
                };
                place.row(rows, key, RowCommand { spec, answered: None, write })
            }
            RowAction::Operate(operations) => {
                let steps = steps(&operations)?;
                let (options, rules) = options.for_operations(&steps)?;
                let steps = steps.iter().copied();
                let command = RowCommand::operate(defaults, &options, &rules, steps)?;
                place.row(rows, key, command)
            }
            RowAction::Apply(function) => {
                let (function, options) = (function?, options.for_write()?);
                let command = RowCommand::apply(defaults, &options, &function, false)?;
                // Its value is a bin of the record, whether there is one or not.
                place.row(rows, key, RowCommand { answered: None, ..command })
            }
        }
    }
}
