use std::net::SocketAddr;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::error::details::{Failures, Replicas};
use super::rows::Cells;
use super::schema::{Change, Target};
use super::*;
use crate::consistency::Consistency;
use crate::types::{Type, Udt};
use crate::version::Version;

/// Writes a response and reads it back.
fn check(version: Version, prefix: Prefix<'_>, message: Message<'_>) {
    let response = Response { prefix, message };
    let mut out = b"before".to_vec();
    response.write(&mut out, version, 7).unwrap();
    let envelope = out.strip_prefix(b"before").unwrap();
    assert_eq!(Header::read(envelope).unwrap().unwrap().stream, 7);
    assert_eq!(Response::read(envelope).as_ref(), Ok(&response));
    // Bytes after the message are for later protocol versions.
    let header = Header::read(envelope).unwrap().unwrap();
    let mut longer = envelope[envelope::HEADER_LEN..].to_vec();
    if !matches!(response.message, Message::Result(QueryResult::Rows(_))) {
        longer.extend_from_slice(b"more");
        assert_eq!(Response::parse(&header, &longer).as_ref(), Ok(&response));
    }
    // A part of it is not a response, and nothing breaks.
    for len in 0..header.body {
        let short = Response::parse(&header, &envelope[envelope::HEADER_LEN..][..len]);
        if let Ok(Response { message: Message::Result(QueryResult::Rows(rows)), .. }) = short {
            let mut cells = rows.cells;
            cells.skip(rows.count * rows.columns).unwrap_err();
        } else {
            short.unwrap_err();
        }
    }
}

// --- anything a server may send

fn name() -> impl Strategy<Value = String> {
    "[a-z(ü ]{0,6}"
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..12)
}

fn a_type() -> impl Strategy<Value = Type> {
    let native = select(vec![Type::Int, Type::Text, Type::Counter, Type::Duration, Type::Blob]);
    native.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(Type::list),
            (inner.clone(), inner.clone()).prop_map(|(key, value)| Type::map(key, value)),
            vec(inner.clone(), 0..3).prop_map(Type::tuple),
            inner.clone().prop_map(|element| Type::vector(element, 3)),
            ("[a-z]{1,6}", name(), vec((name(), inner), 0..3)).prop_map(
                |(keyspace, name, fields)| { Type::Udt(Arc::new(Udt { keyspace, name, fields })) }
            ),
        ]
    })
}

fn metadata() -> impl Strategy<Value = Metadata> {
    let column = ("[ab]?", "[ab]?", name(), a_type());
    vec(column, 0..5).prop_map(|columns| {
        let column = |(keyspace, table, name, ty): (String, String, String, Type)| Column {
            keyspace: keyspace.into(),
            table: table.into(),
            name: name.into(),
            ty,
        };
        Metadata { columns: columns.into_iter().map(column).collect() }
    })
}

fn replicas() -> impl Strategy<Value = Replicas> {
    (select(&Consistency::ALL[..]), any::<i32>(), any::<i32>())
        .prop_map(|(consistency, received, required)| Replicas { consistency, received, required })
}

fn failures() -> impl Strategy<Value = Failures> {
    vec((any::<std::net::IpAddr>(), any::<u16>()), 0..4)
        .prop_map(|reasons| Failures { count: reasons.len() as i32, reasons })
}

fn write_type() -> impl Strategy<Value = WriteType> {
    let names =
        ["SIMPLE", "BATCH", "UNLOGGED_BATCH", "COUNTER", "BATCH_LOG", "CAS", "VIEW", "CDC", "NEW"];
    select(names.to_vec()).prop_map(WriteType::from)
}

/// Codes with their details. Version 4 has no reasons for failures.
fn details(version: Version) -> impl Strategy<Value = (Code, Details)> {
    let reported = move |mut failures: Failures| {
        if version == Version::V4 {
            failures.reasons.clear();
        }
        failures
    };
    let plain: Vec<_> = Code::known()
        .chain([Code::Other(0x9999), Code::Other(-1)])
        .filter(|&code| Details::read(version, code, &mut Reader(&[])) == Ok(Details::None))
        .collect();
    prop_oneof![
        select(plain).prop_map(|code| (code, Details::None)),
        replicas().prop_map(|replicas| (Code::Unavailable, Details::Unavailable(replicas))),
        (replicas(), write_type(), any::<u16>()).prop_map(
            move |(replicas, write_type, contentions)| {
                let is_reported = version == Version::V5 && write_type == WriteType::Cas;
                let contentions = is_reported.then_some(contentions);
                (Code::WriteTimeout, Details::WriteTimeout { replicas, write_type, contentions })
            }
        ),
        (replicas(), any::<bool>()).prop_map(|(replicas, data_present)| {
            (Code::ReadTimeout, Details::ReadTimeout { replicas, data_present })
        }),
        (replicas(), failures(), any::<bool>()).prop_map(
            move |(replicas, failures, data_present)| {
                let failures = reported(failures);
                (Code::ReadFailure, Details::ReadFailure { replicas, failures, data_present })
            }
        ),
        (replicas(), failures(), write_type()).prop_map(move |(replicas, failures, write_type)| {
            let failures = reported(failures);
            (Code::WriteFailure, Details::WriteFailure { replicas, failures, write_type })
        }),
        (name(), name(), vec(name(), 0..3)).prop_map(|(keyspace, function, arguments)| {
            (Code::FunctionFailure, Details::FunctionFailure { keyspace, function, arguments })
        }),
        replicas().prop_map(|replicas| (Code::CasWriteUnknown, Details::CasWriteUnknown(replicas))),
        (name(), name()).prop_map(|(keyspace, table)| {
            (Code::AlreadyExists, Details::AlreadyExists { keyspace, table })
        }),
        bytes().prop_map(|id| (Code::Unprepared, Details::Unprepared(id))),
    ]
}

fn schema_change() -> impl Strategy<Value = SchemaChange> {
    let change = select(vec![
        Change::Created,
        Change::Updated,
        Change::Dropped,
        Change::Other("RENAMED".into()),
    ]);
    let target = prop_oneof![
        Just(Target::Keyspace),
        Just(Target::Other("ROLE".into())),
        name().prop_map(Target::Table),
        name().prop_map(Target::Type),
        (name(), vec(name(), 0..3)).prop_map(|(name, types)| Target::Function(name, types)),
        (name(), vec(name(), 0..3)).prop_map(|(name, types)| Target::Aggregate(name, types)),
    ];
    (change, name(), target).prop_map(|(change, keyspace, target)| SchemaChange {
        change,
        keyspace,
        target,
    })
}

fn event() -> impl Strategy<Value = Event> {
    let address = || any::<(std::net::IpAddr, u16)>().prop_map(SocketAddr::from);
    prop_oneof![
        address().prop_map(Event::NewNode),
        address().prop_map(Event::RemovedNode),
        address().prop_map(Event::MovedNode),
        address().prop_map(Event::Up),
        address().prop_map(Event::Down),
        schema_change().prop_map(Event::Schema),
        Just(Event::Other("STATUS_CHANGE".into(), "SLEEPY".into())),
        Just(Event::Other("WEATHER_CHANGE".into(), String::new())),
    ]
}

fn version() -> impl Strategy<Value = Version> {
    select(&Version::ALL[..])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn errors_round_trip(
        (version, (code, details)) in version().prop_flat_map(|version| (Just(version), details(version))),
        message in name(),
    ) {
        let error = ServerError { code, message, details };
        check(version, Prefix::default(), Message::Error(error));
    }

    #[test]
    fn rows_round_trip(
        version in version(),
        metadata in metadata(),
        is_skipped: bool,
        (paging_state, metadata_id) in (option::of(bytes()), option::of(bytes())),
        cells in vec(option::of(bytes()), 0..12),
    ) {
        let columns = metadata.columns.len();
        let count = cells.len().checked_div(columns).unwrap_or(0);
        let mut run = Vec::new();
        for cell in &cells[..count * columns] {
            match cell {
                Some(cell) => put_bytes(&mut run, "a cell", cell).unwrap(),
                None => put_null(&mut run),
            }
        }
        let rows = Rows {
            paging_state: paging_state.as_deref(),
            metadata_id: metadata_id.as_deref(),
            metadata: (!is_skipped).then_some(metadata),
            columns,
            count,
            cells: Cells(Reader(&run)),
        };
        let mut read = rows.cells;
        for cell in &cells[..count * columns] {
            prop_assert_eq!(read.cell().unwrap(), cell.as_deref());
        }
        check(version, Prefix::default(), Message::Result(QueryResult::Rows(rows)));
    }

    #[test]
    fn prepared_statements_round_trip(
        version in version(),
        (id, metadata_id) in (bytes(), bytes()),
        (markers, result) in (metadata(), option::of(metadata())),
        key in vec(any::<prop::sample::Index>(), 0..3),
    ) {
        let count = markers.columns.len();
        let partition_key = key.iter().filter(|_| count > 0).map(|index| index.index(count) as u16);
        let metadata_id: &[u8] = if version == Version::V5 { &metadata_id } else { &[] };
        let partition_key = partition_key.collect();
        let flags = markers.flags() | 0x8000_0000;
        let prepared = Prepared { id: &id, metadata_id, flags, markers, partition_key, result };
        let extensions = Extensions { metadata_id: true, ..Extensions::default() };
        let message = Message::Result(QueryResult::Prepared(prepared.clone()));
        let response = Response { prefix: Prefix::default(), message };
        let mut bytes = Vec::new();
        response.write(&mut bytes, extensions.dialect(version), 1).unwrap();
        prop_assert_eq!(Response::read_with(&bytes, &extensions), Ok(response));
        check(version, Prefix::default(), Message::Result(QueryResult::Prepared(prepared)));
    }

    #[test]
    fn events_and_schema_changes_round_trip(
        version in version(),
        event in event(),
        change in schema_change(),
    ) {
        check(version, Prefix::default(), Message::Event(event));
        check(version, Prefix::default(), Message::Result(QueryResult::SchemaChange(change)));
    }

    #[test]
    fn tracing_ids_warnings_and_payloads_round_trip(
        version in version(),
        tracing_id in option::of(any::<[u8; 16]>()),
        warnings in vec(name(), 0..3),
        payload in vec((name(), option::of(bytes())), 0..3),
        keyspace in name(),
    ) {
        let warnings = warnings.iter().map(String::as_str).collect();
        let payload = payload.iter().map(|(name, value)| (name.as_str(), value.as_deref())).collect();
        let prefix = Prefix { tracing_id, warnings, payload };
        check(version, prefix, Message::Result(QueryResult::SetKeyspace(&keyspace)));
    }

    #[test]
    fn handshake_messages_round_trip(
        version in version(),
        text in name(),
        token in option::of(bytes()),
        options in vec((name(), vec(name(), 0..3)), 0..3),
    ) {
        let none = Prefix::default;
        let options: Vec<(&str, Vec<&str>)> = options
            .iter()
            .map(|(key, values)| (key.as_str(), values.iter().map(String::as_str).collect()))
            .collect();
        check(version, none(), Message::Ready);
        check(version, none(), Message::Result(QueryResult::Void));
        check(version, none(), Message::Authenticate(&text));
        check(version, none(), Message::AuthChallenge(token.as_deref()));
        check(version, none(), Message::AuthSuccess(token.as_deref()));
        check(version, none(), Message::Supported(Supported(options)));
    }
}

// --- what no server sends

/// Parses the body of a RESULT.
fn result(body: &[u8]) -> Result<()> {
    let header = Header {
        version: 5,
        is_response: true,
        flags: 0,
        stream: 1,
        opcode: Opcode::Result as u8,
        body: body.len(),
    };
    Response::parse(&header, body).map(drop)
}

fn ints(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

#[test]
fn counts_without_bytes_behind_them_are_malformed() {
    for (body, reason) in [
        (ints(&[2, 4, 1, 2, 9]), "2 rows of 1 columns in 4 bytes"),
        (ints(&[2, 4, i32::MAX, i32::MAX]), "2147483647 rows of 2147483647 columns in 0 bytes"),
        (ints(&[2, 4, 0, i32::MAX]), "2147483647 rows of 0 columns in 0 bytes"),
        (ints(&[2, 4, 1, -1]), "a count of -1"),
        (ints(&[2, 4, -1, 0]), "a count of -1"),
        (ints(&[2, 1, i32::MAX]), "2 bytes announced, 0 left"),
        (ints(&[6]), "a result of the kind 6"),
    ] {
        assert_eq!(result(&body), Err(Malformed::new(reason)));
    }
}

#[test]
fn a_partition_key_consists_of_existing_markers() {
    // Two empty ids, flags, one marker, one key column: marker 1.
    let body = [&ints(&[4])[..], &[0; 4], &ints(&[0, 1, 1]), &[0, 1]].concat();
    assert_eq!(result(&body), Err(Malformed::new("a key by marker 1 of 1")));
}

#[test]
fn a_request_is_no_response() {
    let query = [0x84, 0, 0, 0, 0x07, 0, 0, 0, 0];
    assert_eq!(Response::read(&query), Err(Malformed::new("QUERY is not a response")));
    let unknown = [0x84, 0, 0, 0, 0x04, 0, 0, 0, 0];
    assert_eq!(Response::read(&unknown), Err(Malformed::new("a response with the opcode 4")));
    let short = [0x84, 0, 0, 0, 0x02, 0, 0, 0, 1];
    assert_eq!(Response::read(&short), Err(Malformed::new("an envelope that is not whole")));
}
