//! Operations, keys and values, all generated before the clock starts.

/// One bin: an integer of at most this many bytes, a string, or bytes.
#[derive(Clone, Copy)]
pub enum BinSpec {
    Integer(u32),
    Text(usize),
    Bytes(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl BinSpec {
    /// The value for 64 bits: strings and bytes repeat them.
    fn value(&self, word: u64) -> Value {
        match self {
            Self::Integer(size) => Value::Integer((word >> (65 - 8 * size)) as i64),
            Self::Text(size) => {
                Value::Text(format!("{word:016x}").chars().cycle().take(*size).collect())
            }
            Self::Bytes(size) => {
                Value::Bytes(word.to_be_bytes().into_iter().cycle().take(*size).collect())
            }
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Integer(size) => *size as usize,
            Self::Text(size) | Self::Bytes(size) => *size,
        }
    }
}

/// Parses `I1` or `I8,S128,B1024`.
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

/// The read percentage of `RU,50`; the Python clients insert the records.
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

/// A key, and whether its record is written.
pub type Operation = (i64, bool);

/// As many as fit into `POOL_BYTES`; see `spikewire_lab/work/records.py`.
const POOL_SIZES: [usize; 4] = [1021, 251, 61, 13];
const POOL_BYTES: usize = 1 << 26;
const STREAM_TOTAL: usize = 1 << 18;

/// All records; that of a key is at `key % length`. The same as those of the other workers.
pub fn value_pool(bins: &[BinSpec], seed: u64) -> Vec<Vec<Value>> {
    let room = POOL_BYTES / bins.iter().map(BinSpec::size).sum::<usize>();
    let size = POOL_SIZES.into_iter().find(|size| *size <= room).unwrap_or(POOL_SIZES[3]);
    let seeded = Random::new(seed).next();
    let word = |number: usize, at: usize| Random::new(seeded ^ ((number << 32 | at) as u64)).next();
    (0..size)
        .map(|number| {
            bins.iter().enumerate().map(|(at, bin)| bin.value(word(number, at))).collect()
        })
        .collect()
}

/// One worker's operations over uniform keys, which are repeated; the read share is exact.
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
            (key, at >= reads)
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_has_exactly_its_share_of_reads_and_stays_within_the_keys() {
        let operations = stream(75.0, 1000, 1, 0, 4);
        let reads = operations.iter().filter(|(_, write)| !write).count();
        assert_eq!(reads * 4, operations.len() * 3);
        assert!(operations.iter().all(|(key, _)| (0..1000).contains(key)));
        assert_eq!(operations, stream(75.0, 1000, 1, 0, 4));
        assert_ne!(operations, stream(75.0, 1000, 1, 1, 4));
    }

    #[test]
    fn records_are_those_of_the_other_workers() {
        let bins = parse_bins("I1,I8,S20,B9").unwrap();
        let pool = value_pool(&bins, 1);
        assert_eq!(pool.len(), 1021);
        let seventh = vec![
            Value::Integer(119),
            Value::Integer(4818969551014600434),
            Value::Text("282967c7324d9c432829".to_owned()),
            Value::Bytes(vec![37, 141, 162, 12, 26, 208, 104, 56, 37]),
        ];
        assert_eq!(pool[7], seventh);
        assert_ne!(pool[7], pool[8]);
        assert_eq!(value_pool(&parse_bins("B1048576").unwrap(), 1).len(), 61);
        assert!(parse_bins("I9").is_err());
        assert!(parse_workload("RU,101").is_err());
    }
}
