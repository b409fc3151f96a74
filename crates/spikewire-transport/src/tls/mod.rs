//! Encrypted connections: TLS by rustls, with the feature `tls`.
//!
//! | file | what it holds |
//! |---|---|
//! | `given` | whom a client trusts and what it shows of itself, as a program says it: [`TlsOptions`] |
//! | `options` | the same, read and checked once: [`Tls`] |
//! | `stream` | one encrypted connection over a socket that does not wait |
//! | `trouble` | what goes wrong, in words |
//! | `absent` | the same without the feature: nothing is ever encrypted |

#[cfg(not(feature = "tls"))]
mod absent;
mod given;
#[cfg(feature = "tls")]
mod options;
#[cfg(feature = "tls")]
mod stream;
#[cfg(feature = "tls")]
mod trouble;

#[cfg(not(feature = "tls"))]
pub use absent::{Encryption, Tls};
#[cfg(not(feature = "tls"))]
pub(crate) use absent::{Held, Stream};
#[cfg(feature = "tls")]
pub use options::{Encryption, Tls};
#[cfg(feature = "tls")]
pub(crate) use stream::Stream;

pub use given::{Pem, TlsError, TlsOptions};

/// How many of these bytes, which begin a unit, belong to it; see [`Encryption::with_units`].
pub type UnitLength = fn(&[u8]) -> usize;

/// How a wire holds a stream: apart, for most have none.
#[cfg(feature = "tls")]
pub(crate) type Held = Box<Stream>;
