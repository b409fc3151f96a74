//! A connected client.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use spikewire_aerospike::Error;
use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::{
    CachedReply, Command, CommandDefaults, NearLookup, Prepared, look_up,
};
use spikewire_aerospike::transaction::Transaction;
use spikewire_aerospike::transport::{Aerospike, Streams, buffer};

use crate::aerospike::call::ResponsePlan;
use crate::aerospike::single_row::SingleRow;
use crate::aerospike::ticket::{
    BatchPromise, CommandCompletion, CommandTicket, Outbox, OwnedReply, Pledge,
};
use crate::aerospike::transaction_stage::TransactionStage;
use crate::aerospike::value::decode::DecodeOptions;
use crate::binding::Call;
use crate::driver::Driver;
use crate::environment::Environment;
use crate::environment::resources::Resource;
use crate::js::{Env, Result};
use crate::stages::Turns;

/// A connected client.
#[derive(Debug)]
pub struct Client {
    pub cluster: Arc<Cluster>,
    pub streams: Arc<Streams>,
    pub defaults: CommandDefaults,
    /// Those of calls that are made from now on.
    pub decode_options: Cell<DecodeOptions>,
    pub driver: Driver<Aerospike, CommandTicket>,
    /// Chooses the calls whose hand-over is timed.
    pub turns: Turns,
    outbox: Arc<Outbox>,
}

impl Client {
    /// Starts a client of a cluster, driven by the environment's event loop.
    pub fn start(
        env: Env<'_>,
        environment: &Rc<Environment>,
        cluster: Arc<Cluster>,
        defaults: CommandDefaults,
        decode_options: DecodeOptions,
    ) -> Result<Self> {
        let outbox = Arc::<Outbox>::default();
        let driver = Driver::start(env, environment, cluster.clone(), outbox.clone(), false)?;
        let streams = Streams::new(cluster.clone());
        Ok(Self {
            cluster,
            streams,
            defaults,
            decode_options: Cell::new(decode_options),
            driver,
            turns: Turns::default(),
            outbox,
        })
    }

    /// The client in a call's first argument.
    #[inline]
    pub fn of(call: &Call<'_>) -> Result<Rc<Self>> {
        Self::of_call(call).map(|(client, _)| client)
    }

    /// The same, and the transaction if the argument is one.
    #[inline]
    pub fn of_call(call: &Call<'_>) -> Result<(Rc<Self>, Option<Arc<Transaction>>)> {
        let number = call.index(0)?;
        match call.host.environment.resources.get::<Self>(number) {
            Ok(client) => Ok((client, None)),
            Err(_) => Self::of_transaction(call, number),
        }
    }

    #[cold]
    fn of_transaction(
        call: &Call<'_>,
        number: u32,
    ) -> Result<(Rc<Self>, Option<Arc<Transaction>>)> {
        match call.host.environment.resources.get::<ClientTransaction>(number) {
            Ok(bound) => Ok((bound.client.clone(), Some(bound.transaction.clone()))),
            Err(_) => Err(Error::closed().into()),
        }
    }

    /// A pledge for the promise of a slot.
    #[inline]
    pub fn pledge(&self, slot: u32) -> Pledge {
        Pledge::new(slot, &self.outbox)
    }

    /// Sends a command on one record; `now` is the time, if it is known.
    #[inline]
    pub fn submit(
        &self,
        env: Env<'_>,
        prepared: Prepared,
        pledge: Pledge,
        plan: ResponsePlan,
        now: Option<Tick>,
    ) {
        let Prepared { bytes, target, policy } = match look_up(&self.cluster, prepared) {
            NearLookup::Miss(command) => command,
            NearLookup::Hit(known) => return self.deliver_known(env, pledge, plan, &known),
        };
        let now = now.unwrap_or_else(Tick::now);
        let command = Command::new(bytes, target, policy, now, CommandTicket::One { pledge, plan });
        self.driver.submit(env, command, now);
    }

    /// Sends a command on one record as part of a transaction.
    pub fn submit_in(
        &self,
        env: Env<'_>,
        transaction: &Arc<Transaction>,
        mut prepared: Prepared,
        slot: u32,
        plan: ResponsePlan,
    ) -> Result<()> {
        if transaction.enter_read(&self.cluster, &mut prepared)? {
            self.submit(env, prepared, self.pledge(slot), plan, None);
            return Ok(());
        }
        let entered = transaction.enter_one(&self.cluster, &prepared);
        buffer::give(prepared.bytes);
        let (call, rows) = entered?;
        let (plan, stage) = (Box::new(SingleRow(plan)), Some(TransactionStage::Call(call)));
        let pledge = self.pledge(slot);
        let next = BatchPromise::start(self.cluster.clone(), pledge, rows, plan, stage);
        self.driver.submit_all(env, next);
        Ok(())
    }

    /// Completes a call that the near cache answered.
    #[cold]
    fn deliver_known(&self, env: Env<'_>, pledge: Pledge, plan: ResponsePlan, known: &CachedReply) {
        let (reply, yields) = (OwnedReply::of(&known.reply()), known.yields());
        pledge.later(|slot| CommandCompletion::Known { slot, plan, reply, yields });
        self.driver.deliver_now(env);
    }

    /// Lets the environment end before the call of a slot does.
    pub fn abandon(&self, env: Env<'_>, slot: u32) {
        self.outbox.abandon(slot);
        self.driver.deliver_now(env);
    }

    /// Stops waiting for the administrative command of a slot.
    pub fn cancel(&self, slot: u32) {
        self.outbox.cancel(slot);
    }
}

impl Resource for Client {
    fn end(&self) {
        self.driver.end();
        self.cluster.close();
        self.streams.close();
    }
}

/// A transaction of a client.
#[derive(Debug)]
pub struct ClientTransaction {
    pub client: Rc<Client>,
    pub transaction: Arc<Transaction>,
}

impl Resource for ClientTransaction {}

impl ClientTransaction {
    /// The transaction in a call's first argument.
    pub fn of(call: &Call<'_>) -> Result<Rc<Self>> {
        call.host.environment.resources.get(call.index(0)?)
    }
}
