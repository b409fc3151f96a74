//! Truncation: hides all records of a set or a namespace that are older than a given time.

use std::sync::atomic::Ordering;

use spikewire_aerospike_protocol::info::Command;
use spikewire_aerospike_protocol::limits;
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::{InfoTarget, error};
use crate::record::clock::Moment;

pub(super) fn value(target: &InfoTarget<'_>, command: &Command<'_>) -> Option<String> {
    let whole = matches!(command.name, "truncate-namespace" | "truncate-namespace-undo");
    let undo = match command.name {
        "truncate" | "truncate-namespace" => false,
        "truncate-undo" | "truncate-namespace-undo" => true,
        _ => return None,
    };
    Some(match run(target, command, whole, undo) {
        Ok(()) => "ok".to_owned(),
        Err(text) => text,
    })
}

fn run(
    target: &InfoTarget<'_>,
    command: &Command<'_>,
    whole: bool,
    undo: bool,
) -> Result<(), String> {
    let state = target.state;
    let name = command.param("namespace").filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| error(ResultCode::NAMESPACE, "missing 'namespace'"))?;
    let set = match (whole, command.param("set")) {
        (true, None) => None,
        (true, Some(_)) => return Err(error(ResultCode::PARAMETER, "unexpected set name")),
        (false, None | Some("")) => return Err(error(ResultCode::PARAMETER, "missing 'set'")),
        (false, Some(set)) if set.len() > limits::SET_NAME => {
            return Err(error(ResultCode::PARAMETER, "'set' value too long"));
        }
        (false, Some(set)) => Some(set.as_bytes()),
    };
    let moment = match command.param("lut") {
        Some(text) if !undo => moment(text, state.clock.now())?,
        _ => None,
    };
    // An unknown namespace or set is no error.
    let Some((_, namespace)) = state.namespace(name.as_bytes()) else { return Ok(()) };
    if set.is_some_and(|set| namespace.sets.find(set).is_none()) {
        return Ok(());
    }
    if undo {
        namespace.undo_truncate(set);
    } else {
        namespace.truncate(set, moment.unwrap_or_else(|| state.clock.divide()));
        state.must_free.store(true, Ordering::Release);
    }
    Ok(())
}

/// Parses a last-update time in nanoseconds since the Unix epoch.
fn moment(text: &str, now: Moment) -> Result<Option<Moment>, String> {
    let millis = text.parse::<u64>().unwrap_or(0) / 1_000_000;
    let moment = Moment::from_millis(millis.saturating_sub(limits::EPOCH_2010 * 1000));
    if moment.millis() == 0 {
        return Err(error(ResultCode::PARAMETER, "would truncate to 0"));
    }
    if moment > now {
        return Err(error(ResultCode::PARAMETER, "would truncate in the future"));
    }
    Ok(Some(moment))
}
