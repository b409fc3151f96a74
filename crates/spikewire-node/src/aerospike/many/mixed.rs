//! Batches that mix reads, writes, deletes and Lua functions.

use spikewire_aerospike::command::batch::ResultFlags;
use spikewire_aerospike::command::{
    CommandDefaults, CommandSpec, Operations, ReadRules, WriteOptions,
};
use spikewire_aerospike_protocol::batch::Kind;
use spikewire_aerospike_protocol::message::op;

use super::gather::{OWN, Rows, at_row};
use super::put::shape;
use crate::aerospike::arguments::{self, Options};
use crate::aerospike::operation::{self, OwnedOperation};
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
    let rows = Rows::of(call)?;
    let base = &rows.client.defaults;
    let policy = arguments::policy(&base.policy, &Options::new(call.argument(OWN + 1)))?;
    let defaults = CommandDefaults { policy, ..*base };
    let mut batch = MixedBatch { call, defaults, rows, answered: Vec::new() };
    for row in 0..batch.rows.count()? {
        batch.row(row).map_err(|failure| at_row(failure, row))?;
    }
    batch.rows.send(policy, ResultFlags::Each(batch.answered));
    Ok(None)
}

struct MixedBatch<'c, 'e> {
    call: &'c Call<'e>,
    defaults: CommandDefaults,
    rows: Rows<'c, 'e>,
    answered: Vec<Option<Vec<bool>>>,
}

impl<'e> MixedBatch<'_, 'e> {
    fn row(&mut self, row: u32) -> Result<()> {
        let elements = self.call.argument(OWN);
        let element = |at| elements.element(STRIDE * row + at);
        let options = Options::new(element(1)?);
        match element(0)?.index()? {
            sort::READ => self.read(row, &options, element(2)?, element(3)?),
            sort::WRITE => self.write(row, &options, element(2)?, element(3)?),
            sort::OPERATE => self.operate(row, &options, element(2)?),
            sort::DELETE => {
                let options = arguments::write_options(&options)?;
                let spec = CommandSpec::delete(&self.defaults, &options)?;
                self.add(row, &spec, None, |_| Ok(()))
            }
            sort::APPLY => {
                let hooks = self.call.host.environment.hooks()?;
                let options = arguments::write_options(&options)?;
                let function = operation::function(hooks, element(2)?, element(3)?, element(4)?)?;
                let spec = CommandSpec::apply(&self.defaults, &options)?;
                self.add(row, &spec, Some(vec![true]), |out| {
                    out.call(&function);
                    Ok(())
                })
            }
            _ => Err(Failure::of_range("there is no such row")),
        }
    }

    fn read(
        &mut self,
        row: u32,
        options: &Options<'e>,
        bins: Value<'e>,
        operations: Value<'e>,
    ) -> Result<()> {
        let reads = arguments::read_options(options)?;
        let Some(operations) = operations.present() else {
            let (selection, names) = arguments::bins(bins)?;
            let spec = CommandSpec::get(&self.defaults, &reads, selection)?;
            return self.add(row, &spec, None, |out| {
                names.iter().try_for_each(|name| Ok(out.read_bin(name)?))
            });
        };
        if !bins.is_absent() {
            return Err(Failure::of_range("bins and ops exclude each other"));
        }
        let steps = operation::steps(operations)?;
        let rules = ReadRules { touch: reads.touch, mode: reads.mode, hedge: None };
        let options = WriteOptions { filter: reads.filter, ..WriteOptions::default() };
        let sent = || steps.iter().map(OwnedOperation::as_sent);
        let (spec, answered) = CommandSpec::operate(&self.defaults, &options, &rules, sent())?;
        spec.check_row(false)?;
        self.add(row, &spec, Some(answered), |out| {
            sent().for_each(|step| out.step(step));
            Ok(())
        })
    }

    fn write(
        &mut self,
        row: u32,
        options: &Options<'e>,
        names: Value<'e>,
        values: Value<'e>,
    ) -> Result<()> {
        let hooks = self.call.host.environment.hooks()?;
        let names = shape(self.call, names)?;
        let spec = CommandSpec::write(&self.defaults, &arguments::write_options(options)?)?;
        self.add(row, &spec, None, |out| {
            for (at, name) in names.iter().enumerate() {
                let value = BinValue { hooks, value: values.element(at as u32)? };
                out.write_bin(op::WRITE, name, &value)?;
            }
            Ok(out.check_any()?)
        })
    }

    fn operate(&mut self, row: u32, options: &Options<'e>, operations: Value<'e>) -> Result<()> {
        let steps = operation::steps(operations)?;
        let options = arguments::write_options(options)?;
        let sent = || steps.iter().map(OwnedOperation::as_sent);
        let (spec, answered) =
            CommandSpec::operate(&self.defaults, &options, &ReadRules::default(), sent())?;
        spec.check_row(true)?;
        self.add(row, &spec, Some(answered), |out| {
            sent().for_each(|step| out.step(step));
            Ok(())
        })
    }

    fn add(
        &mut self,
        row: u32,
        spec: &CommandSpec,
        answered: Option<Vec<bool>>,
        write: impl FnOnce(&mut Kind) -> Result<()>,
    ) -> Result<()> {
        self.rows.row(row, spec, true, write)?;
        self.answered.push(answered);
        Ok(())
    }
}
