//! Segments, in which version 5 wraps envelopes after the handshake. Each has a header with its own
//! checksum, a payload (plain or LZ4-compressed), and a checksum of the payload.
//!
//! A payload consists of complete envelopes (it is self-contained), or of a slice of a large one.

use std::iter::once;

use lz4_flex::block::{compress_into, decompress_into, get_maximum_output_size};

use crate::compression::check_announced;
use crate::envelope::{Header, UnsealResult};
use crate::notation::{Malformed, Result};

/// Maximum size of a payload, compressed or not.
pub const MAX_PAYLOAD: usize = (1 << 17) - 1;

/// Size of the checksum after a payload.
pub const TRAILER_LEN: usize = 4;

/// Maximum size of envelopes for other requests that arrive between the slices of a large one.
const MAX_HELD: usize = 16 << 20;

/// Shorter payloads are not worth compressing.
const WORTH_COMPRESSING: usize = 64;

const MASK: u64 = MAX_PAYLOAD as u64;

/// Size of a header.
pub const fn header_len(lz4: bool) -> usize {
    if lz4 { 8 } else { 6 }
}

const CRC24: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = (byte as u32) << 16;
        let mut bit = 0;
        while bit < 8 {
            crc <<= 1;
            if crc & 0x0100_0000 != 0 {
                crc ^= 0x0197_4f0b;
            }
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

/// The checksum of headers.
pub fn crc24(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x0087_5060, |crc, &byte| {
        ((crc << 8) & 0x00ff_ffff) ^ CRC24[usize::from((crc >> 16) as u8 ^ byte)]
    })
}

/// The checksum of payloads, in their form on the wire.
pub fn crc32(payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&[0xfa, 0x2d, 0x55, 0xca]);
    hasher.update(payload);
    hasher.finalize()
}

/// The header of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Head {
    /// Size of the payload on the wire.
    payload: usize,
    /// Size after decompression; 0 if the payload is not compressed.
    plain: usize,
    self_contained: bool,
}

impl Head {
    /// Reads the header that these bytes begin with; `None` if it is incomplete.
    fn read(bytes: &[u8], lz4: bool) -> Result<Option<Self>> {
        let len = header_len(lz4);
        let Some(bytes) = bytes.get(..len) else { return Ok(None) };
        let (word, sum) = bytes.split_at(len - 3);
        if crc24(word).to_le_bytes()[..3] != *sum {
            return Err(Malformed::new("the checksum of a segment's header is wrong"));
        }
        let mut wide = [0; 8];
        wide[..word.len()].copy_from_slice(word);
        let word = u64::from_le_bytes(wide);
        let payload = (word & MASK) as usize;
        let head = if lz4 {
            let plain = ((word >> 17) & MASK) as usize;
            Self { payload, plain, self_contained: word >> 34 & 1 != 0 }
        } else {
            Self { payload, plain: 0, self_contained: word >> 17 & 1 != 0 }
        };
        Ok(Some(head))
    }

    /// Writes it into the first bytes of a segment.
    fn write(self, lz4: bool, segment: &mut [u8]) {
        let mut word = self.payload as u64;
        if lz4 {
            word |= (self.plain as u64) << 17 | u64::from(self.self_contained) << 34;
        } else {
            word |= u64::from(self.self_contained) << 17;
        }
        let len = header_len(lz4) - 3;
        segment[..len].copy_from_slice(&word.to_le_bytes()[..len]);
        let sum = crc24(&segment[..len]).to_le_bytes();
        segment[len..len + 3].copy_from_slice(&sum[..3]);
    }
}

/// A range of plain bytes that goes into one segment.
#[derive(Debug, Clone, Copy)]
struct Run {
    start: usize,
    end: usize,
    self_contained: bool,
}

/// The runs of a sequence of envelopes: as many complete envelopes as fit, or a slice of one that
/// does not fit.
struct Runs<'a> {
    bytes: &'a [u8],
    start: usize,
    /// The end of the large envelope that the last run was a slice of.
    large_end: usize,
}

impl<'a> Runs<'a> {
    fn new(bytes: &'a [u8], start: usize) -> Self {
        Self { bytes, start, large_end: 0 }
    }

    /// The end of the envelope at `start`.
    fn envelope_end(&self, start: usize) -> usize {
        // Our requests are complete envelopes; anything else is sent as it is.
        match Header::read(&self.bytes[start..]) {
            Ok(Some(header)) => (start + header.envelope_len()).min(self.bytes.len()),
            _ => self.bytes.len(),
        }
    }

    /// The end of the complete envelopes at `start` that fit into one run.
    fn complete_end(&self, start: usize) -> usize {
        let mut end = start;
        while end < self.bytes.len() {
            let next = self.envelope_end(end);
            if next - start > MAX_PAYLOAD {
                break;
            }
            end = next;
        }
        end
    }
}

impl Iterator for Runs<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let start = self.start;
        if start >= self.bytes.len() {
            return None;
        }
        if self.large_end <= start {
            let end = self.complete_end(start);
            if end > start {
                self.start = end;
                return Some(Run { start, end, self_contained: true });
            }
            self.large_end = self.envelope_end(start);
        }
        self.start = self.large_end.min(start + MAX_PAYLOAD);
        Some(Run { start, end: self.start, self_contained: false })
    }
}

/// Wraps the envelopes in `out[from..]` into segments: small ones together, a large one by itself
/// in slices. Without compression they are only moved apart to make room for headers and trailers.
pub fn seal(out: &mut Vec<u8>, from: usize, compress: bool) {
    if compress {
        let plain = out.split_off(from);
        return seal_compressed(&plain, out);
    }
    let mut runs = Runs::new(out, from);
    let Some(first) = runs.next() else { return };
    if first.end == out.len() {
        return seal_single(out, from, first.self_contained);
    }
    let runs: Vec<Run> = once(first).chain(runs).collect();
    // From last to first, so that each byte moves once.
    let (header, len) = (header_len(false), out.len());
    let each = header + TRAILER_LEN;
    out.resize(len + runs.len() * each, 0);
    for (index, &Run { start, end, self_contained }) in runs.iter().enumerate().rev() {
        let at = start + index * each;
        out.copy_within(start..end, at + header);
        let head = Head { payload: end - start, plain: 0, self_contained };
        head.write(false, &mut out[at..]);
        let trailer = at + header + head.payload;
        let sum = crc32(&out[at + header..trailer]);
        out[trailer..trailer + TRAILER_LEN].copy_from_slice(&sum.to_le_bytes());
    }
}

/// Turns `out[from..]` into one segment.
fn seal_single(out: &mut Vec<u8>, from: usize, self_contained: bool) {
    let header = header_len(false);
    let head = Head { payload: out.len() - from, plain: 0, self_contained };
    let sum = crc32(&out[from..]);
    out.reserve(header + TRAILER_LEN);
    out.extend_from_slice(&[0; 6]);
    out.copy_within(from..from + head.payload, from + header);
    head.write(false, &mut out[from..]);
    out.extend_from_slice(&sum.to_le_bytes());
}

fn seal_compressed(plain: &[u8], out: &mut Vec<u8>) {
    let header = header_len(true);
    for Run { start, end, self_contained } in Runs::new(plain, 0) {
        let payload = &plain[start..end];
        let at = out.len();
        let body = at + header;
        let mut head = Head { payload: payload.len(), plain: 0, self_contained };
        if payload.len() >= WORTH_COMPRESSING {
            out.resize(body + get_maximum_output_size(payload.len()), 0);
            if let Ok(len) = compress_into(payload, &mut out[body..])
                && len < payload.len()
            {
                (head.payload, head.plain) = (len, payload.len());
            }
        }
        if head.plain == 0 {
            out.resize(body, 0);
            out.extend_from_slice(payload);
        }
        out.truncate(body + head.payload);
        head.write(true, &mut out[at..]);
        let sum = crc32(&out[body..]);
        out.extend_from_slice(&sum.to_le_bytes());
    }
}

/// Unpacks segments, across reads.
#[derive(Debug)]
pub struct Unsealer {
    lz4: bool,
    /// Bytes of a large envelope that are still missing.
    missing: usize,
    /// Complete envelopes that arrived between its slices; they follow it.
    held: Vec<u8>,
}

impl Unsealer {
    /// An unsealer for a connection with or without compression.
    pub fn new(lz4: bool) -> Self {
        Self { lz4, missing: 0, held: Vec::new() }
    }

    /// Whether segments are compressed.
    pub fn lz4(&self) -> bool {
        self.lz4
    }

    /// Takes the segment at the beginning of `sealed`, once it is complete, and appends its
    /// contents to `plain`: envelopes, the last of which may end in a later segment.
    pub fn open(&mut self, sealed: &[u8], plain: &mut Vec<u8>) -> Result<UnsealResult> {
        let Some(head) = Head::read(sealed, self.lz4)? else { return Ok(UnsealResult::Awaits(0)) };
        let body = header_len(self.lz4);
        let end = body + head.payload;
        let Some(trailer) = sealed.get(end..end + TRAILER_LEN) else {
            return Ok(UnsealResult::Awaits(end + TRAILER_LEN));
        };
        let payload = &sealed[body..end];
        if crc32(payload).to_le_bytes() != *trailer {
            return Err(Malformed::new("the checksum of a segment's payload is wrong"));
        }
        let is_held = head.self_contained && self.missing > 0;
        let target = if is_held { &mut self.held } else { &mut *plain };
        let start = target.len();
        if head.plain == 0 {
            target.extend_from_slice(payload);
        } else {
            check_announced(head.plain, payload.len())?;
            target.resize(start + head.plain, 0);
            match decompress_into(payload, &mut target[start..]) {
                Ok(len) if len == head.plain => {}
                Ok(len) => {
                    let announced = head.plain;
                    return Err(Malformed(format!(
                        "a segment that holds {len} bytes and announced {announced}"
                    )));
                }
                Err(error) => return Err(Malformed(format!("a segment's LZ4 block: {error}"))),
            }
        }
        if head.self_contained {
            check_whole(&target[start..])?;
            if self.held.len() > MAX_HELD {
                return Err(Malformed::new("a large envelope that does not end"));
            }
        } else {
            self.account(&plain[start..])?;
            if self.missing == 0 {
                plain.append(&mut self.held);
            }
        }
        Ok(UnsealResult::Took(end + TRAILER_LEN))
    }

    /// Accounts for a slice of a large envelope.
    fn account(&mut self, slice: &[u8]) -> Result<()> {
        if slice.is_empty() {
            return Ok(());
        }
        if self.missing == 0 {
            let Some(header) = Header::read(slice)? else {
                return Err(Malformed::new("a slice that ends within an envelope's header"));
            };
            self.missing = header.envelope_len();
        }
        let more = || Malformed::new("a slice that goes on behind its envelope");
        self.missing = self.missing.checked_sub(slice.len()).ok_or_else(more)?;
        Ok(())
    }
}

/// Checks that a self-contained payload is a sequence of complete envelopes.
fn check_whole(mut payload: &[u8]) -> Result<()> {
    while !payload.is_empty() {
        let rest = Header::read(payload)?.and_then(|header| payload.get(header.envelope_len()..));
        let cut = || Malformed::new("a self-contained segment that ends within an envelope");
        payload = rest.ok_or_else(cut)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
