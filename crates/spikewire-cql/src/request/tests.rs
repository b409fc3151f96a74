use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::batch::{Batch, Statement};
use super::statement::{Execute, Prepare, Query};
use super::*;
use crate::dialect::TabletRouting;
use crate::envelope::HEADER_LEN;
use crate::notation::{put_bytes, put_null, put_string, put_unset};

const BEFORE: &[u8] = b"before";
const NO_EXTRAS: Extras<'static> = Extras { tracing: false, payload: &[] };

fn with(parameters: &Parameters<'_>, version: Version) -> Result<(), RequestError> {
    let mut out = BEFORE.to_vec();
    let written = query(&mut out, version, "SELECT", Values::NONE, parameters, &NO_EXTRAS);
    assert_eq!(out.len() == BEFORE.len(), written.is_err());
    written
}

#[test]
fn parameters_that_a_version_has_no_place_for_are_rejected() {
    let keyspace = Parameters { keyspace: Some("ks"), ..Parameters::default() };
    let now = Parameters { now_in_seconds: Some(1), ..Parameters::default() };
    for (parameters, what) in [(keyspace, "a keyspace for one request"), (now, "now_in_seconds")] {
        let error = with(&parameters, Version::V4).unwrap_err();
        assert_eq!(error, RequestError::NeedsV5(what));
        assert!(error.to_string().contains("takes version 5"), "{error}");
        assert_eq!(with(&parameters, Version::V5), Ok(()));
    }
}

#[test]
fn parameters_that_servers_reject_are_not_sent() {
    let none = Parameters::default();
    for size in [0, -1, i32::MIN] {
        let parameters = Parameters { page_size: Some(size), ..none };
        assert_eq!(with(&parameters, Version::V5), Err(RequestError::PageSize(size)));
    }
    let quorum = Consistency::Quorum;
    let parameters = Parameters { serial_consistency: Some(quorum), ..none };
    assert_eq!(with(&parameters, Version::V5), Err(RequestError::NotSerial(quorum)));
    let parameters = Parameters { timestamp: Some(i64::MIN), ..none };
    assert_eq!(with(&parameters, Version::V5), Err(RequestError::Timestamp(i64::MIN)));
    let parameters = Parameters { timestamp: Some(i64::MIN + 1), page_size: Some(1), ..none };
    assert_eq!(with(&parameters, Version::V5), Ok(()));
}

#[test]
fn a_batch_has_no_pages() {
    let none = Parameters::default();
    for (parameters, what) in [
        (Parameters { page_size: Some(1), ..none }, "page size"),
        (Parameters { paging_state: Some(b"x"), ..none }, "paging state"),
        (Parameters { skip_metadata: true, ..none }, "skipping of metadata"),
    ] {
        let mut out = BEFORE.to_vec();
        let batch = BatchWriter::new(&mut out, Version::V5, BatchKind::Logged, &NO_EXTRAS).unwrap();
        assert_eq!(batch.finish(&parameters).unwrap_err(), RequestError::NotInBatch(what));
        assert_eq!(out, BEFORE);
    }
}

#[test]
#[cfg_attr(miri, ignore = "large, and slow there")]
fn oversized_parts_are_rejected_and_write_no_bytes() {
    let mut out = BEFORE.to_vec();
    let long = "x".repeat(65_536);
    let too_long = |what, len| RequestError::TooLong(TooLong { what, len, most: 65_535 });
    let none = Parameters::default();
    let named = Parameters { keyspace: Some(&long), ..none };
    let nulls = |count| {
        values_with::<RequestError>(count, false, move |out| {
            (0..count).for_each(|_| put_null(out));
            Ok(())
        })
    };
    let (v5, id) = (Version::V5, long.as_bytes());
    let payload = [(&long[..], None)];
    let extras = Extras { tracing: false, payload: &payload };
    for (written, what) in [
        (query(&mut out, v5, "", nulls(65_536), &none, &NO_EXTRAS), "values of a statement"),
        (query(&mut out, v5, "", Values::NONE, &named, &NO_EXTRAS), "the name of a keyspace"),
        (query(&mut out, v5, "", Values::NONE, &none, &extras), "a name in a custom payload"),
        (prepare(&mut out, v5, "", Some(&long), &NO_EXTRAS), "the name of a keyspace"),
        (
            execute(&mut out, v5, id, b"", Values::NONE, &none, &NO_EXTRAS),
            "the id of a prepared statement",
        ),
        (
            execute(&mut out, v5, b"", id, Values::NONE, &none, &NO_EXTRAS),
            "the id of result metadata",
        ),
        (register(&mut out, v5, &[&long]), "a kind of event"),
        (register(&mut out, v5, &vec!["x"; 65_536]), "kinds of events"),
    ] {
        assert_eq!(written, Err(too_long(what, 65_536)));
    }
    let startup_of = |extras| Startup { extras, ..Startup::default() };
    let written = startup(&mut out, v5, &startup_of(&[("x", &long)]));
    assert_eq!(written, Err(too_long("a value of STARTUP", 65_536)));
    assert_eq!(out, BEFORE);
    assert_eq!(query(&mut out, v5, "", nulls(65_535), &none, &NO_EXTRAS), Ok(()));
}

#[test]
fn rows_that_fail_to_encode_are_left_out_of_a_batch() {
    #[derive(Debug, PartialEq)]
    enum Wrong {
        Request(RequestError),
        Row,
    }
    impl From<RequestError> for Wrong {
        fn from(error: RequestError) -> Self {
            Self::Request(error)
        }
    }
    let mut batch =
        BatchWriter::new(Vec::new(), Version::V4, BatchKind::Counter, &NO_EXTRAS).unwrap();
    assert!(batch.is_empty());
    batch.query("UPDATE", Values::NONE).unwrap();
    let size = batch.size();
    let wrong = values_with(2, false, |out| {
        put_null(out);
        Err(Wrong::Row)
    });
    assert_eq!(batch.prepared(b"id", wrong), Err(Wrong::Row));
    let named = Values { count: 1, named: true, bytes: b"\0\x01x\xff\xff\xff\xff" };
    let error = batch.prepared(b"id", named).unwrap_err();
    assert_eq!(error, RequestError::NotInBatch("names of values"));
    assert_eq!((batch.len(), batch.size()), (1, size));
    let out = batch.finish(&Parameters::default()).unwrap();
    let header = Header::read(&out).unwrap().unwrap();
    let Message::Batch(read) = Request::parse(&header, &out[HEADER_LEN..]).unwrap().message else {
        panic!("no batch");
    };
    assert_eq!(read.kind, BatchKind::Counter);
    assert_eq!(read.statements, [(Statement::Text("UPDATE"), Values::NONE)]);
}

#[test]
#[cfg_attr(miri, ignore = "large, and slow there")]
fn a_batch_takes_65535_statements() {
    let mut batch =
        BatchWriter::new(Vec::new(), Version::V5, BatchKind::Unlogged, &NO_EXTRAS).unwrap();
    for _ in 0..65_535 {
        batch.prepared(b"", Values::NONE).unwrap();
    }
    let (what, len, most) = ("statements of a batch", 65_536, 65_535);
    let error = batch.query("", Values::NONE).unwrap_err();
    assert_eq!(error, RequestError::TooLong(TooLong { what, len, most }));
    let out = batch.finish(&Parameters::default()).unwrap();
    let header = Header::read(&out).unwrap().unwrap();
    match Request::parse(&header, &out[HEADER_LEN..]).unwrap().message {
        Message::Batch(read) => assert_eq!(read.statements.len(), most),
        other => panic!("{other:?}"),
    }
}

// --- round trips

/// Values as bytes, with names if they have any.
#[derive(Debug, Clone, Default)]
struct Run {
    count: usize,
    named: bool,
    bytes: Vec<u8>,
}

impl Run {
    fn values(&self) -> Values<'_> {
        Values { count: self.count, named: self.named, bytes: &self.bytes }
    }
}

#[derive(Debug, Clone)]
enum Cell {
    Bytes(Vec<u8>),
    Null,
    Unset,
}

fn run(named: bool) -> impl Strategy<Value = Run> {
    let cell = prop_oneof![
        vec(any::<u8>(), 0..12).prop_map(Cell::Bytes),
        Just(Cell::Null),
        Just(Cell::Unset)
    ];
    vec((cell, ".{0,5}"), 0..6).prop_map(move |cells| {
        let mut bytes = Vec::new();
        for (cell, name) in &cells {
            if named {
                put_string(&mut bytes, "a name", name).unwrap();
            }
            match cell {
                Cell::Bytes(value) => put_bytes(&mut bytes, "a value", value).unwrap(),
                Cell::Null => put_null(&mut bytes),
                Cell::Unset => put_unset(&mut bytes),
            }
        }
        // Without values, there is nothing that could have a name.
        Run { count: cells.len(), named: named && !cells.is_empty(), bytes }
    })
}

#[derive(Debug, Clone)]
struct RequestParts {
    version: Version,
    consistency: Consistency,
    skip_metadata: bool,
    page_size: Option<i32>,
    paging_state: Option<Vec<u8>>,
    serial_consistency: Option<Consistency>,
    timestamp: Option<i64>,
    keyspace: Option<String>,
    now_in_seconds: Option<u32>,
    tracing: bool,
    payload: Vec<(String, Option<Vec<u8>>)>,
}

prop_compose! {
    fn parts()(
        version in select(&Version::ALL[..]),
        consistency in select(&Consistency::ALL[..]),
        skip_metadata: bool,
        page_size in option::of(1..=i32::MAX),
        paging_state in option::of(vec(any::<u8>(), 0..20)),
        serial_consistency in option::of(select(vec![Consistency::Serial, Consistency::LocalSerial])),
        timestamp in option::of(i64::MIN + 1..=i64::MAX),
        (keyspace, now_in_seconds) in (option::of(".{0,5}"), option::of(any::<u32>())),
        (tracing, payload) in (any::<bool>(), vec((".{0,5}", option::of(vec(any::<u8>(), 0..5))), 0..3)),
    ) -> RequestParts {
        let is_v5 = version == Version::V5;
        RequestParts {
            version, consistency, skip_metadata, page_size, paging_state, serial_consistency, timestamp,
            keyspace: keyspace.filter(|_| is_v5),
            now_in_seconds: now_in_seconds.filter(|_| is_v5),
            tracing, payload,
        }
    }
}

impl RequestParts {
    fn parameters(&self) -> Parameters<'_> {
        Parameters {
            consistency: self.consistency,
            skip_metadata: self.skip_metadata,
            page_size: self.page_size,
            paging_state: self.paging_state.as_deref(),
            serial_consistency: self.serial_consistency,
            timestamp: self.timestamp,
            keyspace: self.keyspace.as_deref(),
            now_in_seconds: self.now_in_seconds,
        }
    }

    /// Writes a request, and checks that it is read back unchanged.
    fn check(
        &self,
        message: &Message<'_>,
        write: impl FnOnce(&mut Vec<u8>, &Extras<'_>) -> Result<(), RequestError>,
    ) {
        let payload: Vec<_> =
            self.payload.iter().map(|(name, value)| (&name[..], value.as_deref())).collect();
        let mut out = BEFORE.to_vec();
        write(&mut out, &Extras { tracing: self.tracing, payload: &payload }).unwrap();
        let envelope = out.strip_prefix(BEFORE).unwrap();
        let header = Header::read(envelope).unwrap().unwrap();
        assert_eq!(header.envelope_len(), envelope.len());
        assert_eq!((header.is_response, header.stream), (false, 0));
        let request = Request::parse(&header, &envelope[HEADER_LEN..]).unwrap();
        assert_eq!(&request.message, message);
        assert_eq!((request.tracing, &request.prefix.payload), (self.tracing, &payload));
        // And one byte less is no request.
        for len in 0..header.body {
            let short = Request::parse(&header, &envelope[HEADER_LEN..HEADER_LEN + len]);
            assert!(short.is_err(), "{len} of {} bytes", header.body);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn queries_round_trip(
        parts in parts(),
        text in ".{0,20}",
        run in any::<bool>().prop_flat_map(run),
    ) {
        let (values, parameters) = (run.values(), parts.parameters());
        let read = Message::Query(Query { text: &text, values, parameters });
        parts.check(&read, |out, extras| {
            query(out, parts.version, &text, values, &parameters, extras)
        });
    }

    #[test]
    fn executions_round_trip(
        parts in parts(),
        id in vec(any::<u8>(), 0..20),
        metadata_id in vec(any::<u8>(), 0..20),
        run in any::<bool>().prop_flat_map(run),
    ) {
        let (values, parameters) = (run.values(), parts.parameters());
        let known: &[u8] = if parts.version == Version::V5 { &metadata_id } else { &[] };
        let tablet_block = None;
        let execute_ =
            Execute { id: &id, metadata_id: known, values, parameters, tablet_block };
        let read = Message::Execute(execute_);
        parts.check(&read, |out, extras| {
            execute(out, parts.version, &id, &metadata_id, values, &parameters, extras)
        });
    }

    #[test]
    fn executions_with_extensions_round_trip_and_are_translated(
        parts in parts(),
        id in vec(any::<u8>(), 0..20),
        metadata_id in vec(any::<u8>(), 0..20),
        run in any::<bool>().prop_flat_map(run),
        block in any::<u8>(),
        other in (any::<bool>(), any::<bool>()),
    ) {
        let (version, values, parameters) = (parts.version, run.values(), parts.parameters());
        let extensions = |metadata_id, has_blocks| Extensions {
            metadata_id,
            tablets: if has_blocks { TabletRouting::V2 } else { TabletRouting::V1 },
            ..Extensions::default()
        };
        let (all, fewer) = (extensions(true, true), extensions(other.0, other.1));
        let (from, to) = (all.dialect(version), fewer.dialect(version));
        let payload = [("a", Some(&b"b"[..]))];
        let extras = Extras { tracing: true, payload: &payload };
        let mut bytes = Vec::new();
        execute::<Values>(&mut bytes, from, &id, &metadata_id, values, &parameters, &extras)
            .unwrap();
        set_tablet_block(&mut bytes, block);
        let mut translated = b"before".to_vec();
        translate(&bytes, from, to, &mut translated).unwrap();
        for (bytes, extensions) in [(&bytes[..], all), (&translated[6..], fewer)] {
            let dialect = extensions.dialect(version);
            let header = Header::read(bytes).unwrap().unwrap();
            prop_assert_eq!(header.envelope_len(), bytes.len());
            let body = &bytes[HEADER_LEN..];
            let read = Request::parse_with(&header, body, &extensions).unwrap();
            prop_assert_eq!(&read.prefix.payload[..], &payload);
            let known: &[u8] = if dialect.metadata_ids { &metadata_id } else { &[] };
            let tablet_block = dialect.tablet_blocks.then_some(block);
            let expected = Execute { id: &id, metadata_id: known, values, parameters, tablet_block };
            prop_assert_eq!(read.message, Message::Execute(expected));
        }
    }

    #[test]
    fn prepares_round_trip(parts in parts(), text in ".{0,20}") {
        let keyspace = parts.keyspace.as_deref();
        let read = Message::Prepare(Prepare { text: &text, keyspace });
        parts.check(&read, |out, extras| prepare(out, parts.version, &text, keyspace, extras));
    }

    #[test]
    fn batches_round_trip(
        parts in parts(),
        kind in select(&BatchKind::ALL[..]),
        rows in vec((option::of(".{0,20}"), vec(any::<u8>(), 0..20), run(false)), 0..5),
    ) {
        let parameters = Parameters {
            page_size: None, paging_state: None, skip_metadata: false, ..parts.parameters()
        };
        let statements = rows.iter().map(|(text, id, run)| {
            let statement = text.as_deref().map_or(Statement::Prepared(id), Statement::Text);
            (statement, run.values())
        });
        let statements: Vec<_> = statements.collect();
        let read = Message::Batch(Batch { kind, statements: statements.clone(), parameters });
        parts.check(&read, |out, extras| {
            let mut batch = BatchWriter::new(out, parts.version, kind, extras)?;
            for (statement, values) in statements {
                match statement {
                    Statement::Text(text) => batch.query(text, values)?,
                    Statement::Prepared(id) => batch.prepared(id, values)?,
                }
            }
            batch.finish(&parameters).map(drop)
        });
    }
}
