//! The registers of a sketch.

/// Bytes before the registers.
pub const HEAD: usize = 11;
/// Bits of a register for the rank.
const RANK_BITS: u8 = 6;
/// The largest rank of a register.
pub const TOP_RANK: u64 = (1 << RANK_BITS) - 1;

/// A parsed sketch. A register is a rank followed by minhash bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sketch {
    /// The sketch has 2^index_bits registers.
    pub index_bits: u8,
    /// Minhash bits per register.
    pub minhash_bits: u8,
    /// The cached count; 0 if there is none.
    pub cached: u64,
    /// The registers.
    pub registers: Vec<u64>,
}

impl Sketch {
    /// A sketch without values.
    pub fn new(index_bits: u8, minhash_bits: u8) -> Self {
        Self { index_bits, minhash_bits, cached: 0, registers: vec![0; 1 << index_bits] }
    }

    /// Parses a sketch; `None` if its size does not match its bits.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let (&[_, index, minhash, ref cached @ ..], packed) = bytes.split_first_chunk::<HEAD>()?;
        let known = (4..=16).contains(&index) && matches!(minhash, 0 | 4..=51);
        if !known || index + minhash > 64 {
            return None;
        }
        let mut sketch = Self::new(index, minhash);
        if packed.len() != sketch.packed_len() {
            return None;
        }
        sketch.cached = cached.iter().rev().fold(0, |int, byte| int << 8 | u64::from(*byte));
        let width = u32::from(RANK_BITS + minhash);
        let mut packed = packed.iter();
        let (mut buffer, mut held) = (0_u128, 0);
        for register in &mut sketch.registers {
            while held < width {
                buffer = buffer << 8 | u128::from(*packed.next()?);
                held += 8;
            }
            held -= width;
            *register = (buffer >> held) as u64;
            buffer &= (1 << held) - 1;
        }
        Some(sketch)
    }

    /// The sketch as it is stored.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEAD + self.packed_len());
        out.extend_from_slice(&[0, self.index_bits, self.minhash_bits]);
        out.extend_from_slice(&self.cached.to_le_bytes());
        let width = u32::from(RANK_BITS + self.minhash_bits);
        let (mut buffer, mut held) = (0_u128, 0);
        for register in &self.registers {
            buffer = buffer << width | u128::from(*register);
            held += width;
            while held >= 8 {
                held -= 8;
                out.push((buffer >> held) as u8);
            }
            buffer &= (1 << held) - 1;
        }
        if held > 0 {
            out.push((buffer << (8 - held)) as u8);
        }
        out
    }

    fn packed_len(&self) -> usize {
        let width = usize::from(RANK_BITS + self.minhash_bits);
        (width << self.index_bits).div_ceil(8)
    }

    /// The register of a value, and its contents for that value.
    fn place(&self, value: &[u8]) -> (usize, u64) {
        let (low, high) = murmur3(value);
        let index = low & ((1 << self.index_bits) - 1);
        let minhash = low >> self.index_bits & ((1 << self.minhash_bits) - 1);
        let rank = u64::from(high.trailing_zeros() + 1).min(TOP_RANK);
        (index as usize, rank << self.minhash_bits | minhash)
    }

    /// Adds a value; returns whether that changed anything.
    pub fn add(&mut self, value: &[u8]) -> bool {
        let (index, new) = self.place(value);
        let changes = new > self.registers[index];
        if changes {
            self.registers[index] = new;
            self.cached = 0;
        }
        changes
    }

    /// Whether a value may have been added.
    pub fn may_contain(&self, value: &[u8]) -> bool {
        let (index, register) = self.place(value);
        register <= self.registers[index]
    }

    /// The same sketch with no more than these bits.
    pub fn reduced(&self, index_bits: u8, minhash_bits: u8) -> Self {
        let index_bits = index_bits.min(self.index_bits);
        let minhash_bits = minhash_bits.min(self.minhash_bits);
        if (index_bits, minhash_bits) == (self.index_bits, self.minhash_bits) {
            return self.clone();
        }
        let mut reduced = Self::new(index_bits, minhash_bits);
        for (at, register) in self.registers.iter().enumerate() {
            let rank = register >> self.minhash_bits;
            let minhash = register & ((1 << minhash_bits) - 1);
            let target = &mut reduced.registers[at & ((1 << index_bits) - 1)];
            *target = (*target).max(rank << minhash_bits | minhash);
        }
        reduced
    }
}

/// The minhash bits of all sketches if equal, else 0.
pub fn common_minhash(sketches: &[Sketch]) -> u8 {
    let first = sketches.first().map_or(0, |sketch| sketch.minhash_bits);
    if sketches.iter().all(|sketch| sketch.minhash_bits == first) { first } else { 0 }
}

/// The union of sketches, as precise as the least precise one. Minhash bits are kept only if all
/// have the same number.
pub fn union(sketches: &[Sketch]) -> Sketch {
    let index_bits = sketches.iter().map(|sketch| sketch.index_bits).min().unwrap_or(4);
    let minhash_bits = common_minhash(sketches);
    let mut union = Sketch::new(index_bits, minhash_bits);
    for sketch in sketches {
        let sketch = sketch.reduced(index_bits, minhash_bits);
        for (target, register) in union.registers.iter_mut().zip(sketch.registers) {
            *target = (*target).max(register);
        }
    }
    union
}

/// `MurmurHash3`, 128 bits for 64-bit machines, seed 0.
pub fn murmur3(bytes: &[u8]) -> (u64, u64) {
    const C1: u64 = 0x87c3_7b91_1142_53d5;
    const C2: u64 = 0x4cf5_ad43_2745_937f;
    let mix1 = |k: u64| k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2);
    let mix2 = |k: u64| k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1);
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let (mut h1, mut h2) = (0_u64, 0_u64);
    let blocks = bytes.chunks_exact(16);
    let tail = blocks.remainder();
    for block in blocks {
        h1 ^= mix1(word(&block[..8]));
        h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 ^= mix2(word(&block[8..]));
        h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    let (low, high) = tail.split_at(tail.len().min(8));
    h2 ^= mix2(word(high));
    h1 ^= mix1(word(low));
    h1 ^= bytes.len() as u64;
    h2 ^= bytes.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    h1 = finish(h1);
    h2 = finish(h2);
    h1 = h1.wrapping_add(h2);
    (h1, h2.wrapping_add(h1))
}

fn finish(mut hash: u64) -> u64 {
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ hash >> 33
}
