//! Measures the memory per record and the CPU time per operation.
//!
//! ```text
//! cargo run --release -p spikewire-aerospike-server --example load [-- records [seconds]]
//! ```
//!
//! Memory: growth of this process's resident set while records of one integer bin are written to a
//! cluster inside it, divided by records and by copies. Operations: a raw client in the same
//! process writes requests in groups and reads the replies; the server's share is the CPU time of
//! its own thread, as reported by the system. Batches: the same with requests of many rows,
//! counting rows. Needs Linux's `/proc`.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::batch::{self, flag};
use spikewire_aerospike_protocol::key::{UserKey, digest};
use spikewire_aerospike_protocol::message::{Header, info1, info2, op};
use spikewire_aerospike_protocol::request::{Request, address};
use spikewire_aerospike_protocol::value::particle;
use spikewire_aerospike_server::{Cluster, NamespaceOptions, Options};

const SET: &str = "demo";
const REPLY_PUT: usize = 30;
const REPLY_GET: usize = 30 + 17;
/// Size of the reply to one row of a batch of reads, and overhead of a reply block.
const REPLY_ROW: usize = 22 + 17;
const REPLY_BATCH: usize = 8 + 30;
/// Row replies per block.
const ROWS_PER_BLOCK: usize = 131_032 / REPLY_ROW;

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let mut next = |default| arguments.next().and_then(Result::ok).unwrap_or(default);
    let (records, seconds) = (next(1_000_000), next(3));
    println!("{records} records of one integer bin, named by one letter");
    for (nodes, factor) in [(1, 1), (3, 2)] {
        memory(records, nodes, factor)?;
    }
    println!();
    println!(
        "{:<34} {:>12} {:>14} {:>16}",
        "requests", "operations/s", "server ns/op", "server limit/s"
    );
    let cluster = start(1, 1)?;
    fill(cluster.seeds()[0], 100_000)?;
    for (connections, group) in [(1, 32), (1, 128), (8, 32), (1, 1), (32, 1)] {
        for share in [0, 50, 100] {
            let name = format!("{connections} connections x {group}, {share} % writes");
            let groups = groups(group, share);
            speed(&cluster, &name, connections, group, &groups, Duration::from_secs(seconds))?;
        }
    }
    for (connections, rows) in [(1, 16), (1, 128), (8, 128), (1, 1024), (1, 10_000)] {
        let name = format!("{connections} connections, batch of {rows} reads");
        let groups = batches(rows);
        speed(&cluster, &name, connections, rows, &groups, Duration::from_secs(seconds))?;
    }
    Ok(())
}

fn start(nodes: usize, replication_factor: usize) -> io::Result<Cluster> {
    let namespace = NamespaceOptions { replication_factor, ..NamespaceOptions::default() };
    Cluster::start(Options { nodes, namespaces: vec![namespace], ..Options::default() })
}

fn memory(records: u64, nodes: usize, factor: usize) -> io::Result<()> {
    let cluster = start(nodes, factor)?;
    fill(cluster.seeds()[0], 4096)?;
    let before = resident()?;
    fill(cluster.seeds()[0], records)?;
    let grown = (resident()? - before) as f64;
    let per_record = grown / (records - 4096) as f64;
    println!(
        "{nodes} node(s), {factor} copies: {per_record:.0} bytes per record, {:.0} per copy",
        per_record / factor as f64
    );
    Ok(())
}

fn request(out: &mut Vec<u8>, fields: &[u8], key: u64, write: bool) {
    let header = if write {
        Header { info2: info2::WRITE, ..Header::default() }
    } else {
        Header { info1: info1::READ | info1::GET_ALL, ..Header::default() }
    };
    let mut request = Request::begin(out, &Header { timeout: 1000, ..header });
    request.encoded_fields(2, fields);
    request.digest(&digest(SET, &UserKey::Int(key as i64)));
    if write {
        let done: Result<(), ()> = request.op_with(op::WRITE, b"a", |out| {
            out.extend_from_slice(&key.to_be_bytes());
            Ok(particle::INTEGER)
        });
        done.unwrap_or_default();
    }
    request.finish().unwrap();
}

fn fill(seed: SocketAddr, records: u64) -> io::Result<()> {
    let fields = address("test", SET);
    let mut stream = TcpStream::connect(seed)?;
    let (mut out, mut replies) = (Vec::new(), vec![0; REPLY_PUT * 256]);
    let mut key = 0;
    while key < records {
        out.clear();
        let count = (records - key).min(256);
        for key in key..key + count {
            request(&mut out, &fields, key, true);
        }
        stream.write_all(&out)?;
        stream.read_exact(&mut replies[..count as usize * REPLY_PUT])?;
        key += count;
    }
    Ok(())
}

/// A group of encoded requests, and the length of its replies.
struct Group {
    bytes: Vec<u8>,
    replies: usize,
}

/// Draws random keys, the same in every run.
fn draw() -> impl FnMut() -> u64 {
    let mut random = 12_345_u64;
    move || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        random >> 33
    }
}

/// Batches of reads of whole records, one batch in each group.
fn batches(rows: usize) -> Vec<Group> {
    let (address, mut draw) = (address("test", SET), draw());
    let header = Header { info1: info1::READ | info1::GET_ALL, ..Header::default() };
    let mut kind = batch::Kind::new(&header, &address);
    kind.finish().unwrap();
    let flags = flag::INLINE | flag::RESPOND_ALL | flag::REPORT_ERROR;
    let blocks = rows.div_ceil(ROWS_PER_BLOCK);
    let replies = REPLY_BATCH + rows * REPLY_ROW + (blocks - 1) * 8;
    (0..20_000_usize.div_ceil(rows))
        .map(|_| {
            let mut bytes = Vec::new();
            let mut batch = batch::Writer::begin(&mut bytes, 1000, flags);
            for index in 0..rows {
                let digest = digest(SET, &UserKey::Int((draw() % 100_000) as i64));
                batch.row(index as u32, &digest, kind.as_bytes(), kind.is_repeatable());
            }
            batch.finish().unwrap();
            Group { bytes, replies }
        })
        .collect()
}

fn groups(size: usize, write_percent: u64) -> Vec<Group> {
    let (fields, mut draw) = (address("test", SET), draw());
    (0..20_000 / size)
        .map(|_| {
            let mut group = Group { bytes: Vec::new(), replies: 0 };
            for _ in 0..size {
                let write = draw() % 100 < write_percent;
                request(&mut group.bytes, &fields, draw() % 100_000, write);
                group.replies += if write { REPLY_PUT } else { REPLY_GET };
            }
            group
        })
        .collect()
}

fn speed(
    cluster: &Cluster,
    name: &str,
    connections: usize,
    size: usize,
    groups: &[Group],
    length: Duration,
) -> io::Result<()> {
    let seed = cluster.seeds()[0];
    let mut streams: Vec<TcpStream> =
        (0..connections).map(|_| TcpStream::connect(seed)).collect::<io::Result<_>>()?;
    for stream in &streams {
        stream.set_nodelay(true)?;
    }
    let mut replies = vec![0; REPLY_GET * size + REPLY_BATCH];
    let (before, started, mut done, mut at) = (server_time()?, Instant::now(), 0_u64, 0);
    while started.elapsed() < length {
        let first = at;
        for stream in &mut streams {
            stream.write_all(&groups[at % groups.len()].bytes)?;
            at += 1;
        }
        for (place, stream) in streams.iter_mut().enumerate() {
            let expected = groups[(first + place) % groups.len()].replies;
            stream.read_exact(&mut replies[..expected])?;
        }
        done += (connections * size) as u64;
    }
    let elapsed = started.elapsed().as_secs_f64();
    let busy = server_time()?.saturating_sub(before).as_nanos() as f64 / done as f64;
    println!("{name:<34} {:>12.0} {busy:>14.0} {:>16.0}", done as f64 / elapsed, 1e9 / busy);
    Ok(())
}

/// CPU time of the threads that serve connections.
fn server_time() -> io::Result<Duration> {
    let mut total = 0;
    for entry in fs::read_dir("/proc/self/task")? {
        let path = entry?.path();
        let name = fs::read_to_string(path.join("comm")).unwrap_or_default();
        if name.starts_with("spikewire-node") {
            let text = fs::read_to_string(path.join("schedstat"))?;
            total += text.split(' ').next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
        }
    }
    Ok(Duration::from_nanos(total))
}

fn resident() -> io::Result<i64> {
    let text = fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<i64>().ok());
    Ok(kilobytes.unwrap_or(0) * 1024)
}
