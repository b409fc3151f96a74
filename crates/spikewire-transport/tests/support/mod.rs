//! A small protocol with everything that Aerospike's lacks, and a threaded server for it.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::fmt;
use std::io::{self, Cursor, Read, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use spikewire_transport::protocol::{
    Answers, Disposition, Frame, Framing, HandshakeStep, Malformed, OpenResult, ReplyKind,
    RequestInfo, RequestKind, Sharing,
};
use spikewire_transport::ready::ReadyConnections;
use spikewire_transport::topology::{Endpoint, Preference, Settings, Target};
use spikewire_transport::{
    Breaker, Command, CommandError, Encryption, Fault, FaultKind, Health, Metrics, Multiplexer,
    OrderKey, Outcome, Policy, Protocol, ResponseHandler, Tick, Topology,
};

/// Far more than anything here takes, so that a slow machine does not fail a test.
pub const LONG: Duration = Duration::from_secs(60);
/// Long enough to connect and to send on a busy machine.
pub const SOON: Duration = Duration::from_secs(1);

/// Waits until `holds` returns true; panics with `what` if that takes too long.
#[track_caller]
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < LONG, "still waiting: {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Number of ids per connection.
pub const IDS: u16 = 8;
/// Bytes of length, id and kind.
pub const HEADER: usize = 7;
const LARGEST: usize = 64 << 20;
const EVENT: u16 = u16::MAX;
/// The id of a frame that says why the server ends the connection.
pub const VERDICT: u16 = u16::MAX - 1;

/// Commands about this many rows have connections of their own.
pub const HEAVY: usize = 100;

/// Kinds of frames.
pub const DONE: u8 = 0;
pub const MORE: u8 = 1;
pub const RETRY: u8 = 2;
pub const RETRY_DOUBTFUL: u8 = 3;
pub const LAST_WORD: u8 = 4;
pub const RETURNED: u8 = 5;
pub const REFUSED: u8 = 6;

pub fn frame(id: u16, kind: u8, body: &[u8]) -> Vec<u8> {
    let mut out = (body.len() as u32).to_be_bytes().to_vec();
    out.extend_from_slice(&id.to_be_bytes());
    out.push(kind);
    out.extend_from_slice(body);
    out
}

pub fn event(body: &[u8]) -> Vec<u8> {
    frame(EVENT, DONE, body)
}

/// Maximum number of bytes in a segment that the client writes.
const SEGMENT: usize = 1 << 20;

/// Sizes of the segments that the server writes, in turn: frames begin and end anywhere.
const PIECES: [usize; 6] = [1, 5, 0, 3, 1000, 70_000];

fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |sum, byte| sum.wrapping_add((*byte).into()))
}

/// One segment: length, checksum, payload.
fn segment(payload: &[u8]) -> Vec<u8> {
    let len = (payload.len() as u32).to_be_bytes();
    [&len[..], &checksum(payload).to_be_bytes(), payload].concat()
}

/// Splits bytes into segments as the server does.
pub fn segments(mut bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for size in PIECES.iter().cycle() {
        if bytes.is_empty() {
            break;
        }
        let (piece, rest) = bytes.split_at(bytes.len().min(*size));
        out.extend(segment(piece));
        bytes = rest;
    }
    out
}

/// The protocol. A body consists of its frame's kind and the bytes. If `SEALED`, both sides split
/// their output into segments, beginning after the first reply of the server.
#[derive(Debug, Default)]
pub struct Toy<const SEALED: bool, const COUNT: u16 = IDS> {
    steps: usize,
}

impl<const SEALED: bool, const COUNT: u16> Toy<SEALED, COUNT> {
    /// After the handshake.
    pub fn after_handshake() -> Self {
        Self { steps: 4 }
    }
}

impl<const SEALED: bool, const COUNT: u16> Framing for Toy<SEALED, COUNT> {
    const SEALS: bool = SEALED;
    const OPENS: bool = SEALED;

    fn next_handshake_step(&mut self, input: Option<&[u8]>, out: &mut Vec<u8>) -> HandshakeStep {
        let (expected, answer): (Option<&[u8]>, &[u8]) = match self.steps {
            0 => (None, b"hello"),
            1 => (Some(b"\0who"), b"a test"),
            2 => (Some(b"\0how"), b"quickly"),
            _ => (Some(b"\0ready"), b""),
        };
        if input != expected {
            return HandshakeStep::Failed("the server does not like us".to_owned());
        }
        self.steps += 1;
        if answer.is_empty() {
            return HandshakeStep::Ready;
        }
        out.extend_from_slice(&frame(0, DONE, answer));
        HandshakeStep::Wait
    }

    fn cut(&mut self, bytes: &[u8]) -> Result<Option<Frame>, Malformed> {
        let Some(head) = bytes.first_chunk::<HEADER>() else { return Ok(None) };
        let body = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        if body > LARGEST {
            return Err(Malformed(format!("a frame of {body} bytes").into()));
        }
        let id = u16::from_be_bytes([head[4], head[5]]);
        let answers = match id {
            EVENT => Answers::Event,
            VERDICT => Answers::Connection,
            id => Answers::Id(id),
        };
        Ok(Some(Frame { header: HEADER - 1, len: HEADER + body, answers }))
    }

    fn close_reason(&self, body: &[u8]) -> String {
        String::from_utf8_lossy(&body[1..]).into_owned()
    }

    fn seals(&self) -> bool {
        self.steps > 1
    }

    fn seal(&mut self, out: &mut Vec<u8>, from: usize) {
        let plain = out.split_off(from);
        plain.chunks(SEGMENT).for_each(|piece| out.extend(segment(piece)));
    }

    fn opens(&self) -> bool {
        self.steps > 1
    }

    fn open(&mut self, sealed: &[u8], plain: &mut Vec<u8>) -> Result<OpenResult, Malformed> {
        let Some((head, rest)) = sealed.split_first_chunk::<8>() else {
            return Ok(OpenResult::Awaits(0));
        };
        let len = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        if len > SEGMENT {
            return Err(Malformed(format!("a segment of {len} bytes").into()));
        }
        let Some(payload) = rest.get(..len) else { return Ok(OpenResult::Awaits(8 + len)) };
        if checksum(payload).to_be_bytes() != head[4..] {
            return Err(Malformed("a segment with a wrong checksum".into()));
        }
        plain.extend_from_slice(payload);
        Ok(OpenResult::Took(8 + len))
    }

    fn classify(&mut self, body: &[u8], request: RequestInfo) -> Result<Disposition, Malformed> {
        let outcome = match body[0] {
            DONE | LAST_WORD | REFUSED => ReplyKind::Done,
            MORE if request.many => ReplyKind::More,
            RETRY => ReplyKind::Retry { doubtful: false },
            RETRY_DOUBTFUL => ReplyKind::Retry { doubtful: true },
            RETURNED => ReplyKind::Returned,
            kind => return Err(Malformed(format!("a frame of kind {kind}").into())),
        };
        Ok(Disposition { outcome, closes: body[0] == LAST_WORD })
    }
}

impl<const SEALED: bool, const COUNT: u16> Protocol for Toy<SEALED, COUNT> {
    type Topology = Nodes;
    type Code = u8;

    const IDS: Option<u16> = Some(COUNT);
    const BURST: usize = 64;
    const FIRST_ID: u16 = if COUNT > IDS { 1 } else { 0 };

    fn new(_: &Nodes, _: &Node) -> Self {
        Self::default()
    }

    fn code(body: &[u8]) -> u8 {
        body[0]
    }

    fn server_error(body: &[u8]) -> Failed {
        Failed::new(None, format!("refused with {}", body[0]))
    }

    fn is_server_error(body: &[u8]) -> bool {
        body[0] == REFUSED
    }

    fn stamp(&mut self, request: &mut [u8], id: u16, _: Duration) {
        request[4..6].copy_from_slice(&id.to_be_bytes());
    }

    fn sharing(_: usize, rows: usize, _: RequestKind) -> Sharing {
        if rows >= HEAVY { Sharing::Alone } else { Sharing::Shared }
    }
}

/// The same frames, without a handshake.
#[derive(Debug)]
pub struct Bare;

impl Framing for Bare {
    fn cut(&mut self, bytes: &[u8]) -> Result<Option<Frame>, Malformed> {
        <Toy<false>>::default().cut(bytes)
    }
}

#[derive(Debug)]
pub struct Node {
    address: SocketAddr,
    encryption: Option<Encryption>,
    pub breaker: Breaker,
    pub health: Health,
    pub ready: ReadyConnections,
    pub lost: AtomicBool,
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "toy {}", self.address)
    }
}

impl Endpoint for Node {
    fn key(&self) -> u32 {
        7
    }

    fn address(&self) -> SocketAddr {
        self.address
    }

    fn encryption(&self) -> Option<Encryption> {
        self.encryption.clone()
    }

    fn is_active(&self) -> bool {
        true
    }

    fn is_lost(&self) -> bool {
        self.lost.load(SeqCst)
    }

    fn ready_connections(&self) -> Option<&ReadyConnections> {
        Some(&self.ready)
    }

    fn breaker(&self) -> &Breaker {
        &self.breaker
    }

    fn health(&self) -> &Health {
        &self.health
    }
}

/// A cluster of one node.
#[derive(Debug)]
pub struct Nodes {
    pub node: Arc<Node>,
    pub settings: Settings,
    pub events: Mutex<Vec<Vec<u8>>>,
    pub refreshes: AtomicU32,
    /// Attempts that were reported as failed: why, and which attempt it was.
    pub failed: Mutex<Vec<(String, u32)>>,
    /// How much longer commands pause after a failed attempt.
    pub pause: Duration,
    /// How often the node was reported as silent.
    pub silent: AtomicU32,
    /// The metrics, and how often their switch was read.
    pub metrics: Metrics,
    pub metrics_reads: AtomicU32,
}

/// A command's target: whether it writes, and what it is about.
#[derive(Debug, Clone)]
pub struct Writes(pub bool, pub OrderKey);

impl Target for Writes {
    fn writes(&self) -> bool {
        self.0
    }

    fn order(&self) -> OrderKey {
        self.1
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stay;

impl Preference for Stay {
    fn moves_on(self) -> bool {
        false
    }
}

/// An error of the protocol; without a fault it was returned by the server.
#[derive(Debug, Clone)]
pub struct Failed {
    pub kind: Option<FaultKind>,
    pub message: String,
    pub node: Option<String>,
    pub attempts: u32,
    pub in_doubt: bool,
    /// Why earlier attempts failed.
    pub earlier: Vec<String>,
}

impl Failed {
    fn new(kind: Option<FaultKind>, message: String) -> Self {
        Self { kind, message, node: None, attempts: 0, in_doubt: false, earlier: Vec::new() }
    }
}

impl From<Fault> for Failed {
    fn from(fault: Fault) -> Self {
        Self { node: fault.node, ..Self::new(Some(fault.kind), fault.message) }
    }
}

impl CommandError for Failed {
    fn after(self, attempts: u32, in_doubt: bool) -> Self {
        Self { attempts, in_doubt, ..self }
    }

    fn tried(&self) -> (u32, bool) {
        (self.attempts, self.in_doubt)
    }

    fn on(self, node: String) -> Self {
        Self { node: Some(node), ..self }
    }

    fn is_final(&self) -> bool {
        matches!(self.kind, Some(FaultKind::Closed | FaultKind::Busy))
    }
}

impl Topology for Nodes {
    type Node = Node;
    type Target = Writes;
    type Preference = Stay;
    type Error = Failed;
    type Router = ();

    fn router(&self) {}

    fn route(&self, (): &(), _: &Writes, _: Stay, _: u32) -> Result<Arc<Node>, Failed> {
        Ok(self.node.clone())
    }

    fn settings(&self) -> Settings {
        self.settings
    }

    fn is_closed(&self) -> bool {
        false
    }

    fn metrics(&self) -> Option<&Metrics> {
        self.metrics_reads.fetch_add(1, SeqCst);
        Some(&self.metrics)
    }

    fn refresh_soon(&self) {
        self.refreshes.fetch_add(1, SeqCst);
    }

    fn attempt_failed(&self, _: &mut Writes, error: &Failed, number: u32) -> Duration {
        self.failed.lock().unwrap().push((error.message.clone(), number));
        self.pause
    }

    fn conclude(&self, _: &mut Writes, error: Failed) -> Failed {
        let earlier = std::mem::take(&mut *self.failed.lock().unwrap());
        Failed { earlier: earlier.into_iter().map(|(why, _)| why).collect(), ..error }
    }

    fn has_alternative(&self, _: &Writes, _: Stay, _: &Node) -> bool {
        false
    }

    fn suspects(&self, _: &Arc<Node>) {
        self.silent.fetch_add(1, SeqCst);
    }

    fn event(&self, _: &Arc<Node>, frame: &[u8]) {
        self.events.lock().unwrap().push(frame[1..].to_vec());
    }
}

/// A ticket: a number, and the parts of the reply so far.
#[derive(Debug)]
pub struct Ticket(pub usize, pub Vec<u8>);

impl ResponseHandler for Ticket {
    fn collect(&mut self, body: &[u8]) {
        self.1.extend_from_slice(&body[1..]);
    }
}

/// A request as the server sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Which connection, from 0.
    pub connection: usize,
    /// Which segment of that connection it ends in, from 0 after the handshake; 0 without segments.
    pub segment: usize,
    pub id: u16,
    pub body: Vec<u8>,
}

impl Request {
    /// A frame that answers it.
    pub fn answer(&self, kind: u8, body: &[u8]) -> Vec<u8> {
        frame(self.id, kind, body)
    }
}

/// What the server does with a request: returns bytes to send now.
pub type Script = Box<dyn FnMut(Request) -> Vec<u8> + Send>;

/// How the server behaves in the handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manners {
    Polite,
    /// Sends an event in the same write that ends the handshake.
    Chatty,
    Rude,
    Silent,
}

/// A server. Its threads end with the test process or with their connections.
pub struct Server {
    pub address: SocketAddr,
    /// Connections accepted.
    pub accepted: Arc<AtomicU32>,
    /// Connections that have ended.
    pub ended: Arc<AtomicU32>,
    /// Whether a request arrived before the end of a handshake.
    pub hasty: Arc<AtomicBool>,
    streams: Arc<Mutex<Vec<TcpStream>>>,
}

impl Server {
    pub fn start(sealed: bool, manners: Manners, script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (accepted, hasty) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(false)));
        let (ended, streams) = (Arc::new(AtomicU32::new(0)), Arc::new(Mutex::new(Vec::new())));
        let (count, early, script) =
            (accepted.clone(), hasty.clone(), Arc::new(Mutex::new(script)));
        let (over, open) = (ended.clone(), streams.clone());
        thread::spawn(move || {
            for (connection, stream) in listener.incoming().flatten().enumerate() {
                open.lock().unwrap().push(stream.try_clone().unwrap());
                count.fetch_add(1, SeqCst);
                let (script, early, over) = (script.clone(), early.clone(), over.clone());
                thread::spawn(move || {
                    serve(stream, connection, sealed, manners, &script, &early);
                    over.fetch_add(1, SeqCst);
                });
            }
        });
        Self { address, accepted, ended, hasty, streams }
    }

    /// Closes this connection.
    pub fn close(&self, connection: usize) {
        self.streams.lock().unwrap()[connection].shutdown(Shutdown::Both).unwrap();
    }

    /// Sends bytes on this connection, now.
    pub fn send(&self, connection: usize, bytes: &[u8]) {
        self.streams.lock().unwrap()[connection].write_all(bytes).unwrap();
    }
}

fn serve(
    mut stream: TcpStream,
    connection: usize,
    sealed: bool,
    manners: Manners,
    script: &Mutex<Script>,
    hasty: &AtomicBool,
) -> Option<()> {
    let steps: [(&[u8], &[u8]); 3] =
        [(b"hello", b"who"), (b"a test", b"how"), (b"quickly", b"ready")];
    stream.set_nodelay(true).ok()?;
    let mut requests = Requests::new(&stream)?;
    for (step, (expected, answer)) in steps.into_iter().enumerate() {
        let (_, body) = read_frame(&mut requests)?;
        if body != expected {
            hasty.store(true, SeqCst);
        }
        let mut out = frame(0, DONE, if manners == Manners::Rude { b"no" } else { answer });
        match manners {
            Manners::Silent => continue,
            Manners::Chatty if answer == b"ready" => out.extend(event(b"welcome")),
            _ => {}
        }
        // Anything sent before the reply is too early.
        stream.set_nonblocking(true).ok()?;
        hasty.fetch_or(stream.peek(&mut [0]).is_ok_and(|size| size > 0), SeqCst);
        stream.set_nonblocking(false).ok()?;
        stream.write_all(&if requests.sealed { segments(&out) } else { out }).ok()?;
        // From the first reply on, in both directions.
        requests.sealed = sealed && step == 0 || requests.sealed;
    }
    requests.read = 0;
    while let Some((id, body)) = read_frame(&mut requests) {
        let segment = requests.read.saturating_sub(1);
        let out = (script.lock().unwrap())(Request { connection, segment, id, body });
        stream.write_all(&if sealed { segments(&out) } else { out }).ok()?;
    }
    Some(())
}

/// A client's requests, unsealed.
struct Requests {
    stream: TcpStream,
    sealed: bool,
    /// Segments read.
    read: usize,
    plain: Cursor<Vec<u8>>,
}

impl Requests {
    fn new(stream: &TcpStream) -> Option<Self> {
        let (sealed, read, plain) = (false, 0, Cursor::default());
        Some(Self { stream: stream.try_clone().ok()?, sealed, read, plain })
    }
}

impl Read for Requests {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if !self.sealed {
            return self.stream.read(out);
        }
        while self.plain.position() == self.plain.get_ref().len() as u64 {
            let mut head = [0; 8];
            self.stream.read_exact(&mut head)?;
            let mut payload = vec![0; u32::from_be_bytes(*head.first_chunk().unwrap()) as usize];
            self.stream.read_exact(&mut payload)?;
            assert_eq!(checksum(&payload).to_be_bytes(), head[4..], "the checksum");
            self.plain = Cursor::new(payload);
            self.read += 1;
        }
        self.plain.read(out)
    }
}

pub fn read_frame(stream: &mut impl Read) -> Option<(u16, Vec<u8>)> {
    let mut head = [0; HEADER];
    stream.read_exact(&mut head).ok()?;
    let mut body = vec![0; u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize];
    stream.read_exact(&mut body).ok()?;
    Some((u16::from_be_bytes([head[4], head[5]]), body))
}

/// How a command ended: its reply and the attempts it took.
pub type Ending = Result<(Vec<u8>, u32), Failed>;

/// A driver of the multiplexer under test.
pub struct Bench<const SEALED: bool> {
    pub nodes: Arc<Nodes>,
    pub multiplexer: Multiplexer<Toy<SEALED>, Ticket>,
    pub endings: Vec<(usize, Ending)>,
    /// Whether the node counts as one that answers, whatever it does: nobody asks it here.
    pub is_trusted: bool,
}

pub fn settings() -> Settings {
    let in_flight = usize::MAX;
    let (depth, queue) = (512, 1000);
    Settings { connections_per_node: 1, depth, queue, in_flight, connect_timeout: LONG, idle: LONG }
}

pub fn policy(timeout: Duration) -> Policy<Stay> {
    Policy { timeout, max_retries: 0, ..Policy::default() }
}

/// The cluster of the server at this address.
pub fn nodes(address: SocketAddr, settings: Settings) -> Arc<Nodes> {
    secure_nodes(address, None, settings)
}

/// The same, encrypted.
pub fn secure_nodes(
    address: SocketAddr,
    encryption: Option<Encryption>,
    settings: Settings,
) -> Arc<Nodes> {
    let (breaker, health, ready, lost) = Default::default();
    Arc::new(Nodes {
        node: Arc::new(Node { address, encryption, breaker, health, ready, lost }),
        settings,
        events: Mutex::default(),
        refreshes: AtomicU32::new(0),
        failed: Mutex::default(),
        pause: Duration::ZERO,
        silent: AtomicU32::new(0),
        metrics: Metrics::default(),
        metrics_reads: AtomicU32::new(0),
    })
}

impl<const SEALED: bool> Bench<SEALED> {
    pub fn new(address: SocketAddr, settings: Settings) -> Self {
        Self::of(nodes(address, settings))
    }

    /// For a driver that keeps the order of commands with the same key.
    pub fn ordered(nodes: Arc<Nodes>) -> Self {
        let multiplexer = Multiplexer::for_loop(nodes.clone()).unwrap();
        Self { nodes, multiplexer, endings: Vec::new(), is_trusted: true }
    }

    pub fn of(nodes: Arc<Nodes>) -> Self {
        let multiplexer = Multiplexer::new(nodes.clone()).unwrap();
        Self { nodes, multiplexer, endings: Vec::new(), is_trusted: true }
    }

    pub fn command(
        number: usize,
        body: &[u8],
        policy: Policy<Stay>,
    ) -> Box<Command<Writes, Stay, Ticket>> {
        let ticket = Ticket(number, Vec::new());
        let mut command = Command::new(
            frame(0, DONE, body),
            Writes(true, OrderKey::NONE),
            policy,
            Tick::now(),
            ticket,
        );
        command.stream = true;
        command
    }

    /// Submits without a flush.
    pub fn submit(&mut self, number: usize, body: &[u8], policy: Policy<Stay>) {
        let command = Self::command(number, body, policy);
        self.multiplexer.submit(command, Tick::now());
    }

    pub fn flush(&mut self) {
        self.multiplexer.flush(Tick::now(), &mut into(&mut self.endings));
    }

    /// One round of what a driver does repeatedly.
    pub fn turn(&mut self) {
        let mut deliver = into(&mut self.endings);
        self.multiplexer.flush(Tick::now(), &mut deliver);
        self.multiplexer.turn(Some(Duration::from_millis(1)), &mut deliver).unwrap();
        let now = Tick::now();
        if self.multiplexer.alarm() <= now {
            self.multiplexer.expire(now, &mut deliver);
        }
        if self.is_trusted {
            self.nodes.node.health.answered(now);
        }
    }

    pub fn turn_until(&mut self, what: &str, mut holds: impl FnMut(&mut Self) -> bool) {
        let start = Instant::now();
        while !holds(self) {
            assert!(start.elapsed() < LONG, "still waiting: {what}");
            self.turn();
        }
    }

    pub fn ending(&mut self, number: usize) -> Ending {
        self.turn_until("a command ends", |bench| {
            bench.endings.iter().any(|(known, _)| *known == number)
        });
        let at = self.endings.iter().position(|(known, _)| *known == number).unwrap();
        self.endings.remove(at).1
    }

    pub fn failure(&mut self, number: usize) -> Failed {
        self.ending(number).unwrap_err()
    }
}

fn into<const SEALED: bool>(
    endings: &mut Vec<(usize, Ending)>,
) -> impl FnMut(Ticket, Outcome<'_, Toy<SEALED>>) + '_ {
    |Ticket(number, mut parts), outcome| {
        let ending = outcome.map(|reply| {
            parts.extend_from_slice(&reply.body[1..]);
            (parts, reply.attempts.count)
        });
        endings.push((number, ending));
    }
}
