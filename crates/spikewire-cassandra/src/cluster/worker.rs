//! The background thread of a session, which keeps the control connection and the snapshot of the
//! cluster up to date.

use std::iter::once_with;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use spikewire_cql::response::Event;
use spikewire_cql::response::schema::Target;
use spikewire_cql::token::is_murmur3;
use spikewire_transport::descriptors::Listed;
use spikewire_transport::jitter::{about, any_of, drawn, jittered};
use spikewire_transport::metrics::Event as Signal;
use spikewire_transport::{Encryption, Tick};

use super::addresses::Addresses;
use super::after_events::{AfterEvents, CALM};
use super::control::Control;
use super::node::{Description, HostId, Node};
use super::node_reports::NodeReports;
use super::reach::Probes;
use super::shared::Shared;
use super::snapshot::Keyspaces;
use super::tables::Local;
use super::{Snapshot, schema_tables, seeds};
use crate::bundle;
use crate::error::{Error, Kind, Result};
use crate::options::Options;

/// Pause between two comparisons of the schemas of all nodes.
const COMPARE: Duration = Duration::from_millis(100);

/// Minimum time between two probes of all nodes because of failed connections.
const LOOK: Duration = Duration::from_millis(500);

/// How often idle connections are looked for.
const SWEEP: Duration = Duration::from_secs(1);

/// When things are due.
#[derive(Debug)]
struct Schedule {
    nodes: AfterEvents,
    keyspaces: AfterEvents,
    schema: AfterEvents,
    compare: Tick,
    heartbeat: Tick,
    look: Tick,
    sweep: Tick,
}

/// The state of the background thread.
#[derive(Debug)]
pub(super) struct ClusterWorker {
    shared: Arc<Shared>,
    addresses: Addresses,
    /// The registered descriptors of the control connection; dropped before those are closed.
    listed: Option<Listed>,
    control: Option<Control>,
    /// The pause after a failed attempt to find a node.
    pause: Duration,
    reconnect: Tick,
    local_datacenter: Option<String>,
    probes: Probes,
    /// When all nodes were last probed.
    looked: Tick,
    described: Vec<Description>,
    /// The schema as of the last refresh.
    schema: Option<HostId>,
    node_reports: NodeReports,
    due: Schedule,
}

impl ClusterWorker {
    /// Connects to the cluster and reads it for the first time.
    pub fn start(mut options: Options) -> Result<Self> {
        let addresses = Addresses::new(&options)?;
        let closed = Arc::new(AtomicBool::new(false));
        bundle::find_proxy(&mut options, &closed)?;
        let control = seeds::first(&options, &closed)?;
        let pause = options.reconnect.0;
        let local_datacenter = options.local_datacenter.clone();
        let version = control.version();
        let handshake = control.handshake();
        let now = Tick::now();
        let due = Schedule {
            nodes: AfterEvents::default(),
            keyspaces: AfterEvents::default(),
            schema: AfterEvents::default(),
            compare: Tick::NEVER,
            heartbeat: now.after(jittered(options.heartbeat)),
            look: Tick::NEVER,
            sweep: now.after(SWEEP),
        };
        let shared = Arc::new(Shared::new(options, handshake, closed));
        let probes = Probes::new(version, shared.descriptors.clone());
        let mut worker = Self {
            shared,
            addresses,
            listed: None,
            control: None,
            pause,
            reconnect: now,
            local_datacenter,
            probes,
            looked: Tick::default(),
            described: Vec::new(),
            schema: None,
            node_reports: NodeReports::default(),
            due,
        };
        worker.adopt(control)?;
        worker.node_reports = NodeReports::new(&worker.shared.snapshot.load());
        Ok(worker)
    }

    pub fn shared(&self) -> Arc<Shared> {
        self.shared.clone()
    }

    /// The thread's main loop.
    pub fn run(mut self) {
        while !self.shared.is_closed() {
            self.run_upkeep();
            if self.control.is_none() && self.reconnect <= Tick::now() {
                self.reconnect_elsewhere();
            }
            if self.wait_for_events().is_err() {
                self.give_up_control();
            }
        }
        self.shared.set_waker(None);
    }

    /// Does what is due independently of the control connection.
    fn run_upkeep(&mut self) {
        let now = Tick::now();
        if self.shared.take_look() {
            self.due.look = self.due.look.min(self.looked.after(LOOK));
        }
        let snapshot = self.shared.snapshot.load_full();
        if self.due.look <= now {
            self.looked = now;
            self.probes.start(snapshot.nodes.iter(), now);
            self.due.look = Tick::NEVER;
        }
        self.probes.start(self.shared.take_suspects().iter(), now);
        self.probes.go_on(&snapshot.nodes, self.shared.options.reconnect, now);
        self.node_reports.update(&snapshot, &self.shared.metrics);
        if self.due.sweep <= now {
            self.due.sweep = now.after(about(SWEEP));
            for node in &snapshot.nodes {
                node.breaker.roll(self.shared.options.max_error_rate);
                node.ready.sweep(&node.gauges, self.shared.options.idle, now);
            }
            self.shared.upkeep_tasks.run_upkeep();
        }
    }

    /// Waits for something to happen on the control connection, and does what is due there.
    fn wait_for_events(&mut self) -> Result<()> {
        let now = Tick::now();
        if self.shared.wants_comparison(now) {
            self.due.compare = self.due.compare.min(now);
        }
        let probes = self.probes.due(now);
        let idle = self.due.sweep.min(self.due.look).min(probes);
        let Some(control) = &mut self.control else {
            let wait = idle.min(self.reconnect).since(now).min(Duration::from_millis(100));
            std::thread::sleep(wait.max(Duration::from_millis(1)));
            return Ok(());
        };
        let snapshot = self.shared.snapshot.load();
        if snapshot.nodes.iter().any(|node| node.is_lost() && node.address == control.address) {
            return Err(Error::new(Kind::Connection, "its node does not answer any more"));
        }
        let Schedule { nodes, keyspaces, schema, compare, heartbeat, .. } = &self.due;
        let refresh = nodes.at().min(keyspaces.at()).min(schema.at());
        let until = idle.min(refresh).min(*compare).min(*heartbeat);
        if let Some(event) = control.wait(until)? {
            self.due.heartbeat = Tick::now().after(self.shared.options.heartbeat);
            self.on_event(&event);
        }
        self.do_what_is_due()
    }

    fn do_what_is_due(&mut self) -> Result<()> {
        let now = Tick::now();
        if self.due.nodes.at().min(self.due.keyspaces.at()) <= now {
            self.refresh()?;
        }
        if self.shared.schema.is_awaited() || self.due.schema.at() <= now {
            self.read_schema()?;
        }
        if self.due.compare <= now {
            self.compare(now)?;
        }
        if self.due.heartbeat <= now
            && let Some(control) = &mut self.control
        {
            control.heartbeat()?;
            self.due.heartbeat = Tick::now().after(self.shared.options.heartbeat);
        }
        Ok(())
    }

    fn on_event(&mut self, event: &Event) {
        let now = Tick::now();
        match event {
            Event::Up(address) => self.note(*address, true),
            Event::Down(address) => self.note(*address, false),
            Event::NewNode(_) | Event::RemovedNode(_) | Event::MovedNode(_) => {
                self.due.nodes.note(now);
            }
            Event::Schema(change) => {
                self.shared.schema_changed(Some(change));
                if self.shared.schema.is_outdated() {
                    self.due.schema.note(now);
                }
                if matches!(change.target, Target::Keyspace) {
                    self.due.keyspaces.note(now);
                }
            }
            Event::Other(..) => {}
        }
    }

    /// Records what the cluster says about whether a node is alive.
    fn note(&mut self, advertised: SocketAddr, alive: bool) {
        let reached = self.addresses.reach(advertised, &self.shared.closed);
        let Ok(address) = reached else { return self.due.nodes.note(Tick::now()) };
        let snapshot = self.shared.snapshot.load_full();
        match snapshot.nodes.iter().find(|node| node.address == address) {
            Some(node) => {
                node.set_alive(alive);
                if alive {
                    // It is announced shortly before it listens, to all clients at once.
                    self.due.look = self.due.look.min(Tick::now().after(CALM).after(drawn(CALM)));
                }
            }
            None => self.due.nodes.note(Tick::now()),
        }
    }

    /// Starts using a new control connection and reads everything again over it, because events in
    /// between were missed.
    fn adopt(&mut self, mut control: Control) -> Result<()> {
        control.register()?;
        self.shared.set_waker(Some(control.waker()?));
        self.listed = Some(self.shared.descriptors.list(control.descriptors()));
        self.control = Some(control);
        for node in &self.shared.snapshot.load().nodes {
            node.set_alive(true);
        }
        self.due.heartbeat = Tick::now().after(self.shared.options.heartbeat);
        let schema = self.schema;
        self.refresh()?;
        if schema.is_some() && schema != self.schema {
            self.shared.schema_changed(None);
        }
        if self.shared.schema.is_outdated() {
            self.due.schema.note(Tick::now());
        }
        Ok(())
    }

    /// Reads nodes and keyspaces, and publishes the result.
    fn refresh(&mut self) -> Result<()> {
        let Some(control) = &mut self.control else { return Ok(()) };
        (self.due.nodes, self.due.keyspaces) = Default::default();
        let Local { node: local, partitioner } = control.local()?;
        self.schema = local.schema_version;
        let mut described = vec![local];
        for mut peer in control.peers()? {
            peer.address = self.addresses.reach(peer.address, &self.shared.closed)?;
            peer.proxy = control.proxy;
            // A node that moved may be listed twice for a while.
            if described
                .iter()
                .all(|known| known.host_id != peer.host_id && known.address != peer.address)
            {
                described.push(peer);
            }
        }
        let keyspaces = if is_murmur3(&partitioner) { control.keyspaces()? } else { Vec::new() };
        let led = control.led_keyspaces()?;
        // Nodes are in the same order whichever node was asked.
        described.sort_by_key(|node| node.host_id);
        if self.local_datacenter.is_none() {
            let here = control.address;
            let local = described.iter().find(|node| node.address == here);
            self.local_datacenter = local.map(|node| node.datacenter.clone());
        }
        let publishing = self.shared.publishing.lock();
        let before = self.shared.snapshot.load_full();
        let options = &self.shared.options;
        let nodes: Vec<Arc<Node>> = described
            .iter()
            .map(|description| {
                let known = before.nodes.iter().find(|node| node.is_as(description));
                known.cloned().unwrap_or_else(|| {
                    let new = |number| Node::new(number, description, options);
                    let node = self.shared.numbered(new);
                    if !before.nodes.is_empty() {
                        node.returns();
                    }
                    node
                })
            })
            .collect();
        let keyspaces = Keyspaces::new(&described, keyspaces, led);
        let local = self.local_datacenter.clone();
        self.shared.publish(Snapshot::new(nodes, keyspaces, local, options));
        drop(publishing);
        self.shared.refreshes.note(true);
        let holds = |all: &[Description]| -> Vec<_> {
            all.iter().map(|node| (node.host_id, node.tokens.clone())).collect()
        };
        if !self.described.is_empty() && holds(&self.described) != holds(&described) {
            self.shared.metrics.events().push(Signal::MapChanged);
        }
        let is_gone =
            |node: &&Description| described.iter().all(|other| other.host_id != node.host_id);
        let gone: Vec<_> = self.described.iter().filter(is_gone).map(|node| node.host_id).collect();
        self.shared.tablets.forget_nodes(&gone);
        self.described = described;
        Ok(())
    }

    /// Reads keyspaces and tables for those who asked for them.
    fn read_schema(&mut self) -> Result<()> {
        let Some(control) = &mut self.control else { return Ok(()) };
        self.due.schema = AfterEvents::default();
        let changes = self.shared.schema.begin();
        let schema = schema_tables::read(control)?;
        self.shared.schema.publish(changes, schema);
        Ok(())
    }

    /// Compares the schemas of all nodes that are up. Keyspaces are read before agreement is
    /// reported.
    fn compare(&mut self, now: Tick) -> Result<()> {
        self.due.compare = Tick::NEVER;
        if !self.shared.wants_comparison(now) {
            return Ok(());
        }
        self.refresh()?;
        let snapshot = self.shared.snapshot.load_full();
        let is_up = |node: &&Description| {
            let known = snapshot.nodes.iter().find(|known| known.host_id == node.host_id);
            known.is_none_or(|known| known.is_up())
        };
        let mut versions = self.described.iter().filter(is_up).map(|node| node.schema_version);
        let first = versions.next();
        if versions.all(|version| Some(version) == first) {
            self.shared.agree(now);
        } else {
            self.due.compare = Tick::now().after(COMPARE);
        }
        Ok(())
    }

    /// Gives up the control connection.
    fn give_up_control(&mut self) {
        self.shared.set_waker(None);
        self.drop_control();
        // Others lose theirs at the same moment; statements do not need it.
        self.reconnect = Tick::now().after(drawn(self.shared.options.reconnect.0));
        // This finds out whether the node itself is down.
        self.due.look = self.due.look.min(Tick::now());
    }

    fn drop_control(&mut self) {
        self.listed = None;
        self.control = None;
    }

    /// Looks for another node: known nodes, those that are up first, then what the contact points
    /// resolve to now. No address is tried twice, unless its certificate may be valid for another
    /// name.
    fn reconnect_elsewhere(&mut self) {
        let snapshot = self.shared.snapshot.load_full();
        let mut known: Vec<_> = snapshot.nodes.iter().collect();
        // Each client starts at another one, so that they do not all go to the same.
        let first = any_of(known.len());
        known.rotate_left(first);
        known.sort_by_key(|node| (!node.is_up(), !snapshot.is_local(node)));
        let nodes: Vec<Candidate> =
            known.iter().map(|node| (node.dial, node.encryption.clone())).collect();
        let dialled: Vec<_> = nodes.iter().map(|(address, _)| *address).collect();
        let shared = self.shared.clone();
        let contact_points = once_with(|| {
            if shared.is_closed() { Vec::new() } else { resolve_contact_points(&shared, dialled) }
        });
        for (address, encryption) in nodes.into_iter().chain(contact_points.flatten()) {
            if shared.is_closed() {
                return;
            }
            let handshake = shared.handshake.clone();
            let opened =
                seeds::open(address, encryption, &shared.options, handshake, &shared.closed);
            if let Ok(control) = opened
                && self.adopt(control).is_ok()
            {
                self.pause = shared.options.reconnect.0;
                return;
            }
            self.drop_control();
        }
        shared.refreshes.note(false);
        self.reconnect = Tick::now().after(jittered(self.pause));
        self.pause = (self.pause * 2).min(self.shared.options.reconnect.1);
    }
}

/// An address to connect to, and how connections to it are encrypted.
type Candidate = (SocketAddr, Option<Encryption>);

/// What the contact points resolve to now, without the addresses that were `dialled`, unless their
/// certificate may be valid for another name.
fn resolve_contact_points(shared: &Shared, mut dialled: Vec<SocketAddr>) -> Vec<Candidate> {
    let options = &shared.options;
    let mut candidates = Vec::new();
    for (host, addresses) in seeds::resolve(&options.contact_points, options, &shared.closed) {
        // Never unencrypted if it should be encrypted.
        let Ok(encryptions) = seeds::encryptions(host, options) else { continue };
        let is_named = options.encryption.is_some() && host.name.parse::<IpAddr>().is_err();
        for address in addresses.unwrap_or_default() {
            if is_named || options.proxy.is_some() || !dialled.contains(&address) {
                dialled.push(address);
                candidates.extend(encryptions.iter().map(|it| (address, it.clone())));
            }
        }
    }
    candidates
}
