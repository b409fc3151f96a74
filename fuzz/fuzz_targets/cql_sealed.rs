//! CQL segments with valid checksums and any payload, compressed or not, and compressed bodies. The
//! result does not depend on how the input is split, and is encoded and decoded again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikewire_cql::envelope::{Header, UnsealResult};
use spikewire_cql::sealing::Sealing;
use spikewire_cql::segment::{crc24, crc32};
use spikewire_cql::version::Version;

fuzz_target!(|input: &[u8]| {
    let Some(([kind, split], rest)) = input.split_first_chunk() else { return };
    let (version, lz4) = match kind % 4 {
        0 => (Version::V4, false),
        1 => (Version::V4, true),
        2 => (Version::V5, false),
        _ => (Version::V5, true),
    };
    let wire = if version == Version::V4 { rest.to_vec() } else { segments(rest, lz4) };
    let new = || Sealing::after_startup(version, lz4);
    let (mut sealing, mut plain) = (new(), Vec::new());
    let Ok(taken) = open(&mut sealing, &wire, &mut plain) else { return };

    // As received by two reads.
    let middle = wire.len() * usize::from(*split) / 256;
    let (mut sealing, mut parts) = (new(), Vec::new());
    let first = open(&mut sealing, &wire[..middle], &mut parts).expect("good before");
    let second = open(&mut sealing, &wire[first..], &mut parts).expect("good before");
    assert_eq!((first + second, &parts), (taken, &plain));

    // Complete envelopes can be encoded into segments.
    let mut whole = 0;
    while let Ok(Some(header)) = Header::read(&plain[whole..])
        && whole + header.envelope_len() <= plain.len()
    {
        whole += header.envelope_len();
    }
    // A flag in a plain envelope would mark it as compressed.
    let mut sealed = plain[..whole].to_vec();
    let sealing = new();
    sealing.seal(&mut sealed, 0);
    let (mut sealing, mut again) = (sealing, Vec::new());
    assert_eq!(open(&mut sealing, &sealed, &mut again).expect("our own"), sealed.len());
    assert_eq!(again, plain[..whole]);
});

/// Decodes all complete units. Returns the number of bytes consumed.
fn open(sealing: &mut Sealing, wire: &[u8], plain: &mut Vec<u8>) -> Result<usize, ()> {
    let mut taken = 0;
    while let UnsealResult::Took(len) = sealing.open(&wire[taken..], plain).map_err(drop)? {
        assert!(len > 0 && taken + len <= wire.len());
        taken += len;
    }
    Ok(taken)
}

/// Segments: for each a byte of flags, two bytes of lengths, then the payload.
fn segments(mut input: &[u8], lz4: bool) -> Vec<u8> {
    let mut wire = Vec::new();
    while let Some(([flags, len, plain], rest)) = input.split_first_chunk() {
        let (payload, rest) = rest.split_at(rest.len().min(usize::from(*len)));
        let self_contained = u64::from(flags & 1);
        let mut word = payload.len() as u64;
        if lz4 {
            word |= u64::from(*plain) << 17 | self_contained << 34;
        } else {
            word |= self_contained << 17;
        }
        let head = &word.to_le_bytes()[..if lz4 { 5 } else { 3 }];
        wire.extend_from_slice(head);
        wire.extend_from_slice(&crc24(head).to_le_bytes()[..3]);
        wire.extend_from_slice(payload);
        wire.extend_from_slice(&crc32(payload).to_le_bytes());
        input = rest;
    }
    wire
}
