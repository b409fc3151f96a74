//! Sketches, operation by operation.

use spikewire_aerospike_protocol::hll::UNSET;
use spikewire_aerospike_protocol::value::Value;

use super::*;

#[derive(Default)]
struct Bin(Option<Vec<u8>>);

impl Bin {
    fn run(&mut self, op: &HllOp<Value>) -> Result<Option<Value>, u8> {
        let mut payload = Vec::new();
        op.encode(&mut payload);
        let old = self.0.as_ref().map(|bytes| (particle::HLL, bytes.as_slice()));
        let result = if op.modifies() {
            let outcome = modify(old, &payload).map_err(|code| code.0)?;
            self.0 = outcome.bin.map(|bin| bin.1).or(self.0.take());
            outcome.result
        } else {
            read(old.unwrap(), &payload).map_err(|code| code.0)?
        };
        Ok(result.map(|result| Value::decode(result.particle, &result.value).unwrap()))
    }

    fn int(&mut self, op: &HllOp<Value>) -> i64 {
        match self.run(op) {
            Ok(Some(Value::Int(int))) => int,
            other => panic!("{op:?}: {other:?}"),
        }
    }

    fn sketch(&self) -> Value {
        Value::Hll(self.0.clone().unwrap())
    }
}

fn values(range: std::ops::Range<i64>) -> Value {
    Value::List(range.map(Value::Int).collect())
}

fn add(range: std::ops::Range<i64>, index: i64, minhash: i64) -> HllOp<Value> {
    HllOp::Add { values: values(range), precision: Precision { index, minhash }, flags: 0 }
}

fn filled(range: std::ops::Range<i64>, index: i64, minhash: i64) -> Bin {
    let mut bin = Bin::default();
    bin.run(&add(range, index, minhash)).unwrap();
    bin
}

fn near(actual: i64, expected: i64, percent: i64) {
    assert!((actual - expected).abs() * 100 <= expected * percent, "{actual} is not {expected}");
}

#[test]
fn hash_of_known_bytes() {
    // Published test vectors of the hash.
    assert_eq!(sketch::murmur3(b""), (0, 0));
    assert_eq!(sketch::murmur3(b"hello"), (0xcbd8_a7b3_41bd_9b02, 0x5b1e_906a_48ae_1d19));
    let long = b"The quick brown fox jumps over the lazy dog";
    assert_eq!(sketch::murmur3(long), (0xe34b_bc7b_bc07_1b6c, 0x7a43_3ca9_c49a_9347));
}

#[test]
fn counts_are_within_the_error_of_their_precision() {
    for (index, percent) in [(8, 25), (12, 6), (16, 2)] {
        for count in [1, 10, 1000, 30_000] {
            let mut bin = filled(0..count, index, 0);
            near(bin.int(&HllOp::Count), count, percent);
            assert_eq!(bin.int(&HllOp::MayContain(values(0..count))), 1);
            assert_eq!(bin.int(&add(0..count, -1, -1)), 0, "nothing new");
        }
    }
    let mut bin = Bin::default();
    bin.run(&HllOp::Init(Precision { index: 10, minhash: 0 }, 0)).unwrap();
    assert_eq!(bin.int(&HllOp::Count), 0);
    assert_eq!(bin.int(&add(0..10, -1, -1)), 10);
    assert_eq!(bin.int(&HllOp::MayContain(values(0..11))), 0);
}

#[test]
fn sketches_are_packed_and_unpacked() {
    for (index, minhash) in [(4, 0), (5, 4), (10, 51), (13, 7), (16, 0), (16, 48)] {
        let bin = filled(0..5000, index, minhash);
        let bytes = bin.0.unwrap();
        let sketch = Sketch::parse(&bytes).unwrap();
        assert_eq!(sketch.to_bytes(), bytes);
        assert!(Sketch::parse(&bytes[1..]).is_none());
    }
}

#[test]
fn unions_and_intersections_are_within_their_error() {
    for minhash in [0, 20] {
        let mut one = filled(0..10_000, 12, minhash);
        let others = Value::List(vec![filled(5000..15_000, 12, minhash).sketch()]);
        near(one.int(&HllOp::UnionCount(others.clone())), 15_000, 6);
        near(one.int(&HllOp::IntersectCount(others.clone())), 5000, 15);
        let Ok(Some(Value::Float(share))) = one.run(&HllOp::Similarity(others.clone())) else {
            panic!("no similarity")
        };
        assert!((share - 1.0 / 3.0).abs() < 0.06, "{share}");
        one.run(&HllOp::SetUnion(others, 0)).unwrap();
        near(one.int(&HllOp::RefreshCount), 15_000, 6);
        assert_ne!(one.0.as_ref().unwrap()[3..11], [0; 8], "the count is kept");
        one.run(&add(20_000..30_000, -1, -1)).unwrap();
        assert_eq!(one.0.as_ref().unwrap()[3..11], [0; 8], "until values come");
    }
    let mut one = filled(0..100, 8, 0);
    let many = Value::List(vec![one.sketch(); 3]);
    assert_eq!(one.run(&HllOp::Similarity(many)), Err(4));
    let mut other = filled(0..100, 8, 12);
    let many = Value::List(vec![filled(0..100, 8, 10).sketch(); 3]);
    assert_eq!(other.run(&HllOp::IntersectCount(many)), Err(26));
    let mut one = filled(0..100, 8, 10);
    let many = Value::List(vec![one.sketch(); 3]);
    assert_eq!(one.run(&HllOp::Similarity(many)), Ok(Some(Value::Float(1.0))));
}

#[test]
fn folding_equals_a_sketch_of_fewer_bits() {
    let mut wide = filled(0..1000, 12, 0);
    let narrow = filled(0..1000, 8, 0);
    let fewer = Value::List(vec![narrow.sketch()]);
    assert_eq!(wide.run(&HllOp::SetUnion(fewer.clone(), 0)), Err(26));
    assert_eq!(wide.run(&HllOp::Fold(13)), Err(26));
    assert_eq!(wide.run(&HllOp::Fold(3)), Err(4));
    let mut folded = Bin(wide.0.clone());
    assert_eq!(folded.run(&HllOp::Fold(8)), Ok(None));
    assert_eq!(folded.0, narrow.0, "as if it had been made so");
    assert_eq!(wide.run(&HllOp::SetUnion(fewer, 8)), Ok(None));
    assert_eq!(wide.0, narrow.0);
    assert_eq!(filled(0..9, 8, 4).run(&HllOp::Fold(4)), Err(26));
    let described = wide.run(&HllOp::Describe).unwrap();
    assert_eq!(described, Some(Value::List(vec![Value::Int(8), Value::Int(0)])));
}

#[test]
fn invalid_operations_get_the_codes_of_the_server() {
    let init = |index, minhash, flags| HllOp::Init(Precision { index, minhash }, flags);
    let mut bin = Bin::default();
    for (op, code) in [
        (HllOp::Init(UNSET, 0), 26),
        (init(3, 0, 0), 4),
        (init(17, 0, 0), 4),
        (init(8, 3, 0), 4),
        (init(8, 52, 0), 4),
        (init(16, 49, 0), 4),
        (init(8, 0, 8), 4),
        (init(8, 0, 2), 17),
        (HllOp::RefreshCount, 17),
        (HllOp::Fold(4), 17),
        (add(0..1, -1, -1), 26),
        (add(0..0, 8, 0), 4),
        (HllOp::SetUnion(Value::List(vec![]), 0), 4),
        (HllOp::SetUnion(Value::List(vec![Value::Bytes(vec![1])]), 0), 4),
    ] {
        assert_eq!(bin.run(&op), Err(code), "{op:?}");
    }
    assert_eq!(bin.run(&init(8, 0, 2 | 4)), Ok(None));
    assert!(bin.0.is_none());
    bin.run(&init(8, 0, 1)).unwrap();
    assert_eq!(bin.run(&init(8, 0, 1)), Err(6));
    assert_eq!(bin.run(&init(8, 0, 1 | 4)), Ok(None));
    let nested =
        |value| HllOp::Add { values: Value::List(vec![value]), precision: UNSET, flags: 0 };
    assert_eq!(bin.run(&nested(Value::List(vec![]))), Err(4));
    assert_eq!(bin.run(&nested(Value::Nil)), Ok(Some(Value::Int(1))));
    assert_eq!(bin.run(&HllOp::Init(UNSET, 0)), Ok(None));
    assert_eq!(bin.int(&HllOp::Count), 0);
    let mut payload = Vec::new();
    HllOp::<Value>::Count.encode(&mut payload);
    assert_eq!(read((particle::BLOB, b""), &payload), Err(ResultCode::BIN_TYPE));
}

#[test]
fn counts_are_rounded_before_they_are_compared() {
    let mut bin = filled(0..100, 8, 0);
    let other = filled(50..150, 8, 0).sketch();
    let others = Value::List(vec![other]);
    let counts = (bin.int(&HllOp::Count), filled(50..150, 8, 0).int(&HllOp::Count));
    let union = bin.int(&HllOp::UnionCount(others.clone()));
    let common = bin.int(&HllOp::IntersectCount(others.clone()));
    assert_eq!(common, counts.0 + counts.1 - union);
    let similarity = bin.run(&HllOp::Similarity(others)).unwrap();
    assert_eq!(similarity, Some(Value::Float(common as f64 / union as f64)));
}

#[test]
fn other_minhash_bits_are_rejected() {
    let mut bin = filled(0..100, 8, 16);
    let other = Value::List(vec![filled(50..150, 12, 20).sketch()]);
    assert_eq!(bin.run(&HllOp::SetUnion(other, 0)), Err(26));
    let init = HllOp::Init(Precision { index: 16, minhash: -1 }, 0);
    let mut wide = filled(0..100, 8, 51);
    assert_eq!(wide.run(&init), Err(26));
}

/// As on servers: the similarity of empty sketches is NaN.
#[test]
fn empty_sketches_have_nothing_in_common() {
    for minhash in [0, 12] {
        let mut empty = Bin::default();
        empty.run(&HllOp::Init(Precision { index: 8, minhash }, 0)).unwrap();
        let mut full = filled(0..100, 8, minhash);
        let list = |bin: &Bin| Value::List(vec![bin.sketch()]);
        let (no, some) = (list(&empty), list(&full));
        assert_eq!(full.run(&HllOp::Similarity(no.clone())), Ok(Some(Value::Float(0.0))));
        assert_eq!(empty.run(&HllOp::Similarity(some.clone())), Ok(Some(Value::Float(0.0))));
        assert_eq!(
            (full.int(&HllOp::IntersectCount(no.clone())), empty.int(&HllOp::IntersectCount(some))),
            (0, 0)
        );
        let Ok(Some(Value::Float(share))) = empty.run(&HllOp::Similarity(no.clone())) else {
            panic!("no similarity")
        };
        assert!(share.is_nan(), "{share}");
        assert_eq!(empty.int(&HllOp::IntersectCount(no)), 0);
    }
}

/// Three sketches by inclusion-exclusion of pairwise intersections, with rounded counts.
#[test]
fn intersections_of_three_sketches_use_inclusion_exclusion() {
    let (one, two) = (filled(0..1000, 10, 0), filled(500..1500, 10, 0));
    let mut three = filled(250..1250, 10, 0);
    let pair = |a: &Bin, b: &Bin| {
        Bin(a.0.clone()).int(&HllOp::IntersectCount(Value::List(vec![b.sketch()])))
    };
    let pairs = pair(&one, &two) + pair(&one, &three) + pair(&two, &three);
    let count = |bin: &Bin| Bin(bin.0.clone()).int(&HllOp::Count);
    let sum = count(&one) + count(&two) + count(&three);
    let others = Value::List(vec![one.sketch(), two.sketch()]);
    let all = three.int(&HllOp::UnionCount(others.clone()));
    assert_eq!(three.int(&HllOp::IntersectCount(others)), all - sum + pairs);
}

/// A sketch with more registers has several for one of the others', and they must all agree.
#[test]
fn similarity_works_on_sketches_of_different_sizes() {
    let mut narrow = filled(0..3, 4, 12);
    let wide = Value::List(vec![filled(0..3, 12, 12).sketch()]);
    let Ok(Some(Value::Float(share))) = narrow.run(&HllOp::Similarity(wide.clone())) else {
        panic!("no similarity")
    };
    // Three values are in 3 of 4,096 registers: no 256 of them are alike.
    assert_eq!((share, narrow.int(&HllOp::IntersectCount(wide))), (0.0, 0));
}
