//! The crate `spikewire` scanning: an iterator on the calling thread, a stream on tokio, and a
//! stream on any executor.

use rust_peers::{Scanner, Target};
use spikewire::{AsyncClient, Client, Found};

struct Ours {
    client: Api,
    namespace: String,
    set: String,
}

enum Api {
    Blocking(Client),
    Stream(AsyncClient),
}

impl Scanner for Ours {
    const MODES: &'static [&'static str] = &["blocking", "stream", "any"];

    async fn open(target: &Target, mode: &str) -> Result<Self, String> {
        let seeds = &target.seeds;
        let client = match mode {
            "blocking" => Api::Blocking(Client::connect(seeds).map_err(text)?),
            "stream" => Api::Stream(AsyncClient::connect_tokio(seeds).await.map_err(text)?),
            _ => Api::Stream(AsyncClient::connect(seeds).await.map_err(text)?),
        };
        Ok(Self { client, namespace: target.namespace.clone(), set: target.set.clone() })
    }

    async fn scan(&self) -> Result<u64, String> {
        let mut count = 0;
        match &self.client {
            Api::Blocking(client) => {
                for row in client.query(&self.namespace, &self.set).records().map_err(text)? {
                    count += look_at(&row.map_err(text)?);
                }
            }
            Api::Stream(client) => {
                let query = client.query(&self.namespace, &self.set);
                let mut records = query.records().map_err(text)?;
                while let Some(row) = records.next().await {
                    count += look_at(&row.map_err(text)?);
                }
            }
        }
        Ok(count)
    }
}

fn look_at(row: &Found) -> u64 {
    for bin in &row.bins {
        std::hint::black_box(&bin.value);
    }
    1
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn main() {
    rust_peers::scan::<Ours>();
}
