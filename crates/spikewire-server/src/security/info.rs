//! What info commands ask of whoever sends them.

use spikewire_aerospike_protocol::info::Command;

use super::permission::Permissions;
use super::privilege::Access;

/// What a node says to an info request on a connection that nobody has logged in on: one line for all
/// of its commands.
pub const NOT_AUTHENTICATED: &[u8] = b"ERROR:80:not authenticated\n";

/// What a command asks for; everyone who is logged in may send the others.
fn asked(name: &str) -> Permissions {
    match name {
        "sindex-create" | "sindex-delete" | "sindex-exists" => Permissions::SINDEX_ADMIN,
        "udf-put" | "udf-remove" | "udf-clear-cache" => Permissions::UDF_ADMIN,
        "query-abort" | "query-abort-all" | "scan-abort" | "scan-abort-all" | "jobs" => {
            Permissions::QUERY_ADMIN
        }
        "truncate" | "truncate-undo" | "truncate-namespace" | "truncate-namespace-undo" => {
            Permissions::TRUNCATE
        }
        "set-config" | "config-set" => Permissions::SET_CONFIG,
        "log-set" | "set-log" | "log-message" => Permissions::LOGGING_CTRL,
        "quiesce"
        | "quiesce-undo"
        | "recluster"
        | "revive"
        | "roster-set"
        | "tip"
        | "tip-clear"
        | "services-alumni-reset" => Permissions::SERVICE_CTRL,
        _ => Permissions::NONE,
    }
}

/// The permission that is missing for a command, if one is.
pub fn missing(access: &Access, command: &Command<'_>) -> Option<Permissions> {
    let asked = asked(command.name);
    let param = |name| command.param(name).unwrap_or_default().as_bytes();
    let permitted =
        asked == Permissions::NONE || access.permits(asked, param("namespace"), param("set"));
    (!permitted).then_some(asked)
}
