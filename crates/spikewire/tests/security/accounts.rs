//! Managing users and roles with a client.

use futures::executor::block_on;
use futures::future::try_join_all;
use spikewire::{AsyncClient, Client, Error, Kind, ResultCode, Role, privilege};
use spikewire_aerospike_server::{Cluster, Options, UserOptions};

use crate::support::builder;

fn start() -> Cluster {
    let users = vec![UserOptions::new("admin", "secret")];
    Cluster::start(Options { nodes: 2, users, quotas: true, ..Options::default() }).unwrap()
}

fn log_in(cluster: &Cluster, user: &str, password: &str) -> Result<Client, Error> {
    builder().credentials(user, password).connect(cluster.seeds())
}

/// The result code with which the server rejects a call.
fn code<T>(outcome: Result<T, Error>) -> ResultCode {
    match outcome.err().expect("the server rejects it").kind() {
        Kind::Server(code) => code,
        other => panic!("not an error of a server: {other:?}"),
    }
}

/// A role that may read and write the set `own`.
fn own_role() -> Role {
    Role {
        allow: vec!["127.0.0.0/8".to_owned()],
        read_quota: 100_000,
        ..Role::new("own", vec![privilege("read-write", Some("test"), Some("own")).unwrap()])
    }
}

#[test]
fn roles_are_created_changed_and_dropped() {
    let cluster = start();
    let admin = log_in(&cluster, "admin", "secret").unwrap();
    let roles = admin.roles();
    roles.create(&own_role()).unwrap();
    assert_eq!(code(roles.create(&own_role())), ResultCode::ROLE_EXISTS);
    assert_eq!(roles.get("own").unwrap(), own_role());
    assert_eq!(roles.list().unwrap().len(), 11);
    roles.set_quotas("own", None, Some(9)).unwrap();
    roles.set_allowed("own", &[]).unwrap();
    let role = roles.get("own").unwrap();
    assert_eq!((role.read_quota, role.write_quota, role.allow.len()), (100_000, 9, 0));
    roles.drop("own").unwrap();
    assert_eq!(code(roles.drop("own")), ResultCode::INVALID_ROLE);
}

#[test]
fn users_are_created_changed_and_dropped() {
    let cluster = start();
    let admin = log_in(&cluster, "admin", "secret").unwrap();
    let users = admin.users();
    users.create("app", "first", &["read"]).unwrap();
    assert_eq!(code(users.create("app", "x", &[])), ResultCode::USER_EXISTS);
    assert_eq!(users.get("app").unwrap().roles, ["read"]);
    let app = log_in(&cluster, "app", "first").unwrap();
    assert_eq!(code(app.users().list()), ResultCode::ROLE_VIOLATION);
    users.drop("app").unwrap();
    assert_eq!(code(users.get("app")), ResultCode::INVALID_USER);
    assert!(app.dataset("test", "own").unwrap().get(1).is_err());
    users.create_with_certificate("cert", &[]).unwrap();
    assert_eq!(code(users.set_password("cert", "x")), ResultCode::FORBIDDEN_PASSWORD);
    let names: Vec<String> = users.list().unwrap().into_iter().map(|user| user.name).collect();
    assert_eq!(names, ["admin", "cert"]);
}

#[test]
fn users_may_do_what_their_roles_allow() {
    let cluster = start();
    let admin = log_in(&cluster, "admin", "secret").unwrap();
    let (users, roles) = (admin.users(), admin.roles());
    roles.create(&own_role()).unwrap();
    users.create("app", "first", &["own"]).unwrap();
    let app = log_in(&cluster, "app", "first").unwrap();
    let (own, other) = (app.dataset("test", "own").unwrap(), app.dataset("test", "x").unwrap());
    own.put(1, [("n", 1)]).unwrap();
    assert_eq!(code(other.put(1, [("n", 1)])), ResultCode::ROLE_VIOLATION);
    roles.grant("own", vec![privilege("write", Some("test"), None).unwrap()]).unwrap();
    other.put(1, [("n", 1)]).unwrap();
    roles.revoke("own", roles.get("own").unwrap().privileges).unwrap();
    assert_eq!(code(own.get(1)), ResultCode::ROLE_VIOLATION);
    users.grant("app", &["read"]).unwrap();
    assert!(own.get(1).unwrap().is_some());
    users.revoke("app", &["own"]).unwrap();
    assert_eq!(users.get("app").unwrap().roles, ["read"]);
}

#[test]
fn a_client_goes_on_with_its_new_password() {
    let cluster = start();
    let admin = log_in(&cluster, "admin", "secret").unwrap();
    admin.users().create("app", "first", &["read-write"]).unwrap();
    let app = log_in(&cluster, "app", "first").unwrap();
    app.users().change_password("second").unwrap();
    app.users().change_password("third").unwrap();
    assert!(log_in(&cluster, "app", "second").is_err());
    cluster.kill(1).unwrap();
    cluster.restart(1).unwrap();
    app.dataset("test", "s").unwrap().put_many((0..100).map(|n| (n, [("n", n)]))).unwrap();
    admin.users().set_password("admin", "also changed").unwrap();
    cluster.kill(0).unwrap();
    cluster.restart(0).unwrap();
    admin.users().drop("app").unwrap();
    assert!(log_in(&cluster, "admin", "secret").is_err());
    log_in(&cluster, "admin", "also changed").unwrap();
}

#[test]
fn an_asynchronous_client_manages_users_concurrently() {
    let cluster = start();
    block_on(async {
        let builder = builder().credentials("admin", "secret");
        let admin: AsyncClient = builder.connect_async(cluster.seeds()).await.unwrap();
        let names: Vec<String> = (0..50).map(|n| format!("user-{n:02}")).collect();
        let users = admin.users();
        try_join_all(names.iter().map(|name| users.create_with_certificate(name, &["read"])))
            .await
            .unwrap();
        let accounts = users.list().await.unwrap();
        let accounts: Vec<&str> = accounts.iter().map(|user| &*user.name).skip(1).collect();
        assert_eq!(accounts, names);
        users.create("app", "first", &[]).await.unwrap();
        users.set_password("app", "second").await.unwrap();
        assert_eq!(code(users.create("app", "x", &[]).await), ResultCode::USER_EXISTS);
        assert_eq!(code(users.get("nobody").await), ResultCode::INVALID_USER);
        assert_eq!(admin.roles().list().await.unwrap().len(), 10);
        let error = users.change_password("x".repeat(73)).await.unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid);
    });
    assert!(log_in(&cluster, "app", "second").is_ok());
}

#[test]
fn managing_users_needs_security() {
    let cluster = Cluster::start(Options::default()).unwrap();
    let client = builder().connect(cluster.seeds()).unwrap();
    assert_eq!(code(client.users().list()), ResultCode::SECURITY_NOT_SUPPORTED);
    let error = client.users().change_password("x").unwrap_err();
    assert_eq!(error.kind(), Kind::Invalid);
    client.dataset("test", "s").unwrap().put(1, [("n", 1)]).unwrap();
}
