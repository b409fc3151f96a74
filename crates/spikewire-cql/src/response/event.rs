//! EVENT, which servers send on connections that registered for it.

use std::net::SocketAddr;

use super::schema::SchemaChange;
use crate::notation::{Reader, Result, TooLong, put_inet, put_string};

/// The kinds of events, as REGISTER names them.
pub const KINDS: [&str; 3] = [TOPOLOGY, STATUS, SCHEMA];

const TOPOLOGY: &str = "TOPOLOGY_CHANGE";
const STATUS: &str = "STATUS_CHANGE";
const SCHEMA: &str = "SCHEMA_CHANGE";

/// An event in the cluster. Addresses are those for clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A node joined.
    NewNode(SocketAddr),
    /// A node left.
    RemovedNode(SocketAddr),
    /// A node's tokens changed.
    MovedNode(SocketAddr),
    /// A node is reachable again, according to the node that reports it.
    Up(SocketAddr),
    /// A node is unreachable, according to the node that reports it.
    Down(SocketAddr),
    /// The schema changed.
    Schema(SchemaChange),
    /// An unknown event: its kind and what changed. The latter is empty if the kind is unknown as
    /// well.
    Other(String, String),
}

impl Event {
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let kind = reader.string()?;
        let change = match kind {
            SCHEMA => return SchemaChange::read(reader).map(Self::Schema),
            TOPOLOGY | STATUS => reader.string()?,
            _ => return Ok(Self::Other(kind.to_owned(), String::new())),
        };
        let event = match (kind, change) {
            (TOPOLOGY, "NEW_NODE") => Self::NewNode,
            (TOPOLOGY, "REMOVED_NODE") => Self::RemovedNode,
            (TOPOLOGY, "MOVED_NODE") => Self::MovedNode,
            (STATUS, "UP") => Self::Up,
            (STATUS, "DOWN") => Self::Down,
            _ => return Ok(Self::Other(kind.to_owned(), change.to_owned())),
        };
        reader.inet().map(event)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) -> std::result::Result<(), TooLong> {
        let (kind, change, address) = match self {
            Self::NewNode(address) => (TOPOLOGY, "NEW_NODE", address),
            Self::RemovedNode(address) => (TOPOLOGY, "REMOVED_NODE", address),
            Self::MovedNode(address) => (TOPOLOGY, "MOVED_NODE", address),
            Self::Up(address) => (STATUS, "UP", address),
            Self::Down(address) => (STATUS, "DOWN", address),
            Self::Schema(change) => {
                put_string(out, "the kind of an event", SCHEMA)?;
                return change.write(out);
            }
            Self::Other(kind, change) => {
                put_string(out, "the kind of an event", kind)?;
                let is_known = matches!(&kind[..], TOPOLOGY | STATUS);
                return if is_known { put_string(out, "a change", change) } else { Ok(()) };
            }
        };
        put_string(out, "the kind of an event", kind)?;
        put_string(out, "a change", change)?;
        put_inet(out, *address);
        Ok(())
    }
}
