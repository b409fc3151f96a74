//! Results of statements.

use std::sync::Arc;

use spikewire_cassandra::cluster::Node;
use spikewire_cassandra::execution::{Answer, Content};
use spikewire_cassandra::statement::Shape;
use spikewire_cassandra::{Error, Kind, Result, statement};
use spikewire_cql::response::{Column, SchemaChange};
use spikewire_cql::value::Uuid;

use super::prepared::Prepared;
use super::row::{ColumnIndex, FromRow, Page, Row};
use super::value::FromValue;

/// The result of a statement: its rows, all of them or a page, and metadata.
#[derive(Debug, Clone)]
pub struct QueryResult {
    page: Option<Arc<Page>>,
    paging_state: Option<Arc<[u8]>>,
    came_with: ResultMeta,
    /// The schema change of the statement, if any.
    schema_change: Option<SchemaChange>,
    schema_agreed: bool,
}

/// Metadata of a result.
#[derive(Debug, Clone)]
struct ResultMeta {
    node: Arc<Node>,
    attempts: u32,
    tracing_id: Option<Uuid>,
    warnings: Vec<String>,
    payload: Vec<(String, Option<Vec<u8>>)>,
}

impl QueryResult {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.page.as_ref().map_or(0, |page| page.len())
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The columns of the rows; none if the statement has no rows.
    pub fn columns(&self) -> &[Column] {
        self.page.as_ref().map_or(&[], |page| page.columns())
    }

    /// The row with this index.
    pub fn row(&self, at: usize) -> Option<Row> {
        let page = self.page.as_ref().filter(|page| at < page.len())?;
        Some(Row::of(page, at))
    }

    /// The rows.
    pub fn rows(&self) -> Rows {
        Rows { page: self.page.clone(), at: 0, end: self.len() }
    }

    /// The rows, read as tuples or other types that implement [`FromRow`].
    ///
    /// ```no_run
    /// # fn example(result: spikewire::cql::QueryResult) -> spikewire::cql::Result<()> {
    /// for row in result.rows_as::<(i32, String)>() {
    ///     let (id, name) = row?;
    ///     println!("{id} {name}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn rows_as<T: FromRow>(&self) -> impl ExactSizeIterator<Item = Result<T>> + use<T> {
        self.rows().map(|row| row.read())
    }

    /// The first row, read as a tuple or whatever implements [`FromRow`]; `None` if there is none.
    pub fn first<T: FromRow>(&self) -> Result<Option<T>> {
        self.row(0).map(|row| row.read()).transpose()
    }

    /// A column of the first row; `None` if there is no row.
    pub fn first_value<T: FromValue>(&self, column: impl ColumnIndex) -> Result<Option<T>> {
        self.row(0).map(|row| row.get(column)).transpose()
    }

    /// Whether a conditional statement was applied; `None` for an unconditional one. If it was not
    /// applied, its row contains the existing values.
    pub fn was_applied(&self) -> Option<bool> {
        let first = self.columns().first().filter(|column| &*column.name == "[applied]")?;
        let _ = first;
        self.row(0)?.get(0).ok()
    }

    /// Where the next page starts; `None` on the last one. Any other process can continue with it,
    /// through [`CallOptions::paging_state`](super::CallOptions::paging_state).
    pub fn paging_state(&self) -> Option<&Arc<[u8]>> {
        self.paging_state.as_ref()
    }

    /// The address of the node that replied.
    pub fn node(&self) -> std::net::SocketAddr {
        self.came_with.node.address
    }

    /// How often the request was sent.
    pub fn attempts(&self) -> u32 {
        self.came_with.attempts
    }

    /// The id of the trace in `system_traces`, if requested.
    pub fn tracing_id(&self) -> Option<Uuid> {
        self.came_with.tracing_id
    }

    /// Warnings of the server.
    pub fn warnings(&self) -> &[String] {
        &self.came_with.warnings
    }

    /// The custom payload of a handler in the server.
    pub fn payload(&self) -> &[(String, Option<Vec<u8>>)] {
        &self.came_with.payload
    }

    /// The schema change of the statement.
    pub fn schema_change(&self) -> Option<&SchemaChange> {
        self.schema_change.as_ref()
    }

    /// Whether all nodes reached schema agreement, if the statement changed the schema.
    pub fn schema_agreed(&self) -> bool {
        self.schema_agreed
    }
}

impl IntoIterator for QueryResult {
    type Item = Row;
    type IntoIter = Rows;

    fn into_iter(self) -> Rows {
        self.rows()
    }
}

/// The rows of one result.
#[derive(Debug, Clone)]
pub struct Rows {
    page: Option<Arc<Page>>,
    at: usize,
    end: usize,
}

impl Rows {
    /// No rows.
    pub(super) fn none() -> Self {
        Self { page: None, at: 0, end: 0 }
    }
}

impl Iterator for Rows {
    type Item = Row;

    #[inline]
    fn next(&mut self) -> Option<Row> {
        if self.at == self.end {
            return None;
        }
        self.at += 1;
        self.page.as_ref().map(|page| Row::of(page, self.at - 1))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end - self.at;
        (left, Some(left))
    }

    fn nth(&mut self, skipped: usize) -> Option<Row> {
        self.at = self.at.saturating_add(skipped).min(self.end);
        self.next()
    }
}

impl DoubleEndedIterator for Rows {
    fn next_back(&mut self) -> Option<Row> {
        if self.at == self.end {
            return None;
        }
        self.end -= 1;
        self.page.as_ref().map(|page| Row::of(page, self.end))
    }
}

impl ExactSizeIterator for Rows {}
impl std::iter::FusedIterator for Rows {}

/// An undecoded reply, decoded by the caller's thread.
#[derive(Debug)]
pub(super) struct Raw {
    came_with: ResultMeta,
    schema_agreed: bool,
    content: RawContent,
}

#[derive(Debug)]
enum RawContent {
    Nothing,
    Rows { shape: Arc<Shape>, cells: Vec<u8>, count: usize, paging_state: Option<Arc<[u8]>> },
    Prepared(Arc<statement::Prepared>),
    Schema(SchemaChange),
}

impl Raw {
    /// Copies borrowed data.
    pub fn of(answer: Answer<'_>) -> Self {
        let Answer { node, attempts, prefix, agreed, content, .. } = answer;
        let owned =
            |(name, bytes): (&str, Option<&[u8]>)| (name.to_owned(), bytes.map(<[u8]>::to_vec));
        let came_with = ResultMeta {
            node: node.clone(),
            attempts: attempts.count,
            tracing_id: prefix.tracing_id.map(Uuid),
            warnings: prefix.warnings.into_iter().map(str::to_owned).collect(),
            payload: prefix.payload.into_iter().map(owned).collect(),
        };
        let content = match content {
            Content::Void | Content::Keyspace(_) => RawContent::Nothing,
            Content::Rows(rows) => RawContent::Rows {
                shape: rows.shape,
                cells: rows.cells.0.rest().to_vec(),
                count: rows.count,
                paging_state: rows.paging_state.map(Arc::from),
            },
            Content::Prepared(prepared) => RawContent::Prepared(prepared),
            Content::Schema(change) => RawContent::Schema(change),
        };
        Self { came_with, schema_agreed: agreed, content }
    }

    /// Decodes the reply to PREPARE.
    pub fn prepared(self) -> Result<Prepared> {
        match self.content {
            RawContent::Prepared(prepared) => Ok(Prepared(prepared)),
            _ => Err(Error::new(Kind::Malformed, "an answer to PREPARE that is none")),
        }
    }

    /// Decodes the reply to anything else.
    pub fn result(self) -> Result<QueryResult> {
        let Self { came_with, schema_agreed, content } = self;
        let (mut page, mut paging_state, mut schema_change) = (None, None, None);
        match content {
            RawContent::Nothing | RawContent::Prepared(_) => {}
            RawContent::Rows { shape, cells, count, paging_state: state } => {
                let read = Page::new(shape, cells, count);
                page = Some(Arc::new(read.map_err(|error| error.on(came_with.node.to_string()))?));
                paging_state = state;
            }
            RawContent::Schema(change) => schema_change = Some(change),
        }
        Ok(QueryResult { page, paging_state, came_with, schema_change, schema_agreed })
    }
}
