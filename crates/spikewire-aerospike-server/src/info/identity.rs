//! Identity and features of the node, and the state of its cluster.

use std::sync::atomic::Ordering;

use spikewire_aerospike_protocol::info::Command;
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::{InfoTarget, NO_NAMESPACE, error};

/// Features that clients check for.
const FEATURES: &str = "batch-any;batch-index;blob-bits;cdt-index;cdt-list;cdt-map;cluster-stable;\
    float;geo;sindex-exists;peers;pipelining;pquery;pscans;query-show;relaxed-sc;replicas;\
    replicas-all;replicas-master;replicas-max;truncate-namespace;udf";

pub(super) fn value(target: &InfoTarget<'_>, command: &Command<'_>) -> Option<String> {
    let (state, node) = (target.state, target.node());
    let (build, edition) = (&state.options.build, state.options.edition);
    Some(match command.name {
        "node" | "name" => node.name.clone(),
        "build" => build.clone(),
        "edition" => edition.title().to_owned(),
        "version" => format!("{} build {build}", edition.title()),
        "release" => format!(
            "edition={};version={build};os={};arch={};sha=spikewire",
            edition.title(),
            std::env::consts::OS,
            std::env::consts::ARCH
        ),
        "features" => FEATURES.to_owned(),
        "status" => "ok".to_owned(),
        "connection" => "admin=false".to_owned(),
        "build_os" => std::env::consts::OS.to_owned(),
        "user-agents" => node.user_agents.describe(),
        "digests" => "RIPEMD160".to_owned(),
        "compatibility-id" => "16".to_owned(),
        "partitions" => "4096".to_owned(),
        "cluster-name" => state.options.cluster_name.clone(),
        "partition-generation" => node.partition_generation.load(Ordering::Acquire).to_string(),
        "peers-generation" => node.peers_generation.load(Ordering::Acquire).to_string(),
        "rebalance-generation" => state.rebalances.load(Ordering::Acquire).to_string(),
        "namespaces" => {
            let names = state.namespaces.iter().map(|namespace| &*namespace.options.name);
            names.collect::<Vec<_>>().join(";")
        }
        "cluster-stable" => stable(target, command),
        _ => return None,
    })
}

fn stable(target: &InfoTarget<'_>, command: &Command<'_>) -> String {
    let state = target.state;
    if let Some(size) = command.param("size") {
        match size.parse::<usize>() {
            Err(_) => return error(ResultCode::PARAMETER, "bad size"),
            Ok(size) if size != state.alive().len() => {
                return error(ResultCode::CLUSTER_KEY_MISMATCH, "cluster not specified size");
            }
            Ok(_) => {}
        }
    }
    let ignore = match command.param("ignore-migrations") {
        None | Some("false" | "no") => false,
        Some("true" | "yes") => true,
        Some(_) => return error(ResultCode::PARAMETER, "bad ignore migrations"),
    };
    if let Some(name) = command.param("namespace")
        && state.namespace(name.as_bytes()).is_none()
    {
        return error(ResultCode::NAMESPACE, NO_NAMESPACE);
    }
    if !ignore && state.remaining() > 0 {
        return error(ResultCode::CLUSTER_KEY_MISMATCH, "unstable cluster");
    }
    format!("{:X}", state.cluster_key())
}
