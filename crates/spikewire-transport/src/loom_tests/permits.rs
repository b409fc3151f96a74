use std::sync::Arc;
use std::time::Duration;

use loom::thread;

use super::{Exclusive, explore};
use crate::clock::Tick;
use crate::permits::{Permit, PermitError, Permits};

fn take(permits: &Arc<Permits>) -> Permit {
    permits.enter().unwrap_or_else(|| permits.wait(Tick::NEVER, None).unwrap())
}

#[test]
fn each_caller_gets_the_only_permit_and_sees_what_the_one_before_did() {
    explore(3, || {
        let shared = Arc::new((Permits::new(1), Exclusive::default()));
        let call = |shared: &(Arc<Permits>, Exclusive)| {
            let permit = take(&shared.0);
            shared.1.enter();
            drop(permit);
        };
        let threads = [(); 2].map(|()| {
            let shared = shared.clone();
            thread::spawn(move || call(&shared))
        });
        call(&shared);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(shared.1.enter(), 3);
        assert!(shared.0.enter().is_some(), "all came back");
    });
}

#[test]
fn a_caller_that_gives_up_passes_on_what_it_was_granted() {
    explore(3, || {
        let permits = Permits::new(1);
        let held = permits.enter().unwrap();
        let hasty = thread::spawn({
            let permits = permits.clone();
            move || permits.wait(Tick::now().after(Duration::from_millis(1)), None).map(drop)
        });
        let patient = thread::spawn({
            let permits = permits.clone();
            move || drop(take(&permits))
        });
        drop(held);
        assert!(matches!(hasty.join().unwrap(), Ok(()) | Err(PermitError::Late)));
        patient.join().unwrap();
        assert!(permits.enter().is_some(), "all came back");
    });
}

/// With this many permits, one that is returned is withheld for a moment.
#[test]
fn a_withheld_permit_reaches_all_who_wait() {
    explore(2, || {
        let permits = Permits::new(16);
        let mut held: Vec<_> = (0..16).map(|_| permits.enter().unwrap()).collect();
        let threads = [(); 2].map(|()| {
            let permits = permits.clone();
            thread::spawn(move || drop(take(&permits)))
        });
        held.pop();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn closing_ends_every_wait() {
    explore(3, || {
        let permits = Permits::new(1);
        let held = permits.enter().unwrap();
        let threads = [(); 2].map(|()| {
            let permits = permits.clone();
            thread::spawn(move || permits.wait(Tick::NEVER, None).unwrap_err())
        });
        permits.close();
        assert_eq!(
            threads.map(|thread| thread.join().unwrap()),
            [(); 2].map(|()| PermitError::Closed)
        );
        drop(held);
    });
}
