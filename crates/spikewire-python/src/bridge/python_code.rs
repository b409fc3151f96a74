//! Python code that native code calls, while the interpreter ends.
//!
//! Before Python 3.14, a thread that waits for the interpreter while it ends is ended on the spot,
//! by unwinding its stack. That must not pass native frames: the process aborts. `PyO3` makes
//! such threads wait for ever where it attaches them itself, but any Python code gives up the
//! interpreter now and then. So native code notes when it calls Python code that takes a while or
//! runs often: functions of the program, exception classes, `NumPy`, event loops. At exit, the
//! interpreter ends when no thread is in such code.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use spikewire_transport::Tick;

/// How long the interpreter waits for such threads. Code that does not return, such as a generator
/// that waits for something, delays the end by this.
const LONGEST: Duration = Duration::from_millis(500);
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// How many threads are in Python code that native code called.
static THREADS: AtomicUsize = AtomicUsize::new(0);
/// Whether the interpreter is about to end.
static ENDS: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// How deep this thread is in such code.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// While it exists, this thread may run Python code that was called from native code.
pub struct PythonCode {
    /// It counts its thread.
    stays: PhantomData<*const ()>,
}

impl PythonCode {
    /// Notes that Python code is about to be called.
    #[inline]
    pub fn enter(py: Python<'_>) -> Self {
        if !cfg!(Py_3_14) {
            let depth = DEPTH.get();
            DEPTH.set(depth + 1);
            if depth == 0 {
                THREADS.fetch_add(1, SeqCst);
                if ENDS.load(SeqCst) {
                    hold_back(py);
                }
            }
        }
        Self { stays: PhantomData }
    }
}

impl Drop for PythonCode {
    #[inline]
    fn drop(&mut self) {
        if !cfg!(Py_3_14) {
            let depth = DEPTH.get() - 1;
            DEPTH.set(depth);
            if depth == 0 {
                THREADS.fetch_sub(1, SeqCst);
            }
        }
    }
}

/// Keeps a thread from beginning such code while the interpreter ends: usually for ever. If the
/// interpreter does not end soon, because functions of `atexit` take long, the thread continues.
#[cold]
fn hold_back(py: Python<'_>) {
    THREADS.fetch_sub(1, SeqCst);
    py.detach(|| thread::sleep(LONGEST));
    THREADS.fetch_add(1, SeqCst);
}

/// Called by the thread that ends the interpreter: waits until no other thread is in such code.
pub fn finish(py: Python<'_>) {
    // This thread itself is not held back, whatever it does until the end.
    DEPTH.set(DEPTH.get() + 1);
    ENDS.store(true, SeqCst);
    let last = Tick::now().after(LONGEST);
    py.detach(|| {
        while THREADS.load(SeqCst) > 0 && Tick::now() < last {
            thread::sleep(LOOK_EVERY);
        }
    });
}

/// Called in the child after a fork, where only the forking thread is left.
pub fn after_fork() {
    THREADS.store(usize::from(DEPTH.get() > 0), SeqCst);
}
