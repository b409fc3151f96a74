//! Conversion of a batch's outcomes to JavaScript; the other half is `batch/batch.ts` of the
//! package.
//!
//! Adjacent records with the same bins are made in one call, because a call costs more than the
//! records it makes. The numbers of every record (row, generation, time to live) are passed in one
//! typed array for all records.

use spikewire_aerospike::command::batch::{Batch, ResultFlags, RowOutcome};
use spikewire_aerospike::command::read_bins;
use spikewire_aerospike::{Error, Kind};
use spikewire_aerospike_protocol::message::{Header, Message};
use spikewire_aerospike_protocol::void_time;

use crate::aerospike::record::{RecordSink, WIDEST, name_array, parts, shared_array, shares};
use crate::aerospike::ticket::RowPlan;
use crate::aerospike::value::decode::{DecodeOptions, Decoder};
use crate::environment::Environment;
use crate::errors;
use crate::hooks::Hooks;
use crate::js::scope::inner_with;
use crate::js::{Env, Failure, Result, Value};
use crate::outbox::Settle;

/// The maximum number of values per call.
const ROOM: usize = 96;
/// Numbers per record in the array of records found: row, generation, seconds to live.
const NUMBERS: usize = 3;

/// How to read the rows of a batch.
#[derive(Debug)]
pub struct RowReader {
    pub answered: ResultFlags<Vec<bool>>,
    pub decode_options: DecodeOptions,
}

impl RowPlan for RowReader {
    fn rows_done(self: Box<Self>, rows: Batch) -> Box<dyn Settle> {
        Box::new(BatchOutcomes { rows, reader: *self })
    }
}

/// The completed rows of a batch.
#[derive(Debug)]
struct BatchOutcomes {
    rows: Batch,
    reader: RowReader,
}

impl Settle for BatchOutcomes {
    fn settle<'e>(self: Box<Self>, env: Env<'e>, environment: &Environment) -> Result<Value<'e>> {
        let Self { rows, reader } = *self;
        let hooks = environment.hooks()?;
        let (codes, numbers) = (rows.codes().collect::<Vec<_>>(), numbers(&rows));
        let doubts: Vec<_> = rows.doubts().map(|row| row as i32).collect();
        let doubts = if doubts.is_empty() { env.null() } else { env.int32_array(&doubts) };
        let late = if rows.has_deadline() {
            env.int32_array(&rows.late().map(|row| row as i32).collect::<Vec<_>>())
        } else {
            env.null()
        };
        let batch = hooks.make_batch.call(env, &[env.int32_array(&codes)?, doubts?, late?])?;
        let array = env.int32_array(&numbers)?;
        let decoder = Decoder::new(env, environment, reader.decode_options)?;
        let mut from = 0;
        while from < numbers.len() {
            // Free values before too many of them are alive.
            let to = numbers.len().min(from + TOGETHER * NUMBERS);
            inner_with(env, [batch, array], |env, [batch, array]| {
                let decoder = &Decoder { env, ..decoder };
                let run = RowRun::new(decoder, environment, batch, array, from / NUMBERS);
                run.records(&rows, &reader.answered, &numbers[from..to])
            })?;
            from = to;
        }
        for row in (0..rows.len()).filter(|row| codes[*row] != 0 && rows.is_failure(*row)) {
            let error = rows.failure(row);
            inner_with(env, [batch], |env, [batch]| fail(env, hooks, batch, row, &error))?;
        }
        Ok(batch)
    }
}

/// The number of records made per handle scope.
const TOGETHER: usize = 1024;

/// Row, generation and seconds to live of every record found. A record that never expires has -1
/// seconds; other values are unsigned.
fn numbers(rows: &Batch) -> Vec<i32> {
    let mut now = None;
    let mut numbers = Vec::with_capacity(rows.len() * NUMBERS);
    for row in 0..rows.len() {
        let RowOutcome::Record(message) = rows.outcome(row) else { continue };
        let Ok(header) = Header::parse(message) else { continue };
        let ttl = match header.ttl {
            0 => None,
            until => void_time::seconds_left(until, *now.get_or_insert_with(void_time::now)),
        };
        numbers.extend([row as i32, header.generation as i32, ttl.unwrap_or(u32::MAX) as i32]);
    }
    numbers
}

fn fail<'e>(
    env: Env<'e>,
    hooks: &Hooks,
    batch: Value<'e>,
    row: usize,
    error: &Error,
) -> Result<()> {
    let error = errors::of_engine(env, hooks, error)?;
    hooks.fail_row.call(env, &[batch, env.uint32(row as u32)?, error]).map(drop)
}

/// What records made by the same function have in common.
#[derive(Debug, Default)]
struct RowShape {
    /// The number of results; `None` for records without results.
    results: Option<u16>,
    /// The names of the bins, each preceded by its length.
    names: Vec<u8>,
}

/// Consecutive records of the same shape, to be made in one call.
struct RowRun<'m, 'e, 'a> {
    environment: &'a Environment,
    batch: Value<'e>,
    /// The array of numbers of the records found.
    numbers: Value<'e>,
    /// The index of the run's first record among the records found.
    from: usize,
    count: usize,
    shape: RowShape,
    /// The record being read; its values follow those of the run, record after record.
    sink: RecordSink<'m, 'e, 'a>,
    /// The number of values before it, and the end of the shared memory.
    before: usize,
    shared_before: usize,
    /// Where the shared memory of the run begins.
    shared_from: usize,
}

impl<'m, 'e, 'a> RowRun<'m, 'e, 'a> {
    fn new(
        decoder: &'m Decoder<'e, 'a>,
        environment: &'a Environment,
        batch: Value<'e>,
        numbers: Value<'e>,
        from: usize,
    ) -> Self {
        let (shape, mut sink) = (RowShape::default(), RecordSink::new(decoder, 2 * ROOM));
        sink.shared = Some(Vec::new());
        let (before, shared_before, shared_from) = (0, 0, 0);
        Self {
            environment,
            batch,
            numbers,
            from,
            count: 0,
            shape,
            sink,
            before,
            shared_before,
            shared_from,
        }
    }

    /// Makes the records of a part of what was found.
    fn records(
        mut self,
        rows: &Batch,
        answered: &ResultFlags<Vec<bool>>,
        numbers: &[i32],
    ) -> Result<()> {
        for row in numbers.iter().step_by(NUMBERS) {
            let row = *row as usize;
            let answered: Option<&[bool]> = answered.of(row);
            self.sink.key.clear();
            self.sink.results.clear();
            self.before = self.sink.values.len();
            self.shared_before = self.sink.shared.as_ref().map_or(0, Vec::len);
            match self.record(rows, answered, row) {
                Ok(true) => self.add(answered.map(|answered| answered.len() as u16))?,
                Ok(false) => self.skip()?,
                Err(Failure::Engine(error)) => {
                    self.skip()?;
                    let error = rows.unreadable(row, error.message());
                    let Decoder { env, hooks, .. } = *self.sink.decoder;
                    fail(env, hooks, self.batch, row, &error)?;
                }
                Err(failure) => return Err(failure),
            }
        }
        self.flush(self.sink.values.len())
    }

    /// Reads the bins of a row; if it is unsuitable for a run, makes its record separately.
    fn record(&mut self, rows: &Batch, answered: Option<&[bool]>, row: usize) -> Result<bool> {
        let Ok(Some(message)) = rows.record(row) else { return Ok(false) };
        let message = Message::again(message)
            .map_err(|error| Error::new(Kind::Malformed, error.to_string()))?;
        let (results, sink) = (answered.unwrap_or_default(), &mut self.sink);
        if usize::from(message.header.ops).max(results.len()) <= WIDEST / 2 {
            read_bins(&message, results, sink)?;
            sink.values.append(&mut sink.results);
            return Ok(true);
        }
        let factories = &self.environment.factories;
        let record = parts(sink.decoder, factories, &message, answered)?.record(sink.decoder)?;
        self.batch.set_element(row as u32, record)?;
        Ok(false)
    }

    /// Adds the record just read to the run, or starts a new one if its shape differs.
    fn add(&mut self, results: Option<u16>) -> Result<()> {
        if self.count == 0 || self.shape.results != results || self.shape.names != self.sink.key {
            self.flush(self.before)?;
            self.shape.results = results;
            std::mem::swap(&mut self.shape.names, &mut self.sink.key);
        }
        self.count += 1;
        let len = self.sink.values.len();
        let wide = len / self.count;
        if wide > 0 && len + wide > ROOM {
            self.flush(len)?;
        }
        Ok(())
    }

    /// Excludes the record just read, and ends the run before it.
    fn skip(&mut self) -> Result<()> {
        self.sink.values.truncate(self.before);
        if let Some(shared) = &mut self.sink.shared {
            shared.truncate(self.shared_before);
        }
        self.flush(self.before)?;
        self.from += 1;
        Ok(())
    }

    /// Makes the records of the run, whose values are the first `len`.
    fn flush(&mut self, len: usize) -> Result<()> {
        let Self { environment, batch, numbers, from, count, .. } = *self;
        if count == 0 {
            return Ok(());
        }
        // The record just read is not one of the run if its values are not.
        let all = self.sink.shared.as_deref().unwrap_or_default();
        let end = if len == self.sink.values.len() { all.len() } else { self.shared_before };
        let start = std::mem::replace(&mut self.shared_from, end);
        (self.from, self.count) = (from + count, 0);
        let Decoder { env, hooks, .. } = *self.sink.decoder;
        let RowShape { results, names } = &self.shape;
        let make_rows = |most: usize| {
            let results = results.map_or_else(|| env.null(), |count| env.uint32(count.into()))?;
            let (most, shared) = (env.uint32(most as u32)?, shared_array(env, names)?);
            hooks.make_rows.call(env, &[name_array(env, names)?, results, most, shared])
        };
        let mut key = names.clone();
        if let Some(results) = results {
            // A zero length is unambiguous, as no name is empty.
            key.push(0);
            key.extend(results.to_be_bytes());
        }
        let most = (ROOM * count).checked_div(len).unwrap_or(1);
        let factory = environment.row_factories.of(&key, || make_rows(most))?;
        let mut arguments = Vec::with_capacity(len + 6);
        arguments.extend([batch, numbers, env.uint32(from as u32)?, env.uint32(count as u32)?]);
        if shares(names) {
            arguments.extend([env.array_buffer(&all[start..end])?, env.uint32(start as u32)?]);
        }
        arguments.extend(self.sink.values.drain(..len));
        match factory {
            Some(factory) => factory.0.call(env, &arguments)?,
            None => env.call(make_rows(0)?, &arguments)?,
        };
        Ok(())
    }
}
