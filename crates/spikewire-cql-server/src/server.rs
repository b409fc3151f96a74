//! The listening socket, and a thread per connection.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;

use mio::net::TcpListener;
use mio::{Events, Interest, Poll, Token, Waker};
use spikewire_sync::Mutex;

use crate::catalog::Catalog;
use crate::conversation::Conversation;
use crate::shards::{ShardAwarePort, Sharded, Shards, Traffic};

const LISTENER: Token = Token(0);
const STOP: Token = Token(1);
/// The port on which clients choose their shard.
const CHOOSING: Token = Token(2);
/// Size of a read in bytes.
const READ: usize = 1 << 17;
/// Replies are written when there is nothing left to process, or when they reach this size.
const LONGEST_WRITE: usize = 1 << 18;

/// Options of a server.
#[derive(Debug, Clone)]
pub struct Options {
    /// The address to listen on; port 0 chooses a free one. Clients are told the same address.
    pub address: SocketAddr,
    /// Number of rows returned by a SELECT without the whole primary key.
    pub rows: usize,
    /// How the server is sharded; `None` if it is not.
    pub sharded: Option<Sharded>,
}

impl Default for Options {
    fn default() -> Self {
        Self { address: SocketAddr::from(([127, 0, 0, 1], 0)), rows: 5000, sharded: None }
    }
}

/// A running server, which ends when it is dropped.
pub struct Server {
    address: SocketAddr,
    waker: Waker,
    catalog: Arc<Catalog>,
    listening: Option<JoinHandle<()>>,
}

/// The open connections.
#[derive(Default)]
struct Connections {
    next: u64,
    open: HashMap<u64, TcpStream>,
    is_over: bool,
}

impl Server {
    /// Starts a server, which accepts connections as soon as this returns.
    pub fn start(options: &Options) -> io::Result<Self> {
        let mut listener = TcpListener::bind(options.address)?;
        let address = listener.local_addr()?;
        let poll = Poll::new()?;
        poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
        let waker = Waker::new(poll.registry(), STOP)?;
        let mut listeners = vec![(LISTENER, listener)];
        let has_port = |it: &Sharded| it.port != ShardAwarePort::None;
        let mut port = None;
        if options.sharded.as_ref().is_some_and(has_port) {
            let mut choosing = TcpListener::bind(SocketAddr::new(address.ip(), 0))?;
            port = Some(choosing.local_addr()?.port());
            poll.registry().register(&mut choosing, CHOOSING, Interest::READABLE)?;
            listeners.push((CHOOSING, choosing));
        }
        let shards = options.sharded.clone().map(|sharded| Shards::new(sharded, port));
        let catalog = Arc::new(Catalog::new(address, options.rows, shards));
        let shared = catalog.clone();
        let listening = std::thread::Builder::new()
            .name("cql-server".to_owned())
            .spawn(move || listen(poll, &listeners, &shared))?;
        Ok(Self { address, waker, catalog, listening: Some(listening) })
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The traffic of each shard; empty if there are none.
    pub fn traffic(&self) -> Vec<Traffic> {
        self.catalog.shards().map(Shards::traffic).unwrap_or_default()
    }

    /// Moves each tablet to the next shard, if there are shards.
    pub fn move_tablets(&self) {
        if let Some(shards) = self.catalog.shards() {
            shards.move_tablets();
        }
    }

    /// From now on, each partition is used too often, or not any more, if there are shards. Reads
    /// are rejected by the coordinator, writes by replicas.
    pub fn limit(&self, is_limited: bool) {
        if let Some(shards) = self.catalog.shards() {
            shards.limit(is_limited);
        }
    }

    /// Number of statements executed on user tables.
    pub fn served(&self) -> u64 {
        self.catalog.served()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.waker.wake().is_ok()
            && let Some(listening) = self.listening.take()
        {
            let _ = listening.join();
        }
    }
}

fn listen(mut poll: Poll, listeners: &[(Token, TcpListener)], catalog: &Arc<Catalog>) {
    let connections = Arc::new(Mutex::new(Connections::default()));
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    let mut events = Events::with_capacity(2);
    'listening: loop {
        match poll.poll(&mut events, None) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
            Ok(()) => {}
        }
        if events.iter().any(|event| event.token() == STOP) {
            break;
        }
        for (token, listener) in listeners {
            loop {
                match listener.accept() {
                    Ok((stream, peer)) => {
                        threads.retain(|thread| !thread.is_finished());
                        let from = (*token == CHOOSING).then_some(peer.port());
                        // If no thread can be started, the connection is closed, which its client
                        // sees.
                        threads.extend(serve(stream, from, catalog, &connections).ok().flatten());
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Err(error) if is_of_one_connection(&error) => {}
                    Err(_) => break 'listening,
                }
            }
        }
    }
    let mut connections = connections.lock();
    connections.is_over = true;
    for stream in connections.open.values() {
        let _ = stream.shutdown(Shutdown::Both);
    }
    drop(connections);
    for thread in threads {
        let _ = thread.join();
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::Interrupted
    )
}

/// Starts the thread of a connection, unless its shard refuses it. `from` is the source port, if
/// that chooses the shard.
fn serve(
    stream: mio::net::TcpStream,
    from: Option<u16>,
    catalog: &Arc<Catalog>,
    connections: &Arc<Mutex<Connections>>,
) -> io::Result<Option<JoinHandle<()>>> {
    let stream = TcpStream::from(stream);
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    let handle = stream.try_clone()?;
    let mut shard = None;
    if let Some(shards) = catalog.shards() {
        shard = shards.open(from);
        if shard.is_none() {
            return Ok(None);
        }
    }
    let (catalog, connections) = (catalog.clone(), connections.clone());
    let thread = std::thread::Builder::new().name("cql-connection".to_owned());
    let thread = thread.spawn(move || {
        let id = {
            let mut connections = connections.lock();
            if connections.is_over {
                return;
            }
            let id = connections.next;
            connections.next += 1;
            connections.open.insert(id, handle);
            id
        };
        // However the client ends the connection, that is no error here.
        let _ = converse(stream, catalog.clone(), shard);
        connections.lock().open.remove(&id);
        if let (Some(shards), Some(shard)) = (catalog.shards(), shard) {
            shards.close(shard);
        }
    });
    thread.map(Some)
}

fn converse(mut stream: TcpStream, catalog: Arc<Catalog>, shard: Option<u16>) -> io::Result<()> {
    let mut conversation = Conversation::new(catalog, shard);
    let (mut chunk, mut out) = (vec![0; READ], Vec::new());
    let mut pending: Vec<u8> = Vec::new();
    loop {
        let len = match stream.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(len) => len,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        pending.extend_from_slice(&chunk[..len]);
        let mut consumed = 0;
        loop {
            match conversation.take(&pending[consumed..], &mut out) {
                Ok(Some(len)) => consumed += len,
                Ok(None) => break,
                Err(_) => {
                    stream.write_all(&out)?;
                    return stream.shutdown(Shutdown::Both);
                }
            }
            if out.len() > LONGEST_WRITE {
                stream.write_all(&out)?;
                out.clear();
            }
        }
        pending.drain(..consumed);
        stream.write_all(&out)?;
        out.clear();
    }
}
