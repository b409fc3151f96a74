//! Formats a job for info commands.

use std::fmt::Write as _;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::{End, Job, JobKind};

impl Job {
    /// Its description in info commands: `key=value`, separated by colons.
    pub fn describe(&self) -> String {
        let options = &self.options;
        let ended = *self.ended.lock();
        let mut text = format!("trid={}:ns={}", options.id, options.namespace);
        // Writing to a String cannot fail.
        if !options.set.is_empty() {
            let _ = write!(text, ":set={}", options.set);
        }
        if let Some(index) = &options.index {
            let _ = write!(text, ":sindex-name={index}");
        }
        if options.kind == JobKind::Basic {
            let (pids, digests) = options.requested;
            let _ = write!(text, ":n-pids-requested={pids}:n-keyds-requested={digests}");
        }
        let until = ended.map_or_else(Instant::now, |(_, at)| at);
        let since_done = ended.map_or(0, |(_, at)| at.elapsed().as_millis());
        let (done, all) = (self.progress.0.load(Ordering::Relaxed), self.progress.1.max(1));
        let progress = if ended.is_some() { 100.0 } else { 100.0 * done as f64 / all as f64 };
        let count = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        let counters = &self.counters;
        let _ = write!(
            text,
            ":rps={}:active-threads={}:status={}:job-progress={progress:.2}:run-time={}\
             :time-since-done={since_done}:recs-throttled={}:recs-filtered-meta=0\
             :recs-filtered-bins={}:recs-succeeded={}:recs-failed={}",
            options.rate,
            u8::from(ended.is_none()),
            status(ended.map(|(end, _)| end)),
            (until - self.started).as_millis(),
            count(&counters.throttled),
            count(&counters.filtered),
            count(&counters.succeeded),
            count(&counters.failed),
        );
        let from = options.from.map_or_else(String::new, |at| format!("{}+{}", at.ip(), at.port()));
        let (name, writes) = match options.kind {
            JobKind::Basic => ("basic", false),
            JobKind::Aggregation => ("aggregation", false),
            JobKind::Operations => ("background-ops", true),
            JobKind::Function => ("background-udf", true),
        };
        let send_timeout = options.send_timeout.map_or(0, |limit| limit.as_millis());
        let bytes = count(&counters.bytes);
        let _ = write!(text, ":from={from}:job-type={name}:net-io-bytes={bytes}");
        if !writes {
            text.push_str(":net-io-time=0");
        }
        let _ = write!(text, ":socket-timeout={send_timeout}");
        match options.kind {
            JobKind::Basic | JobKind::Aggregation => {}
            JobKind::Operations => text.push_str(":ops-active=0"),
            JobKind::Function => text.push_str(":udf-active=0"),
        }
        text
    }
}

fn status(end: Option<End>) -> &'static str {
    match end {
        None => "active(ok)",
        Some(End::Ok) => "done(ok)",
        Some(End::Aborted) => "done(user-aborted)",
        Some(End::NotSent) => "done(abandoned-response-error)",
        Some(End::SendTimeout) => "done(abandoned-response-timeout)",
    }
}
