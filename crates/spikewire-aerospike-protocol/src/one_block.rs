//! RIPEMD-160 of single-block messages, one at a time or several in parallel in the lanes of vector
//! registers. In four lanes a hash costs two fifths of a scalar one, in eight lanes less than a
//! fifth.
//!
//! The set name and a key of usual length fit into one block. Longer messages are hashed by the
//! `ripemd` crate; the tests of [`digests`](crate::digests) compare the two. One block takes a
//! tenth less time here than there, since that crate supports incremental input.

use fearless_simd::{Level, Simd, SimdBase, dispatch};

/// Maximum number of messages hashed in parallel. Some processors have half as many lanes.
pub const LANES: usize = 8;
/// The longest message that fits into one block together with the padding mark and the length.
pub const LONGEST: usize = 55;

/// A message padded to one block.
pub type Block = [u8; 64];

/// Order of message words in the five rounds of the left and the right line.
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
/// Rotation of each step.
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

/// A word of one message, or of one message per lane.
trait Lanes: Copy {
    /// The word broadcast to each lane.
    fn like(self, word: u32) -> Self;
    fn plus(self, other: Self) -> Self;
    fn rotate(self, by: u8) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
}

impl Lanes for u32 {
    #[inline(always)]
    fn like(self, word: u32) -> Self {
        word
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn rotate(self, by: u8) -> Self {
        self.rotate_left(by.into())
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }
}

/// A vector register.
#[derive(Clone, Copy)]
struct Vector<S: Simd>(S::u32s);

impl<S: Simd> Lanes for Vector<S> {
    #[inline(always)]
    fn like(self, word: u32) -> Self {
        Self(S::u32s::splat(self.0.witness(), word))
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    #[inline(always)]
    fn rotate(self, by: u8) -> Self {
        let by = u32::from(by);
        Self((self.0 << by) | (self.0 >> (32 - by)))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

type State<L> = [L; 5];

macro_rules! steps {
    ($words:ident $left:ident $right:ident: $($at:literal)*) => {
        $(step::<L, $at>($words, &mut $left, &mut $right);)*
    };
}

/// The hash of one block.
pub fn hash_one(block: &Block) -> [u8; 20] {
    let mut out = [0; 20];
    let sums = compress(&std::array::from_fn(|at| word(block, at)));
    for (digest, word) in out.chunks_exact_mut(4).zip(sums) {
        digest.copy_from_slice(&word.to_le_bytes());
    }
    out
}

/// Hashes several blocks.
pub fn hash_each(blocks: &[Block], digests: &mut [[u8; 20]]) {
    dispatch!(Level::new(), simd => hash_lanes(simd, blocks, digests));
}

#[inline(always)]
fn hash_lanes<S: Simd>(simd: S, blocks: &[Block], digests: &mut [[u8; 20]]) {
    let lanes = S::u32s::N;
    for (blocks, digests) in blocks.chunks(lanes).zip(digests.chunks_mut(lanes)) {
        let mut words = [Vector::<S>(S::u32s::splat(simd, 0)); 16];
        for (at, words) in words.iter_mut().enumerate() {
            for (lane, block) in words.0.as_mut_slice().iter_mut().zip(blocks) {
                *lane = word(block, at);
            }
        }
        for (at, sum) in compress(&words).into_iter().enumerate() {
            for (digest, word) in digests.iter_mut().zip(sum.0.as_slice()) {
                digest[4 * at..4 * at + 4].copy_from_slice(&word.to_le_bytes());
            }
        }
    }
}

fn word(block: &Block, at: usize) -> u32 {
    u32::from_le_bytes([block[4 * at], block[4 * at + 1], block[4 * at + 2], block[4 * at + 3]])
}

/// The state after compressing the first block.
#[inline(always)]
fn compress<L: Lanes>(words: &[L; 16]) -> State<L> {
    let start: State<L> = START.map(|word| words[0].like(word));
    let (mut left, mut right) = (start, start);
    steps!(words left right:
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
        32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59
        60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79);
    std::array::from_fn(|at| start[(at + 1) % 5].plus(left[(at + 2) % 5]).plus(right[(at + 3) % 5]))
}

#[inline(always)]
fn step<L: Lanes, const N: usize>(words: &[L; 16], left: &mut State<L>, right: &mut State<L>) {
    line(
        left,
        const { N / 16 },
        words[const { LEFT[N] as usize }],
        LEFT_ADDS[N / 16],
        LEFT_TURNS[N],
    );
    line(
        right,
        const { 4 - N / 16 },
        words[const { RIGHT[N] as usize }],
        RIGHT_ADDS[N / 16],
        RIGHT_TURNS[N],
    );
}

#[inline(always)]
#[allow(clippy::many_single_char_names, reason = "so they are called where the hash is described")]
fn line<L: Lanes>(state: &mut State<L>, round: usize, word: L, add: u32, turns: u8) {
    let [a, b, c, d, e] = *state;
    let sum = a.plus(mix(round, b, c, d)).plus(word).plus(a.like(add));
    *state = [e, sum.rotate(turns).plus(e), b, c.rotate(10), d];
}

#[inline(always)]
fn mix<L: Lanes>(round: usize, b: L, c: L, d: L) -> L {
    let not = |word: L| word.xor(word.like(u32::MAX));
    match round {
        0 => b.xor(c).xor(d),
        1 => d.xor(b.and(c.xor(d))),
        2 => b.or(not(c)).xor(d),
        3 => c.xor(d.and(b.xor(c))),
        _ => b.xor(c.or(not(d))),
    }
}
