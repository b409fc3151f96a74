//! CQL values, tokens and replicas, without any I/O.

use std::hint::black_box;
use std::net::IpAddr;

use spikewire_cql::notation::{Malformed, Reader};
use spikewire_cql::ring::{Member, Ring, Strategy};
use spikewire_cql::token::{put_partition_key, token};
use spikewire_cql::types::{Type, Udt};
use spikewire_cql::value::{Duration, Elements, MapEntries, Sink, Value, decode, encode_bound};

use crate::{Benchmark, repeat};

/// The benchmarks of this file.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark { name: "CQL encode row", run: encode_row },
    Benchmark { name: "CQL decode row", run: decode_row },
    Benchmark { name: "CQL decode vector", run: decode_vector },
    Benchmark { name: "CQL token", run: token_of_key },
    Benchmark { name: "CQL replicas", run: replicas_of_token },
];

const TIMES: u64 = 1000;

/// The columns of every row here, and a value of each.
fn row() -> [(&'static str, Type, Value); 4] {
    let tags = ["tall", "red"].map(|tag| Value::Text(tag.to_owned())).to_vec();
    [
        ("id", Type::Bigint, Value::Bigint(42)),
        ("age", Type::Int, Value::Int(28)),
        ("name", Type::Text, Value::Text("Alice of the looking glass".to_owned())),
        ("tags", Type::list(Type::Text), Value::List(tags)),
    ]
}

fn encode_row() -> u64 {
    let row = row();
    let mut out = Vec::new();
    repeat(TIMES, || {
        out.clear();
        for (name, ty, value) in &row {
            encode_bound(name, black_box(ty), black_box(value), &mut out).expect("it fits");
        }
        black_box(&out);
    })
}

fn decode_row() -> u64 {
    let row = row();
    let mut bytes = Vec::new();
    for (name, ty, value) in &row {
        encode_bound(name, ty, value, &mut bytes).expect("it fits");
    }
    repeat(TIMES, || {
        let mut reader = Reader(black_box(&bytes));
        for (_, ty, _) in &row {
            let cell = reader.bytes().expect("it is sound");
            black_box(decode(black_box(ty), cell, &Sum).expect("it is sound"));
        }
    })
}

fn decode_vector() -> u64 {
    let ty = Type::vector(Type::Float, 256);
    let bytes = [0x3f, 0x80, 0, 0].repeat(256);
    repeat(TIMES, || {
        black_box(decode(black_box(&ty), Some(black_box(&bytes)), &Sum).expect("it is sound"));
    })
}

fn token_of_key() -> u64 {
    let mut key = Vec::new();
    repeat(TIMES, || {
        key.clear();
        let columns = [&b"user-00000042"[..], &[0, 0, 0, 7]];
        put_partition_key(black_box(columns), &mut key).expect("it is short");
        black_box(token(&key));
    })
}

fn replicas_of_token() -> u64 {
    let spread = |at: u64| at.wrapping_mul(0x9e37_79b9_7f4a_7c15).cast_signed();
    let ring = Ring::new((0..50_u64).map(|node| Member {
        node,
        dc: "dc1".to_owned(),
        rack: format!("r{}", node % 3),
        tokens: (0..256).map(|at| spread(node * 256 + at)).collect(),
    }));
    let strategy = Strategy::NetworkTopology([("dc1".to_owned(), 3.into())].into());
    let replicas = ring.replicas(&strategy).expect("a strategy with replicas");
    let mut at = 0;
    repeat(TIMES, || {
        at += 1;
        black_box(replicas.of(spread(at << 20)));
    })
}

/// Produces only a number, so that only the traversal is measured.
struct Sum;

/// Errors do not occur here.
#[derive(Debug)]
struct Unsound;

impl From<Malformed> for Unsound {
    fn from(_: Malformed) -> Self {
        Self
    }
}

type HostResult = Result<u64, Unsound>;

impl Sink for Sum {
    type Value = u64;
    type Error = Unsound;

    fn null(&self) -> HostResult {
        Ok(0)
    }
    fn boolean(&self, value: bool) -> HostResult {
        Ok(value.into())
    }
    fn tinyint(&self, value: i8) -> HostResult {
        Ok(value as u64)
    }
    fn smallint(&self, value: i16) -> HostResult {
        Ok(value as u64)
    }
    fn int(&self, value: i32) -> HostResult {
        Ok(value as u64)
    }
    fn bigint(&self, value: i64) -> HostResult {
        Ok(value as u64)
    }
    fn float(&self, value: f32) -> HostResult {
        Ok(value.to_bits().into())
    }
    fn double(&self, value: f64) -> HostResult {
        Ok(value.to_bits())
    }
    fn text(&self, value: &str) -> HostResult {
        Ok(value.len() as u64)
    }
    fn blob(&self, value: &[u8]) -> HostResult {
        Ok(value.len() as u64)
    }
    fn varint(&self, value: &[u8]) -> HostResult {
        self.blob(value)
    }
    fn decimal(&self, _: i32, digits: &[u8]) -> HostResult {
        self.blob(digits)
    }
    fn uuid(&self, value: [u8; 16]) -> HostResult {
        self.blob(&value)
    }
    fn inet(&self, value: IpAddr) -> HostResult {
        Ok(value.is_ipv6().into())
    }
    fn timestamp(&self, milliseconds: i64) -> HostResult {
        self.bigint(milliseconds)
    }
    fn date(&self, days: i32) -> HostResult {
        self.int(days)
    }
    fn time(&self, nanoseconds: i64) -> HostResult {
        self.bigint(nanoseconds)
    }
    fn duration(&self, value: Duration) -> HostResult {
        self.bigint(value.nanoseconds)
    }
    fn list<I: Elements<u64, Unsound>>(&self, _: &Type, items: &mut I) -> HostResult {
        items.sum()
    }
    fn set<I: Elements<u64, Unsound>>(&self, _: &Type, items: &mut I) -> HostResult {
        items.sum()
    }
    fn map<I: MapEntries<u64, Unsound>>(&self, _: &Type, _: &Type, entries: &mut I) -> HostResult {
        entries.map(|entry| entry.map(|(key, value)| key.wrapping_add(value))).sum()
    }
    fn tuple<I: Elements<u64, Unsound>>(&self, _: &[Type], components: &mut I) -> HostResult {
        components.sum()
    }
    fn udt<I: Elements<u64, Unsound>>(&self, _: &Udt, fields: &mut I) -> HostResult {
        fields.sum()
    }
}
