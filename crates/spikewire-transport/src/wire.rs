//! The byte stream of a connection, between the socket and the protocol. Encryption happens in this
//! layer, not in the codecs.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::time::Duration;

use mio::event::Source;
use mio::net::TcpStream;
use mio::{Interest, Registry, Token};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{RecvFlags, recv, send};

use crate::shard_route::{ShardRoute, connect};
use crate::socket::NO_WAIT;
use crate::tls::{Encryption, Held, Stream};

/// A read may wait this much longer than requested before the socket's timeout is lowered, so that
/// calls with the same timeout need no system call for it.
const SLACK: Duration = Duration::from_millis(2);

/// A byte stream to a server. Reads and writes never block, except through [`Wire::waiting`].
#[derive(Debug)]
pub struct Wire {
    socket: TcpStream,
    /// The socket's timeout for blocking reads; `None` until there was one.
    read_timeout: Option<Duration>,
    encrypted: Option<Held>,
}

impl Wire {
    /// Starts connecting; [`Wire::is_connected`] tells when that is done.
    pub fn open(address: SocketAddr, encryption: Option<Encryption>) -> io::Result<Self> {
        let encrypted = encryption.map(Stream::new).transpose()?.map(Held::from);
        Ok(Self { socket: TcpStream::connect(address)?, read_timeout: None, encrypted })
    }

    /// Like [`Wire::open`], along a route that leads to a shard.
    pub fn open_along(route: &ShardRoute, encryption: Option<Encryption>) -> io::Result<Self> {
        let encrypted = encryption.map(Stream::new).transpose()?.map(Held::from);
        Ok(Self { socket: connect(route)?, read_timeout: None, encrypted })
    }

    /// Continues the TLS handshake, if any, once the socket is connected; returns whether it is
    /// done.
    #[inline]
    pub fn secure(&mut self) -> io::Result<bool> {
        match &mut self.encrypted {
            None => Ok(true),
            Some(stream) => stream.handshake(&self.socket),
        }
    }

    /// Whether there is something to send that no caller wrote.
    #[inline]
    pub fn has_unsent(&self) -> bool {
        self.encrypted.as_ref().is_some_and(|stream| stream.has_unsent())
    }

    /// Whether a read returns something even if nothing more arrives at the socket.
    #[inline]
    pub fn has_more(&self) -> bool {
        self.encrypted.as_ref().is_some_and(|stream| stream.has_more())
    }

    /// How many bytes of the next write were already partly sent by a previous one, so that they
    /// cannot change any more.
    pub fn committed(&self) -> usize {
        self.encrypted.as_ref().map_or(0, |stream| stream.committed())
    }

    /// Tells the server that nothing more will be sent, if TLS is in use. The socket is closed when
    /// this is dropped.
    pub fn hang_up(&mut self) {
        if let Some(stream) = &mut self.encrypted {
            stream.hang_up(&self.socket);
        }
    }

    /// The same stream for one read that waits up to about `limit`, at least a millisecond, and
    /// then fails with `WouldBlock`. It may return earlier.
    #[inline]
    pub fn waiting(&mut self, limit: Duration) -> io::Result<Waiting<'_>> {
        if self.read_timeout != Some(limit) {
            self.bound_read(limit)?;
        }
        Ok(Waiting(self))
    }

    #[inline]
    fn receive(&mut self, out: &mut [u8], flags: RecvFlags) -> io::Result<usize> {
        match &mut self.encrypted {
            None => Ok(recv(&self.socket, out, flags)?.0),
            Some(stream) => stream.read(&self.socket, out, flags),
        }
    }

    fn bound_read(&mut self, limit: Duration) -> io::Result<()> {
        let limit = limit.max(Duration::from_millis(1));
        match self.read_timeout {
            Some(set) if set <= limit + SLACK && set * 2 >= limit => return Ok(()),
            Some(_) => {}
            None => rustix::io::ioctl_fionbio(&self.socket, false)?,
        }
        set_socket_timeout(&self.socket, Timeout::Recv, Some(limit))?;
        self.read_timeout = Some(limit);
        Ok(())
    }

    /// Whether connecting has succeeded; an error if it failed.
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

    /// The addresses of the server and of this end.
    pub fn addresses(&self) -> io::Result<(SocketAddr, SocketAddr)> {
        Ok((self.socket.peer_addr()?, self.socket.local_addr()?))
    }

    /// Whether it is open and nothing is waiting to be read. If not, it is of no more use.
    pub fn is_quiet(&mut self) -> bool {
        if self.encrypted.is_some() {
            let read = self.receive(&mut [0], RecvFlags::DONTWAIT);
            return read.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock);
        }
        let flags = RecvFlags::DONTWAIT | RecvFlags::PEEK;
        matches!(recv(&self.socket, &mut [0], flags), Err(rustix::io::Errno::WOULDBLOCK))
    }
}

/// A stream for a blocking read.
#[derive(Debug)]
pub struct Waiting<'a>(&'a mut Wire);

impl Read for Waiting<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.receive(out, RecvFlags::empty())
    }
}

impl Read for Wire {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.receive(out, RecvFlags::DONTWAIT)
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.encrypted {
            None => Ok(send(&self.socket, bytes, NO_WAIT)?),
            Some(stream) => stream.write(&self.socket, bytes),
        }
    }

    /// Sends what no caller wrote, as far as the socket accepts it.
    #[inline]
    fn flush(&mut self) -> io::Result<()> {
        match &mut self.encrypted {
            None => Ok(()),
            Some(stream) => stream.flush(&self.socket),
        }
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
