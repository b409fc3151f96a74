//! Finding a node: the first that answers, in a protocol version that both sides support.

use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use spikewire_cql::response::Code;
use spikewire_cql::version::Version;
use spikewire_sync::Mutex;
use spikewire_transport::Encryption;
use spikewire_transport::dial::PORT_CLOSED;
use spikewire_transport::resolve::{Resolution, Resolver};
use spikewire_transport::session::Session;

use super::control::Control;
use crate::error::{Error, Kind, Result};
use crate::framing::{Cassandra, Handshake, HandshakeError};
use crate::options::{Host, Options};

/// The parameters of handshakes in this version.
pub fn handshake(options: &Options, version: Version) -> Arc<Handshake> {
    Arc::new(Handshake {
        version,
        compression: options.compression,
        authenticator: options.authenticator.clone(),
        keyspace: Mutex::new(options.keyspace.as_deref().map(Arc::from)),
        application: options.application.clone(),
        nodes_have_options: AtomicBool::new(false),
        extensions: OnceLock::new(),
        last_error: Mutex::default(),
    })
}

/// Why a node could not be used.
struct ContactFailure {
    at: String,
    error: Error,
}

/// The first node that answers among those that the contact points lead to. If none does, all
/// failures are reported.
pub fn first(options: &Options, closed: &Arc<AtomicBool>) -> Result<Control> {
    if options.contact_points.is_empty() {
        return Err(Error::invalid("no contact point given"));
    }
    let mut failed = Vec::new();
    for (host, addresses) in resolve(&options.contact_points, options, closed) {
        let addresses = match addresses {
            Ok(addresses) => addresses,
            Err(error) => {
                let error = Error::new(Kind::Connection, error.to_string());
                failed.push(ContactFailure { at: host.to_string(), error });
                continue;
            }
        };
        let encryptions = encryptions(host, options)?;
        for address in addresses {
            for encryption in &encryptions {
                match negotiate(address, encryption.as_ref(), options, closed) {
                    Ok(control) => return Ok(control),
                    // What applies to one node applies to all.
                    Err(error) if is_final(&error) => return Err(error),
                    Err(error) => failed.push(ContactFailure { at: label(host, address), error }),
                }
            }
        }
    }
    Err(report(failed))
}

fn label(host: &Host, address: SocketAddr) -> String {
    let host = host.to_string();
    if host == address.to_string() { host } else { format!("{host} ({address})") }
}

/// All contact points, resolved concurrently.
pub fn resolve<'a>(
    hosts: &'a [Host],
    options: &Options,
    closed: &AtomicBool,
) -> Vec<(&'a Host, Resolution)> {
    let names = hosts.iter().map(|host| (host.name.as_str(), host.port));
    let lookup = Resolver::default().start(names, options.connect_timeout);
    hosts.iter().zip(lookup.finish(closed)).collect()
}

/// Whether another node would return the same error.
fn is_final(error: &Error) -> bool {
    matches!(error.kind(), Kind::Authentication | Kind::Invalid | Kind::Server)
}

/// A connection in the best version that both sides support.
fn negotiate(
    address: SocketAddr,
    encryption: Option<&Encryption>,
    options: &Options,
    closed: &Arc<AtomicBool>,
) -> Result<Control> {
    let mut version = options.version.unwrap_or(Version::V5);
    loop {
        match open(address, encryption.cloned(), options, handshake(options, version), closed) {
            Err(error) if options.version.is_none() && refuses_version(&error) => {
                match version.lower() {
                    Some(lower) => version = lower,
                    None => return Err(error),
                }
            }
            opened => return opened,
        }
    }
}

/// How connections to a contact point are encrypted: to a proxy, for each node that is contacted
/// through it.
pub fn encryptions(host: &Host, options: &Options) -> Result<Vec<Option<Encryption>>> {
    let Some(tls) = &options.encryption else { return Ok(vec![None]) };
    let named = |name: &String| {
        tls.to_host(name).map(Some).map_err(|error| Error::invalid(error.to_string()))
    };
    match &options.proxy {
        None => Ok(vec![named(&host.name)?]),
        Some(proxy) => proxy.nodes.iter().map(named).collect(),
    }
}

fn refuses_version(error: &Error) -> bool {
    error.server().is_some_and(|server| {
        matches!(server.code, Code::Protocol | Code::Server)
            && (server.message.contains("unsupported protocol version")
                || server.message.contains("Beta version of the protocol"))
    })
}

/// Opens the control connection. Once `closed` is set, neither this nor its requests wait for a
/// node.
pub fn open(
    address: SocketAddr,
    encryption: Option<Encryption>,
    options: &Options,
    handshake: Arc<Handshake>,
    closed: &Arc<AtomicBool>,
) -> Result<Control> {
    let within = options.connect_timeout;
    let framing = Cassandra::control(handshake.clone(), address);
    let opened = Session::open_until_closed(address, encryption, framing, within, closed);
    let session = opened.map_err(|error| {
        let at_node = |error: Error| error.on(address.to_string());
        match handshake.last_error.lock().take() {
            Some(HandshakeError::Server(server)) if server.code == Code::BadCredentials => {
                at_node(Error::new(Kind::Authentication, server.message))
            }
            Some(HandshakeError::Server(server)) => at_node(Error::from_server(server)),
            Some(HandshakeError::NoCredentials(why)) => {
                at_node(Error::new(Kind::Authentication, why))
            }
            None => at_node(Error::new(Kind::Connection, error.to_string())),
        }
    })?;
    let mut control = Control::new(session, handshake, address, within);
    control.proxy = options.proxy.is_some().then_some(address);
    Ok(control)
}

fn report(failed: Vec<ContactFailure>) -> Error {
    let why = if failed.iter().all(|failure| failure.error.message() == PORT_CLOSED) {
        let places: Vec<&str> = failed.iter().map(|failure| &*failure.at).collect();
        format!("{} refused the connection; is a server running there?", places.join(" and "))
    } else {
        let each = failed.iter().map(|ContactFailure { at, error }| format!("{at}: {error}"));
        each.collect::<Vec<_>>().join("; ")
    };
    let message = format!("no contact point leads to a node: {why}");
    let reported = failed.into_iter().map(|ContactFailure { at, error }| match error.node() {
        Some(_) => error,
        None => error.on(at),
    });
    Error::new(Kind::Connection, message).with_earlier(reported.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_that_are_all_closed_are_reported() {
        let closed = |at: &str| ContactFailure {
            at: at.to_owned(),
            error: Error::new(Kind::Connection, PORT_CLOSED),
        };
        let error = report(vec![closed("a:1"), closed("b:2")]);
        assert_eq!(
            error.message(),
            "no contact point leads to a node: a:1 and b:2 refused the connection; is a server \
             running there?"
        );
        assert_eq!(error.failed_attempts().count(), 2);
        let other = ContactFailure {
            at: "c:3".to_owned(),
            error: Error::new(Kind::Connection, "no answer"),
        };
        let error = report(vec![closed("a:1"), other]);
        assert!(error.message().ends_with("a:1: connection refused; c:3: no answer"), "{error}");
    }
}
