//! Measures how fast one node sends a whole set, by scan and by index query.
//!
//! ```text
//! cargo run --release -p spikewire-aerospike-server --example scan [-- records [bytes [threads [rounds]]]]
//! ```
//!
//! Records have one blob and one integer. The reader is in the same process and only counts bytes.
//! Prints records per second and CPU time per record, including the reader's, then how long
//! building an index takes.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::frame::{self, Kind};
use spikewire_aerospike_protocol::info;
use spikewire_aerospike_protocol::key::{UserKey, digest};
use spikewire_aerospike_protocol::message::{Header, info2, op};
use spikewire_aerospike_protocol::query::{Collection, Index, Query, Range, Share, Subject};
use spikewire_aerospike_protocol::request::{Request, address};
use spikewire_aerospike_protocol::value::particle;
use spikewire_aerospike_server::{Cluster, Options};

fn main() -> io::Result<()> {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|it| it.parse().ok()).collect();
    let argument = |at: usize, default: usize| numbers.get(at).copied().unwrap_or(default);
    let (records, bytes) = (argument(0, 1_000_000), argument(1, 1000));
    let cluster = Cluster::start(Options { threads: argument(2, 1), ..Options::default() })?;
    let mut stream = TcpStream::connect(cluster.seeds()[0])?;
    fill(&mut stream, records, bytes)?;
    let query = Query { namespace: "test".to_owned(), set: "scan".to_owned(), ..Query::default() };
    let rounds = argument(3, 5);
    for _ in 0..rounds {
        measure("scan", &mut stream, &query, records)?;
    }
    let started = Instant::now();
    ask(&mut stream, "sindex-create:namespace=test;indexname=n;bin=n;type=numeric")?;
    let stat = "sindex-stat:namespace=test;indexname=n";
    while !ask(&mut stream, stat)?.contains("load_pct=100") {
        std::thread::sleep(Duration::from_millis(1));
    }
    println!("index filled in {:.2} s", started.elapsed().as_secs_f64());
    let range = Range::Int(i64::MIN, i64::MAX);
    let (subject, collection) = (Subject::Bin("n".to_owned()), Collection::Value);
    let index = Some(Index { subject, collection, context: None, range });
    let query = Query { index, ..query };
    for _ in 0..rounds {
        measure("index", &mut stream, &query, records)?;
    }
    Ok(())
}

fn measure(name: &str, stream: &mut TcpStream, query: &Query, records: usize) -> io::Result<()> {
    let partitions: Vec<u16> = (0..4096).collect();
    let share = Share { id: 0, patience: 0, partitions: &partitions, points: &[], limit: 0 };
    let mut out = Vec::new();
    query.write(&share, &mut out).unwrap();
    let (started, before) = (Instant::now(), processor_time());
    stream.write_all(&out)?;
    let received = drain(stream)?;
    let (took, used) = (started.elapsed(), processor_time().saturating_sub(before));
    println!(
        "{name}: {:.0} records/s, {:.0} MB/s, {:.2} us of processor time per record",
        records as f64 / took.as_secs_f64(),
        received as f64 / took.as_secs_f64() / 1e6,
        used.as_secs_f64() * 1e6 / records as f64
    );
    Ok(())
}

/// The reply to an info command.
fn ask(stream: &mut TcpStream, command: &str) -> io::Result<String> {
    let mut out = Vec::new();
    info::request(&mut out, &[command]);
    stream.write_all(&out)?;
    let mut head = [0; frame::HEADER_LEN];
    stream.read_exact(&mut head)?;
    let header = frame::Header::parse(&head).map_err(io::Error::other)?;
    let mut body = vec![0; header.map_or(0, |header| header.len)];
    stream.read_exact(&mut body)?;
    String::from_utf8(body).map_err(io::Error::other)
}

fn fill(stream: &mut TcpStream, records: usize, bytes: usize) -> io::Result<()> {
    let address = address("test", "scan");
    let value = vec![7; bytes];
    let mut out = Vec::new();
    let mut reply = [0; 30];
    for chunk in 0..records.div_ceil(1000) {
        out.clear();
        let keys = chunk * 1000..records.min(chunk * 1000 + 1000);
        for key in keys.clone() {
            let header = Header { info2: info2::WRITE, ..Header::default() };
            let mut request = Request::begin(&mut out, &header);
            request.encoded_fields(2, &address);
            request.digest(&digest("scan", &UserKey::Int(key as i64)));
            let written: Result<(), io::Error> = request.op_with(op::WRITE, b"b", |out| {
                out.extend_from_slice(&value);
                Ok(particle::BLOB)
            });
            written?;
            let written: Result<(), io::Error> = request.op_with(op::WRITE, b"n", |out| {
                out.extend_from_slice(&(key as i64).to_be_bytes());
                Ok(particle::INTEGER)
            });
            written?;
            request.finish().unwrap();
        }
        stream.write_all(&out)?;
        for _ in keys {
            stream.read_exact(&mut reply)?;
            assert_eq!(reply[frame::HEADER_LEN + 5], 0, "a put failed");
        }
    }
    Ok(())
}

/// Reads to the end of a stream; returns the number of bytes.
fn drain(stream: &mut TcpStream) -> io::Result<usize> {
    let mut body = vec![0; 2 << 20];
    let mut received = 0;
    loop {
        let mut head = [0; frame::HEADER_LEN];
        stream.read_exact(&mut head)?;
        let header = frame::Header::parse(&head).map_err(io::Error::other)?;
        let header = header.ok_or_else(|| io::Error::other("no frame"))?;
        assert_eq!(header.kind, Kind::Message);
        body.resize(body.len().max(header.len), 0);
        stream.read_exact(&mut body[..header.len])?;
        received += header.len;
        // The end of a long stream is a separate message.
        if header.len == 22 {
            assert_eq!(body[5], 0, "the scan failed");
            return Ok(received);
        }
    }
}

fn processor_time() -> Duration {
    // SAFETY: `usage` is valid for the call to write to.
    let usage = unsafe {
        let mut usage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    let of = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    of(usage.ru_utime) + of(usage.ru_stime)
}
