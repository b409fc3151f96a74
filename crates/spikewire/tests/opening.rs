//! Clients and sessions by URL and by variables: the cases that every language runs.

use serde_json::Value;
use spikewire::{Client, Opening, Seeds, cql};
use spikewire_aerospike_server::{Cluster, Options};

fn cases(database: &str) -> Vec<Value> {
    let text = include_str!("../../../tests/opening_cases.json");
    let cases: Value = serde_json::from_str(text).unwrap();
    cases[database].as_array().unwrap().clone()
}

/// What was read, or why it was not.
type Read = Result<(String, Option<String>, String), String>;

fn run(database: &str, read: impl Fn(Option<&str>, Vec<(String, String)>) -> Read) {
    for case in cases(database) {
        let variables = case["variables"].as_object().into_iter().flatten();
        let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
        let variables = variables.map(|(name, it)| (name.clone(), text(it))).collect();
        let outcome = read(case["url"].as_str(), variables);
        if let Some(beginning) = case["error"].as_str() {
            let error = outcome.unwrap_err();
            assert!(error.contains(beginning), "{error}\n{beginning}");
            assert!(!error.contains("hid"), "{error}");
            continue;
        }
        let (seeds, path, explanation) = outcome.unwrap();
        if let Some(expected) = case["seeds"].as_str() {
            assert_eq!(seeds, expected);
        }
        if case.get("namespace").is_some() {
            assert_eq!(path.as_deref(), case["namespace"].as_str());
        }
        for (name, source) in case["sources"].as_object().into_iter().flatten() {
            let line = explanation.lines().find(|line| line.starts_with(&format!("{name} = ")));
            assert!(line.unwrap().ends_with(&format!("({})", text(source))), "{line:?}");
        }
        for name in case["options"].as_object().unwrap().keys() {
            assert!(explanation.contains(&format!("\n{name} = ")), "{explanation}");
        }
        assert!(!explanation.contains("hidden") && !explanation.contains("s/e"), "{explanation}");
    }
}

#[test]
fn urls_and_variables_mean_the_same_in_every_language() {
    run("aerospike", |url, variables| {
        let opening = Opening::read(url, variables).map_err(|error| error.to_string())?;
        let namespace = opening.namespace().map(str::to_owned);
        Ok((opening.seeds().to_owned(), namespace, opening.explain().to_owned()))
    });
    run("cassandra", |url, variables| {
        let opening = cql::Opening::read(url, variables).map_err(|error| error.to_string())?;
        let keyspace = opening.keyspace().map(str::to_owned);
        Ok((opening.contact_points().to_owned(), keyspace, opening.explain().to_owned()))
    });
}

#[test]
fn settings_are_explained() {
    let variables = [
        ("SPIKEWIRE_AEROSPIKE_THREADS", "2"),
        ("SPIKEWIRE_AEROSPIKE_SUBMIT_LIMIT", "of Python"),
        ("SPIKEWIRE_AEROSPIKE_TLS_PRIVATE_KEY_PASSWORD", "none"),
    ];
    let variables = variables.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let url = "aerospike://db1/test?timeout=250ms&racks=1,2";
    assert_eq!(
        Opening::read(Some(url), variables).unwrap().explain(),
        "seeds = db1  (the URL)\n\
         namespace = test  (the URL)\n\
         racks = [1, 2]  (the URL)\n\
         threads = 2  (the variable SPIKEWIRE_AEROSPIKE_THREADS)\n\
         timeout = 0.25 s  (the URL)\n\
         tls = {private_key_password: '***'}  \
         (the variable SPIKEWIRE_AEROSPIKE_TLS_PRIVATE_KEY_PASSWORD)"
    );
    assert_eq!(
        cql::Opening::read(Some("cassandra://db1/shop"), []).unwrap().explain(),
        "seeds = db1  (the URL)\nkeyspace = \"shop\"  (the URL)"
    );
    let error = Opening::read(Some("aerospike://db1?threads=0"), []).unwrap_err();
    assert!(error.to_string().contains("threads must be from 1 to 256, got 0"), "{error}");
}

#[test]
fn a_client_by_url() {
    let cluster = Cluster::start(Options::default()).unwrap();
    let url = format!("aerospike://{}/test?timeout=5s", cluster.seeds().to_list());
    let client = Client::from_url(&url).unwrap();
    let opening = Opening::from_url(&url).unwrap();
    let users = client.dataset(opening.namespace().unwrap(), "opened").unwrap();
    assert!(!users.exists("nobody").unwrap());
    let error = Client::from_url("db1").unwrap_err();
    assert!(error.to_string().contains("the URL must begin with aerospike://"), "{error}");
}
