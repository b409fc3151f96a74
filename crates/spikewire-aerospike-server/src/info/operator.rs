//! Commands for operators. Nodes in one process have no log, no heartbeat and no devices, so most
//! of these only check their parameters.

use spikewire_aerospike_protocol::info::Command;
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::{InfoTarget, error};
use crate::state::stats;

pub(super) fn value(target: &InfoTarget<'_>, command: &Command<'_>) -> Option<String> {
    Some(match command.name {
        "health-outliers" | "health-stats" => String::new(),
        "best-practices" => "failed_best_practices=none".to_owned(),
        "logs" => "0:stderr".to_owned(),
        "log" => log(command),
        "log-set" => log_set(command),
        "mesh" => target.node().address.to_string(),
        "mcast" => error(ResultCode::PARAMETER, "heartbeat is in mesh mode"),
        "tip" => tip(command),
        "tip-clear" => "ok".to_owned(),
        "recluster" if is_principal(target) => "ok".to_owned(),
        "recluster" => "ignored-by-non-principal".to_owned(),
        "physical-devices" if command.param("path").is_none() => {
            error(ResultCode::PARAMETER, "missing 'path'")
        }
        "physical-devices" => error(ResultCode::NOT_FOUND, "no device info"),
        "objects" => stats::of(target.state, target.number).objects.to_string(),
        "service-tls-std" | "service-tls-alt" | "peers-tls-std" | "peers-tls-alt"
        | "alumni-tls-std" | "alumni-tls-alt" | "roster" | "roster-set" | "quiesce"
        | "quiesce-undo" | "revive" | "feature-key" | "masking" | "masking-show"
        | "xdr-dc-state" | "xdr-get-filter" | "xdr-set-filter" => {
            error(ResultCode::ENTERPRISE_ONLY, "enterprise only")
        }
        _ => return None,
    })
}

fn is_principal(target: &InfoTarget<'_>) -> bool {
    target.state.alive().last() == Some(&target.number)
}

/// `log/SINK`: the levels of all contexts, of which there are none; `log/SINK/CONTEXT`.
fn log(command: &Command<'_>) -> String {
    let (sink, context) = match command.params.split_once('/') {
        Some((sink, context)) => (sink, Some(context)),
        None => (command.params, None),
    };
    match (sink.parse::<u32>(), context) {
        (Err(_), _) => error(ResultCode::PARAMETER, "bad sink-id"),
        (Ok(0), None) => String::new(),
        (Ok(0), Some(_)) => "ERROR::bad-context".to_owned(),
        (Ok(_), _) => "ERROR::bad-id".to_owned(),
    }
}

/// `log-set:id=SINK;CONTEXT=LEVEL`. Accepts any level of any context.
fn log_set(command: &Command<'_>) -> String {
    let bad = |text| error(ResultCode::PARAMETER, text);
    let Some(params) = command.params.strip_prefix("id=") else { return bad("missing id") };
    let (sink, setting) = params.split_once(';').unwrap_or((params, ""));
    let Ok(sink) = sink.parse::<u32>() else { return bad("bad id") };
    if setting.is_empty() {
        return bad("missing context");
    }
    match setting.split_once('=') {
        None | Some((_, "")) => bad("bad level"),
        Some(_) if sink > 0 => bad("bad parameter"),
        Some(_) => "ok".to_owned(),
    }
}

/// `tip:host=HOST;port=PORT`: nodes know each other already.
fn tip(command: &Command<'_>) -> String {
    if command.param("host").is_none_or(str::is_empty) {
        return error(ResultCode::PARAMETER, "missing 'host'");
    }
    match (command.param("port"), command.param("tls")) {
        (None | Some(""), _) => error(ResultCode::PARAMETER, "missing 'port'"),
        (Some(port), _) if port.parse::<i32>().is_err() => {
            error(ResultCode::PARAMETER, "'port' must be an integer")
        }
        (_, None | Some("true" | "false")) => "ok".to_owned(),
        _ => error(ResultCode::PARAMETER, "'tls' must be either 'true' or 'false'"),
    }
}
