//! Reading the system tables of a node.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use spikewire_cql::notation::{Malformed, Reader, Result};
use spikewire_cql::response::Rows;
use spikewire_cql::types::Type;

use super::node::{Description, HostId};
use crate::options::PORT;

/// Selects the node that is asked.
pub const LOCAL: &str = "SELECT * FROM system.local WHERE key='local'";

/// Selects its peers, in Cassandra 4.0 and later.
pub const PEERS: &str = "SELECT * FROM system.peers_v2";

/// Selects its peers, in earlier versions.
pub const OLD_PEERS: &str = "SELECT * FROM system.peers";

/// Selects the replication of keyspaces.
pub const KEYSPACES: &str = "SELECT keyspace_name, replication FROM system_schema.keyspaces";

/// Selects what Scylla adds about keyspaces.
pub const SCYLLA_KEYSPACES: &str = "SELECT * FROM system_schema.scylla_keyspaces";

/// Options of a replication. Virtual keyspaces have none, since every node has its own.
pub type Replication = BTreeMap<String, String>;

/// A cell of a row: the name of its column, the type of that, and its value unless it is null.
pub(super) type Cell<'a> = (&'a str, &'a Type, Option<&'a [u8]>);

/// A row, by column name.
pub(super) struct Row<'a>(Vec<Cell<'a>>);

impl<'a> Row<'a> {
    pub fn cells(&self) -> &[Cell<'a>] {
        &self.0
    }

    pub fn bytes(&self, name: &str) -> Option<&'a [u8]> {
        let cell = self.0.iter().find(|(known, ..)| *known == name)?.2;
        cell.filter(|bytes| !bytes.is_empty())
    }

    pub fn text(&self, name: &str) -> Option<&'a str> {
        std::str::from_utf8(self.bytes(name)?).ok()
    }

    fn uuid(&self, name: &str) -> Option<HostId> {
        self.bytes(name)?.try_into().ok()
    }

    fn ip(&self, name: &str) -> Option<IpAddr> {
        let bytes = self.bytes(name)?;
        let four = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
        four.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from)).ok()
    }

    pub fn flag(&self, name: &str) -> bool {
        self.bytes(name).is_some_and(|bytes| bytes != [0])
    }

    pub fn int(&self, name: &str) -> Option<i32> {
        Some(i32::from_be_bytes(self.bytes(name)?.try_into().ok()?))
    }

    fn port(&self, name: &str) -> Option<u16> {
        let port = i32::from_be_bytes(self.bytes(name)?.try_into().ok()?);
        u16::try_from(port).ok().filter(|port| *port > 0)
    }

    pub fn texts(&self, name: &str) -> Result<Vec<&'a str>> {
        let Some(bytes) = self.bytes(name) else { return Ok(Vec::new()) };
        let mut reader = Reader(bytes);
        (0..reader.count()?).map(|_| text(&mut reader)).collect()
    }
}

pub(super) fn text<'a>(reader: &mut Reader<'a>) -> Result<&'a str> {
    let bytes = reader.bytes()?.unwrap_or_default();
    std::str::from_utf8(bytes).map_err(|error| Malformed::new(error.to_string()))
}

/// Passes each row to `take`, by column name.
pub(super) fn each(rows: &Rows<'_>, mut take: impl FnMut(Row<'_>) -> Result<()>) -> Result<()> {
    let metadata = rows.metadata.as_ref();
    let metadata = metadata.ok_or_else(|| Malformed::new("rows without their columns"))?;
    let mut cells = rows.cells;
    (0..rows.count).try_for_each(|_| {
        let row = metadata.columns.iter();
        let row = row.map(|column| Ok((&*column.name, &column.ty, cells.cell()?)));
        take(Row(row.collect::<Result<_>>()?))
    })
}

/// The contents of `system.local`.
#[derive(Debug)]
pub struct Local {
    /// The node; its address is that of the connection.
    pub node: Description,
    /// The partitioner's class.
    pub partitioner: String,
}

/// Reads [`LOCAL`]. Behind a `proxy`, its address is the advertised one.
pub fn local(rows: &Rows<'_>, address: SocketAddr, proxy: Option<SocketAddr>) -> Result<Local> {
    let mut info = None;
    each(rows, |row| {
        info = (|| {
            let advertised = || {
                let ip = row.ip("rpc_address").filter(|ip| !ip.is_unspecified());
                let ip = ip.or_else(|| row.ip("broadcast_address"))?;
                Some(SocketAddr::new(ip, row.port("rpc_port").unwrap_or(PORT)))
            };
            let node = Description {
                host_id: row.uuid("host_id")?,
                address: if proxy.is_some() { advertised()? } else { address },
                proxy,
                datacenter: row.text("data_center")?.to_owned(),
                rack: row.text("rack")?.to_owned(),
                release: row.text("release_version")?.to_owned(),
                schema_version: row.uuid("schema_version"),
                tokens: Vec::new(),
            };
            Some(Local { node, partitioner: row.text("partitioner")?.to_owned() })
        })();
        if let Some(local) = &mut info {
            local.node.tokens = tokens(&row)?;
        }
        Ok(())
    })?;
    info.ok_or_else(|| Malformed::new("system.local lacks required columns"))
}

/// Reads [`PEERS`] or [`OLD_PEERS`]. Nodes without a port of their own listen on `port`. Nodes with
/// incomplete entries are left out.
pub fn peers(rows: &Rows<'_>, port: u16) -> Result<Vec<Description>> {
    let mut nodes = Vec::new();
    each(rows, |row| {
        let ip = row.ip("native_address").or_else(|| row.ip("rpc_address"));
        let ip = ip.filter(|ip| !ip.is_unspecified()).or_else(|| row.ip("peer"));
        let describe = || {
            Some(Description {
                host_id: row.uuid("host_id")?,
                address: SocketAddr::new(ip?, row.port("native_port").unwrap_or(port)),
                proxy: None,
                datacenter: row.text("data_center")?.to_owned(),
                rack: row.text("rack")?.to_owned(),
                release: row.text("release_version").unwrap_or_default().to_owned(),
                schema_version: row.uuid("schema_version"),
                tokens: Vec::new(),
            })
        };
        if let Some(mut node) = describe() {
            node.tokens = tokens(&row)?;
            if !node.tokens.is_empty() {
                nodes.push(node);
            }
        }
        Ok(())
    })?;
    Ok(nodes)
}

/// Tokens of another partitioner are not 64-bit integers, and are ignored.
fn tokens(row: &Row<'_>) -> Result<Vec<i64>> {
    Ok(row.texts("tokens")?.into_iter().filter_map(|token| token.parse().ok()).collect())
}

/// Reads the schema versions of nodes.
pub fn versions(rows: &Rows<'_>) -> Result<Vec<(Option<HostId>, Option<HostId>)>> {
    let mut versions = Vec::new();
    each(rows, |row| {
        versions.push((row.uuid("host_id"), row.uuid("schema_version")));
        Ok(())
    })?;
    Ok(versions)
}

/// Reads [`KEYSPACES`].
pub fn keyspaces(rows: &Rows<'_>) -> Result<Vec<(String, Replication)>> {
    let mut keyspaces = Vec::new();
    each(rows, |row| {
        let Some(name) = row.text("keyspace_name") else { return Ok(()) };
        let mut reader = Reader(row.bytes("replication").unwrap_or(&[0; 4]));
        let options = (0..reader.count()?)
            .map(|_| Ok((text(&mut reader)?.to_owned(), text(&mut reader)?.to_owned())))
            .collect::<Result<_>>()?;
        keyspaces.push((name.to_owned(), options));
        Ok(())
    })?;
    Ok(keyspaces)
}

/// Reads [`SCYLLA_KEYSPACES`]: the keyspaces whose tablets have leaders.
pub fn led_keyspaces(rows: &Rows<'_>) -> Result<Vec<String>> {
    let mut led = Vec::new();
    each(rows, |row| {
        if row.text("consistency") == Some("global") {
            led.extend(row.text("keyspace_name").map(str::to_owned));
        }
        Ok(())
    })?;
    Ok(led)
}
