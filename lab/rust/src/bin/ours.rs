//! The crate `spikewire` under the same load: on the tokio reactor, or with `SPIKEWIRE_NATIVE` set
//! on a thread of its own; and its blocking client in threads.

use rust_peers::{CallError, Client, Target, Value, client_builder};
use spikewire::{AsyncClient, AsyncDataset, Dataset, Record};

struct Ours {
    _client: AsyncClient,
    dataset: AsyncDataset,
}

impl Client for Ours {
    type Bins = Vec<(String, spikewire::Value)>;

    const VERSION_OF: &'static str = "spikewire";

    async fn open(target: &Target) -> Result<Self, String> {
        let builder = client_builder(&target.access)?;
        let client = if std::env::var_os("SPIKEWIRE_NATIVE").is_some() {
            builder.connect_async(&target.seeds).await
        } else {
            builder.connect_tokio(&target.seeds).await
        }
        .map_err(text)?;
        let dataset = client.dataset(&target.namespace, &target.set).map_err(text)?;
        Ok(Self { _client: client, dataset })
    }

    fn bins(values: &[Value]) -> Self::Bins {
        named(values)
    }

    async fn get(&self, key: i64) -> Result<(), CallError> {
        present_or_failed(key, self.dataset.get(key).await)
    }

    async fn put(&self, key: i64, bins: &Self::Bins) -> Result<(), CallError> {
        self.dataset.put(key, bins.iter().map(|(name, value)| (name, value))).await.map_err(failed)
    }

    async fn read_bin(&self, key: i64, name: &str) -> Result<Value, String> {
        bin(key, name, self.dataset.get(key).await)
    }
}

struct Blocking {
    _client: spikewire::Client,
    dataset: Dataset,
}

impl Client for Blocking {
    type Bins = Vec<(String, spikewire::Value)>;

    const VERSION_OF: &'static str = Ours::VERSION_OF;

    const BLOCKS: bool = true;

    async fn open(target: &Target) -> Result<Self, String> {
        let client = client_builder(&target.access)?.connect(&target.seeds).map_err(text)?;
        let dataset = client.dataset(&target.namespace, &target.set).map_err(text)?;
        Ok(Self { _client: client, dataset })
    }

    fn bins(values: &[Value]) -> Self::Bins {
        named(values)
    }

    async fn get(&self, key: i64) -> Result<(), CallError> {
        present_or_failed(key, self.dataset.get(key))
    }

    async fn put(&self, key: i64, bins: &Self::Bins) -> Result<(), CallError> {
        self.dataset.put(key, bins.iter().map(|(name, value)| (name, value))).map_err(failed)
    }

    async fn read_bin(&self, key: i64, name: &str) -> Result<Value, String> {
        bin(key, name, self.dataset.get(key))
    }
}

fn named(values: &[Value]) -> Vec<(String, spikewire::Value)> {
    let values = values.iter().enumerate();
    values.map(|(at, value)| (format!("b{at}"), into_theirs(value))).collect()
}

fn present_or_failed(key: i64, read: spikewire::Result<Option<Record>>) -> Result<(), CallError> {
    match read {
        Ok(Some(_)) => Ok(()),
        Ok(None) => Err(format!("key {key}: no record").into()),
        Err(error) => Err(failed(error)),
    }
}

fn bin(key: i64, name: &str, read: spikewire::Result<Option<Record>>) -> Result<Value, String> {
    let record = read.map_err(text)?;
    let value = record.as_ref().and_then(|record| record.get(name));
    value.and_then(into_ours).ok_or_else(|| format!("key {key}: no bin {name}"))
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

fn failed(error: spikewire::Error) -> CallError {
    // A server timeout has the same code.
    let timed_out = error.kind().code() == spikewire::Kind::Timeout.code();
    CallError { text: text(error), timed_out }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn main() {
    rust_peers::main::<Ours, Blocking>();
}
