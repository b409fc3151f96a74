//! Storage of the node: namespaces, sets, statistics and configuration.

use std::sync::atomic::Ordering;

use spikewire_aerospike_protocol::info::Command;
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::{InfoTarget, NO_NAMESPACE, error, set_indexes};
use crate::record::sets::Set;
use crate::state::stats;
use crate::storage::namespace::Namespace;
use crate::storage::partition::Usage;

pub(super) fn value(target: &InfoTarget<'_>, command: &Command<'_>) -> Option<String> {
    Some(match command.name {
        "statistics" => statistics(target),
        "namespace" => match target.state.namespace(command.params.as_bytes()) {
            Some((_, namespace)) => describe(target, namespace),
            None => "type=unknown".to_owned(),
        },
        "sets" => sets(target, command.params),
        "get-config" | "config-get" => config(target, command),
        "set-config" | "config-set" => set_indexes::configure(target, command),
        "latencies" => latencies(target, command),
        "histogram" => String::new(),
        _ => return None,
    })
}

fn pairs(entries: &[(&str, String)]) -> String {
    let texts: Vec<String> = entries.iter().map(|(key, value)| format!("{key}={value}")).collect();
    texts.join(";")
}

fn statistics(target: &InfoTarget<'_>) -> String {
    let state = target.state;
    let stats = stats::of(state, target.number);
    let principal = state.alive().last().map_or("0", |node| state.nodes[*node].name.as_str());
    pairs(&[
        ("cluster_size", state.alive().len().to_string()),
        ("cluster_key", format!("{:X}", state.cluster_key())),
        ("cluster_generation", state.rebalances.load(Ordering::Acquire).to_string()),
        ("cluster_principal", principal.to_owned()),
        ("cluster_integrity", "true".to_owned()),
        ("cluster_is_member", "true".to_owned()),
        ("uptime", state.started.elapsed().as_secs().to_string()),
        ("objects", stats.objects.to_string()),
        ("tombstones", "0".to_owned()),
        ("client_connections", stats.connections.to_string()),
        ("client_connections_opened", stats.connections_opened.to_string()),
        ("migrate_partitions_remaining", state.remaining().to_string()),
        ("info_complete", stats.counters.infos.to_string()),
        ("spikewire_requests", stats.counters.requests.to_string()),
        ("spikewire_rows", (stats.counters.reads + stats.counters.writes).to_string()),
        ("failed_best_practices", "false".to_owned()),
    ])
}

fn describe(target: &InfoTarget<'_>, namespace: &Namespace) -> String {
    let state = target.state;
    let (all, master) = namespace.usage(target.number);
    let (objects, masters) = (stats::objects(&all), stats::objects(&master));
    let bytes: u64 = all.iter().map(|usage| usage.bytes).sum();
    let is_monitor = |usage: &&Usage| namespace.monitors() == Some(usage.set);
    let monitors: u64 = master.iter().filter(is_monitor).map(|usage| usage.objects).sum();
    let locked = namespace.locked(target.number);
    let head = pairs(&[
        ("ns_cluster_size", state.alive().len().to_string()),
        ("effective_replication_factor", state.factor(namespace).to_string()),
        ("objects", objects.to_string()),
        ("tombstones", "0".to_owned()),
        ("master_objects", masters.to_string()),
        ("prole_objects", objects.saturating_sub(masters).to_string()),
        ("non_replica_objects", "0".to_owned()),
        ("data_used_bytes", bytes.to_string()),
        ("migrate_rx_partitions_remaining", "0".to_owned()),
        ("migrate_tx_partitions_remaining", state.remaining().to_string()),
        ("mrt_provisionals", locked.to_string()),
        ("mrt_monitors", monitors.to_string()),
        ("unavailable_partitions", "0".to_owned()),
        ("dead_partitions", "0".to_owned()),
        ("stop_writes", "false".to_owned()),
    ]);
    format!("{head};{}", settings(namespace))
}

/// A namespace's configuration.
fn settings(namespace: &Namespace) -> String {
    let options = &namespace.options;
    pairs(&[
        ("replication-factor", options.replication_factor.to_string()),
        ("default-ttl", options.default_ttl.to_string()),
        ("nsup-period", options.nsup_period.to_string()),
        ("max-record-size", options.max_record_size.to_string()),
        ("allow-ttl-without-nsup", "false".to_owned()),
        ("default-read-touch-ttl-pct", "0".to_owned()),
        ("disallow-null-setname", "false".to_owned()),
        ("strong-consistency", options.strong_consistency.to_string()),
        ("strong-consistency-allow-expunge", options.strong_consistency_allow_expunge.to_string()),
        ("storage-engine", "memory".to_owned()),
    ])
}

fn sets(target: &InfoTarget<'_>, params: &str) -> String {
    let (name, set) = match params.split_once('/') {
        Some((name, set)) => (name, Some(set)),
        None => (params, None),
    };
    if name.is_empty() {
        let all = target.state.namespaces.iter().map(|namespace| list_sets(target, namespace));
        return all.collect();
    }
    let Some((_, namespace)) = target.state.namespace(name.as_bytes()) else {
        return "ns_type=unknown".to_owned();
    };
    let Some(set) = set else { return list_sets(target, namespace) };
    let (all, _) = namespace.usage(target.number);
    let known = namespace.sets.all();
    let is_it = |known: &Set| *known.name == *set.as_bytes() && known.is_known(target.number);
    let set = known.iter().find(|(_, known)| is_it(known));
    let line = |(number, set): &(u16, std::sync::Arc<Set>)| {
        format!("{};", set_line(*number, set, &all, namespace))
    };
    set.map(line).unwrap_or_default()
}

fn list_sets(target: &InfoTarget<'_>, namespace: &Namespace) -> String {
    let (all, _) = namespace.usage(target.number);
    let line = |(number, set): &(u16, std::sync::Arc<Set>)| {
        format!(
            "ns={}:set={}:{};",
            namespace.options.name,
            String::from_utf8_lossy(&set.name),
            set_line(*number, set, &all, namespace)
        )
    };
    let known = namespace.sets.all();
    known.iter().filter(|(_, set)| set.is_known(target.number)).map(line).collect()
}

fn set_line(number: u16, set: &Set, usage: &[Usage], namespace: &Namespace) -> String {
    let index = namespace.indexes.all_of(number);
    let usage = usage.get(usize::from(number)).copied().unwrap_or_default();
    let entries = [
        ("objects", usage.objects.to_string()),
        ("tombstones", "0".to_owned()),
        ("data_used_bytes", usage.bytes.to_string()),
        ("truncate_lut", set.truncated.load(Ordering::Acquire).to_string()),
        ("sindexes", namespace.indexes.of_set(number).to_string()),
        ("index_populating", index.as_ref().is_some_and(|index| !index.is_ready()).to_string()),
        ("truncating", "false".to_owned()),
        ("default-read-touch-ttl-pct", "0".to_owned()),
        ("default-ttl", "0".to_owned()),
        ("disable-eviction", "false".to_owned()),
        ("enable-index", index.is_some().to_string()),
        ("stop-writes-count", "0".to_owned()),
        ("stop-writes-size", "0".to_owned()),
    ];
    pairs(&entries).replace(';', ":")
}

fn config(target: &InfoTarget<'_>, command: &Command<'_>) -> String {
    let state = target.state;
    let service = || {
        pairs(&[
            ("cluster-name", state.options.cluster_name.clone()),
            ("service-threads", state.options.threads.to_string()),
            ("proto-fd-max", "15000".to_owned()),
            ("batch-max-requests", "0".to_owned()),
            ("transaction-max-ms", "1000".to_owned()),
        ])
    };
    let network = || {
        let address = target.node().address;
        pairs(&[
            ("service.address", address.ip().to_string()),
            ("service.port", address.port().to_string()),
        ])
    };
    match command.param("context") {
        None => {
            let mut parts = vec![service(), network()];
            parts.extend(state.namespaces.iter().map(settings));
            parts.join(";")
        }
        Some("service") => service(),
        Some("network") => network(),
        Some("security" | "xdr") => String::new(),
        Some("namespace") => match command.param("namespace").or(command.param("id")) {
            None => error(ResultCode::NAMESPACE, "missing 'namespace'"),
            Some(name) => match state.namespace(name.as_bytes()) {
                Some((_, namespace)) => settings(namespace),
                None => error(ResultCode::NAMESPACE, NO_NAMESPACE),
            },
        },
        Some(_) => error(ResultCode::PARAMETER, "invalid context"),
    }
}

/// Latencies are not measured, so every histogram is empty.
fn latencies(target: &InfoTarget<'_>, command: &Command<'_>) -> String {
    let mut names = vec!["batch-index".to_owned()];
    for namespace in &target.state.namespaces {
        for kind in ["read", "write", "udf", "pi-query", "si-query"] {
            names.push(format!("{{{}}}-{kind}", namespace.options.name));
        }
    }
    match command.param("hist") {
        None => names.iter().map(|name| format!("{name}:")).collect::<Vec<_>>().join(";"),
        Some(name) if names.iter().any(|known| known == name) => format!("{name}:"),
        Some(_) => error(ResultCode::PARAMETER, "bad hist name"),
    }
}
