//! Batches that mix reads, writes, deletes and Lua functions.

use spikewire_aerospike::command::batch::{ResultFlags, RowCommand};
use spikewire_aerospike::command::{
    CommandDefaults, CommandSpec, InvalidArgument, Operations, ReadOptions, WriteOptions,
};
use spikewire_aerospike_protocol::batch::Kind;
use spikewire_aerospike_protocol::message::op;

use super::gather::{OWN, Rows, at_row};
use super::put::shape;
use crate::aerospike::arguments::{self, Options};
use crate::aerospike::operation;
use crate::aerospike::verbs::single::BinValue;
use crate::binding::Call;
use crate::js::{Failure, Result, Value};

/// Kinds of rows, as numbered in `node/src/aerospike/batch/rows.ts`.
mod sort {
    pub const READ: u32 = 0;
    pub const WRITE: u32 = 1;
    pub const OPERATE: u32 = 2;
    pub const DELETE: u32 = 3;
    pub const APPLY: u32 = 4;
}

/// Elements per row: kind, options, and three that depend on the kind.
const STRIDE: u32 = 5;

/// `batch(…, rows, options)`: `rows` has, for each row, its kind, its options, and three values
/// that depend on the kind.
pub fn batch<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let options = Options::new(call.argument(OWN + 1));
    let rows = Rows::of(call)?.within(&options)?;
    let base = &rows.client.defaults;
    let policy = arguments::policy(&base.policy, &options)?;
    let defaults = CommandDefaults { policy, ..*base };
    // Options of rows that do not set them.
    let usual = (arguments::read_options(&options)?, arguments::write_options(&options)?);
    let mut batch = MixedBatch { call, defaults, usual, rows, answered: Vec::new() };
    for row in 0..batch.rows.count()? {
        batch.row(row).map_err(|failure| at_row(failure, row))?;
    }
    batch.rows.send(policy, ResultFlags::Each(batch.answered))?;
    Ok(None)
}

struct MixedBatch<'c, 'e> {
    call: &'c Call<'e>,
    defaults: CommandDefaults,
    usual: (ReadOptions, WriteOptions),
    rows: Rows<'c, 'e>,
    answered: Vec<Option<Vec<bool>>>,
}

impl<'e> MixedBatch<'_, 'e> {
    fn row(&mut self, row: u32) -> Result<()> {
        let elements = self.call.argument(OWN);
        let element = |at| elements.element(STRIDE * row + at);
        let (kind, options) = (element(0)?.index()?, Options::new(element(1)?));
        if kind == sort::READ {
            return self.read(row, &options, element(2)?, element(3)?);
        }
        let options = self.of_write(kind, &options)?;
        match kind {
            sort::WRITE => {
                let hooks = self.call.host.environment.hooks()?;
                let (names, values) = (shape(self.call, element(2)?)?, element(3)?);
                let write = |out: &mut Kind| {
                    for (at, name) in names.iter().enumerate() {
                        let value = BinValue { hooks, value: values.element(at as u32)? };
                        out.write_bin(op::WRITE, name, &value)?;
                    }
                    Result::Ok(out.check_any()?)
                };
                let spec = CommandSpec::write(&self.defaults, &options)?;
                self.add(row, RowCommand { spec, answered: None, write })
            }
            sort::OPERATE => {
                let steps = operation::steps(element(2)?)?;
                let refs = operation::refs(&steps);
                self.add(row, RowCommand::write_operations(&self.defaults, &options, refs)?)
            }
            sort::DELETE => self.add(row, RowCommand::delete(&self.defaults, &options)?),
            sort::APPLY => {
                let hooks = self.call.host.environment.hooks()?;
                let function = operation::function(hooks, element(2)?, element(3)?, element(4)?)?;
                self.add(row, RowCommand::apply(&self.defaults, &options, &function, false)?)
            }
            _ => Err(Failure::of_range("there is no such row")),
        }
    }

    /// The options of a row that writes.
    fn of_write(&self, kind: u32, row: &Options<'e>) -> Result<WriteOptions> {
        let (own, usual) = (arguments::write_options(row)?, &self.usual.1);
        let is_left_out = |name| Ok::<_, Failure>(row.get(name)?.is_none());
        let deletes = kind == sort::DELETE;
        Ok(WriteOptions {
            ttl: if is_left_out(c"ttl")? && !deletes { usual.ttl } else { own.ttl },
            exists: if is_left_out(c"exists")? && matches!(kind, sort::WRITE | sort::OPERATE) {
                usual.exists
            } else {
                own.exists
            },
            durable: if is_left_out(c"durable")? { usual.durable } else { own.durable },
            // A delete compares the key.
            send_key: if deletes { own.send_key } else { own.send_key.or(usual.send_key) },
            ..own
        })
    }

    fn read(
        &mut self,
        row: u32,
        options: &Options<'e>,
        bins: Value<'e>,
        operations: Value<'e>,
    ) -> Result<()> {
        let own = arguments::read_options(options)?;
        let usual = &self.usual.0;
        let (touch, mode) = (own.touch.or(usual.touch), own.mode.or(usual.mode));
        let options = ReadOptions { touch, mode, ..own };
        let Some(operations) = operations.present() else {
            let bins = arguments::bins(bins)?;
            return self.add(row, RowCommand::get(&self.defaults, &options, bins)?);
        };
        let (steps, has_bins) = (operation::steps(operations)?, !bins.is_absent());
        let refs = operation::refs(&steps);
        self.add(row, RowCommand::read_operations(&self.defaults, options, has_bins, refs)?)
    }

    fn add<E: From<InvalidArgument>>(
        &mut self,
        row: u32,
        command: RowCommand<impl FnOnce(&mut Kind) -> std::result::Result<(), E>>,
    ) -> Result<()>
    where
        Failure: From<E>,
    {
        self.rows.row(row, &command.spec, true, command.write)?;
        self.answered.push(command.answered);
        Ok(())
    }
}
