//! Logging in, against fake nodes that decode the frames.

mod support;

use std::time::Duration;

use spikewire_aerospike::admin::InfoCommand;
use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::{Error, Kind, Login, Options, Secret};
use spikewire_aerospike_protocol::host::Host;
use spikewire_aerospike_protocol::result_code::ResultCode;
use support::fake::FakeNode;
use support::{LONG, eventually};

fn options(seeds: &[&FakeNode], user: &str, password: &str) -> Options {
    let seed = |node: &&FakeNode| Host {
        name: node.address.ip().to_string(),
        tls_name: None,
        port: node.address.port(),
    };
    Options {
        tend_interval: Duration::from_millis(40),
        connect_timeout: LONG,
        login: Login {
            user: Some(user.to_owned()),
            password: Some(Secret::from(password)),
            auth: None,
        },
        ..Options::new(seeds.iter().map(seed).collect())
    }
}

/// Two nodes that know each other and accept one user.
fn pair() -> (FakeNode, FakeNode) {
    let (a, b) = (FakeNode::start("A1"), FakeNode::start("B1"));
    a.set_peers(1, &[&b]);
    b.set_peers(1, &[&a]);
    for node in [&a, &b] {
        node.set_user("app", "opensesame");
    }
    (a, b)
}

fn ask(cluster: &Cluster, node: &str) -> Result<String, Error> {
    let node = cluster.member(node).unwrap();
    cluster.info(&node, &InfoCommand::new("build").unwrap())
}

#[test]
fn one_login_per_node_and_a_token_for_each_further_connection() {
    let (a, b) = pair();
    let cluster = Cluster::connect(options(&[&a], "app", "opensesame")).unwrap();
    assert_eq!(cluster.snapshot().nodes.len(), 2);
    for times in 1..4 {
        assert_eq!(ask(&cluster, "A1").unwrap(), "8.1.2.0");
        assert_eq!(ask(&cluster, "B1").unwrap(), "8.1.2.0");
        assert_eq!((a.entries(), b.entries()), ((1, 0, times), (1, 0, times)));
    }
}

#[test]
fn a_wrong_password_ends_opening() {
    let (a, b) = pair();
    for (user, password, code, why) in [
        ("app", "open", ResultCode::INVALID_PASSWORD, "62 (INVALID_PASSWORD): wrong password"),
        ("bob", "opensesame", ResultCode::INVALID_USER, "60 (INVALID_USER): no such user"),
    ] {
        let error = Cluster::connect(options(&[&a, &b], user, password)).unwrap_err();
        assert_eq!(error.kind(), Kind::Server(code));
        let at = a.address;
        let expected = format!("seed {at}: the login of user {user:?} was refused: {why}");
        assert!(error.message().contains(&expected), "{error}");
        assert!(!error.message().contains(password), "{error}");
    }
    assert_eq!((a.entries().1, b.entries().1), (2, 2));
}

#[test]
fn without_a_login_the_error_names_what_is_missing() {
    let (a, _b) = pair();
    let open = Options { login: Login::default(), ..options(&[&a], "", "") };
    let error = Cluster::connect(open).unwrap_err();
    assert!(error.message().contains("not authenticated"), "{error}");
    assert_eq!(a.entries(), (0, 0, 0));
}

#[test]
fn a_server_without_security_is_used_as_it_is() {
    let open = FakeNode::start("A1");
    let cluster = Cluster::connect(options(&[&open], "app", "opensesame")).unwrap();
    assert_eq!(ask(&cluster, "A1").unwrap(), "8.1.2.0");
    assert_eq!(open.entries().2, 0);
}

#[test]
fn a_login_to_a_server_without_security_is_rejected() {
    let community = FakeNode::start("A1");
    community.answer_logins(ResultCode::SECURITY_NOT_SUPPORTED);
    let error = Cluster::connect(options(&[&community], "app", "opensesame")).unwrap_err();
    assert!(error.message().contains("this server has no security (51)"), "{error}");
}

#[test]
fn tokens_that_end_are_renewed_on_the_next_connection() {
    let (a, _b) = pair();
    let cluster = Cluster::connect(options(&[&a], "app", "opensesame")).unwrap();
    a.end_sessions();
    assert_eq!(ask(&cluster, "A1").unwrap(), "8.1.2.0");
    assert_eq!(a.entries(), (2, 0, 1), "it was shown, not taken, and there was a login");
    assert_eq!(ask(&cluster, "A1").unwrap(), "8.1.2.0");
    assert_eq!(a.entries(), (2, 0, 2));
}

#[test]
fn tokens_are_renewed_before_they_end() {
    let (a, _b) = pair();
    a.set_ttl(2);
    let cluster = Cluster::connect(options(&[&a], "app", "opensesame")).unwrap();
    eventually("half of their time", || {
        ask(&cluster, "A1").unwrap();
        a.entries().0 == 2
    });
    assert_eq!(a.entries().1, 0);
}

#[test]
fn a_node_that_rejects_logins_gets_few_of_them() {
    let (mut a, b) = pair();
    let cluster = Cluster::connect(options(&[&a, &b], "app", "opensesame")).unwrap();
    // It comes back with another password and without its sessions.
    a.kill();
    eventually("a pass without it", || ask(&cluster, "A1").is_err());
    a.set_user("app", "changed");
    a.end_sessions();
    let a = a.revive();
    eventually("a refusal", || a.entries().1 > 0);
    let error = cluster
        .member("A1")
        .and_then(|node| cluster.info(&node, &InfoCommand::new("build").unwrap()));
    if let Err(error) = error.as_ref()
        && error.kind() == Kind::Server(ResultCode::INVALID_PASSWORD)
    {
        assert!(error.message().contains("user \"app\""), "{error}");
        assert!(error.node().is_some());
    }
    // The pace of the test: time enough for many more logins.
    std::thread::sleep(Duration::from_millis(1200));
    assert!(a.entries().1 <= 4, "{:?}", a.entries());
    // The password is restored: after a while it is tried again.
    a.set_user("app", "opensesame");
    eventually("another login", || cluster.member("A1").is_ok() && ask(&cluster, "A1").is_ok());
}

#[test]
fn a_session_that_ends_on_an_open_connection_is_followed_by_another() {
    let (a, _b) = pair();
    let cluster = Cluster::connect(options(&[&a], "app", "opensesame")).unwrap();
    let before = a.requests_of("peers-generation");
    // From now on the cluster worker's connection is no longer logged in.
    a.forget_connections();
    eventually("a pass", || a.requests_of("peers-generation") > before + 2);
    eventually("a login", || a.entries().0 + a.entries().2 > 1);
    assert_eq!(ask(&cluster, "A1").unwrap(), "8.1.2.0");
}
