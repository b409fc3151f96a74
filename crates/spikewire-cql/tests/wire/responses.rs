//! The bytes of the dialogues are decoded correctly.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use spikewire_cql::consistency::Consistency;
use spikewire_cql::envelope::{EVENT_STREAM, Header};
use spikewire_cql::response::error::details::{Failures, Replicas};
use spikewire_cql::response::schema::{Change, Target};
use spikewire_cql::response::{
    Code, Details, Event, Message, Prepared, QueryResult, Response, Retry, Rows, SchemaChange,
    ServerError, WriteType,
};
use spikewire_cql::sealing::Sealing;
use spikewire_cql::types::Type;
use spikewire_cql::version::Version;

use super::script::{Around, bytes, line};

/// The uncompressed envelope of a line.
fn envelope(place: &str) -> Vec<u8> {
    let line = line(place);
    let mut sealing = match line.around {
        Around::Nothing => Sealing::during_startup(Version::V4, true),
        Around::Segment { lz4 } => Sealing::after_startup(Version::V5, lz4),
    };
    let mut plain = Vec::new();
    sealing.open(&line.sealed, &mut plain).unwrap();
    plain
}

fn with<T>(place: &str, look: impl FnOnce(Response<'_>) -> T) -> T {
    let envelope = envelope(place);
    look(Response::read(&envelope).unwrap_or_else(|error| panic!("{place}: {error}")))
}

fn rows<T>(place: &str, look: impl FnOnce(Rows<'_>) -> T) -> T {
    with(place, |response| match response.message {
        Message::Result(QueryResult::Rows(rows)) => look(rows),
        other => panic!("{place}: {other:?}"),
    })
}

fn prepared<T>(place: &str, look: impl FnOnce(Prepared<'_>) -> T) -> T {
    with(place, |response| match response.message {
        Message::Result(QueryResult::Prepared(prepared)) => look(prepared),
        other => panic!("{place}: {other:?}"),
    })
}

fn error(place: &str) -> ServerError {
    with(place, |response| match response.message {
        Message::Error(error) => error,
        other => panic!("{place}: {other:?}"),
    })
}

fn event(place: &str) -> Event {
    let envelope = envelope(place);
    assert_eq!(Header::read(&envelope).unwrap().unwrap().stream, EVENT_STREAM);
    match Response::read(&envelope).unwrap().message {
        Message::Event(event) => event,
        other => panic!("{place}: {other:?}"),
    }
}

/// All cells of rows.
fn cells(rows: &Rows<'_>) -> Vec<Option<Vec<u8>>> {
    let mut cells = rows.cells;
    let cell = |_| cells.cell().unwrap().map(<[u8]>::to_vec);
    (0..rows.count * rows.columns).map(cell).collect()
}

#[test]
fn a_server_lists_what_it_supports() {
    with("v4 opening 1", |response| {
        let Message::Supported(supported) = response.message else { panic!("{response:?}") };
        assert_eq!(supported.get("CQL_VERSION"), ["3.4.7"]);
        assert_eq!(supported.get("NOTHING"), [""; 0]);
        assert_eq!(supported.version(), Some(Version::V5));
        assert!(supported.has_lz4());
    });
}

#[test]
fn a_handshake_ends_with_or_without_a_password() {
    for place in ["v4 opening 3", "v5 opening 1", "v4 LZ4 1", "v5 LZ4 1", "events 1"] {
        with(place, |response| assert_eq!(response.message, Message::Ready, "{place}"));
    }
    for version in ["v4", "v5"] {
        let class = "org.apache.cassandra.auth.PasswordAuthenticator";
        with(&format!("{version} password 1"), |response| {
            assert_eq!(response.message, Message::Authenticate(class));
        });
        with(&format!("{version} password 3"), |response| {
            assert_eq!(response.message, Message::AuthSuccess(None));
        });
        let error = error(&format!("{version} password 5"));
        assert_eq!((error.code, error.retry()), (Code::BadCredentials, Retry::Never));
        assert!(error.to_string().starts_with("bad credentials (0x0100): Provided username "));
    }
}

#[test]
fn rows_with_metadata_are_decoded() {
    for place in ["v4 opening 5", "v5 opening 3"] {
        rows(place, |rows| {
            let columns = &rows.metadata.as_ref().unwrap().columns;
            assert_eq!((columns.len(), &*columns[0].keyspace), (1, "system"));
            assert_eq!((&*columns[0].table, &*columns[0].name), ("local", "key"));
            assert_eq!(columns[0].ty, Type::Text);
            assert_eq!(cells(&rows), [Some(b"local".to_vec())]);
        });
    }
    for place in ["v4 LZ4 3", "v5 LZ4 3"] {
        rows(place, |rows| assert_eq!(cells(&rows), [Some(b"5.0.9".to_vec())]));
    }
}

#[test]
fn pages_without_metadata_are_decoded() {
    for place in ["v4 pages 1", "v5 pages 1"] {
        prepared(place, |prepared| {
            assert_eq!(prepared.id, bytes("601920f6f223d15261d044583749f36e"));
            let metadata_id =
                if place.starts_with("v5") { "6cd0ebe3e8b17c6d51de00e23f1fa7e2" } else { "" };
            assert_eq!(prepared.metadata_id, bytes(metadata_id));
            assert_eq!(prepared.partition_key, [0]);
            assert_eq!(&*prepared.markers.columns[0].name, "a");
            let result = prepared.result.unwrap();
            let types: Vec<_> = result.columns.iter().map(|column| column.ty.clone()).collect();
            assert_eq!(types, [Type::Int, Type::Int, Type::Text]);
        });
    }
    let state = bytes("0006000400000001f07ffffffdf07ffffffd");
    for place in ["v4 pages 3", "v5 pages 3"] {
        rows(place, |rows| {
            assert_eq!((rows.count, rows.columns, &rows.metadata), (2, 3, &None));
            assert_eq!(rows.paging_state, Some(&state[..]));
            assert_eq!(rows.metadata_id, None);
            assert_eq!(cells(&rows)[5], Some(b"v1".to_vec()));
        });
    }
    rows("v4 pages 5", |rows| {
        assert_eq!((rows.count, rows.paging_state), (1, None));
        let mut last = rows.cells;
        last.skip(2).unwrap();
        assert_eq!(last.cell(), Ok(Some(&b"v2"[..])));
        last.cell().unwrap_err();
    });
    rows("v5 pages 5", |rows| {
        assert_eq!(rows.metadata_id.unwrap(), bytes("6cd0ebe3e8b17c6d51de00e23f1fa7e2"));
        assert!(rows.paging_state.is_some());
        assert_eq!(rows.metadata.unwrap().columns.len(), 3);
    });
}

#[test]
fn a_conditional_write_that_is_rejected_shows_the_row() {
    rows("v4 writes 5", |rows| {
        let columns = &rows.metadata.as_ref().unwrap().columns;
        assert_eq!((&*columns[0].name, &columns[0].ty), ("[applied]", &Type::Boolean));
        let row = [vec![0], b"k1".to_vec(), vec![0, 0, 0, 42]].map(Some);
        assert_eq!(cells(&rows), row);
    });
    for place in ["v4 writes 1", "v5 writes 1"] {
        with(place, |response| assert_eq!(response.message, Message::Result(QueryResult::Void)));
    }
}

#[test]
fn tracing_ids_and_warnings_are_decoded() {
    with("v4 names, trace, warning, payload 3", |response| {
        let id = bytes("1b8649c0e62511f19e4ec73809eb025f");
        assert_eq!(response.prefix.tracing_id.unwrap(), id[..]);
    });
    rows("v4 names, trace, warning, payload 3", |rows| assert_eq!(cells(&rows), [None]));
    with("v4 names, trace, warning, payload 5", |response| {
        let warning = "Aggregation query used without partition key";
        assert_eq!(response.prefix.warnings, [warning]);
    });
    with("v4 names, trace, warning, payload 7", |response| {
        assert_eq!(response.message, Message::Result(QueryResult::SetKeyspace("dk")));
    });
}

fn replicas(consistency: Consistency, received: i32, required: i32) -> Replicas {
    Replicas { consistency, received, required }
}

#[test]
fn errors_say_what_happened_and_what_may_be_done() {
    let unavailable = error("v4 errors 0");
    let details = Details::Unavailable(replicas(Consistency::Two, 1, 2));
    assert_eq!((unavailable.code, &unavailable.details), (Code::Unavailable, &details));
    assert_eq!((unavailable.retry(), unavailable.is_doubtful()), (Retry::NextNode, false));

    let exists = error("v4 errors 1");
    let (keyspace, table) = ("dk".to_owned(), "w".to_owned());
    assert_eq!(exists.details, Details::AlreadyExists { keyspace, table });
    assert_eq!((exists.retry(), exists.is_doubtful()), (Retry::Never, false));

    let write = error("timeouts 0");
    let details = Details::WriteTimeout {
        replicas: replicas(Consistency::All, 2, 3),
        write_type: WriteType::Simple,
        contentions: None,
    };
    assert_eq!((write.code, &write.details), (Code::WriteTimeout, &details));
    assert_eq!((write.retry(), write.is_doubtful()), (Retry::NextNodeIfIdempotent, true));

    let read = error("timeouts 1");
    let replicas_of_read = replicas(Consistency::All, 2, 3);
    let details = Details::ReadTimeout { replicas: replicas_of_read, data_present: true };
    assert_eq!((read.code, &read.details), (Code::ReadTimeout, &details));
    assert_eq!((read.retry(), read.is_doubtful()), (Retry::Never, false));

    for (place, required, contentions) in [("timeouts 2", 2, None), ("timeouts 3", 2, Some(0))] {
        let cas = error(place);
        let replicas = replicas(Consistency::Serial, 1, required);
        let write_type = WriteType::Cas;
        assert_eq!(cas.details, Details::WriteTimeout { replicas, write_type, contentions });
        assert_eq!((cas.retry(), cas.is_doubtful()), (Retry::Never, true));
    }
}

#[test]
fn a_warning_may_precede_an_error() {
    with("read failure 0", |response| {
        let [warning] = response.prefix.warnings[..] else { panic!("{:?}", response.prefix) };
        assert!(warning.starts_with("Read 0 live rows and 11 tombstone cells"), "{warning}");
    });
    let error = error("read failure 0");
    let localhost = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let details = Details::ReadFailure {
        replicas: replicas(Consistency::One, 0, 1),
        failures: Failures { count: 1, reasons: vec![(localhost, 1)] },
        data_present: false,
    };
    assert_eq!((error.code, error.details), (Code::ReadFailure, details));
}

#[test]
fn events_name_what_changed() {
    let created = SchemaChange {
        change: Change::Created,
        keyspace: "dk".to_owned(),
        target: Target::Function("f".to_owned(), vec!["int".to_owned(), "list<text>".to_owned()]),
    };
    assert_eq!(created.to_string(), "CREATED FUNCTION dk.f(int, list<text>)");
    assert_eq!(event("events 2"), Event::Schema(created));
    let third = SocketAddr::from(([127, 0, 0, 3], 9042));
    assert_eq!(event("events 3"), Event::Up(third));
    assert_eq!(event("events 4"), Event::Down(third));
}

#[test]
fn columns_of_every_type_are_decoded() {
    rows("v5 types 0", |rows| {
        let columns = &rows.metadata.as_ref().unwrap().columns;
        let types: Vec<_> = columns.iter().map(|column| column.ty.to_string()).collect();
        assert_eq!(types[..3], ["decimal", "duration", "tuple<int, text>"]);
        let Type::Udt(udt) = &columns[3].ty else { panic!("{:?}", columns[3]) };
        assert_eq!((&*udt.keyspace, &*udt.name, udt.fields.len()), ("ks1", "addr", 2));
        assert_eq!(columns[4].ty, Type::vector(Type::Float, 3));
        let lengths: Vec<_> =
            cells(&rows).iter().map(|cell| cell.as_ref().unwrap().len()).collect();
        assert_eq!(lengths, [6, 9, 12, 13, 12]);
    });
}

#[test]
fn an_answer_in_the_layout_of_old_versions_is_no_envelope() {
    let error = Header::read(&bytes("82000000000000670000000a")).unwrap_err();
    assert!(error.to_string().contains("Cassandra before 2.1?"), "{error}");
}
