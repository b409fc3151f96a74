//! Recordings of live traffic: what kinds of calls there were, when, how large and how they ended,
//! to send the like to another cluster later. No keys, no values and no names of bins, sets or
//! namespaces.
//!
//! | module | contents |
//! |---|---|
//! | here | a recording and its options |
//! | `format` | the file: what it holds, and how |
//! | `encoder`, `trace` | writing and reading it |
//! | `writer` | the thread that writes while calls go on |
//!
//! Drivers hand over samples of the commands that they end ([`spikewire_transport::metrics`]) and
//! never wait; the thread of the recording does the rest.

mod encoder;
mod format;
mod trace;
mod writer;

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use spikewire_sync::Mutex;

pub use self::trace::{Calls, Trace, TraceError};
use self::writer::{Progress, Writer};
use crate::cluster::Cluster;
use crate::model::{Error, Kind};

/// Samples that may wait for the thread. More than a hundred thousand calls per second would have
/// to be missed for half a second before one is dropped.
const QUEUE: usize = 1 << 16;

/// Options of a recording.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordOptions {
    /// The share of all calls that is recorded: above 0, at most 1. Default: 0.1.
    pub share: f64,
    /// The largest size of the file in bytes, at least 65536; the recording ends when it is
    /// reached. Default: 64 MiB.
    pub max_bytes: u64,
    /// Whether an existing file is replaced. Default: no.
    pub overwrite: bool,
}

impl Default for RecordOptions {
    fn default() -> Self {
        Self { share: 0.1, max_bytes: 64 << 20, overwrite: false }
    }
}

impl RecordOptions {
    /// The smallest `max_bytes`.
    pub const LEAST_BYTES: u64 = 1 << 16;

    fn check(&self) -> Result<(), Error> {
        let Self { share, max_bytes, .. } = *self;
        if !(share > 0.0 && share <= 1.0) {
            let why = format!("share must be above 0 and at most 1, got {share}");
            return Err(Error::new(Kind::Invalid, why));
        }
        if max_bytes < Self::LEAST_BYTES {
            let why = format!("max_bytes must be at least {}, got {max_bytes}", Self::LEAST_BYTES);
            return Err(Error::new(Kind::Invalid, why));
        }
        Ok(())
    }
}

/// Why a recording does not begin, or why its file is incomplete.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// Options out of bounds, a closed client, or one that is recorded already.
    #[error(transparent)]
    Client(#[from] Error),
    /// The file cannot be created or written.
    #[error(transparent)]
    File(#[from] io::Error),
}

/// How a recording stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecordingState {
    /// It goes on.
    Running,
    /// It was stopped.
    Stopped,
    /// The file has its largest size.
    Full,
    /// The client was closed.
    Closed,
    /// The file could not be written.
    Failed,
}

impl RecordingState {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Stopped => "stopped",
            Self::Full => "full",
            Self::Closed => "closed",
            Self::Failed => "failed",
        }
    }
}

/// What a recording holds.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RecordingSummary {
    /// How it stands.
    pub state: RecordingState,
    /// Calls in the file. A batch has one for each of its requests.
    pub calls: u64,
    /// Calls that were to be recorded and are missing, because the thread could not keep up or the
    /// file was full.
    pub dropped: u64,
    /// Bytes in the file.
    pub bytes: u64,
    /// How long it has been going on, or did.
    pub seconds: f64,
}

/// A recording of a client's calls, until it is stopped or dropped.
#[derive(Debug)]
pub struct Recording {
    progress: Arc<Progress>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// The process that has the thread: not a forked child.
    process: u32,
}

impl Recording {
    /// Records the calls that start from now on into this file.
    pub fn start(
        cluster: &Arc<Cluster>,
        path: &Path,
        options: RecordOptions,
    ) -> Result<Self, RecordError> {
        options.check()?;
        if cluster.is_closed() {
            return Err(Error::new(Kind::Closed, "the client was closed").into());
        }
        let again = || {
            let why = "this client is being recorded already: stop that recording first";
            RecordError::from(Error::new(Kind::Invalid, why))
        };
        // Before the file is created, or replaced.
        let samples = cluster.metrics().begin_samples(options.share, QUEUE).ok_or_else(again)?;
        let start = || {
            let file = create(path, options.overwrite)?;
            let writer = Writer::begin(file, samples, Arc::downgrade(cluster), options)?;
            let progress = writer.progress();
            let builder = std::thread::Builder::new().name("spikewire-recording".to_owned());
            let thread = builder.spawn(move || writer.run())?;
            let (thread, process) = (Mutex::new(Some(thread)), std::process::id());
            Ok(Self { progress, thread, process })
        };
        start().map_err(|error: io::Error| {
            cluster.metrics().end_samples();
            io::Error::new(error.kind(), format!("{}: {error}", path.display())).into()
        })
    }

    /// Ends the recording and waits until the file is complete, which takes milliseconds. Further
    /// calls return the same. In a forked child, which does not record, it does nothing.
    pub fn stop(&self) -> Result<RecordingSummary, RecordError> {
        if self.is_in_child() {
            return Ok(self.summary());
        }
        self.progress.stop();
        let thread = self.thread.lock().take();
        if let Some(thread) = thread {
            // If it panicked, that was reported, and the file is incomplete.
            let _ = thread.join();
        }
        match self.progress.failure() {
            Some(failure) => Err(failure.into()),
            None => Ok(self.summary()),
        }
    }

    /// Asks it to end, without waiting; [`Recording::has_ended`] says when it did.
    pub fn stop_soon(&self) {
        if !self.is_in_child() {
            self.progress.stop();
        }
    }

    /// Whether it has ended and the file is complete, or as complete as it will be.
    pub fn has_ended(&self) -> bool {
        self.summary().state != RecordingState::Running
    }

    /// What it holds so far.
    pub fn summary(&self) -> RecordingSummary {
        if self.is_in_child() { self.progress.summary_in_child() } else { self.progress.summary() }
    }

    /// Whether this is a forked child, which has neither the thread nor what its locks protect.
    fn is_in_child(&self) -> bool {
        self.process != std::process::id()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // Whoever drops it cannot learn of a failure.
        let _ = self.stop();
    }
}

/// Creates the file, for its owner alone.
fn create(path: &Path, overwrite: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    if overwrite {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    options.open(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            io::Error::new(error.kind(), "the file exists; overwrite replaces it")
        }
        _ => error,
    })
}

#[cfg(test)]
mod tests;
