//! Operations, keys and values, all made before the clock starts.

/// One bin: an integer of at most so many bytes, a text, or bytes.
#[derive(Clone, Copy)]
pub enum BinSpec {
    Integer(u32),
    Text(usize),
    Bytes(usize),
}

#[derive(Clone)]
pub enum Value {
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl BinSpec {
    /// Whether a value read back is one that this bin is written with.
    pub fn fits(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Integer(size), Value::Integer(integer)) => {
                *integer >= 0 && (*integer as u64) >> (8 * size - 1) == 0
            }
            (Self::Text(size), Value::Text(text)) => text.len() == *size,
            (Self::Bytes(size), Value::Bytes(bytes)) => bytes.len() == *size,
            _ => false,
        }
    }

    fn value(&self, random: &mut Random) -> Value {
        match self {
            Self::Integer(size) => Value::Integer((random.next() >> (65 - 8 * size)) as i64),
            Self::Text(size) => Value::Text((0..*size).map(|_| random.letter()).collect()),
            Self::Bytes(size) => Value::Bytes((0..*size).map(|_| random.next() as u8).collect()),
        }
    }
}

/// `I1` or `I8,S128,B1024`.
pub fn parse_bins(text: &str) -> Result<Vec<BinSpec>, String> {
    text.split(',').map(|item| parse_bin(item.trim())).collect()
}

fn parse_bin(item: &str) -> Result<BinSpec, String> {
    let size = || item.get(1..).and_then(|digits| digits.parse().ok()).filter(|size| *size > 0);
    let spec = match (item.chars().next(), size()) {
        (Some('I'), Some(size @ 1..=8)) => Some(BinSpec::Integer(size as u32)),
        (Some('S'), Some(size)) => Some(BinSpec::Text(size)),
        (Some('B'), Some(size)) => Some(BinSpec::Bytes(size)),
        _ => None,
    };
    spec.ok_or_else(|| format!("{item:?} is not a bin"))
}

/// The read percentage of `RU,50`; inserting is left to the Python clients.
pub fn parse_workload(text: &str) -> Result<f64, String> {
    let percent = match text.split_once(',') {
        None if text == "RU" => Some(50.0),
        Some(("RU", percent)) => percent.trim().parse().ok(),
        _ => None,
    };
    percent
        .filter(|percent| (0.0..=100.0).contains(percent))
        .ok_or_else(|| format!("workload {text:?} is not measured with a Rust client"))
}

/// A key, and which record of the pool to write there; none for a read.
pub type Operation = (i64, Option<usize>);

pub const POOL: usize = 1024;
const STREAM_TOTAL: usize = 1 << 18;

pub fn value_pool(bins: &[BinSpec], seed: u64) -> Vec<Vec<Value>> {
    let mut random = Random::new(seed);
    (0..POOL).map(|_| bins.iter().map(|bin| bin.value(&mut random)).collect()).collect()
}

/// One worker's operations over uniform keys, to be repeated; the read share is exact.
pub fn stream(
    read_percent: f64,
    keys: u64,
    seed: u64,
    worker: usize,
    workers: usize,
) -> Vec<Operation> {
    let mut random = Random::new(seed ^ (worker as u64 + 1) << 32);
    let length = (STREAM_TOTAL / workers).clamp(1 << 10, 1 << 16);
    let reads = (length as f64 * read_percent / 100.0).round() as usize;
    let mut operations: Vec<Operation> = (0..length)
        .map(|at| {
            let key = random.below(keys) as i64;
            (key, (at >= reads).then(|| random.below(POOL as u64) as usize))
        })
        .collect();
    for at in (1..length).rev() {
        operations.swap(at, random.below(at as u64 + 1) as usize);
    }
    operations
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    fn letter(&mut self) -> char {
        char::from(b'a' + self.below(26) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_has_exactly_its_share_of_reads_and_stays_within_the_keys() {
        let operations = stream(75.0, 1000, 1, 0, 4);
        let reads = operations.iter().filter(|(_, write)| write.is_none()).count();
        assert_eq!(reads * 4, operations.len() * 3);
        assert!(operations.iter().all(|(key, _)| (0..1000).contains(key)));
        assert_eq!(operations, stream(75.0, 1000, 1, 0, 4));
        assert_ne!(operations, stream(75.0, 1000, 1, 1, 4));
    }

    #[test]
    fn values_fit_the_bins_that_made_them() {
        let bins = parse_bins("I1,I8,S20,B7").unwrap();
        for record in value_pool(&bins, 1) {
            assert!(bins.iter().zip(&record).all(|(bin, value)| bin.fits(value)));
        }
        assert!(!BinSpec::Integer(1).fits(&Value::Integer(128)));
        assert!(parse_bins("I9").is_err());
        assert!(parse_workload("RU,101").is_err());
    }
}
