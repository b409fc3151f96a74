//! Bad input: rejected with a message that names the argument, before any byte is sent.

mod support;

use std::time::Duration;

use futures::executor::block_on;
use spikewire::{AsyncClient, Client, Dataset, Error, Kind, Result, Value, bins, op};

use support::{async_dataset, builder, cluster, dataset, eventually};

fn assert_invalid<T: std::fmt::Debug>(result: Result<T>, parts: &[&str]) {
    let error: Error = result.expect_err("this must be refused");
    assert_eq!(error.kind(), Kind::Invalid, "{error}");
    for part in parts {
        assert!(error.message().contains(part), "{part:?} is not in {error}");
    }
    assert_eq!((error.attempts(), error.in_doubt()), (0, false));
}

fn requests(cluster: &spikewire_aerospike_server::Cluster) -> u64 {
    cluster.stats(0).unwrap().counters.requests
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(Value::Int(1), |inner, level| {
        if level % 2 == 0 { Value::List(vec![inner]) } else { Value::Map(vec![(1.into(), inner)]) }
    })
}

fn bad_bins(users: &Dataset) {
    assert_invalid(users.put("k", [("sixteen-bytes-xx", 1)]), &["sixteen-bytes-xx", "16", "15"]);
    assert_invalid(users.put("k", [("größe-länge-", 1), ("größe-länge-xyzz", 1)]), &["xyzz"]);
    assert_invalid(users.put("k", [("a\0b", 1)]), &["NUL"]);
    assert_invalid(users.put("k", Vec::<(&str, i64)>::new()), &["bins must not be empty"]);
    assert_invalid(users.add("k", Vec::<(&str, i64)>::new()), &["bins must not be empty"]);
    assert_invalid(users.get_bins("k", ["ok", "a\0b"]), &["bin name"]);
    assert_invalid(users.put("k", [("deep", nested(129))]), &["\"deep\"", "128"]);
    assert_invalid(users.put("k", [("deep", nested(5000))]), &["\"deep\"", "128"]);
    assert_invalid(users.put("k", [("deep", vec![nested(128)])]), &["\"deep\"", "128"]);
    assert_invalid(users.put("k", [("deep", vec![(Value::from(1), nested(128))])]), &["128"]);
    let key = Value::Map(vec![(1.5.into(), 1.into())]);
    assert_invalid(users.put("k", [("map", vec![key])]), &["\"map\"", "map key", "float"]);
    assert_invalid(users.add("k", [("n", "text")]), &["\"n\"", "add", "string"]);
    assert_invalid(users.append("k", [("n", 1)]), &["\"n\"", "append", "integer"]);
    assert_invalid(users.prepend("k", bins! { "n" => true }), &["\"n\"", "prepend", "bool"]);
    let wide = (0..40_000).map(|at| (format!("b{at}"), at));
    assert_invalid(users.put("k", wide), &["32768"]);
    let large = vec![0_u8; (128 << 20) + 1];
    assert_invalid(users.put("k", [("large", &large)]), &["bytes long"]);
}

fn bad_operations(users: &Dataset) {
    assert_invalid(users.operate("k", []), &["operations must not be empty"]);
    assert_invalid(users.operate("k", [op::get("")]), &["no name means every bin"]);
    assert_invalid(users.operate("k", [op::put("sixteen-bytes-xx", 1)]), &["15"]);
    assert_invalid(users.operate("k", [op::get("n"), op::add("n", "x")]), &["\"n\"", "add"]);
    assert_invalid(users.operate("k", [op::put("n", nested(129))]), &["\"n\"", "128"]);
    assert_invalid(users.operate("k", vec![op::touch(); 32_769]), &["32768"]);
}

#[test]
fn invalid_arguments_send_no_request() {
    let cluster = cluster(1);
    let users = dataset(&cluster);
    bad_bins(&users);
    bad_operations(&users);
    // The server counts after replying: anything sent before this would be included.
    users.put("k", [("fifteen-bytes-x", nested(128))]).unwrap();
    eventually("counting", || requests(&cluster) > 0);
    assert_eq!(requests(&cluster), 1);
}

#[test]
fn invalid_dataset_names_are_rejected() {
    let cluster = cluster(1);
    let client = builder().connect(cluster.seeds()).unwrap();
    assert_invalid(client.dataset("", "s"), &["namespace", "empty"]);
    assert_invalid(client.dataset(&"n".repeat(32), "s"), &["namespace", "32", "31"]);
    assert_invalid(client.dataset("test", &"s".repeat(64)), &["set", "64", "63"]);
    assert_invalid(client.dataset("te:st", "s"), &["namespace", ":"]);
    client.dataset("test", "session:1;a").unwrap().put(1, [("n", 1)]).unwrap();
    assert_invalid(client.dataset("test", "a\0b"), &["set"]);
    client.dataset(&"n".repeat(31), &"s".repeat(63)).unwrap();
    let unknown = client.dataset("nowhere", "s").unwrap().get(1).unwrap_err();
    assert_eq!(unknown.kind(), Kind::NoNamespace);
    assert!(unknown.message().contains("nowhere") && unknown.message().contains("test"));
}

#[test]
fn invalid_seeds_are_rejected() {
    for seeds in ["", " ", "a,,b", ":3000", "host:99999", "::1"] {
        assert_invalid(Client::connect(seeds), &["seeds:"]);
        assert_invalid(block_on(AsyncClient::connect(seeds)), &["seeds:"]);
    }
    assert_invalid(Client::connect(Vec::<String>::new()), &["seeds:"]);
}

#[test]
fn connecting_without_a_server_fails_with_the_address() {
    // Bound and dropped: nothing listens on it.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = Client::connect(free).unwrap_err();
    assert_eq!(error.kind(), Kind::Connection);
    assert!(error.message().contains(&free.to_string()), "{error}");
    assert_eq!(block_on(AsyncClient::connect(free)).unwrap_err().kind(), Kind::Connection);
}

#[test]
fn invalid_client_options_are_rejected() {
    let seeds = "127.0.0.1:1";
    let zero = Duration::ZERO;
    assert_invalid(Client::builder().connect_timeout(zero).connect(seeds), &["connect_timeout"]);
    assert_invalid(Client::builder().tend_interval(zero).connect(seeds), &["tend_interval"]);
    assert_invalid(Client::builder().idle_timeout(zero).connect(seeds), &["idle_timeout"]);
    assert_invalid(Client::builder().max_retries(1001).connect(seeds), &["max_retries", "1001"]);
    assert_invalid(
        Client::builder().connections_per_node(0).connect(seeds),
        &["connections_per_node"],
    );
    assert_invalid(
        Client::builder().warm_connections(1025).connect(seeds),
        &["warm_connections must be from 0 to 1024"],
    );
    assert_invalid(Client::builder().pipeline_depth(0).connect(seeds), &["pipeline_depth"]);
    assert_invalid(Client::builder().error_rate_window(0).connect(seeds), &["error_rate_window"]);
    assert_invalid(block_on(AsyncClient::builder().threads(0).connect_async(seeds)), &["threads"]);
}

#[test]
fn futures_reject_the_same_arguments() {
    let cluster = cluster(1);
    let client = block_on(builder().connect_async(cluster.seeds())).unwrap();
    let users = async_dataset(&client);
    assert_invalid(block_on(users.put("k", [("a\0b", 1)])), &["bin name", "NUL"]);
    assert_invalid(block_on(users.operate("k", [])), &["operations must not be empty"]);
    assert_invalid(block_on(users.put("k", [("deep", nested(129))])), &["128"]);
    block_on(users.put("k", [("n", 1)])).unwrap();
    eventually("counting", || requests(&cluster) > 0);
    assert_eq!(requests(&cluster), 1);
}
