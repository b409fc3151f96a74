//! A node.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::features::{Build, Features};
use spikewire_sync::{Mutex, RwLock};

use super::counters::SharedCounters;
use super::user_agents::UserAgents;
use crate::faults::Faults;
use crate::job::list::Jobs;
use crate::options::Edition;

/// One node.
#[derive(Debug)]
pub struct Node {
    /// Its id as shown in the protocol.
    pub name: String,
    /// Its address.
    pub address: SocketAddr,
    /// The version of its server.
    pub build: Build,
    /// What it can do.
    pub features: Features,
    /// Its counters.
    pub counters: SharedCounters,
    /// User agents of its clients.
    pub user_agents: UserAgents,
    /// Its queries and background jobs.
    pub jobs: Jobs,
    /// Open client connections.
    pub connections: AtomicUsize,
    /// Client connections ever opened.
    pub connections_opened: AtomicU64,
    /// Increases on every change of ownership; -1 before the initial balance.
    pub partition_generation: AtomicI64,
    /// Increases when its list of peers changes.
    pub peers_generation: AtomicU64,
    alive: AtomicBool,
    faults: RwLock<Option<Arc<Faults>>>,
    /// Until when it is occupied, if its faults give requests a service time.
    occupied: Mutex<Option<Instant>>,
    /// Until when it answers nothing, because it has only just started.
    silent: Mutex<Option<Instant>>,
}

/// From this version on, nodes answer nothing until they know what the others know.
const SILENT_FROM: Build = Build([8, 2, 0, 0]);

impl Node {
    pub(super) fn new(
        at: usize,
        address: SocketAddr,
        nodes: usize,
        build: Build,
        edition: Edition,
    ) -> Self {
        let id = 0x0BB9_0000_0000_0000 | u64::from(address.port()) << 16 | (at as u64 + 1);
        Self {
            name: format!("{id:X}"),
            address,
            build,
            features: Features::of(build, edition.is_enterprise()),
            counters: SharedCounters::default(),
            user_agents: UserAgents::default(),
            jobs: Jobs::default(),
            connections: AtomicUsize::new(0),
            connections_opened: AtomicU64::new(0),
            partition_generation: AtomicI64::new(-1),
            peers_generation: AtomicU64::new(if nodes > 1 { nodes as u64 + 1 } else { 0 }),
            alive: AtomicBool::new(true),
            faults: RwLock::default(),
            occupied: Mutex::default(),
            silent: Mutex::default(),
        }
    }

    /// Whether the node is alive.
    pub fn is_alive(&self) -> bool {
        self.alive.load(Ordering::Acquire)
    }

    /// Sets whether the node is alive; returns whether that changed anything.
    pub fn set_alive(&self, alive: bool) -> bool {
        self.alive.swap(alive, Ordering::AcqRel) != alive
    }

    /// Resets the node's counters.
    pub(super) fn revive(&self) {
        self.peers_generation.store(0, Ordering::Release);
        self.jobs.clear();
        self.set_faults(None);
    }

    /// The node starts while the cluster runs: from 8.2 on, it answers nothing for this time.
    pub fn begin_sync(&self, time: Duration) {
        let silent = self.build >= SILENT_FROM && !time.is_zero();
        *self.silent.lock() = silent.then(|| Instant::now() + time);
    }

    /// Until when it answers nothing, if it does.
    pub fn silent_until(&self) -> Option<Instant> {
        let mut silent = self.silent.lock();
        *silent = silent.filter(|until| *until > Instant::now());
        *silent
    }

    /// The injected faults, if any.
    pub fn faults(&self) -> Option<Arc<Faults>> {
        self.faults.read().clone()
    }

    /// Sets the injected faults.
    pub fn set_faults(&self, faults: Option<Faults>) {
        *self.faults.write() = faults.map(Arc::new);
        *self.occupied.lock() = None;
    }

    /// Puts a request at the end of the line; returns how long until it is done.
    pub fn occupy(&self, service_time: Duration) -> Duration {
        let now = Instant::now();
        let mut occupied = self.occupied.lock();
        let done = occupied.map_or(now, |until| until.max(now)) + service_time;
        *occupied = Some(done);
        done - now
    }

    /// Requests leave the line.
    pub fn leave(&self, service_time: Duration, requests: usize) {
        let mut occupied = self.occupied.lock();
        let time = service_time.saturating_mul(u32::try_from(requests).unwrap_or(u32::MAX));
        *occupied = occupied.and_then(|until| until.checked_sub(time));
    }
}
