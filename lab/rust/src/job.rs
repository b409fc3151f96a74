//! The JSON input and output; the Python counterpart is `spikewire_lab/contract/result.py`.

use serde::{Deserialize, Serialize};

use crate::access::Access;
use crate::measure::{Cpu, Switches};
use crate::open::{OpenLoad, Raw};
use crate::series::Series;

#[derive(Deserialize)]
pub struct Job {
    pub client: String,
    pub mode: String,
    pub concurrency: usize,
    pub seeds: Vec<(String, u16)>,
    pub namespace: String,
    pub set: String,
    pub keys: u64,
    pub bins: String,
    pub workload: String,
    pub warmup: f64,
    pub duration: f64,
    pub sample_every: usize,
    pub seed: u64,
    pub cpus: Vec<usize>,
    pub server_pid: Option<u32>,
    /// Whether to include histograms of each interval.
    #[serde(default)]
    pub histograms: bool,
    /// Whether to report each second when it is over.
    #[serde(default)]
    pub lines: bool,
    /// An open loop with calls at a rate; `None`: a closed loop.
    pub open: Option<OpenLoad>,
    /// How the client logs in; without it, not at all.
    #[serde(default)]
    pub access: Access,
}

#[derive(Serialize)]
pub struct Latency {
    pub read: String,
    pub write: String,
    pub samples: usize,
    pub overwritten: usize,
    pub max_ns: u64,
}

#[derive(Serialize)]
pub struct Memory {
    pub bare: u64,
    pub ready: u64,
    pub peak: u64,
}

#[derive(Serialize)]
pub struct Outcome {
    pub client: String,
    pub version: String,
    pub build: Build,
    pub mode: String,
    pub concurrency: usize,
    #[serde(rename = "loop")]
    pub event_loop: Option<String>,
    pub python: Option<()>,
    pub elapsed: f64,
    pub operations: u64,
    pub errors: u64,
    pub timeouts: u64,
    pub rate: f64,
    pub first_error: Option<String>,
    pub cpu: Cpu,
    pub server_cpu: Option<f64>,
    pub machine_cpu: Option<f64>,
    pub switches: Switches,
    pub latency: Latency,
    pub memory: Memory,
    pub cpus: Vec<usize>,
    pub load_average: Vec<f64>,
    /// For closed loops; the lab computes that of open ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<Series>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open: Option<Raw>,
}

/// How Cargo compiled this program; the lab knows the commit.
#[derive(Serialize)]
pub struct Build {
    profile: &'static str,
    opt_level: &'static str,
    rustflags: &'static str,
    debug_assertions: bool,
}

impl Build {
    pub const THIS: Build = Build {
        profile: env!("SPIKEWIRE_PROFILE"),
        opt_level: env!("SPIKEWIRE_OPT_LEVEL"),
        rustflags: env!("SPIKEWIRE_RUSTFLAGS"),
        debug_assertions: cfg!(debug_assertions),
    };
}

#[derive(Serialize)]
pub struct Failure {
    pub failed: String,
}
