//! From what hosts are called to where they are.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::clock::Tick;
use crate::fault::CLIENT_CLOSED;

/// Longest wait at a time, so that closing a client is noticed.
const SLICE: Duration = Duration::from_millis(20);

/// A name being resolved on a thread of its own: the system's resolver knows no deadline.
#[derive(Debug)]
pub enum Resolving {
    /// It was an address.
    Known(Vec<SocketAddr>),
    /// The resolver was asked.
    Asked(Receiver<io::Result<Vec<SocketAddr>>>),
}

/// Why a name came to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unresolved {
    /// The resolver says so, in these words.
    Unknown(String),
    /// The resolver gave no answer within this time.
    Slow(Duration),
    /// The client was closed meanwhile.
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
    /// Begins to resolve a host name, or takes an address.
    pub fn start(host: &str, port: u16) -> Self {
        if let Ok(ip) = host.parse::<IpAddr>() {
            return Self::Known(vec![SocketAddr::new(ip, port)]);
        }
        let (sender, receiver) = mpsc::channel();
        let host = host.to_owned();
        // Without a thread the channel is closed, which is reported below.
        let _ = thread::Builder::new().name("spikewire-names".to_owned()).spawn(move || {
            let found = (host.as_str(), port).to_socket_addrs().map(Iterator::collect);
            let _ = sender.send(found);
        });
        Self::Asked(receiver)
    }

    /// The addresses, each once, in the resolver's order.
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
                return Err(Unresolved::Unknown("no thread to ask the resolver".to_owned()));
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
