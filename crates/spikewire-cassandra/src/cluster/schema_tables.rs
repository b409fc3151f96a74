//! Reading the system tables that describe the schema.

use std::collections::BTreeMap;

use spikewire_cql::notation::{Reader, Result};
use spikewire_cql::response::{Code, Rows};

use super::control::Control;
use super::schema::{ColumnKind, ColumnSchema, Index, Keyspace, Schema, Table, View};
use super::tables::{Row, each, text};

/// Reads the whole schema. Servers need not have virtual tables.
pub fn read(control: &mut Control) -> crate::error::Result<Schema> {
    let mut schema = Schema::default();
    let all = |keyspaces: &str, prefix: &str| {
        [
            format!("SELECT * FROM {prefix}.{keyspaces}"),
            format!("SELECT * FROM {prefix}.tables"),
            format!("SELECT * FROM {prefix}.columns"),
        ]
    };
    let [keyspaces, tables, columns] = all("keyspaces", "system_schema");
    control.query(&keyspaces, |rows| read_keyspaces(rows, &mut schema, false))?;
    control.query(&tables, |rows| read_tables(rows, &mut schema))?;
    control.query("SELECT * FROM system_schema.views", |rows| read_views(rows, &mut schema))?;
    control.query(&columns, |rows| read_columns(rows, &mut schema))?;
    control.query("SELECT * FROM system_schema.indexes", |rows| read_indexes(rows, &mut schema))?;
    control.query("SELECT * FROM system_schema.types", |rows| read_types(rows, &mut schema))?;
    let [keyspaces, tables, columns] = all("keyspaces", "system_virtual_schema");
    match control.query(&keyspaces, |rows| read_keyspaces(rows, &mut schema, true)) {
        Err(error) if error.server().is_some_and(|it| it.code == Code::Invalid) => {}
        read => {
            read?;
            control.query(&tables, |rows| read_tables(rows, &mut schema))?;
            control.query(&columns, |rows| read_columns(rows, &mut schema))?;
        }
    }
    for keyspace in schema.keyspaces.values_mut() {
        keyspace.tables.values_mut().for_each(Table::sort);
        keyspace.views.values_mut().for_each(|view| view.table.sort());
    }
    Ok(schema)
}

fn read_keyspaces(rows: &Rows<'_>, schema: &mut Schema, is_virtual: bool) -> Result<()> {
    each(rows, |row| {
        let Some(name) = row.text("keyspace_name") else { return Ok(()) };
        let (replication, durable_writes) = (map(&row, "replication")?, row.flag("durable_writes"));
        let keyspace = Keyspace { replication, durable_writes, is_virtual, ..Keyspace::default() };
        schema.keyspaces.insert(name.to_owned(), keyspace);
        Ok(())
    })
}

/// The keyspace of a row, and the name in another column.
fn place<'s, 'r>(
    schema: &'s mut Schema,
    row: &Row<'r>,
    name: &str,
) -> Option<(&'s mut Keyspace, &'r str)> {
    let keyspace = schema.keyspaces.get_mut(row.text("keyspace_name")?)?;
    Some((keyspace, row.text(name)?))
}

fn read_tables(rows: &Rows<'_>, schema: &mut Schema) -> Result<()> {
    each(rows, |row| {
        if let Some((keyspace, name)) = place(schema, &row, "table_name") {
            let comment = row.text("comment").unwrap_or_default().to_owned();
            keyspace.tables.insert(name.to_owned(), Table { comment, ..Table::default() });
        }
        Ok(())
    })
}

fn read_views(rows: &Rows<'_>, schema: &mut Schema) -> Result<()> {
    each(rows, |row| {
        if let Some((keyspace, name)) = place(schema, &row, "view_name") {
            let text = |name| row.text(name).unwrap_or_default().to_owned();
            let table = Table { comment: text("comment"), ..Table::default() };
            let (base_table, where_clause) = (text("base_table_name"), text("where_clause"));
            keyspace.views.insert(name.to_owned(), View { base_table, where_clause, table });
        }
        Ok(())
    })
}

fn read_columns(rows: &Rows<'_>, schema: &mut Schema) -> Result<()> {
    each(rows, |row| {
        let Some((keyspace, table)) = place(schema, &row, "table_name") else { return Ok(()) };
        let table = match keyspace.tables.get_mut(table) {
            Some(table) => table,
            None => match keyspace.views.get_mut(table) {
                Some(view) => &mut view.table,
                None => return Ok(()),
            },
        };
        let at = row.int("position").and_then(|at| u32::try_from(at).ok()).unwrap_or(0);
        let kind = match row.text("kind") {
            Some("partition_key") => ColumnKind::PartitionKey(at),
            Some("clustering") => {
                ColumnKind::Clustering(at, row.text("clustering_order") == Some("desc"))
            }
            Some("static") => ColumnKind::Static,
            _ => ColumnKind::Regular,
        };
        if let (Some(name), Some(cql_type)) = (row.text("column_name"), row.text("type")) {
            let (name, cql_type) = (name.to_owned(), cql_type.to_owned());
            table.columns.push(ColumnSchema { name, cql_type, kind });
        }
        Ok(())
    })
}

fn read_indexes(rows: &Rows<'_>, schema: &mut Schema) -> Result<()> {
    each(rows, |row| {
        if let Some((keyspace, table)) = place(schema, &row, "table_name")
            && let Some(table) = keyspace.tables.get_mut(table)
            && let Some(name) = row.text("index_name")
        {
            let kind = row.text("kind").unwrap_or_default().to_owned();
            table.indexes.insert(name.to_owned(), Index { kind, options: map(&row, "options")? });
        }
        Ok(())
    })
}

fn read_types(rows: &Rows<'_>, schema: &mut Schema) -> Result<()> {
    each(rows, |row| {
        if let Some((keyspace, name)) = place(schema, &row, "type_name") {
            let names = row.texts("field_names")?.into_iter().map(str::to_owned);
            let types = row.texts("field_types")?.into_iter().map(str::to_owned);
            keyspace.types.insert(name.to_owned(), names.zip(types).collect());
        }
        Ok(())
    })
}

fn map(row: &Row<'_>, name: &str) -> Result<BTreeMap<String, String>> {
    let mut reader = Reader(row.bytes(name).unwrap_or(&[0; 4]));
    (0..reader.count()?)
        .map(|_| Ok((text(&mut reader)?.to_owned(), text(&mut reader)?.to_owned())))
        .collect()
}
