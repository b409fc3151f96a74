//! How much a function may use: time, and the memory of the values it makes.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// What one call of a function may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Time of the processor for one call; for a stream, for one record of it.
    pub time: Duration,
    /// Bytes that Lua's own objects may take, and as much again for lists, maps and bytes.
    pub memory: usize,
}

impl Default for Limits {
    /// 100 ms and 64 MiB.
    fn default() -> Self {
        Self { time: Duration::from_millis(100), memory: 64 << 20 }
    }
}

/// What is used of the limits, shared by a machine and the values its code makes.
#[derive(Debug)]
pub(crate) struct Bounds {
    limits: Limits,
    deadline: Cell<Duration>,
    used: Cell<usize>,
}

impl Bounds {
    pub fn new(limits: Limits) -> Rc<Self> {
        Rc::new(Self { limits, deadline: Cell::new(Duration::MAX), used: Cell::new(0) })
    }

    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The time starts to run.
    pub fn start(&self) {
        self.deadline.set(now().saturating_add(self.limits.time));
    }

    pub fn is_late(&self) -> bool {
        now() >= self.deadline.get()
    }

    /// Fails when the time is over.
    pub fn check_time(&self) -> mlua::Result<()> {
        if self.is_late() {
            return Err(mlua::Error::runtime(format!(
                "the function ran for longer than {} ms",
                self.limits.time.as_millis()
            )));
        }
        Ok(())
    }

    /// Takes memory for a value; fails when there is none left.
    pub fn take(&self, bytes: usize) -> mlua::Result<()> {
        let used = self.used.get().saturating_add(bytes);
        if used > self.limits.memory {
            return Err(mlua::Error::runtime(format!(
                "lists, maps and bytes take more than {} bytes",
                self.limits.memory
            )));
        }
        self.used.set(used);
        Ok(())
    }

    /// Gives memory back.
    pub fn give(&self, bytes: usize) {
        self.used.set(self.used.get().saturating_sub(bytes));
    }
}

/// How long this thread has worked: a busy machine takes no time away from a function.
fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}
