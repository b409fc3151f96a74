//! How sockets are written to.

use rustix::net::SendFlags;

/// Without waiting, and without a signal where the peer has gone.
#[cfg(not(target_vendor = "apple"))]
pub(crate) const NO_WAIT: SendFlags = SendFlags::DONTWAIT.union(SendFlags::NOSIGNAL);
/// There the signal is switched off for the socket.
#[cfg(target_vendor = "apple")]
pub(crate) const NO_WAIT: SendFlags = SendFlags::DONTWAIT;
