//! Errors of servers, and input that never reaches them.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use spikewire::cql::{CallOptions, Code, Consistency, Details, Error, Kind, Session};

use crate::support::place;

fn code(error: &Error) -> Code {
    assert_eq!(error.kind(), Kind::Server, "{error}");
    assert!(error.node().is_some() && error.attempts() == 1 && !error.in_doubt(), "{error:?}");
    error.server().expect("the server refused").code
}

#[test]
fn server_errors_keep_their_message() {
    let place = place!();
    let session = place.session();
    let error_of = |text: &str| session.execute(text, ()).unwrap_err();
    let error = error_of("SELEC 1");
    assert_eq!(code(&error), Code::Syntax);
    assert!(error.message().contains("no viable alternative"), "{error}");
    assert_eq!(code(&error_of("SELECT * FROM no_such_table")), Code::Invalid);
    let error = error_of("SELECT * FROM no_such_keyspace.t");
    assert_eq!(code(&error), Code::Invalid);
    assert!(error.message().contains("no_such_keyspace"), "{error}");
    assert_eq!(code(&error_of("USE no_such_keyspace")), Code::Invalid);
    assert_eq!(code(&session.prepare("SELEC ?").unwrap_err()), Code::Syntax);

    let table = place.table(&session, "id int PRIMARY KEY");
    let error = error_of(&format!("CREATE TABLE {table} (id int PRIMARY KEY)"));
    assert_eq!(code(&error), Code::AlreadyExists);
    let keyspace = place.keyspace.clone();
    assert_eq!(
        error.server().unwrap().details,
        Details::AlreadyExists { keyspace, table: table.clone() }
    );
    // One node cannot provide two replicas.
    let two = session.with(CallOptions::new().consistency(Consistency::Two));
    let error = two.execute(format!("INSERT INTO {table} (id) VALUES (1)"), ()).unwrap_err();
    assert_eq!(error.server().unwrap().code, Code::Unavailable);
    let Details::Unavailable(replicas) = &error.server().unwrap().details else {
        panic!("{error:?}")
    };
    assert_eq!(
        (replicas.consistency, replicas.required, replicas.received),
        (Consistency::Two, 2, 1)
    );
    assert!(!error.in_doubt());
}

#[test]
fn a_wrong_number_of_values_is_rejected() {
    let place = place!();
    let session = place.session();
    let table = place.table(&session, "id int PRIMARY KEY, name text");
    let insert = session.prepare(format!("INSERT INTO {table} (id, name) VALUES (?, ?)")).unwrap();
    let why = |error: Error| {
        assert_eq!((error.kind(), error.attempts()), (Kind::Invalid, 0));
        error.message().to_owned()
    };
    let few = "the statement takes 2 values (id, name), not 1";
    assert_eq!(why(session.execute(&insert, (1,)).unwrap_err()), few);
    assert_eq!(why(session.execute(insert.text(), (1,)).unwrap_err()), few);
    let many = "the statement takes 2 values (id, name), not 3";
    assert_eq!(why(session.execute(&insert, [1, 2, 3]).unwrap_err()), many);
    assert_eq!(
        why(session.execute(&insert, ()).unwrap_err()),
        "the statement takes 2 values (id, name), not 0"
    );
    let select = format!("SELECT * FROM {table}");
    let none = "the statement takes no values, and 1 were given";
    assert_eq!(why(session.execute(&select, (1,)).unwrap_err()), none);
    assert_eq!(why(session.query(&select, (1,)).unwrap_err()), none);
    // Without values the text is sent unchanged, and the server counts the parameters.
    assert_eq!(code(&session.execute(insert.text(), ()).unwrap_err()), Code::Invalid);
}

#[test]
fn invalid_options_are_rejected() {
    let error_of = |builder: spikewire::cql::Builder, at: &str| {
        let error = builder.connect(at).unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid, "{error}");
        error.message().to_owned()
    };
    let builder = Session::builder;
    assert_eq!(
        error_of(builder(), "user@db1"),
        "\"user@db1\" is not a valid host: expected host or host:port"
    );
    assert_eq!(error_of(builder(), ""), "no contact point given");
    assert_eq!(
        error_of(builder().pipeline_depth(40_000), "db1"),
        "pipeline_depth must be from 1 to 32767, got 40000"
    );
    assert_eq!(
        error_of(builder().connections_per_node(0), "db1"),
        "connections_per_node must be from 1 to 1024, got 0"
    );
    assert_eq!(
        error_of(builder().warm_connections(1025), "db1"),
        "warm_connections must be from 0 to 1024, got 1025"
    );
    assert_eq!(
        builder().speculative_percentile(10.0).unwrap_err().message(),
        "speculative_delay must be a time, or a percentile from 'p50' to 'p99.9', got 10"
    );
    assert_eq!(error_of(builder().keyspace(""), "db1"), "keyspace must not be empty");
    assert_eq!(error_of(builder().threads(0), "db1"), "threads must be from 1 to 256, got 0");
    assert!(error_of(builder().credentials("", "x"), "db1").contains("user must not be empty"));
    let serial = builder().serial_consistency(Consistency::One);
    assert_eq!(
        error_of(serial, "db1"),
        "serial_consistency must be 'serial' or 'local_serial', got \"one\""
    );
    let backwards = builder().reconnect(Duration::from_secs(2), Duration::from_secs(1));
    assert!(error_of(backwards, "db1").contains("must not be below the shortest"));
    assert!(error_of(builder().connect_timeout(Duration::ZERO), "db1").contains("connect_timeout"));
}

#[test]
fn an_unknown_keyspace_is_an_error() {
    let place = place!();
    let error = place.builder().keyspace("no_such_keyspace").connect(&place.at);
    let error = error.and_then(|session| session.execute("SELECT * FROM t", ()).map(drop));
    assert!(error.unwrap_err().message().contains("no_such_keyspace"));
}

#[test]
fn connecting_to_a_silent_or_wrong_server_fails_with_its_address() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = silent.local_addr().unwrap();
    let started = Instant::now();
    let limit = Duration::from_millis(300);
    let error = Session::builder().connect_timeout(limit).connect(at).unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(20));
    assert!(error.message().contains(&at.to_string()), "{error}");
    drop(silent);
    let here = "127.0.0.1:1".parse().unwrap();
    let error = Session::builder().connect_timeout(limit).connect([at, here]).unwrap_err();
    assert!(error.message().contains(&at.to_string()), "{error}");
    let nodes: Vec<_> = error.failed_attempts().filter_map(|(node, _)| node).collect();
    assert_eq!(nodes, [at.to_string(), here.to_string()]);
}

#[test]
fn timeouts_and_closed_sessions_are_errors() {
    let place = place!();
    let session = place.session();
    let hurried = session.with(CallOptions::new().timeout(Duration::from_nanos(1)));
    let error = hurried.execute("SELECT * FROM system.local", ()).unwrap_err();
    assert_eq!(error.kind(), Kind::Timeout, "{error}");
    session.execute("SELECT * FROM system.local", ()).unwrap();
    session.close();
    session.close();
    let closed = session.execute("SELECT * FROM system.local", ()).unwrap_err();
    assert_eq!(closed.kind(), Kind::Closed, "{closed}");
}
