//! Limits of a function: its time, and the memory of the values it creates.

use std::any::Any;
use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::time::{Duration, Instant};

use mlua::{Function, WeakLua};
use rustix::time::{ClockId, clock_gettime};

use crate::failure::{Failure, message_of};

/// Bytes processed between two checks of the time.
const WORK: usize = 64 << 10;
/// How often a caller is asked whether it is still waiting.
const WATCH: Duration = Duration::from_millis(10);

/// Limits of one function call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// CPU time for one call; for a stream, for each of its records.
    pub time: Duration,
    /// Bytes that Lua's own objects may take, and the same amount again for lists, maps and bytes.
    pub memory: usize,
}

impl Default for Limits {
    /// 100 ms and 64 MiB.
    fn default() -> Self {
        Self { time: Duration::from_millis(100), memory: 64 << 20 }
    }
}

/// What may end all work besides the limits.
#[derive(Debug)]
struct Watch {
    deadline: Option<Instant>,
    /// Returns whether the caller was interrupted.
    interrupted: Function,
    /// When the caller is asked next.
    next: Instant,
}

/// Usage of the limits, shared by a machine and the values that its code creates.
pub(crate) struct Bounds {
    limits: Cell<Limits>,
    /// In CPU time.
    deadline: Cell<Duration>,
    /// Before this wall clock time, the CPU time cannot be used up.
    earliest: Cell<Option<Instant>>,
    used: Cell<usize>,
    /// Bytes processed since the time was last checked for them.
    worked: Cell<usize>,
    /// Instructions between two checks of running code; 0 before the first.
    pub pace: Cell<u32>,
    watch: RefCell<Option<Watch>>,
    /// Set by the watch; from then on everything fails.
    ended: RefCell<Option<Failure>>,
    lua: OnceCell<WeakLua>,
    /// Containers whose owner was dropped. They are dropped one after the other, not recursively.
    orphans: RefCell<Vec<Box<dyn Any>>>,
    is_dropping: Cell<bool>,
}

impl fmt::Debug for Bounds {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Bounds").field("limits", &self.limits.get()).finish_non_exhaustive()
    }
}

impl Bounds {
    pub fn new(limits: Limits) -> Rc<Self> {
        Rc::new(Self {
            limits: Cell::new(limits),
            deadline: Cell::new(Duration::MAX),
            earliest: Cell::new(None),
            used: Cell::new(0),
            worked: Cell::new(0),
            pace: Cell::new(0),
            watch: RefCell::default(),
            ended: RefCell::default(),
            lua: OnceCell::new(),
            orphans: RefCell::default(),
            is_dropping: Cell::new(false),
        })
    }

    /// Sets the state whose garbage is collected when memory runs out.
    pub fn attach(&self, lua: WeakLua) {
        let _ = self.lua.set(lua);
    }

    pub fn limits(&self) -> Limits {
        self.limits.get()
    }

    /// Sets the time of each call from now on.
    pub fn limit_time(&self, time: Duration) {
        self.limits.set(Limits { time, ..self.limits.get() });
    }

    /// Bytes used by lists, maps and bytes.
    pub fn used(&self) -> usize {
        self.used.get()
    }

    /// Starts the time limit.
    pub fn start(&self) {
        let time = self.limits.get().time;
        self.deadline.set(now().saturating_add(time));
        self.earliest.set(Instant::now().checked_add(time));
    }

    /// Whether the time is up.
    pub fn is_overdue(&self) -> bool {
        self.is_overdue_at(Instant::now())
    }

    fn is_overdue_at(&self, instant: Instant) -> bool {
        // The CPU time is only looked up when it can be used up.
        self.earliest.get().is_some_and(|earliest| instant >= earliest)
            && now() >= self.deadline.get()
    }

    /// From now on work also ends at `deadline`, or when `interrupted` returns true.
    pub fn watch(&self, deadline: Option<Instant>, interrupted: Function) {
        *self.watch.borrow_mut() = Some(Watch { deadline, interrupted, next: Instant::now() });
    }

    /// From now on only the limits end work.
    pub fn unwatch(&self) {
        self.watch.take();
        self.ended.take();
    }

    /// Fails if the time is up, or if the caller is no longer waiting.
    pub fn check_time(&self) -> mlua::Result<()> {
        let instant = Instant::now();
        self.ask(instant)?;
        if self.is_overdue_at(instant) {
            return Err(mlua::Error::runtime(format!(
                "the function ran for longer than {} ms",
                self.limits.get().time.as_millis()
            )));
        }
        Ok(())
    }

    /// Counts work on this many bytes; from time to time, fails like `check_time`.
    pub fn work(&self, bytes: usize) -> mlua::Result<()> {
        let worked = self.worked.get().saturating_add(bytes);
        let is_due = worked >= WORK;
        self.worked.set(if is_due { 0 } else { worked });
        if is_due { self.check_time() } else { Ok(()) }
    }

    fn ask(&self, instant: Instant) -> mlua::Result<()> {
        let interrupted = match &mut *self.watch.borrow_mut() {
            None => return Ok(()),
            Some(watch) if watch.deadline.is_some_and(|deadline| instant >= deadline) => {
                self.ended.replace(Some(Failure::TimedOut));
                None
            }
            Some(watch) if instant >= watch.next => {
                watch.next = instant + WATCH;
                Some(watch.interrupted.clone())
            }
            Some(_) => None,
        };
        if let Some(interrupted) = interrupted
            && interrupted.call::<bool>(())?
        {
            self.ended.replace(Some(Failure::Interrupted));
        }
        match &*self.ended.borrow() {
            Some(ended) => Err(mlua::Error::runtime(ended.to_string())),
            None => Ok(()),
        }
    }

    /// Converts an error: to the reason why the watch ended the work, if it did.
    pub fn failure(&self, error: &mlua::Error) -> Failure {
        self.ended.borrow().clone().unwrap_or_else(|| Failure::Raised(message_of(error)))
    }

    /// Reserves memory for a value; fails if there is not enough.
    pub fn take(&self, bytes: usize) -> mlua::Result<()> {
        let most = self.limits.get().memory;
        if self.used.get().saturating_add(bytes) > most {
            // Lua does not see most of the memory that its objects hold here, so it collects them
            // late.
            if let Some(lua) = self.lua.get().and_then(WeakLua::try_upgrade) {
                lua.gc_collect()?;
            }
        }
        let used = self.used.get().saturating_add(bytes);
        if used > most {
            return Err(mlua::Error::runtime(format!(
                "lists, maps and bytes take more than {most} bytes"
            )));
        }
        self.used.set(used);
        Ok(())
    }

    /// Releases memory.
    pub fn give(&self, bytes: usize) {
        self.used.set(self.used.get().saturating_sub(bytes));
    }

    /// Drops containers without recursion, however deeply they are nested.
    pub fn drop_all(&self, containers: impl Iterator<Item = Box<dyn Any>>) {
        self.orphans.borrow_mut().extend(containers);
        if self.is_dropping.replace(true) {
            return;
        }
        loop {
            // Dropping one may add others, so the list is not borrowed meanwhile.
            let next = self.orphans.borrow_mut().pop();
            if next.is_none() {
                break;
            }
        }
        self.is_dropping.set(false);
    }
}

/// CPU time of this thread. Unlike wall clock time, it does not depend on other load.
fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}
