//! The crate `spikewire` under the same load: on the tokio reactor, or with `SPIKEWIRE_NATIVE` set on
//! a thread of its own.

use rust_peers::{Client, Target, Value};
use spikewire::{AsyncClient, AsyncDataset};

struct Ours {
    _client: AsyncClient,
    dataset: AsyncDataset,
}

impl Client for Ours {
    type Bins = Vec<(String, spikewire::Value)>;

    const VERSION_OF: &'static str = "spikewire";

    async fn open(target: &Target) -> Result<Self, String> {
        let client = if std::env::var_os("SPIKEWIRE_NATIVE").is_some() {
            AsyncClient::connect(&target.seeds).await
        } else {
            AsyncClient::connect_tokio(&target.seeds).await
        }
        .map_err(text)?;
        let dataset = client.dataset(&target.namespace, &target.set).map_err(text)?;
        Ok(Self { _client: client, dataset })
    }

    fn bins(values: &[Value]) -> Self::Bins {
        let values = values.iter().enumerate();
        values.map(|(at, value)| (format!("b{at}"), into_theirs(value))).collect()
    }

    async fn get(&self, key: i64) -> Result<(), String> {
        match self.dataset.get(key).await {
            Ok(Some(_)) => Ok(()),
            Ok(None) => Err(format!("key {key}: no record")),
            Err(error) => Err(text(error)),
        }
    }

    async fn put(&self, key: i64, bins: &Self::Bins) -> Result<(), String> {
        self.dataset.put(key, bins.iter().map(|(name, value)| (name, value))).await.map_err(text)
    }

    async fn read_bin(&self, key: i64, name: &str) -> Result<Value, String> {
        let record = self.dataset.get(key).await.map_err(text)?;
        let value = record.as_ref().and_then(|record| record.get(name));
        value.and_then(into_ours).ok_or_else(|| format!("key {key}: no bin {name}"))
    }
}

fn into_theirs(value: &Value) -> spikewire::Value {
    match value {
        Value::Integer(integer) => (*integer).into(),
        Value::Text(text) => text.as_str().into(),
        Value::Bytes(bytes) => bytes.as_slice().into(),
    }
}

fn into_ours(value: &spikewire::Value) -> Option<Value> {
    match value {
        spikewire::Value::Int(integer) => Some(Value::Integer(*integer)),
        spikewire::Value::Str(text) => Some(Value::Text(text.clone())),
        spikewire::Value::Bytes(bytes) => Some(Value::Bytes(bytes.clone())),
        _ => None,
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn main() {
    rust_peers::main::<Ours>();
}
