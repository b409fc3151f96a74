//! How much a function may use: time, and the memory of the values it makes.

use std::any::Any;
use std::cell::{Cell, OnceCell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::time::{Duration, Instant};

use mlua::{Function, WeakLua};
use rustix::time::{ClockId, clock_gettime};

use crate::failure::{Failure, message_of};

/// How often a caller is asked whether it still waits.
const WATCH: Duration = Duration::from_millis(10);

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

/// What ends all work besides the limits.
#[derive(Debug)]
struct Watch {
    deadline: Option<Instant>,
    /// Gives whether the caller was interrupted.
    interrupted: Function,
    /// When the caller is asked next.
    next: Instant,
}

/// What is used of the limits, shared by a machine and the values its code makes.
pub(crate) struct Bounds {
    limits: Limits,
    /// In time of the processor.
    deadline: Cell<Duration>,
    /// The clock on the wall cannot be later than this while there is time of the processor left.
    earliest: Cell<Option<Instant>>,
    used: Cell<usize>,
    watch: RefCell<Option<Watch>>,
    /// Set by the watch; everything fails from then on.
    ended: RefCell<Option<Failure>>,
    lua: OnceCell<WeakLua>,
    /// Containers whose owner is gone: they are dropped one after the other, not one in the other.
    orphans: RefCell<Vec<Box<dyn Any>>>,
    is_dropping: Cell<bool>,
}

impl fmt::Debug for Bounds {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Bounds").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Bounds {
    pub fn new(limits: Limits) -> Rc<Self> {
        Rc::new(Self {
            limits,
            deadline: Cell::new(Duration::MAX),
            earliest: Cell::new(None),
            used: Cell::new(0),
            watch: RefCell::default(),
            ended: RefCell::default(),
            lua: OnceCell::new(),
            orphans: RefCell::default(),
            is_dropping: Cell::new(false),
        })
    }

    /// Says which state's garbage to collect when memory runs out.
    pub fn attach(&self, lua: WeakLua) {
        let _ = self.lua.set(lua);
    }

    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Bytes of lists, maps and bytes.
    pub fn used(&self) -> usize {
        self.used.get()
    }

    /// The time starts to run.
    pub fn start(&self) {
        self.deadline.set(now().saturating_add(self.limits.time));
        self.earliest.set(Instant::now().checked_add(self.limits.time));
    }

    /// From now on work also ends at `deadline`, or when `interrupted` says so.
    pub fn watch(&self, deadline: Option<Instant>, interrupted: Function) {
        *self.watch.borrow_mut() = Some(Watch { deadline, interrupted, next: Instant::now() });
    }

    /// Nothing but the limits ends work from now on.
    pub fn unwatch(&self) {
        self.watch.take();
        self.ended.take();
    }

    /// Fails when the time is over, or the caller does not wait any more.
    pub fn check_time(&self) -> mlua::Result<()> {
        let instant = Instant::now();
        self.ask(instant)?;
        if self.earliest.get().is_some_and(|earliest| instant >= earliest)
            && now() >= self.deadline.get()
        {
            return Err(mlua::Error::runtime(format!(
                "the function ran for longer than {} ms",
                self.limits.time.as_millis()
            )));
        }
        Ok(())
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

    /// What an error means: the end of the watch, if that is what was raised.
    pub fn failure(&self, error: &mlua::Error) -> Failure {
        self.ended.borrow().clone().unwrap_or_else(|| Failure::Raised(message_of(error)))
    }

    /// Takes memory for a value; fails when there is none left.
    pub fn take(&self, bytes: usize) -> mlua::Result<()> {
        if self.used.get().saturating_add(bytes) > self.limits.memory {
            // Lua sees little of what its objects hold here, so it collects them late.
            if let Some(lua) = self.lua.get().and_then(WeakLua::try_upgrade) {
                lua.gc_collect()?;
            }
        }
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

    /// Drops containers without recursion, however deep they are nested.
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

/// How long this thread has worked: a busy machine takes no time away from a function.
fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}
