//! How fast one node sends a whole set: `cargo run --release --example scan -- 1000000 1000`.
//!
//! Arguments: records, bytes of each, nodes' threads (default 1), rounds (default 5). The reader
//! only counts bytes. Prints records per second and the processor time of the process, the
//! reader's included.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use spikewire_protocol::frame::{self, Kind};
use spikewire_protocol::key::{SetHasher, UserKey};
use spikewire_protocol::message::{Header, info2, op};
use spikewire_protocol::query::{Query, Share};
use spikewire_protocol::request::{Request, address};
use spikewire_protocol::value::particle;
use spikewire_server::{Cluster, Options};

fn main() -> io::Result<()> {
    let numbers: Vec<usize> = std::env::args().skip(1).filter_map(|it| it.parse().ok()).collect();
    let argument = |at: usize, default: usize| numbers.get(at).copied().unwrap_or(default);
    let (records, bytes) = (argument(0, 1_000_000), argument(1, 1000));
    let cluster = Cluster::start(Options { threads: argument(2, 1), ..Options::default() })?;
    let mut stream = TcpStream::connect(cluster.seeds()[0])?;
    fill(&mut stream, records, bytes)?;
    let query = Query { namespace: "test".to_owned(), set: "scan".to_owned(), ..Query::default() };
    let partitions: Vec<u16> = (0..4096).collect();
    for _ in 0..argument(3, 5) {
        let share = Share { id: 0, patience: 0, partitions: &partitions, points: &[], limit: 0 };
        let mut out = Vec::new();
        query.write(&share, &mut out);
        let (started, before) = (Instant::now(), processor_time());
        stream.write_all(&out)?;
        let received = drain(&mut stream)?;
        let (took, used) = (started.elapsed(), processor_time().saturating_sub(before));
        println!(
            "{:.0} records/s, {:.0} MB/s, {:.2} us of processor time per record",
            records as f64 / took.as_secs_f64(),
            received as f64 / took.as_secs_f64() / 1e6,
            used.as_secs_f64() * 1e6 / records as f64
        );
    }
    Ok(())
}

fn fill(stream: &mut TcpStream, records: usize, bytes: usize) -> io::Result<()> {
    let hasher = SetHasher::new("scan");
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
            request.digest(&hasher.digest(&UserKey::Int(key as i64)));
            let written: Result<(), io::Error> = request.op_with(op::WRITE, b"b", |out| {
                out.extend_from_slice(&value);
                Ok(particle::BLOB)
            });
            written?;
            request.finish();
        }
        stream.write_all(&out)?;
        for _ in keys {
            stream.read_exact(&mut reply)?;
            assert_eq!(reply[frame::HEADER_LEN + 5], 0, "a put failed");
        }
    }
    Ok(())
}

/// Reads up to the end of a stream; says how many bytes that were.
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
        // The end of a long stream is a message of its own.
        if header.len == 22 {
            assert_eq!(body[5], 0, "the scan failed");
            return Ok(received);
        }
    }
}

fn processor_time() -> Duration {
    // SAFETY: `usage` is a valid place for what the call writes.
    let usage = unsafe {
        let mut usage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    let of = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    of(usage.ru_utime) + of(usage.ru_stime)
}
