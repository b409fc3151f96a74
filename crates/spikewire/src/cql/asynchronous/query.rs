//! Rows and pages as streams, on any executor and on tokio.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use futures_core::stream::FusedStream;
use spikewire_cassandra::Result;
use spikewire_cassandra::statement::StatementOptions;

use super::Core;
use super::pending::Pending;
use crate::cql::prepared::Bound;
use crate::cql::result::{QueryResult, Raw, Rows};
use crate::cql::row::Row;
use crate::cql::span::StatementSpan;

/// Number of rows after which a task yields, even if more are available.
const TURN: u32 = 256;

/// The pages of a statement, as a [`Stream`] of results. After an error there are no more: continue
/// from the paging state of the page before.
#[derive(Debug)]
#[must_use = "pages come when the stream is polled"]
pub struct PageStream {
    core: Arc<Core>,
    bound: Bound,
    /// With the paging state for the next page.
    options: StatementOptions,
    /// The page being fetched.
    pending: Option<Pending>,
    over: bool,
    span: StatementSpan,
}

impl PageStream {
    pub(super) fn new(
        core: Arc<Core>,
        (bound, options): (Bound, StatementOptions),
        span: StatementSpan,
    ) -> Self {
        Self { core, bound, options, pending: None, over: false, span }
    }

    /// The next page; `None` when there are no more. For loops that do not use the traits of the
    /// crate `futures`.
    pub async fn next(&mut self) -> Option<Result<QueryResult>> {
        std::future::poll_fn(|context| self.poll_page(context)).await
    }

    fn poll_page(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<QueryResult>>> {
        if self.over {
            return Poll::Ready(None);
        }
        let pending = match &mut self.pending {
            Some(pending) => pending,
            none => match self.bound.compose(&self.core.composer, &self.options) {
                Ok(call) => none.insert(Pending::new(self.core.clone(), Box::new(call))),
                Err(error) => {
                    self.over = true;
                    self.span.failed(&error);
                    return Poll::Ready(Some(Err(error)));
                }
            },
        };
        let page = ready!(Pin::new(pending).poll(context)).and_then(Raw::result);
        self.pending = None;
        self.options.paging_state =
            page.as_ref().ok().and_then(|page| page.paging_state().cloned());
        self.over = self.options.paging_state.is_none();
        self.span.read(&page, self.over);
        Poll::Ready(Some(page))
    }
}

impl Stream for PageStream {
    type Item = Result<QueryResult>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<QueryResult>>> {
        self.poll_page(context)
    }
}

impl FusedStream for PageStream {
    fn is_terminated(&self) -> bool {
        self.over
    }
}

/// The rows of a statement, page after page, as a [`Stream`] of results. After an error the stream
/// ends.
#[derive(Debug)]
#[must_use = "rows come when the stream is polled"]
pub struct RowStream {
    pages: PageStream,
    rows: Rows,
    /// The page after these rows, if it has arrived already.
    ahead: Option<Result<QueryResult>>,
    /// Whether that was requested.
    asked: bool,
    /// Rows since the task last yielded.
    run: u32,
}

impl RowStream {
    pub(super) async fn begin(mut pages: PageStream) -> Result<Self> {
        let first = pages.next().await.transpose()?;
        let rows = first.map_or_else(Rows::none, |first| first.rows());
        Ok(Self { pages, rows, ahead: None, asked: false, run: 0 })
    }

    /// The next row; `None` when there are no more. For loops that do not use the traits of the
    /// crate `futures`.
    pub async fn next(&mut self) -> Option<Result<Row>> {
        std::future::poll_fn(|context| self.poll_row(context)).await
    }

    fn poll_row(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Row>>> {
        loop {
            if !self.asked {
                self.asked = true;
                if let Poll::Ready(page) = self.pages.poll_page(context) {
                    self.ahead = page;
                }
            }
            if self.run >= TURN {
                self.run = 0;
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            if let Some(row) = self.rows.next() {
                self.run += 1;
                return Poll::Ready(Some(Ok(row)));
            }
            let page = if let Some(page) = self.ahead.take() {
                Some(page)
            } else {
                let polled = self.pages.poll_page(context);
                if polled.is_pending() {
                    self.run = 0;
                }
                ready!(polled)
            };
            match page {
                Some(Ok(page)) => (self.rows, self.asked) = (page.rows(), false),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}

impl Stream for RowStream {
    type Item = Result<Row>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Row>>> {
        self.poll_row(context)
    }
}

impl FusedStream for RowStream {
    fn is_terminated(&self) -> bool {
        self.pages.over && self.ahead.is_none() && self.rows.len() == 0
    }
}
