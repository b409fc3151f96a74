//! Probes all addresses of one host concurrently; the first valid reply wins.

use std::net::SocketAddr;

use super::address::Place;
use super::info_request::{InfoCommands, InfoConnection, InfoRequest};
use super::net::Net;
use super::node_error::NodeError;
use super::node_info::{NodeInfo, Requirements};
use super::poll;
use crate::clock::Tick;
use crate::security::Access;

/// A host that was identified, and the connection used.
#[derive(Debug)]
pub(super) struct ProbedHost {
    pub place: Place,
    pub access: Access,
    pub connection: InfoConnection,
    pub info: NodeInfo,
}

/// Attempts at the addresses of one host.
#[derive(Debug)]
pub(super) struct Probe {
    requirements: Requirements,
    open: Vec<(Place, Access, InfoRequest)>,
    failed: Vec<(SocketAddr, NodeError)>,
    host: Option<ProbedHost>,
}

impl Probe {
    /// Starts on all addresses concurrently.
    pub fn start(places: Vec<Place>, requirements: Requirements, net: &Net) -> Self {
        let commands = requirements.commands(&net.addressing);
        let (mut open, mut failed) = (Vec::new(), Vec::new());
        for place in places {
            let address = place.address;
            match net.gate.access(address, place.name.as_deref()) {
                Ok(access) => {
                    let (commands, within, access) = (commands.as_slice(), net.within, &access);
                    let spec = InfoCommands { address, access, commands, introduce: None, within };
                    let request = InfoRequest::start(&spec, None, &net.descriptors);
                    open.push((place, access.clone(), request));
                }
                Err(error) => failed.push((address, NodeError::Unusable(error.to_string()))),
            }
        }
        Self { requirements, open, failed, host: None }
    }

    /// Processes available replies. Of several at the same time, the earliest address wins.
    pub fn settle(&mut self, net: &Net) {
        let (over, open) =
            std::mem::take(&mut self.open).into_iter().partition(|(_, _, e)| e.is_over());
        self.open = open;
        let over: Vec<(Place, Access, InfoRequest)> = over;
        for (place, access, request) in over {
            let judged = request.finish().and_then(|(answer, connection)| {
                Ok((self.requirements.validate(&answer, &net.addressing)?, connection))
            });
            match judged {
                Ok((info, connection)) if self.host.is_none() => {
                    self.host = Some(ProbedHost { place, access, connection, info });
                    self.open.clear();
                }
                Ok(_) => {}
                Err(error) => self.failed.push((place.address, error)),
            }
        }
    }

    pub fn host(&self) -> Option<&ProbedHost> {
        self.host.as_ref()
    }

    /// Whether the probe has ended.
    pub fn is_over(&self) -> bool {
        self.host.is_some() || self.open.is_empty()
    }

    /// Requests still in flight.
    pub fn pending(&mut self) -> impl Iterator<Item = &mut InfoRequest> {
        self.open.iter_mut().map(|(_, _, request)| request)
    }

    /// The host, or why each of its addresses failed.
    pub fn finish(self) -> Result<ProbedHost, Vec<(SocketAddr, NodeError)>> {
        self.host.ok_or(self.failed)
    }
}

/// Drives the probes until `enough` returns true, all have ended, or `until` is reached.
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
