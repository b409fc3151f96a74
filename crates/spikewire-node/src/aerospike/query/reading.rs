//! A query in progress. Records are decoded a run at a time; the cursor is exact to the record.

use std::cell::{Cell, RefCell};
use std::os::fd::{AsRawFd as _, RawFd};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::query::QueryPlan;
use spikewire_aerospike::transport::Stream;
use spikewire_aerospike::transport::stream::{
    Advance, Demand, MAX_RUN, QueryReader, ReadError, Stopper, wait_for_more,
};
use spikewire_aerospike_protocol::query::Row;

use super::wait::{Waiter, Wakeable};
use crate::aerospike::client::Client;
use crate::aerospike::record::row_parts;
use crate::aerospike::value::decode::{DecodeOptions, Decoder, particle};
use crate::environment::Environment;
use crate::environment::resources::Resource;
use crate::js::scope::inner;
use crate::js::{Env, Failure, Result, Value};

/// A query in progress.
pub struct RunningQuery {
    environment: Rc<Environment>,
    decode_options: DecodeOptions,
    /// Whether records may be of several sets.
    is_wide: bool,
    /// Whether records have results of operations.
    pub has_results: bool,
    reader: RefCell<QueryReader<()>>,
    stopper: Arc<Stopper>,
    waiter: Waiter,
    /// The slot of the promise that waits for more records.
    waiting: Cell<Option<u32>>,
}

/// A run of records for JavaScript: arrays, all created in the scope of the whole run.
struct RecordRun<'e> {
    env: Env<'e>,
    records: Value<'e>,
    /// Digests as strings of 20 characters, which cost less than buffers.
    digests: Value<'e>,
    /// User keys of the records that have one.
    keys: Value<'e>,
    /// Sets, where they differ from the previous record's.
    sets: Value<'e>,
    set: Vec<u8>,
    len: u32,
}

impl RunningQuery {
    /// Creates a query from a validated plan. Nothing is sent yet.
    pub fn new(
        environment: &Rc<Environment>,
        client: &Client,
        plan: QueryPlan,
        is_wide: bool,
    ) -> Result<Self> {
        let has_results = plan.operations.is_some();
        let mut reader = QueryReader::new(client.streams.clone(), plan)?;
        Ok(Self {
            environment: environment.clone(),
            decode_options: client.decode_options.get(),
            is_wide,
            has_results,
            stopper: reader.stream().stopper(),
            reader: RefCell::new(reader),
            waiter: Waiter::default(),
            waiting: Cell::new(None),
        })
    }

    /// Tells that the caller has consumed this many more of the records returned.
    pub fn consume(&self, count: u32) {
        let mut reader = self.reader.borrow_mut();
        for _ in 0..count {
            reader.pop();
        }
    }

    /// Returns more records: an array of a flag, whether the page is complete, and the parts of a
    /// [`RecordRun`]. `undefined`: they must be waited for. `null`: there are no more.
    pub fn read<'e>(&self, env: Env<'e>, page: Option<u64>) -> Result<Value<'e>> {
        self.check()?;
        let demand = match page {
            Some(size) => Demand::Page { size, in_pieces: true },
            None => Demand::Run(MAX_RUN),
        };
        let mut run = RecordRun::new(env)?;
        let advance = self.reader.borrow_mut().advance(
            demand,
            |row| inner(env, |scope| self.add(scope, &mut run, row)),
            |stream| wait_for_more(stream, Some(Duration::ZERO)),
        );
        match advance {
            // The failure, or the unreadable row, comes again after the rows before it.
            Err(_) if run.len > 0 => {
                let _ = env.take_exception();
                run.finish(false)
            }
            Err(ReadError::Row(failure)) => Err(failure),
            Err(ReadError::Query(error)) => Err(error.into()),
            Ok(Advance::Wait) if run.len == 0 => env.undefined(),
            Ok(Advance::Over) if run.len == 0 => env.null(),
            Ok(advance) => run.finish(advance == Advance::Ready),
        }
    }

    fn add(&self, env: Env<'_>, run: &mut RecordRun<'_>, row: &Row<'_>) -> Result<()> {
        let decoder = Decoder::new(env, &self.environment, self.decode_options)?;
        let parts = row_parts(&decoder, &self.environment.factories, row, self.has_results)?;
        run.records.set_element(run.len, parts.record(&decoder)?)?;
        match row.user_key() {
            Some((of, bytes)) => run.keys.set_element(run.len, particle(&decoder, of, bytes)?)?,
            None => run.digests.set_element(run.len, env.latin1(&row.point.digest.0)?)?,
        }
        if self.is_wide && (run.len == 0 || run.set != row.set) {
            let name = std::str::from_utf8(row.set)
                .map_err(|_| Failure::of_range("a record's set has a name that is not UTF-8"))?;
            run.sets.set_element(run.len, env.string(name)?)?;
            run.set = row.set.to_vec();
        }
        run.len += 1;
        Ok(())
    }

    /// Calls `work` with the stream to fill a table. The cursor stays where it is until the table
    /// is done.
    pub fn with_stream<T>(&self, work: impl FnOnce(&mut Stream) -> T) -> Result<T> {
        self.check()?;
        Ok(work(self.reader.borrow_mut().batch()?))
    }

    /// Tells that the table is done.
    pub fn end_batch(&self) {
        self.reader.borrow_mut().end_batch();
    }

    /// Tells that the table failed: its records will be returned again.
    pub fn rewind(&self) {
        self.reader.borrow_mut().rewind();
    }

    fn check(&self) -> Result<()> {
        Ok(self.stopper.check()?)
    }

    /// The cursor behind the records consumed.
    pub fn cursor(&self) -> Vec<u8> {
        self.reader.borrow().cursor()
    }

    /// Whether all records were consumed and none is left.
    pub fn is_over(&self) -> bool {
        self.reader.borrow().is_over()
    }

    /// Settles the promise of this slot when there may be more records.
    pub fn wait(self: &Rc<Self>, env: Env<'_>, slot: u32) -> Result<()> {
        self.check()?;
        if self.waiting.replace(Some(slot)).is_some() {
            return Err(Failure::of_range("the query is being waited for already"));
        }
        let target: Rc<dyn Wakeable> = self.clone();
        let patience = self.reader.borrow().alarm().since(Tick::now());
        let begun = self.waiter.begin(env, &self.environment, &target, patience);
        if begun.is_err() {
            self.waiting.take();
        }
        begun
    }

    /// Takes the slot of the waiting promise.
    pub fn take_waiting(&self) -> Option<u32> {
        self.waiting.take()
    }

    /// Ends the query; the nodes stop sending.
    pub fn close(&self) {
        self.stopper.stop();
        self.reader.borrow_mut().close();
        self.waiter.end();
    }
}

impl Wakeable for RunningQuery {
    fn descriptor(&self) -> RawFd {
        self.reader.borrow_mut().stream().as_raw_fd()
    }

    fn woken(&self, env: Env<'_>) {
        if let Some(slot) = self.take_waiting() {
            self.environment.done(env, slot);
            self.environment.report_done(env);
        }
    }
}

impl Resource for RunningQuery {
    fn end(&self) {
        self.waiting.take();
        self.close();
    }
}

impl<'e> RecordRun<'e> {
    fn new(env: Env<'e>) -> Result<Self> {
        Ok(Self {
            env,
            records: env.array(0)?,
            digests: env.array(0)?,
            keys: env.array(0)?,
            sets: env.array(0)?,
            set: Vec::new(),
            len: 0,
        })
    }

    fn finish(self, whole: bool) -> Result<Value<'e>> {
        let env = self.env;
        let parts = [env.boolean(whole)?, self.records, self.digests, self.keys, self.sets];
        env.array_of(parts.into_iter().map(Ok))
    }
}
