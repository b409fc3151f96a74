//! A client: what is behind its handle.

use std::rc::Rc;
use std::sync::Arc;

use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::CommandDefaults;
use spikewire_aerospike::transport::Streams;

use crate::driver::Driver;
use crate::environment::Environment;
use crate::js::{Env, Result};
use crate::ticket::{Outbox, Pledge};
use crate::value::decode::Reading;

/// A connected client.
#[derive(Debug)]
pub struct Client {
    pub cluster: Arc<Cluster>,
    pub streams: Arc<Streams>,
    pub defaults: CommandDefaults,
    pub reading: Reading,
    pub driver: Driver,
    outbox: Arc<Outbox>,
}

impl Client {
    /// A client of this cluster, driven by the environment's loop.
    pub fn start(
        env: Env<'_>,
        environment: &Rc<Environment>,
        cluster: Arc<Cluster>,
        defaults: CommandDefaults,
        reading: Reading,
    ) -> Result<Self> {
        let outbox = Arc::<Outbox>::default();
        let driver = Driver::start(env, environment, cluster.clone(), outbox.clone())?;
        let streams = Streams::new(cluster.clone());
        Ok(Self { cluster, streams, defaults, reading, driver, outbox })
    }

    /// A promise of it.
    #[inline]
    pub fn pledge(&self, slot: u32) -> Pledge {
        Pledge::new(slot, &self.outbox)
    }

    /// The administrative command of this slot is not waited for any more.
    pub fn give_up(&self, slot: u32) {
        self.outbox.give_up(slot);
    }

    /// Ends it together with its environment.
    pub fn end(&self) {
        self.driver.end();
        self.cluster.close();
        self.streams.close();
    }
}
