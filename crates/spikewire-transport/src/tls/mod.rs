//! Encrypted connections: TLS by rustls, with the feature `tls`.
//!
//! | file | contents |
//! |---|---|
//! | `options` | trusted authorities, client certificate and so on, as a program sets them: [`TlsOptions`] |
//! | `config` | the same, read and checked once: [`Tls`] |
//! | `pem` | certificates, keys and lists in PEM format |
//! | `verifier` | what a server's certificate must be |
//! | `outgoing` | encrypted bytes on their way to the socket, and what they complete |
//! | `stream` | an encrypted connection over a non-blocking socket |
//! | `exchange` | one request and its reply on a connection of its own |
//! | `errors` | error messages |
//! | `absent` | stubs for builds without the feature: nothing is ever encrypted |

#[cfg(not(feature = "tls"))]
mod absent;
#[cfg(feature = "tls")]
mod config;
#[cfg(feature = "tls")]
mod errors;
#[cfg(feature = "tls")]
mod exchange;
mod options;
#[cfg(feature = "tls")]
mod outgoing;
#[cfg(feature = "tls")]
mod pem;
#[cfg(feature = "tls")]
mod stream;
#[cfg(feature = "tls")]
mod verifier;

#[cfg(not(feature = "tls"))]
pub use absent::{Encryption, Tls};
#[cfg(not(feature = "tls"))]
pub(crate) use absent::{Held, Stream};
#[cfg(feature = "tls")]
pub use config::{Encryption, Tls};
#[cfg(feature = "tls")]
pub use exchange::exchange;
#[cfg(feature = "tls")]
pub(crate) use stream::Stream;

pub use options::{Pem, RevocationCheck, TlsError, TlsOptions, TlsValue};

/// How many of these bytes, which begin a unit, belong to it; see [`Encryption::with_units`].
pub type UnitLength = fn(&[u8]) -> usize;

/// How a wire holds a stream: boxed, because most wires have none.
#[cfg(feature = "tls")]
pub(crate) type Held = Box<Stream>;
