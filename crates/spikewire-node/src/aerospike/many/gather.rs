//! Collects the rows of verbs on many records.
//!
//! The arguments of every verb start with `(client, slot, spaces, keys, numbers, text, ...)`.
//! `spaces` is the number of the set common to all rows, or an array with one number per row;
//! `keys` is an array of user keys and digests. If all keys are numbers, `numbers` has them again
//! in a `Float64Array`; if all are strings, `text` has them concatenated and `numbers` has their
//! lengths. These are read in one go: asking for the elements of an array one by one costs more
//! than hashing them.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike::Policy;
use spikewire_aerospike::command::batch::{Batch, BatchBuilder, ResultFlags, RowCommand};
use spikewire_aerospike::command::{CommandDefaults, CommandSpec, InvalidArgument, SetRef};
use spikewire_aerospike_protocol::batch::Kind;
use spikewire_aerospike_protocol::key::UserKey;
use spikewire_transport::metrics::CallStart;

use super::timed::TimedRows;
use crate::aerospike::arguments::{self, Options};
use crate::aerospike::batch::RowReader;
use crate::aerospike::client::Client;
use crate::aerospike::key::{digest_of, whole, with_user_key};
use crate::aerospike::ticket::{BatchPromise, RowPlan};
use crate::aerospike::transaction_stage::TransactionStage;
use crate::binding::Call;
use crate::js::{Failure, Result, Type, Value};

/// The index of the first argument that depends on the verb.
pub const OWN: usize = 6;

type Checked<T = ()> = std::result::Result<T, InvalidArgument>;

/// The rows collected so far.
pub struct Rows<'c, 'e> {
    pub client: Rc<Client>,
    call: &'c Call<'e>,
    slot: u32,
    sets: RowSets<'e>,
    keys: Value<'e>,
    packed: PackedKeys,
    builder: BatchBuilder,
    deadline: Option<Duration>,
    began: CallStart,
}

/// The sets of the rows.
enum RowSets<'e> {
    Same(Arc<SetRef>),
    Each(Value<'e>),
}

/// User keys read in one go.
enum PackedKeys {
    /// The keys cannot be read in one go.
    No,
    Numbers(Vec<f64>),
    /// All keys concatenated, their lengths, and the start of the next key.
    Text(String, Vec<f64>, usize),
}

impl PackedKeys {
    fn of(numbers: Value<'_>, text: Value<'_>, count: usize) -> Self {
        let Some(numbers) = numbers.doubles(count) else { return Self::No };
        if text.is_absent() {
            return Self::Numbers(numbers);
        }
        let mut bytes = Vec::new();
        // Keys that are not valid UTF-8 are found, and named in an error, one by one.
        let is_text = text.append_text(&mut bytes).unwrap_or_default();
        let units = numbers.iter().sum::<f64>() as usize;
        match String::from_utf8(bytes) {
            // With as many bytes as UTF-16 units, the text is ASCII and lengths are the same in
            // both.
            Ok(text) if is_text && text.len() == units => Self::Text(text, numbers, 0),
            _ => Self::No,
        }
    }

    /// The key of the next row, if keys were read in one go. Rows must be requested in order.
    #[inline]
    fn next(&mut self, row: u32) -> Result<Option<UserKey<'_>>> {
        match self {
            Self::No => Ok(None),
            Self::Numbers(numbers) => Ok(Some(UserKey::Int(whole(numbers[row as usize])?))),
            Self::Text(text, lengths, from) => {
                let start = *from;
                *from += lengths[row as usize] as usize;
                Ok(Some(UserKey::Str(&text[start..*from])))
            }
        }
    }
}

/// Adds the row number to a failure.
pub fn at_row(failure: Failure, row: u32) -> Failure {
    failure.about(format_args!("row {row}"))
}

impl<'c, 'e> Rows<'c, 'e> {
    pub fn of(call: &'c Call<'e>) -> Result<Self> {
        let (spaces, keys) = (call.argument(2), call.argument(3));
        let sets = match spaces.kind() {
            Type::Number => RowSets::Same(call.host.environment.space(spaces)?),
            _ => RowSets::Each(spaces),
        };
        let client = Client::of(call)?;
        let began = client.cluster.metrics().begin();
        Ok(Self {
            client,
            call,
            slot: call.index(1)?,
            sets,
            keys,
            packed: PackedKeys::of(call.argument(4), call.argument(5), keys.len()? as usize),
            builder: BatchBuilder::default(),
            deadline: None,
            began,
        })
    }

    /// Takes the option `deadline`.
    pub fn within(mut self, options: &Options<'_>) -> Result<Self> {
        self.deadline = arguments::deadline(options)?;
        Ok(self)
    }

    /// The total number of rows.
    pub fn count(&self) -> Result<u32> {
        self.keys.len()
    }

    fn set(&self, row: u32) -> Result<Arc<SetRef>> {
        match &self.sets {
            RowSets::Same(set) => Ok(set.clone()),
            RowSets::Each(spaces) => self.call.host.environment.space(spaces.element(row)?),
        }
    }

    /// Records the key of the next row. Its digest may be computed later, as user keys are hashed
    /// several at a time. Returns its set, and its user key if that is sent.
    #[inline]
    fn key(&mut self, row: u32, send_key: bool) -> Result<(Arc<SetRef>, Option<Vec<u8>>)> {
        let set = self.set(row)?;
        let rows = &mut self.builder;
        let mut take = |user: UserKey<'_>| rows.stored_key(&set, &user, send_key);
        if let Some(user) = self.packed.next(row)? {
            return Ok((set.clone(), take(user)));
        }
        let key = self.keys.element(row)?;
        let stored = if let Some(stored) = with_user_key(key, take)? {
            stored
        } else {
            self.builder.digest(digest_of(key)?);
            None
        };
        Ok((set, stored))
    }

    /// Adds all rows, treating them alike.
    pub fn alike(&mut self, command: &RowCommand<impl Fn(&mut Kind) -> Checked>) -> Result<()> {
        for row in 0..self.count()? {
            let address = self.key(row, command.spec.send_key);
            let (set, stored) = address.map_err(|failure| at_row(failure, row))?;
            self.builder.alike(&command.spec, &set, stored.as_deref(), &command.write)?;
        }
        Ok(())
    }

    /// Adds the next row with its own content; if it is `likely` to equal the previous row's, the
    /// two share it.
    pub fn row<E: From<InvalidArgument>>(
        &mut self,
        row: u32,
        spec: &CommandSpec,
        likely: bool,
        write: impl FnOnce(&mut Kind) -> std::result::Result<(), E>,
    ) -> Result<()>
    where
        Failure: From<E>,
    {
        let (set, stored) = self.key(row, spec.send_key)?;
        Ok(self.builder.row(spec, &set, stored.as_deref(), likely, write)?)
    }

    /// Calls `read` with the user key of every row, or `None` if only the digest is known.
    pub fn each_key(
        &self,
        mut read: impl FnMut(u32, Option<UserKey<'_>>) -> Result<()>,
    ) -> Result<()> {
        for row in 0..self.count()? {
            match with_user_key(self.keys.element(row)?, |user| read(row, Some(user)))? {
                Some(result) => result?,
                None => read(row, None)?,
            }
        }
        Ok(())
    }

    /// Sends all rows, treating them alike; the result is a batch.
    pub fn send_alike<W: Fn(&mut Kind) -> Checked>(
        mut self,
        command: impl FnOnce(&CommandDefaults) -> Checked<RowCommand<W>>,
    ) -> Result<Option<Value<'e>>> {
        let command = command(&self.client.defaults)?;
        self.alike(&command)?;
        self.send(command.spec.policy, command.answered.into())?;
        Ok(None)
    }

    /// Sends the rows; the result is a batch.
    pub fn send(self, policy: Policy, answered: ResultFlags<Vec<bool>>) -> Result<()> {
        let plan = RowReader { answered, decode_options: self.client.decode_options.get() };
        self.send_for(policy, Box::new(plan))
    }

    /// Sends the rows; the plan determines the result.
    pub fn send_for(self, policy: Policy, mut plan: Box<dyn RowPlan>) -> Result<()> {
        let Self { client, call, slot, builder, deadline, began, .. } = self;
        let mut rows = builder.finish(policy, |_, _| ());
        rows.keep(began.metrics_flags);
        if let Some(deadline) = deadline {
            rows.set_deadline(deadline)?;
        }
        if let Some(at) = began.at {
            client.cluster.metrics().encoded(at);
            let (observed, watch) = (client.cluster.clone(), client.turns.watch(&client.cluster));
            plan = Box::new(TimedRows { plan, observed, watch });
        }
        send_batch(call, &client, slot, rows, plan)
    }
}

/// Sends a batch; the plan determines the result.
pub fn send_batch(
    call: &Call<'_>,
    client: &Client,
    slot: u32,
    mut rows: Batch,
    plan: Box<dyn RowPlan>,
) -> Result<()> {
    let (_, transaction) = Client::of_call(call)?;
    let mut stage = None;
    if let Some(transaction) = transaction.filter(|_| !rows.is_empty()) {
        let (entered, first) = transaction.enter(&client.cluster, rows)?;
        (stage, rows) = (Some(TransactionStage::Call(entered)), first);
    }
    let pledge = client.pledge(slot);
    let next = BatchPromise::start(client.cluster.clone(), pledge, rows, plan, stage);
    client.driver.submit_all(call.env, next);
    Ok(())
}
