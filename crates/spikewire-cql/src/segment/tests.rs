use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::envelope::{HEADER_LEN, Opcode, begin, finish};
use crate::version::Version;

/// An envelope with a body of this length. Every other one is incompressible.
fn envelope(body: usize, seed: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let start = begin(&mut out, Version::V5, true, Opcode::Result);
    let mut noise = seed | 1;
    out.extend((0..body).map(|_| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if seed & 1 == 0 { b'x' } else { (noise >> 24) as u8 }
    }));
    finish(&mut out, start).unwrap();
    out
}

/// The contents of all segments of `sealed`.
fn open_all(unsealer: &mut Unsealer, mut sealed: &[u8]) -> Result<Vec<u8>> {
    let mut plain = Vec::new();
    while !sealed.is_empty() {
        match unsealer.open(sealed, &mut plain)? {
            UnsealResult::Took(len) => sealed = &sealed[len..],
            UnsealResult::Awaits(_) => panic!("a segment that is not whole"),
        }
    }
    Ok(plain)
}

/// Payload sizes of plain segments, and whether they are self-contained.
fn payloads(mut sealed: &[u8]) -> Vec<(usize, bool)> {
    let mut payloads = Vec::new();
    while let Some(head) = Head::read(sealed, false).unwrap() {
        payloads.push((head.payload, head.self_contained));
        sealed = &sealed[header_len(false) + head.payload + TRAILER_LEN..];
    }
    payloads
}

/// One segment with this payload.
fn segment(payload: &[u8], self_contained: bool) -> Vec<u8> {
    let mut out = payload.to_vec();
    seal_single(&mut out, 0, self_contained);
    out
}

#[test]
fn headers_are_those_of_a_server() {
    let plain = |bytes| Head::read(bytes, false).unwrap().unwrap();
    let head = Head { payload: 26, plain: 0, self_contained: true };
    assert_eq!(plain(&[0x1a, 0x00, 0x02, 0x20, 0x55, 0xa2]), head);
    let head = Head { payload: 131_054, plain: 0, self_contained: false };
    assert_eq!(plain(&[0xee, 0xff, 0x01, 0x8c, 0xcc, 0x4d]), head);
    let lz4 = |bytes| Head::read(bytes, true).unwrap().unwrap();
    let head = Head { payload: 59, plain: 0, self_contained: true };
    assert_eq!(lz4(&[0x3b, 0x00, 0x00, 0x00, 0x04, 0x2b, 0x73, 0xfd]), head);
    let head = Head { payload: 67, plain: 68, self_contained: true };
    assert_eq!(lz4(&[0x43, 0x00, 0x88, 0x00, 0x04, 0xcd, 0x83, 0xfa]), head);
}

#[test]
#[cfg_attr(miri, ignore = "large, and slow there")]
fn small_envelopes_share_a_segment_and_a_large_one_is_sliced_by_itself() {
    let most = MAX_PAYLOAD - HEADER_LEN;
    let run = [100, 200, most + 1, 300, most, 10].map(|body| envelope(body, 1)).concat();
    let mut sealed = run.clone();
    seal(&mut sealed, 0, false);
    let first = 100 + 200 + 2 * HEADER_LEN;
    let expected = [
        (first, true),
        (MAX_PAYLOAD, false),
        (1, false),
        (300 + HEADER_LEN, true),
        (MAX_PAYLOAD, true),
        (10 + HEADER_LEN, true),
    ];
    assert_eq!(payloads(&sealed), expected);
    assert_eq!(open_all(&mut Unsealer::new(false), &sealed), Ok(run));
}

#[test]
fn sealing_no_bytes_writes_no_segment() {
    for compress in [false, true] {
        let mut out = b"sent".to_vec();
        seal(&mut out, 4, compress);
        assert_eq!(out, b"sent");
    }
}

#[test]
fn incompressible_segments_stay_uncompressed() {
    for (seed, is_smaller) in [(0, true), (1, false)] {
        let plain = envelope(5000, seed);
        let mut sealed = plain.clone();
        seal(&mut sealed, 0, true);
        assert_eq!(sealed.len() < plain.len(), is_smaller);
        let head = Head::read(&sealed, true).unwrap().unwrap();
        assert_eq!(head.plain, if is_smaller { plain.len() } else { 0 });
    }
}

#[test]
fn a_message_between_the_slices_of_a_large_one_follows_it() {
    let (large, small) = (envelope(1000, 1), envelope(5, 0));
    let (a, b) = large.split_at(600);
    let wire = [segment(a, false), segment(&small, true), segment(b, false)].concat();
    let mut unsealer = Unsealer::new(false);
    assert_eq!(open_all(&mut unsealer, &wire), Ok([large.clone(), small.clone()].concat()));
    // And the next one is unaffected.
    assert_eq!(open_all(&mut unsealer, &segment(&small, true)), Ok(small));
}

#[test]
#[cfg_attr(miri, ignore = "large, and slow there")]
fn messages_between_slices_are_not_held_without_end() {
    let (large, small) = (envelope(1000, 1), envelope(100_000, 1));
    let mut unsealer = Unsealer::new(false);
    open_all(&mut unsealer, &segment(&large[..600], false)).unwrap();
    let between = segment(&small, true);
    let held = (0..400).take_while(|_| open_all(&mut unsealer, &between).is_ok()).count();
    assert_eq!(held, MAX_HELD / small.len());
}

#[test]
fn a_small_whole_message_may_be_a_slice() {
    let small = envelope(5, 0);
    assert_eq!(open_all(&mut Unsealer::new(false), &segment(&small, false)), Ok(small));
}

#[test]
fn an_empty_segment_holds_nothing() {
    for self_contained in [false, true] {
        let wire = segment(&[], self_contained);
        assert_eq!(open_all(&mut Unsealer::new(false), &wire), Ok(Vec::new()));
    }
}

#[test]
fn segments_that_cut_envelopes_are_malformed() {
    let small = envelope(20, 1);
    let cases = [
        (segment(&small[..15], true), "ends within an envelope"),
        (segment(&[&small[..], &small[..3]].concat(), true), "ends within an envelope"),
        (segment(&small[..HEADER_LEN - 1], false), "ends within an envelope's header"),
        (segment(&[&small[..], b"x"].concat(), false), "goes on behind its envelope"),
        (segment(b"HTTP/1.1 400 Bad Request", true), "not Cassandra's native protocol (HTTP?)"),
    ];
    for (wire, reason) in cases {
        let error = open_all(&mut Unsealer::new(false), &wire).unwrap_err();
        assert!(error.0.contains(reason), "{error}");
    }
}

/// A segment whose header announces other lengths than its payload has.
fn announcing(payload: &[u8], plain: usize) -> Vec<u8> {
    let mut out = vec![0; header_len(true)];
    Head { payload: payload.len(), plain, self_contained: true }.write(true, &mut out);
    out.extend_from_slice(payload);
    out.extend_from_slice(&crc32(payload).to_le_bytes());
    out
}

#[test]
fn a_block_that_does_not_hold_what_it_announces_is_malformed() {
    let plain = envelope(500, 0);
    let block = lz4_flex::block::compress(&plain);
    let len = plain.len();
    let mut unsealer = Unsealer::new(true);
    assert_eq!(open_all(&mut unsealer, &announcing(&block, len)), Ok(plain));
    for (wire, reason) in [
        (announcing(&block, len + 1), "and announced"),
        (announcing(&block, len - 1), "LZ4 block: "),
        (announcing(b"no LZ4 at all", 100), "LZ4 block: "),
        (announcing(&block[..3], MAX_PAYLOAD), "an LZ4 block of 3 bytes that announces 131071"),
    ] {
        let error = open_all(&mut unsealer, &wire).unwrap_err();
        assert!(error.0.contains(reason), "{error}");
    }
}

#[test]
fn a_flipped_bit_anywhere_is_noticed() {
    for lz4 in [false, true] {
        let mut wire = envelope(150, 0);
        seal(&mut wire, 0, lz4);
        for bit in 0..wire.len() * 8 {
            let mut broken = wire.clone();
            broken[bit / 8] ^= 1 << (bit % 8);
            let mut plain = Vec::new();
            let opened = Unsealer::new(lz4).open(&broken, &mut plain);
            let error = opened.expect_err("a broken segment");
            assert!(error.0.starts_with("the checksum of a segment's "), "{error}");
            assert_eq!(plain, []);
        }
    }
}

#[test]
fn a_segment_is_opened_when_its_last_byte_is_there() {
    for lz4 in [false, true] {
        let plain = [envelope(300, 0), envelope(4, 1)].concat();
        let mut wire = plain.clone();
        seal(&mut wire, 0, lz4);
        for split in 0..wire.len() {
            let (mut unsealer, mut out) = (Unsealer::new(lz4), Vec::new());
            let announced = if split < header_len(lz4) { 0 } else { wire.len() };
            assert_eq!(
                unsealer.open(&wire[..split], &mut out),
                Ok(UnsealResult::Awaits(announced))
            );
            assert_eq!(out, []);
            assert_eq!(unsealer.open(&wire, &mut out), Ok(UnsealResult::Took(wire.len())));
            assert_eq!(out, plain);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    #[cfg_attr(miri, ignore = "large, and slow there")]
    fn sealed_segments_round_trip(
        bodies in vec((prop_oneof![4 => 0..500_usize, 1 => 0..400_000_usize], any::<u32>()), 0..12),
        before in vec(any::<u8>(), 0..20),
        lz4: bool,
        cut: prop::sample::Index,
    ) {
        let plain = bodies.iter().flat_map(|&(body, seed)| envelope(body, seed)).collect::<Vec<_>>();
        let mut out = before.clone();
        out.extend_from_slice(&plain);
        seal(&mut out, before.len(), lz4);
        prop_assert_eq!(&out[..before.len()], &before);
        let sealed = &out[before.len()..];
        // As if it arrived in two reads.
        let (mut unsealer, mut opened, mut consumed) = (Unsealer::new(lz4), Vec::new(), 0);
        for end in [cut.index(sealed.len() + 1), sealed.len()] {
            while let UnsealResult::Took(len) = unsealer.open(&sealed[consumed..end], &mut opened).unwrap() {
                consumed += len;
            }
        }
        prop_assert_eq!(consumed, sealed.len());
        prop_assert!(opened == plain);
    }

    #[test]
    fn any_bytes_with_valid_checksums_open_or_err(
        payloads in vec((vec(any::<u8>(), 0..60), any::<bool>(), 0..400_usize), 0..6),
        lz4: bool,
    ) {
        let mut unsealer = Unsealer::new(lz4);
        for (payload, self_contained, plain) in payloads {
            let head = Head { payload: payload.len(), plain, self_contained };
            let mut wire = vec![0; header_len(lz4)];
            head.write(lz4, &mut wire);
            wire.extend_from_slice(&payload);
            wire.extend_from_slice(&crc32(&payload).to_le_bytes());
            let mut out = Vec::new();
            match unsealer.open(&wire, &mut out) {
                Ok(opened) => prop_assert_eq!(opened, UnsealResult::Took(wire.len())),
                Err(_) => break,
            }
        }
    }
}
