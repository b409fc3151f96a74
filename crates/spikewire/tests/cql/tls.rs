//! Encrypted connections: the node reports which of them are.

use std::path::PathBuf;

use futures::executor::block_on;
use spikewire::cql::{Builder, Kind, Pem, Session, Tls, TlsOptions};

use crate::support::{Place, place};

/// The place and TLS options that trust its node, or a return from the test.
macro_rules! secured {
    () => {{
        let place = place!();
        match std::env::var_os("SPIKEWIRE_CASSANDRA_AUTHORITY") {
            Some(file) => {
                let authorities = vec![Pem::File(PathBuf::from(file))];
                (place, TlsOptions { authorities, ..TlsOptions::default() })
            }
            None => {
                crate::support::skip("SPIKEWIRE_CASSANDRA_AUTHORITY is not set");
                return;
            }
        }
    }};
}

fn builder(place: &Place, options: &TlsOptions, name: &str) -> Builder {
    place.builder().application(name, "1").tls(Tls::new(options).unwrap())
}

const CLIENTS: &str = "SELECT ssl_enabled, ssl_protocol, client_options FROM system_views.clients";

type Client = (bool, Option<String>, Option<std::collections::HashMap<String, String>>);

/// Checks that all connections of a program are encrypted, as reported by the node.
fn check(rows: Vec<Client>, name: &str) {
    let named = |options: &Option<std::collections::HashMap<String, String>>| {
        options
            .as_ref()
            .is_some_and(|options| options.get("APPLICATION_NAME").is_some_and(|own| own == name))
    };
    let own: Vec<_> = rows.into_iter().filter(|(.., options)| named(options)).collect();
    // The control connection, and the one for requests.
    assert!(own.len() >= 2, "{own:?}");
    for (encrypted, protocol, _) in own {
        assert!(encrypted);
        assert!(protocol.unwrap().starts_with("TLSv1."));
    }
}

#[test]
fn a_blocking_session_uses_tls() {
    let (place, options) = secured!();
    let session = builder(place, &options, "tls blocking").connect(&place.at).unwrap();
    let clients = session.execute(CLIENTS, ()).unwrap();
    check(clients.rows_as().collect::<Result<_, _>>().unwrap(), "tls blocking");
    let table = place.table(&session, "id int PRIMARY KEY, v blob");
    let insert = session.prepare(format!("INSERT INTO {table} (id, v) VALUES (?, ?)")).unwrap();
    // More than one TLS record.
    let long = vec![7_u8; 1 << 20];
    session.execute(&insert, (1, long.clone())).unwrap();
    let result = session.execute(format!("SELECT v FROM {table}"), ()).unwrap();
    assert_eq!(result.first_value::<Vec<u8>>("v").unwrap(), Some(long));
}

#[test]
fn an_asynchronous_session_uses_tls() {
    let (place, options) = secured!();
    block_on(async {
        let builder = builder(place, &options, "tls futures");
        let session = builder.connect_async(&place.at).await.unwrap();
        let clients = session.execute(CLIENTS, ()).await.unwrap();
        check(clients.rows_as().collect::<Result<_, _>>().unwrap(), "tls futures");
    });
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn a_tokio_session_uses_tls() {
    let (place, options) = secured!();
    let builder = builder(place, &options, "tls tokio");
    let session = builder.connect_tokio(&place.at).await.unwrap();
    let clients = session.execute(CLIENTS, ()).await.unwrap();
    check(clients.rows_as().collect::<Result<_, _>>().unwrap(), "tls tokio");
}

#[test]
fn an_untrusted_server_is_named() {
    let (place, options) = secured!();
    let error_of = |options: &TlsOptions| {
        let session: Result<Session, _> = builder(place, options, "nobody").connect(&place.at);
        let error = session.unwrap_err();
        assert_eq!(error.kind(), Kind::Connection, "{error}");
        error.message().to_owned()
    };
    let named = TlsOptions { server_name: Some("pomona.example".to_owned()), ..options.clone() };
    assert!(error_of(&named).contains("for another name"));
    let unchecked = TlsOptions { verify_hostname: false, ..named };
    builder(place, &unchecked, "unchecked").connect(&place.at).unwrap();
    let system = TlsOptions { authorities: Vec::new(), ..options };
    // If the system has no trusted certificates, that is reported before anything is sent.
    if Tls::new(&system).is_ok() {
        assert!(error_of(&system).contains("no authority that the client trusts"));
    }
}

#[test]
fn invalid_tls_options_are_rejected() {
    let nowhere = vec![Pem::File(PathBuf::from("/nowhere/ca.pem"))];
    let error = Tls::new(&TlsOptions { authorities: nowhere, ..TlsOptions::default() });
    assert!(error.unwrap_err().to_string().contains("/nowhere/ca.pem"));
}
