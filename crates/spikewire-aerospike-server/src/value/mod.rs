//! Validation of bin values, and their stored form.
//!
//! | module | what it holds |
//! |---|---|
//! | [`collection`] | lists and maps: checked and brought into stored form |
//! | [`order`] | the total order of values inside lists and maps |
//! | [`geo`] | `GeoJSON` |

pub mod collection;
pub mod geo;
pub mod order;

use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::{self, particle};

/// Appends the stored form of a value from a client, or returns the error code. The caller handles
/// nulls first.
pub fn store(out: &mut Vec<u8>, particle: u8, bytes: &[u8]) -> Result<(), ResultCode> {
    match particle {
        particle::INTEGER => {
            let int = value::read_int(bytes).map_err(|_| ResultCode::PARAMETER)?;
            out.extend_from_slice(&int.to_be_bytes());
        }
        particle::FLOAT if bytes.len() == 8 => out.extend_from_slice(bytes),
        particle::BOOL if matches!(bytes, [0 | 1]) => out.extend_from_slice(bytes),
        particle::STRING | particle::BLOB | 7..=12 | particle::VECTOR => {
            out.extend_from_slice(bytes);
        }
        particle::HLL if is_sketch(bytes) => out.extend_from_slice(bytes),
        particle::LIST | particle::MAP => {
            collection::store(out, particle, bytes).map_err(|_| ResultCode::SERVER)?;
        }
        particle::GEOJSON => geo::store(out, bytes).map_err(|_| ResultCode::INVALID_GEOJSON)?,
        _ => return Err(ResultCode::PARAMETER),
    }
    Ok(())
}

/// Whether these bytes have the layout of a `HyperLogLog` sketch: flags, index bits, minhash bits,
/// a cached count, and registers of `6 + minhash bits` each.
fn is_sketch(bytes: &[u8]) -> bool {
    let [_, index @ 4..=16, minhash, ..] = *bytes else { return false };
    if !matches!(minhash, 0 | 4..=51) || index + minhash > 64 {
        return false;
    }
    let bits = (6 + usize::from(minhash)) << index;
    bytes.len() == 11 + bits.div_ceil(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(particle: u8, bytes: &[u8]) -> u8 {
        store(&mut Vec::new(), particle, bytes).map_or_else(|code| code.0, |()| 0)
    }

    #[test]
    fn scalars_have_fixed_shapes() {
        for (len, expected) in [(0, 4), (1, 0), (2, 0), (3, 4), (4, 0), (5, 4), (8, 0), (9, 4)] {
            assert_eq!(code(particle::INTEGER, &vec![1; len]), expected, "integer of {len}");
            let float = if len == 8 { 0 } else { 4 };
            assert_eq!(code(particle::FLOAT, &vec![1; len]), float, "float of {len}");
        }
        let mut out = Vec::new();
        store(&mut out, particle::INTEGER, &[0xfe]).unwrap();
        assert_eq!(out, 254i64.to_be_bytes());
        for (bytes, expected) in [(&[0][..], 0), (&[1], 0), (&[2], 4), (&[], 4), (&[0, 0], 4)] {
            assert_eq!(code(particle::BOOL, bytes), expected);
        }
    }

    #[test]
    fn unknown_types_are_rejected_and_old_blobs_accepted() {
        for particle in 0..=255 {
            let known = matches!(particle, 3 | 4 | 7..=12 | 16);
            let odd = matches!(particle, 18..=20 | 23);
            if !odd {
                assert_eq!(code(particle, b"xyz") == 0, known, "particle {particle}");
            }
        }
    }

    #[test]
    fn a_sketch_has_the_size_its_bits_announce() {
        let mut sketch = vec![0, 4, 0];
        sketch.resize(11 + 12, 0);
        assert_eq!(code(particle::HLL, &sketch), 0);
        sketch.push(0);
        assert_eq!(code(particle::HLL, &sketch), 4);
        assert_eq!(code(particle::HLL, &[0, 3, 0]), 4);
    }
}
