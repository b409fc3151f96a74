//! A query being asked, and its stream taken apart.

use std::collections::HashMap;

use spikewire_aerospike_protocol::frame::Kind;
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::query::{Answer, Point, Query, Share};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_server::Cluster;

use crate::wire::{Request, ResultBin, SET, Wire};

/// Every partition.
pub fn all() -> Vec<u16> {
    (0..4096).collect()
}

/// A scan of the usual set.
pub fn scan() -> Query {
    Query { namespace: "test".to_owned(), set: SET.to_owned(), ..Query::default() }
}

/// A share without limit and without patience for ever.
pub fn share<'a>(partitions: &'a [u16], points: &'a [Point]) -> Share<'a> {
    Share { id: 0, patience: 0, partitions, points, limit: 0 }
}

/// One record of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamRow {
    pub point: Point,
    pub set: Vec<u8>,
    pub key: Option<Vec<u8>>,
    pub generation: u32,
    pub void_time: u32,
    pub bins: Vec<ResultBin>,
}

/// What a stream brought.
#[derive(Debug, Default)]
pub struct StreamResult {
    pub rows: Vec<StreamRow>,
    /// Partitions that could not be read.
    pub unavailable: Vec<u16>,
    pub code: u8,
    /// The sizes of the frames.
    pub frames: Vec<usize>,
}

impl StreamResult {
    pub fn digests(&self) -> Vec<Digest> {
        self.rows.iter().map(|row| row.point.digest).collect()
    }

    /// The values of bin `a`, as integers.
    pub fn values(&self) -> Vec<i64> {
        let value = |row: &StreamRow| {
            let bin = row.bins.iter().find(|bin| bin.name == "a").unwrap();
            i64::from_be_bytes(bin.value.clone().try_into().unwrap())
        };
        self.rows.iter().map(value).collect()
    }

    /// The last record of each partition.
    pub fn last(&self) -> HashMap<u16, Point> {
        self.rows.iter().map(|row| (row.point.digest.partition(), row.point)).collect()
    }
}

impl Wire {
    /// Asks and reads to the end.
    pub fn query(&mut self, query: &Query, share: &Share<'_>) -> StreamResult {
        let mut out = Vec::new();
        query.write(share, &mut out).unwrap();
        self.send(&out);
        self.stream_result()
    }

    /// Reads one frame of a stream; says whether it ended it.
    pub fn read_frame(&mut self, stream: &mut StreamResult) -> std::io::Result<bool> {
        let (kind, body) = self.frame()?;
        assert_eq!(kind, Kind::Message);
        assert!(!body.is_empty());
        stream.frames.push(body.len());
        let mut rest = &body[..];
        while !rest.is_empty() {
            let (answer, used) = Answer::parse(rest).unwrap();
            rest = &rest[used..];
            match answer {
                Answer::Row(row) => stream.rows.push(StreamRow {
                    point: row.point,
                    set: row.set.to_vec(),
                    key: row.key.map(<[u8]>::to_vec),
                    generation: row.generation,
                    void_time: row.void_time,
                    bins: row
                        .ops()
                        .map(|op| ResultBin {
                            code: op.code,
                            name: String::from_utf8(op.name.to_vec()).unwrap(),
                            particle: op.particle,
                            value: op.value.to_vec(),
                        })
                        .collect(),
                }),
                Answer::Partition(pid, ResultCode::PARTITION_UNAVAILABLE) => {
                    stream.unavailable.push(pid);
                }
                Answer::Partition(pid, code) => panic!("partition {pid}: {code}"),
                Answer::End(code) => {
                    assert!(rest.is_empty(), "messages after the end");
                    stream.code = code.0;
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Reads to the end of a stream.
    pub fn stream_result(&mut self) -> StreamResult {
        let mut stream = StreamResult::default();
        while !self.read_frame(&mut stream).unwrap() {}
        stream
    }

    /// Puts records `k0`, `k1`... with their number in bin `a`.
    pub fn fill(&mut self, count: i64) {
        let requests: Vec<u8> =
            (0..count).flat_map(|at| Request::put(&format!("k{at}"), at).bytes()).collect();
        let mut writer = Wire(self.0.try_clone().unwrap());
        let sending = std::thread::spawn(move || writer.send(&requests));
        for _ in 0..count {
            assert_eq!(self.reply().unwrap().code(), 0);
        }
        sending.join().unwrap();
    }
}

/// Scans all nodes, each for its partitions, once; the same record from two nodes is an error.
pub fn scan_all(cluster: &Cluster, query: &Query, nodes: &[usize]) -> Vec<StreamRow> {
    let mut rows: Vec<StreamRow> = Vec::new();
    for node in nodes {
        let mut wire = Wire::to(cluster, *node);
        let value = wire.info("replicas");
        let maps = spikewire_aerospike_protocol::partition::Replicas::parse(&value).unwrap();
        let mine: Vec<u16> =
            all().into_iter().filter(|pid| maps[0].columns[0].contains(*pid)).collect();
        if mine.is_empty() {
            continue;
        }
        let stream = wire.query(query, &share(&mine, &[]));
        assert_eq!((stream.code, stream.unavailable.len()), (0, 0));
        rows.extend(stream.rows);
    }
    rows
}
