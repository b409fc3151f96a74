//! What a statement answers.

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

/// The answer to a statement: its rows, all of them or a page, and what came with them.
#[derive(Debug, Clone)]
pub struct QueryResult {
    page: Option<Arc<Page>>,
    paging_state: Option<Arc<[u8]>>,
    came_with: CameWith,
    /// What the statement did, where it was no usual one.
    schema_change: Option<SchemaChange>,
    schema_agreed: bool,
}

/// What came with an answer.
#[derive(Debug, Clone)]
struct CameWith {
    node: Arc<Node>,
    attempts: u32,
    tracing_id: Option<Uuid>,
    warnings: Vec<String>,
    payload: Vec<(String, Option<Vec<u8>>)>,
}

impl QueryResult {
    /// How many rows came.
    pub fn len(&self) -> usize {
        self.page.as_ref().map_or(0, |page| page.len())
    }

    /// Whether no rows came.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The columns of the rows; none where a statement has no rows.
    pub fn columns(&self) -> &[Column] {
        self.page.as_ref().map_or(&[], |page| page.columns())
    }

    /// The row with this number.
    pub fn row(&self, at: usize) -> Option<Row> {
        let page = self.page.as_ref().filter(|page| at < page.len())?;
        Some(Row::of(page, at))
    }

    /// The rows.
    pub fn rows(&self) -> Rows {
        Rows { page: self.page.clone(), at: 0, end: self.len() }
    }

    /// The rows, read as tuples or whatever implements [`FromRow`].
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

    /// The first row, read as a tuple or whatever implements [`FromRow`]; `None` where there is none.
    pub fn first<T: FromRow>(&self) -> Result<Option<T>> {
        self.row(0).map(|row| row.read()).transpose()
    }

    /// A column of the first row; `None` where there is no row.
    pub fn first_value<T: FromValue>(&self, column: impl ColumnIndex) -> Result<Option<T>> {
        self.row(0).map(|row| row.get(column)).transpose()
    }

    /// Whether a conditional statement was applied; `None` for one that had no condition. Where it
    /// was not, its row says what was there instead.
    pub fn was_applied(&self) -> Option<bool> {
        let first = self.columns().first().filter(|column| &*column.name == "[applied]")?;
        let _ = first;
        self.row(0)?.get(0).ok()
    }

    /// Where the next page begins; `None` on the last one. Bytes that any other process can go on
    /// with, through [`CallOptions::paging_state`](super::CallOptions::paging_state).
    pub fn paging_state(&self) -> Option<&Arc<[u8]>> {
        self.paging_state.as_ref()
    }

    /// The address of the node that answered.
    pub fn node(&self) -> std::net::SocketAddr {
        self.came_with.node.address
    }

    /// How often the request was sent.
    pub fn attempts(&self) -> u32 {
        self.came_with.attempts
    }

    /// Under which id `system_traces` has the trace, if one was asked for.
    pub fn tracing_id(&self) -> Option<Uuid> {
        self.came_with.tracing_id
    }

    /// What the server warns of.
    pub fn warnings(&self) -> &[String] {
        &self.came_with.warnings
    }

    /// What a handler in the server adds.
    pub fn payload(&self) -> &[(String, Option<Vec<u8>>)] {
        &self.came_with.payload
    }

    /// What a statement changed about the schema.
    pub fn schema_change(&self) -> Option<&SchemaChange> {
        self.schema_change.as_ref()
    }

    /// Whether all nodes had one schema in the end, if the statement changed it.
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

/// The rows of one answer.
#[derive(Debug, Clone)]
pub struct Rows {
    page: Option<Arc<Page>>,
    at: usize,
    end: usize,
}

impl Rows {
    /// None.
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

/// An answer that was taken off its connection and is looked at where it is needed.
#[derive(Debug)]
pub(super) struct Raw {
    came_with: CameWith,
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
    /// Copies what is borrowed.
    pub fn of(answer: Answer<'_>) -> Self {
        let Answer { node, attempts, prefix, agreed, content } = answer;
        let owned =
            |(name, bytes): (&str, Option<&[u8]>)| (name.to_owned(), bytes.map(<[u8]>::to_vec));
        let came_with = CameWith {
            node: node.clone(),
            attempts: attempts.made,
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

    /// The answer to PREPARE.
    pub fn prepared(self) -> Result<Prepared> {
        match self.content {
            RawContent::Prepared(prepared) => Ok(Prepared(prepared)),
            _ => Err(Error::new(Kind::Malformed, "an answer to PREPARE that is none")),
        }
    }

    /// The answer to anything else.
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
