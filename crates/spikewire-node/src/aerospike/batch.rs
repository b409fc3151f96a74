//! Conversion of a batch's outcomes to JavaScript; the other half is `batch/batch.ts` of the
//! package.
//!
//! Adjacent records with the same bins are made in one call, because a call costs more than the
//! records it makes. The numbers of every record (row, generation, time to live) are passed in one
//! typed array for all records.

use spikewire_aerospike::command::batch::{Batch, ResultFlags, RowOutcome};
use spikewire_aerospike::command::{Sink, read_bins};
use spikewire_aerospike::{Error, Kind};
use spikewire_aerospike_protocol::message::{Header, Message, Op};
use spikewire_aerospike_protocol::value::particle::NULL;
use spikewire_aerospike_protocol::void_time;

use crate::aerospike::record::{WIDEST, name_array, parts};
use crate::aerospike::ticket::RowPlan;
use crate::aerospike::value::decode::{DecodeOptions, Decoder, particle};
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
        let batch = hooks.make_batch.call(env, &[env.int32_array(&codes)?, doubts?])?;
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
#[derive(Debug, Default, PartialEq, Eq)]
struct RowShape {
    /// The number of results; `None` for records without results.
    results: Option<u16>,
    /// The names of the bins, each preceded by its length.
    names: Vec<u8>,
}

/// Consecutive records of the same shape, to be made in one call.
struct RowRun<'m, 'e, 'a> {
    decoder: &'m Decoder<'e, 'a>,
    environment: &'a Environment,
    batch: Value<'e>,
    /// The array of numbers of the records found.
    numbers: Value<'e>,
    /// The index of the run's first record among the records found.
    from: usize,
    count: usize,
    shape: RowShape,
    /// The values of the records' bins and results, record after record.
    values: Vec<Value<'e>>,
    /// The shape of the record being read, and the number of values before it.
    latest: RowShape,
    before: usize,
    /// The results of the record being read.
    results: Vec<Value<'e>>,
    is_wide: bool,
}

impl Sink for RowRun<'_, '_, '_> {
    type Error = Failure;

    fn result(&mut self, answer: Option<Op<'_>>) -> Result<()> {
        let Some(answer) = answer else {
            self.results.push(self.decoder.env.null()?);
            return Ok(());
        };
        let value = particle(self.decoder, answer.particle, answer.value)?;
        if answer.particle != NULL && !answer.name.is_empty() {
            self.name(answer.name);
            self.values.push(value);
        }
        self.results.push(value);
        Ok(())
    }

    #[inline]
    fn bin(&mut self, bin: Op<'_>) -> Result<()> {
        let value = particle(self.decoder, bin.particle, bin.value)?;
        self.name(bin.name);
        self.values.push(value);
        Ok(())
    }
}

impl<'m, 'e, 'a> RowRun<'m, 'e, 'a> {
    #[inline]
    fn name(&mut self, name: &[u8]) {
        self.is_wide |= name.len() > usize::from(u8::MAX);
        self.latest.names.push(name.len() as u8);
        self.latest.names.extend_from_slice(name);
    }

    fn new(
        decoder: &'m Decoder<'e, 'a>,
        environment: &'a Environment,
        batch: Value<'e>,
        numbers: Value<'e>,
        from: usize,
    ) -> Self {
        Self {
            decoder,
            environment,
            batch,
            numbers,
            from,
            count: 0,
            shape: RowShape::default(),
            values: Vec::with_capacity(2 * ROOM),
            latest: RowShape::default(),
            before: 0,
            results: Vec::new(),
            is_wide: false,
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
            self.latest.names.clear();
            self.results.clear();
            self.before = self.values.len();
            match self.record(rows, answered.of(row), row) {
                Ok(true) => self.add()?,
                Ok(false) => self.skip()?,
                Err(Failure::Engine(error)) => {
                    self.skip()?;
                    let error = rows.unreadable(row, error.message());
                    fail(self.decoder.env, self.decoder.hooks, self.batch, row, &error)?;
                }
                Err(failure) => return Err(failure),
            }
        }
        self.flush(self.values.len())
    }

    /// Reads the bins of a row; if it is unsuitable for a run, makes its record separately.
    fn record(&mut self, rows: &Batch, answered: Option<&[bool]>, row: usize) -> Result<bool> {
        let Ok(Some(message)) = rows.record(row) else { return Ok(false) };
        let message = Message::again(message)
            .map_err(|error| Error::new(Kind::Malformed, error.to_string()))?;
        let results = answered.unwrap_or_default();
        if usize::from(message.header.ops).max(results.len()) <= WIDEST / 2 {
            self.latest.results = answered.map(|answered| answered.len() as u16);
            read_bins(&message, results, self)?;
            if !std::mem::take(&mut self.is_wide) {
                self.values.append(&mut self.results);
                return Ok(true);
            }
        }
        let factories = &self.environment.factories;
        let record = parts(self.decoder, factories, &message, answered)?.record(self.decoder)?;
        self.batch.set_element(row as u32, record)?;
        Ok(false)
    }

    /// Adds the record just read to the run, or starts a new one if its shape differs.
    fn add(&mut self) -> Result<()> {
        if self.count == 0 || self.shape != self.latest {
            self.flush(self.before)?;
            std::mem::swap(&mut self.shape, &mut self.latest);
        }
        self.count += 1;
        let wide = self.values.len() / self.count;
        if wide > 0 && self.values.len() + wide > ROOM {
            self.flush(self.values.len())?;
        }
        Ok(())
    }

    /// Excludes the record just read, and ends the run before it.
    fn skip(&mut self) -> Result<()> {
        self.values.truncate(self.before);
        self.flush(self.before)?;
        self.from += 1;
        Ok(())
    }

    /// Makes the records of the run, whose values are the first `len`.
    fn flush(&mut self, len: usize) -> Result<()> {
        let Self { decoder, environment, batch, numbers, from, count, .. } = *self;
        if count == 0 {
            return Ok(());
        }
        (self.from, self.count) = (from + count, 0);
        let (env, hooks) = (decoder.env, decoder.hooks);
        let RowShape { results, names } = &self.shape;
        let make_rows = |most: usize| {
            let results = results.map_or_else(|| env.null(), |count| env.uint32(count.into()))?;
            let arguments = [name_array(env, names)?, results, env.uint32(most as u32)?];
            hooks.make_rows.call(env, &arguments)
        };
        let mut key = names.clone();
        if let Some(results) = results {
            // A zero length is unambiguous, as no name is empty.
            key.push(0);
            key.extend(results.to_be_bytes());
        }
        let most = (ROOM * count).checked_div(len).unwrap_or(1);
        let factory = environment.row_factories.of(&key, || make_rows(most))?;
        let rows = [batch, numbers, env.uint32(from as u32)?, env.uint32(count as u32)?];
        let arguments: Vec<_> = rows.into_iter().chain(self.values.drain(..len)).collect();
        match factory {
            Some(factory) => factory.0.call(env, &arguments)?,
            None => env.call(make_rows(0)?, &arguments)?,
        };
        Ok(())
    }
}
