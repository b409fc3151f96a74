//! What sketches say about the sets they were made of.

use super::sketch::{Sketch, TOP_RANK, common_minhash, union};

/// About how many different values were added: Ertl's improved estimator (arXiv 1702.01284,
/// algorithm 6), scaled by the constant of the first `HyperLogLog` paper.
pub fn count(sketch: &Sketch) -> i64 {
    if sketch.cached != 0 {
        return sketch.cached as i64;
    }
    cardinality(sketch).round() as i64
}

fn cardinality(sketch: &Sketch) -> f64 {
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
    alpha * registers * registers / z
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

/// How many values are in all sketches.
pub fn intersection(sketches: &[Sketch]) -> i64 {
    let common = if common_minhash(sketches) > 0 {
        cardinality(&union(sketches)) * similarity(sketches)
    } else {
        included(sketches)
    };
    common.round().max(0.0) as i64
}

/// Which share of the values in any sketch is in all of them.
pub fn similarity(sketches: &[Sketch]) -> f64 {
    let union = union(sketches);
    let all = cardinality(&union);
    if all.round() == 0.0 {
        return 0.0;
    }
    if common_minhash(sketches) == 0 {
        return (included(sketches) / all.round()).clamp(0.0, 1.0);
    }
    if sketches.iter().any(|sketch| sketch.index_bits != union.index_bits) {
        return 0.0;
    }
    let used = union.registers.iter().filter(|register| **register != 0).count();
    let agree = |at: &usize| {
        union.registers[*at] != 0
            && sketches.iter().all(|sketch| sketch.registers[*at] == union.registers[*at])
    };
    let mut agreeing = (0..union.registers.len()).filter(agree).count() as f64;
    if let [one, other] = sketches {
        agreeing -= collisions(one, other);
    }
    (agreeing / used as f64).clamp(0.0, 1.0)
}

/// How many registers of two sketches agree by chance: those with the same rank, of which one in
/// 2 to the number of minhash bits has the same minhash too.
fn collisions(one: &Sketch, other: &Sketch) -> f64 {
    let (first, second) = (cardinality(one), cardinality(other));
    let registers = one.registers.len() as f64;
    let none_above =
        |rank: i32, count: f64| (count * (-(0.5_f64.powi(rank)) / registers).ln_1p()).exp();
    let has = |rank: i32, count: f64| none_above(rank, count) - none_above(rank - 1, count);
    let same_rank: f64 = (1..=TOP_RANK as i32).map(|at| has(at, first) * has(at, second)).sum();
    registers * same_rank / 2_f64.powi(i32::from(one.minhash_bits))
}

/// The size of the intersection by inclusion and exclusion, for up to three sketches.
fn included(sketches: &[Sketch]) -> f64 {
    let size = |sketches: &[Sketch]| cardinality(&union(sketches)).round();
    let one = |at: usize| size(&sketches[at..=at]);
    let two = |a: usize, b: usize| size(&[sketches[a].clone(), sketches[b].clone()]);
    let common = match sketches.len() {
        1 => one(0),
        2 => one(0) + one(1) - two(0, 1),
        _ => {
            let singles = one(0) + one(1) + one(2);
            singles - two(0, 1) - two(0, 2) - two(1, 2) + size(sketches)
        }
    };
    common.max(0.0)
}
