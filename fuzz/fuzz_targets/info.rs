//! The info protocol: requests, replies, and the values that describe a cluster. What parses is
//! formatted and parsed again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikewire_aerospike_protocol::host::{Host, parse_hosts};
use spikewire_aerospike_protocol::info;
use spikewire_aerospike_protocol::partition::Replicas;
use spikewire_aerospike_protocol::peers::{self, Peers};
use spikewire_aerospike_protocol::racks;

fuzz_target!(|input: &[u8]| {
    for command in info::commands(input) {
        assert!(!command.line.contains('\n'));
        let _ = command.param("namespace");
    }
    let Ok(text) = std::str::from_utf8(input) else { return };

    let mut body = Vec::new();
    let line = text.replace(['\n', '\t'], " ");
    info::answer(&mut body, "node", &line);
    let body = String::from_utf8(body).expect("text and text make text");
    match info::value(&body, "node") {
        Ok(value) => assert_eq!(value, line),
        Err(error) => assert_eq!(error.command, "node"),
    }
    let _ = info::value(text, "node");

    if let Ok(list) = Peers::parse(text) {
        assert_eq!(Peers::parse(&list.format()), Ok(list));
    }
    if let Ok(list) = peers::services(text) {
        let again: Vec<String> = list.iter().map(ToString::to_string).collect();
        assert_eq!(peers::services(&again.join(",")), Ok(list));
    }
    if let Ok(entries) = Replicas::parse(text) {
        assert_eq!(Replicas::parse(&Replicas::format(&entries)), Ok(entries));
    }
    if let Ok(entries) = racks::parse(text) {
        assert_eq!(racks::parse(&racks::format(&entries)), Ok(entries));
    }
    match parse_hosts(text, 3000) {
        Ok(hosts) => {
            let again: Vec<String> = hosts.iter().map(Host::to_string).collect();
            assert_eq!(parse_hosts(&again.join(","), 1), Ok(hosts));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
