//! Signals while a thread waits without the interpreter.

use std::cell::Cell;

use pyo3::prelude::*;
use spikewire_sync::Mutex;

use super::forks::forks;
use super::gil_fairness;

/// What a Python signal handler raised while the interpreter was let go.
#[derive(Default)]
struct Signal(Mutex<Option<PyErr>>);

impl Signal {
    /// Only Python's main thread runs signal handlers.
    fn is_minded() -> bool {
        thread_local! {
            /// The answer, and in which process it was found: the thread that forks is the main
            /// thread of the child.
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

    /// Runs the handlers of signals that came; whether one of them raised.
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

/// Runs the handlers of signals that came; says whether one of them raised. `None` on threads that
/// run none.
pub type Interrupted<'a> = Option<&'a dyn Fn() -> bool>;

/// Does work that waits, without the interpreter. Fails with what a signal handler raised.
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

/// The same for one command on a single record or row, which queries let go first.
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
    // SAFETY: only reports a fact.
    unsafe { libc::pthread_main_np() == 1 }
}
