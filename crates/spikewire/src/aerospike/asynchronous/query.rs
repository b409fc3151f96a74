//! Queries as streams, on any executor and on tokio. The task that consumes the records reads them;
//! it is woken when some may have arrived.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use futures_core::stream::FusedStream;

use super::AsyncCore;
use super::transport::Driver;
use crate::aerospike::query_plan::PreparedQuery;
use crate::aerospike::query_plan::{ReadStep, RunningQuery};
use crate::{Page, QueryRecord, Result};

/// Number of records after which a task yields, even if more are available.
const TURN: u32 = 256;

/// The records of a query, as a [`Stream`] of results.
///
/// Nodes send at the pace at which records are consumed: at most [`window`](crate::Query::window)
/// bytes per node are buffered, however many records there are. After an error there are no more
/// records; [`cursor`](Self::cursor) still returns the caller's position. Dropping it ends the
/// query, and the nodes stop.
#[derive(Debug)]
#[must_use = "records come when the stream is polled"]
pub struct AsyncRecords {
    driver: Driver,
    /// Records since the task last yielded.
    run: u32,
    over: bool,
    /// Keeps the connections open while records are read.
    _core: Arc<AsyncCore>,
}

impl AsyncRecords {
    pub(super) fn new(core: &Arc<AsyncCore>, plan: PreparedQuery) -> Result<Self> {
        let reading = RunningQuery::new(core.context.streams.clone(), plan)?;
        let driver = core.transport.drive(reading)?;
        Ok(Self { driver, run: 0, over: false, _core: core.clone() })
    }

    /// The next record; `None` when there are no more. For loops that do not use the traits of the
    /// crate `futures`.
    pub async fn next(&mut self) -> Option<Result<QueryRecord>> {
        std::future::poll_fn(|context| self.poll_record(context)).await
    }

    /// The caller's position, as bytes: [`Query::resume`](crate::Query::resume) on the same query
    /// continues after the last record that was taken, in this process or another one, in Rust or
    /// in Python.
    pub fn cursor(&self) -> Vec<u8> {
        self.driver.as_reading().cursor()
    }

    fn poll_record(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<QueryRecord>>> {
        if self.over {
            return Poll::Ready(None);
        }
        if self.run >= TURN {
            self.run = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let item = loop {
            match self.driver.reading().next_now() {
                Ok(ReadStep::NotYet | ReadStep::InPart) => {}
                Ok(ReadStep::Ready(item)) => break Some(Ok(item)),
                Ok(ReadStep::Over) => break None,
                Err(error) => break Some(Err(error)),
            }
            match self.driver.poll(context) {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(error)) => break Some(Err(error)),
                Poll::Pending => {
                    self.run = 0;
                    return Poll::Pending;
                }
            }
        };
        self.run += 1;
        self.over = !matches!(item, Some(Ok(_)));
        Poll::Ready(item)
    }
}

impl Stream for AsyncRecords {
    type Item = Result<QueryRecord>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<QueryRecord>>> {
        self.poll_record(context)
    }
}

impl FusedStream for AsyncRecords {
    fn is_terminated(&self) -> bool {
        self.over
    }
}

/// The records of a query page by page, as a [`Stream`] of results. No page is empty. After an
/// error there are no more: resume from the cursor of the page before it.
#[derive(Debug)]
#[must_use = "pages come when the stream is polled"]
pub struct AsyncPages {
    driver: Driver,
    size: usize,
    over: bool,
    /// Keeps the connections open while records are read.
    _core: Arc<AsyncCore>,
}

impl AsyncPages {
    pub(super) fn new(core: &Arc<AsyncCore>, plan: PreparedQuery, size: usize) -> Result<Self> {
        let reading = RunningQuery::new(core.context.streams.clone(), plan)?;
        let driver = core.transport.drive(reading)?;
        Ok(Self { driver, size, over: false, _core: core.clone() })
    }

    /// The next page; `None` when there are no more. For loops that do not use the traits of the
    /// crate `futures`.
    pub async fn next(&mut self) -> Option<Result<Page>> {
        std::future::poll_fn(|context| self.poll_page(context)).await
    }

    fn poll_page(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Page>>> {
        if self.over {
            return Poll::Ready(None);
        }
        let page = loop {
            match self.driver.reading().page_now(self.size) {
                Ok(ReadStep::NotYet) => {}
                Ok(ReadStep::InPart) => {
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Ok(ReadStep::Ready(page)) => break Some(Ok(page)),
                Ok(ReadStep::Over) => break None,
                Err(error) => break Some(Err(error)),
            }
            if let Err(error) = ready!(self.driver.poll(context)) {
                break Some(Err(error));
            }
        };
        self.over = !matches!(page, Some(Ok(_)));
        Poll::Ready(page)
    }
}

impl Stream for AsyncPages {
    type Item = Result<Page>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Page>>> {
        self.poll_page(context)
    }
}
