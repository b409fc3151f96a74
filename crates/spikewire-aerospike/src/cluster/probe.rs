//! Trying all addresses of one host at once; the first that introduces itself well wins.

use std::net::SocketAddr;

use super::info_request::{InfoCommands, InfoConnection, InfoRequest};
use super::net::Net;
use super::node_error::NodeError;
use super::node_info::{NodeInfo, Requirements};
use super::poll;
use crate::clock::Tick;

/// A host that introduced itself, and the connection it did so on.
#[derive(Debug)]
pub(super) struct Found {
    pub address: SocketAddr,
    pub connection: InfoConnection,
    pub info: NodeInfo,
}

/// Attempts at the addresses of one host.
#[derive(Debug)]
pub(super) struct Probe {
    requirements: Requirements,
    open: Vec<(SocketAddr, InfoRequest)>,
    failed: Vec<(SocketAddr, NodeError)>,
    found: Option<Found>,
}

impl Probe {
    /// Starts on all addresses at once.
    pub fn start(addresses: &[SocketAddr], requirements: Requirements, net: &Net) -> Self {
        let commands = requirements.commands(&net.addressing);
        let open = addresses
            .iter()
            .map(|&address| {
                let (commands, within) = (commands.as_slice(), net.within);
                let spec = InfoCommands { address, commands, introduce: false, within };
                (address, InfoRequest::start(&spec, None, &net.descriptors))
            })
            .collect();
        Self { requirements, open, failed: Vec::new(), found: None }
    }

    /// Reads the answers that are in. Earlier addresses win over later ones that answered in the
    /// same moment.
    pub fn settle(&mut self, net: &Net) {
        let (over, open) =
            std::mem::take(&mut self.open).into_iter().partition(|(_, e)| e.is_over());
        self.open = open;
        let over: Vec<(SocketAddr, InfoRequest)> = over;
        for (address, request) in over {
            let judged = request.finish().and_then(|(answer, connection)| {
                Ok((self.requirements.validate(&answer, &net.addressing)?, connection))
            });
            match judged {
                Ok((info, connection)) if self.found.is_none() => {
                    self.found = Some(Found { address, connection, info });
                    self.open.clear();
                }
                Ok(_) => {}
                Err(error) => self.failed.push((address, error)),
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

    /// What is still in flight.
    pub fn pending(&mut self) -> impl Iterator<Item = &mut InfoRequest> {
        self.open.iter_mut().map(|(_, request)| request)
    }

    /// The host, or why each of its addresses failed.
    pub fn finish(self) -> Result<Found, Vec<(SocketAddr, NodeError)>> {
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
