//! One TLS connection over a non-blocking socket.

use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;

use mio::net::TcpStream;
use rustls::{ServerConfig, ServerConnection};

/// The state of an encrypted connection.
#[derive(Debug)]
pub struct TlsStream {
    session: ServerConnection,
}

impl TlsStream {
    /// The state of an accepted connection.
    pub fn new(config: Arc<ServerConfig>) -> io::Result<Self> {
        let session = ServerConnection::new(config).map_err(io::Error::other)?;
        Ok(Self { session })
    }

    /// Reads like a socket: fewer bytes than requested mean that there are no more now, 0 that
    /// there will be none. Handshakes return no data, but output for [`TlsStream::flush`].
    pub fn read(&mut self, socket: &mut TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.session.reader().read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => {
                    filled += count;
                    continue;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) if filled == 0 => return Err(error),
                Err(_) => break,
            }
            match self.session.read_tls(socket) {
                Ok(0) => break,
                Ok(_) => self.take_in(socket)?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if filled == 0 => return Err(error),
                Err(_) => break,
            }
        }
        Ok(filled)
    }

    /// Decrypts received data. Sends an alert to rejected clients.
    fn take_in(&mut self, socket: &mut TcpStream) -> io::Result<()> {
        self.session.process_new_packets().map(drop).map_err(|error| {
            let _ = self.flush(socket);
            io::Error::new(ErrorKind::InvalidData, error)
        })
    }

    /// Writes like a socket.
    pub fn write(&mut self, socket: &mut TcpStream, bytes: &[u8]) -> io::Result<usize> {
        self.flush(socket)?;
        let count = self.session.writer().write(bytes)?;
        match self.flush(socket) {
            Err(error) if error.kind() != ErrorKind::WouldBlock => Err(error),
            _ => Ok(count),
        }
    }

    /// Sends encrypted data; an error of kind `WouldBlock` means that there is more of it.
    pub fn flush(&mut self, socket: &mut TcpStream) -> io::Result<()> {
        while self.session.wants_write() {
            match self.session.write_tls(socket) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
