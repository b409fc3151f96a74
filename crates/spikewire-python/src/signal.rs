//! Signals while a thread waits without the interpreter.

use std::cell::Cell;

use pyo3::prelude::*;
use spikewire_sync::Mutex;

use crate::forks::forks;

/// What a Python signal handler raised while the interpreter was let go.
#[derive(Default)]
pub struct Signal(Mutex<Option<PyErr>>);

impl Signal {
    /// Only Python's main thread runs signal handlers.
    pub fn is_minded() -> bool {
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
    pub fn look(&self) -> bool {
        Python::attach(|py| match py.check_signals() {
            Ok(()) => false,
            Err(error) => {
                *self.0.lock() = Some(error);
                true
            }
        })
    }

    /// What a handler raised.
    pub fn raised(self) -> Option<PyErr> {
        self.0.into_inner()
    }
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
