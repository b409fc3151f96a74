//! A table and its columns.

use std::sync::Arc;

use spikewire_cql::response::Column;
use spikewire_cql::types::Type;

use crate::text::CreateTable;

/// The role of a column in its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// In the partition key, at this position.
    Partition(usize),
    /// A clustering column, at this position.
    Clustering(usize),
    /// Not in the primary key.
    Regular,
}

/// A table.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) keyspace: Arc<str>,
    pub(crate) name: Arc<str>,
    /// In the order of `SELECT *`.
    pub(crate) columns: Vec<(Column, Kind)>,
    /// Whether it is a system table, whose rows are not made up.
    pub(crate) is_system: bool,
}

impl Table {
    /// The table created by a statement.
    pub(crate) fn created(keyspace: &str, create: CreateTable) -> Result<Self, String> {
        let CreateTable { name, columns, partition, clustering, .. } = create;
        let keys = partition.iter().map(|name| (name, true));
        let keys = keys.chain(clustering.iter().map(|name| (name, false)));
        for (key, _) in keys.clone() {
            if !columns.iter().any(|(name, _)| name == key) {
                return Err(format!("Unknown definition {key} referenced in PRIMARY KEY"));
            }
        }
        let kind = |name: &String| {
            let at = |names: &[String]| names.iter().position(|key| key == name);
            let part = at(&partition).map(Kind::Partition);
            part.or_else(|| at(&clustering).map(Kind::Clustering)).unwrap_or(Kind::Regular)
        };
        let mut columns: Vec<_> =
            columns.into_iter().map(|(name, ty)| (kind(&name), name, ty)).collect();
        // The primary key first, in its order, then the other columns by name, as in Cassandra.
        columns.sort_by_cached_key(|(kind, name, _)| match kind {
            Kind::Partition(at) => (0, *at, String::new()),
            Kind::Clustering(at) => (1, *at, String::new()),
            Kind::Regular => (2, 0, name.clone()),
        });
        let columns = columns.into_iter().map(|(kind, name, ty)| (name, ty, kind));
        Ok(Self::new(keyspace, &name.table, columns, false))
    }

    /// A system table.
    pub(crate) fn system(
        keyspace: &str,
        name: &str,
        columns: &[(&str, Type)],
        keys: usize,
    ) -> Self {
        let columns = columns.iter().enumerate().map(|(at, (name, ty))| {
            let kind = if at < keys { Kind::Partition(at) } else { Kind::Regular };
            ((*name).to_owned(), ty.clone(), kind)
        });
        Self::new(keyspace, name, columns, true)
    }

    fn new(
        keyspace: &str,
        name: &str,
        columns: impl Iterator<Item = (String, Type, Kind)>,
        is_system: bool,
    ) -> Self {
        let (keyspace, table): (Arc<str>, Arc<str>) = (keyspace.into(), name.into());
        let columns = columns.map(|(name, ty, kind)| {
            let (keyspace, table) = (keyspace.clone(), table.clone());
            (Column { keyspace, table, name: name.into(), ty }, kind)
        });
        let columns = columns.collect();
        Self { keyspace, name: table, columns, is_system }
    }

    /// The index of a column.
    pub(crate) fn position(&self, name: &str) -> Result<usize, String> {
        let position = self.columns.iter().position(|(column, _)| *column.name == *name);
        position
            .ok_or_else(|| format!("Undefined column name {name} in table {}", self.full_name()))
    }

    /// Keyspace and name.
    pub(crate) fn full_name(&self) -> String {
        format!("{}.{}", self.keyspace, self.name)
    }

    /// The indexes of the partition key's columns, in key order.
    pub(crate) fn partition_key(&self) -> Vec<usize> {
        let at = |(at, (_, kind)): (usize, &(Column, Kind))| match kind {
            Kind::Partition(_) => Some(at),
            _ => None,
        };
        self.columns.iter().enumerate().filter_map(at).collect()
    }

    /// The indexes of the primary key's columns.
    pub(crate) fn primary_key(&self) -> impl Iterator<Item = usize> {
        let is_key = |(_, (_, kind)): &(usize, &(Column, Kind))| *kind != Kind::Regular;
        self.columns.iter().enumerate().filter(is_key).map(|(at, _)| at)
    }
}
