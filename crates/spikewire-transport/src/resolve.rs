//! Name resolution with a time limit.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::clock::Tick;
use crate::fault::CLIENT_CLOSED;

/// Longest single wait, so that closing a client is noticed.
const SLICE: Duration = Duration::from_millis(20);

/// A name being resolved on a separate thread, since the system's resolver has no timeout.
#[derive(Debug)]
pub enum Resolving {
    /// It was an address.
    Known(Vec<SocketAddr>),
    /// The resolver was asked.
    Asked(Receiver<io::Result<Vec<SocketAddr>>>),
}

/// Why a name could not be resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unresolved {
    /// The resolver's error message.
    Unknown(String),
    /// The resolver did not answer within this time.
    Slow(Duration),
    /// The client was closed in the meantime.
    Stopped,
}

impl std::fmt::Display for Unresolved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown(why) => write!(f, "the name does not resolve: {why}"),
            Self::Slow(within) => write!(f, "name resolution gave no answer within {within:?}"),
            Self::Stopped => f.write_str(CLIENT_CLOSED),
        }
    }
}

impl Resolving {
    /// Starts resolving a host name, or takes an address as it is.
    pub fn start(host: &str, port: u16) -> Self {
        if let Ok(ip) = host.parse::<IpAddr>() {
            return Self::Known(vec![SocketAddr::new(ip, port)]);
        }
        let (sender, receiver) = mpsc::channel();
        let host = host.to_owned();
        // If no thread could be started, the channel is closed, which is reported below.
        let _ = thread::Builder::new().name("spikewire-names".to_owned()).spawn(move || {
            let found = (host.as_str(), port).to_socket_addrs().map(Iterator::collect);
            let _ = sender.send(found);
        });
        Self::Asked(receiver)
    }

    /// The addresses, without duplicates, in the resolver's order.
    pub fn finish(
        self,
        within: Duration,
        closed: &AtomicBool,
    ) -> Result<Vec<SocketAddr>, Unresolved> {
        let found = match self {
            Self::Known(addresses) => addresses,
            Self::Asked(receiver) => receive(&receiver, within, closed)?,
        };
        let mut once = Vec::with_capacity(found.len());
        for address in found {
            if !once.contains(&address) {
                once.push(address);
            }
        }
        if once.is_empty() {
            return Err(Unresolved::Unknown("no address".to_owned()));
        }
        Ok(once)
    }
}

fn receive(
    receiver: &Receiver<io::Result<Vec<SocketAddr>>>,
    within: Duration,
    closed: &AtomicBool,
) -> Result<Vec<SocketAddr>, Unresolved> {
    let until = Tick::now().after(within);
    loop {
        let left = until.since(Tick::now());
        match receiver.recv_timeout(left.min(SLICE)) {
            Ok(found) => return found.map_err(|error| Unresolved::Unknown(error.to_string())),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Unresolved::Unknown(
                    "could not start a thread for the resolver".to_owned(),
                ));
            }
            Err(RecvTimeoutError::Timeout) if closed.load(Relaxed) => {
                return Err(Unresolved::Stopped);
            }
            Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                return Err(Unresolved::Slow(within));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_need_no_resolver() {
        let (within, open) = (Duration::from_secs(5), AtomicBool::new(false));
        let found = Resolving::start("::1", 7).finish(within, &open).unwrap();
        assert_eq!(found, ["[::1]:7".parse::<SocketAddr>().unwrap()]);
        let local = Resolving::start("localhost", 7).finish(within, &open).unwrap();
        assert!(local.iter().all(|address| address.ip().is_loopback()), "{local:?}");
    }
}
