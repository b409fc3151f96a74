//! Which nodes can be reached.

use std::os::fd::AsRawFd as _;
use std::sync::Arc;
use std::time::Duration;

use spikewire_cql::envelope::{HEADER_LEN, Header};
use spikewire_cql::request;
use spikewire_cql::version::Version;
use spikewire_transport::Tick;
use spikewire_transport::descriptors::{Descriptors, Listed};
use spikewire_transport::dial::Opening;
use spikewire_transport::jitter::jittered;
use spikewire_transport::protocol::{Answers, Frame, Framing, HandshakeStep, Malformed};
use spikewire_transport::wire::Wire;

use super::Node;

/// How long a node may take to answer before it counts as unreachable.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long it may take before outstanding replies are given up.
const MOST_PATIENCE: Duration = Duration::from_secs(4);

/// The pause before a node is asked again that is still suspected although it answered.
const SUSPECTED: Duration = Duration::from_millis(50);

/// Sends an OPTIONS request, which needs no login. A suspended process accepts connections but does
/// not reply.
#[derive(Debug)]
struct OptionsProbe(Version);

impl Framing for OptionsProbe {
    fn next_handshake_step(&mut self, frame: Option<&[u8]>, out: &mut Vec<u8>) -> HandshakeStep {
        if frame.is_some() {
            return HandshakeStep::Ready;
        }
        match request::options(out, self.0) {
            Ok(()) => HandshakeStep::Wait,
            Err(error) => HandshakeStep::Failed(error.to_string()),
        }
    }

    fn cut(&mut self, bytes: &[u8]) -> Result<Option<Frame>, Malformed> {
        let header = Header::read(bytes).map_err(|error| Malformed(error.to_string().into()))?;
        let frame = |header: Header| Frame {
            header: 0,
            len: HEADER_LEN + header.body,
            answers: Answers::Connection,
        };
        Ok(header.map(frame))
    }
}

/// An attempt to reach a node.
#[derive(Debug)]
struct Probe {
    node: Arc<Node>,
    /// Must be dropped before the connection is closed.
    _listed: Listed,
    wire: Wire,
    opening: Opening<OptionsProbe>,
    /// When it counts as unreachable.
    until: Tick,
    overdue: bool,
}

impl Probe {
    fn start(
        node: &Arc<Node>,
        version: Version,
        descriptors: &Arc<Descriptors>,
        now: Tick,
    ) -> Option<Self> {
        let (encryption, until) = (node.encryption.clone(), now.after(MOST_PATIENCE));
        // Without a file descriptor nothing is learned about the node.
        let (wire, opening) =
            Opening::start(node.dial, encryption, OptionsProbe(version), until).ok()?;
        let until = now.after(PATIENCE);
        Some(Self {
            node: node.clone(),
            _listed: descriptors.list([wire.as_raw_fd()]),
            wire,
            opening,
            until,
            overdue: false,
        })
    }

    /// Whether the node answers; `None` while that is not known.
    fn go_on(&mut self, now: Tick) -> Option<bool> {
        let was_connected = matches!(self.wire.is_connected(), Ok(true));
        match self.opening.advance(&mut self.wire) {
            Ok(true) => Some(true),
            Ok(false) if self.opening.until() <= now => {
                self.node.lose();
                Some(false)
            }
            Ok(false) => {
                if self.until <= now && !self.overdue {
                    self.overdue = true;
                    self.node.set_reachable(false);
                }
                None
            }
            // A node that closes the connection may have too many of them: the next request finds
            // out.
            Err(_) => Some(was_connected),
        }
    }
}

/// Attempts to reach nodes; each is asked on a connection of its own.
#[derive(Debug)]
pub struct Probes {
    version: Version,
    descriptors: Arc<Descriptors>,
    pending: Vec<Probe>,
    /// Unreachable nodes: when to try again, and how long the pause was.
    lost: Vec<(u32, Tick, Duration)>,
}

impl Probes {
    /// No attempts yet; nodes are asked in this protocol version.
    pub fn new(version: Version, descriptors: Arc<Descriptors>) -> Self {
        Self { version, descriptors, pending: Vec::new(), lost: Vec::new() }
    }

    /// Tries to reach these nodes, except those being probed already.
    pub fn start<'a>(&mut self, nodes: impl Iterator<Item = &'a Arc<Node>>, now: Tick) {
        for node in nodes {
            if !self.pending.iter().any(|probe| probe.node.number == node.number) {
                self.pending.extend(Probe::start(node, self.version, &self.descriptors, now));
            }
        }
    }

    /// Continues the attempts, records results with the nodes, and starts new attempts that are
    /// due. Pauses between attempts on a node grow from the first to the second of `pauses`; each is
    /// shortened at random by up to half, so that clients that lost a node together do not return
    /// together.
    pub fn go_on(&mut self, nodes: &[Arc<Node>], pauses: (Duration, Duration), now: Tick) {
        let mut decided = Vec::new();
        self.pending.retain_mut(|probe| {
            let answers = probe.go_on(now);
            decided.extend(answers.map(|answers| (probe.node.clone(), answers)));
            answers.is_none()
        });
        for (node, reached) in decided {
            node.set_reachable(reached);
            let before = self.lost.iter().position(|(number, ..)| *number == node.number);
            let pause = before.map(|at| self.lost.swap_remove(at).2);
            if !reached {
                let pause = pause.map_or(pauses.0, |pause| (pause * 2).min(pauses.1));
                self.lost.push((node.number, now.after(jittered(pause)), pause));
            } else if node.health.is_suspected() {
                // It answers this, but no statements yet.
                self.lost.push((node.number, now.after(SUSPECTED), SUSPECTED));
            }
        }
        self.lost.retain(|(number, ..)| nodes.iter().any(|node| node.number == *number));
        let due: Vec<u32> =
            self.lost.iter().filter(|(_, at, _)| *at <= now).map(|(number, ..)| *number).collect();
        self.start(nodes.iter().filter(|node| due.contains(&node.number)), now);
    }

    /// When [`Probes::go_on`] is due.
    pub fn due(&self, now: Tick) -> Tick {
        if !self.pending.is_empty() {
            return now.after(Duration::from_millis(20));
        }
        self.lost.iter().map(|(_, at, _)| *at).min().unwrap_or(Tick::NEVER)
    }
}
