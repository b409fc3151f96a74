//! Clocks and counters around the measured window.

use std::fs;
use std::mem::MaybeUninit;
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer as _, V2DeflateSerializer};
use serde::Serialize;

const HIGHEST_NS: u64 = 60_000_000_000;

pub struct Usage {
    pub clock: Instant,
    user: f64,
    system: f64,
    voluntary: libc::c_long,
    involuntary: libc::c_long,
    server: Option<f64>,
    machine: Option<f64>,
}

#[derive(Serialize)]
pub struct Cpu {
    pub user: f64,
    pub system: f64,
}

#[derive(Serialize)]
pub struct Switches {
    pub voluntary: libc::c_long,
    pub involuntary: libc::c_long,
}

pub struct Used {
    pub elapsed: f64,
    pub cpu: Cpu,
    pub switches: Switches,
    pub server_cpu: Option<f64>,
    pub machine_cpu: Option<f64>,
}

impl Usage {
    pub fn now(server: Option<u32>) -> Self {
        let own = Self::own();
        Self { server: server.and_then(process_cpu), machine: machine_cpu(), ..own }
    }

    /// Reading the usage of other processes takes time, so it is done before the window opens.
    pub fn opening(server: Option<u32>) -> Self {
        let (server, machine) = (server.and_then(process_cpu), machine_cpu());
        Self { server, machine, ..Self::own() }
    }

    /// For this process only.
    fn own() -> Self {
        let used = process_usage();
        Self {
            clock: Instant::now(),
            user: seconds(used.ru_utime),
            system: seconds(used.ru_stime),
            voluntary: used.ru_nvcsw,
            involuntary: used.ru_nivcsw,
            server: None,
            machine: None,
        }
    }

    pub fn until(&self, later: &Self) -> Used {
        Used {
            elapsed: (later.clock - self.clock).as_secs_f64(),
            cpu: Cpu { user: later.user - self.user, system: later.system - self.system },
            switches: Switches {
                voluntary: later.voluntary - self.voluntary,
                involuntary: later.involuntary - self.involuntary,
            },
            server_cpu: self.server.zip(later.server).map(|(before, after)| after - before),
            machine_cpu: self.machine.zip(later.machine).map(|(before, after)| after - before),
        }
    }
}

fn process_usage() -> libc::rusage {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to a complete `rusage`, which the call fills; all zeroes is a valid
    // value.
    unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    }
}

fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 / 1e6
}

fn process_cpu(pid: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(ticks / ticks_per_second())
}

/// Total busy time of all CPUs in seconds, excluding low-priority (nice) processes.
fn machine_cpu() -> Option<f64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let fields = stat.lines().next()?.split_whitespace().skip(1).take(8);
    let ticks: Vec<f64> = fields.map(|field| field.parse().ok()).collect::<Option<_>>()?;
    let idle = ticks.get(1)? + ticks.get(3)? + ticks.get(4)?;
    Some((ticks.iter().sum::<f64>() - idle) / ticks_per_second())
}

fn ticks_per_second() -> f64 {
    // SAFETY: `sysconf` takes no pointer and has no precondition.
    unsafe { libc::sysconf(libc::_SC_CLK_TCK) as f64 }
}

pub fn page_size() -> u64 {
    // SAFETY: as above.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as u64 }
}

/// The peak resident memory of this process, in bytes.
pub fn peak_rss() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_else(|| process_usage().ru_maxrss as u64) * 1024
}

pub fn load_average() -> Vec<f64> {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().take(3).filter_map(|field| field.parse().ok()).collect()
}

/// Restricts this process and the threads that it will start to these processors.
#[cfg(target_os = "linux")]
pub fn pin(cpus: &[usize]) {
    if cpus.is_empty() {
        return;
    }
    // SAFETY: the set is a plain bit field, valid as zeroes, and outlives the calls.
    unsafe {
        let mut set: libc::cpu_set_t = MaybeUninit::zeroed().assume_init();
        for cpu in cpus {
            libc::CPU_SET(*cpu, &mut set);
        }
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
    }
}

#[cfg(not(target_os = "linux"))]
pub fn pin(_cpus: &[usize]) {}

/// Encodes nanoseconds as a compressed V2 histogram in base64.
pub fn encode(samples: impl Iterator<Item = u64>) -> String {
    let mut histogram = Histogram::<u64>::new_with_bounds(1, HIGHEST_NS, 3).expect("fixed bounds");
    samples.for_each(|nanoseconds| histogram.saturating_record(nanoseconds.max(1)));
    let mut bytes = Vec::new();
    V2DeflateSerializer::new()
        .serialize(&histogram, &mut bytes)
        .expect("a histogram of these bounds can be written to memory");
    STANDARD.encode(bytes)
}
