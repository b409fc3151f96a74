//! Digests of many keys: RIPEMD-160 over four messages at a time, side by side in the lanes of
//! vector registers. One lane of four costs a third of a hash by itself.
//!
//! Only messages of one block go in, which the set name and any key of usual length make; longer
//! ones are hashed by themselves. The single-message hash ([`SetHasher`](crate::key::SetHasher)) is
//! of another crate, and the tests hold the two against each other.

use wide::u32x4;

use crate::key::{Digest, UserKey, digest};

const LANES: usize = 4;
/// The longest message that fits into one block, with the mark and the length behind it.
const LONGEST: usize = 55;

/// A message padded to one block.
type Block = [u8; 64];

/// Keys that wait until there are enough of them to be hashed together. Each comes with a ticket,
/// under which its digest is handed out.
#[derive(Debug, Default)]
pub struct Digests {
    lanes: Vec<(usize, Block)>,
}

impl Digests {
    /// The digest of a key that is hashed by itself, or `None`: it waits for the next
    /// [`Digests::flush`].
    pub fn add(&mut self, set: &str, key: &UserKey<'_>, ticket: usize) -> Option<Digest> {
        let Some(block) = block(set, key) else { return Some(digest(set, key)) };
        self.lanes.push((ticket, block));
        None
    }

    /// Whether a flush is due: more keys would not be hashed any cheaper.
    pub fn is_full(&self) -> bool {
        self.lanes.len() >= LANES
    }

    /// Hands out the digests of the keys that waited.
    pub fn flush(&mut self, mut take: impl FnMut(usize, Digest)) {
        for waiting in self.lanes.chunks(LANES) {
            let mut blocks = [[0; 64]; LANES];
            for (block, (_, waits)) in blocks.iter_mut().zip(waiting) {
                *block = *waits;
            }
            for ((ticket, _), digest) in waiting.iter().zip(hash(&blocks)) {
                take(*ticket, Digest(digest));
            }
        }
        self.lanes.clear();
    }
}

/// What is hashed for a key, with the padding of the hash; `None` if it is too long.
fn block(set: &str, key: &UserKey<'_>) -> Option<Block> {
    let int;
    let bytes = match key {
        UserKey::Int(value) => {
            int = value.to_be_bytes();
            &int[..]
        }
        UserKey::Str(text) => text.as_bytes(),
        UserKey::Bytes(bytes) => bytes,
    };
    let len = set.len() + 1 + bytes.len();
    if len > LONGEST {
        return None;
    }
    let mut block = [0; 64];
    let (name, rest) = block.split_at_mut(set.len());
    name.copy_from_slice(set.as_bytes());
    rest[0] = key.particle_type();
    rest[1..=bytes.len()].copy_from_slice(bytes);
    rest[1 + bytes.len()] = 0x80;
    block[56..].copy_from_slice(&(8 * len as u64).to_le_bytes());
    Some(block)
}

/// Order of the block's words in the five rounds of the left and of the right line.
const LEFT: [u8; 80] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, //
    7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8, //
    3, 10, 14, 4, 9, 15, 8, 1, 2, 7, 0, 6, 13, 11, 5, 12, //
    1, 9, 11, 10, 0, 8, 12, 4, 13, 3, 7, 15, 14, 5, 6, 2, //
    4, 0, 5, 9, 7, 12, 2, 10, 14, 1, 3, 8, 11, 6, 15, 13,
];
const RIGHT: [u8; 80] = [
    5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12, //
    6, 11, 3, 7, 0, 13, 5, 10, 14, 15, 8, 12, 4, 9, 1, 2, //
    15, 5, 1, 3, 7, 14, 6, 9, 11, 8, 12, 2, 10, 0, 4, 13, //
    8, 6, 4, 1, 3, 11, 15, 0, 5, 12, 2, 13, 9, 7, 10, 14, //
    12, 15, 10, 4, 1, 5, 8, 7, 6, 2, 13, 14, 0, 3, 9, 11,
];
/// How far each step rotates.
const LEFT_TURNS: [u8; 80] = [
    11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8, //
    7, 6, 8, 13, 11, 9, 7, 15, 7, 12, 15, 9, 11, 7, 13, 12, //
    11, 13, 6, 7, 14, 9, 13, 15, 14, 8, 13, 6, 5, 12, 7, 5, //
    11, 12, 14, 15, 14, 15, 9, 8, 9, 14, 5, 6, 8, 6, 5, 12, //
    9, 15, 5, 11, 6, 8, 13, 12, 5, 12, 13, 14, 11, 8, 5, 6,
];
const RIGHT_TURNS: [u8; 80] = [
    8, 9, 9, 11, 13, 15, 15, 5, 7, 7, 8, 11, 14, 14, 12, 6, //
    9, 13, 15, 7, 12, 8, 9, 11, 7, 7, 12, 7, 6, 15, 13, 11, //
    9, 7, 15, 11, 8, 6, 6, 14, 12, 13, 5, 14, 13, 13, 7, 5, //
    15, 5, 8, 11, 14, 14, 6, 14, 6, 9, 12, 9, 12, 5, 15, 8, //
    8, 5, 12, 9, 12, 5, 14, 6, 8, 13, 6, 5, 15, 13, 11, 11,
];
const LEFT_ADDS: [u32; 5] = [0, 0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xa953_fd4e];
const RIGHT_ADDS: [u32; 5] = [0x50a2_8be6, 0x5c4d_d124, 0x6d70_3ef3, 0x7a6d_76e9, 0];
const START: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

macro_rules! steps {
    ($words:ident $left:ident $right:ident: $($at:literal)*) => {
        $(step::<$at>(&$words, &mut $left, &mut $right);)*
    };
}

type Words = [u32x4; 16];
type State = [u32x4; 5];

/// The hashes of four blocks, each a whole padded message.
fn hash(blocks: &[Block; LANES]) -> [[u8; 20]; LANES] {
    let words: Words =
        std::array::from_fn(|at| u32x4::from(blocks.each_ref().map(|block| word(block, at))));
    let start: State = START.map(u32x4::splat);
    let (mut left, mut right) = (start, start);
    steps!(words left right:
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
        32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59
        60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79);
    let mut out = [[0; 20]; LANES];
    for at in 0..5 {
        let sum = start[(at + 1) % 5] + left[(at + 2) % 5] + right[(at + 3) % 5];
        for (digest, word) in out.iter_mut().zip(sum.to_array()) {
            digest[4 * at..4 * at + 4].copy_from_slice(&word.to_le_bytes());
        }
    }
    out
}

fn word(block: &Block, at: usize) -> u32 {
    u32::from_le_bytes([block[4 * at], block[4 * at + 1], block[4 * at + 2], block[4 * at + 3]])
}

#[inline(always)]
#[allow(clippy::many_single_char_names, reason = "so they are called where the hash is described")]
fn step<const N: usize>(words: &Words, left: &mut State, right: &mut State) {
    let [a, b, c, d, e] = *left;
    let sum = a
        + mix(const { N / 16 }, b, c, d)
        + words[const { LEFT[N] as usize }]
        + u32x4::splat(const { LEFT_ADDS[N / 16] });
    *left = [e, rotate(sum, const { LEFT_TURNS[N] }) + e, b, rotate(c, 10), d];
    let [a, b, c, d, e] = *right;
    let sum = a
        + mix(const { 4 - N / 16 }, b, c, d)
        + words[const { RIGHT[N] as usize }]
        + u32x4::splat(const { RIGHT_ADDS[N / 16] });
    *right = [e, rotate(sum, const { RIGHT_TURNS[N] }) + e, b, rotate(c, 10), d];
}

#[inline(always)]
fn mix(round: usize, b: u32x4, c: u32x4, d: u32x4) -> u32x4 {
    let ones = u32x4::splat(u32::MAX);
    match round {
        0 => b ^ c ^ d,
        1 => d ^ (b & (c ^ d)),
        2 => (b | (c ^ ones)) ^ d,
        3 => c ^ (d & (b ^ c)),
        _ => b ^ (c | (d ^ ones)),
    }
}

#[inline(always)]
fn rotate(value: u32x4, by: u8) -> u32x4 {
    let by = u32::from(by);
    (value << by) | (value >> (32 - by))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(set: &str, keys: &[UserKey<'_>]) -> Vec<Digest> {
        let mut digests = Digests::default();
        let mut found = vec![None; keys.len()];
        for (ticket, key) in keys.iter().enumerate() {
            if digests.is_full() {
                digests.flush(|ticket, digest| found[ticket] = Some(digest));
            }
            if let Some(digest) = digests.add(set, key, ticket) {
                found[ticket] = Some(digest);
            }
        }
        digests.flush(|ticket, digest| assert!(found[ticket].replace(digest).is_none()));
        found.into_iter().map(Option::unwrap).collect()
    }

    #[test]
    fn every_length_up_to_two_blocks_and_every_number_of_keys() {
        let text = "abcdefghij".repeat(13);
        for set in ["", "s", &text[..63]] {
            for many in 0..10 {
                let keys: Vec<_> = (0..many).map(UserKey::Int).collect();
                let one_by_one: Vec<_> = keys.iter().map(|key| digest(set, key)).collect();
                assert_eq!(all(set, &keys), one_by_one);
            }
            let keys: Vec<_> = (0..text.len()).map(|len| UserKey::Str(&text[..len])).collect();
            let one_by_one: Vec<_> = keys.iter().map(|key| digest(set, key)).collect();
            assert_eq!(all(set, &keys), one_by_one);
        }
    }

    proptest! {
        #[test]
        fn as_the_hash_of_one(
            set in "[a-z]{0,60}",
            ints in proptest::collection::vec(any::<i64>(), 0..9),
            texts in proptest::collection::vec(".{0,40}", 0..9),
            blobs in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..60), 0..9),
        ) {
            let keys: Vec<_> = ints.iter().map(|int| UserKey::Int(*int))
                .chain(texts.iter().map(|text| UserKey::Str(text)))
                .chain(blobs.iter().map(|blob| UserKey::Bytes(blob)))
                .collect();
            let one_by_one: Vec<_> = keys.iter().map(|key| digest(&set, key)).collect();
            prop_assert_eq!(all(&set, &keys), one_by_one);
        }
    }
}
