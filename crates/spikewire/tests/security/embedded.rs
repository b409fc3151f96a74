//! Embedded clusters with users and TLS of their own.

use std::time::Duration;

use futures::executor::block_on;
use spikewire::{Builder, Kind, Pem, ResultCode, Tls, TlsOptions};
use spikewire_aerospike_server::{Cluster, Options, TlsOptions as ServerTls, UserOptions};

use super::{USER, everything, everything_at_once, known};
use crate::support::{builder, eventually, kind, server};

fn cluster(options: Options) -> Cluster {
    let mut reader = UserOptions::new("reader", "readonly");
    reader.roles = vec!["read".to_owned()];
    let users = vec![UserOptions::new(USER.0, USER.1), reader];
    Cluster::start(Options { nodes: 2, users, ..options }).unwrap()
}

#[test]
fn users_are_limited_to_their_privileges() {
    let cluster = cluster(Options::default());
    everything(&known().connect(cluster.seeds()).unwrap());
    let reader = builder().credentials("reader", "readonly").connect(cluster.seeds()).unwrap();
    let users = reader.dataset("test", "demo").unwrap();
    assert!(users.get(1).unwrap().is_some());
    assert_eq!(kind(users.put(1, [("n", 1)])), server(ResultCode::ROLE_VIOLATION));
    let wrong = builder().credentials("app", "letmein").connect(cluster.seeds()).unwrap_err();
    assert!(matches!(wrong.kind(), Kind::Server(ResultCode(60 | 62 | 65))), "{wrong}");
    assert!(wrong.message().contains("user \"app\""), "{wrong}");
}

#[test]
fn sessions_are_renewed_in_time() {
    let cluster = cluster(Options { session_ttl: Duration::from_secs(1), ..Options::default() });
    let client = known().idle_timeout(Duration::from_millis(100)).connect(cluster.seeds()).unwrap();
    let users = client.dataset("test", "demo").unwrap();
    let (mut rounds, start) = (0, std::time::Instant::now());
    eventually("some sessions", || {
        users.put(rounds, [("n", 1)]).unwrap();
        assert_eq!(users.query().records().unwrap().count(), rounds as usize + 1);
        rounds += 1;
        // The pace of the test: connections are idle for longer than they may be.
        std::thread::sleep(Duration::from_millis(120));
        start.elapsed() > Duration::from_secs(4)
    });
}

#[test]
fn users_log_in_over_tls() {
    let cluster = cluster(Options { tls: Some(ServerTls::default()), ..Options::default() });
    let authorities = vec![Pem::File(cluster.certificates().unwrap().ca.clone())];
    let tls = Tls::new(&TlsOptions { authorities, ..TlsOptions::default() }).unwrap();
    let secure = || -> Builder { known().tls(tls.clone()) };
    // By address, and by their advertised name.
    everything(&secure().connect(cluster.seeds()).unwrap());
    let named = format!("127.0.0.1:spikewire:{}", cluster.seeds()[0].port());
    block_on(async {
        let client = secure().connect_async(&named).await.unwrap();
        assert_eq!(client.nodes().len(), 2);
        everything_at_once(&client).await.unwrap();
    });
    let plain = known().connect(cluster.seeds()).unwrap_err();
    assert_eq!(plain.kind(), Kind::Connection);
}
