use std::sync::Arc;

use loom::thread;

use super::{Exclusive, explore};
use crate::keys::{KeysInFlight, OrderKey};

#[test]
fn what_a_call_did_is_visible_once_its_key_is_not_in_flight() {
    explore(3, || {
        let (all, record) = (KeysInFlight::new(), Arc::new(Exclusive::default()));
        let key = OrderKey::of(7);
        let calls = [(); 2].map(|()| all.add(key));
        let lock = Arc::new(loom::sync::Mutex::new(()));
        let threads = calls.map(|call| {
            let (record, lock) = (record.clone(), lock.clone());
            thread::spawn(move || {
                let order = lock.lock().unwrap();
                record.enter();
                drop((order, call));
            })
        });
        if !all.contains(key) {
            assert_eq!(record.enter(), 2);
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(!all.contains(key));
    });
}
