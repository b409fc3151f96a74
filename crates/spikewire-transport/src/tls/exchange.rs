//! One request and its reply over an encrypted connection of its own, which the server closes.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use rustls::{ClientConnection, Stream};

use super::Encryption;

/// Sends `request` and returns what comes back until the server closes the connection, which must not
/// be more than `most` bytes nor take longer than `within`.
pub fn exchange(
    address: SocketAddr,
    encryption: &Encryption,
    request: &[u8],
    most: usize,
    within: Duration,
) -> io::Result<Vec<u8>> {
    let until = Instant::now() + within;
    let late = || io::Error::new(ErrorKind::TimedOut, "no reply in time");
    let left = || {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(late()) } else { Ok(left) }
    };
    let mut socket = TcpStream::connect_timeout(&address, left()?)?;
    let name = encryption.name.clone();
    let mut session =
        ClientConnection::new(encryption.config.clone(), name).map_err(io::Error::other)?;
    socket.set_write_timeout(Some(left()?))?;
    socket.set_read_timeout(Some(left()?))?;
    let mut stream = Stream::new(&mut session, &mut socket);
    stream.write_all(request)?;
    stream.flush()?;
    let mut reply = Vec::new();
    let mut part = [0; 4096];
    loop {
        stream.sock.set_read_timeout(Some(left()?))?;
        match stream.read(&mut part) {
            Ok(0) => return Ok(reply),
            Ok(len) if reply.len() + len > most => {
                return Err(io::Error::new(ErrorKind::InvalidData, "the reply is too long"));
            }
            Ok(len) => reply.extend_from_slice(&part[..len]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // Not every server says at the end that it is the end; what is missing is found out by
            // who reads the reply.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(reply),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Err(late());
            }
            Err(error) => return Err(error),
        }
    }
}
