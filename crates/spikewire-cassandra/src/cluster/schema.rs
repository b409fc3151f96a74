//! Keyspaces, tables and what belongs to them, as the system tables describe them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The schema of a cluster.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Schema {
    /// The keyspaces, by name.
    pub keyspaces: BTreeMap<String, Keyspace>,
}

/// A keyspace.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Keyspace {
    /// Its replication: `class`, and the options of that class. Empty if it is virtual.
    pub replication: BTreeMap<String, String>,
    /// Whether writes go through the commit log.
    pub durable_writes: bool,
    /// Whether its tables are views into the server.
    pub is_virtual: bool,
    /// Its tables, by name.
    pub tables: BTreeMap<String, Table>,
    /// Its materialized views, by name.
    pub views: BTreeMap<String, View>,
    /// Its user-defined types, by name: names and types of their fields, in order.
    pub types: BTreeMap<String, Vec<(String, String)>>,
    /// Its user-defined functions, by signature: `name(int,text)`.
    pub functions: BTreeMap<String, UserFunction>,
    /// Its user-defined aggregates, by signature.
    pub aggregates: BTreeMap<String, UserAggregate>,
}

/// A table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// Its columns, in the order of `SELECT *`.
    pub columns: Vec<ColumnSchema>,
    /// Its secondary indexes, by name.
    pub indexes: BTreeMap<String, Index>,
    /// Its triggers, by name: their options, of which `class` is what runs.
    pub triggers: BTreeMap<String, BTreeMap<String, String>>,
    /// Its comment.
    pub comment: String,
    /// Its options that are set, `comment` included, as statements name them:
    /// `gc_grace_seconds`, `compaction`.
    pub options: BTreeMap<String, TableOption>,
    /// Data of extensions of the server, by name.
    pub extensions: BTreeMap<String, Vec<u8>>,
}

/// The value of an option of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum TableOption {
    /// True or false: `cdc`.
    Flag(bool),
    /// An integer: `gc_grace_seconds`.
    Integer(i64),
    /// A float: `bloom_filter_fp_chance`.
    Float(f64),
    /// A text: `speculative_retry`.
    Text(String),
    /// Options by name: `compaction`.
    Map(BTreeMap<String, String>),
}

/// A materialized view.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct View {
    /// The table whose rows it has.
    pub base_table: String,
    /// The condition on them.
    pub where_clause: String,
    /// Whether it has all columns of that table, also those that are added to it.
    pub include_all_columns: bool,
    /// The view as a table.
    pub table: Table,
}

/// A column of a table or of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnSchema {
    /// Its name.
    pub name: String,
    /// Its type, as CQL.
    pub cql_type: String,
    /// What it is in its table.
    pub kind: ColumnKind,
}

/// What a column is in its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ColumnKind {
    /// A part of the partition key, with its place in it.
    PartitionKey(u32),
    /// A clustering column, with its place, and whether its order is descending.
    Clustering(u32, bool),
    /// A static column.
    Static,
    /// Another column.
    Regular,
}

/// A secondary index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Index {
    /// `COMPOSITES`, `KEYS` or `CUSTOM`.
    pub kind: String,
    /// Its options; `target` is what it is about.
    pub options: BTreeMap<String, String>,
}

/// A user-defined function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserFunction {
    /// Its name.
    pub name: String,
    /// The types of its arguments, as CQL, in order.
    pub argument_types: Vec<String>,
    /// The names of its arguments, in order.
    pub argument_names: Vec<String>,
    /// The type of what it returns, as CQL.
    pub return_type: String,
    /// The language of its body: `java`.
    pub language: String,
    /// Its body.
    pub body: String,
    /// Whether it is called if an argument is null; otherwise it returns null then.
    pub called_on_null_input: bool,
}

/// A user-defined aggregate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserAggregate {
    /// Its name.
    pub name: String,
    /// The types of its arguments, as CQL, in order.
    pub argument_types: Vec<String>,
    /// The type of what it returns, as CQL.
    pub return_type: String,
    /// The name of the function that takes the state and the arguments, and returns the next state.
    pub state_function: String,
    /// The type of the state, as CQL.
    pub state_type: String,
    /// The name of the function that makes the result of the last state; otherwise it is the result.
    pub final_function: Option<String>,
    /// The first state, as CQL; otherwise it is null.
    pub initial_condition: Option<String>,
}

impl ColumnKind {
    /// Its name: `partition_key`, `clustering`, `static` or `regular`.
    pub fn name(self) -> &'static str {
        match self {
            Self::PartitionKey(_) => "partition_key",
            Self::Clustering(..) => "clustering",
            Self::Static => "static",
            Self::Regular => "regular",
        }
    }
}

impl Table {
    /// The columns of its partition key, in order.
    pub fn partition_key(&self) -> impl Iterator<Item = &ColumnSchema> {
        self.columns.iter().filter(|column| matches!(column.kind, ColumnKind::PartitionKey(_)))
    }

    /// Its clustering columns, in order.
    pub fn clustering(&self) -> impl Iterator<Item = &ColumnSchema> {
        self.columns.iter().filter(|column| matches!(column.kind, ColumnKind::Clustering(..)))
    }

    /// Adds columns in any order.
    pub(super) fn sort(&mut self) {
        self.columns.sort_by(|one, other| (one.kind, &one.name).cmp(&(other.kind, &other.name)));
    }

    fn to_value(&self) -> Value {
        let column = |column: &ColumnSchema| {
            let descends = matches!(column.kind, ColumnKind::Clustering(_, true));
            json!({
                "name": column.name,
                "type": column.cql_type,
                "kind": column.kind.name(),
                "descending": descends,
            })
        };
        let index = |index: &Index| json!({ "kind": index.kind, "options": index.options });
        let hex = |bytes: &Vec<u8>| {
            let digit = |half: u8| char::from_digit(half.into(), 16).unwrap_or_default();
            json!(bytes.iter().flat_map(|it| [digit(it >> 4), digit(it & 15)]).collect::<String>())
        };
        json!({
            "columns": self.columns.iter().map(column).collect::<Vec<_>>(),
            "indexes": by_name(&self.indexes, index),
            "triggers": self.triggers,
            "comment": self.comment,
            "options": by_name(&self.options, TableOption::to_value),
            "extensions": by_name(&self.extensions, hex),
        })
    }
}

impl TableOption {
    fn to_value(&self) -> Value {
        match self {
            Self::Flag(flag) => json!(flag),
            Self::Integer(integer) => json!(integer),
            Self::Float(float) => json!(float),
            Self::Text(text) => json!(text),
            Self::Map(options) => json!(options),
        }
    }
}

impl UserFunction {
    fn to_value(&self) -> Value {
        json!({
            "name": self.name,
            "argumentTypes": self.argument_types,
            "argumentNames": self.argument_names,
            "returnType": self.return_type,
            "language": self.language,
            "body": self.body,
            "calledOnNullInput": self.called_on_null_input,
        })
    }
}

impl UserAggregate {
    fn to_value(&self) -> Value {
        json!({
            "name": self.name,
            "argumentTypes": self.argument_types,
            "returnType": self.return_type,
            "stateFunction": self.state_function,
            "stateType": self.state_type,
            "finalFunction": self.final_function,
            "initialCondition": self.initial_condition,
        })
    }
}

fn by_name<T>(all: &BTreeMap<String, T>, value: impl Fn(&T) -> Value) -> Value {
    Value::Object(all.iter().map(|(name, one)| (name.clone(), value(one))).collect::<Map<_, _>>())
}

impl Schema {
    /// The schema as JSON, for languages that make their own objects of it: keyspaces, tables,
    /// views and types by name; functions and aggregates by signature; columns and fields as lists;
    /// bytes of extensions in hexadecimal.
    pub fn to_json(&self) -> String {
        let view = |view: &View| {
            let mut table = view.table.to_value();
            table["baseTable"] = json!(view.base_table);
            table["whereClause"] = json!(view.where_clause);
            table["includeAllColumns"] = json!(view.include_all_columns);
            table
        };
        let keyspace = |keyspace: &Keyspace| {
            json!({
                "replication": keyspace.replication,
                "durableWrites": keyspace.durable_writes,
                "isVirtual": keyspace.is_virtual,
                "tables": by_name(&keyspace.tables, Table::to_value),
                "views": by_name(&keyspace.views, view),
                "types": by_name(&keyspace.types, |fields| json!(fields)),
                "functions": by_name(&keyspace.functions, UserFunction::to_value),
                "aggregates": by_name(&keyspace.aggregates, UserAggregate::to_value),
            })
        };
        by_name(&self.keyspaces, keyspace).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_in_the_order_of_select_star() {
        let column = |name: &str, kind| ColumnSchema {
            name: name.to_owned(),
            cql_type: "int".to_owned(),
            kind,
        };
        let mut table = Table {
            columns: vec![
                column("b", ColumnKind::Regular),
                column("c2", ColumnKind::Clustering(1, true)),
                column("p2", ColumnKind::PartitionKey(1)),
                column("a", ColumnKind::Regular),
                column("s", ColumnKind::Static),
                column("c1", ColumnKind::Clustering(0, false)),
                column("p1", ColumnKind::PartitionKey(0)),
            ],
            ..Table::default()
        };
        table.sort();
        let names = |columns: Vec<&ColumnSchema>| {
            columns.into_iter().map(|column| column.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(table.columns.iter().collect()), ["p1", "p2", "c1", "c2", "s", "a", "b"]);
        assert_eq!(names(table.partition_key().collect()), ["p1", "p2"]);
        assert_eq!(names(table.clustering().collect()), ["c1", "c2"]);
    }

    #[test]
    fn names_of_any_kind_are_valid_json() {
        let fields = vec![("a".to_owned(), "int".to_owned())];
        let types = [("quote\" \u{1f600}".to_owned(), fields)].into();
        let keyspaces = [("k".to_owned(), Keyspace { types, ..Keyspace::default() })].into();
        let text = Schema { keyspaces }.to_json();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["k"]["types"]["quote\" \u{1f600}"], json!([["a", "int"]]));
        assert_eq!(value["k"]["durableWrites"], json!(false));
    }

    #[test]
    fn options_keep_their_types() {
        let options = [
            ("cdc", TableOption::Flag(false)),
            ("gc_grace_seconds", TableOption::Integer(864_000)),
            ("crc_check_chance", TableOption::Float(1.0)),
            ("comment", TableOption::Text("it's".to_owned())),
            ("caching", TableOption::Map([("keys".to_owned(), "ALL".to_owned())].into())),
        ];
        let options = options.map(|(name, value)| (name.to_owned(), value)).into();
        let extensions = [("e".to_owned(), vec![0, 255])].into();
        let value = Table { options, extensions, ..Table::default() }.to_value();
        assert_eq!(
            value["options"].to_string(),
            r#"{"caching":{"keys":"ALL"},"cdc":false,"comment":"it's","crc_check_chance":1.0,"gc_grace_seconds":864000}"#
        );
        assert_eq!(value["extensions"], json!({ "e": "00ff" }));
    }
}
