//! Compressed bodies of protocol version 4: a length followed by one LZ4 block. Version 5
//! compresses segments instead.

use lz4_flex::block::{compress_into, decompress_into, get_maximum_output_size};

use crate::envelope::{HEADER_LEN, Header, MAX_BODY, Opcode, UnsealResult, flag};
use crate::notation::{Malformed, Reader, Result};
use crate::version::Version;

/// Shorter bodies are not worth compressing.
const WORTH_COMPRESSING: usize = 64;

/// Size of the length that precedes a block.
const LENGTH: usize = 4;

/// Maximum expansion of an LZ4 block, relative to its own length.
const MOST_EXPANSION: usize = 255;

/// Compresses the bodies of the complete envelopes in `out[from..]` if that makes them shorter.
/// STARTUP must stay uncompressed, and so must anything that is not version 4.
pub fn compress_bodies(out: &mut Vec<u8>, from: usize) {
    let Some(end) = end_of(out, from) else { return };
    if end == out.len() {
        return compress_body(out, from);
    }
    let plain = out.split_off(from);
    let mut start = 0;
    while let Some(end) = end_of(&plain, start) {
        let at = out.len();
        out.extend_from_slice(&plain[start..end]);
        compress_body(out, at);
        start = end;
    }
    out.extend_from_slice(&plain[start..]);
}

/// Where the envelope at `start` ends; `None` if it is incomplete.
fn end_of(bytes: &[u8], start: usize) -> Option<usize> {
    let header = Header::read(&bytes[start..]).ok()??;
    Some(start + header.envelope_len()).filter(|&end| end <= bytes.len())
}

/// Compresses the body of the complete envelope `out[start..]`.
fn compress_body(out: &mut Vec<u8>, start: usize) {
    let body = start + HEADER_LEN;
    let plain = out.len() - body;
    let stays = out[start] & 0x7f > 4 || out[start + 4] == Opcode::Startup as u8;
    if stays || plain < WORTH_COMPRESSING {
        return;
    }
    let mut block = vec![0; LENGTH + get_maximum_output_size(plain)];
    let Ok(len) = compress_into(&out[body..], &mut block[LENGTH..]) else { return };
    let len = LENGTH + len;
    if len >= plain {
        return;
    }
    block[..LENGTH].copy_from_slice(&(plain as u32).to_be_bytes());
    out.truncate(body);
    out.extend_from_slice(&block[..len]);
    out[start + 1] |= flag::COMPRESSED;
    out[start + 5..body].copy_from_slice(&(len as u32).to_be_bytes());
}

/// Rejects a length that a block of this size cannot expand to, before memory is allocated for it.
pub(crate) fn check_announced(plain: usize, block: usize) -> Result<()> {
    if plain > block.saturating_mul(MOST_EXPANSION) {
        return Err(Malformed(format!("an LZ4 block of {block} bytes that announces {plain}")));
    }
    Ok(())
}

/// Takes the envelope at the beginning of `sealed`, once it is complete, and appends it to `plain`
/// with an uncompressed body.
pub fn inflate(sealed: &[u8], plain: &mut Vec<u8>) -> Result<UnsealResult> {
    let Some(header) = Header::read(sealed)? else { return Ok(UnsealResult::Awaits(0)) };
    let Some(envelope) = sealed.get(..header.envelope_len()) else {
        return Ok(UnsealResult::Awaits(header.envelope_len()));
    };
    // Version 5 does not use the flag.
    if header.flags & flag::COMPRESSED == 0 || header.layout() != Version::V4 {
        plain.extend_from_slice(envelope);
    } else {
        inflate_body(header, &envelope[HEADER_LEN..], plain)?;
    }
    Ok(UnsealResult::Took(header.envelope_len()))
}

fn inflate_body(mut header: Header, body: &[u8], plain: &mut Vec<u8>) -> Result<()> {
    let mut reader = Reader(body);
    header.body = reader.count()?;
    header.flags &= !flag::COMPRESSED;
    let block = reader.rest();
    if header.body > MAX_BODY {
        return Err(Malformed(format!("a compressed body that announces {} bytes", header.body)));
    }
    check_announced(header.body, block.len())?;
    plain.extend_from_slice(&header.to_bytes());
    // An empty body has an empty block, or none.
    if header.body == 0 {
        return Ok(());
    }
    let start = plain.len();
    plain.resize(start + header.body, 0);
    match decompress_into(block, &mut plain[start..]) {
        Ok(len) if len == header.body => Ok(()),
        Ok(len) => Err(Malformed(format!(
            "a compressed body that holds {len} bytes and announced {}",
            header.body
        ))),
        Err(error) => Err(Malformed(format!("a body's LZ4 block: {error}"))),
    }
}

#[cfg(test)]
mod tests;
