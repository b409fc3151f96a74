//! Queries and background jobs of the node: list and abort.

use spikewire_aerospike_protocol::info::Command;
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::{InfoTarget, error};

pub(super) fn value(target: &InfoTarget<'_>, command: &Command<'_>) -> Option<String> {
    let jobs = &target.node().jobs;
    Some(match command.name {
        "query-show" if command.params.is_empty() => {
            jobs.all().iter().map(|job| job.describe()).collect::<Vec<_>>().join(";")
        }
        "query-show" => match number(command) {
            Err(text) => text,
            Ok(id) => jobs
                .find(id)
                .map_or_else(|| error(ResultCode::NOT_FOUND, "job not found"), |it| it.describe()),
        },
        "query-abort" => match number(command) {
            Err(text) => text,
            Ok(id) if jobs.find(id).is_some_and(|job| job.abort()) => "ok".to_owned(),
            Ok(_) => error(ResultCode::NOT_FOUND, "id not active"),
        },
        "query-abort-all" => {
            let killed = jobs.all().iter().filter(|job| job.abort()).count();
            format!("number-of-queries-killed:{killed}")
        }
        _ => return None,
    })
}

/// The id of the job; servers before 8.1 use another parameter name.
fn number(command: &Command<'_>) -> Result<u64, String> {
    let text = command.param("id").or(command.param("trid"));
    let text = text.ok_or_else(|| error(ResultCode::PARAMETER, "missing 'id'"))?;
    text.parse().map_err(|_| error(ResultCode::PARAMETER, "bad id"))
}
