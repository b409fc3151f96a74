//! Permissions of info commands.

use spikewire_aerospike_protocol::info::Command;

use super::access::Access;
use super::permission::Permissions;

/// The reply to an info request on a connection that is not logged in: one line for all of its
/// commands.
pub const NOT_AUTHENTICATED: &[u8] = b"ERROR:80:not authenticated\n";

/// The permissions that a command requires; all other commands only require a login.
fn required(name: &str) -> Permissions {
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

/// The missing permission for a command, if any.
pub fn missing(access: &Access, command: &Command<'_>) -> Option<Permissions> {
    let required = required(command.name);
    let param = |name| command.param(name).unwrap_or_default().as_bytes();
    let permitted =
        required == Permissions::NONE || access.permits(required, param("namespace"), param("set"));
    (!permitted).then_some(required)
}
