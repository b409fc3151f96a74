//! Full scans of one set, one after another: rows, CPU time and memory.

use std::time::Duration;

use serde::Serialize;

use crate::access::Access;
use crate::harness::Target;
use crate::measure::{self, Usage};

/// A client that scans.
pub trait Scanner: Sized {
    /// Its modes.
    const MODES: &'static [&'static str];

    fn open(target: &Target, mode: &str) -> impl Future<Output = Result<Self, String>>;

    /// Runs one scan that accesses every bin; returns the number of records.
    fn scan(&self) -> impl Future<Output = Result<u64, String>>;
}

#[derive(Serialize)]
struct Scanned {
    rows: u64,
    elapsed: f64,
    user: f64,
    system: f64,
    /// Peak resident bytes before the first scan, and in total.
    ready: u64,
    peak: u64,
}

/// `SEEDS NAMESPACE SET RECORDS SECONDS MODE`: scans for that long, after one uncounted scan.
pub fn main<S: Scanner>() {
    match run::<S>(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(scanned) => println!("{}", serde_json::to_string(&scanned).expect("numbers are JSON")),
        Err(failed) => {
            eprintln!("{failed}");
            std::process::exit(1);
        }
    }
}

fn run<S: Scanner>(arguments: &[String]) -> Result<Scanned, String> {
    let [seeds, namespace, set, records, seconds, mode] = arguments else {
        return Err("arguments: SEEDS NAMESPACE SET RECORDS SECONDS MODE".to_owned());
    };
    if !S::MODES.contains(&mode.as_str()) {
        return Err(format!("the mode is one of {:?}", S::MODES));
    }
    let records: u64 = records.parse().map_err(|error| format!("RECORDS: {error}"))?;
    let seconds: f64 = seconds.parse().map_err(|error| format!("SECONDS: {error}"))?;
    let lasts =
        Duration::try_from_secs_f64(seconds).map_err(|error| format!("SECONDS: {error}"))?;
    let target = Target {
        seeds: seeds.clone(),
        namespace: namespace.clone(),
        set: set.clone(),
        access: Access::default(),
        in_flight: 1,
    };
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let scanner = S::open(&target, mode).await?;
        let ready = measure::peak_rss();
        let whole = async || match scanner.scan().await? {
            count if count == records => Ok(()),
            count => Err(format!("a scan gave {count} of {records} records")),
        };
        whole().await?;
        let start = Usage::now(None);
        let mut rows = 0;
        loop {
            whole().await?;
            rows += records;
            let used = start.until(&Usage::now(None));
            if used.elapsed >= lasts.as_secs_f64() {
                let (user, system, elapsed) = (used.cpu.user, used.cpu.system, used.elapsed);
                let peak = measure::peak_rss();
                return Ok(Scanned { rows, elapsed, user, system, ready, peak });
            }
        }
    })
}
