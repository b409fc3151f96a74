//! Indexes of all records of a set: named ones, and those created by the set's configuration.

use spikewire_aerospike_protocol::info::Command;
use spikewire_aerospike_protocol::limits;
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::{InfoTarget, error, namespace_param};
use crate::index::Index;
use crate::index::list::IndexCreation;
use crate::storage::namespace::Namespace;

/// `sindex-create` with `indextype=set`.
pub(super) fn create(
    target: &InfoTarget<'_>,
    command: &Command<'_>,
    name: &str,
) -> Result<(), String> {
    for other in ["context", "indexdata", "type", "bin", "exp"] {
        if command.param(other).is_some() {
            return Err(error(
                ResultCode::PARAMETER,
                &format!("{other} parameter is not supported for set index"),
            ));
        }
    }
    let Some(set) = command.param("set").filter(|set| !set.is_empty()) else {
        return Err(error(ResultCode::PARAMETER, "missing 'set'"));
    };
    let namespace = namespace_param(command).and_then(|of| target.state.namespace(of.as_bytes()));
    let Some((at, namespace)) = namespace else {
        return Err(error(ResultCode::PARAMETER, "namespace not found"));
    };
    match namespace.index_set(name, set) {
        None => Err(error(ResultCode::PARAMETER, "failed to get/create set")),
        Some(IndexCreation::NameInUse | IndexCreation::TooMany) => Err(error(
            ResultCode::INDEX_FOUND,
            "'indexname' already exists with different definition",
        )),
        Some(IndexCreation::There) => Ok(()),
        Some(IndexCreation::New(index)) => {
            target.build(at, index);
            Ok(())
        }
    }
}

/// `set-config`: of all settings of servers, only `enable-index` of a set.
pub(super) fn configure(target: &InfoTarget<'_>, command: &Command<'_>) -> String {
    change(target, command)
        .map_or_else(|| error(ResultCode::PARAMETER, "invalid set-config parameter"), str::to_owned)
}

fn change(target: &InfoTarget<'_>, command: &Command<'_>) -> Option<&'static str> {
    if command.param("context")? != "namespace" {
        return None;
    }
    let name = command.param("namespace").or(command.param("id"))?;
    let (at, namespace) = target.state.namespace(name.as_bytes())?;
    let set = command.param("set")?;
    if set.is_empty() || set.len() > limits::SET_NAME {
        return None;
    }
    let changed = match command.param("enable-index")? {
        // The configuration does not affect named ones.
        "true" => match namespace.index_set("", set)? {
            IndexCreation::New(index) => Some(index),
            IndexCreation::There => {
                let known = namespace.indexes.all_of(namespace.sets.find(set.as_bytes())?)?;
                return known.name().is_empty().then_some("ok");
            }
            IndexCreation::NameInUse | IndexCreation::TooMany => return None,
        },
        "false" => match namespace.sets.find(set.as_bytes()) {
            Some(number) => namespace.indexes.disable(number).ok()?,
            None => None,
        },
        _ => return None,
    };
    if let Some(index) = changed {
        target.build(at, index);
    }
    Some("ok")
}

/// The line of a set index in `sindex-list`; none for one created by the configuration.
pub(super) fn line(namespace: &Namespace, index: &Index) -> Option<String> {
    let (set, _) = index.definition.set.as_ref()?;
    let name = index.name();
    let is_listed = index.is_of_set() && !name.is_empty();
    let namespace = &namespace.options.name;
    is_listed.then(|| format!("ns={namespace}:indexname={name}:set={set}:indextype=set"))
}
