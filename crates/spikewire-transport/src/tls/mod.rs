//! Encrypted connections: TLS by rustls, with the feature `tls`.
//!
//! | file | what it holds |
//! |---|---|
//! | `options` | whom a client trusts and what it shows of itself: [`TlsOptions`], read and checked once |
//! | `stream` | one encrypted connection over a socket that does not wait |
//! | `trouble` | what goes wrong, in words |
//! | `absent` | the same without the feature: nothing is ever encrypted |

#[cfg(not(feature = "tls"))]
mod absent;
#[cfg(feature = "tls")]
mod options;
#[cfg(feature = "tls")]
mod stream;
#[cfg(feature = "tls")]
mod trouble;

#[cfg(not(feature = "tls"))]
pub use absent::Encryption;
#[cfg(not(feature = "tls"))]
pub(crate) use absent::{Held, Stream};
#[cfg(feature = "tls")]
pub use options::{Encryption, Pem, Tls, TlsError, TlsOptions};
#[cfg(feature = "tls")]
pub(crate) use stream::Stream;

/// How a wire holds a stream: apart, for most have none.
#[cfg(feature = "tls")]
pub(crate) type Held = Box<Stream>;
