//! A socket that one thread at a time reads and writes with bounded waits.

use std::io::{self, Read};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Duration;

use socket2::SockRef;

use crate::cluster::Node;

/// The receive timeout set on the socket may exceed the wanted one by this much before it is set
/// anew: commands with the usual timeout then never pay for the system call.
const SLACK: Duration = Duration::from_millis(2);
/// The longest single wait; unbounded commands simply wait again.
const LONGEST: Duration = Duration::from_secs(60);

/// A blocking-mode socket. Reading waits in the kernel, writing never does.
#[derive(Debug)]
pub(super) struct Socket {
    stream: Arc<TcpStream>,
    read_timeout: Duration,
}

impl Socket {
    /// Connects within `limit`.
    pub fn connect(node: &Node, limit: Duration) -> io::Result<Self> {
        let limit = limit.clamp(Duration::from_millis(1), LONGEST);
        let stream = TcpStream::connect_timeout(&node.address, limit)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(LONGEST))?;
        Ok(Self { stream: Arc::new(stream), read_timeout: LONGEST })
    }

    /// A second handle, to shut the socket down from another thread.
    pub fn handle(&self) -> Arc<TcpStream> {
        self.stream.clone()
    }

    /// Writes what the kernel takes without waiting; `WouldBlock` when it takes nothing.
    pub fn write_some(&self, bytes: &[u8]) -> io::Result<usize> {
        SockRef::from(&*self.stream).send_with_flags(bytes, libc::MSG_DONTWAIT | NO_SIGNAL)
    }

    /// Prepares the next read to wait at most about `limit`.
    pub fn bound_read(&mut self, limit: Duration) -> io::Result<()> {
        let limit = limit.clamp(Duration::from_millis(1), LONGEST);
        if self.read_timeout > limit + SLACK || self.read_timeout * 2 < limit {
            self.stream.set_read_timeout(Some(limit))?;
            self.read_timeout = limit;
        }
        Ok(())
    }

    /// Waits until the socket can be read or written, or `limit` passes.
    pub fn wait_both(&self, limit: Duration) -> io::Result<()> {
        let mut poll = libc::pollfd {
            fd: self.stream.as_raw_fd(),
            events: libc::POLLIN | libc::POLLOUT,
            revents: 0,
        };
        let millis = limit.min(LONGEST).as_millis().max(1) as i32;
        // SAFETY: one valid pollfd, and the descriptor is open as long as the stream is.
        let polled = unsafe { libc::poll(&raw mut poll, 1, millis) };
        if polled < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Whether the socket could be read right now without waiting.
    pub fn is_readable(&self) -> bool {
        let mut byte = [std::mem::MaybeUninit::uninit()];
        let flags = libc::MSG_DONTWAIT | libc::MSG_PEEK;
        !matches!(
            SockRef::from(&*self.stream).recv_with_flags(&mut byte, flags),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock
        )
    }
}

impl Read for Socket {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        (&*self.stream).read(out)
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
const NO_SIGNAL: libc::c_int = libc::MSG_NOSIGNAL;
/// Elsewhere the standard library switches the signal off per socket.
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
const NO_SIGNAL: libc::c_int = 0;
