//! Batches that mix reads, writes, deletes and function calls.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use spikewire_aerospike::command::batch::RowCommand;
use spikewire_aerospike::command::{
    self, CommandDefaults, CommandSpec, InvalidArgument, OperationRef, Operations,
};
use spikewire_aerospike_protocol::batch::Kind;
use spikewire_aerospike_protocol::message::op;

use super::gather::{Resolve, RowBuilder, at_row, each};
use super::plan::BatchCall;
use crate::aerospike::batch::RowAnswers;
use crate::aerospike::call::Answers;
use crate::aerospike::record_type::{selection, written};
use crate::aerospike::rows::{Apply, Delete, Read, Write};
use crate::aerospike::space::Space;
use crate::aerospike::verbs::{
    AttemptKeywords, Defaults, Function, Limits, ReadOptions, ReadRules, RowOptions, WriteOptions,
    operations_of, plain_bins, refs, write_bins,
};
use crate::errors::{RequestError, invalid_argument, type_error, type_name};

pub fn batch(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    rows: &Bound<'_, PyAny>,
    limits: &Limits<'_>,
    usual: &RowOptions<'_>,
) -> PyResult<BatchCall> {
    let mut mixed = Mixed::new(defaults, resolve, limits, usual)?;
    each("rows", rows, |row| mixed.row(&row))?;
    Ok(mixed.finish())
}

/// What to do with a record.
pub enum OneRow<'a> {
    Read(&'a Read),
    Write(&'a Write),
    Delete(&'a Delete),
    Apply(&'a Apply),
}

/// What rows with the same operations on the same bins have in common.
pub struct Operating {
    spec: CommandSpec,
    answers: Arc<Answers>,
}

/// Rows of different kinds that are being collected.
pub struct Mixed<'a> {
    defaults: Defaults,
    /// Options for rows without options of their own.
    usual: &'a RowOptions<'a>,
    rows: RowBuilder<'a>,
    row_answers: Vec<Option<Arc<Answers>>>,
}

impl<'a> Mixed<'a> {
    /// A batch with these limits.
    pub fn new(
        defaults: &Defaults,
        resolve: Resolve<'a>,
        limits: &Limits<'_>,
        usual: &'a RowOptions<'a>,
    ) -> PyResult<Self> {
        let policy = limits.policy(&defaults.policy)?;
        usual.check()?;
        let commands = CommandDefaults { policy, ..defaults.commands };
        let defaults = Defaults { commands, codec: defaults.codec.clone() };
        Ok(Self { defaults, usual, rows: RowBuilder::new(resolve), row_answers: Vec::new() })
    }

    /// The finished batch.
    pub fn finish(self) -> BatchCall {
        let Defaults { commands, codec } = self.defaults;
        self.rows.finish(commands.policy, codec, RowAnswers::Each(self.row_answers))
    }

    /// Adds a row for each of these keys.
    pub fn add(
        &mut self,
        py: Python<'_>,
        row: &OneRow<'_>,
        keys: &[Bound<'_, PyAny>],
    ) -> PyResult<()> {
        let added = match row {
            OneRow::Read(row) => self.read(py, row, keys),
            OneRow::Write(row) => self.write(py, row, keys),
            OneRow::Delete(row) => self.delete(py, row, keys),
            OneRow::Apply(row) => self.apply(py, row, keys),
        };
        // The last row added is the last one without an error.
        added.map_err(|error| at_row(py, error, self.row_answers.len()))
    }

    /// Records the key of a row whose operations are already encoded. If this fails, no row has
    /// been started.
    pub fn key(&mut self, key: &Bound<'_, PyAny>) -> PyResult<()> {
        self.rows.key_of_row(key)
    }

    /// The part of encoded operations that is the same for all rows with the same codes and bins.
    pub fn operating<'b>(
        &self,
        options: &command::WriteOptions,
        steps: impl Iterator<Item = OperationRef<'b>>,
    ) -> PyResult<Operating> {
        let rules = command::ReadRules::default();
        let (spec, returns) = CommandSpec::operate(&self.defaults, options, &rules, steps)
            .map_err(invalid_argument)?;
        Ok(Operating { spec, answers: Answers { returns, plain: Vec::new() }.into() })
    }

    /// Adds the operations of the row whose key was recorded.
    pub fn encoded<'b>(
        &mut self,
        py: Python<'_>,
        of: &Operating,
        mut steps: impl Iterator<Item = OperationRef<'b>>,
    ) -> PyResult<()> {
        self.add_row(py, &of.spec, Some(&of.answers), |out| {
            steps.by_ref().for_each(|step| out.step(step));
            Ok::<_, InvalidArgument>(())
        })
    }

    /// Adds a `Read`, `Write`, `Delete` or `Apply`.
    pub fn row(&mut self, row: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = row.py();
        let key = |key: &Py<PyAny>| [key.bind(py).clone()];
        if let Ok(row) = row.cast::<Read>() {
            return self.add(py, &OneRow::Read(row.get()), &key(&row.get().key));
        }
        if let Ok(row) = row.cast::<Write>() {
            return self.add(py, &OneRow::Write(row.get()), &key(&row.get().key));
        }
        if let Ok(row) = row.cast::<Delete>() {
            return self.add(py, &OneRow::Delete(row.get()), &key(&row.get().key));
        }
        if let Ok(row) = row.cast::<Apply>() {
            return self.add(py, &OneRow::Apply(row.get()), &key(&row.get().key));
        }
        let error = type_error(format!(
            "a row must be spikewire.Read, Write, Delete or Apply, not {}",
            type_name(row)
        ));
        Err(at_row(py, error, self.row_answers.len()))
    }

    fn read(&mut self, py: Python<'_>, row: &Read, keys: &[Bound<'_, PyAny>]) -> PyResult<()> {
        let bound = |value: &Option<Py<PyAny>>| value.as_ref().map(|value| value.bind(py).clone());
        let touch = bound(&row.read_touch).or_else(|| self.usual.rules.touch.clone());
        let mode = bound(&row.read_mode).or_else(|| self.usual.rules.mode.clone());
        let rules = ReadRules { touch, mode, ..ReadRules::default() };
        let filter = bound(&row.r#where);
        let options = ReadOptions { filter, rules, ..ReadOptions::default() }.checked()?;
        let bins = bound(&row.bins);
        if let Some(ops) = &row.ops {
            let (steps, has_bins) = (operations_of(ops.bind(py))?, bins.is_some());
            let plain = plain_bins(&steps, &self.defaults);
            let steps = refs(&steps);
            let command = RowCommand::read_operations(&self.defaults, options, has_bins, steps);
            return self.each(py, keys, command, plain);
        }
        let mut latest: Option<(Arc<Space>, _)> = None;
        for key in keys {
            self.key(key)?;
            let space = self.rows.space().expect("that of the key");
            let command = match &latest {
                Some((of, command)) if Arc::ptr_eq(of, space) => command,
                _ => {
                    let bins = selection(space, bins.as_ref())?;
                    let command = RowCommand::get(&self.defaults, &options, bins);
                    &latest.insert((space.clone(), command.map_err(invalid_argument)?)).1
                }
            };
            self.add_row(py, &command.spec, None, &command.write)?;
        }
        Ok(())
    }

    fn write(&mut self, py: Python<'_>, row: &Write, keys: &[Bound<'_, PyAny>]) -> PyResult<()> {
        let bound = |value: &Option<Py<PyAny>>| value.as_ref().map(|value| value.bind(py).clone());
        let options = WriteOptions {
            ttl: bound(&row.ttl).or_else(|| self.usual.ttl.clone()),
            generation: bound(&row.generation),
            exists: bound(&row.exists).or_else(|| self.usual.exists.clone()),
            durable: row.durable.unwrap_or(self.usual.durable),
            send_key: row.send_key.or(self.usual.send_key),
            filter: bound(&row.r#where),
            retry: of_row(bound(&row.commit_level), row.on_locking_only),
            ..WriteOptions::default()
        };
        let (what, exists, options) = (row.what.bind(py), &options.exists, options.checked()?);
        if what.is_instance_of::<PyList>() || what.is_instance_of::<PyTuple>() {
            let steps = operations_of(what)?;
            let plain = plain_bins(&steps, &self.defaults);
            let command = RowCommand::write_operations(&self.defaults, &options, refs(&steps));
            return self.each(py, keys, command, plain);
        }
        let spec = CommandSpec::write(&self.defaults, &options).map_err(invalid_argument)?;
        let codec = self.defaults.codec.clone();
        for key in keys {
            self.key(key)?;
            let space = self.rows.space().expect("that of the key");
            let bins = written(space, what, op::WRITE, exists.as_ref())?;
            self.add_row(py, &spec, None, |out| {
                write_bins(out, &bins, op::WRITE, codec.as_deref())
            })?;
        }
        Ok(())
    }

    fn delete(&mut self, py: Python<'_>, row: &Delete, keys: &[Bound<'_, PyAny>]) -> PyResult<()> {
        let bound = |value: &Option<Py<PyAny>>| value.as_ref().map(|value| value.bind(py).clone());
        let options = WriteOptions {
            generation: bound(&row.generation),
            durable: row.durable.unwrap_or(self.usual.durable),
            send_key: Some(row.send_key),
            filter: bound(&row.r#where),
            retry: of_row(bound(&row.commit_level), row.on_locking_only),
            ..WriteOptions::default()
        };
        let command = RowCommand::delete(&self.defaults, &options.checked()?);
        self.each(py, keys, command, Vec::new())
    }

    fn apply(&mut self, py: Python<'_>, row: &Apply, keys: &[Bound<'_, PyAny>]) -> PyResult<()> {
        let bound = |value: &Option<Py<PyAny>>| value.as_ref().map(|value| value.bind(py).clone());
        let options = WriteOptions {
            ttl: bound(&row.ttl).or_else(|| self.usual.ttl.clone()),
            durable: row.durable.unwrap_or(self.usual.durable),
            send_key: row.send_key.or(self.usual.send_key),
            filter: bound(&row.r#where),
            retry: of_row(bound(&row.commit_level), row.on_locking_only),
            ..WriteOptions::default()
        };
        let (module, function) = (row.module.bind(py), row.function.bind(py));
        let function = Function::new(module, function, bound(&row.arguments).as_ref())?.0;
        let command = RowCommand::apply(&self.defaults, &options.checked()?, &function, false);
        self.each(py, keys, command, vec![Answers::RETURNED.to_owned()])
    }

    /// Adds a row for each key; `plain` as in [`Answers`].
    fn each<W: Fn(&mut Kind) -> Result<(), InvalidArgument>>(
        &mut self,
        py: Python<'_>,
        keys: &[Bound<'_, PyAny>],
        command: Result<RowCommand<W>, InvalidArgument>,
        plain: Vec<String>,
    ) -> PyResult<()> {
        let RowCommand { spec, answered, write } = command.map_err(invalid_argument)?;
        let answers = answered.map(|returns| Answers { returns, plain }.into());
        for key in keys {
            self.key(key)?;
            self.add_row(py, &spec, answers.as_ref(), &write)?;
        }
        Ok(())
    }

    /// Adds the row whose key was recorded.
    fn add_row<E: From<InvalidArgument>>(
        &mut self,
        py: Python<'_>,
        spec: &CommandSpec,
        answers: Option<&Arc<Answers>>,
        write: impl FnOnce(&mut Kind) -> Result<(), E>,
    ) -> PyResult<()>
    where
        RequestError: From<E>,
    {
        self.rows.row(py, spec, true, write)?;
        self.row_answers.push(answers.cloned());
        Ok(())
    }
}

/// What a row says besides what it does, as keywords.
fn of_row(
    commit_level: Option<Bound<'_, PyAny>>,
    on_locking_only: Option<bool>,
) -> AttemptKeywords<'_> {
    AttemptKeywords { commit_level, on_locking_only, ..AttemptKeywords::default() }
}
