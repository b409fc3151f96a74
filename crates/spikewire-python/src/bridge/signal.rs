//! Signal handling while a thread waits detached from the interpreter.

use std::cell::Cell;
use std::sync::mpsc;
use std::thread;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use spikewire_sync::Mutex;
use spikewire_transport::permits;

use super::forks::forks;
use super::gil_fairness;

/// The exception that a Python signal handler raised during the wait.
#[derive(Default)]
struct Signal(Mutex<Option<PyErr>>);

impl Signal {
    /// Whether this is the thread that runs signal handlers: only Python's main thread does.
    fn is_minded() -> bool {
        thread_local! {
            /// The cached answer, and the process for which it was computed: a thread that forks is
            /// the main thread of the child.
            static MAIN: Cell<Option<(u32, bool)>> = const { Cell::new(None) };
        }
        let process = forks();
        match MAIN.get() {
            Some((of, is_main)) if of == process => is_main,
            _ => {
                let is_main = is_main_thread();
                MAIN.set(Some((process, is_main)));
                is_main
            }
        }
    }

    /// Runs the handlers of pending signals. Returns whether one of them raised.
    fn look(&self) -> bool {
        Python::attach(|py| match py.check_signals() {
            Ok(()) => false,
            Err(error) => {
                *self.0.lock() = Some(error);
                true
            }
        })
    }
}

/// Runs the handlers of pending signals and returns whether one of them raised. `None` on threads
/// that run no handlers.
pub type Interrupted<'a> = Option<&'a dyn Fn() -> bool>;

/// Runs blocking work detached from the interpreter. Fails with what a signal handler raised.
pub fn detached<R: Send>(
    py: Python<'_>,
    work: impl FnOnce(Interrupted<'_>) -> R + Send,
) -> PyResult<R> {
    let signal = Signal::default();
    let done = py.detach(|| {
        let look = || signal.look();
        work(Signal::is_minded().then_some(&look as &dyn Fn() -> bool))
    });
    signal.0.into_inner().map_or(Ok(done), Err)
}

/// Runs blocking work that does not look for signals, such as connecting. Where signals are
/// handled, it runs in a thread of its own, and goes on there if a handler raises: `late` gets its
/// result then.
pub fn detached_apart<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> R + Send + 'static,
    late: impl FnOnce(R) + Send + 'static,
) -> PyResult<R> {
    if !Signal::is_minded() {
        return Ok(py.detach(work));
    }
    // Without a buffer, so that a result is either received or comes back.
    let (sender, receiver) = mpsc::sync_channel(0);
    let run = move || {
        if let Err(mpsc::SendError(done)) = sender.send(work()) {
            late(done);
        }
    };
    thread::Builder::new().name("spikewire-open".to_owned()).spawn(run)?;
    let done = detached(py, move |interrupted| {
        loop {
            match receiver.recv_timeout(permits::SIGNAL_POLL) {
                Ok(done) => return Some(done),
                Err(mpsc::RecvTimeoutError::Disconnected) => return None,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    if interrupted.is_some_and(|look| look()) {
                        return None;
                    }
                }
            }
        }
    })?;
    done.ok_or_else(|| PyRuntimeError::new_err("the thread that connects ended without a result"))
}

/// Like [`detached`], for a command on a single record or row. Such commands have priority over
/// queries.
pub fn detached_command<R: Send>(
    py: Python<'_>,
    work: impl FnOnce(Interrupted<'_>) -> R + Send,
) -> PyResult<R> {
    let _sent = gil_fairness::command_sent();
    let done = detached(py, |interrupted| {
        let outcome = work(interrupted);
        (outcome, gil_fairness::await_gil())
    });
    done.map(|(outcome, _answered)| outcome)
}

#[cfg(target_os = "linux")]
fn is_main_thread() -> bool {
    rustix::thread::gettid() == rustix::process::getpid()
}

#[cfg(not(target_os = "linux"))]
#[expect(unsafe_code, reason = "there is no safe function for it")]
fn is_main_thread() -> bool {
    // SAFETY: only returns a fact about this thread.
    unsafe { libc::pthread_main_np() == 1 }
}
