//! Batches that mix reads, writes, deletes and calls of functions.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use spikewire_aerospike::command::{self, CommandDefaults, CommandSpec, OperationRef, Operations};
use spikewire_aerospike_protocol::batch::Kind;
use spikewire_aerospike_protocol::message::op;

use super::gather::{BatchRows, Resolve, at_row, each};
use super::plan::BatchCall;
use crate::batch::Answered;
use crate::call::Answers;
use crate::errors::{Raised, refused, type_error, type_name, value_error};
use crate::rows::{Apply, Delete, Read, Write};
use crate::verbs::single::selected;
use crate::verbs::{
    Defaults, Function, Limits, ReadOptions, ReadRules, RetryRules, RowOptions, Steps,
    WriteOptions, write_bins,
};

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

/// Rows of different kinds, being gathered.
pub struct Mixed<'a> {
    defaults: Defaults,
    /// What rows do that do not say themselves.
    usual: &'a RowOptions<'a>,
    rows: BatchRows<'a>,
    answered: Vec<Option<Answers>>,
}

impl<'a> Mixed<'a> {
    /// For a batch with these limits.
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
        Ok(Self { defaults, usual, rows: BatchRows::new(resolve), answered: Vec::new() })
    }

    /// Adds a `Read`, `Write`, `Delete` or `Apply`.
    pub fn row(&mut self, row: &Bound<'_, PyAny>) -> PyResult<()> {
        let number = self.rows.len();
        self.one(row).map_err(|error| at_row(row.py(), error, number))
    }

    /// Notes the record of a row whose operations are encoded already. If it fails, no row has
    /// been begun.
    pub fn key(&mut self, key: &Bound<'_, PyAny>) -> PyResult<()> {
        self.rows.key_of_row(key)
    }

    /// Adds the operations of the row whose record was noted.
    pub fn encoded(
        &mut self,
        py: Python<'_>,
        options: &command::WriteOptions,
        steps: &[OperationRef<'_>],
    ) -> PyResult<()> {
        let rules = command::ReadRules::default();
        let (spec, given) =
            CommandSpec::operate(&self.defaults, options, &rules, steps.iter().copied())
                .map_err(refused)?;
        self.add(py, &spec, Some(Answers { given, plain: Vec::new() }), |out| {
            steps.iter().for_each(|step| out.step(*step));
            Ok(())
        })
    }

    /// The batch.
    pub fn finish(self) -> BatchCall {
        let answered = Answered::Each(self.answered);
        self.rows.finish(self.defaults.policy, self.defaults.codec, answered)
    }

    fn one(&mut self, row: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(read) = row.cast::<Read>() {
            return self.read(read);
        }
        if let Ok(write) = row.cast::<Write>() {
            return self.write(write);
        }
        if let Ok(delete) = row.cast::<Delete>() {
            return self.delete(delete);
        }
        if let Ok(apply) = row.cast::<Apply>() {
            return self.apply(apply);
        }
        Err(type_error(format!(
            "a row must be spikewire.Read, Write, Delete or Apply, not {}",
            type_name(row)
        )))
    }

    fn read(&mut self, row: &Bound<'_, Read>) -> PyResult<()> {
        let (py, row) = (row.py(), row.get());
        self.key(row.key.bind(py))?;
        let bound = |value: &Option<Py<PyAny>>| value.as_ref().map(|value| value.bind(py).clone());
        let touch = bound(&row.read_touch).or_else(|| self.usual.rules.touch.clone());
        let mode = bound(&row.read_mode).or_else(|| self.usual.rules.mode.clone());
        let rules = ReadRules { touch, mode, hedge: None };
        let Some(ops) = &row.ops else {
            let filter = bound(&row.r#where);
            let options = ReadOptions {
                filter,
                rules,
                replica: None,
                timeout: None,
                retry: RetryRules::default(),
            };
            let (selection, names) = selected(bound(&row.bins).as_ref())?;
            let options = options.checked()?;
            let spec = CommandSpec::get(&self.defaults, &options, selection).map_err(refused)?;
            return self.add(py, &spec, None, |out| {
                names.iter().try_for_each(|name| Ok(out.read_bin(name)?))
            });
        };
        if row.bins.is_some() {
            return Err(value_error("bins and ops exclude each other"));
        }
        let options = WriteOptions { filter: bound(&row.r#where), ..WriteOptions::default() };
        let steps = Steps::new(ops.bind(py), &options, &rules, &self.defaults)?;
        if steps.spec.write {
            return Err(value_error("ops of a Read must only read: use Write for these"));
        }
        self.steps(py, steps)
    }

    fn write(&mut self, row: &Bound<'_, Write>) -> PyResult<()> {
        let (py, row) = (row.py(), row.get());
        self.key(row.key.bind(py))?;
        let bound = |value: &Option<Py<PyAny>>| value.as_ref().map(|value| value.bind(py).clone());
        let options = WriteOptions {
            ttl: bound(&row.ttl).or_else(|| self.usual.ttl.clone()),
            generation: bound(&row.generation),
            exists: bound(&row.exists).or_else(|| self.usual.exists.clone()),
            durable: row.durable.unwrap_or(self.usual.durable),
            send_key: row.send_key.or(self.usual.send_key),
            filter: bound(&row.r#where),
            ..WriteOptions::default()
        };
        let what = row.what.bind(py);
        if what.is_instance_of::<PyList>() || what.is_instance_of::<PyTuple>() {
            let rules = ReadRules { touch: None, mode: None, hedge: None };
            let steps = Steps::new(what, &options, &rules, &self.defaults)?;
            if !steps.spec.write {
                return Err(value_error("operations of a Write must write: use Read for these"));
            }
            return self.steps(py, steps);
        }
        let spec = CommandSpec::write(&self.defaults, &options.checked()?).map_err(refused)?;
        let codec = self.defaults.codec.clone();
        self.add(py, &spec, None, |out| write_bins(out, what, op::WRITE, codec.as_deref()))
    }

    fn delete(&mut self, row: &Bound<'_, Delete>) -> PyResult<()> {
        let (py, row) = (row.py(), row.get());
        self.key(row.key.bind(py))?;
        let bound = |value: &Option<Py<PyAny>>| value.as_ref().map(|value| value.bind(py).clone());
        let options = WriteOptions {
            generation: bound(&row.generation),
            durable: row.durable.unwrap_or(self.usual.durable),
            send_key: Some(row.send_key),
            filter: bound(&row.r#where),
            ..WriteOptions::default()
        };
        let spec = CommandSpec::delete(&self.defaults, &options.checked()?).map_err(refused)?;
        self.add(py, &spec, None, |_| Ok(()))
    }

    fn apply(&mut self, row: &Bound<'_, Apply>) -> PyResult<()> {
        let (py, row) = (row.py(), row.get());
        self.key(row.key.bind(py))?;
        let bound = |value: &Option<Py<PyAny>>| value.as_ref().map(|value| value.bind(py).clone());
        let options = WriteOptions {
            ttl: bound(&row.ttl).or_else(|| self.usual.ttl.clone()),
            durable: row.durable.unwrap_or(self.usual.durable),
            send_key: row.send_key.or(self.usual.send_key),
            filter: bound(&row.r#where),
            ..WriteOptions::default()
        };
        let (module, function) = (row.module.bind(py), row.function.bind(py));
        let function = Function::new(module, function, bound(&row.arguments).as_ref())?;
        let spec = CommandSpec::apply(&self.defaults, &options.checked()?).map_err(refused)?;
        self.add(py, &spec, Some(Answers::of_a_function()), |out| {
            out.call(&function.0);
            Ok(())
        })
    }

    fn steps(&mut self, py: Python<'_>, mut steps: Steps<'_>) -> PyResult<()> {
        let answers = steps.take_answers();
        self.add(py, &steps.spec, Some(answers), |out| {
            steps.write(out);
            Ok(())
        })
    }

    fn add(
        &mut self,
        py: Python<'_>,
        spec: &CommandSpec,
        answered: Option<Answers>,
        write: impl FnOnce(&mut Kind) -> Result<(), Raised>,
    ) -> PyResult<()> {
        self.rows.row(py, spec, true, write)?;
        self.answered.push(answered);
        Ok(())
    }
}
