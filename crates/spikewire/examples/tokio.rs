//! Drives the connections on the program's tokio runtime, without a thread of the client.
//!
//! `SEEDS=host:port cargo run --features tokio --example tokio` uses an existing cluster; without
//! SEEDS the example starts one in its own process.

use spikewire::{AsyncClient, op};
use tokio::task::JoinSet;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (seeds, _cluster) = seeds()?;
    let client = AsyncClient::connect_tokio(seeds).await?;
    let pages = client.dataset("test", "pages")?;

    // 64 tasks, each with its own handle. They share the connections.
    let mut tasks = JoinSet::new();
    for task in 0..64 {
        let pages = pages.clone();
        tasks.spawn(async move {
            for _ in 0..100 {
                pages.operate("home", [op::add("views", 1), op::put("last", task)]).await?;
            }
            spikewire::Result::Ok(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }

    let home = pages.get("home").await?.expect("it was just written");
    println!("{:?}", home.bins);
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
