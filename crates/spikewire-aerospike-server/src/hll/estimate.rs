//! Estimates from sketches.

use super::sketch::{HEAD, Sketch, TOP_RANK, common_minhash, union};

/// Number of ranks in which two sketches can agree.
const RANKS: i32 = TOP_RANK as i32 + 1;

/// The estimated number of distinct values: Ertl's improved estimator (arXiv 1702.01284, algorithm
/// 6), scaled by the constant of the first `HyperLogLog` paper.
pub fn count(sketch: &Sketch) -> i64 {
    if sketch.cached != 0 {
        return sketch.cached as i64;
    }
    let mut counts = [0_u32; TOP_RANK as usize + 1];
    for register in &sketch.registers {
        counts[(register >> sketch.minhash_bits) as usize & TOP_RANK as usize] += 1;
    }
    let registers = sketch.registers.len() as f64;
    // The rank above the top one, which `tau` is about, never occurs.
    let mut z = 0.0;
    for count in counts.iter().skip(1).rev() {
        z = 0.5 * (z + f64::from(*count));
    }
    z += registers * sigma(f64::from(counts[0]) / registers);
    let alpha = match sketch.index_bits {
        4 => 0.673,
        5 => 0.697,
        6 => 0.709,
        _ => 0.7213 / (1.0 + 1.079 / registers),
    };
    (alpha * registers * registers / z).round() as i64
}

#[allow(clippy::float_cmp)] // the series is summed up until it stands still
fn sigma(mut x: f64) -> f64 {
    if x == 1.0 {
        return f64::INFINITY;
    }
    let (mut y, mut z) = (1.0, x);
    loop {
        x *= x;
        let before = z;
        z += x * y;
        y += y;
        if z == before {
            return z;
        }
    }
}

/// The estimated number of values in all sketches.
pub fn intersection(sketches: &[Sketch]) -> i64 {
    if common_minhash(sketches) == 0 {
        return included(sketches);
    }
    let similarity = similarity(sketches);
    if similarity.is_nan() {
        0
    } else {
        (count(&union(sketches)) as f64 * similarity).round() as i64
    }
}

/// The share of the values in any sketch that are in all of them; NaN if there are none.
pub fn similarity(sketches: &[Sketch]) -> f64 {
    let union = union(sketches);
    if union.minhash_bits == 0 {
        return included(sketches) as f64 / count(&union) as f64;
    }
    if sketches.iter().any(is_empty) {
        return if sketches.iter().all(is_empty) { f64::NAN } else { 0.0 };
    }
    let used = |registers: &[u64]| registers.iter().filter(|register| **register != 0).count();
    let mut agreeing = used(&agreement(sketches, union.index_bits)) as f64;
    if let [one, other] = sketches {
        agreeing -= collisions(count(one), count(other), &union);
    }
    (agreeing / used(&union.registers) as f64).max(0.0)
}

/// Whether servers consider a sketch with minhash bits empty: they check as many bytes as there are
/// registers, which is not all of them.
fn is_empty(sketch: &Sketch) -> bool {
    let bytes = sketch.to_bytes();
    bytes[HEAD..].iter().take(sketch.registers.len()).all(|byte| *byte == 0)
}

/// The registers that are equal in all sketches, 0 elsewhere. A sketch with more registers has
/// several for one of the others', which must all be equal.
fn agreement(sketches: &[Sketch], index_bits: u8) -> Vec<u64> {
    let Some((first, rest)) = sketches.split_first() else { return Vec::new() };
    let mut agreed = first.reduced(index_bits, first.minhash_bits).registers;
    for sketch in rest {
        for (at, register) in sketch.registers.iter().enumerate() {
            let agreed = &mut agreed[at & ((1 << index_bits) - 1)];
            if *agreed != *register {
                *agreed = 0;
            }
        }
    }
    agreed
}

/// The expected number of registers of two sketches that agree by chance: those with equal rank, of
/// which one in 2^(minhash bits) has the same minhash too (arXiv 1710.08436).
fn collisions(one: i64, other: i64, union: &Sketch) -> f64 {
    let registers = union.registers.len() as f64;
    let mut same_rank = 0.0;
    for rank in 1..=RANKS {
        let above = if rank == RANKS { 0.0 } else { 0.5_f64.powi(rank) / registers };
        let from = 0.5_f64.powi(rank - 1) / registers;
        let has = |count: i64| (1.0 - above).powf(count as f64) - (1.0 - from).powf(count as f64);
        same_rank += has(one) * has(other);
    }
    same_rank * registers / 2_f64.powi(i32::from(union.minhash_bits))
}

/// The size of the intersection of two or three sketches by inclusion-exclusion.
fn included(sketches: &[Sketch]) -> i64 {
    let all = count(&union(sketches));
    // The cached count in a sketch from a client may be any number.
    let sum = sketches.iter().map(count).fold(0, i64::wrapping_add);
    let common = match sketches {
        [first, second, third] => {
            let two = |a: &Sketch, b: &Sketch| intersection(&[a.clone(), b.clone()]);
            let pairs = [two(first, second), two(second, third), two(first, third)];
            pairs.into_iter().fold(all.wrapping_sub(sum), i64::wrapping_add)
        }
        _ => sum.wrapping_sub(all),
    };
    common.max(0)
}
