//! Arbitrary bytes, and dialogues with changed bytes: readers do not panic, and use no more memory
//! than the input warrants.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use spikewire_cql::envelope::{HEADER_LEN, Header, UnsealResult};
use spikewire_cql::request::Request;
use spikewire_cql::response::{Column, Message, QueryResult, Response};
use spikewire_cql::sealing::Sealing;
use spikewire_cql::version::Version;

#[path = "wire/script.rs"]
#[allow(dead_code)]
mod script;

// --- an allocator that counts, per thread

struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let live = LIVE.get() + bytes;
    LIVE.set(live);
    PEAK.set(PEAK.get().max(live));
}

// SAFETY: every call is passed on to the system allocator unchanged; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller upholds the same requirements.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller upholds the same requirements.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both blocks may exist for a moment.
        count(size as isize);
        count(-(layout.size() as isize));
        // SAFETY: the caller upholds the same requirements.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Runs `read` and returns the peak of its memory use.
fn peak<T>(read: impl FnOnce() -> T) -> usize {
    let before = LIVE.get();
    PEAK.set(before);
    drop(read());
    PEAK.get().abs_diff(before)
}

/// A column takes at least four bytes on the wire. Vectors that double as they grow, and the shared
/// copy, stay below one column per byte. The rest is for error messages.
fn check<T>(what: &str, input: usize, read: impl FnOnce() -> T) {
    let held = peak(read);
    let bound = 2048 + size_of::<Column>() * input;
    assert!(held <= bound, "{what} held {held} bytes for an input of {input}");
}

// --- everything that reads bytes

fn read_bodies(body: &[u8]) {
    for version in [4, 5] {
        for opcode in 0..0x12 {
            for flags in [0, 0x0e] {
                let (stream, len) = (1, body.len());
                let header =
                    |is_response| Header { version, is_response, flags, stream, opcode, body: len };
                check("a response", len, || {
                    let response = Response::parse(&header(true), body);
                    if let Ok(Response { message, .. }) = &response
                        && let Message::Result(QueryResult::Rows(rows)) = message
                    {
                        let mut cells = rows.cells;
                        while cells.cell().is_ok() {}
                    }
                    response.is_ok()
                });
                check("a request", len, || Request::parse(&header(false), body).is_ok());
            }
        }
    }
}

fn read_sealed(bytes: &[u8]) {
    for (version, lz4) in
        [(Version::V4, false), (Version::V4, true), (Version::V5, false), (Version::V5, true)]
    {
        // Compressed data may expand 255 times, within the longest segment.
        check("sealed bytes", bytes.len() * 4, || {
            let mut sealing = Sealing::after_startup(version, lz4);
            let (mut rest, mut plain) = (bytes, Vec::new());
            while let Ok(UnsealResult::Took(len)) = sealing.open(rest, &mut plain) {
                assert!((1..=rest.len()).contains(&len));
                rest = &rest[len..];
            }
            plain.len()
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes_decode_or_err(bytes in vec(any::<u8>(), 0..200)) {
        read_bodies(&bytes);
        read_sealed(&bytes);
    }

    #[test]
    fn small_numbers_decode_or_err(bytes in vec(0..4_u8, 0..100)) {
        read_bodies(&bytes);
    }

    #[test]
    fn damaged_dialogues_decode_or_err(
        line: Index,
        changes in vec((any::<Index>(), any::<u8>()), 1..4),
        cut: Index,
    ) {
        let lines = script::all();
        let line = line.get(&lines);
        let mut bytes = line.plain.clone();
        for (at, byte) in &changes {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        bytes.truncate(cut.index(2 * bytes.len()));
        let body = bytes.get(HEADER_LEN..).unwrap_or_default();
        read_bodies(body);
        read_sealed(&bytes);
        check("an envelope", bytes.len(), || Response::read(&bytes).is_ok());
        let mut sealed = line.sealed.clone();
        for (at, byte) in changes {
            let at = at.index(sealed.len());
            sealed[at] = byte;
        }
        read_sealed(&sealed);
    }
}

#[test]
fn a_length_alone_takes_no_memory() {
    // Envelopes and LZ4 blocks that announce more than there is.
    for header in [
        &[0x84, 0, 0, 1, 8, 0x10, 0, 0, 0][..],
        &[0x84, 1, 0, 1, 8, 0, 0, 0, 8, 0x0f, 0xff, 0xff, 0xff, 0, 0, 0, 0],
    ] {
        let held = peak(|| {
            let mut sealing = Sealing::after_startup(Version::V4, true);
            sealing.open(header, &mut Vec::new()).is_ok()
        });
        assert!(held < 1024, "{held}");
    }
}
