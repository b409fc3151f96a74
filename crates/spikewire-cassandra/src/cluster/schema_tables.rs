//! Reading the system tables that describe the schema.

use std::collections::BTreeMap;

use spikewire_cql::notation::{Reader, Result};
use spikewire_cql::response::{Code, Rows};
use spikewire_cql::types::Type;

use super::control::Control;
use super::schema::{
    ColumnKind, ColumnSchema, Index, Keyspace, Schema, Table, TableOption, UserAggregate,
    UserFunction, View,
};
use super::tables::{Row, each, text};

/// Columns of the table of a table, or of a view, that are no options of it.
const NO_OPTIONS: [&str; 10] = [
    "base_table_id",
    "base_table_name",
    "extensions",
    "flags",
    "id",
    "include_all_columns",
    "keyspace_name",
    "table_name",
    "view_name",
    "where_clause",
];
/// Columns that servers have, but not as options, if they have `read_repair`: Cassandra from 4 on.
const FORMER_OPTIONS: [&str; 2] = ["read_repair_chance", "dclocal_read_repair_chance"];

/// Reads the whole schema. Servers need not have virtual tables, nor functions and triggers.
pub fn read(control: &mut Control) -> crate::error::Result<Schema> {
    let mut schema = Schema::default();
    for (table, read, required) in PARTS {
        query(control, table, required, |rows| read(rows, &mut schema))?;
    }
    let virtual_keyspaces = "system_virtual_schema.keyspaces";
    let virtual_parts = [("tables", read_tables as Read), ("columns", read_columns)];
    let read_virtual = |rows: &Rows<'_>| read_keyspaces(rows, &mut schema, true);
    if query(control, virtual_keyspaces, false, read_virtual)?.is_some() {
        for (table, read) in virtual_parts {
            let table = format!("system_virtual_schema.{table}");
            query(control, &table, true, |rows| read(rows, &mut schema))?;
        }
    }
    for keyspace in schema.keyspaces.values_mut() {
        keyspace.tables.values_mut().for_each(Table::sort);
        keyspace.views.values_mut().for_each(|view| view.table.sort());
    }
    Ok(schema)
}

type Read = fn(&Rows<'_>, &mut Schema) -> Result<()>;

/// The tables in the order in which they are read, and whether every server has them.
const PARTS: [(&str, Read, bool); 9] = [
    ("system_schema.keyspaces", |rows, schema| read_keyspaces(rows, schema, false), true),
    ("system_schema.tables", read_tables, true),
    ("system_schema.views", read_views, true),
    ("system_schema.columns", read_columns, true),
    ("system_schema.indexes", read_indexes, true),
    ("system_schema.types", read_types, true),
    ("system_schema.triggers", read_triggers, false),
    ("system_schema.functions", read_functions, false),
    ("system_schema.aggregates", read_aggregates, false),
];

/// Reads a table; `None` if it is not required, and the server has none.
fn query<T>(
    control: &mut Control,
    table: &str,
    required: bool,
    read: impl FnOnce(&Rows<'_>) -> Result<T>,
) -> crate::error::Result<Option<T>> {
    match control.query(&format!("SELECT * FROM {table}"), read) {
        Err(error) if !required && error.server().is_some_and(|it| it.code == Code::Invalid) => {
            Ok(None)
        }
        outcome => outcome.map(Some),
    }
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
            keyspace.tables.insert(name.to_owned(), table(&row)?);
        }
        Ok(())
    })
}

fn read_views(rows: &Rows<'_>, schema: &mut Schema) -> Result<()> {
    each(rows, |row| {
        if let Some((keyspace, name)) = place(schema, &row, "view_name") {
            let view = View {
                base_table: owned(&row, "base_table_name"),
                where_clause: owned(&row, "where_clause"),
                include_all_columns: row.flag("include_all_columns"),
                table: table(&row)?,
            };
            keyspace.views.insert(name.to_owned(), view);
        }
        Ok(())
    })
}

/// A table without its columns.
fn table(row: &Row<'_>) -> Result<Table> {
    let has_read_repair = row.cells().iter().any(|(name, ..)| *name == "read_repair");
    let is_option = |name: &str| {
        let is_former = has_read_repair && FORMER_OPTIONS.contains(&name);
        !is_former && !NO_OPTIONS.contains(&name)
    };
    let mut options = BTreeMap::new();
    for (name, ty, cell) in row.cells() {
        if is_option(name)
            && let Some(bytes) = cell
            && let Some(value) = option(ty, bytes)?
        {
            options.insert((*name).to_owned(), value);
        }
    }
    let mut reader = Reader(row.bytes("extensions").unwrap_or(&[0; 4]));
    let extensions = (0..reader.count()?)
        .map(|_| {
            let name = text(&mut reader)?.to_owned();
            Ok((name, reader.bytes()?.unwrap_or_default().to_vec()))
        })
        .collect::<Result<_>>()?;
    let comment = owned(row, "comment");
    Ok(Table { comment, options, extensions, ..Table::default() })
}

/// The value of an option; `None` if it is of a type that options do not have.
fn option(ty: &Type, bytes: &[u8]) -> Result<Option<TableOption>> {
    Ok(match ty {
        Type::Boolean => Some(TableOption::Flag(bytes != [0])),
        Type::Int => bytes
            .try_into()
            .ok()
            .map(|bytes| TableOption::Integer(i32::from_be_bytes(bytes).into())),
        Type::Bigint => {
            bytes.try_into().ok().map(|bytes| TableOption::Integer(i64::from_be_bytes(bytes)))
        }
        Type::Double => {
            bytes.try_into().ok().map(|bytes| TableOption::Float(f64::from_be_bytes(bytes)))
        }
        Type::Ascii | Type::Text => {
            Some(TableOption::Text(String::from_utf8_lossy(bytes).into_owned()))
        }
        Type::Map(inner) if **inner == (Type::Text, Type::Text) => {
            Some(TableOption::Map(pairs(bytes)?))
        }
        _ => None,
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
            let kind = owned(&row, "kind");
            table.indexes.insert(name.to_owned(), Index { kind, options: map(&row, "options")? });
        }
        Ok(())
    })
}

fn read_types(rows: &Rows<'_>, schema: &mut Schema) -> Result<()> {
    each(rows, |row| {
        if let Some((keyspace, name)) = place(schema, &row, "type_name") {
            let names = owned_list(&row, "field_names")?.into_iter();
            let fields = names.zip(owned_list(&row, "field_types")?).collect();
            keyspace.types.insert(name.to_owned(), fields);
        }
        Ok(())
    })
}

fn read_triggers(rows: &Rows<'_>, schema: &mut Schema) -> Result<()> {
    each(rows, |row| {
        if let Some((keyspace, table)) = place(schema, &row, "table_name")
            && let Some(table) = keyspace.tables.get_mut(table)
            && let Some(name) = row.text("trigger_name")
        {
            table.triggers.insert(name.to_owned(), map(&row, "options")?);
        }
        Ok(())
    })
}

fn read_functions(rows: &Rows<'_>, schema: &mut Schema) -> Result<()> {
    each(rows, |row| {
        if let Some((keyspace, name)) = place(schema, &row, "function_name") {
            let function = UserFunction {
                name: name.to_owned(),
                argument_types: owned_list(&row, "argument_types")?,
                argument_names: owned_list(&row, "argument_names")?,
                return_type: owned(&row, "return_type"),
                language: owned(&row, "language"),
                body: owned(&row, "body"),
                called_on_null_input: row.flag("called_on_null_input"),
            };
            keyspace.functions.insert(signature(name, &function.argument_types), function);
        }
        Ok(())
    })
}

fn read_aggregates(rows: &Rows<'_>, schema: &mut Schema) -> Result<()> {
    each(rows, |row| {
        if let Some((keyspace, name)) = place(schema, &row, "aggregate_name") {
            let aggregate = UserAggregate {
                name: name.to_owned(),
                argument_types: owned_list(&row, "argument_types")?,
                return_type: owned(&row, "return_type"),
                state_function: owned(&row, "state_func"),
                state_type: owned(&row, "state_type"),
                final_function: row.text("final_func").map(str::to_owned),
                initial_condition: row.text("initcond").map(str::to_owned),
            };
            keyspace.aggregates.insert(signature(name, &aggregate.argument_types), aggregate);
        }
        Ok(())
    })
}

fn signature(name: &str, argument_types: &[String]) -> String {
    format!("{name}({})", argument_types.join(","))
}

fn owned(row: &Row<'_>, name: &str) -> String {
    row.text(name).unwrap_or_default().to_owned()
}

fn owned_list(row: &Row<'_>, name: &str) -> Result<Vec<String>> {
    Ok(row.texts(name)?.into_iter().map(str::to_owned).collect())
}

fn map(row: &Row<'_>, name: &str) -> Result<BTreeMap<String, String>> {
    pairs(row.bytes(name).unwrap_or(&[0; 4]))
}

fn pairs(bytes: &[u8]) -> Result<BTreeMap<String, String>> {
    let mut reader = Reader(bytes);
    (0..reader.count()?)
        .map(|_| Ok((text(&mut reader)?.to_owned(), text(&mut reader)?.to_owned())))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use spikewire_cql::notation::put_bytes;
    use spikewire_cql::response::rows::Cells;
    use spikewire_cql::response::{Column, Metadata};

    use super::*;

    fn of_texts(texts: &[&str]) -> Vec<u8> {
        let mut bytes = (texts.len() as i32 / 2).to_be_bytes().to_vec();
        texts.iter().for_each(|text| put_bytes(&mut bytes, "a text", text.as_bytes()).unwrap());
        bytes
    }

    /// Reads one row with these columns.
    fn read_row(cells: &[(&str, Type, Option<Vec<u8>>)], schema: &mut Schema, read: Read) {
        let (mut columns, mut bytes) = (Vec::new(), Vec::new());
        for (name, ty, cell) in cells {
            let (keyspace, table) = Default::default();
            columns.push(Column { keyspace, table, name: (*name).into(), ty: ty.clone() });
            match cell {
                Some(cell) => put_bytes(&mut bytes, "a cell", cell).unwrap(),
                None => bytes.extend((-1_i32).to_be_bytes()),
            }
        }
        let rows = Rows {
            paging_state: None,
            metadata_id: None,
            columns: columns.len(),
            metadata: Some(Metadata { columns: columns.into() }),
            count: 1,
            cells: Cells(Reader(&bytes)),
        };
        read(&rows, schema).unwrap();
    }

    #[test]
    fn options_triggers_and_extensions_belong_to_their_table() {
        let text = |text: &str| Some(text.as_bytes().to_vec());
        let map_of = |value| Type::Map(Arc::new((Type::Text, value)));
        let place =
            || [("keyspace_name", Type::Text, text("k")), ("table_name", Type::Text, text("t"))];
        let mut schema = Schema::default();
        schema.keyspaces.insert("k".to_owned(), Keyspace::default());
        let table = [
            ("bloom_filter_fp_chance", Type::Double, Some(0.01_f64.to_be_bytes().to_vec())),
            ("caching", map_of(Type::Text), Some(of_texts(&["keys", "ALL"]))),
            ("cdc", Type::Boolean, Some(vec![1])),
            ("comment", Type::Text, text("")),
            ("dclocal_read_repair_chance", Type::Double, Some(0.0_f64.to_be_bytes().to_vec())),
            ("extensions", map_of(Type::Blob), Some(of_texts(&["e", "\0"]))),
            ("flags", Type::Set(Arc::new(Type::Text)), Some(vec![0; 4])),
            ("gc_grace_seconds", Type::Int, Some(864_000_i32.to_be_bytes().to_vec())),
            ("id", Type::Uuid, Some(vec![7; 16])),
            ("memtable", Type::Text, None),
            ("read_repair", Type::Text, text("BLOCKING")),
        ];
        read_row(&[&place()[..], &table].concat(), &mut schema, read_tables);
        let options = map_of(Type::Text);
        let trigger = [
            ("trigger_name", Type::Text, text("audits")),
            ("options", options, Some(of_texts(&["class", "org.example.Audit"]))),
        ];
        read_row(&[&place()[..], &trigger].concat(), &mut schema, read_triggers);
        let table = &schema.keyspaces["k"].tables["t"];
        let caching = [("keys".to_owned(), "ALL".to_owned())].into();
        let options = [
            ("bloom_filter_fp_chance", TableOption::Float(0.01)),
            ("caching", TableOption::Map(caching)),
            ("cdc", TableOption::Flag(true)),
            ("comment", TableOption::Text(String::new())),
            ("gc_grace_seconds", TableOption::Integer(864_000)),
            ("read_repair", TableOption::Text("BLOCKING".to_owned())),
        ];
        assert_eq!(table.options, options.map(|(name, value)| (name.to_owned(), value)).into());
        assert_eq!(table.extensions, [("e".to_owned(), vec![0])].into());
        assert_eq!(table.triggers["audits"]["class"], "org.example.Audit");
        assert_eq!(table.comment, "");
    }
}
