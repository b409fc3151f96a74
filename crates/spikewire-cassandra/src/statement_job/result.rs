//! The pages of a result, and what came with them.

use std::sync::Arc;

use smallvec::SmallVec;
use spikewire_cql::envelope::Prefix;

use crate::cluster::Node;
use crate::execution::{Answer, Rows};
use crate::statement::{Prepared, Shape};

/// The result of a job.
#[derive(Debug)]
pub enum JobResult<C> {
    /// A prepared statement.
    Prepared(Arc<Prepared>),
    /// Rows, or none.
    Pages(ResultPages<C>),
    /// The success of a statement of which only that matters.
    Success,
}

/// The rows that arrived with one reply.
#[derive(Debug)]
pub struct Page<C> {
    /// Their cells, row by row, in the memory of the host.
    pub cells: C,
    /// How many there are.
    pub count: usize,
    /// Their columns, if they are not those of the first page: the table was changed in between.
    pub other: Option<Arc<Shape>>,
}

/// Pages in the order of their arrival, usually one.
pub type PageList<C> = SmallVec<[Page<C>; 1]>;

/// The pages of a result.
#[derive(Debug)]
pub struct ResultPages<C> {
    /// The columns of the first page. `None` if the statement returns no rows.
    pub shape: Option<Arc<Shape>>,
    /// The pages.
    pub pages: PageList<C>,
    /// Where the next page begins; `None` on the last one.
    pub paging_state: Option<Vec<u8>>,
    /// What came with them.
    pub meta: ResponseMeta,
}

impl<C> Default for ResultPages<C> {
    fn default() -> Self {
        let (pages, meta) = (PageList::new(), ResponseMeta::default());
        Self { shape: None, pages, paging_state: None, meta }
    }
}

impl<C> ResultPages<C> {
    /// Adds the rows of another reply, whose cells were copied.
    #[inline]
    pub(super) fn add(&mut self, rows: &Rows<'_>, cells: C) {
        let mut page = Page { cells, count: rows.count, other: None };
        match &self.shape {
            None => self.shape = Some(rows.shape.clone()),
            Some(first) if first.columns == rows.shape.columns => {}
            Some(_) => page.other = Some(rows.shape.clone()),
        }
        self.pages.push(page);
        self.paging_state = rows.paging_state.map(<[u8]>::to_vec);
    }
}

/// What is known about a result besides its rows.
#[derive(Debug, Default)]
pub struct ResponseMeta {
    /// The node that answered last.
    pub node: Option<Arc<Node>>,
    /// Requests sent, including retries.
    pub attempts: u32,
    /// The length of the replies.
    pub bytes: usize,
    /// Whether all nodes agreed on the schema, if the statement changed it.
    pub schema_agreed: bool,
    /// Rare details. `None` if there are none.
    pub extras: Option<Box<Extras>>,
}

/// Details that only some replies have.
#[derive(Debug, Default)]
pub struct Extras {
    /// Warnings of the server.
    pub warnings: Vec<String>,
    /// Ids of traces, one per page.
    pub tracing_ids: Vec<[u8; 16]>,
    /// The custom payload.
    pub payload: Vec<(String, Option<Vec<u8>>)>,
}

impl ResponseMeta {
    /// Adds the details of another reply.
    #[inline]
    pub(super) fn add(&mut self, answer: &Answer<'_>) {
        self.node = Some(answer.node.clone());
        self.attempts += answer.attempts.count;
        self.bytes += answer.bytes;
        self.schema_agreed = answer.agreed;
        let Prefix { tracing_id, warnings, payload } = &answer.prefix;
        if tracing_id.is_none() && warnings.is_empty() && payload.is_empty() {
            return;
        }
        let extras = self.extras.get_or_insert_default();
        extras.warnings.extend(warnings.iter().map(|warning| (*warning).to_owned()));
        extras.tracing_ids.extend(tracing_id);
        for (name, bytes) in payload {
            extras.payload.push(((*name).to_owned(), bytes.map(<[u8]>::to_vec)));
        }
    }
}
