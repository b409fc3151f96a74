//! A route to one shard of a node: the address it listens on for that, and the source port of the
//! connection.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use mio::net::TcpStream;
use rustix::io::Errno;
use socket2::{Domain, Protocol, Socket, Type};

use crate::clock::Tick;

/// First of the dynamic ports, which programs may use freely; they extend to the last port (RFC
/// 6335, section 6).
const FIRST_PORT: u32 = 49_152;

/// How many dynamic ports there are.
const PORTS: u32 = 65_536 - FIRST_PORT;

/// How many ports to try if they turn out to be taken.
const TRIES: usize = 64;

/// A route to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardRoute {
    /// The address the node listens on.
    pub address: SocketAddr,
    /// The source port.
    pub from: SourcePort,
}

/// A source port that leaves `remainder` when divided by `divisor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourcePort {
    /// The divisor.
    pub divisor: u16,
    /// The remainder.
    pub remainder: u16,
}

impl SourcePort {
    /// Every such port once, starting with one in the middle.
    fn each(self, start: u64) -> impl Iterator<Item = u16> {
        let divisor = u32::from(self.divisor.max(1));
        let remainder = u32::from(self.remainder) % divisor;
        let first = (remainder + divisor - FIRST_PORT % divisor) % divisor;
        let count = PORTS.saturating_sub(first).div_ceil(divisor);
        let start = (start % u64::from(count.max(1))) as u32;
        let turns = (start..count).chain(0..start);
        turns.map(move |turn| (FIRST_PORT + first + turn * divisor) as u16)
    }
}

/// Starts connecting along this route, skipping ports that are taken.
pub(crate) fn connect(route: &ShardRoute) -> io::Result<TcpStream> {
    // Any number that differs from call to call will do.
    let ports = route.from.each(Tick::now().0 / 64);
    let mut last_error = io::Error::from(io::ErrorKind::AddrInUse);
    for port in ports.take(TRIES) {
        match connect_from(port, route.address) {
            Err(error) if is_port_in_use(&error) => last_error = error,
            done => return done,
        }
    }
    Err(last_error)
}

fn is_port_in_use(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::AddrInUse | io::ErrorKind::AddrNotAvailable)
}

fn connect_from(port: u16, address: SocketAddr) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_nonblocking(true)?;
    let any = match address.ip() {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    socket.bind(&SocketAddr::new(any, port).into())?;
    match socket.connect(&address.into()) {
        Err(error) if error.raw_os_error() != Some(Errno::INPROGRESS.raw_os_error()) => Err(error),
        _ => Ok(TcpStream::from_std(socket.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_ports_select_a_shard() {
        for divisor in [1, 2, 3, 7, 12, 64, 4096, 16_384] {
            for remainder in [0, divisor / 2, divisor - 1] {
                let from = SourcePort { divisor, remainder };
                let mut ports: Vec<u16> = from.each(12_345).collect();
                ports.sort_unstable();
                let all = (49_152..=65_535).filter(|port| port % divisor == remainder);
                assert_eq!(ports, all.collect::<Vec<u16>>(), "{from:?}");
            }
        }
        // If there are more shards than ports, some shards have none.
        let ports = |divisor, remainder| SourcePort { divisor, remainder }.each(7).count();
        assert_eq!((ports(65_535, 50_000), ports(65_535, 3), ports(0, 0)), (1, 0, 16_384));
    }

    #[test]
    fn ports_in_use_are_skipped() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let from = SourcePort { divisor: 4096, remainder: 77 };
        let mut in_use = Vec::new();
        let ends = loop {
            match connect(&ShardRoute { address, from }) {
                Ok(stream) => in_use.push(stream),
                Err(error) => break error,
            }
            assert!(in_use.len() <= 4, "there are four such ports");
        };
        assert!(is_port_in_use(&ends), "{ends}");
        assert!(!in_use.is_empty());
        for stream in &in_use {
            assert_eq!(stream.local_addr().unwrap().port() % 4096, 77);
        }
    }
}
