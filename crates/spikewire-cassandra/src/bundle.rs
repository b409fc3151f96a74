//! Secure connect bundles: archives with which a managed cluster (Astra) is found.
//!
//! A bundle has an authority, a certificate of the client and its key, and the address of a service.
//! That service says through which proxy the nodes are reached, and their ids. A connection names the
//! id of its node as the server name of its TLS handshake.

use std::fs::File;
use std::io::{Cursor, Read as _};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::Value;
use spikewire_options::InvalidArgument;
use spikewire_transport::resolve::Resolver;
use spikewire_transport::tls::{Pem, Tls, TlsOptions, exchange};
use zip::ZipArchive;

use crate::error::{Error, Kind, Result};
use crate::options::{Host, Options, SniProxy};

/// The name of the option.
const OPTION: &str = "secure_connect_bundle";
/// The largest archive that is read, the largest file in it, and the largest reply of the service.
const MOST: u64 = 1 << 20;

/// A bundle that was read and checked.
#[derive(Debug, Clone)]
pub struct SecureBundle {
    /// How connections to the service and to the nodes are encrypted.
    pub tls: Tls,
    /// The service that names the proxy.
    pub service: Host,
}

/// What the service says.
#[derive(Debug, PartialEq, Eq)]
struct Metadata {
    proxy: Host,
    nodes: Vec<String>,
    datacenter: Option<String>,
}

impl SecureBundle {
    /// Reads a bundle.
    pub fn open(path: &Path) -> std::result::Result<Self, InvalidArgument> {
        let bad =
            |why: String| InvalidArgument::of_value(format!("{OPTION} {}: {why}", path.display()));
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(MOST + 1).read_to_end(&mut bytes))
            .map_err(|error| bad(format!("it cannot be read: {error}")))?;
        if bytes.len() as u64 > MOST {
            return Err(bad("it is too large for a bundle".to_owned()));
        }
        let mut archive = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| bad(format!("it is no zip archive: {error}")))?;
        let mut entry = |name: &str| {
            let mut content = Vec::new();
            archive
                .by_name(name)
                .map_err(|error| error.to_string())
                .and_then(|file| {
                    file.take(MOST).read_to_end(&mut content).map_err(|error| error.to_string())
                })
                .map_err(|why| bad(format!("its entry {name} cannot be read: {why}")))?;
            Ok(content)
        };
        let config: Value = serde_json::from_slice(&entry("config.json")?)
            .map_err(|error| bad(format!("its config.json is no JSON: {error}")))?;
        let port = config["port"].as_u64().and_then(|port| u16::try_from(port).ok());
        let (Some(name), Some(port)) = (config["host"].as_str(), port.filter(|port| *port > 0))
        else {
            return Err(bad("its config.json lacks host or port".to_owned()));
        };
        let service = Host { name: name.to_owned(), port };
        let options = TlsOptions {
            authorities: vec![Pem::Bytes(entry("ca.crt")?)],
            identity: Some((Pem::Bytes(entry("cert")?), Pem::Bytes(entry("key")?))),
            // The proxy has one certificate for all nodes, whose ids are no names in it.
            verify_hostname: false,
            ..TlsOptions::default()
        };
        let tls = Tls::new(&options).map_err(|error| bad(error.to_string()))?;
        Ok(Self { tls, service })
    }
}

/// Asks the metadata service, if there is one, and sets what it says.
pub(crate) fn find_proxy(options: &mut Options, closed: &AtomicBool) -> Result<()> {
    let (Some(service), Some(tls)) = (&options.metadata_service, &options.encryption) else {
        return Ok(());
    };
    let Metadata { proxy, nodes, datacenter } = ask(service, tls, options.connect_timeout, closed)?;
    options.contact_points = vec![proxy];
    options.proxy = Some(SniProxy { nodes });
    options.local_datacenter = options.local_datacenter.take().or(datacenter);
    Ok(())
}

fn ask(service: &Host, tls: &Tls, within: Duration, closed: &AtomicBool) -> Result<Metadata> {
    let bad = |why: &dyn std::fmt::Display| {
        let message = format!("the metadata service {service} of the bundle: {why}");
        Error::new(Kind::Connection, message).on(service.to_string())
    };
    let encryption = tls.to_host(&service.name).map_err(|error| bad(&error))?;
    let names = [(service.name.as_str(), service.port)].into_iter();
    let looked_up = Resolver::default().start(names, within).finish(closed).into_iter().next();
    let addresses = looked_up.transpose().map_err(|error| bad(&error))?.unwrap_or_default();
    let request =
        format!("GET /metadata HTTP/1.0\r\nHost: {service}\r\nAccept: application/json\r\n\r\n");
    let mut failed = None;
    for address in addresses {
        match exchange(address, &encryption, request.as_bytes(), MOST as usize, within) {
            Ok(reply) => return body(&reply).and_then(metadata).map_err(|why| bad(&why)),
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.map_or_else(|| bad(&"its name has no address"), |error| bad(&error)))
}

/// The body of a reply to a request in HTTP 1.0, which is not sent in pieces.
fn body(reply: &[u8]) -> std::result::Result<&[u8], String> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut head = httparse::Response::new(&mut headers);
    let len = match head.parse(reply) {
        Ok(httparse::Status::Complete(len)) => len,
        Ok(httparse::Status::Partial) => return Err("its reply is cut short".to_owned()),
        Err(error) => return Err(format!("its reply is no HTTP: {error}")),
    };
    if head.code != Some(200) {
        return Err(format!("it replied with HTTP status {}", head.code.unwrap_or_default()));
    }
    let body = &reply[len..];
    let of = |name: &str| {
        let header = head.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        header.and_then(|header| std::str::from_utf8(header.value).ok()).map(str::trim)
    };
    if of("transfer-encoding").is_some() {
        return Err("its reply comes in pieces".to_owned());
    }
    match of("content-length").map(str::parse::<usize>) {
        None => Ok(body),
        Some(Ok(len)) if len <= body.len() => Ok(&body[..len]),
        Some(_) => Err("its reply is cut short".to_owned()),
    }
}

fn metadata(body: &[u8]) -> std::result::Result<Metadata, String> {
    let known: Value =
        serde_json::from_slice(body).map_err(|error| format!("its reply is no JSON: {error}"))?;
    let contact = &known["contact_info"];
    let (kind, nodes) = (contact["type"].as_str(), contact["contact_points"].as_array());
    if kind != Some("sni_proxy") {
        return Err(format!("it names no proxy, but {:?}", kind.unwrap_or("nothing")));
    }
    let nodes: Vec<String> =
        nodes.into_iter().flatten().filter_map(|id| id.as_str().map(str::to_owned)).collect();
    let Some(proxy) = contact["sni_proxy_address"].as_str().filter(|_| !nodes.is_empty()) else {
        return Err("its reply lacks the address of the proxy, or nodes".to_owned());
    };
    let proxy = Host::parse(proxy, crate::options::PORT)?;
    let datacenter = contact["local_dc"].as_str().map(str::to_owned);
    Ok(Metadata { proxy, nodes, datacenter })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_has_a_whole_body() {
        let whole = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{} and more";
        assert_eq!(body(whole).unwrap(), b"{}");
        assert_eq!(body(b"HTTP/1.0 200 OK\r\n\r\n{}").unwrap(), b"{}");
        for (reply, why) in [
            (&b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}"[..], "cut short"),
            (b"HTTP/1.1 200 OK\r\nContent-Le", "cut short"),
            (b"HTTP/1.1 404 Not Found\r\n\r\n", "status 404"),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}", "in pieces"),
            (b"SSH-2.0-x\r\n\r\n", "no HTTP"),
        ] {
            assert!(body(reply).unwrap_err().contains(why), "{why}");
        }
    }

    #[test]
    fn the_service_names_a_proxy_and_nodes() {
        let read = |contact: &str| metadata(format!("{{\"contact_info\":{contact}}}").as_bytes());
        let known = read(
            r#"{"type":"sni_proxy","local_dc":"dc1","sni_proxy_address":"proxy.example:29042",
                "contact_points":["a-b","c-d"]}"#,
        );
        let proxy = Host { name: "proxy.example".to_owned(), port: 29042 };
        let nodes = vec!["a-b".to_owned(), "c-d".to_owned()];
        assert_eq!(known, Ok(Metadata { proxy, nodes, datacenter: Some("dc1".to_owned()) }));
        for (contact, why) in [
            ("{}", "names no proxy"),
            (r#"{"type":"direct"}"#, "direct"),
            (r#"{"type":"sni_proxy","contact_points":["a"]}"#, "lacks"),
            (r#"{"type":"sni_proxy","sni_proxy_address":"p:1","contact_points":[]}"#, "lacks"),
            (r#"{"type":"sni_proxy","sni_proxy_address":"","contact_points":["a"]}"#, "host"),
        ] {
            assert!(read(contact).unwrap_err().contains(why), "{contact}");
        }
        assert!(metadata(b"<html>").unwrap_err().contains("no JSON"));
    }
}
