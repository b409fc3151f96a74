//! What happens seldom, in a line for whoever listens. Nothing waits for a listener: a line that
//! is full loses what comes, and says how much.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use spikewire_sync::{Condvar, Mutex};

/// Events that wait for the listener.
const MOST: usize = 4096;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A node joined the cluster as the client sees it.
    NodeUp(Arc<str>),
    /// A node left it.
    NodeDown(Arc<str>),
    /// Who holds which partition or token changed.
    MapChanged,
    /// A node failed so often that commands leave it alone.
    BreakerOpened(Arc<str>),
    /// They go there again.
    BreakerClosed(Arc<str>),
    /// A command took longer than it should.
    Slow(SlowCommand),
}

/// A command that took longer than [`Metrics::tell_of_slower_than`](super::Metrics) says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlowCommand {
    /// What kind of command it is.
    pub operation: &'static str,
    /// The namespace or keyspace.
    pub namespace: Arc<str>,
    /// The node that answered or failed.
    pub node: Arc<str>,
    /// How it ended.
    pub result: &'static str,
    /// From the call to the end.
    pub took: Duration,
    /// Records that it was about.
    pub records: usize,
    /// Attempts that were made.
    pub attempts: u32,
}

/// The line of events of a client.
#[derive(Debug, Default)]
pub struct Events {
    listens: AtomicBool,
    line: Mutex<Line>,
    news: Condvar,
}

#[derive(Debug, Default)]
struct Line {
    waiting: VecDeque<Event>,
    lost: u64,
}

impl Events {
    /// From here on events are kept for the listener, or no more.
    pub fn listen(&self, listens: bool) {
        self.listens.store(listens, Relaxed);
        let mut line = self.line.lock();
        if !listens {
            *line = Line::default();
        }
        self.news.notify_all();
    }

    /// Whether anything listens.
    pub fn is_heard(&self) -> bool {
        self.listens.load(Relaxed)
    }

    /// Puts an event in line if anything listens.
    pub fn push(&self, event: Event) {
        if !self.is_heard() {
            return;
        }
        let mut line = self.line.lock();
        if line.waiting.len() < MOST {
            line.waiting.push_back(event);
        } else {
            line.lost += 1;
        }
        drop(line);
        self.news.notify_all();
    }

    /// Waits up to `limit` for events and takes them; also how many found no place since the last
    /// time. Comes back at once when nothing listens any more.
    pub fn wait(&self, limit: Duration) -> (Vec<Event>, u64) {
        let until = Instant::now() + limit;
        let mut line = self.line.lock();
        while line.waiting.is_empty() && line.lost == 0 && self.is_heard() {
            if Instant::now() >= until {
                break;
            }
            (line, _) = self.news.wait_until(line, until);
        }
        let lost = std::mem::take(&mut line.lost);
        (line.waiting.drain(..).collect(), lost)
    }
}
