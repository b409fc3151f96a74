//! The byte stream of a connection: what stands between the socket and the protocol. It has a
//! layer of its own so that encryption has a place: in here, not in the codecs.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};

use mio::event::Source;
use mio::net::TcpStream;
use mio::{Interest, Registry, Token};

/// A non-blocking byte stream to a server.
#[derive(Debug)]
pub struct Wire {
    socket: TcpStream,
}

impl Wire {
    /// Starts connecting; [`Wire::is_connected`] says when that is done.
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        Ok(Self { socket: TcpStream::connect(address)? })
    }

    /// Whether the attempt to connect has come to a good end; an error when to a bad one.
    pub fn is_connected(&self) -> io::Result<bool> {
        if let Some(error) = self.socket.take_error()? {
            return Err(error);
        }
        match self.socket.peer_addr() {
            Ok(_) => {
                self.socket.set_nodelay(true)?;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether it is open and nothing waits to be read.
    pub fn is_quiet(&self) -> bool {
        let peeked = self.socket.peek(&mut [0]);
        matches!(peeked, Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }

    /// The socket as one that blocks, for threads that do nothing else.
    pub fn into_blocking(self) -> io::Result<std::net::TcpStream> {
        let socket = std::net::TcpStream::from(self.socket);
        socket.set_nonblocking(false)?;
        Ok(socket)
    }
}

impl Read for Wire {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.socket.read(out)
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.socket.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AsRawFd for Wire {
    fn as_raw_fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}

impl AsFd for Wire {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Source for Wire {
    fn register(&mut self, registry: &Registry, at: Token, interest: Interest) -> io::Result<()> {
        self.socket.register(registry, at, interest)
    }

    fn reregister(&mut self, registry: &Registry, at: Token, interest: Interest) -> io::Result<()> {
        self.socket.reregister(registry, at, interest)
    }

    fn deregister(&mut self, registry: &Registry) -> io::Result<()> {
        self.socket.deregister(registry)
    }
}
