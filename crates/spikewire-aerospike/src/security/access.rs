//! Setup of connections: encryption and login.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use spikewire_aerospike_protocol::frame::{HEADER_LEN, Header};
use spikewire_sync::Mutex;
use spikewire_transport::Encryption;
use spikewire_transport::tls::{Tls, TlsError};

use super::LoginHandshake;
use super::credentials::Credentials;
use super::session::{LoginRejection, Session};
use crate::clock::Tick;
use crate::model::InvalidArgument;
use crate::model::Login;

/// Number of sessions from which on unused ones are removed.
const SESSIONS: usize = 64;

/// A client's credentials and TLS configuration, for all nodes.
#[derive(Debug, Default)]
pub struct Gate {
    tls: Option<Tls>,
    credentials: Option<Arc<Credentials>>,
    /// By address: sessions outlive the cluster worker's state of a node.
    sessions: Mutex<FxHashMap<SocketAddr, Arc<Session>>>,
}

/// Setup of connections to one node. By default, commands are sent immediately.
#[derive(Debug, Clone, Default)]
pub struct Access {
    encryption: Option<Encryption>,
    session: Option<Arc<Session>>,
}

impl Gate {
    /// Validates the options. Hashes the password, which is slow.
    pub fn new(login: &Login, tls: Option<&Tls>) -> Result<Self, InvalidArgument> {
        let auth = login.check(tls)?;
        let credentials = auth.map(|auth| Arc::new(Credentials::new(login, auth)));
        Ok(Self { tls: tls.cloned(), credentials, sessions: Mutex::default() })
    }

    /// Whether connections are encrypted.
    pub fn encrypts(&self) -> bool {
        self.tls.is_some()
    }

    /// Whether connections log in.
    pub fn logs_in(&self) -> bool {
        self.credentials.is_some()
    }

    /// The credentials, if any.
    pub fn credentials(&self) -> Option<&Arc<Credentials>> {
        self.credentials.as_ref()
    }

    /// The setup for an address. Certificates are verified against `name`, or else the address.
    pub fn access(&self, address: SocketAddr, name: Option<&str>) -> Result<Access, TlsError> {
        let encryption = match name {
            Some(name) => self.tls.as_ref().map(|tls| tls.to_host(name)).transpose()?,
            None => self.tls.as_ref().map(|tls| tls.to_address(address.ip())),
        };
        let encryption = encryption.map(|encryption| encryption.with_units(frame_len));
        let session = self.credentials.as_ref().map(|it| self.session(address, it));
        Ok(Access { encryption, session })
    }

    fn session(&self, address: SocketAddr, credentials: &Arc<Credentials>) -> Arc<Session> {
        let mut sessions = self.sessions.lock();
        if sessions.len() >= SESSIONS && !sessions.contains_key(&address) {
            let now = Tick::now();
            sessions.retain(|_, known| Arc::strong_count(known) > 1 || known.is_rejected(now));
        }
        let new = || Arc::new(Session::new(credentials.clone()));
        sessions.entry(address).or_insert_with(new).clone()
    }
}

impl Access {
    /// How connections are encrypted.
    pub fn encryption(&self) -> Option<Encryption> {
        self.encryption.clone()
    }

    /// The handshake of a new connection.
    pub fn handshake(&self) -> Option<Box<LoginHandshake>> {
        self.session.as_ref().map(|session| Box::new(LoginHandshake::new(session.clone())))
    }

    /// Why the last login failed, if it did.
    pub fn rejection(&self) -> Option<LoginRejection> {
        self.session.as_ref()?.rejection()
    }
}

/// Length of the frame that starts here: over TLS, servers do not notice a request whose first
/// bytes came in the same TLS record as the previous one.
fn frame_len(bytes: &[u8]) -> usize {
    match Header::parse(bytes) {
        Ok(Some(header)) => HEADER_LEN + header.len,
        _ => 0,
    }
}

/// The name of a host for certificate verification; none for an address.
pub fn name_of(host: &str) -> Option<&str> {
    let is_address = host.parse::<IpAddr>().is_ok() || host.contains('%');
    (!is_address).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Secret;

    #[test]
    fn an_address_has_one_session() {
        let login =
            Login { user: Some("app".to_owned()), password: Some(Secret::from("x")), auth: None };
        let gate = Gate::new(&login, None).unwrap();
        let at = |port| SocketAddr::from(([127, 0, 0, 1], port));
        let (first, second) =
            (gate.access(at(1), None).unwrap(), gate.access(at(1), None).unwrap());
        let session = |access: &Access| access.session.clone().unwrap();
        assert!(Arc::ptr_eq(&session(&first), &session(&second)));
        assert!(first.handshake().is_some() && first.encryption().is_none());
        // Unused sessions do not accumulate.
        for port in 2..1000 {
            gate.access(at(port), None).unwrap();
        }
        assert!(gate.sessions.lock().len() <= SESSIONS);
        assert!(Arc::ptr_eq(&session(&first), &session(&gate.access(at(1), None).unwrap())));
        let open = Gate::new(&Login::default(), None).unwrap();
        assert!(open.access(at(1), None).unwrap().handshake().is_none());
    }

    #[test]
    fn addresses_have_no_tls_name() {
        assert_eq!(name_of("db1.example"), Some("db1.example"));
        for address in ["10.0.0.1", "::1", "fe80::1%eth0"] {
            assert_eq!(name_of(address), None);
        }
    }
}
