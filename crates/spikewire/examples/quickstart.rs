//! The blocking client, from connecting to counting.
//!
//! `SEEDS=host:port cargo run --example quickstart` uses an existing cluster; without SEEDS the
//! example starts one in its own process.

use std::time::Duration;

use spikewire::{CallOptions, Client, Exists, Kind, ResultCode, bins, op};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (seeds, _cluster) = seeds()?;
    let client = Client::builder().timeout(Duration::from_millis(500)).connect(seeds)?;
    for node in client.nodes() {
        println!("node {} at {}", node.name, node.address);
    }
    let users = client.dataset("test", "users")?;

    // Write a record and read it back.
    users.put("alice", bins! { "name" => "Alice", "age" => 28 })?;
    let alice = users.get("alice")?.expect("it was just written");
    println!("{:?}, generation {}", alice.bins, alice.generation);

    // A missing record is not an error.
    assert!(users.get("nobody")?.is_none());

    // Options apply to one call, or to a dataset that is kept.
    let sessions = users.with(CallOptions::new().ttl(Duration::from_secs(1800)));
    sessions.put("session-1", [("user", "alice")])?;
    println!("lives for {:?}", sessions.get("session-1")?.and_then(|record| record.ttl));

    // Write only if it has not been changed since.
    let create = users.with(CallOptions::new().exists(Exists::Create));
    match create.put("alice", [("name", "Another")]) {
        Err(error) if error.kind() == Kind::Server(ResultCode::RECORD_EXISTS) => {
            println!("refused, as it should be: {error}");
        }
        other => panic!("expected a refusal, got {other:?}"),
    }

    // Several operations in one command, applied atomically.
    let record = users.operate("alice", [op::add("visits", 1), op::get("visits")])?;
    println!("visits: {:?}", record.get("visits"));

    users.delete("alice")?;
    client.close();
    Ok(())
}

type Embedded = Option<spikewire_aerospike_server::Cluster>;

/// Returns the seeds; an embedded cluster lives as long as the second value.
fn seeds() -> std::io::Result<(String, Embedded)> {
    if let Ok(seeds) = std::env::var("SEEDS") {
        return Ok((seeds, None));
    }
    let options = spikewire_aerospike_server::Options { nodes: 3, ..Default::default() };
    let cluster = spikewire_aerospike_server::Cluster::start(options)?;
    let seeds = cluster.seeds().iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    Ok((seeds, Some(cluster)))
}
