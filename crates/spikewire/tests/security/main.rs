//! Login and TLS with the Rust client: embedded clusters behind proxies.

mod accounts;
mod embedded;
mod front;
#[path = "../support/mod.rs"]
mod support;

use std::collections::HashMap;

use futures::executor::block_on;
use futures::future::try_join_all;
use spikewire::{
    AsyncClient, Auth, Builder, Client, Error, IndexRange, IndexType, Kind, NewIndex, ResultCode,
    Tls, TlsOptions, Value, op,
};

use front::{Authority, Front, NAME, Rules};
use support::{builder, cluster, server};

const USER: (&str, &str) = ("app", "opensesame");

const SOURCE: &str = "
function total(stream)
    return stream : map(function (rec) return rec.n end) : reduce(function (a, b) return a + b end)
end
function double(rec) rec.n = rec.n * 2; aerospike:update(rec); return rec.n end
";

fn known() -> Builder {
    builder().credentials(USER.0, USER.1)
}

fn connect_error(builder: Builder, seeds: &str) -> Error {
    builder.connect(seeds).unwrap_err()
}

/// Everything for which a client opens connections.
fn everything(client: &Client) {
    let users = client.dataset("test", "demo").unwrap();
    users.put_many((0..300).map(|n| (n, [("n", n)]))).unwrap().check().unwrap();
    assert_eq!(users.get(7).unwrap().unwrap().get("n"), Some(&Value::Int(7)));
    // Longer than a TLS record, and on separate connections.
    let large = vec![7u8; 900_000];
    users.put("large", [("b", large.clone())]).unwrap();
    assert_eq!(users.get("large").unwrap().unwrap().get("b"), Some(&Value::Bytes(large)));
    assert!(users.delete("large").unwrap());
    // Many callers share connections.
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let users = &users;
            scope.spawn(move || {
                for n in (thread..300).step_by(8) {
                    assert_eq!(users.get(n).unwrap().unwrap().get("n"), Some(&Value::Int(n)));
                }
            });
        }
    });
    assert_eq!(users.get_many(0..300).unwrap().check().unwrap().len(), 300);
    for _ in 0..3 {
        assert_eq!(users.query().records().unwrap().count(), 300);
    }
    let by_n = NewIndex::new("test", "demo", "n", IndexType::Numeric);
    let name = client.indexes().create(&by_n).unwrap();
    client.indexes().wait("test", &name, support::LONG).unwrap();
    let some = users.query().index(IndexRange::between("n", 10, 19));
    assert_eq!(some.records().unwrap().count(), 10);
    client.modules().register("sums.lua", SOURCE, support::LONG).unwrap();
    assert_eq!(users.apply(1, "sums", "double", &[]).unwrap(), Value::Int(2));
    let whole = [Value::Int((0..300).sum::<i64>() + 1)];
    assert_eq!(users.query().aggregate("sums", "total", &[]).unwrap(), whole);
    users.query().operate_all([op::add("n", 1)]).unwrap().wait(support::LONG).unwrap();
    assert_eq!(users.get(0).unwrap().unwrap().get("n"), Some(&Value::Int(1)));
    for node in client.nodes() {
        assert!(client.info(node.address, "build").unwrap().contains('.'));
    }
}

async fn everything_at_once(client: &AsyncClient) -> spikewire::Result<()> {
    let users = client.dataset("test", "many")?;
    try_join_all((0..2000).map(|n| users.put(n, [("n", n)]))).await?;
    let records = try_join_all((0..2000).map(|n| users.get(n))).await?;
    assert!(
        records
            .iter()
            .zip(0..)
            .all(|(record, n)| { record.as_ref().unwrap().get("n") == Some(&Value::Int(n)) })
    );
    assert_eq!(users.get_many(0..2000).await?.check()?.len(), 2000);
    let records: Vec<_> = futures::TryStreamExt::try_collect(users.query().records()?).await?;
    assert_eq!(records.len(), 2000);
    Ok(())
}

#[test]
fn all_verbs_work_after_a_login() {
    let cluster = cluster(2);
    let front = Front::new(&cluster, &Rules { user: Some(USER), ..Rules::default() });
    let client = known().connect(front.seeds(None)).unwrap();
    everything(&client);
    // One for each node, and one that was in progress when another seed had led to the cluster.
    assert!((2..=3).contains(&front.logins()), "{}", front.logins());
    let before = front.logins();
    front.end_sessions();
    block_on(async {
        let client = known().connect_async(front.seeds(None)).await.unwrap();
        everything_at_once(&client).await.unwrap();
    });
    assert!((2..=3).contains(&(front.logins() - before)), "{}", front.logins());
    assert_eq!(front.clear_passwords(), 0);
}

#[test]
fn wrong_credentials_are_rejected() {
    let cluster = cluster(1);
    let front = Front::new(&cluster, &Rules { user: Some(USER), ..Rules::default() });
    let wrong = connect_error(builder().credentials("app", "letmein"), &front.seeds(None));
    assert_eq!(wrong.kind(), server(ResultCode::INVALID_PASSWORD));
    assert!(wrong.message().contains("the login of user \"app\" was refused"), "{wrong}");
    assert!(!wrong.message().contains("letmein"), "{wrong}");
    let nobody = connect_error(builder(), &front.seeds(None));
    assert!(nobody.message().contains("not authenticated"), "{nobody}");
}

#[test]
fn sessions_that_end_under_open_connections_are_followed_by_others() {
    let cluster = cluster(2);
    let front = Front::new(&cluster, &Rules { user: Some(USER), ..Rules::default() });
    let client = known().connect(front.seeds(None)).unwrap();
    let futures = block_on(known().connect_async(front.seeds(None))).unwrap();
    let users = client.dataset("test", "demo").unwrap();
    let awaited = futures.dataset("test", "demo").unwrap();
    for n in 0..5 {
        users.put(n, [("n", n)]).unwrap();
        assert_eq!(block_on(awaited.get(n)).unwrap().unwrap().get("n"), Some(&Value::Int(n)));
        users.put_many((0..50).map(|n| (n, [("n", n)]))).unwrap().check().unwrap();
        assert_eq!(block_on(awaited.get_many(0..50)).unwrap().check().unwrap().len(), 50);
        assert_eq!(users.query().records().unwrap().count(), 50);
        block_on(awaited.query().operate_all([op::touch()])).unwrap();
        let node = client.nodes().remove(0);
        assert!(!client.info(node.address, "build").unwrap().is_empty());
        assert!(!block_on(futures.info(node.address, "build")).unwrap().is_empty());
        front.forget();
    }
    assert!(front.logins() > 4);
}

#[test]
fn external_insecure_sends_the_password_in_clear() {
    let cluster = cluster(1);
    let front = Front::new(&cluster, &Rules { user: Some(USER), ..Rules::default() });
    let client = known().auth(Auth::ExternalInsecure).connect(front.seeds(None)).unwrap();
    client.dataset("test", "demo").unwrap().put(1, [("n", 1)]).unwrap();
    assert_eq!((front.logins(), front.clear_passwords()), (1, 1));
}

#[test]
fn every_connection_uses_tls() {
    let (cluster, authority) = (cluster(2), Authority::new());
    let rules = Rules { user: Some(USER), tls: Some(&authority), ..Rules::default() };
    let front = Front::new(&cluster, &rules);
    let secure = || known().tls(authority.tls());
    everything(&secure().connect(front.seeds(Some(NAME))).unwrap());
    block_on(async {
        let client = secure().connect_async(front.seeds(Some(NAME))).await.unwrap();
        everything_at_once(&client).await.unwrap();
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = secure().connect_tokio(front.seeds(Some(NAME))).await.unwrap();
        everything_at_once(&client).await.unwrap();
    });
    assert!(front.saw_all(), "a request shared a record with another");
}

#[test]
fn peers_have_names_of_their_own() {
    let (cluster, authority) = (cluster(3), Authority::new());
    let front = Front::new(&cluster, &Rules { tls: Some(&authority), ..Rules::default() });
    let seed = front.seeds(Some(NAME)).split(',').next().unwrap().to_owned();
    let client = builder().tls(authority.tls()).connect(&seed).unwrap();
    assert_eq!(client.nodes().len(), 3, "the list of peers says what their certificates are for");
}

#[test]
fn untrusted_and_mismatched_certificates_are_rejected() {
    let (cluster, authority) = (cluster(1), Authority::new());
    let front = Front::new(&cluster, &Rules { tls: Some(&authority), ..Rules::default() });
    let with = |options: TlsOptions| builder().tls(Tls::new(&options).unwrap());
    let strange = connect_error(with(Authority::new().trusted()), &front.seeds(Some(NAME)));
    assert_eq!(strange.kind(), Kind::Connection);
    assert!(strange.message().contains("no authority that the client trusts"), "{strange}");
    for name in [None, Some("other.example")] {
        let error = connect_error(with(authority.trusted()), &front.seeds(name));
        assert!(error.message().contains("is for another name"), "{error}");
    }
    let unchecked = TlsOptions { verify_hostname: false, ..authority.trusted() };
    with(unchecked).connect(front.seeds(None)).unwrap();
    let named = TlsOptions { server_name: Some(NAME.to_owned()), ..authority.trusted() };
    with(named).connect(front.seeds(None)).unwrap();
}

#[test]
fn a_certificate_can_log_in() {
    let (cluster, authority) = (cluster(1), Authority::new());
    let rules = Rules { tls: Some(&authority), certificates: true, ..Rules::default() };
    let front = Front::new(&cluster, &rules);
    let pki = || builder().auth(Auth::Pki);
    let client = pki().tls(authority.identified("app")).connect(front.seeds(Some(NAME))).unwrap();
    everything(&client);
    assert_eq!(front.logins(), 1);
    let missing = connect_error(builder().tls(authority.tls()), &front.seeds(Some(NAME)));
    assert!(missing.message().contains("demands a client certificate"), "{missing}");
    let unnamed = connect_error(pki().tls(authority.tls()), &front.seeds(Some(NAME)));
    assert_eq!(unnamed.kind(), Kind::Invalid);
}

#[test]
fn a_tls_mismatch_is_reported() {
    let (cluster, authority) = (cluster(1), Authority::new());
    let plain = connect_error(builder().tls(authority.tls()), &cluster.seeds()[0].to_string());
    assert!(plain.message().contains("does it speak TLS here?"), "{plain}");
    let front = Front::new(&cluster, &Rules { tls: Some(&authority), ..Rules::default() });
    for builder in [builder(), known()] {
        let error = connect_error(builder, &front.seeds(None));
        assert!(error.message().contains("(a TLS port?)"), "{error}");
    }
}

#[test]
fn invalid_credentials_are_rejected_before_connecting() {
    for (builder, expected) in [
        (Client::builder().credentials("", "x"), "user must not be empty"),
        (Client::builder().credentials("app", "x").auth(Auth::External), "needs the option tls"),
        (Client::builder().auth(Auth::Pki), "name certificate and private key"),
        (Client::builder().auth(Auth::Internal), "give user and password, too"),
    ] {
        let error = connect_error(builder, "127.0.0.1:1");
        assert_eq!(error.kind(), Kind::Invalid);
        assert!(error.message().contains(expected), "{error}");
    }
    let named = connect_error(Client::builder(), "127.0.0.1:db:1");
    assert!(named.message().contains("takes the option tls"), "{named}");
    // The IP map applies with TLS, too.
    let map = HashMap::from([("10.0.0.1".to_owned(), "a:tls:3000".to_owned())]);
    let mapped = connect_error(Client::builder().ip_map(map), "127.0.0.1:1");
    assert_eq!(mapped.kind(), Kind::Invalid);
}

#[test]
fn passwords_are_not_printed() {
    assert!(!format!("{:?}", known()).contains("opensesame"));
}
