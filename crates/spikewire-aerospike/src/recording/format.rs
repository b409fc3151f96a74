//! The file of a recording, version 1.
//!
//! ```text
//! file    "SPIKETRC", version u16, then blocks: one header, any number of calls, one end
//! block   kind u8 (1 header, 2 calls, 3 end), bytes stored u32, bytes inside u32, CRC-32 of the
//!         stored bytes u32, then those bytes: what is inside, compressed by LZ4 (block format)
//! header  share f64, begin u64 (microseconds since 1970), the client's version (text)
//! calls   new labels: count, texts; new sets: count, of each the number of its namespace;
//!         then the count of the calls and their columns, one after the other:
//!           arrival    microseconds since the begin: of the first call, then the differences
//!           latency    microseconds
//!           operation  number of its label (`get`, `put`, `batch_read`, ...)
//!           result     number of its label (`ok`, `timeout`, ...)
//!           flags      u8: 1 writes, 2 has a key
//!           set        its number; 0 for all sets after the first 65535
//!           rows       number of records
//!           request    bytes
//!           reply      bytes
//!           key        40 bits of a hash with a secret, of those that have one
//! end     calls, dropped calls, microseconds, state (0 stopped, 1 full, 2 closed)
//! ```
//!
//! Fixed numbers are little-endian; all others are LEB128, texts have their length before them.
//! Labels and sets are numbered from 1 in the order in which they occur; a label of 0 is one after
//! the first 255. The calls of a block are sorted by arrival; those of different blocks overlap.
//! A file without an end belongs to a recording that goes on or was cut off.

/// The first bytes of a file.
pub const MAGIC: &[u8; 8] = b"SPIKETRC";
/// The version that is written, and the only one that is read.
pub const VERSION: u16 = 1;
/// Bytes before the first block.
pub const FILE_HEADER_LEN: usize = 10;
/// Bytes of a block before its contents.
pub const BLOCK_HEADER_LEN: usize = 13;
/// The most bytes inside a block; whoever reads one checks this first.
pub const MOST_INSIDE: usize = 16 << 20;
/// The most labels.
pub const MOST_LABELS: usize = 255;
/// The most sets.
pub const MOST_SETS: usize = 65_535;
/// Bytes of a key's hash.
pub const KEY_LEN: usize = 5;

/// Kinds of blocks.
pub mod block {
    /// How it was recorded.
    pub const HEADER: u8 = 1;
    /// Calls.
    pub const CALLS: u8 = 2;
    /// How it ended.
    pub const END: u8 = 3;
}

/// Flags of calls.
pub mod flag {
    /// It may change records.
    pub const WRITES: u8 = 1;
    /// Its key was recorded.
    pub const KEY: u8 = 2;
}

/// Appends a number.
pub fn write_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a text.
pub fn write_text(out: &mut Vec<u8>, text: &str) {
    write_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// What is left to read of a block; `None` where it ends too early or is not what it should be.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// The next bytes.
    pub fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    /// The next bytes as an array.
    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.try_into().ok()
    }

    /// The next number.
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            let bits = u64::from(byte & 0x7f);
            if (bits << shift) >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// The next number, of things that take at least a byte each of what is left.
    pub fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.0.len()).then_some(count)
    }

    /// The next text.
    pub fn text(&mut self) -> Option<&'a str> {
        let len = self.count()?;
        std::str::from_utf8(self.bytes(len)?).ok()
    }
}
