//! A node's port. While the node is dead, the port stays bound without listening, so that
//! connections are refused and no other process gets it.

use std::io;
use std::net::{IpAddr, SocketAddr};

use mio::net::TcpListener;
use mio::{Interest, Registry, Token};
use socket2::{Domain, Socket, Type};

/// Length of the accept queue.
const BACKLOG: i32 = 1024;

#[derive(Debug)]
enum Bound {
    Listening(TcpListener),
    Held(Socket),
    /// Neither bound nor listening: rebinding failed.
    Gone,
}

/// A port of one node.
#[derive(Debug)]
pub struct Port {
    address: SocketAddr,
    bound: Bound,
}

impl Port {
    /// Binds the ports of all nodes: consecutive ones from `first`, or free ones for 0.
    pub fn reserve(ip: IpAddr, first: u16, nodes: usize) -> io::Result<Vec<Self>> {
        (0..nodes as u16)
            .map(|node| {
                let port = if first == 0 { 0 } else { first + node };
                let socket = bind(SocketAddr::new(ip, port))?;
                let address = socket
                    .local_addr()?
                    .as_socket()
                    .ok_or_else(|| io::Error::other("a TCP socket without an address"))?;
                // Listening at once prevents other programs from taking the port.
                socket.listen(BACKLOG)?;
                let listener = TcpListener::from_std(socket.into());
                Ok(Self { address, bound: Bound::Listening(listener) })
            })
            .collect()
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The listener, while it listens.
    pub fn listener(&self) -> Option<&TcpListener> {
        match &self.bound {
            Bound::Listening(listener) => Some(listener),
            Bound::Held(_) | Bound::Gone => None,
        }
    }

    /// Registers a listening port.
    pub fn register(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        match &mut self.bound {
            Bound::Listening(listener) => registry.register(listener, token, Interest::READABLE),
            Bound::Held(_) | Bound::Gone => Ok(()),
        }
    }

    /// Stops listening; connections not accepted yet are reset.
    pub fn close(&mut self) -> io::Result<()> {
        if let Bound::Listening(_) = self.bound {
            // The listener must be gone before the port can be bound again.
            self.bound = Bound::Gone;
            self.bound = Bound::Held(bind(self.address)?);
        }
        Ok(())
    }

    /// Listens again.
    pub fn open(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        let socket = match std::mem::replace(&mut self.bound, Bound::Gone) {
            Bound::Held(socket) => socket,
            Bound::Gone => bind(self.address)?,
            listening @ Bound::Listening(_) => {
                self.bound = listening;
                return Ok(());
            }
        };
        socket.listen(BACKLOG)?;
        self.bound = Bound::Listening(TcpListener::from_std(socket.into()));
        self.register(registry, token)
    }
}

fn bind(address: SocketAddr) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{address}: {error}"));
    socket.bind(&address.into()).map_err(named)?;
    Ok(socket)
}
