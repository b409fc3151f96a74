//! The thread that writes a recording while calls go on.

use std::fs::File;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant, SystemTime};

use spikewire_sync::{Condvar, Mutex};
use spikewire_transport::metrics::{Sample, Samples};

use super::encoder::Encoder;
use super::{RecordOptions, RecordingState, RecordingSummary};
use crate::cluster::Cluster;

/// Calls in a block. Columns of this many compress as well as longer ones.
const BLOCK: usize = 8192;
/// How often the thread empties the queue. Nobody wakes it, so that calls cost no system call.
const PAUSE: Duration = Duration::from_millis(20);
/// How long a call waits for its block, and how much is missing if the process is killed.
const LATEST: Duration = Duration::from_secs(1);
/// Bytes for the last block, which says how the recording ended.
const END_ROOM: u64 = 128;

/// How far the thread is, for other threads.
#[derive(Debug)]
pub(super) struct Progress {
    began: Instant,
    calls: AtomicU64,
    dropped: AtomicU64,
    bytes: AtomicU64,
    state: Mutex<State>,
    news: Condvar,
}

#[derive(Debug)]
struct State {
    stops: bool,
    end: Option<(RecordingState, Duration)>,
    failure: Option<(io::ErrorKind, String)>,
}

impl Progress {
    /// Asks the thread to end.
    pub fn stop(&self) {
        self.state.lock().stops = true;
        self.news.notify_all();
    }

    /// Why the file is incomplete.
    pub fn failure(&self) -> Option<io::Error> {
        let failure = self.state.lock().failure.clone();
        failure.map(|(kind, why)| io::Error::new(kind, why))
    }

    pub fn summary(&self) -> RecordingSummary {
        let end = self.state.lock().end;
        self.summary_of(end)
    }

    /// The same in a forked child, where the lock may stay taken: the recording has ended here.
    pub fn summary_in_child(&self) -> RecordingSummary {
        self.summary_of(Some((RecordingState::Stopped, self.began.elapsed())))
    }

    fn summary_of(&self, end: Option<(RecordingState, Duration)>) -> RecordingSummary {
        let (state, took) = end.unwrap_or_else(|| (RecordingState::Running, self.began.elapsed()));
        RecordingSummary {
            state,
            calls: self.calls.load(Relaxed),
            dropped: self.dropped.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
            seconds: took.as_secs_f64(),
        }
    }
}

/// What the thread has.
pub(super) struct Writer {
    file: File,
    samples: Samples,
    cluster: Weak<Cluster>,
    max_bytes: u64,
    encoder: Encoder,
    progress: Arc<Progress>,
    block: Vec<Sample>,
    out: Vec<u8>,
}

impl Writer {
    /// Writes the beginning of the file.
    pub fn begin(
        file: File,
        samples: Samples,
        cluster: Weak<Cluster>,
        options: RecordOptions,
    ) -> io::Result<Self> {
        let state = State { stops: false, end: None, failure: None };
        let progress = Arc::new(Progress {
            began: Instant::now(),
            calls: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            state: Mutex::new(state),
            news: Condvar::new(),
        });
        let (encoder, max_bytes) = (Encoder::default(), options.max_bytes);
        let (block, out) = (Vec::with_capacity(BLOCK), Vec::new());
        let mut writer = Self { file, samples, cluster, max_bytes, encoder, progress, block, out };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        writer.encoder.header(options.share, now.as_micros() as u64, &mut writer.out);
        writer.write()?;
        Ok(writer)
    }

    pub fn progress(&self) -> Arc<Progress> {
        self.progress.clone()
    }

    /// Writes until the end.
    pub fn run(mut self) {
        let end = self.record();
        if let Some(cluster) = self.cluster.upgrade() {
            cluster.metrics().end_samples();
        }
        let took = self.progress.began.elapsed();
        let end = end.and_then(|end| self.finish(end, took).map(|()| end));
        let mut state = self.progress.state.lock();
        state.end = Some((*end.as_ref().unwrap_or(&RecordingState::Failed), took));
        state.failure = end.err().map(|error| (error.kind(), error.to_string()));
    }

    fn record(&mut self) -> io::Result<RecordingState> {
        let mut latest = Instant::now() + LATEST;
        loop {
            let end = self.wait();
            // Whatever came before the end belongs to it.
            while let Some(sample) = self.samples.next_ready() {
                self.block.push(sample);
                if self.block.len() == BLOCK && !self.write_block()? {
                    return Ok(RecordingState::Full);
                }
            }
            self.progress.dropped.store(self.samples.dropped(), Relaxed);
            if end.is_some() || Instant::now() >= latest {
                latest = Instant::now() + LATEST;
                if !self.write_block()? {
                    return Ok(RecordingState::Full);
                }
            }
            if let Some(end) = end {
                return Ok(end);
            }
        }
    }

    /// Waits for a while; returns the end of the recording if it has come.
    fn wait(&self) -> Option<RecordingState> {
        let state = self.progress.state.lock();
        let stops = if state.stops {
            true
        } else {
            self.progress.news.wait_until(state, Instant::now() + PAUSE).0.stops
        };
        let closed = || self.cluster.upgrade().is_none_or(|cluster| cluster.is_closed());
        if stops {
            // Nothing more is taken, so that the queue is empty at some time.
            self.cluster.upgrade().inspect(|cluster| cluster.metrics().end_samples());
            Some(RecordingState::Stopped)
        } else {
            closed().then_some(RecordingState::Closed)
        }
    }

    /// Writes the block, unless the file is full.
    fn write_block(&mut self) -> io::Result<bool> {
        if self.block.is_empty() {
            return Ok(true);
        }
        let calls = self.block.len() as u64;
        self.encoder.calls(&mut self.block, &mut self.out);
        self.block.clear();
        let bytes = self.progress.bytes.load(Relaxed);
        if bytes + self.out.len() as u64 + END_ROOM > self.max_bytes {
            self.out.clear();
            self.progress.dropped.store(self.samples.dropped() + calls, Relaxed);
            return Ok(false);
        }
        self.write()?;
        self.progress.calls.fetch_add(calls, Relaxed);
        Ok(true)
    }

    fn finish(&mut self, end: RecordingState, took: Duration) -> io::Result<()> {
        let number = match end {
            RecordingState::Full => 1,
            RecordingState::Closed => 2,
            _ => 0,
        };
        let calls = self.progress.calls.load(Relaxed);
        let dropped = self.progress.dropped.load(Relaxed);
        self.encoder.end([calls, dropped, took.as_micros() as u64, number], &mut self.out);
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        self.file.write_all(&self.out)?;
        self.progress.bytes.fetch_add(self.out.len() as u64, Relaxed);
        self.out.clear();
        Ok(())
    }
}
