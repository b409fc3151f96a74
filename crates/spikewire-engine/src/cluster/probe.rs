//! Trying all addresses of one host at once; the first that introduces itself well wins.

use std::net::SocketAddr;

use super::exchange::{Exchange, Line, Question};
use super::introduction::{Demands, Introduction};
use super::net::Net;
use super::poll;
use super::trouble::Trouble;
use crate::clock::Tick;

/// A host that introduced itself, and the connection it did so on.
#[derive(Debug)]
pub(super) struct Found {
    pub address: SocketAddr,
    pub line: Line,
    pub introduction: Introduction,
}

/// Attempts at the addresses of one host.
#[derive(Debug)]
pub(super) struct Probe {
    demands: Demands,
    open: Vec<(SocketAddr, Exchange)>,
    failed: Vec<(SocketAddr, Trouble)>,
    found: Option<Found>,
}

impl Probe {
    /// Starts on all addresses at once.
    pub fn start(addresses: &[SocketAddr], demands: Demands, net: &Net) -> Self {
        let commands = demands.commands(&net.addressing);
        let open = addresses
            .iter()
            .map(|&address| {
                let (commands, within) = (commands.as_slice(), net.within);
                let question = Question { address, commands, introduce: false, within };
                (address, Exchange::start(&question, None, &net.descriptors))
            })
            .collect();
        Self { demands, open, failed: Vec::new(), found: None }
    }

    /// Reads the answers that are in. Earlier addresses win over later ones that answered in the
    /// same moment.
    pub fn settle(&mut self, net: &Net) {
        let (over, open) =
            std::mem::take(&mut self.open).into_iter().partition(|(_, e)| e.is_over());
        self.open = open;
        let over: Vec<(SocketAddr, Exchange)> = over;
        for (address, exchange) in over {
            let judged = exchange.finish().and_then(|(answer, line)| {
                Ok((self.demands.judge(&answer, &net.addressing)?, line))
            });
            match judged {
                Ok((introduction, line)) if self.found.is_none() => {
                    self.found = Some(Found { address, line, introduction });
                    self.open.clear();
                }
                Ok(_) => {}
                Err(trouble) => self.failed.push((address, trouble)),
            }
        }
    }

    pub fn found(&self) -> Option<&Found> {
        self.found.as_ref()
    }

    /// Whether nothing more will come.
    pub fn is_over(&self) -> bool {
        self.found.is_some() || self.open.is_empty()
    }

    /// What is still under way.
    pub fn pending(&mut self) -> impl Iterator<Item = &mut Exchange> {
        self.open.iter_mut().map(|(_, exchange)| exchange)
    }

    /// The host, or why each of its addresses failed.
    pub fn finish(self) -> Result<Found, Vec<(SocketAddr, Trouble)>> {
        self.found.ok_or(self.failed)
    }
}

/// Drives the probes until `enough` says so, all are over, or `until` comes.
pub(super) fn run(probes: &mut [Probe], net: &Net, until: Tick, enough: impl Fn(&[Probe]) -> bool) {
    loop {
        for probe in probes.iter_mut() {
            probe.settle(net);
        }
        if probes.iter().all(Probe::is_over) || enough(probes) || Tick::now() >= until {
            return;
        }
        let mut pending: Vec<_> = probes.iter_mut().flat_map(Probe::pending).collect();
        poll::turn(&mut pending, until, &net.closed);
    }
}
