//! Queries on a tokio runtime: the reactor reports when records may have arrived.

#![expect(unsafe_code, reason = "tokio is lent a descriptor")]

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::runtime;
use tokio::time::{Instant, Sleep, sleep_until};

use spikewire_aerospike::transport::Aerospike;

use super::cell::Ticket;
use crate::aerospike::query_plan::RunningQuery;
use crate::driving::tokio::Handle;
use crate::{Error, Kind, Result};

/// A query, its descriptor registered with the reactor, and the time to check in any case.
#[derive(Debug)]
pub(super) struct Driver {
    watched: AsyncFd<RunningQuery>,
    timer: Option<Pin<Box<Sleep>>>,
    runtime: runtime::Handle,
}

impl Driver {
    /// Starts watching a query.
    pub fn new(handle: &Handle<Aerospike, Ticket>, reading: RunningQuery) -> Result<Self> {
        if handle.is_closed() {
            return Err(Error::closed());
        }
        let runtime = handle.runtime().clone();
        let entered = runtime.enter();
        // SAFETY: a query owns its descriptor, which stays open and unchanged while the query
        // lives, and the watched object is the query.
        let watched = unsafe { AsyncFd::register_with_interest(reading, Interest::READABLE) };
        let watched = watched.map_err(|error| {
            Error::new(Kind::Connection, format!("nothing to watch a query with: {error}"))
        })?;
        drop(entered);
        Ok(Self { watched, timer: None, runtime })
    }

    pub fn reading(&mut self) -> &mut RunningQuery {
        self.watched.get_mut()
    }

    pub fn as_reading(&self) -> &RunningQuery {
        self.watched.get_ref()
    }

    /// Ready when it is time to check for records again.
    pub fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<()>> {
        match self.watched.poll_read_ready(context) {
            Poll::Ready(Ok(mut ready)) => {
                ready.clear_ready();
                return Poll::Ready(Ok(()));
            }
            // The runtime has been shut down.
            Poll::Ready(Err(_)) => return Poll::Ready(Err(Error::closed())),
            Poll::Pending => {}
        }
        let at = Instant::now() + self.watched.get_ref().patience();
        let timer = match &mut self.timer {
            Some(timer) => {
                timer.as_mut().reset(at);
                timer
            }
            none => {
                let _entered = self.runtime.enter();
                none.insert(Box::pin(sleep_until(at)))
            }
        };
        timer.as_mut().poll(context).map(Ok)
    }
}
