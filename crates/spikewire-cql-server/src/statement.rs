//! A resolved statement: its markers, columns and answer.

use std::sync::Arc;

use spikewire_cql::notation::Reader;
use spikewire_cql::request::Values;
use spikewire_cql::response::{Column, Metadata};
use spikewire_cql::token::{put_partition_key, token};
use spikewire_cql::types::Type;

use crate::canned::{Page, put, value};
use crate::table::Table;
use crate::text::{Condition, Select, Term};

/// A statement ready for execution.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) table: Arc<Table>,
    pub(crate) markers: Metadata,
    /// Which marker supplies each column of the partition key; empty if not all do.
    pub(crate) partition_key: Vec<u16>,
    pub(crate) result: Option<Metadata>,
    pub(crate) metadata_id: [u8; 16],
    pub(crate) answer: Answer,
}

/// What executing a statement returns.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Nothing.
    Done,
    /// One row, cell by cell.
    Row(Vec<Cell>),
    /// Made-up rows.
    Page(Page),
    /// Rows of a system table: these columns of the matching ones.
    System { columns: Vec<usize>, filters: Vec<(usize, Cell)> },
}

/// A cell.
#[derive(Debug)]
pub(crate) enum Cell {
    /// The value bound to a marker.
    Bound(usize),
    /// Made up, or a literal in the statement; length-prefixed.
    Fixed(Vec<u8>),
}

impl Cell {
    /// Its length-prefixed bytes.
    pub(crate) fn bytes<'a>(&'a self, bound: &[&'a [u8]]) -> &'a [u8] {
        match self {
            Self::Bound(marker) => bound[*marker],
            Self::Fixed(bytes) => bytes,
        }
    }
}

/// The id of something with this text.
pub(crate) fn id_of(text: &[u8]) -> [u8; 16] {
    let mut id = [0; 16];
    id[..8].copy_from_slice(&token(text).to_be_bytes());
    id[8..].copy_from_slice(&(text.len() as u64).to_be_bytes());
    id
}

/// Collects the markers of a statement, in order.
struct Markers<'a> {
    table: &'a Table,
    columns: Vec<Column>,
    /// The table column that each is compared with or written to.
    of: Vec<Option<usize>>,
}

impl<'a> Markers<'a> {
    fn new(table: &'a Table) -> Self {
        Self { table, columns: Vec::new(), of: Vec::new() }
    }

    fn add(&mut self, column: usize) -> usize {
        self.columns.push(self.table.columns[column].0.clone());
        self.of.push(Some(column));
        self.columns.len() - 1
    }

    /// Adds a marker without a column, such as `[ttl]`.
    fn add_other(&mut self, name: &str, ty: Type) {
        let (keyspace, table) = (self.table.keyspace.clone(), self.table.name.clone());
        self.columns.push(Column { keyspace, table, name: name.into(), ty });
        self.of.push(None);
    }

    fn partition_key(&self) -> Vec<u16> {
        let marker = |column| self.of.iter().position(|of| *of == Some(column));
        let markers: Option<Vec<u16>> = self
            .table
            .partition_key()
            .into_iter()
            .map(|column| marker(column).map(|at| at as u16))
            .collect();
        markers.unwrap_or_default()
    }
}

/// Resolves an INSERT.
pub(crate) fn insert(
    table: Arc<Table>,
    columns: &[(String, Term)],
    using: &[String],
) -> Result<Prepared, String> {
    if table.is_system {
        return Err(format!("{} is read-only", table.full_name()));
    }
    let mut markers = Markers::new(&table);
    let mut written = Vec::new();
    for (name, term) in columns {
        let column = table.position(name)?;
        written.push(column);
        if *term == Term::Marker {
            markers.add(column);
        }
    }
    if let Some(missing) = table.primary_key().find(|key| !written.contains(key)) {
        let name = &table.columns[missing].0.name;
        return Err(format!("Some partition key parts are missing: {name}"));
    }
    for what in using {
        let ty = if what == "ttl" { Type::Int } else { Type::Bigint };
        markers.add_other(&format!("[{what}]"), ty);
    }
    let (partition_key, columns) = (markers.partition_key(), markers.columns);
    Ok(Prepared {
        markers: Metadata { columns: columns.into() },
        partition_key,
        result: None,
        metadata_id: id_of(b""),
        answer: Answer::Done,
        table,
    })
}

/// Resolves a SELECT; it returns `rows` made-up rows unless it has the whole primary key.
pub(crate) fn select(table: Arc<Table>, select: &Select, rows: usize) -> Result<Prepared, String> {
    let mut markers = Markers::new(&table);
    let mut filters = Vec::new();
    for Condition { column, is_equality, term } in &select.conditions {
        let column = table.position(column)?;
        let cell = match term {
            Term::Marker => Cell::Bound(markers.add(column)),
            Term::Text(text) | Term::Literal(text) => Cell::Fixed(literal(&table, column, text)?),
        };
        if *is_equality {
            filters.push((column, cell));
        } else if table.is_system {
            return Err(format!("{} supports only conditions with = here", table.full_name()));
        }
    }
    if select.limit == Some(Term::Marker) {
        markers.add_other("[limit]", Type::Int);
    }
    let columns: Vec<usize> = match &select.columns {
        None => (0..table.columns.len()).collect(),
        Some(names) => names.iter().map(|name| table.position(name)).collect::<Result<_, _>>()?,
    };
    let described: Vec<Column> = columns.iter().map(|at| table.columns[*at].0.clone()).collect();
    let is_row = table.primary_key().all(|key| filters.iter().any(|(column, _)| *column == key));
    let answer = if table.is_system {
        Answer::System { columns, filters }
    } else if is_row {
        Answer::Row(
            columns
                .iter()
                .map(|at| canned_cell(&table, *at, &filters))
                .collect::<Result<_, _>>()?,
        )
    } else {
        let rows = match &select.limit {
            Some(Term::Literal(limit)) => {
                limit.parse().map_or(rows, |limit: usize| limit.min(rows))
            }
            _ => rows,
        };
        Answer::Page(Page::of(&described, rows)?)
    };
    let written: Vec<_> = described.iter().map(|one| format!("{} {}", one.name, one.ty)).collect();
    let (partition_key, bound) = (markers.partition_key(), markers.columns);
    Ok(Prepared {
        markers: Metadata { columns: bound.into() },
        partition_key,
        metadata_id: id_of(format!("{} {}", table.full_name(), written.join(", ")).as_bytes()),
        result: Some(Metadata { columns: described.into() }),
        answer,
        table,
    })
}

/// A cell of a row selected by its key: the requested value, or a made-up one.
fn canned_cell(table: &Table, at: usize, filters: &[(usize, Cell)]) -> Result<Cell, String> {
    match filters.iter().find(|(column, _)| *column == at) {
        Some((_, Cell::Bound(marker))) => Ok(Cell::Bound(*marker)),
        Some((_, Cell::Fixed(bytes))) => Ok(Cell::Fixed(bytes.clone())),
        None => {
            let (column, mut cell) = (&table.columns[at].0, Vec::new());
            put(&column.ty, &value(column, 0), &mut cell)?;
            Ok(Cell::Fixed(cell))
        }
    }
}

/// A literal in a statement as a cell.
fn literal(table: &Table, at: usize, text: &str) -> Result<Vec<u8>, String> {
    use spikewire_cql::value::Value;
    let column = &table.columns[at].0;
    let invalid = || format!("Invalid constant ({text}) for {} of type {}", column.name, column.ty);
    let value = match &column.ty {
        Type::Text | Type::Ascii => Value::Text(text.to_owned()),
        Type::Int | Type::Bigint | Type::Smallint | Type::Tinyint => {
            Value::Bigint(text.parse().map_err(|_| invalid())?)
        }
        Type::Boolean => Value::Boolean(text.parse().map_err(|_| invalid())?),
        Type::Inet => Value::Inet(text.parse().map_err(|_| invalid())?),
        _ => return Err(format!("bind the value of {}, {}", column.name, column.ty)),
    };
    let mut cell = Vec::new();
    put(&column.ty, &value, &mut cell)?;
    Ok(cell)
}

impl Prepared {
    /// Checks that there are as many values as markers.
    pub(crate) fn check(&self, values: &Values<'_>) -> Result<(), String> {
        let (markers, bound) = (self.markers.columns.len(), values.count);
        if markers == bound {
            return Ok(());
        }
        Err(format!("there were {markers} markers(?) in CQL but {bound} bound variables"))
    }

    /// The token of the statement's partition, if its key is bound.
    pub(crate) fn token(&self, values: &Values<'_>) -> Result<Option<i64>, String> {
        if self.partition_key.is_empty() {
            return Ok(None);
        }
        let bound = self.bound(values)?;
        let columns = self.partition_key.iter().map(|marker| {
            let with_length = bound[usize::from(*marker)];
            with_length.get(4..).unwrap_or_default()
        });
        let mut key = Vec::new();
        put_partition_key(columns, &mut key).map_err(|error| error.to_string())?;
        Ok(Some(token(&key)))
    }

    /// The value of each marker, length-prefixed.
    pub(crate) fn bound<'a>(&self, values: &Values<'a>) -> Result<Vec<&'a [u8]>, String> {
        self.check(values)?;
        let mut reader = Reader(values.bytes);
        let mut bound: Vec<&[u8]> = vec![&[]; values.count];
        for at in 0..values.count {
            let mut marker = at;
            if values.named {
                let name = reader.string().map_err(|error| error.to_string())?;
                let position = self.markers.columns.iter().position(|column| *column.name == *name);
                marker = position.ok_or_else(|| format!("there is no marker {name}"))?;
            }
            let before = reader.rest();
            reader.bytes().map_err(|error| error.to_string())?;
            bound[marker] = &before[..before.len() - reader.rest().len()];
        }
        Ok(bound)
    }
}
