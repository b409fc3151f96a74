//! The crate `aerospike` under load: on tokio, and its blocking client in threads.

use aerospike::{Bin, Bins, ClientPolicy, Key, ReadPolicy, Record, ResultCode, WritePolicy};
use rust_peers::{CallError, Client, Target, Value, client_policy};

struct Peer<C> {
    client: C,
    namespace: String,
    set: String,
    read: ReadPolicy,
    write: WritePolicy,
}

impl<C> Peer<C> {
    fn new(client: aerospike::Result<C>, target: &Target) -> Result<Self, String> {
        Ok(Self {
            client: client.map_err(text)?,
            namespace: target.namespace.clone(),
            set: target.set.clone(),
            read: ReadPolicy::default(),
            write: WritePolicy::default(),
        })
    }

    fn key(&self, key: i64) -> Result<Key, String> {
        Key::new(self.namespace.as_str(), self.set.as_str(), key.into()).map_err(text)
    }
}

impl Client for Peer<aerospike::Client> {
    type Bins = Vec<Bin>;

    const VERSION_OF: &'static str = "aerospike";

    async fn open(target: &Target) -> Result<Self, String> {
        let policy = sized(client_policy(&target.access)?, target.in_flight);
        Self::new(aerospike::Client::new(&policy, &target.seeds).await, target)
    }

    fn bins(values: &[Value]) -> Self::Bins {
        named(values)
    }

    async fn get(&self, key: i64) -> Result<(), CallError> {
        let record = self.client.get(&self.read, &self.key(key)?, Bins::All).await;
        record.map(drop).map_err(failed)
    }

    async fn put(&self, key: i64, bins: &Self::Bins) -> Result<(), CallError> {
        self.client.put(&self.write, &self.key(key)?, bins).await.map_err(failed)
    }

    async fn read_bin(&self, key: i64, name: &str) -> Result<Value, String> {
        bin(key, name, self.client.get(&self.read, &self.key(key)?, Bins::All).await)
    }
}

impl Client for Peer<aerospike_sync::Client> {
    type Bins = Vec<Bin>;

    const VERSION_OF: &'static str = "aerospike-sync";

    const BLOCKS: bool = true;

    async fn open(target: &Target) -> Result<Self, String> {
        let policy = sized(client_policy(&target.access)?, target.in_flight);
        Self::new(aerospike_sync::Client::new(&policy, &target.seeds), target)
    }

    fn bins(values: &[Value]) -> Self::Bins {
        named(values)
    }

    async fn get(&self, key: i64) -> Result<(), CallError> {
        let record = self.client.get(&self.read, &self.key(key)?, Bins::All);
        record.map(drop).map_err(failed)
    }

    async fn put(&self, key: i64, bins: &Self::Bins) -> Result<(), CallError> {
        self.client.put(&self.write, &self.key(key)?, bins).map_err(failed)
    }

    async fn read_bin(&self, key: i64, name: &str) -> Result<Value, String> {
        bin(key, name, self.client.get(&self.read, &self.key(key)?, Bins::All))
    }
}

/// The default pool, or one with a connection for each call in flight if these are more: calls that
/// find no connection would fail.
fn sized(mut policy: ClientPolicy, in_flight: usize) -> ClientPolicy {
    policy.max_conns_per_node = policy.max_conns_per_node.max(in_flight);
    policy
}

fn named(values: &[Value]) -> Vec<Bin> {
    let values = values.iter().enumerate();
    values.map(|(at, value)| Bin::new(format!("b{at}"), into_theirs(value))).collect()
}

fn bin(key: i64, name: &str, read: aerospike::Result<Record>) -> Result<Value, String> {
    let record = read.map_err(text)?;
    record.bins.get(name).and_then(into_ours).ok_or_else(|| format!("key {key}: no bin {name}"))
}

fn into_theirs(value: &Value) -> aerospike::Value {
    match value {
        Value::Integer(integer) => aerospike::Value::Int(*integer),
        Value::Text(text) => aerospike::Value::String(text.clone()),
        Value::Bytes(bytes) => aerospike::Value::Blob(bytes.clone()),
    }
}

fn into_ours(value: &aerospike::Value) -> Option<Value> {
    match value {
        aerospike::Value::Int(integer) => Some(Value::Integer(*integer)),
        aerospike::Value::String(text) => Some(Value::Text(text.clone())),
        aerospike::Value::Blob(bytes) => Some(Value::Bytes(bytes.clone())),
        _ => None,
    }
}

fn failed(error: aerospike::Error) -> CallError {
    let by_server = error.server_result_code() == Some(ResultCode::Timeout);
    let timed_out = by_server || error.is_client_timeout();
    CallError { text: text(error), timed_out }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn main() {
    rust_peers::main::<Peer<aerospike::Client>, Peer<aerospike_sync::Client>>();
}
