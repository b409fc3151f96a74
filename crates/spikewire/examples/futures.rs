//! Futures on an executor without I/O support: here the one of the crate `futures`.
//!
//! `SEEDS=host:port cargo run --example futures` uses an existing cluster; without SEEDS the
//! example starts one in its own process.

use futures::executor::block_on;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};

use spikewire::{AsyncClient, Result};

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let (seeds, _cluster) = seeds()?;
    block_on(run(seeds))?;
    Ok(())
}

async fn run(seeds: String) -> Result<()> {
    let client = AsyncClient::connect(seeds).await?;
    let numbers = client.dataset("test", "numbers")?;

    // One after the other.
    numbers.put(0, [("square", 0)]).await?;

    // Many at once, at most 256 in flight. They share connections and system calls.
    stream::iter(1..10_000)
        .map(|number| numbers.put(number, [("square", number * number)]))
        .buffer_unordered(256)
        .try_for_each(|()| async { Ok(()) })
        .await?;

    let records: Vec<_> =
        stream::iter(0..10_000).map(|number| numbers.get(number)).buffered(256).collect().await;
    let last = records.into_iter().next_back().expect("10,000 answers")?;
    println!("{:?}", last.expect("it was written").bins);

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
