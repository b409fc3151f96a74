//! The clock of open loops, which tests replace by their own.

use std::thread;
use std::time::{Duration, Instant};

/// Nanoseconds from the start of a phase, and waiting for an instant.
pub trait Clock: Send + Sync + 'static {
    fn now(&self) -> i64;

    /// Blocks the calling thread.
    fn sleep_until(&self, instant: i64);

    /// Suspends the calling task.
    fn wait_until(&self, instant: i64) -> impl Future<Output = ()> + Send;

    /// Makes the calling thread's sleeps end on time: Linux adds up to 50 microseconds otherwise.
    fn sleep_exactly(&self) {}
}

/// Real time since its creation.
pub struct Real {
    began: Instant,
    #[cfg(target_os = "linux")]
    timer: Option<timer::Timer>,
}

impl Real {
    /// Requires a runtime for tasks; threads need none.
    pub fn start(tasks: bool) -> Result<Self, String> {
        #[cfg(target_os = "linux")]
        let timer = tasks.then(timer::Timer::new).transpose().map_err(|error| error.to_string())?;
        #[cfg(not(target_os = "linux"))]
        let _ = tasks;
        Ok(Self {
            began: Instant::now(),
            #[cfg(target_os = "linux")]
            timer,
        })
    }

    fn left(&self, instant: i64) -> Option<Duration> {
        let left = u64::try_from(instant - self.now()).ok().filter(|left| *left > 0);
        left.map(Duration::from_nanos)
    }
}

impl Clock for Real {
    fn now(&self) -> i64 {
        self.began.elapsed().as_nanos() as i64
    }

    fn sleep_until(&self, instant: i64) {
        if let Some(left) = self.left(instant) {
            thread::sleep(left);
        }
    }

    async fn wait_until(&self, instant: i64) {
        while let Some(left) = self.left(instant) {
            #[cfg(target_os = "linux")]
            if let Some(timer) = &self.timer {
                timer.wait(left).await;
                continue;
            }
            tokio::time::sleep(left).await;
        }
    }

    #[cfg(target_os = "linux")]
    fn sleep_exactly(&self) {
        // SAFETY: this option takes one number and no pointer.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0) };
    }
}

#[cfg(target_os = "linux")]
mod timer {
    //! The timers of tokio have millisecond resolution; a Linux timer is polled like a socket
    //! instead.

    use std::io;
    use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
    use std::ptr;
    use std::time::Duration;

    use tokio::io::unix::AsyncFd;

    pub struct Timer(AsyncFd<OwnedFd>);

    impl Timer {
        pub fn new() -> io::Result<Self> {
            let flags = libc::TFD_NONBLOCK | libc::TFD_CLOEXEC;
            // SAFETY: it takes no pointer; its result is checked.
            let descriptor = unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, flags) };
            if descriptor < 0 {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the descriptor was just made, is nobody else's, and lives as long as its owner.
            let timer = unsafe { AsyncFd::register(OwnedFd::from_raw_fd(descriptor)) };
            timer.map(Self).map_err(io::Error::from)
        }

        /// Waits for this time, or less if waiting fails.
        pub async fn wait(&self, left: Duration) {
            let once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
            let when = libc::itimerspec {
                it_interval: once,
                it_value: libc::timespec {
                    tv_sec: left.as_secs() as libc::time_t,
                    tv_nsec: left.subsec_nanos().max(1).into(),
                },
            };
            // SAFETY: the descriptor is open, and `when` is read before the call returns.
            let set = unsafe {
                libc::timerfd_settime(self.0.as_raw_fd(), 0, &raw const when, ptr::null_mut())
            };
            if set != 0 {
                return;
            }
            while let Ok(mut ready) = self.0.readable().await {
                if self.expired() {
                    return;
                }
                ready.clear_ready();
            }
        }

        /// Whether it has expired since it was set; then not readable until it is set again.
        fn expired(&self) -> bool {
            let mut times = [0_u8; 8];
            // SAFETY: the buffer has the given length.
            let read =
                unsafe { libc::read(self.0.as_raw_fd(), times.as_mut_ptr().cast(), times.len()) };
            read == times.len() as isize
        }
    }
}

/// Simulated time: waiting takes none. In tasks it is that of a paused runtime.
#[cfg(test)]
#[derive(Default)]
pub struct Played {
    added: std::sync::atomic::AtomicI64,
    began: std::sync::OnceLock<tokio::time::Instant>,
}

#[cfg(test)]
impl Played {
    /// Advances the time like a call that blocks its thread.
    pub fn go_on(&self, nanoseconds: i64) {
        self.added.fetch_add(nanoseconds, std::sync::atomic::Ordering::Relaxed);
    }
}

#[cfg(test)]
impl Clock for Played {
    fn now(&self) -> i64 {
        let added = self.added.load(std::sync::atomic::Ordering::Relaxed);
        if tokio::runtime::Handle::try_current().is_err() {
            return added;
        }
        let began = self.began.get_or_init(tokio::time::Instant::now);
        added + began.elapsed().as_nanos() as i64
    }

    fn sleep_until(&self, instant: i64) {
        self.go_on((instant - self.now()).max(0));
    }

    async fn wait_until(&self, instant: i64) {
        if let Ok(left) = u64::try_from(instant - self.now()) {
            tokio::time::sleep(Duration::from_nanos(left)).await;
        }
    }
}
