//! A forked child uses its own locks, independent of its parent's threads.
//!
//! A few hundred forks find only gross faults: locks that park in a shared table passed, but hung
//! within 20,000 forks. To try that many, set FORKS=20000 and test in release mode.
#![cfg(unix)]

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use spikewire_sync::{Condvar, Mutex};

/// Starts `threads` threads that contend for `locks`, so that there is always one waiting.
fn contend(threads: usize, locks: &Arc<[Mutex<u64>]>, stop: &Arc<AtomicBool>) {
    for at in 0..threads {
        let (locks, stop) = (locks.clone(), stop.clone());
        thread::spawn(move || {
            for turn in at.. {
                if stop.load(Relaxed) {
                    return;
                }
                let mut held = locks[turn % locks.len()].lock();
                *held += 1;
                thread::yield_now();
            }
        });
    }
}

/// What a child does: waits for its own locks and conditions, in its own threads.
fn use_locks() {
    let stop = Arc::new(AtomicBool::new(false));
    let locks: Arc<[Mutex<u64>]> = (0..8).map(|_| Mutex::new(0)).collect();
    contend(4, &locks, &stop);
    while locks.iter().any(|lock| *lock.lock() < 4) {
        thread::yield_now();
    }
    stop.store(true, Relaxed);

    let shared = Arc::new((Mutex::new(false), Condvar::new()));
    let (send, receive) = mpsc::channel();
    thread::spawn({
        let shared = shared.clone();
        move || {
            receive.recv().expect("the word to go on");
            *shared.0.lock() = true;
            shared.1.notify_all();
        }
    });
    let mut done = shared.0.lock();
    send.send(()).expect("a thread that listens");
    while !*done {
        done = shared.1.wait(done);
    }
}

#[test]
fn a_child_can_wait_in_locks_of_its_own() {
    let stop = Arc::new(AtomicBool::new(false));
    let locks: Arc<[Mutex<u64>]> = (0..4).map(|_| Mutex::new(0)).collect();
    contend(8, &locks, &stop);
    let forks = std::env::var("FORKS").map_or(200, |forks| forks.parse().expect("a number"));
    for _ in 0..forks {
        // SAFETY: the child touches nothing that the parent's threads may hold, and exits without
        // running exit handlers.
        let child = unsafe { libc::fork() };
        assert!(child >= 0, "no fork");
        if child == 0 {
            use_locks();
            // SAFETY: it ends this process.
            unsafe { libc::_exit(0) };
        }
        wait_for(child);
    }
    stop.store(true, Relaxed);
}

/// Waits for a child for half a minute; it takes about a millisecond.
fn wait_for(child: libc::pid_t) {
    let start = Instant::now();
    let mut status = 0;
    // SAFETY: the child was forked here, and the status is a local variable.
    while unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG) } == 0 {
        if start.elapsed() > Duration::from_secs(30) {
            // SAFETY: as above.
            unsafe { libc::kill(child, libc::SIGKILL) };
            // SAFETY: as above.
            unsafe { libc::waitpid(child, &raw mut status, 0) };
            panic!("the child hangs");
        }
        thread::sleep(Duration::from_micros(200));
    }
    assert_eq!(status, 0, "the child's end");
}
