//! How often a session reconnects to a missing node, counted at its address.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::support::{eventually, place};

/// A proxy that forwards bytes to a node and back, or accepts connections and closes them.
#[derive(Default)]
struct Door {
    shut: AtomicBool,
    /// Number of connections while closed.
    knocks: Mutex<u32>,
    open: Mutex<Vec<TcpStream>>,
}

impl Door {
    fn start(target: SocketAddr) -> (Arc<Self>, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (door, at) = (Arc::new(Self::default()), listener.local_addr().unwrap());
        let own = door.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if own.shut.load(SeqCst) {
                    *own.knocks.lock().unwrap() += 1;
                    continue;
                }
                let Ok(node) = TcpStream::connect(target) else { continue };
                let both = [client.try_clone().unwrap(), node.try_clone().unwrap()];
                own.open.lock().unwrap().extend(both);
                let (from_client, to_node) = (client.try_clone(), node.try_clone());
                thread::spawn(move || pass(from_client.unwrap(), to_node.unwrap()));
                thread::spawn(move || pass(node, client));
            }
        });
        (door, at)
    }

    fn shut(&self) {
        self.shut.store(true, SeqCst);
        for stream in self.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn knocks(&self) -> u32 {
        *self.knocks.lock().unwrap()
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream) {
    let mut some = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut some) {
        if to.write_all(&some[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

#[test]
fn pauses_grow_from_the_shortest_to_the_longest() {
    let place = place!();
    let (door, at) = Door::start(place.at.parse().unwrap());
    let (shortest, longest) = (Duration::from_millis(50), Duration::from_millis(400));
    let session = place.builder().reconnect(shortest, longest).connect(at).unwrap();
    let reads = || session.execute("SELECT release_version FROM system.local", ());
    reads().unwrap();
    door.shut();
    eventually("the first knock", || door.knocks() > 0);
    // The pace of the test. Two attempts per round: the control connection and a heartbeat. There are eleven rounds in
    // this time, and there would be sixty if the pauses did not grow from the shortest one.
    thread::sleep(Duration::from_secs(3));
    let knocks = door.knocks();
    assert!(knocks <= 45, "{knocks} in three seconds");
    // They do not grow without bound either: that would be minutes by now.
    eventually("many more", || door.knocks() > knocks + 24);
    door.shut.store(false, SeqCst);
    eventually("the node is found again", || reads().is_ok());
}

#[test]
fn errors_list_every_attempt() {
    let place = place!();
    let (door, at) = Door::start(place.at.parse().unwrap());
    let session = place.builder().max_retries(2).connect(at).unwrap();
    let reads = || session.execute("SELECT release_version FROM system.local", ());
    reads().unwrap();
    door.shut();
    let error = reads().unwrap_err();
    assert_eq!((error.attempts(), error.in_doubt()), (3, false), "{error}");
    let at = at.to_string();
    let failed: Vec<_> = error.failed_attempts().collect();
    assert_eq!(failed.len(), 3);
    assert!(failed.iter().all(|(node, reason)| *node == Some(&*at) && !reason.is_empty()));
    assert_eq!(failed[2].1, error.message());
}
