//! Stubs for builds without the feature `tls`: nothing is encrypted, and these types have no
//! values.

use std::io;
use std::net::IpAddr;
use std::ops::{Deref, DerefMut};

use mio::net::TcpStream;
use rustix::net::RecvFlags;

use super::UnitLength;
use super::options::{TlsError, TlsOptions};

/// How a connection is encrypted, and which server name it must verify.
#[derive(Debug, Clone)]
pub enum Encryption {}

impl Encryption {
    /// The same, for a server that needs records that end with each unit.
    #[must_use]
    pub fn with_units(self, _: UnitLength) -> Self {
        match self {}
    }
}

/// Options that were read and checked; there are none.
#[derive(Debug, Clone)]
pub enum Tls {}

impl Tls {
    /// Always fails.
    pub fn new(_: &TlsOptions) -> Result<Self, TlsError> {
        Err(TlsError("tls: this build has no TLS (it lacks the feature `tls`)".to_owned()))
    }

    /// Whether the client has a certificate.
    pub fn has_identity(&self) -> bool {
        match *self {}
    }

    /// Encryption for a server reached by this address.
    pub fn to_address(&self, _: IpAddr) -> Encryption {
        match *self {}
    }

    /// Encryption for a server reached by this name.
    pub fn to_host(&self, _: &str) -> Result<Encryption, TlsError> {
        match *self {}
    }
}

#[derive(Debug)]
pub(crate) enum Stream {}

/// Not a pointer, so that the compiler sees that there is none. Used as if it were one.
#[derive(Debug)]
pub(crate) struct Held(Stream);

impl From<Stream> for Held {
    fn from(stream: Stream) -> Self {
        Self(stream)
    }
}

impl Deref for Held {
    type Target = Stream;

    fn deref(&self) -> &Stream {
        &self.0
    }
}

impl DerefMut for Held {
    fn deref_mut(&mut self) -> &mut Stream {
        &mut self.0
    }
}

impl Stream {
    pub fn new(encryption: Encryption) -> io::Result<Self> {
        match encryption {}
    }

    pub fn handshake(&mut self, _: &TcpStream) -> io::Result<bool> {
        match *self {}
    }

    pub fn read(&mut self, _: &TcpStream, _: &mut [u8], _: RecvFlags) -> io::Result<usize> {
        match *self {}
    }

    pub fn write(&mut self, _: &TcpStream, _: &[u8]) -> io::Result<usize> {
        match *self {}
    }

    pub fn flush(&mut self, _: &TcpStream) -> io::Result<()> {
        match *self {}
    }

    pub fn committed(&self) -> usize {
        match *self {}
    }

    pub fn has_unsent(&self) -> bool {
        match *self {}
    }

    pub fn has_more(&self) -> bool {
        match *self {}
    }

    pub fn hang_up(&mut self, _: &TcpStream) {
        match *self {}
    }
}
