//! A pipeline, which is a connection without its socket.

mod support;

use std::io::{self, Read, Write};
use std::time::Duration;

use spikewire_transport::pipeline::{Arrival, Pipeline, Request};
use spikewire_transport::protocol::RequestKind;
use spikewire_transport::{OrderKey, Protocol, Tick};
use support::{DONE, HEADER, IDS, MORE, Toy, frame, segments};

/// Returns its bytes in pieces of the given size.
struct Drip<'a>(&'a [u8], usize);

impl Read for Drip<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let size = self.1.min(self.0.len()).min(out.len());
        out[..size].copy_from_slice(&self.0[..size]);
        self.0 = &self.0[size..];
        Ok(size)
    }
}

/// Accepts this many bytes and no more.
struct Room(Vec<u8>, usize);

impl Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let size = bytes.len().min(self.1);
        if size == 0 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.0.extend_from_slice(&bytes[..size]);
        self.1 -= size;
        Ok(size)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A command is the number at which it expires.
fn pipeline(commands: &[(u64, &[u8])]) -> Pipeline<Toy<false>, u64> {
    let mut pipeline = Pipeline::new(<Toy<false>>::default(), Tick(0));
    commands.iter().for_each(|(until, body)| queue(&mut pipeline, *until, body));
    pipeline
}

fn queue(pipeline: &mut Pipeline<Toy<false>, u64>, until: u64, body: &[u8]) {
    let composed = pipeline.compose(&frame(0, DONE, body), RequestKind::Data);
    let request = Request {
        kind: RequestKind::Data,
        many: true,
        weight: 1,
        deadline: Tick(until),
        key: OrderKey::NONE,
    };
    pipeline.queue(composed, request, until, Tick(0));
}

/// What expiring at `now` removes, with whether it was sent, and what it displaces.
fn expire(pipeline: &mut Pipeline<Toy<false>, u64>, now: u64) -> (Vec<(u64, bool)>, Vec<u64>) {
    let mut over = Vec::new();
    let displaced = pipeline.expire(
        |until, _| *until <= now,
        |abandoned| over.push((abandoned.command, abandoned.sent)),
    );
    (over, displaced)
}

#[test]
fn a_request_of_which_nothing_has_left_is_withdrawn() {
    let mut pipeline = pipeline(&[(30, b"one"), (10, b"second"), (31, b"three"), (11, b"4")]);
    assert_eq!(expire(&mut pipeline, 11), (vec![(10, false), (11, false)], vec![]));
    assert_eq!((pipeline.in_flight(), pipeline.weight()), (2, 2));
    let mut wire = Room(Vec::new(), 1000);
    assert!(pipeline.write(&mut wire, Tick(12)).unwrap());
    assert_eq!(wire.0, [frame(0, DONE, b"one"), frame(2, DONE, b"three")].concat());
    // What was sent leaves an orphan, which keeps its place.
    assert_eq!(expire(&mut pipeline, 30), (vec![(30, true)], vec![]));
    assert_eq!((pipeline.in_flight(), pipeline.weight()), (2, 2));
    let left = pipeline.abandon();
    assert_eq!(left.iter().map(|it| (it.command, it.sent)).collect::<Vec<_>>(), [(31, true)]);
    assert_eq!((pipeline.in_flight(), pipeline.weight()), (0, 0));
}

#[test]
fn a_request_that_has_left_in_part_is_never_finished() {
    let mut pipeline = pipeline(&[(30, b"one"), (10, b"second"), (31, b"three"), (11, b"4")]);
    let first = frame(0, DONE, b"one");
    let mut wire = Room(Vec::new(), first.len() + 5);
    assert!(!pipeline.write(&mut wire, Tick(1)).unwrap());
    // Those behind it go elsewhere; the one before it keeps waiting.
    assert_eq!(expire(&mut pipeline, 10), (vec![(10, false)], vec![31, 11]));
    assert!(pipeline.is_draining() && !pipeline.is_drained() && !pipeline.has_room());
    wire.1 = 1000;
    assert!(pipeline.write(&mut wire, Tick(11)).unwrap());
    assert_eq!(wire.0.len(), first.len() + 5);
    pipeline.fill(&mut &first[..], || Tick(12)).unwrap();
    assert!(matches!(pipeline.next_arrival::<false>(), Ok(Some(Arrival::Ended(30, b"\0one", ..)))));
    assert!(pipeline.is_drained());
}

#[test]
fn frames_survive_any_cutting() {
    let large = vec![7; 200_000];
    let bodies: [(u8, &[u8]); 4] = [(MORE, b"one"), (MORE, b""), (MORE, &large), (DONE, b"four")];
    let bytes: Vec<u8> = bodies.iter().flat_map(|(kind, body)| frame(0, *kind, body)).collect();
    for piece in [1, HEADER - 1, HEADER, HEADER + 1, 1000, 65_536, 1 << 20] {
        let mut pipeline = pipeline(&[(30, b"x")]);
        let mut wire = Drip(&bytes, piece);
        let mut parts = Vec::new();
        while pipeline.fill(&mut wire, || Tick(1)).unwrap().0 > 0 {
            while let Some(arrival) = pipeline.next_arrival::<false>().unwrap() {
                match arrival {
                    Arrival::More(30, body) | Arrival::Ended(30, body, ..) => {
                        parts.push(body[1..].to_vec());
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
        assert!(parts.iter().eq(bodies.iter().map(|(_, body)| body)), "pieces of {piece}");
        assert_eq!((pipeline.in_flight(), pipeline.has_input()), (0, false));
    }
}

#[test]
fn sealed_frames_survive_any_cutting() {
    let large = vec![7; 200_000];
    let bodies: [(u8, &[u8]); 5] =
        [(MORE, b"one"), (MORE, b""), (MORE, &large), (MORE, b"x"), (DONE, b"four")];
    let bytes: Vec<u8> = bodies.iter().flat_map(|(kind, body)| frame(0, *kind, body)).collect();
    // As the server cuts them, and two segments that each hold the end of one frame and the
    // beginning of the next.
    let whole = [segments(&bytes[..1000]), segments(&bytes[1000..])].concat();
    for piece in [1, 7, 8, 9, 1000, 65_536, 1 << 20] {
        let mut pipeline = Pipeline::new(<Toy<true>>::after_handshake(), Tick(0));
        let composed = pipeline.compose(&frame(0, DONE, b"x"), RequestKind::Data);
        let request = Request {
            kind: RequestKind::Data,
            many: true,
            weight: 1,
            deadline: Tick(30),
            key: OrderKey::NONE,
        };
        pipeline.queue(composed, request, 30, Tick(0));
        let (mut wire, mut parts) = (Drip(&whole, piece), Vec::new());
        while pipeline.fill(&mut wire, || Tick(1)).unwrap().0 > 0 {
            while let Some(arrival) = pipeline.next_arrival::<false>().unwrap() {
                match arrival {
                    Arrival::More(30, body) | Arrival::Ended(30, body, ..) => {
                        parts.push(body[1..].to_vec());
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
        assert!(parts.iter().eq(bodies.iter().map(|(_, body)| body)), "pieces of {piece}");
        assert_eq!((pipeline.in_flight(), pipeline.has_input()), (0, false));
    }
}

#[test]
fn a_segment_that_was_changed_on_its_way_is_rejected() {
    let mut bytes = segments(&frame(0, DONE, b"four"));
    *bytes.last_mut().unwrap() ^= 1;
    let mut pipeline: Pipeline<_, u64> = Pipeline::new(<Toy<true>>::after_handshake(), Tick(0));
    pipeline.fill(&mut &bytes[..], || Tick(1)).unwrap();
    let error = pipeline.next_arrival::<false>().unwrap_err();
    assert!(error.to_string().contains("checksum"), "{error}");
}

#[test]
fn silence_is_counted_from_the_last_progress() {
    let mut pipeline = pipeline(&[]);
    let limit = |_: &u64| Some(Duration::from_nanos(100));
    assert_eq!(pipeline.silence_ends(limit), Tick::NEVER);
    queue(&mut pipeline, 1000, b"one");
    assert_eq!(pipeline.silence_ends(limit), Tick(100));
    // A part of the oldest request is progress; bytes behind it are not.
    let mut wire = Room(Vec::new(), 5);
    assert!(!pipeline.write(&mut wire, Tick(40)).unwrap());
    assert_eq!(pipeline.silence_ends(limit), Tick(140));
    wire.1 = 1000;
    assert!(pipeline.write(&mut wire, Tick(50)).unwrap());
    queue(&mut pipeline, 1001, b"two");
    assert!(pipeline.write(&mut wire, Tick(60)).unwrap());
    // It took 10 to send, and may take as long to arrive.
    assert_eq!(pipeline.silence_ends(limit), Tick(160));
    pipeline.fill(&mut &frame(1, DONE, b"two")[..], || Tick(70)).unwrap();
    assert_eq!(pipeline.silence_ends(limit), Tick(180));
    // A command without a limit has none; an orphan has a few seconds.
    assert_eq!(pipeline.silence_ends(|_| None), Tick::NEVER);
    expire(&mut pipeline, 1000);
    assert!(pipeline.silence_ends(|_| None) < Tick::NEVER);
}

#[test]
fn a_pipeline_is_full_when_ids_run_out() {
    let mut pipeline = pipeline(&[]);
    for until in 0..u64::from(IDS) {
        assert!(pipeline.has_room());
        queue(&mut pipeline, 10 + until, b"x");
    }
    assert!(!pipeline.has_room());
    assert!(pipeline.write(&mut Room(Vec::new(), 1000), Tick(1)).unwrap());
    let half = 10 + u64::from(IDS) / 2;
    expire(&mut pipeline, half - 1);
    assert!(!pipeline.has_room() && !pipeline.has_too_many_orphans());
    expire(&mut pipeline, half);
    assert!(pipeline.has_too_many_orphans());
    // It gets no more requests, and closes after those in flight.
    assert!(pipeline.retire() && !pipeline.retire());
    let freed = frame(0, DONE, b"late");
    pipeline.fill(&mut &freed[..], || Tick(2)).unwrap();
    assert!(pipeline.next_arrival::<false>().unwrap().is_none());
    assert!(!pipeline.has_room() && pipeline.is_draining() && !pipeline.is_drained());
    expire(&mut pipeline, 100);
    assert!(pipeline.is_drained());
}

#[test]
fn a_request_behind_an_orphan_keeps_its_own_limit() {
    let mut pipeline = pipeline(&[(10, b"one"), (1000, b"two")]);
    assert!(pipeline.write(&mut Room(Vec::new(), 1000), Tick(1)).unwrap());
    expire(&mut pipeline, 10);
    let limit = |_: &u64| Some(Duration::from_nanos(100));
    assert_eq!(pipeline.silence_ends(limit), Tick(101));
    // One without a limit waits as long as an orphan.
    let patience = <Toy<false> as Protocol>::PATIENCE;
    assert_eq!(pipeline.silence_ends(|_| None), Tick(1).after(patience));
}
