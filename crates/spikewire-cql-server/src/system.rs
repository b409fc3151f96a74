//! System tables about the node and the schema.

use std::net::SocketAddr;
use std::sync::Arc;

use spikewire_cql::types::Type;
use spikewire_cql::value::Value;

use crate::table::{Kind, Table};

/// The Cassandra version whose tables these are.
const RELEASE: &str = "5.0.9";
const CQL: &str = "3.4.7";
const DATACENTER: &str = "dc1";
const RACK: &str = "r1";
const PARTITIONER: &str = "org.apache.cassandra.dht.Murmur3Partitioner";
const STRATEGY: &str = "org.apache.cassandra.locator.SimpleStrategy";
/// The id of the node.
pub(crate) const HOST: [u8; 16] = *b"canned\x40\x00\x80\x00server";
/// The only token, since the node owns everything.
const TOKEN: &str = "0";

/// The data of these tables.
pub(crate) struct Facts<'a> {
    pub(crate) address: SocketAddr,
    pub(crate) schema_version: u64,
    pub(crate) keyspaces: Vec<&'a str>,
    pub(crate) tables: Vec<&'a Table>,
    /// Statements executed on user tables.
    pub(crate) served: u64,
}

/// The system tables.
pub(crate) fn tables() -> Vec<Arc<Table>> {
    let set = || Type::set(Type::Text);
    let texts = || Type::map(Type::Text, Type::Text);
    let (text, int, uuid, inet) = (|| Type::Text, || Type::Int, || Type::Uuid, || Type::Inet);
    let local = [
        ("key", text()),
        ("bootstrapped", text()),
        ("broadcast_address", inet()),
        ("broadcast_port", int()),
        ("cluster_name", text()),
        ("cql_version", text()),
        ("data_center", text()),
        ("gossip_generation", int()),
        ("host_id", uuid()),
        ("listen_address", inet()),
        ("listen_port", int()),
        ("native_protocol_version", text()),
        ("partitioner", text()),
        ("rack", text()),
        ("release_version", text()),
        ("rpc_address", inet()),
        ("rpc_port", int()),
        ("schema_version", uuid()),
        ("tokens", set()),
    ];
    let peers = [
        ("peer", inet()),
        ("data_center", text()),
        ("host_id", uuid()),
        ("preferred_ip", inet()),
        ("rack", text()),
        ("release_version", text()),
        ("rpc_address", inet()),
        ("schema_version", uuid()),
        ("tokens", set()),
    ];
    let peers_v2 = [
        ("peer", inet()),
        ("peer_port", int()),
        ("data_center", text()),
        ("host_id", uuid()),
        ("native_address", inet()),
        ("native_port", int()),
        ("preferred_ip", inet()),
        ("preferred_port", int()),
        ("rack", text()),
        ("release_version", text()),
        ("schema_version", uuid()),
        ("tokens", set()),
    ];
    let keyspaces =
        [("keyspace_name", text()), ("durable_writes", Type::Boolean), ("replication", texts())];
    let table_columns = [
        ("keyspace_name", text()),
        ("table_name", text()),
        ("comment", text()),
        ("flags", set()),
        ("id", uuid()),
    ];
    let columns = [
        ("keyspace_name", text()),
        ("table_name", text()),
        ("column_name", text()),
        ("clustering_order", text()),
        ("column_name_bytes", Type::Blob),
        ("kind", text()),
        ("position", int()),
        ("type", text()),
    ];
    let list = || Type::list(Type::Text);
    let types = [
        ("keyspace_name", text()),
        ("type_name", text()),
        ("field_names", list()),
        ("field_types", list()),
    ];
    let views = [("keyspace_name", text()), ("view_name", text()), ("base_table_name", text())];
    let of_tables = [("keyspace_name", text()), ("table_name", text())];
    let system = |name, columns: &[_], keys| Table::system("system", name, columns, keys);
    let schema = |name, columns: &[_], keys| Table::system("system_schema", name, columns, keys);
    let functions = |name, of| {
        let columns = [("keyspace_name", text()), (of, text()), ("argument_types", list())];
        schema(name, &columns, 2)
    };
    let virtual_schema =
        |name, columns: &[_], keys| Table::system("system_virtual_schema", name, columns, keys);
    let mut all = vec![
        system("local", &local, 1),
        system("peers", &peers, 1),
        system("peers_v2", &peers_v2, 1),
        system("canned", &[("key", text()), ("served", Type::Bigint)], 1),
        schema("keyspaces", &keyspaces, 1),
        schema("tables", &table_columns, 2),
        schema("columns", &columns, 3),
        schema("types", &types, 2),
        schema("views", &views, 2),
        functions("functions", "function_name"),
        functions("aggregates", "aggregate_name"),
        virtual_schema("keyspaces", &keyspaces[..1], 1),
        virtual_schema("tables", &table_columns[..3], 2),
        virtual_schema("columns", &columns, 3),
    ];
    for name in ["indexes", "triggers", "dropped_columns", "column_masks"] {
        all.push(schema(name, &of_tables, 2));
    }
    all.into_iter().map(Arc::new).collect()
}

/// All rows of one of these tables.
pub(crate) fn rows(table: &Table, facts: &Facts<'_>) -> Vec<Vec<Value>> {
    match (&*table.keyspace, &*table.name) {
        ("system", "local") => vec![local(facts)],
        ("system", "canned") => vec![vec![text("canned"), Value::Bigint(facts.served as i64)]],
        ("system_schema", "keyspaces") => {
            facts.keyspaces.iter().map(|name| keyspace(name)).collect()
        }
        ("system_schema", "tables") => facts.tables.iter().map(|table| table_row(table)).collect(),
        ("system_schema", "columns") => {
            facts.tables.iter().flat_map(|table| columns(table)).collect()
        }
        _ => Vec::new(),
    }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn local(facts: &Facts<'_>) -> Vec<Value> {
    let (address, port) = (facts.address.ip(), i32::from(facts.address.port()));
    vec![
        text("local"),
        text("COMPLETED"),
        Value::Inet(address),
        Value::Int(port),
        text("canned replies"),
        text(CQL),
        text(DATACENTER),
        Value::Int(1),
        Value::Uuid(HOST),
        Value::Inet(address),
        Value::Int(port),
        text("5"),
        text(PARTITIONER),
        text(RACK),
        text(RELEASE),
        Value::Inet(address),
        Value::Int(port),
        Value::Uuid(uuid(facts.schema_version)),
        Value::Set(vec![text(TOKEN)]),
    ]
}

fn uuid(number: u64) -> [u8; 16] {
    let mut bytes = HOST;
    bytes[10..].copy_from_slice(&number.to_be_bytes()[2..]);
    bytes
}

fn keyspace(name: &str) -> Vec<Value> {
    let replication = [("class", STRATEGY), ("replication_factor", "1")]
        .map(|(key, value)| (text(key), text(value)));
    vec![text(name), Value::Boolean(true), Value::Map(replication.into())]
}

fn table_row(table: &Table) -> Vec<Value> {
    let id = spikewire_cql::token::token(table.full_name().as_bytes()) as u64;
    vec![
        text(&table.keyspace),
        text(&table.name),
        text(""),
        Value::Set(vec![text("compound")]),
        Value::Uuid(uuid(id)),
    ]
}

fn columns(table: &Table) -> Vec<Vec<Value>> {
    let row = |(column, kind): &(spikewire_cql::response::Column, Kind)| {
        let (order, kind, position) = match kind {
            Kind::Partition(at) => ("none", "partition_key", *at as i32),
            Kind::Clustering(at) => ("asc", "clustering", *at as i32),
            Kind::Regular => ("none", "regular", -1),
        };
        vec![
            text(&table.keyspace),
            text(&table.name),
            text(&column.name),
            text(order),
            Value::Blob(column.name.as_bytes().to_vec()),
            text(kind),
            Value::Int(position),
            text(&column.ty.to_string()),
        ]
    };
    table.columns.iter().map(row).collect()
}
