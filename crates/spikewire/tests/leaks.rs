//! Clients leave nothing behind. In a test binary of its own, because it counts descriptors and
//! threads of the process.
#![cfg(target_os = "linux")]

mod support;

use futures::StreamExt as _;
use futures::executor::block_on;
use futures::future::join_all;

use support::{async_clients, async_dataset, cluster, dataset, eventually};

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("a list of descriptors").count()
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").expect("a list of threads").count()
}

#[test]
fn closed_and_dropped_clients_release_their_connections() {
    let cluster = cluster(3);
    let connections = || (0..3).map(|node| cluster.stats(node).unwrap().connections).sum::<usize>();
    let round = |close: bool| {
        let users = dataset(&cluster);
        (0..50_i64).for_each(|key| users.put(key, [("n", key)]).unwrap());
        assert_eq!(users.query().records().unwrap().count(), 50);
        assert!(users.query().records().unwrap().next().is_some());
        for client in async_clients(&cluster) {
            let users = async_dataset(&client);
            for outcome in block_on(join_all((0..500).map(|key| users.get(key)))) {
                outcome.unwrap();
            }
            let mut records = users.query().records().unwrap();
            assert!(block_on(records.next()).unwrap().is_ok());
            let _unread = users.query().records().unwrap();
            assert_eq!(block_on(users.query().records().unwrap().count()), 50);
            if close {
                client.close();
            }
        }
    };
    let before = (descriptors(), threads());
    for at in 0..6 {
        round(at % 2 == 0);
        eventually("closing every connection", || connections() == 0);
        eventually("closing every descriptor", || (descriptors(), threads()) <= before);
    }
}
