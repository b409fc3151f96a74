//! The file of a recording, read back.

use std::path::Path;

use super::RecordingState;
use super::format::{
    BLOCK_HEADER_LEN, FILE_HEADER_LEN, KEY_LEN, MAGIC, MOST_INSIDE, Reader, VERSION, block, flag,
};

/// Why a trace cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The file cannot be read at all.
    #[error(transparent)]
    File(#[from] std::io::Error),
    /// It is something else.
    #[error(
        "not a trace of client.record: it does not begin with {:?}",
        String::from_utf8_lossy(MAGIC)
    )]
    Foreign,
    /// It was written by a later version.
    #[error(
        "a trace of version {0}, and this is able to read version {VERSION}: use a newer client"
    )]
    Newer(u16),
    /// The end is missing; so many calls are there.
    #[error(
        "the trace is cut off after {0} calls: its recording goes on, or its process ended without \
         stopping it"
    )]
    Truncated(usize),
    /// It was changed since, at this offset.
    #[error("the trace is damaged at byte {0}")]
    Damaged(usize),
}

/// The calls of a trace in columns of equal length, sorted by arrival.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// Microseconds since the beginning.
    pub arrival: Vec<u64>,
    /// Microseconds until the end of the call.
    pub latency: Vec<u64>,
    /// Its kind: an index into [`Trace::labels`].
    pub operation: Vec<u32>,
    /// How it ended: an index into [`Trace::labels`].
    pub result: Vec<u32>,
    /// Whether it may have changed records: 1 or 0.
    pub writes: Vec<u32>,
    /// An index into [`Trace::sets`].
    pub set: Vec<u32>,
    /// Number of records.
    pub rows: Vec<u32>,
    /// Bytes of the request.
    pub request: Vec<u32>,
    /// Bytes of the reply.
    pub reply: Vec<u32>,
    /// A hash of its record's key, or of one of its records, plus 1; 0 if none was recorded.
    pub key: Vec<u64>,
}

/// A recording.
#[derive(Debug)]
pub struct Trace {
    /// The share of all calls that was recorded.
    pub share: f64,
    /// When it began, in microseconds since 1970.
    pub began_micros: u64,
    /// The version of the client.
    pub version: String,
    /// Names of kinds and results; the first is empty, for further ones.
    pub labels: Vec<String>,
    /// The number of each set's namespace; the first is for further sets.
    pub sets: Vec<u32>,
    /// Its calls.
    pub calls: Calls,
    /// How many calls are missing.
    pub dropped: u64,
    /// How long it took, in microseconds.
    pub micros: u64,
    /// How it ended; running if the end is missing.
    pub state: RecordingState,
}

impl Trace {
    /// Reads a file. If its end is missing, that is an error unless `partial`, which reads what is
    /// there.
    pub fn read(path: &Path, partial: bool) -> Result<Self, TraceError> {
        Self::parse(&std::fs::read(path)?, partial)
    }

    /// Reads the bytes of a file.
    pub fn parse(bytes: &[u8], partial: bool) -> Result<Self, TraceError> {
        let known = MAGIC.len().min(bytes.len());
        if bytes[..known] != MAGIC[..known] || bytes.is_empty() {
            return Err(TraceError::Foreign);
        }
        let mut trace = Self {
            share: 0.0,
            began_micros: 0,
            version: String::new(),
            labels: vec![String::new()],
            sets: vec![0],
            calls: Calls::default(),
            dropped: 0,
            micros: 0,
            state: RecordingState::Running,
        };
        let Some(version) = bytes.get(MAGIC.len()..FILE_HEADER_LEN) else {
            return Err(TraceError::Truncated(0));
        };
        let version = u16::from_le_bytes([version[0], version[1]]);
        if version != VERSION {
            return Err(TraceError::Newer(version));
        }
        let mut at = FILE_HEADER_LEN;
        let ended = loop {
            let Some(head) = bytes.get(at..at + BLOCK_HEADER_LEN) else { break false };
            let number = |at: usize| {
                u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]) as usize
            };
            let (kind, stored, len, sum) = (head[0], number(1), number(5), number(9));
            let damaged = || TraceError::Damaged(at);
            if len > MOST_INSIDE {
                return Err(damaged());
            }
            let from = at + BLOCK_HEADER_LEN;
            let Some(stored) = bytes.get(from..from + stored) else { break false };
            if crc32fast::hash(stored) as usize != sum {
                return Err(damaged());
            }
            let inside = lz4_flex::block::decompress(stored, len).map_err(|_| damaged())?;
            if inside.len() != len {
                return Err(damaged());
            }
            // The first block says how the others were recorded.
            if (kind == block::HEADER) != (at == FILE_HEADER_LEN) {
                return Err(damaged());
            }
            let mut reader = Reader(&inside);
            match kind {
                block::HEADER => trace.header(&mut reader),
                block::CALLS => trace.block(&mut reader),
                block::END => trace.end(&mut reader),
                _ => None,
            }
            .ok_or_else(damaged)?;
            at = from + stored.len();
            if kind == block::END {
                break true;
            }
        };
        let readable = ended || partial && at > FILE_HEADER_LEN;
        if !readable {
            return Err(TraceError::Truncated(trace.calls.arrival.len()));
        }
        if !ended {
            trace.micros = trace.calls.arrival.iter().copied().max().unwrap_or_default();
        }
        trace.calls.sort();
        Ok(trace)
    }

    fn header(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        self.share = f64::from_le_bytes(reader.array()?);
        self.began_micros = u64::from_le_bytes(reader.array()?);
        reader.text()?.clone_into(&mut self.version);
        (self.share > 0.0 && self.share <= 1.0).then_some(())
    }

    fn block(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        for _ in 0..reader.count()? {
            self.labels.push(reader.text()?.to_owned());
        }
        for _ in 0..reader.count()? {
            self.sets.push(u32::try_from(reader.number()?).ok()?);
        }
        let count = reader.count()?;
        let mut arrival = 0_u64;
        for _ in 0..count {
            arrival = arrival.checked_add(reader.number()?)?;
            self.calls.arrival.push(arrival);
        }
        for _ in 0..count {
            self.calls.latency.push(reader.number()?);
        }
        let mut column = |column: &mut Vec<u32>, below: u64| {
            for _ in 0..count {
                let number = reader.number().filter(|number| *number < below)?;
                column.push(number as u32);
            }
            Some(())
        };
        let mut flags = Vec::new();
        let (labels, sets) = (self.labels.len() as u64, self.sets.len() as u64);
        column(&mut self.calls.operation, labels)?;
        column(&mut self.calls.result, labels)?;
        column(&mut flags, 256)?;
        column(&mut self.calls.set, sets)?;
        column(&mut self.calls.rows, 1 << 32)?;
        column(&mut self.calls.request, 1 << 32)?;
        column(&mut self.calls.reply, 1 << 32)?;
        for flags in flags {
            self.calls.writes.push(flags & u32::from(flag::WRITES));
            self.calls.key.push(if flags & u32::from(flag::KEY) == 0 {
                0
            } else {
                let mut key = [0; 8];
                key[..KEY_LEN].copy_from_slice(reader.bytes(KEY_LEN)?);
                u64::from_le_bytes(key) + 1
            });
        }
        reader.0.is_empty().then_some(())
    }

    fn end(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let calls = reader.number()?;
        (self.dropped, self.micros) = (reader.number()?, reader.number()?);
        self.state = match reader.number()? {
            0 => RecordingState::Stopped,
            1 => RecordingState::Full,
            2 => RecordingState::Closed,
            _ => return None,
        };
        (calls == self.calls.arrival.len() as u64).then_some(())
    }
}

impl Calls {
    /// Number of calls.
    pub fn len(&self) -> usize {
        self.arrival.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.arrival.is_empty()
    }

    /// Sorts by arrival: the calls of different blocks overlap.
    fn sort(&mut self) {
        if self.arrival.is_sorted() {
            return;
        }
        let mut order: Vec<u32> = (0..self.arrival.len() as u32).collect();
        order.sort_by_key(|at| self.arrival[*at as usize]);
        let Self { arrival, latency, operation, result, writes, set, rows, request, reply, key } =
            self;
        [arrival, latency, key].into_iter().for_each(|column| reorder(column, &order));
        let narrow = [operation, result, writes, set, rows, request, reply];
        narrow.into_iter().for_each(|column| reorder(column, &order));
    }
}

fn reorder<T: Copy>(column: &mut Vec<T>, order: &[u32]) {
    *column = order.iter().map(|at| column[*at as usize]).collect();
}
