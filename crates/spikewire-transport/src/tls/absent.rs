//! Without the feature `tls` nothing is encrypted: these types have no values.

use std::io;
use std::ops::{Deref, DerefMut};

use mio::net::TcpStream;
use rustix::net::RecvFlags;

/// How a connection is encrypted, and whom it must lead to.
#[derive(Debug, Clone)]
pub enum Encryption {}

#[derive(Debug)]
pub(crate) enum Stream {}

/// Not a pointer: the compiler has to see that there is none. It is used as if it were.
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
