//! The crate `aerospike` scanning: its stream of records, and its callback for each record.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use aerospike::{Bins, Client, ClientPolicy, PartitionFilter, QueryPolicy, Record, Statement};
use futures::StreamExt as _;
use rust_peers::{Scanner, Target};

struct Peer {
    client: Client,
    policy: QueryPolicy,
    statement: Statement,
    stream: bool,
}

impl Scanner for Peer {
    const MODES: &'static [&'static str] = &["stream", "foreach"];

    async fn open(target: &Target, mode: &str) -> Result<Self, String> {
        Ok(Self {
            client: Client::new(&ClientPolicy::default(), &target.seeds).await.map_err(text)?,
            policy: QueryPolicy::default(),
            statement: Statement::new(&target.namespace, &target.set, Bins::All),
            stream: mode == "stream",
        })
    }

    async fn scan(&self) -> Result<u64, String> {
        let all = PartitionFilter::all();
        if self.stream {
            let records = self.client.query(&self.policy, all, self.statement.clone()).await;
            let mut stream = records.map_err(text)?.into_stream();
            let mut count = 0;
            while let Some(record) = stream.next().await {
                count += look_at(&record.map_err(text)?);
            }
            return Ok(count);
        }
        let (count, failed) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(None)));
        let (counted, noted) = (count.clone(), failed.clone());
        let each = move |record: aerospike::errors::Result<Record>| {
            let fine = match record {
                Ok(record) => {
                    counted.fetch_add(look_at(&record), Relaxed);
                    true
                }
                Err(error) => {
                    *noted.lock().expect("no panic") = Some(text(error));
                    false
                }
            };
            std::future::ready(fine)
        };
        let statement = self.statement.clone();
        let running = self.client.query_foreach(&self.policy, all, statement, each).await;
        running.map_err(text)?.wait().await.map_err(text)?;
        let failed = failed.lock().expect("no panic").take();
        failed.map_or(Ok(count.load(Relaxed)), Err)
    }
}

fn look_at(record: &Record) -> u64 {
    for value in record.bins.values() {
        std::hint::black_box(value);
    }
    1
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn main() {
    rust_peers::scan::<Peer>();
}
