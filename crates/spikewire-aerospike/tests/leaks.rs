//! A closed cluster leaves nothing behind. In a test binary of its own, because it counts resources
//! of the whole process.
#![cfg(target_os = "linux")]

mod support;

use std::time::Duration;

use spikewire_aerospike::admin::InfoCommand;
use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::{Kind, Options};
use spikewire_aerospike_protocol::host::Host;
use spikewire_aerospike_server::{Cluster as Server, Options as ServerOptions};
use support::eventually;

fn count(directory: &str) -> usize {
    std::fs::read_dir(directory).unwrap().count()
}

fn options(server: &Server) -> Options {
    let seeds = server.seeds().into_iter().map(|address| Host {
        name: "localhost".to_owned(),
        tls_name: None,
        port: address.port(),
    });
    Options { tend_interval: Duration::from_millis(20), ..Options::new(seeds.collect()) }
}

#[test]
fn closing_releases_files_and_threads() {
    let server = Server::start(ServerOptions { nodes: 3, ..ServerOptions::default() }).unwrap();
    let (files, threads) = (count("/proc/self/fd"), count("/proc/self/task"));
    let is_clean = || count("/proc/self/fd") == files && count("/proc/self/task") == threads;

    for round in 0..3 {
        let cluster = Cluster::connect(options(&server)).unwrap();
        let node = cluster.snapshot().nodes[0].clone();
        cluster.info(&node, &command("build")).unwrap();
        if round == 0 {
            in_a_forked_child(&cluster, files);
        } else {
            cluster.close();
        }
        drop(cluster);
        eventually("connections and threads are gone", is_clean);
    }
    let mut wrong = options(&server);
    wrong.cluster_name = Some("other".to_owned());
    Cluster::connect(wrong).unwrap_err();
    eventually("a failed start leaves nothing either", is_clean);
}

/// The child abandons the cluster, and the parent's keeps working.
fn in_a_forked_child(cluster: &Cluster, files: usize) {
    // SAFETY: the child only uses what `abandon` guarantees to be usable, and exits without
    // unwinding.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: plain system call; kills the child if it hangs.
        unsafe { libc::alarm(60) };
        cluster.abandon();
        // Half of the sockets are the client's; the server's ends stay.
        let inherited = count("/proc/self/fd");
        let node = cluster.snapshot().nodes.first().cloned();
        let outcome = node.map(|node| cluster.info(&node, &command("node")).unwrap_err().kind());
        cluster.tend_soon();
        cluster.close();
        let good = cluster.is_closed() && outcome == Some(Kind::Closed) && inherited <= files + 4;
        // SAFETY: plain system call.
        unsafe { libc::_exit(i32::from(!good)) };
    }
    let mut status = 0;
    // SAFETY: `status` is valid for the call.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(status, 0, "the child failed");
    let node = cluster.snapshot().nodes[0].clone();
    assert!(node.is_active());
    cluster.info(&node, &command("node")).unwrap();
}

fn command(text: &str) -> InfoCommand {
    InfoCommand::new(text).unwrap()
}
