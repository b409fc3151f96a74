use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::envelope::{begin, finish};

fn envelope(opcode: Opcode, body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let start = begin(&mut out, Version::V4, false, opcode);
    out.extend_from_slice(body);
    finish(&mut out, start).unwrap();
    out
}

/// A compressed envelope that announces this length.
fn announcing(plain: i32, block: &[u8]) -> Vec<u8> {
    let mut out = envelope(Opcode::Result, &[&plain.to_be_bytes()[..], block].concat());
    out[1] |= flag::COMPRESSED;
    out
}

#[test]
fn an_empty_body_may_have_an_empty_block_or_none() {
    for block in [&[0][..], &[]] {
        let mut plain = Vec::new();
        let wire = announcing(0, block);
        assert_eq!(inflate(&wire, &mut plain), Ok(UnsealResult::Took(wire.len())));
        assert_eq!(plain, envelope(Opcode::Result, &[]));
    }
}

#[test]
fn startup_and_incompressible_bodies_stay_uncompressed() {
    let same = [7; 300];
    let short = [7; WORTH_COMPRESSING - 1];
    let next = |state: &u32| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    let noise = std::iter::successors(Some(1_u32), next).map(|state| (state >> 24) as u8);
    let noise: Vec<u8> = noise.take(300).collect();
    for (opcode, body, is_shorter) in [
        (Opcode::Query, &same[..], true),
        (Opcode::Query, &short, false),
        (Opcode::Query, &noise, false),
        (Opcode::Startup, &same, false),
    ] {
        let plain = envelope(opcode, body);
        let mut sealed = plain.clone();
        compress_bodies(&mut sealed, 0);
        assert_eq!(sealed.len() < plain.len(), is_shorter, "{opcode:?}");
        assert_eq!(sealed != plain, is_shorter, "{opcode:?}");
    }
}

#[test]
fn a_block_that_does_not_hold_what_it_announces_is_malformed() {
    let block = lz4_flex::block::compress(&[7; 500]);
    for (wire, reason) in [
        (announcing(501, &block), "holds 500 bytes and announced 501"),
        (announcing(499, &block), "a body's LZ4 block: "),
        (announcing(100, b"no LZ4 at all"), "a body's LZ4 block: "),
        (announcing(1 << 28, &block), "bytes that announces 268435456"),
        (announcing(i32::MAX, &block), "a compressed body that announces 2147483647 bytes"),
        (announcing(-1, &block), "a count of -1"),
        (announcing(1, &[]), "an LZ4 block of 0 bytes that announces 1"),
    ] {
        let error = inflate(&wire, &mut Vec::new()).unwrap_err();
        assert!(error.0.contains(reason), "{error}");
    }
}

#[test]
fn a_flag_of_version_5_means_nothing() {
    let mut wire = announcing(0, &[0]);
    wire[0] = 0x85;
    let mut plain = Vec::new();
    assert_eq!(inflate(&wire, &mut plain), Ok(UnsealResult::Took(wire.len())));
    assert_eq!(plain, wire);
}

#[test]
fn an_envelope_is_opened_when_its_last_byte_is_there() {
    let plain = envelope(Opcode::Query, &[7; 300]);
    let mut wire = plain.clone();
    compress_bodies(&mut wire, 0);
    for split in 0..wire.len() {
        let mut out = Vec::new();
        let announced = if split < HEADER_LEN { 0 } else { wire.len() };
        assert_eq!(inflate(&wire[..split], &mut out), Ok(UnsealResult::Awaits(announced)));
        assert_eq!(out, []);
    }
}

proptest! {
    #[test]
    fn compressed_bodies_round_trip(
        bodies in vec((any::<u8>(), 0..300_usize, vec(any::<u8>(), 0..100)), 0..8),
        before in vec(any::<u8>(), 0..20),
    ) {
        let body = |(byte, len, noise): &(u8, usize, Vec<u8>)| [&vec![*byte; *len], &noise[..]].concat();
        let plain: Vec<u8> =
            bodies.iter().flat_map(|parts| envelope(Opcode::Query, &body(parts))).collect();
        let mut out = [&before[..], &plain].concat();
        compress_bodies(&mut out, before.len());
        prop_assert_eq!(&out[..before.len()], &before);
        let (mut rest, mut opened) = (&out[before.len()..], Vec::new());
        while let UnsealResult::Took(len) = inflate(rest, &mut opened).unwrap() {
            rest = &rest[len..];
        }
        prop_assert!(rest.is_empty());
        prop_assert_eq!(opened, plain);
    }

    #[test]
    fn any_block_decompresses_or_errs(plain in -2..5000_i32, block in vec(any::<u8>(), 0..80)) {
        let mut out = Vec::new();
        if inflate(&announcing(plain, &block), &mut out).is_ok() {
            prop_assert_eq!(out.len(), HEADER_LEN + plain as usize);
        }
    }
}
