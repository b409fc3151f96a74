//! Rows being gathered: keys as JavaScript gives them.
//!
//! Every verb begins with `(client, slot, spaces, keys, numbers, ...)`. `spaces` is the number of the
//! set of all rows, or an array with one number for each row; `keys` an array of user keys and
//! digests. Where all of them are numbers, `numbers` has them once more, in a `Float64Array` that
//! is read in one go.

use std::rc::Rc;
use std::sync::Arc;

use spikewire_aerospike::Policy;
use spikewire_aerospike::command::batch::BatchBuilder;
use spikewire_aerospike::command::{CommandSpec, SetRef};
use spikewire_aerospike_protocol::batch::Kind;
use spikewire_aerospike_protocol::key::UserKey;

use crate::batch::{Answered, RowReader};
use crate::binding::Call;
use crate::client::Client;
use crate::js::{Failure, Result, Type, Value};
use crate::key::{digest_of, whole, with_user_key};
use crate::ticket::Owner;

/// The first argument that is not the same for all verbs.
pub const OWN: usize = 5;

/// Rows being gathered.
pub struct Rows<'c, 'e> {
    pub client: Rc<Client>,
    call: &'c Call<'e>,
    slot: u32,
    sets: Sets<'e>,
    keys: Value<'e>,
    numbers: Option<Vec<f64>>,
    rows: BatchBuilder,
}

/// The sets of the rows.
enum Sets<'e> {
    Same(Arc<SetRef>),
    Each(Value<'e>),
}

/// Says which row a failure is about.
pub fn at_row(failure: Failure, row: u32) -> Failure {
    failure.about(format_args!("row {row}"))
}

impl<'c, 'e> Rows<'c, 'e> {
    pub fn of(call: &'c Call<'e>) -> Result<Self> {
        let (spaces, keys) = (call.argument(2), call.argument(3));
        let sets = match spaces.kind() {
            Type::Number => Sets::Same(call.host.environment.space(spaces)?),
            _ => Sets::Each(spaces),
        };
        Ok(Self {
            client: call.host.client(call.argument(0))?,
            call,
            slot: call.index(1)?,
            sets,
            keys,
            numbers: call.argument(4).doubles(keys.len()? as usize),
            rows: BatchBuilder::default(),
        })
    }

    /// How many there are going to be.
    pub fn count(&self) -> Result<u32> {
        self.keys.len()
    }

    fn set(&self, row: u32) -> Result<Arc<SetRef>> {
        match &self.sets {
            Sets::Same(set) => Ok(set.clone()),
            Sets::Each(spaces) => self.call.host.environment.space(spaces.element(row)?),
        }
    }

    /// Notes the record of the next row. Its digest may still be to come: user keys are hashed several
    /// at a time. Gives its set, and its user key where that goes along.
    #[inline]
    fn key(&mut self, row: u32, send_key: bool) -> Result<(Arc<SetRef>, Option<Vec<u8>>)> {
        let set = self.set(row)?;
        let rows = &mut self.rows;
        let mut take = |user: UserKey<'_>| {
            rows.user_key(&set, &user);
            send_key.then(|| user.stored())
        };
        if let Some(numbers) = &self.numbers {
            let stored = take(UserKey::Int(whole(numbers[row as usize])?));
            return Ok((set, stored));
        }
        let key = self.keys.element(row)?;
        let stored = if let Some(stored) = with_user_key(key, take)? {
            stored
        } else {
            self.rows.digest(digest_of(key)?);
            None
        };
        Ok((set, stored))
    }

    /// Adds every row, all of which are treated alike.
    pub fn alike(
        &mut self,
        spec: &CommandSpec,
        write: impl Fn(&mut Kind) -> Result<()>,
    ) -> Result<()> {
        for row in 0..self.count()? {
            let noted = self.key(row, spec.send_key);
            let (set, stored) = noted.map_err(|failure| at_row(failure, row))?;
            self.rows.alike(spec, &set, stored.as_deref(), &write)?;
        }
        Ok(())
    }

    /// Adds the next row, whose record is treated in its own way; equal neighbours share it where
    /// that is `likely`.
    pub fn row(
        &mut self,
        row: u32,
        spec: &CommandSpec,
        likely: bool,
        write: impl FnOnce(&mut Kind) -> Result<()>,
    ) -> Result<()> {
        let (set, stored) = self.key(row, spec.send_key)?;
        let kind = spec.row(&set, stored.as_deref(), write)?;
        if likely {
            self.rows.like_the_last(kind);
        } else {
            self.rows.own(kind);
        }
        Ok(())
    }

    /// Sends them.
    pub fn send(self, policy: Policy, answered: Answered) -> Result<Option<Value<'e>>> {
        let Self { client, call, slot, rows, .. } = self;
        let plan = RowReader { answered, reading: client.reading };
        let rows = rows.finish(policy, |_, _| ());
        let next = Owner::start(client.cluster.clone(), client.pledge(slot), rows, Box::new(plan));
        client.driver.submit_all(call.env, next);
        Ok(None)
    }
}
