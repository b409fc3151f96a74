//! A job as info commands show it.

use std::fmt::Write as _;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::{End, Job, Kind};

impl Job {
    /// What info commands say of it: `key=value`, separated by colons.
    pub fn describe(&self) -> String {
        let plan = &self.plan;
        let ended = *self.ended.lock();
        let mut text = format!("trid={}:ns={}", plan.id, plan.namespace);
        // Writing to a String cannot fail.
        if !plan.set.is_empty() {
            let _ = write!(text, ":set={}", plan.set);
        }
        if let Some(index) = &plan.index {
            let _ = write!(text, ":sindex-name={index}");
        }
        if plan.kind == Kind::Basic {
            let (pids, digests) = plan.asked;
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
            plan.rate,
            u8::from(ended.is_none()),
            status(ended.map(|(end, _)| end)),
            (until - self.started).as_millis(),
            count(&counters.throttled),
            count(&counters.filtered),
            count(&counters.succeeded),
            count(&counters.failed),
        );
        let from = plan.from.map_or_else(String::new, |at| format!("{}+{}", at.ip(), at.port()));
        let (name, writes) = match plan.kind {
            Kind::Basic => ("basic", false),
            Kind::Aggregation => ("aggregation", false),
            Kind::Operations => ("background-ops", true),
            Kind::Function => ("background-udf", true),
        };
        let send_timeout = plan.send_timeout.map_or(0, |limit| limit.as_millis());
        let bytes = count(&counters.bytes);
        let _ = write!(text, ":from={from}:job-type={name}:net-io-bytes={bytes}");
        if !writes {
            text.push_str(":net-io-time=0");
        }
        let _ = write!(text, ":socket-timeout={send_timeout}");
        match plan.kind {
            Kind::Basic | Kind::Aggregation => {}
            Kind::Operations => text.push_str(":ops-active=0"),
            Kind::Function => text.push_str(":udf-active=0"),
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
        Some(End::NotTaken) => "done(abandoned-response-timeout)",
    }
}
