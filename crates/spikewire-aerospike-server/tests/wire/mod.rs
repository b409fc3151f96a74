//! A client for raw bytes.
#![allow(dead_code, unused_imports)] // each test file uses its part

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::frame::{self, Kind};
use spikewire_aerospike_protocol::key::{Digest, UserKey, digest};
use spikewire_aerospike_protocol::message::{self, Header, Message, field, info1, info2, op};
use spikewire_aerospike_protocol::transaction::ReplyFields;
use spikewire_aerospike_protocol::value::particle;
use spikewire_aerospike_server::{Cluster, NamespaceOptions, Options};

pub const SET: &str = "demo";

/// Much longer than anything here takes, so that a slow machine does not fail a test.
pub const LONG: Duration = Duration::from_secs(60);

/// Waits until `holds` returns true; panics with `what` if that takes too long.
#[track_caller]
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < LONG, "still waiting: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A cluster with one namespace.
pub fn cluster(nodes: usize) -> Cluster {
    Cluster::start(Options { nodes, ..Options::default() }).unwrap()
}

/// A cluster of one node whose namespace has these options.
pub fn with(options: NamespaceOptions) -> Cluster {
    Cluster::start(Options { namespaces: vec![options], ..Options::default() }).unwrap()
}

pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// A request being put together.
#[derive(Clone)]
pub struct Request {
    pub header: Header,
    fields: Vec<u8>,
    ops: Vec<u8>,
}

impl Request {
    /// A request with namespace, set and the digest of `key` in it.
    pub fn new(set: &str, key: &str) -> Self {
        Self::bare()
            .field(field::NAMESPACE, b"test")
            .field(field::SET, set.as_bytes())
            .field(field::DIGEST, &digest(SET, &UserKey::Str(key)).0)
    }

    pub fn bare() -> Self {
        Self { header: Header::default(), fields: Vec::new(), ops: Vec::new() }
    }

    pub fn get(key: &str) -> Self {
        Self::new(SET, key).info1(info1::READ | info1::GET_ALL)
    }

    pub fn head(key: &str) -> Self {
        Self::new(SET, key).info1(info1::READ | info1::NO_BINS)
    }

    pub fn read(key: &str) -> Self {
        Self::new(SET, key).info1(info1::READ)
    }

    pub fn write(key: &str) -> Self {
        Self::new(SET, key).info2(info2::WRITE)
    }

    pub fn put(key: &str, value: i64) -> Self {
        Self::write(key).int(op::WRITE, "a", value)
    }

    pub fn delete(key: &str) -> Self {
        Self::new(SET, key).info2(info2::WRITE | info2::DELETE)
    }

    pub fn touch(key: &str) -> Self {
        Self::write(key).op(op::TOUCH, "", 0, b"")
    }

    pub fn generation(mut self, generation: u32) -> Self {
        self.header.generation = generation;
        self
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let start = frame::begin(&mut out, Kind::Message);
        out.extend_from_slice(&self.header.to_bytes());
        out.extend_from_slice(&self.fields);
        out.extend_from_slice(&self.ops);
        frame::finish(&mut out, start);
        out
    }
}

/// Defines builder methods for flags, fields and operations, for a type that has a `header`,
/// `fields` and `ops`.
macro_rules! composing {
    ($type:ty) => {
        #[allow(dead_code)] // each type uses its part
        impl $type {
            pub fn info1(mut self, flags: u8) -> Self {
                self.header.info1 |= flags;
                self
            }

            pub fn info2(mut self, flags: u8) -> Self {
                self.header.info2 |= flags;
                self
            }

            pub fn info3(mut self, flags: u8) -> Self {
                self.header.info3 |= flags;
                self
            }

            pub fn info4(mut self, flags: u8) -> Self {
                self.header.info4 |= flags;
                self
            }

            pub fn ttl(mut self, ttl: u32) -> Self {
                self.header.ttl = ttl;
                self
            }

            pub fn field(mut self, id: u8, data: &[u8]) -> Self {
                message::write_field(&mut self.fields, id, data);
                self.header.fields += 1;
                self
            }

            pub fn key(self, text: &str) -> Self {
                self.field(field::KEY, &[&[particle::STRING], text.as_bytes()].concat())
            }

            pub fn op(mut self, code: u8, name: &str, particle: u8, value: &[u8]) -> Self {
                message::write_op(&mut self.ops, code, name.as_bytes(), particle, value);
                self.header.ops += 1;
                self
            }

            pub fn int(self, code: u8, name: &str, value: i64) -> Self {
                self.op(code, name, particle::INTEGER, &value.to_be_bytes())
            }

            pub fn text(self, code: u8, name: &str, value: &str) -> Self {
                self.op(code, name, particle::STRING, value.as_bytes())
            }

            pub fn bin(self, name: &str) -> Self {
                self.op(op::READ, name, 0, b"")
            }
        }
    };
}

pub(crate) use composing;

composing!(Request);

/// One result operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultBin {
    pub code: u8,
    pub name: String,
    pub particle: u8,
    pub value: Vec<u8>,
}

impl ResultBin {
    pub fn int(code: u8, name: &str, value: i64) -> Self {
        let value = value.to_be_bytes().to_vec();
        Self { code, name: name.to_owned(), particle: particle::INTEGER, value }
    }

    pub fn text(code: u8, name: &str, value: &str) -> Self {
        let value = value.as_bytes().to_vec();
        Self { code, name: name.to_owned(), particle: particle::STRING, value }
    }

    pub fn null(code: u8, name: &str) -> Self {
        Self { code, name: name.to_owned(), particle: 0, value: Vec::new() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub header: Header,
    pub bins: Vec<ResultBin>,
    /// What it says about a transaction.
    pub about: ReplyFields,
}

impl Reply {
    pub fn parse(body: &[u8]) -> Self {
        let (message, used) = Message::parse(body).unwrap();
        assert_eq!(used, body.len(), "a reply of one message");
        let bins = message.ops().map(|op| ResultBin {
            code: op.code,
            name: String::from_utf8(op.name.to_vec()).unwrap(),
            particle: op.particle,
            value: op.value.to_vec(),
        });
        let about = ReplyFields::of(&message).unwrap();
        let reported = u16::from(about.version.is_some()) + u16::from(about.deadline.is_some());
        assert_eq!(message.header.fields, reported, "no other fields");
        Self { header: message.header, bins: bins.collect(), about }
    }

    pub fn code(&self) -> u8 {
        self.header.result
    }

    /// Result, generation and void time.
    pub fn head(&self) -> (u8, u32, u32) {
        (self.header.result, self.header.generation, self.header.ttl)
    }
}

/// A connection to a node.
pub struct Wire(pub TcpStream);

impl Wire {
    pub fn to(cluster: &Cluster, node: usize) -> Self {
        Self::connect(cluster.seeds()[node]).unwrap()
    }

    pub fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, Duration::from_secs(20))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        Ok(Self(stream))
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).unwrap();
    }

    /// The next frame, header and body apart.
    pub fn frame(&mut self) -> io::Result<(Kind, Vec<u8>)> {
        let mut head = [0; frame::HEADER_LEN];
        self.0.read_exact(&mut head)?;
        let header = frame::Header::parse(&head).unwrap().unwrap();
        let mut body = vec![0; header.len];
        self.0.read_exact(&mut body)?;
        Ok((header.kind, body))
    }

    pub fn reply(&mut self) -> io::Result<Reply> {
        let (kind, body) = self.frame()?;
        assert_eq!(kind, Kind::Message);
        Ok(Reply::parse(&body))
    }

    pub fn try_ask(&mut self, request: &Request) -> io::Result<Reply> {
        self.0.write_all(&request.bytes())?;
        self.reply()
    }

    pub fn ask(&mut self, request: Request) -> Reply {
        self.try_ask(&request).unwrap()
    }

    /// The header of the reply, whatever its fields are.
    pub fn ask_raw(&mut self, request: &Request) -> Header {
        self.send(&request.bytes());
        let (_, body) = self.frame().unwrap();
        Header::parse(&body).unwrap()
    }

    /// The code of the reply.
    pub fn code(&mut self, request: Request) -> u8 {
        self.ask(request).code()
    }

    /// Sends hexadecimal bytes and compares the reply, byte for byte.
    pub fn exchange(&mut self, request: &str, expected: &str) {
        self.send(&hex(request));
        let expected = hex(expected);
        let mut reply = vec![0; expected.len()];
        self.0.read_exact(&mut reply).unwrap();
        assert_eq!(reply, expected);
    }

    /// The value of an info command.
    pub fn info(&mut self, command: &str) -> String {
        let mut out = Vec::new();
        spikewire_aerospike_protocol::info::request(&mut out, &[command]);
        self.send(&out);
        let (kind, body) = self.frame().unwrap();
        assert_eq!(kind, Kind::Info);
        let body = String::from_utf8(body).unwrap();
        let value = body.strip_prefix(&format!("{command}\t")).and_then(|v| v.strip_suffix('\n'));
        value.unwrap_or_else(|| panic!("{command:?} answered with {body:?}")).to_owned()
    }

    /// Whether the server ends the connection without a further byte.
    pub fn is_closed(&mut self) -> bool {
        let mut rest = Vec::new();
        match self.0.read_to_end(&mut rest) {
            Ok(_) => rest.is_empty(),
            Err(error) => error.kind() == io::ErrorKind::ConnectionReset,
        }
    }
}

/// The partition of a key of the usual set.
pub fn partition(key: &str) -> u16 {
    let Digest(bytes) = digest(SET, &UserKey::Str(key));
    Digest(bytes).partition()
}
