//! The control connection: requests to a node, and its events.

use std::net::SocketAddr;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::time::Duration;

use spikewire_cql::dialect::TabletRouting;
use spikewire_cql::envelope;
use spikewire_cql::request;
use spikewire_cql::response::{Code, Event, Message, QueryResult, Response, Rows, event};
use spikewire_cql::version::Version;
use spikewire_transport::Tick;
use spikewire_transport::protocol::Answers;
use spikewire_transport::session::Session;

use super::node::Description;
use super::tables::{self, Local, Replication};
use crate::error::{Error, Kind, Result};
use crate::framing::{Cassandra, Handshake, plain_query};

/// The id of requests, one of which is in flight at a time.
const STREAM: u16 = 1;

/// The control connection.
#[derive(Debug)]
pub struct Control {
    session: Session<Cassandra>,
    handshake: Arc<Handshake>,
    /// The address of its node.
    pub address: SocketAddr,
    /// The proxy through which it is reached, if any.
    pub proxy: Option<SocketAddr>,
    /// Timeout of a request.
    within: Duration,
    /// Whether the node knows `system.peers_v2`.
    knows_peers_v2: bool,
}

impl Control {
    /// A control connection over this session.
    pub fn new(
        session: Session<Cassandra>,
        handshake: Arc<Handshake>,
        address: SocketAddr,
        within: Duration,
    ) -> Self {
        Self { session, handshake, address, proxy: None, within, knows_peers_v2: true }
    }

    /// The protocol version in use.
    pub fn version(&self) -> Version {
        self.handshake.version
    }

    /// The handshake's parameters and the server's response.
    pub fn handshake(&self) -> Arc<Handshake> {
        self.handshake.clone()
    }

    /// A waker for [`Control::wait`].
    pub fn waker(&self) -> Result<mio::Waker> {
        self.session.waker().map_err(|error| self.broken(error))
    }

    /// Its open file descriptors.
    pub fn descriptors(&self) -> [RawFd; 2] {
        self.session.descriptors()
    }

    /// Registers for all events.
    pub fn register(&mut self) -> Result<()> {
        let mut bytes = Vec::new();
        request::register(&mut bytes, self.handshake.version, &event::KINDS)?;
        let answer = self.ask(bytes)?;
        match self.message(&answer)? {
            Message::Ready => Ok(()),
            other => Err(self.strange(&other)),
        }
    }

    /// Sends a heartbeat.
    pub fn heartbeat(&mut self) -> Result<()> {
        let mut bytes = Vec::new();
        request::options(&mut bytes, self.handshake.version)?;
        let answer = self.ask(bytes)?;
        match self.message(&answer)? {
            Message::Supported(_) => Ok(()),
            other => Err(self.strange(&other)),
        }
    }

    /// The node of this connection.
    pub fn local(&mut self) -> Result<Local> {
        let (address, proxy) = (self.address, self.proxy);
        let local = self.query(tables::LOCAL, |rows| tables::local(rows, address, proxy))?;
        self.address = local.node.address;
        Ok(local)
    }

    /// The other nodes.
    pub fn peers(&mut self) -> Result<Vec<Description>> {
        let port = self.address.port();
        if self.knows_peers_v2 {
            match self.query(tables::PEERS, |rows| tables::peers(rows, port)) {
                Err(error) if error.server().is_some_and(|it| it.code == Code::Invalid) => {
                    self.knows_peers_v2 = false;
                }
                answered => return answered,
            }
        }
        self.query(tables::OLD_PEERS, |rows| tables::peers(rows, port))
    }

    /// All keyspaces and their replication.
    pub fn keyspaces(&mut self) -> Result<Vec<(String, Replication)>> {
        self.query(tables::KEYSPACES, tables::keyspaces)
    }

    /// The keyspaces whose tablets have leaders; empty unless the session knows tablets' leaders.
    pub fn led_keyspaces(&mut self) -> Result<Vec<String>> {
        if self.handshake.agreed().tablets != TabletRouting::V2 {
            return Ok(Vec::new());
        }
        match self.query(tables::SCYLLA_KEYSPACES, tables::led_keyspaces) {
            // Servers without such keyspaces need not have the table.
            Err(error) if error.server().is_some_and(|it| it.code == Code::Invalid) => {
                Ok(Vec::new())
            }
            answered => answered,
        }
    }

    /// The next event; `None` if none arrives in time, or if the waker was used.
    pub fn wait(&mut self, until: Tick) -> Result<Option<Event>> {
        let Some(frame) = self.session.wait(until).map_err(|error| self.broken(error))? else {
            return Ok(None);
        };
        match self.message(&frame)? {
            Message::Event(event) => Ok(Some(event)),
            other => Err(self.strange(&other)),
        }
    }

    /// Executes a statement, and reads its rows.
    pub fn query<T>(
        &mut self,
        text: &str,
        read: impl FnOnce(&Rows<'_>) -> spikewire_cql::notation::Result<T>,
    ) -> Result<T> {
        let mut bytes = Vec::new();
        plain_query(&mut bytes, self.handshake.version, text)?;
        let answer = self.ask(bytes)?;
        match self.message(&answer)? {
            Message::Result(QueryResult::Rows(rows)) => {
                read(&rows).map_err(|error| self.malformed(&error))
            }
            other => Err(self.strange(&other)),
        }
    }

    fn ask(&mut self, mut request: Vec<u8>) -> Result<Vec<u8>> {
        envelope::stamp(&mut request, STREAM);
        let until = Tick::now().after(self.within);
        let answer = self.session.ask(&request, Answers::Id(STREAM), until);
        answer.map_err(|error| self.broken(error))
    }

    fn message<'a>(&self, frame: &'a [u8]) -> Result<Message<'a>> {
        match Response::read(frame) {
            Ok(Response { message: Message::Error(error), .. }) => {
                Err(Error::from_server(error).on(self.address.to_string()))
            }
            Ok(response) => Ok(response.message),
            Err(error) => Err(self.malformed(&error)),
        }
    }

    fn broken(&self, error: impl std::error::Error + Send + Sync + 'static) -> Error {
        let message = format!("control connection to node {} broke: {error}", self.address);
        let error = Error::new(Kind::Connection, message).because(Some(Arc::new(error)));
        error.on(self.address.to_string())
    }

    fn malformed(&self, error: &dyn std::fmt::Display) -> Error {
        let message = format!("node {} sent invalid bytes: {error}", self.address);
        Error::new(Kind::Malformed, message).on(self.address.to_string())
    }

    fn strange(&self, message: &Message<'_>) -> Error {
        self.malformed(&format!("a {} that nobody asked for", message.opcode().name()))
    }
}
