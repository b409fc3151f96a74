//! Users: logging in, tokens, and what roles permit.

mod wire;

use std::time::Duration;

use spikewire_aerospike_protocol::auth::{self, Reply, Session};
use spikewire_aerospike_protocol::frame::Kind;
use spikewire_aerospike_protocol::message::{info1, info2};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_server::{Cluster, Options, UserOptions};
use wire::{Request, Wire, eventually};

fn user(name: &str, roles: &[&str]) -> UserOptions {
    let roles = roles.iter().map(|role| (*role).to_owned()).collect();
    UserOptions { roles, ..UserOptions::new(name, "secret") }
}

/// A cluster with these users, whose password is "secret".
fn cluster(users: Vec<UserOptions>) -> Cluster {
    Cluster::start(Options { nodes: 1, users, ..Options::default() }).unwrap()
}

fn say(wire: &mut Wire, request: auth::Request<'_>) -> Reply {
    let mut bytes = Vec::new();
    request.encode(&mut bytes);
    wire.send(&bytes);
    let (kind, body) = wire.frame().unwrap();
    assert_eq!(kind, Kind::Admin);
    Reply::parse(&body).unwrap()
}

fn log_in(wire: &mut Wire, user: &str, password: &str) -> Result<Session, u8> {
    let credential = auth::hash_password(password);
    let request =
        auth::Request::Login { user, credential: credential.as_bytes(), clear_password: None };
    let reply = say(wire, request);
    reply.session.ok_or(reply.result.0)
}

fn authenticate(wire: &mut Wire, user: &str, token: &[u8]) -> u8 {
    say(wire, auth::Request::Authenticate { user, token }).result.0
}

/// A connection that this user has logged in on.
fn of(cluster: &Cluster, user: &str) -> Wire {
    let mut wire = Wire::to(cluster, 0);
    log_in(&mut wire, user, "secret").unwrap();
    wire
}

#[test]
fn requests_before_a_login_are_rejected() {
    let cluster = cluster(vec![UserOptions::new("app", "secret")]);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k", 1)), 80);
    assert_eq!(wire.code(Request::get("k")), 80);
    // A client that waits for many messages is told that this is the last one.
    let batch = wire.ask(Request::bare().info1(info1::READ | info1::BATCH));
    assert_eq!((batch.code(), batch.header.info3 & 1), (80, 1));
    let mut info = Vec::new();
    spikewire_aerospike_protocol::info::request(&mut info, &["node", "build"]);
    wire.send(&info);
    assert_eq!(wire.frame().unwrap(), (Kind::Info, b"ERROR:80:not authenticated\n".to_vec()));
    // The connection stays usable.
    let session = log_in(&mut wire, "app", "secret").unwrap();
    assert_eq!(session.ttl, Some(86_400));
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    assert_eq!(wire.info("build"), "8.1.2.0");
}

#[test]
fn a_login_and_commands_may_come_in_one_write() {
    let cluster = cluster(vec![UserOptions::new("app", "secret")]);
    let mut wire = Wire::to(&cluster, 0);
    let mut bytes = Request::put("k", 1).bytes();
    let credential = auth::hash_password("secret");
    auth::Request::Login { user: "app", credential: credential.as_bytes(), clear_password: None }
        .encode(&mut bytes);
    bytes.extend_from_slice(&Request::put("k", 2).bytes());
    wire.send(&bytes);
    assert_eq!(wire.reply().unwrap().code(), 80);
    assert_eq!(wire.frame().unwrap().0, Kind::Admin);
    assert_eq!(wire.reply().unwrap().head(), (0, 1, 0));
}

#[test]
fn wrong_credentials_are_rejected() {
    let cluster = cluster(vec![UserOptions::new("app", "secret")]);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(log_in(&mut wire, "app", "Secret"), Err(65));
    assert_eq!(log_in(&mut wire, "nobody", "secret"), Err(60));
    assert_eq!(authenticate(&mut wire, "app", b"guess"), 80);
    assert_eq!(say(&mut wire, auth::Request::CertificateLogin).result.0, 60);
    assert_eq!(wire.code(Request::put("k", 1)), 80);
}

#[test]
fn tokens_open_further_connections_of_the_same_user_to_the_same_node() {
    let users = vec![UserOptions::new("app", "secret"), UserOptions::new("other", "secret")];
    let cluster = Cluster::start(Options { nodes: 2, users, ..Options::default() }).unwrap();
    let token = log_in(&mut Wire::to(&cluster, 0), "app", "secret").unwrap().token;
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(authenticate(&mut wire, "other", &token), 60);
    assert_eq!(authenticate(&mut wire, "app", &token), 0);
    assert_eq!(wire.info("status"), "ok");
    assert_eq!(authenticate(&mut Wire::to(&cluster, 1), "app", &token), 80);
    // A node that was restarted has forgotten it.
    cluster.kill(0).unwrap();
    cluster.restart(0).unwrap();
    assert_eq!(authenticate(&mut Wire::to(&cluster, 0), "app", &token), 80);
}

#[test]
fn tokens_expire_and_connections_stay() {
    let users = vec![UserOptions::new("app", "secret")];
    let session_ttl = Duration::from_secs(1);
    let cluster = Cluster::start(Options { users, session_ttl, ..Options::default() }).unwrap();
    let mut wire = Wire::to(&cluster, 0);
    let session = log_in(&mut wire, "app", "secret").unwrap();
    assert_eq!(session.ttl, Some(1));
    eventually("the token expires", || {
        authenticate(&mut Wire::to(&cluster, 0), "app", &session.token) == 66
    });
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    assert!(log_in(&mut wire, "app", "secret").is_ok());
}

#[test]
fn users_of_another_system_show_their_password_as_it_is() {
    let external = UserOptions { external: true, ..UserOptions::new("ext", "secret") };
    let cluster = cluster(vec![external]);
    let mut wire = Wire::to(&cluster, 0);
    let login =
        |clear| auth::Request::Login { user: "ext", credential: b"", clear_password: clear };
    assert_eq!(log_in(&mut wire, "ext", "secret"), Err(65));
    assert_eq!(say(&mut wire, login(Some(b"Secret"))).result.0, 65);
    assert_eq!(say(&mut wire, login(None)).result.0, 65);
    assert_eq!(say(&mut wire, login(Some(b"secret"))).result, ResultCode::OK);
    assert_eq!(wire.info("status"), "ok");
}

#[test]
fn roles_permit_commands() {
    let cluster = cluster(vec![
        user("reader", &["read"]),
        user("writer", &["write"]),
        user("both", &["read", "write"]),
        user("caller", &["read-write-udf"]),
        user("admin", &["sys-admin"]),
        user("nothing", &[]),
    ]);
    let put = || Request::put("k", 1);
    // Writes and tells what is there.
    let change = || Request::put("k", 1).info1(info1::READ);
    let delete = || Request::delete("other");
    for (name, codes) in [
        ("reader", [81, 81, 0, 81]),
        ("writer", [0, 81, 81, 2]),
        ("both", [0, 0, 0, 2]),
        ("caller", [0, 0, 0, 2]),
        ("admin", [81, 81, 81, 81]),
        ("nothing", [81, 81, 81, 81]),
    ] {
        of(&cluster, "both").code(put());
        let mut wire = of(&cluster, name);
        let results = [put(), change(), Request::get("k"), delete()].map(|it| wire.code(it));
        assert_eq!(results, codes, "{name}");
    }
    let call = || {
        Request::write("k")
            .field(30, b"module")
            .field(31, b"function")
            .field(32, &[0x90])
            .info2(info2::WRITE)
    };
    assert_eq!(of(&cluster, "both").code(call()), 81);
    assert_ne!(of(&cluster, "caller").code(call()), 81);
}

#[test]
fn roles_permit_info_commands() {
    let cluster = cluster(vec![user("reader", &["read"]), user("admin", &["data-admin"])]);
    let truncate = "truncate-namespace:namespace=test";
    assert_eq!(
        of(&cluster, "reader").info(truncate),
        "ERROR:81:role violation - requires permission 'truncate'"
    );
    assert_eq!(of(&cluster, "admin").info(truncate), "ok");
    let config = "set-config:context=namespace;namespace=test;set=s;enable-index=true";
    assert_eq!(
        of(&cluster, "admin").info(config),
        "ERROR:81:role violation - requires permission 'set-config'"
    );
    assert_eq!(of(&cluster, "reader").info("namespaces"), "test");
}

#[test]
fn injected_faults_do_not_bypass_the_login() {
    let cluster = cluster(vec![UserOptions::new("app", "secret")]);
    let faults = spikewire_aerospike_server::Faults {
        delay: Duration::from_millis(1),
        ..Default::default()
    };
    cluster.inject(0, faults).unwrap();
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k", 1)), 80);
    log_in(&mut wire, "app", "secret").unwrap();
    assert_eq!(wire.code(Request::put("k", 1)), 0);
}

#[test]
fn impossible_users_are_rejected() {
    let start = |users| Cluster::start(Options { users, ..Options::default() });
    for (users, message) in [
        (vec![UserOptions::new("", "secret")], "1 to 63 bytes"),
        (vec![UserOptions::new("app", "")], "password"),
        (vec![UserOptions::new("app", "a"), UserOptions::new("app", "b")], "given twice"),
        (vec![user("app", &["owner"])], "no role \"owner\"; there are: user-admin, "),
    ] {
        let error = start(users).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    let debug = format!("{:?}", UserOptions::new("app", "secret"));
    assert!(debug.contains("app") && !debug.contains("secret"), "{debug}");
}
