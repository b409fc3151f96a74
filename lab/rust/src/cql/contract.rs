//! The JSON input and output; the Python counterpart is `spikewire_lab/contract/cql.py`.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::access::Access;
use crate::job::Build;
use crate::measure::{Cpu, Switches};

#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    Insert,
    Select,
    Page,
}

#[derive(Deserialize)]
pub struct Job {
    pub client: String,
    pub step: String,
    pub operation: Operation,
    /// Calls in flight.
    pub depth: usize,
    pub host: String,
    pub port: u16,
    /// Whether the server generates the rows itself.
    pub canned: bool,
    pub keys: u64,
    pub seed: u64,
    pub warmup: f64,
    pub duration: f64,
    pub server_pid: Option<u32>,
    pub cpus: Vec<usize>,
    pub statements: HashMap<Operation, String>,
    pub page: Page,
    /// Bytes of an item's blob.
    pub payload: usize,
    #[serde(default)]
    pub access: Access,
}

/// The rows of a page: their partition, their number, and the page size to ask for.
#[derive(Deserialize)]
pub struct Page {
    pub partition: i32,
    pub rows: usize,
    pub size: u32,
}

/// What is known of a client without a server.
#[derive(Serialize)]
pub struct Description {
    pub client: String,
    pub unavailable: Option<()>,
    pub version: String,
    pub python: Option<()>,
}

#[derive(Serialize)]
pub struct Memory {
    pub ready: u64,
    pub peak: u64,
}

#[derive(Serialize)]
pub struct Outcome {
    pub client: String,
    pub version: String,
    pub build: Build,
    pub protocol: String,
    pub row_type: &'static str,
    #[serde(rename = "loop")]
    pub event_loop: &'static str,
    pub python: Option<()>,
    pub elapsed: f64,
    /// Successful calls; in pages each row is one.
    pub operations: u64,
    pub errors: u64,
    pub timeouts: u64,
    pub first_error: Option<String>,
    pub cpu: Cpu,
    pub server_cpu: Option<f64>,
    pub machine_cpu: Option<f64>,
    pub switches: Switches,
    pub memory: Memory,
    pub cpus: Vec<usize>,
    pub load_average: Vec<f64>,
}
