//! Flags for writing to sockets.

use rustix::net::SendFlags;

/// Do not block, and raise no signal if the peer is gone.
#[cfg(not(target_vendor = "apple"))]
pub(crate) const NO_WAIT: SendFlags = SendFlags::DONTWAIT.union(SendFlags::NOSIGNAL);
/// On these systems the signal is switched off for the socket.
#[cfg(target_vendor = "apple")]
pub(crate) const NO_WAIT: SendFlags = SendFlags::DONTWAIT;
