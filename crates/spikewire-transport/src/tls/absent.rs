//! Without the feature `tls` nothing is encrypted: these types have no values.

use std::io;

use mio::net::TcpStream;
use rustix::net::RecvFlags;

/// How a connection is encrypted, and whom it must lead to.
#[derive(Debug, Clone)]
pub enum Encryption {}

#[derive(Debug)]
pub(crate) enum Stream {}

/// Not a pointer: the compiler has to see that there is none.
pub(crate) type Held = Stream;

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
