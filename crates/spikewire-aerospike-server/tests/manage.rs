//! Users and roles that are managed while connections are open.

mod wire;

use spikewire_aerospike_protocol::auth::{self, HASH_LEN, NO_PASSWORD, Reply};
use spikewire_aerospike_protocol::frame::Kind;
use spikewire_aerospike_protocol::manage::{
    Hash, Page, Privilege, PrivilegeKind, Request as Manage, RoleRow, Row, UserRow,
};
use spikewire_aerospike_protocol::message::{info1, info2, op};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_server::{Cluster, Options, UserOptions};
use wire::{Request, Wire};

const SECRET: u8 = b's';

fn hash(of: u8) -> Hash {
    Hash(vec![of; HASH_LEN])
}

fn names(all: &[&str]) -> Vec<String> {
    all.iter().map(|name| (*name).to_owned()).collect()
}

fn start(quotas: bool) -> Cluster {
    let users = vec![UserOptions::new("admin", "secret")];
    Cluster::start(Options { nodes: 2, users, quotas, ..Options::default() }).unwrap()
}

fn log_in(wire: &mut Wire, user: &str, credential: &[u8]) -> ResultCode {
    let mut bytes = Vec::new();
    auth::Request::Login { user, credential, clear_password: None }.encode(&mut bytes);
    wire.send(&bytes);
    Reply::parse(&wire.frame().unwrap().1).unwrap().result
}

fn admin(cluster: &Cluster, node: usize) -> Wire {
    let mut wire = Wire::to(cluster, node);
    assert_eq!(
        log_in(&mut wire, "admin", auth::hash_password("secret").as_bytes()),
        ResultCode::OK
    );
    wire
}

/// A connection of a user whose hash consists of `secret`.
fn connect(cluster: &Cluster, node: usize, user: &str, secret: u8) -> Result<Wire, ResultCode> {
    let mut wire = Wire::to(cluster, node);
    match log_in(&mut wire, user, &hash(secret).0) {
        ResultCode::OK => Ok(wire),
        code => Err(code),
    }
}

fn change(wire: &mut Wire, request: &Manage) -> ResultCode {
    let mut bytes = Vec::new();
    request.encode(&mut bytes);
    wire.send(&bytes);
    let (kind, body) = wire.frame().unwrap();
    assert_eq!(kind, Kind::Admin);
    Reply::parse(&body).unwrap().result
}

/// The lines of a list, and in how many frames they came.
fn list(wire: &mut Wire, request: &Manage) -> (Vec<Row>, usize, ResultCode) {
    let mut bytes = Vec::new();
    request.encode(&mut bytes);
    wire.send(&bytes);
    let (mut rows, mut frames) = (Vec::new(), 0);
    loop {
        let page = Page::parse(&wire.frame().unwrap().1).unwrap();
        rows.extend(page.rows);
        frames += 1;
        if let Some(code) = page.end {
            return (rows, frames, code);
        }
    }
}

fn create(wire: &mut Wire, user: &str, roles: &[&str]) -> ResultCode {
    let (user, password, roles) = (user.to_owned(), hash(SECRET), names(roles));
    change(wire, &Manage::CreateUser { user, password, roles })
}

fn create_role(wire: &mut Wire, role: &str, privileges: Vec<Privilege>) -> ResultCode {
    let role = role.to_owned();
    let (allow, read_quota, write_quota) = (Vec::new(), 0, 0);
    change(wire, &Manage::CreateRole { role, privileges, allow, read_quota, write_quota })
}

fn for_set(kind: PrivilegeKind, namespace: &str, set: &str) -> Privilege {
    Privilege { kind, namespace: namespace.to_owned(), set: set.to_owned() }
}

fn query_user(wire: &mut Wire, user: &str) -> (Vec<Row>, ResultCode) {
    let (rows, _, code) = list(wire, &Manage::QueryUsers { user: Some(user.to_owned()) });
    (rows, code)
}

#[test]
fn changes_to_a_user_apply_on_every_node() {
    let cluster = start(false);
    let (mut here, mut there) = (admin(&cluster, 0), admin(&cluster, 1));
    assert_eq!(create(&mut here, "app", &["read"]), ResultCode::OK);
    assert_eq!(create(&mut there, "app", &["read"]), ResultCode::USER_EXISTS);
    let mut app = connect(&cluster, 1, "app", SECRET).unwrap();
    assert_eq!(app.code(Request::get("k")), 2);
    assert_eq!(app.code(Request::put("k", 1)), 81);
    // The connection that is open feels it at once.
    let grant = Manage::GrantRoles { user: "app".to_owned(), roles: names(&["write"]) };
    assert_eq!(change(&mut here, &grant), ResultCode::OK);
    assert_eq!(app.code(Request::put("k", 1)), 0);
    let revoke = Manage::RevokeRoles { user: "app".to_owned(), roles: names(&["read"]) };
    assert_eq!(change(&mut there, &revoke), ResultCode::OK);
    assert_eq!(app.code(Request::get("k")), 81);

    let (rows, code) = query_user(&mut there, "app");
    let expected = UserRow {
        name: "app".to_owned(),
        roles: names(&["write"]),
        read_info: vec![0; 4],
        write_info: vec![0; 4],
        connections: 1,
    };
    assert_eq!((rows, code), (vec![Row::User(expected)], ResultCode::QUERY_END));

    assert_eq!(change(&mut here, &Manage::DropUser { user: "app".to_owned() }), ResultCode::OK);
    assert_eq!(app.code(Request::put("k", 1)), 80);
    assert_eq!(
        change(&mut here, &Manage::DropUser { user: "app".to_owned() }),
        ResultCode::INVALID_USER
    );
    assert_eq!(connect(&cluster, 1, "app", SECRET).err(), Some(ResultCode::INVALID_USER));
    assert_eq!(query_user(&mut here, "app").1, ResultCode::INVALID_USER);
}

#[test]
fn a_user_of_the_same_name_is_another_one() {
    let cluster = start(false);
    let mut admin = admin(&cluster, 0);
    create(&mut admin, "app", &["read-write"]);
    let mut old = Wire::to(&cluster, 0);
    let mut bytes = Vec::new();
    let credential = &hash(SECRET).0;
    auth::Request::Login { user: "app", credential, clear_password: None }.encode(&mut bytes);
    old.send(&bytes);
    let session = Reply::parse(&old.frame().unwrap().1).unwrap().session.unwrap();
    change(&mut admin, &Manage::DropUser { user: "app".to_owned() });
    create(&mut admin, "app", &["read-write"]);
    assert_eq!(old.code(Request::put("k", 1)), 80);
    let mut bytes = Vec::new();
    auth::Request::Authenticate { user: "app", token: &session.token }.encode(&mut bytes);
    old.send(&bytes);
    assert_eq!(
        Reply::parse(&old.frame().unwrap().1).unwrap().result,
        ResultCode::NOT_AUTHENTICATED
    );
    assert!(connect(&cluster, 0, "app", SECRET).is_ok());
}

#[test]
fn a_user_may_change_only_its_own_password() {
    let cluster = start(false);
    let mut admin = admin(&cluster, 0);
    create(&mut admin, "app", &[]);
    create(&mut admin, "other", &[]);
    let mut app = connect(&cluster, 1, "app", SECRET).unwrap();
    let own = |user: &str, old, new| Manage::ChangePassword {
        user: user.to_owned(),
        old: hash(old),
        password: hash(new),
    };
    assert_eq!(
        change(&mut app, &own("app", b'x', b'n')),
        ResultCode::INVALID_PASSWORD,
        "not the old one"
    );
    assert_eq!(change(&mut app, &own("other", SECRET, b'n')), ResultCode::ROLE_VIOLATION);
    assert_eq!(change(&mut app, &own("app", SECRET, b'n')), ResultCode::OK);
    assert_eq!(connect(&cluster, 0, "app", SECRET).err(), Some(ResultCode::INVALID_CREDENTIAL));
    assert!(connect(&cluster, 0, "app", b'n').is_ok());
    // Whoever is in stays in.
    assert_eq!(query_user(&mut app, "app").1, ResultCode::QUERY_END);

    let set = |user: &str, password| Manage::SetPassword { user: user.to_owned(), password };
    assert_eq!(change(&mut app, &set("app", hash(b'm'))), ResultCode::ROLE_VIOLATION);
    assert_eq!(change(&mut admin, &set("app", hash(b'm'))), ResultCode::OK);
    assert!(connect(&cluster, 0, "app", b'm').is_ok());
    assert_eq!(change(&mut admin, &set("nobody", hash(b'm'))), ResultCode::INVALID_USER);
    assert_eq!(
        change(&mut admin, &set("app", Hash(b"short".to_vec()))),
        ResultCode::INVALID_PASSWORD
    );

    // A user who has none does not get one, and does not log in with one.
    let none = Hash(NO_PASSWORD.as_bytes().to_vec());
    let user = "cert".to_owned();
    let request = Manage::CreateUser { user, password: none.clone(), roles: Vec::new() };
    assert_eq!(change(&mut admin, &request), ResultCode::OK);
    assert_eq!(log_in(&mut Wire::to(&cluster, 0), "cert", &none.0), ResultCode::INVALID_CREDENTIAL);
    assert_eq!(change(&mut admin, &set("cert", hash(b'm'))), ResultCode::FORBIDDEN_PASSWORD);
    assert_eq!(change(&mut admin, &set("app", none)), ResultCode::FORBIDDEN_PASSWORD);
}

#[test]
fn users_without_user_admin_cannot_manage_users() {
    let cluster = start(false);
    let mut admin = admin(&cluster, 0);
    create(&mut admin, "app", &["read-write-udf", "sys-admin", "data-admin"]);
    let mut app = connect(&cluster, 0, "app", SECRET).unwrap();
    assert_eq!(create(&mut app, "friend", &[]), ResultCode::ROLE_VIOLATION);
    assert_eq!(create_role(&mut app, "r", Vec::new()), ResultCode::ROLE_VIOLATION);
    assert_eq!(
        change(&mut app, &Manage::DropUser { user: "app".to_owned() }),
        ResultCode::ROLE_VIOLATION
    );
    let grant = Manage::GrantRoles { user: "app".to_owned(), roles: names(&["user-admin"]) };
    assert_eq!(change(&mut app, &grant), ResultCode::ROLE_VIOLATION);
    assert_eq!(query_user(&mut app, "admin"), (Vec::new(), ResultCode::ROLE_VIOLATION));
    assert_eq!(list(&mut app, &Manage::QueryUsers { user: None }).2, ResultCode::ROLE_VIOLATION);
    assert_eq!(list(&mut app, &Manage::QueryRoles { role: None }).2, ResultCode::ROLE_VIOLATION);
    assert_eq!(query_user(&mut app, "app").1, ResultCode::QUERY_END, "one may look at oneself");
    let mut nobody = Wire::to(&cluster, 0);
    assert_eq!(create(&mut nobody, "friend", &[]), ResultCode::NOT_AUTHENTICATED);
    assert_eq!(
        list(&mut nobody, &Manage::QueryUsers { user: None }).2,
        ResultCode::NOT_AUTHENTICATED
    );
}

#[test]
fn a_cluster_without_users_has_none_to_manage() {
    let cluster = Cluster::start(Options::default()).unwrap();
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(create(&mut wire, "app", &[]), ResultCode::SECURITY_NOT_SUPPORTED);
    assert_eq!(
        list(&mut wire, &Manage::QueryUsers { user: None }).2,
        ResultCode::SECURITY_NOT_SUPPORTED
    );
    assert_eq!(wire.code(Request::put("k", 1)), 0);
}

#[test]
fn roles_hold_where_their_privileges_do() {
    let cluster = start(false);
    let mut admin = admin(&cluster, 0);
    let own = vec![
        for_set(PrivilegeKind::READ, "test", ""),
        for_set(PrivilegeKind::WRITE, "test", "own"),
        for_set(PrivilegeKind::READ, "test", ""),
    ];
    assert_eq!(create_role(&mut admin, "own", own.clone()), ResultCode::OK);
    assert_eq!(create_role(&mut admin, "own", own.clone()), ResultCode::ROLE_EXISTS);
    assert_eq!(create(&mut admin, "app", &["own"]), ResultCode::OK);
    let mut app = connect(&cluster, 1, "app", SECRET).unwrap();
    let put = |set: &str| Request::new(set, set).info2(info2::WRITE).int(op::WRITE, "a", 1);
    assert_eq!(app.code(put("own")), 0);
    assert_eq!(app.code(put("other")), 81);
    assert_eq!(app.code(Request::new("other", "x").info1(info1::READ | info1::GET_ALL)), 2);

    let more = || vec![for_set(PrivilegeKind::READ_WRITE, "test", "other")];
    let role = || "own".to_owned();
    let grant = Manage::GrantPrivileges { role: role(), privileges: more() };
    assert_eq!(change(&mut admin, &grant), ResultCode::OK);
    assert_eq!(app.code(put("other")), 0);
    let (rows, _, code) = list(&mut admin, &Manage::QueryRoles { role: Some(role()) });
    let privileges = vec![own[0].clone(), own[1].clone(), more()[0].clone()];
    let expected = RoleRow { name: role(), privileges, ..RoleRow::default() };
    assert_eq!((rows, code), (vec![Row::Role(expected)], ResultCode::QUERY_END));
    let revoke = Manage::RevokePrivileges { role: role(), privileges: more() };
    assert_eq!(change(&mut admin, &revoke), ResultCode::OK);
    assert_eq!(app.code(put("other")), 81);

    assert_eq!(change(&mut admin, &Manage::DropRole { role: role() }), ResultCode::OK);
    assert_eq!(app.code(put("own")), 81);
    let (rows, _) = query_user(&mut admin, "app");
    assert!(matches!(&rows[..], [Row::User(user)] if user.roles.is_empty()), "{rows:?}");
    assert_eq!(
        list(&mut admin, &Manage::QueryRoles { role: Some(role()) }).2,
        ResultCode::INVALID_ROLE
    );
}

#[test]
fn invalid_users_and_roles_are_rejected_by_code() {
    let cluster = start(false);
    let mut admin = admin(&cluster, 0);
    let role = |name: &str| name.to_owned();
    assert_eq!(create(&mut admin, "", &[]), ResultCode::INVALID_USER);
    assert_eq!(create(&mut admin, &"u".repeat(64), &[]), ResultCode::INVALID_USER);
    assert_eq!(create(&mut admin, "app", &["nothing"]), ResultCode::INVALID_ROLE);
    let request = Manage::GrantRoles { user: role("admin"), roles: names(&["nothing"]) };
    assert_eq!(change(&mut admin, &request), ResultCode::INVALID_ROLE);
    let request = Manage::GrantRoles { user: role("nobody"), roles: names(&["read"]) };
    assert_eq!(change(&mut admin, &request), ResultCode::INVALID_USER);
    assert_eq!(create_role(&mut admin, "", Vec::new()), ResultCode::INVALID_ROLE);
    assert_eq!(create_role(&mut admin, "read", Vec::new()), ResultCode::ROLE_EXISTS);
    let odd = vec![Privilege::everywhere(PrivilegeKind(99))];
    assert_eq!(create_role(&mut admin, "odd", odd), ResultCode::INVALID_PRIVILEGE);
    assert_eq!(
        create_role(&mut admin, "odd", vec![for_set(PrivilegeKind::READ, "", "s")]),
        ResultCode::INVALID_PRIVILEGE
    );
    assert_eq!(create_role(&mut admin, "own", Vec::new()), ResultCode::OK);
    let allow = names(&["10.0.0.0/8", "bad_IP"]);
    assert_eq!(
        change(&mut admin, &Manage::SetWhitelist { role: role("own"), allow }),
        ResultCode::INVALID_WHITELIST
    );
    let quotas = Manage::SetQuotas { role: role("own"), read_quota: Some(1), write_quota: None };
    assert_eq!(change(&mut admin, &quotas), ResultCode::QUOTAS_NOT_ENABLED);
    // What every cluster has stays as it is.
    for request in [
        Manage::DropRole { role: role("read") },
        Manage::GrantPrivileges { role: role("read"), privileges: Vec::new() },
        Manage::RevokePrivileges {
            role: role("read"),
            privileges: vec![Privilege::everywhere(PrivilegeKind::READ)],
        },
        Manage::SetWhitelist { role: role("read"), allow: Vec::new() },
        Manage::DropRole { role: role("nothing") },
    ] {
        assert_eq!(change(&mut admin, &request), ResultCode::INVALID_ROLE, "{request:?}");
    }
    // A message that lacks what it should have.
    admin.send(&[2, 2, 0, 0, 0, 0, 0, 16, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(Reply::parse(&admin.frame().unwrap().1).unwrap().result, ResultCode::SECURITY_FIELD);
}

#[test]
fn users_come_from_where_their_roles_allow() {
    let cluster = start(false);
    let mut admin = admin(&cluster, 0);
    create_role(&mut admin, "local", vec![Privilege::everywhere(PrivilegeKind::READ)]);
    let mut allow = |all: &[&str]| {
        let request = Manage::SetWhitelist { role: "local".to_owned(), allow: names(all) };
        assert_eq!(change(&mut admin, &request), ResultCode::OK);
    };
    allow(&["10.0.0.0/8", "127.0.0.0/8"]);
    let mut admin = self::admin(&cluster, 0);
    create(&mut admin, "app", &["local"]);
    let mut app = connect(&cluster, 0, "app", SECRET).unwrap();
    assert_eq!(app.code(Request::get("k")), 2);
    allow(&["10.0.0.0/8"]);
    assert_eq!(app.code(Request::get("k")), 80);
    assert_eq!(connect(&cluster, 0, "app", SECRET).err(), Some(ResultCode::NOT_WHITELISTED));
    allow(&[]);
    assert!(connect(&cluster, 0, "app", SECRET).is_ok());
}

#[test]
fn quotas_bound_commands() {
    let cluster = start(true);
    let mut admin = admin(&cluster, 0);
    create_role(&mut admin, "slow", vec![Privilege::everywhere(PrivilegeKind::READ_WRITE)]);
    let mut set = |read_quota, write_quota| {
        let role = "slow".to_owned();
        change(&mut admin, &Manage::SetQuotas { role, read_quota, write_quota })
    };
    assert_eq!(set(Some(1 << 31), None), ResultCode::INVALID_QUOTA);
    assert_eq!(set(Some(5), Some(1)), ResultCode::OK);
    assert_eq!(set(Some(0), None), ResultCode::OK);
    create(&mut admin, "app", &["slow"]);
    let mut app = connect(&cluster, 0, "app", SECRET).unwrap();
    let codes: Vec<u8> = (0..200).map(|_| app.code(Request::put("k", 1))).collect();
    assert_eq!(codes[0], 0);
    assert!(codes.contains(&83), "200 writes did not take a second each");
    assert!((0..200).all(|_| app.code(Request::get("k")) == 0));
    let (rows, _) = query_user(&mut admin, "app");
    let [Row::User(user)] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!((user.read_info[0], user.write_info[0]), (0, 1));
}

#[test]
fn long_lists_come_in_many_frames() {
    let cluster = start(false);
    let mut admin = admin(&cluster, 0);
    for number in 0..100 {
        assert_eq!(create(&mut admin, &format!("user-{number:03}"), &[]), ResultCode::OK);
    }
    let (rows, frames, code) = list(&mut admin, &Manage::QueryUsers { user: None });
    assert_eq!((rows.len(), code), (101, ResultCode::QUERY_END));
    assert!(frames > 1);
    let (rows, _, _) = list(&mut admin, &Manage::QueryRoles { role: None });
    assert_eq!(rows.len(), 10);
}
