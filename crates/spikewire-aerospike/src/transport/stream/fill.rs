//! Waiting for records: connecting, writing requests, reading replies into the windows.

use std::io;
use std::time::Duration;

use spikewire_transport::Fault;
use spikewire_transport::dial::Opening;

use super::line::SocketRead;
use super::{Stream, WAKER};
use crate::clock::Tick;
use crate::model::{Error, Kind, Result};

/// How often a waiting stream checks whether its nodes still exist.
const LOOK: Duration = Duration::from_millis(100);
/// How long after a pause to wait for the rest of the data that a node sent before it gave up.
const GRACE: Duration = Duration::from_secs(2);

impl Stream {
    /// Gets more records: sends requests, reads what has arrived, or waits up to `wait` for it
    /// (`Some(ZERO)`: does not wait). Call it when [`Stream::take`] returned none. Returns whether
    /// to call that again. Returns early, with `false`, when a signal arrived.
    pub fn fill(&mut self, wait: Option<Duration>) -> Result<bool> {
        // A query begins with its first request.
        if self.pieces == 0 && !self.tally.is_open() && !self.planning.is_alone {
            self.tally.begin();
        }
        let filled = self.fill_more(wait);
        if self.tally.is_open() {
            match &filled {
                Ok(_) if self.is_over() => self.tally.done(),
                Ok(_) => {}
                Err(error) => self.tally.failed(error),
            }
        }
        filled
    }

    fn fill_more(&mut self, wait: Option<Duration>) -> Result<bool> {
        self.check()?;
        let now = Tick::now();
        self.notice_pause(now);
        self.waiting.get_or_insert(now);
        self.launch(now);
        self.check()?;
        if self.is_over() || self.page == Some(0) || self.read_ready(now) {
            return self.check().map(|()| true);
        }
        let until = self.alarm().since(now);
        let wait = wait.map_or(until, |wait| wait.min(until));
        match self.poll.poll(&mut self.events, Some(wait.min(LOOK))) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                return Err(poller_failed(&error));
            }
            _ => {}
        }
        let now = Tick::now();
        self.touched = now;
        self.take_events(now);
        let some = self.read_ready(now);
        self.expire(now);
        self.check()?;
        Ok(some || self.is_over())
    }

    /// Consumes the poller's events, so that the descriptor is no longer readable; the next
    /// [`Stream::fill`] reads the data. For an event loop that watches the descriptor even while no
    /// records are awaited.
    pub fn take_readiness(&mut self) -> Result<()> {
        match self.poll.poll(&mut self.events, Some(Duration::ZERO)) {
            Ok(()) => self.take_events(Tick::now()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(poller_failed(&error)),
        }
        Ok(())
    }

    /// When to call [`Stream::fill`] even if the descriptor is not readable.
    pub fn alarm(&self) -> Tick {
        let mut alarm = self.deadline;
        // Without room, what waits is requested when a node has answered.
        let has_room = self.room() > 0;
        if has_room && self.tracker.has_waiting() && self.wants() > 0 && !self.is_asking() {
            alarm = alarm.min(self.again);
        }
        for line in self.lines.iter().flatten() {
            alarm = alarm
                .min(line.opening.as_ref().map_or(Tick::NEVER, Opening::until))
                .min(self.silence_ends(line.last));
        }
        alarm
    }

    fn silence_ends(&self, last: Tick) -> Tick {
        // With a rate limit, long gaps between records are normal.
        if self.limits.socket_timeout.is_zero() || self.query.records_per_second > 0 {
            return Tick::NEVER;
        }
        self.waiting.map_or(last, |since| since.max(last)).after(self.limits.socket_timeout)
    }

    /// The caller took no records for longer than a node waits: if a connection turns out to be
    /// closed, that is the reason.
    pub(super) fn notice_pause(&mut self, now: Tick) {
        let limit = self.limits.socket_timeout;
        if !limit.is_zero() && self.touched.after(limit) <= now {
            for line in self.lines.iter_mut().flatten() {
                (line.paused, line.ready) = (Some(now.after(GRACE)), true);
            }
        }
        self.touched = now;
    }

    fn take_events(&mut self, now: Tick) {
        let mut broken = Vec::new();
        for event in &self.events {
            if event.token() == WAKER {
                continue;
            }
            let index = event.token().0;
            let Some(line) = self.lines.get_mut(index).and_then(Option::as_mut) else { continue };
            line.ready = true;
            line.ended |= event.is_read_closed();
            let there = line.opening.is_none();
            match line.open_further() {
                Ok(true) => {
                    if let Err(error) = line.write() {
                        broken.push((index, there, error));
                    }
                }
                Ok(false) => line.ready = false,
                Err(error) => broken.push((index, there, error)),
            }
        }
        for (index, there, error) in broken {
            self.broken(index, there, &error.to_string(), Some(error), now);
        }
    }

    /// Reads from every line that may have data; returns whether any had.
    fn read_ready(&mut self, now: Tick) -> bool {
        let mut some = false;
        for index in 0..self.lines.len() {
            let Some(line) = &mut self.lines[index] else { continue };
            if !line.ready || line.opening.is_some() {
                continue;
            }
            match line.read(now) {
                Ok(SocketRead::Bytes(size)) => {
                    self.tally.bytes.1 += size as u64;
                    some = true;
                }
                Ok(SocketRead::Nothing) => {}
                Ok(SocketRead::Closed) => self.closed(index, "the node closed it", None, now),
                Err(error) => self.closed(index, &error.to_string(), Some(error), now),
            }
        }
        some
    }

    /// A node closed a connection, possibly because its records were not read.
    fn closed(&mut self, index: usize, why: &str, cause: Option<io::Error>, now: Tick) {
        let Some(line) = &self.lines[index] else { return };
        if line.paused.is_none() {
            return self.broken(index, true, why, cause, now);
        }
        let node = line.node.clone();
        node.breaker.record();
        self.drop_line(index);
        let limit = self.limits.socket_timeout.as_secs_f64();
        let message = format!(
            "no record was taken for more than {limit} s, the query's socket_timeout, and the node \
             gave it up; go on with a new query from this one's cursor"
        );
        self.fail(Error::new(Kind::Paused, message).on(node.to_string()));
    }

    /// A connection failed, or could not be opened.
    fn broken(
        &mut self,
        index: usize,
        was_there: bool,
        why: &str,
        cause: Option<io::Error>,
        now: Tick,
    ) {
        let Some(line) = &self.lines[index] else { return };
        let node = line.node.clone();
        node.breaker.record();
        self.drop_line(index);
        let fault =
            if was_there { Fault::broken(&*node, why) } else { Fault::unreachable(&*node, why) };
        let fault = match cause {
            Some(cause) => fault.because(cause),
            None => fault,
        };
        self.retry_or_fail(fault.into(), now);
    }

    /// Fails lines whose deadline has passed.
    fn expire(&mut self, now: Tick) {
        if self.deadline <= now {
            let limit = self.limits.timeout.as_secs_f64();
            let message = format!("the query's total timeout of {limit} s passed");
            return self.fail(Error::new(Kind::Timeout, message));
        }
        for index in 0..self.lines.len() {
            let Some(line) = &self.lines[index] else { continue };
            if line.opening.as_ref().is_some_and(|opening| opening.until() <= now) {
                self.broken(
                    index,
                    false,
                    "it did not answer within the connect timeout",
                    None,
                    now,
                );
            } else if !line.node.is_active() {
                self.broken(index, true, "the node left the cluster", None, now);
            } else if self.silence_ends(line.last) <= now {
                self.broken(index, true, "the node was silent for the socket timeout", None, now);
            }
        }
    }
}

fn poller_failed(error: &io::Error) -> Error {
    Error::new(Kind::Connection, format!("the system's poller: {error}"))
}
