//! Calls produce the bytes of the dialogues.

use spikewire_cql::consistency::Consistency;
use spikewire_cql::envelope::{self, Extras, Header};
use spikewire_cql::notation::{put_bytes, put_string, put_unset};
use spikewire_cql::request::{
    self, BatchKind, BatchWriter, Parameters, RequestError, Startup, Values, plain_token,
    values_with,
};
use spikewire_cql::sealing::Sealing;
use spikewire_cql::version::Version::{self, V4, V5};

use super::script::{Around, bytes, line};

const ONE: Parameters<'static> = Parameters {
    consistency: Consistency::One,
    skip_metadata: false,
    page_size: None,
    paging_state: None,
    serial_consistency: None,
    timestamp: None,
    keyspace: None,
    now_in_seconds: None,
};
const PLAIN: Extras<'static> = Extras { tracing: false, payload: &[] };

/// Checks that what the closure writes, wrapped in an envelope, is that line of the dialogue.
fn check(place: &str, write: impl FnOnce(&mut Vec<u8>) -> Result<(), RequestError>) {
    let line = line(place);
    let mut out = Vec::new();
    write(&mut out).unwrap();
    assert_eq!(out[2..4], [0, 0], "{place}");
    let stream = Header::read(&line.plain).unwrap().unwrap().stream;
    envelope::stamp(&mut out, stream as u16);
    assert_eq!(out, line.plain, "{place}");
    let sealing = match line.around {
        Around::Nothing => Sealing::default(),
        Around::Segment { lz4 } => Sealing::after_startup(V5, lz4),
    };
    sealing.seal(&mut out, 0);
    assert_eq!(out, line.sealed, "{place}");
}

fn value(out: &mut Vec<u8>, bytes: &[u8]) -> Result<(), RequestError> {
    Ok(put_bytes(out, "a value", bytes)?)
}

fn int(out: &mut Vec<u8>, number: i32) -> Result<(), RequestError> {
    value(out, &number.to_be_bytes())
}

fn text(out: &mut Vec<u8>, version: Version, text: &str) -> Result<(), RequestError> {
    request::query(out, version, text, Values::NONE, &ONE, &PLAIN)
}

#[test]
fn handshake_requests_match_recorded_bytes() {
    let plain = Startup::default();
    let lz4 = Startup { lz4: true, ..plain };
    check("v4 opening 0", |out| request::options(out, V4));
    check("v4 opening 2", |out| request::startup(out, V4, &plain));
    check("v5 opening 0", |out| request::startup(out, V5, &plain));
    check("v4 LZ4 0", |out| request::startup(out, V4, &lz4));
    check("v5 LZ4 0", |out| request::startup(out, V5, &lz4));
    for (place, version, password) in [
        ("v4 password 2", V4, "cassandra"),
        ("v4 password 4", V4, "wrong"),
        ("v5 password 2", V5, "cassandra"),
        ("v5 password 4", V5, "wrong"),
    ] {
        let token = plain_token("cassandra", password);
        check(place, |out| request::auth_response(out, version, Some(&token)));
    }
    let kinds = spikewire_cql::response::event::KINDS;
    check("events 0", |out| request::register(out, V4, &kinds));
}

#[test]
fn a_startup_contains_all_options() {
    let mut out = Vec::new();
    let driver = Some(("Name", "1.0"));
    let extras = &[("CLIENT_ID", "x")][..];
    let startup = Startup { lz4: true, throw_on_overload: true, driver, extras };
    request::startup(&mut out, V5, &startup).unwrap();
    let text = String::from_utf8_lossy(&out).replace(|c: char| c.is_control(), " ");
    for word in ["COMPRESSION", "lz4", "THROW_ON_OVERLOAD", "DRIVER_NAME", "Name", "CLIENT_ID"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    // STARTUP cannot be compressed.
    let mut sealed = out.clone();
    Sealing::during_startup(V4, true).seal(&mut sealed, 0);
    assert_eq!(sealed, out);
}

#[test]
fn queries_match_recorded_bytes() {
    check("v4 opening 4", |out| text(out, V4, "SELECT key FROM system.local"));
    check("v5 opening 2", |out| text(out, V5, "SELECT key FROM system.local"));
    check("v4 LZ4 2", |out| text(out, V4, "SELECT release_version FROM system.local"));
    check("v5 LZ4 2", |out| text(out, V5, "SELECT release_version FROM system.local"));
    check("v4 names, trace, warning, payload 0", |out| {
        let values = values_with(1, true, |out| {
            put_string(out, "a name", "x")?;
            value(out, b"k1")
        });
        request::query(out, V4, "SELECT n FROM dk.w WHERE k=:x", values, &ONE, &PLAIN)
    });
    check("v4 names, trace, warning, payload 2", |out| {
        let extras = Extras { tracing: true, ..PLAIN };
        let text = "SELECT n FROM dk.w WHERE k='k2'";
        request::query(out, V4, text, Values::NONE, &ONE, &extras)
    });
    check("v4 names, trace, warning, payload 6", |out| {
        let payload = [("key", Some(&[0xde, 0xad][..]))];
        let extras = Extras { payload: &payload, ..PLAIN };
        request::query(out, V4, "USE dk", Values::NONE, &ONE, &extras)
    });
    check("v5 keyspace, now 0", |out| {
        let parameters = Parameters { keyspace: Some("dk"), ..ONE };
        request::query(out, V5, "SELECT n FROM w WHERE k='k1'", Values::NONE, &parameters, &PLAIN)
    });
    check("v5 keyspace, now 1", |out| {
        let parameters = Parameters { now_in_seconds: Some(1000), ..ONE };
        let text = "INSERT INTO dk.w (k,n) VALUES ('t',1) USING TTL 100";
        request::query(out, V5, text, Values::NONE, &parameters, &PLAIN)
    });
}

#[test]
fn prepared_statements_match_recorded_bytes() {
    let select = "SELECT * FROM dk.t WHERE a=?";
    let id = bytes("601920f6f223d15261d044583749f36e");
    let metadata_id = bytes("6cd0ebe3e8b17c6d51de00e23f1fa7e2");
    let state = bytes("0006000400000001f07ffffffdf07ffffffd");
    let a = |version, out: &mut Vec<u8>, metadata_id: &[u8], parameters: &Parameters<'_>| {
        let values = values_with(1, false, |out| int(out, 1));
        request::execute(out, version, &id, metadata_id, values, parameters, &PLAIN)
    };
    let page = Parameters { skip_metadata: true, page_size: Some(2), ..ONE };
    check("v4 pages 0", |out| request::prepare(out, V4, select, None, &PLAIN));
    check("v5 pages 0", |out| request::prepare(out, V5, select, None, &PLAIN));
    check("v4 pages 2", |out| a(V4, out, &metadata_id, &page));
    check("v4 pages 4", |out| {
        a(V4, out, &metadata_id, &Parameters { paging_state: Some(&state), ..page })
    });
    check("v5 pages 2", |out| a(V5, out, &metadata_id, &page));
    check("v5 pages 4", |out| a(V5, out, &[0; 16], &Parameters { page_size: Some(1), ..page }));
}

#[test]
fn a_prepare_of_version_5_names_a_keyspace() {
    let mut out = Vec::new();
    request::prepare(&mut out, V5, "SELECT", Some("dk"), &PLAIN).unwrap();
    assert_eq!(out[9..], bytes("00000006 53454c454354 00000001 0002 646b"));
    let error = request::prepare(&mut out, V4, "SELECT", Some("dk"), &PLAIN).unwrap_err();
    assert_eq!(error, RequestError::NeedsV5("a keyspace for one request"));
}

#[test]
fn writes_and_batches_match_recorded_bytes() {
    let id = bytes("e0b80aae51c73ce9c90db3054f6f9932");
    let nothing = bytes("d41d8cd98f00b204e9800998ecf8427e");
    let at = |timestamp| Parameters { timestamp: Some(timestamp), ..ONE };
    let first = i64::from_be_bytes(*bytes("00060a24181e4000").first_chunk().unwrap());
    for (place, version) in [("v4 writes 0", V4), ("v5 writes 0", V5)] {
        check(place, |out| {
            let values = values_with(2, false, |out| {
                value(out, b"k1")?;
                int(out, 42)
            });
            request::execute(out, version, &id, &nothing, values, &at(first), &PLAIN)
        });
    }
    check("v4 writes 2", |out| {
        let values = values_with(2, false, |out| {
            value(out, b"k1")?;
            put_unset(out);
            Ok::<_, RequestError>(())
        });
        request::execute(out, V4, &id, &nothing, values, &ONE, &PLAIN)
    });
    for (place, version) in [("v4 writes 3", V4), ("v5 writes 2", V5)] {
        check(place, |out| {
            let mut batch = BatchWriter::new(out, version, BatchKind::Logged, &PLAIN)?;
            batch.query("INSERT INTO dk.w (k,n) VALUES ('b1',1)", Values::NONE)?;
            let row = values_with(2, false, |out| {
                value(out, b"b2")?;
                int(out, 2)
            });
            batch.prepared(&id, row)?;
            batch.finish(&at(first + 1)).map(drop)
        });
    }
    check("v4 writes 4", |out| {
        let parameters = Parameters { serial_consistency: Some(Consistency::LocalSerial), ..ONE };
        let text = "INSERT INTO dk.w (k,n) VALUES ('k1',9) IF NOT EXISTS";
        request::query(out, V4, text, Values::NONE, &parameters, &PLAIN)
    });
}
