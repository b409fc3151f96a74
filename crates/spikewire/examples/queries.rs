//! Scans, an index, pages and a background job with the blocking client; then a scan as a stream.
//!
//! `SEEDS=host:port cargo run --example queries` uses an existing cluster; without SEEDS the
//! example starts one in its own process.

use std::time::Duration;

use futures::executor::block_on;
use spikewire::{AsyncClient, Client, IndexRange, IndexType, NewIndex, Result, Value, op};

const PATIENCE: Duration = Duration::from_secs(60);

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let (seeds, _cluster) = seeds()?;
    blocking(&seeds)?;
    block_on(futures(&seeds))?;
    Ok(())
}

fn blocking(seeds: &str) -> Result<()> {
    let client = Client::connect(seeds)?;
    let cities = client.dataset("test", "cities")?;
    let rows = (0..10_000).map(|id| (id, [("people", id * 100), ("visits", 0)]));
    cities.put_many(rows)?.check()?;

    // A scan. The nodes filter the records, and send one bin.
    let mut people = 0;
    for city in
        client.query("test", "cities").filter("$.people > 900000").bins(["people"]).records()?
    {
        if let Some(Value::Int(count)) = city?.get("people") {
            people += count;
        }
    }
    println!("{people} people in the large ones");

    // The same records through an index.
    let indexes = client.indexes();
    let name = indexes.create(&NewIndex::new("test", "cities", "people", IndexType::Numeric))?;
    indexes.wait("test", &name, PATIENCE)?;
    let large = cities.query().index(IndexRange::between("people", 900_001, i64::MAX));
    println!("{} large ones", large.records()?.count());

    // One page; the next one could be read by another process.
    let first = cities.query().pages(100)?.next().expect("there are cities")?;
    let second = cities.query().resume(first.cursor).pages(100)?.next().expect("and more")?;
    println!("{} and {} of them", first.records.len(), second.records.len());

    // The nodes change the records that the index finds.
    let job = large.operate_all([op::add("visits", 1)])?;
    println!("{} visited", job.wait(PATIENCE)?.succeeded);
    indexes.drop("test", "cities", &name)
}

async fn futures(seeds: &str) -> Result<()> {
    let client = AsyncClient::connect(seeds).await?;
    // Also a `Stream` of the crate `futures`.
    let mut visited = client.query("test", "cities").filter("$.visits > 0").records()?;
    let mut count = 0;
    while let Some(city) = visited.next().await {
        city?;
        count += 1;
    }
    println!("{count} were visited");
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
