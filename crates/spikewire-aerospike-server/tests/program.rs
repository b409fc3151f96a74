//! The program: one line when it is ready, commands on its input, a clean end.
#![cfg(feature = "cli")]

mod wire;

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};

use wire::{Request, Wire};

fn start(arguments: &[&str]) -> (Child, BufReader<ChildStdout>, Vec<SocketAddr>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_spikewire-aerospike-server"))
        .args(["--port", "0"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let line = line(&mut output);
    let seeds = line.strip_prefix("ready ").unwrap_or_default();
    let seeds = seeds.split(',').filter_map(|seed| seed.parse().ok()).collect();
    (child, output, seeds)
}

fn line(output: &mut impl BufRead) -> String {
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    line.trim_end().to_owned()
}

#[test]
fn it_takes_commands_and_ends_with_its_input() {
    let (mut child, mut output, seeds) = start(&["--nodes", "3", "--control"]);
    assert_eq!(seeds.len(), 3);
    let mut wire = Wire::connect(seeds[0]).unwrap();
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    let mut input = child.stdin.take().unwrap();
    for (command, answer) in [
        ("kill 1", "ok"),
        ("wait", "ok"),
        ("restart 1", "ok"),
        ("wait", "ok"),
        ("kill 9", "error no node 9: the cluster has nodes 0 to 2"),
        ("what", "error unknown command"),
    ] {
        writeln!(input, "{command}").unwrap();
        assert_eq!(line(&mut output), answer, "{command}");
    }
    assert_eq!(wire.code(Request::get("k")), 0);
    writeln!(input, "truncate test demo").unwrap();
    assert_eq!(line(&mut output), "ok");
    assert_eq!(wire.code(Request::get("k")), 2);
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[cfg(unix)]
#[test]
fn sigint_and_sigterm_end_the_program() {
    for signal in ["-INT", "-TERM"] {
        let (mut child, _, seeds) = start(&["--namespace", "a", "--namespace", "b"]);
        let mut wire = Wire::connect(seeds[0]).unwrap();
        assert_eq!(wire.info("namespaces"), "a;b");
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert!(child.wait().unwrap().success());
        assert!(wire.is_closed());
    }
}

#[test]
fn impossible_options_are_named() {
    for arguments in [
        &["--nodes", "0"][..],
        &["--nodes", "2", "--racks", "1"],
        &["--namespace", "a:b"],
        &["--namespace", "a", "--namespace", "a"],
        &["--replication-factor", "0"],
        &["--build", "new"],
        &["--no-such-option"],
    ] {
        let (mut child, _, seeds) = start(arguments);
        assert!(seeds.is_empty(), "{arguments:?}");
        assert!(!child.wait().unwrap().success(), "{arguments:?}");
    }
}
