//! Tokens: the position of a partition on the ring, and its shard on a node.

use crate::notation::{TooLong, put_short};

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;

/// Maximum length of a partition key.
pub const LONGEST_KEY: usize = u16::MAX as usize;

/// Whether this partitioner, as named by the server, is the one for whose tokens this module is.
pub fn is_murmur3(partitioner: &str) -> bool {
    partitioner.rsplit('.').next() == Some("Murmur3Partitioner")
}

/// The token of a partition key under `Murmur3Partitioner`: the first half of Murmur3 (x64, 128
/// bits), with the server's deviations: bytes after the last block are sign-extended, and the
/// smallest value is not used.
pub fn token(key: &[u8]) -> i64 {
    if key.is_empty() {
        return i64::MIN;
    }
    let (blocks, tail) = key.as_chunks::<16>();
    let (mut h1, mut h2) = (0_u64, 0_u64);
    for block in blocks {
        let (low, high) = halves(*block);
        h1 ^= mix1(low);
        h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 ^= mix2(high);
        h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    let (mut k1, mut k2) = (0_u64, 0_u64);
    for (at, byte) in tail.iter().enumerate() {
        let extended = byte.cast_signed() as u64;
        if at < 8 {
            k1 ^= extended << (8 * at);
        } else {
            k2 ^= extended << (8 * (at - 8));
        }
    }
    h2 ^= mix2(k2);
    h1 ^= mix1(k1);
    h1 ^= key.len() as u64;
    h2 ^= key.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    let token = finish(h1).wrapping_add(finish(h2)).cast_signed();
    if token == i64::MIN { i64::MAX } else { token }
}

fn halves(block: [u8; 16]) -> (u64, u64) {
    let both = u128::from_le_bytes(block);
    (both as u64, (both >> 64) as u64)
}

fn mix1(k: u64) -> u64 {
    k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

fn mix2(k: u64) -> u64 {
    k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

fn finish(mut h: u64) -> u64 {
    h ^= h >> 33;
    h = h.wrapping_mul(0xff51_afd7_ed55_8ccd);
    h ^= h >> 33;
    h = h.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ (h >> 33)
}

/// Appends a partition key: the values of its columns in order, without the lengths that they have
/// in a request. A single value is used as it is; several are each preceded by their length and
/// followed by a zero byte.
pub fn put_partition_key<'a, I>(components: I, out: &mut Vec<u8>) -> Result<(), TooLong>
where
    I: IntoIterator<Item = &'a [u8], IntoIter: ExactSizeIterator>,
{
    let components = components.into_iter();
    let (start, several) = (out.len(), components.len() > 1);
    for component in components {
        if several {
            put_short(out, "a column of a partition key", component.len())?;
        }
        out.extend_from_slice(component);
        if several {
            out.push(0);
        }
    }
    match out.len() - start {
        len if len > LONGEST_KEY => {
            out.truncate(start);
            Err(TooLong { what: "a partition key", len, most: LONGEST_KEY })
        }
        _ => Ok(()),
    }
}

/// The shard that a token belongs to, on a Scylla node with this many `shards` that ignores the
/// `ignore_msb` most significant bits.
pub fn shard_of(token: i64, shards: u32, ignore_msb: u8) -> u32 {
    let biased = token.cast_unsigned() ^ (1 << 63);
    let shifted = biased.checked_shl(ignore_msb.into()).unwrap_or(0);
    ((u128::from(shifted) * u128::from(shards)) >> 64) as u32
}
