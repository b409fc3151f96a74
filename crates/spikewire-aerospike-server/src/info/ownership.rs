//! The partitions of this node, and the racks.

use spikewire_aerospike_protocol::info::Command;
use spikewire_aerospike_protocol::partition::{Bitmap, Replicas};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::{InfoTarget, error};
use crate::storage::namespace::Namespace;

pub(super) fn value(target: &InfoTarget<'_>, command: &Command<'_>) -> Option<String> {
    Some(match command.name {
        "replicas" => match command.param("max").map(str::parse::<usize>) {
            Some(Err(_)) => error(ResultCode::PARAMETER, "bad max"),
            None | Some(Ok(0)) => Replicas::format(&maps(target, usize::MAX)),
            Some(Ok(max)) => Replicas::format(&maps(target, max)),
        },
        // The older forms omit the regime, or also the replication factor.
        "replicas-all" => strip(maps(target, usize::MAX), "0,"),
        "replicas-master" => strip(maps(target, 1), "0,1,"),
        "racks" => racks(target),
        "rack-ids" => rack_ids(target),
        _ => return None,
    })
}

/// The node's partitions in every namespace, at most `max` replica columns each.
fn maps(target: &InfoTarget<'_>, max: usize) -> Vec<Replicas> {
    let state = target.state;
    let map = |namespace: &Namespace| {
        let factor = state.factor(namespace).clamp(1, max.min(255));
        let mut columns = vec![Bitmap::default(); factor];
        for pid in Namespace::ids() {
            let role = namespace.partition(pid).role(target.number);
            if let Some(column) = role.and_then(|role| columns.get_mut(role)) {
                column.insert(pid);
            }
        }
        Replicas {
            namespace: namespace.options.name.clone(),
            regime: u32::from(namespace.options.strong_consistency),
            factor: factor as u8,
            columns,
        }
    };
    state.namespaces.iter().map(map).collect()
}

fn strip(maps: Vec<Replicas>, prefix: &str) -> String {
    let entries: Vec<String> = maps
        .into_iter()
        .map(|map| Replicas { regime: 0, ..map })
        .map(|map| {
            let text = Replicas::format(std::slice::from_ref(&map));
            let value = &text[map.namespace.len() + 1..];
            format!("{}:{}", map.namespace, value.strip_prefix(prefix).unwrap_or(value))
        })
        .collect();
    entries.join(";")
}

fn racks(target: &InfoTarget<'_>) -> String {
    let state = target.state;
    if state.options.racks.is_empty() {
        return error(ResultCode::ENTERPRISE_ONLY, "enterprise only");
    }
    let alive = state.alive();
    let mut numbers: Vec<u32> = alive.iter().map(|node| state.options.racks[*node]).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let groups: Vec<String> = numbers
        .iter()
        .map(|rack| {
            let names: Vec<&str> = alive
                .iter()
                .filter(|node| state.options.racks[**node] == *rack)
                .map(|node| state.nodes[*node].name.as_str())
                .collect();
            format!("rack_{rack}={}", names.join(","))
        })
        .collect();
    let entry =
        |namespace: &Namespace| format!("ns={}:{}", namespace.options.name, groups.join(":"));
    state.namespaces.iter().map(entry).collect::<Vec<_>>().join(";")
}

fn rack_ids(target: &InfoTarget<'_>) -> String {
    let Some(rack) = target.state.options.racks.get(target.number) else {
        return error(ResultCode::ENTERPRISE_ONLY, "enterprise only");
    };
    let entry = |namespace: &Namespace| format!("{}:{rack}", namespace.options.name);
    target.state.namespaces.iter().map(entry).collect::<Vec<_>>().join(";")
}
