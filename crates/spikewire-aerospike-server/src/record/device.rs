//! The size of a record in a server's storage, which limits and expressions refer to.

use spikewire_aerospike_protocol::value::particle;

use super::View;
use super::bins::Bin;

/// Bytes of a stored record before its optional parts.
const HEAD: usize = 35;
/// Size of its end mark.
const END_MARK: usize = 4;
/// Records occupy whole blocks of this size.
const BLOCK: usize = 16;
/// Upper bound on how much larger a stored record can be than its image here.
const SLACK: usize = 128;

/// Size of a record including its end mark; `set` is the length of its set's name.
fn flat_size(record: View<'_>, set: usize) -> usize {
    let void_time = if record.void_time() == 0 { 0 } else { 4 };
    let set = if set == 0 { 0 } else { 1 + set };
    let key = record.key().map_or(0, |key| varint(key.len()) + key.len());
    let bins = Bin::all(record.bins()).map(|bin| 1 + bin.name.len() + particle_size(bin));
    let count = varint(usize::from(record.bin_count()));
    HEAD + void_time + set + key + count + bins.sum::<usize>() + END_MARK
}

/// Size of a number in groups of seven bits.
fn varint(number: usize) -> usize {
    (usize::BITS - (number | 1).leading_zeros()).div_ceil(7) as usize
}

fn particle_size(bin: Bin<'_>) -> usize {
    match (bin.particle, bin.value) {
        (particle::INTEGER, [0, 0, 0, 0, 0, 0, 0, _]) => 2 + 1,
        (particle::INTEGER, [0, 0, 0, 0, 0, 0, ..]) => 2 + 2,
        (particle::INTEGER, [0, 0, 0, 0, ..]) => 2 + 4,
        (particle::INTEGER, value) => 2 + value.len(),
        (particle::FLOAT | particle::BOOL, value) => 1 + value.len(),
        (_, value) => 1 + 4 + value.len(),
    }
}

/// Stored size of a record; `set` is the length of its set's name.
pub fn stored_size(record: View<'_>, set: usize) -> usize {
    flat_size(record, set).next_multiple_of(BLOCK)
}

/// Whether a record is larger than `limit`; `set` returns the length of its set's name.
pub fn is_too_big(record: View<'_>, limit: usize, set: impl FnOnce() -> usize) -> bool {
    record.image().len() + SLACK > limit && flat_size(record, set()) > limit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Draft;
    use spikewire_aerospike_protocol::key::Digest;
    use spikewire_aerospike_protocol::message::{op, write_op};

    fn image(void_time: u32, key: Option<&[u8]>, bins: &[(&str, u8, &[u8])]) -> Vec<u8> {
        let mut wire = Vec::new();
        for (name, of, value) in bins {
            write_op(&mut wire, op::READ, name.as_bytes(), *of, value);
        }
        let (digest, bins) = (Digest([1; 20]), bins.len() as u16);
        let draft = Draft { digest, generation: 1, set: 0, void_time, last_update: 0, bins };
        let mut image = Vec::new();
        draft.compose(&mut image, &wire, key);
        image
    }

    #[test]
    fn sizes_are_those_of_servers() {
        let int = |value: i64| image(0, None, &[("a", particle::INTEGER, &value.to_be_bytes())]);
        // Head, count, name, type, length, value, end mark.
        for (value, size) in [(0, 1), (255, 1), (256, 2), (65_536, 4), (1 << 32, 8), (-1, 8)] {
            assert_eq!(flat_size(View::new(&int(value)), 0), 35 + 1 + 2 + 2 + size + 4, "{value}");
        }
        assert_eq!(stored_size(View::new(&int(1)), 0), 48);
        assert_eq!(stored_size(View::new(&int(1)), 4), 64);
        let more = image(
            9,
            Some(b"\x03key"),
            &[
                ("f", particle::FLOAT, &[0; 8]),
                ("t", particle::BOOL, &[1]),
                ("s", particle::STRING, b"text"),
            ],
        );
        let bins = (2 + 9) + (2 + 2) + (2 + 5 + 4);
        assert_eq!(flat_size(View::new(&more), 0), 35 + 4 + (1 + 4) + 1 + bins + 4);
        assert_eq!([0, 1, 127, 128, 16_384].map(varint), [1, 1, 1, 2, 3]);
    }

    #[test]
    fn the_size_limit_includes_the_end_mark() {
        let large = |len: usize| image(0, None, &[("b", particle::BLOB, &vec![7; len])]);
        let room = 1000 - (35 + 1 + 2 + 5 + 4);
        assert!(!is_too_big(View::new(&large(room)), 1000, || 0));
        assert!(is_too_big(View::new(&large(room + 1)), 1000, || 0));
        assert!(is_too_big(View::new(&large(room)), 1000, || 1));
    }
}
