//! Recordings written and read back, without a cluster.

use spikewire_transport::metrics::Sample;

use super::encoder::Encoder;
use super::format::{MAGIC, Reader, write_number};
use super::{RecordOptions, RecordingState, Trace, TraceError};

/// Numbers that look random and are the same each time.
fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 31)).wrapping_mul(0x7fb5_d329_728e_a185);
    (number ^ (number >> 27)).wrapping_mul(0x81da_def4_bc2d_d44d) ^ (number >> 33)
}

/// A call of a service: mostly reads, of many keys.
fn call(number: u64) -> Sample {
    let random = mix(number);
    let (reads, batch) = (!random.is_multiple_of(5), random.is_multiple_of(11));
    let operation = match (batch, reads) {
        (true, _) => "batch_read",
        (_, true) => "get",
        _ => "put",
    };
    Sample {
        start: number * 10_000 + random % 9000,
        took: 80_000 + random % 400_000,
        operation,
        result: if random % 1000 == 1 { "timeout" } else { "ok" },
        writes: operation == "put",
        namespace: random % 2,
        set: random % 6,
        key: Some(mix(random)),
        rows: if batch { 60 } else { 1 },
        request: 90 + (random % 700) as u32,
        reply: 30 + (random % 900) as u32,
    }
}

fn file(calls: u64, block: u64) -> Vec<u8> {
    let (mut encoder, mut out) = (Encoder::default(), Vec::new());
    encoder.header(0.25, 1_700_000_000_000_000, &mut out);
    for from in (0..calls).step_by(block as usize) {
        let mut samples: Vec<_> = (from..calls.min(from + block)).map(call).collect();
        samples.reverse();
        encoder.calls(&mut samples, &mut out);
    }
    encoder.end([calls, 7, 1_234_567, 1], &mut out);
    out
}

#[test]
fn what_is_written_is_read_back() {
    let trace = Trace::parse(&file(1000, 64), false).unwrap();
    assert_eq!((trace.share, trace.began_micros), (0.25, 1_700_000_000_000_000));
    assert_eq!((trace.dropped, trace.micros), (7, 1_234_567));
    assert_eq!((trace.state, trace.calls.len()), (RecordingState::Full, 1000));
    let calls = &trace.calls;
    for at in 0..1000 {
        let sample = call(at as u64);
        assert_eq!(calls.arrival[at], sample.start / 1000);
        assert_eq!(calls.latency[at], sample.took / 1000);
        assert_eq!(trace.labels[calls.operation[at] as usize], sample.operation);
        assert_eq!(trace.labels[calls.result[at] as usize], sample.result);
        assert_eq!(calls.writes[at] == 1, sample.writes);
        assert_eq!((calls.rows[at], calls.request[at]), (sample.rows, sample.request));
        assert_eq!(calls.reply[at], sample.reply);
        assert_eq!(calls.key[at], (sample.key.unwrap() & 0xff_ffff_ffff) + 1);
    }
    assert_eq!(trace.sets.len(), 7);
}

#[test]
fn a_million_calls_are_under_20_mb() {
    let len = file(1_000_000, 8192).len();
    assert!(len < 20_000_000, "{len} bytes");
    // A recording that wrote every key as it is would need more than this for keys alone.
    assert!(len > 5_000_000, "{len} bytes: are the calls all alike?");
}

#[test]
fn further_labels_and_sets_have_a_number_in_common() {
    let (mut encoder, mut out) = (Encoder::default(), Vec::new());
    encoder.header(1.0, 0, &mut out);
    let mut samples: Vec<_> =
        (0..70_000).map(|number| Sample { set: number, ..call(number) }).collect();
    encoder.calls(&mut samples, &mut out);
    encoder.end([70_000, 0, 1, 0], &mut out);
    let trace = Trace::parse(&out, false).unwrap();
    assert_eq!(trace.sets.len(), 65_536);
    assert!(trace.calls.set.iter().filter(|set| **set == 0).count() == 70_000 - 65_535);
}

#[test]
fn a_trace_that_was_cut_off_says_so_wherever() {
    let whole = file(200, 64);
    for len in 1..whole.len() {
        let error = Trace::parse(&whole[..len], false).unwrap_err();
        assert!(matches!(error, TraceError::Truncated(_)), "{len}: {error}");
    }
    let partial = Trace::parse(&whole[..whole.len() - 1], true).unwrap();
    assert_eq!((partial.state, partial.calls.len()), (RecordingState::Running, 200));
    assert!(partial.micros > 0);
    let error = Trace::parse(&whole[..whole.len() - 1], false).unwrap_err().to_string();
    assert!(error.contains("cut off after 200 calls"), "{error}");
}

#[test]
fn foreign_newer_and_damaged_files_are_rejected() {
    for foreign in [&b""[..], b"{}", b"PAR1 and more", b"SPIKETRX\x01\0"] {
        assert!(matches!(Trace::parse(foreign, true), Err(TraceError::Foreign)));
    }
    let mut newer = MAGIC.to_vec();
    newer.extend_from_slice(&[2, 0, 9, 9, 9]);
    let error = Trace::parse(&newer, true).unwrap_err();
    assert!(matches!(error, TraceError::Newer(2)) && error.to_string().contains("newer client"));
    let whole = file(200, 64);
    for at in 10..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        let trace = Trace::parse(&bytes, false);
        assert!(trace.is_err(), "byte {at} of {}", whole.len());
    }
}

#[test]
fn numbers_of_any_size() {
    for number in [0, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
        let mut out = Vec::new();
        write_number(&mut out, number);
        assert_eq!(Reader(&out).number(), Some(number));
    }
    assert_eq!(Reader(&[0xff; 10]).number(), None, "more than 64 bits");
    assert_eq!(Reader(&[0x80]).number(), None);
}

#[test]
fn options_have_bounds() {
    let check = |options: RecordOptions| options.check().map_err(|error| error.to_string());
    let options = RecordOptions::default();
    check(options).unwrap();
    for share in [0.0, -1.0, 1.01, f64::NAN] {
        assert!(check(RecordOptions { share, ..options }).unwrap_err().contains("share"));
    }
    assert!(check(RecordOptions { max_bytes: 1, ..options }).unwrap_err().contains("max_bytes"));
}
