//! Parses the options of a query.

use std::sync::Arc;

use spikewire_aerospike::command::SetRef;
use spikewire_aerospike::query::{QueryOps, QuerySpec};
use spikewire_aerospike_protocol::limits::PARTITIONS;

use super::index::index;
use crate::aerospike::arguments::{self, Options, count};
use crate::aerospike::expression;
use crate::aerospike::key::Address;
use crate::aerospike::operation;
use crate::arguments::text;
use crate::binding::Call;
use crate::errors::kind_name;
use crate::hooks::Hooks;
use crate::js::{Failure, Result, Type, Value};

/// Parses the arguments of a call from an index on: set, options, the key after which to start, and
/// the parts of an `IndexRange`.
pub fn spec(call: &Call<'_>, from: usize) -> Result<(Arc<SetRef>, QuerySpec)> {
    let environment = &call.host.environment;
    let space = environment.space(call.argument(from))?;
    let options = &Options::new(call.argument(from + 1));
    let after = call.argument(from + 2).present();
    let range = call.argument(from + 3);
    let (bins, operations) = (options.get(c"bins")?, options.get(c"operations")?);
    let after = after.map(|key| Address::new(space.clone(), key)).transpose()?;
    let hint = options.get(c"indexHint")?.map(|hint| text("index", hint)).transpose()?;
    let spec = QuerySpec {
        index_hint: hint,
        require_index: options.flag(c"requireIndex")?.unwrap_or_default(),
        require_hint: options.flag(c"requireHint")?.unwrap_or_default(),
        server_filter: options.flag(c"serverFilter")?.unwrap_or(true),
        bins: bins
            .map(|value| arguments::bins(value).map(|(_, names)| QueryOps::bins(&names)))
            .transpose()?,
        operations: operations.map(|value| steps(QueryOps::reading(), value)).transpose()?,
        include_values: options.flag(c"includeValues")?.unwrap_or(true),
        partitions: options.get(c"partitions")?.map(partitions).transpose()?,
        after: after.map(|address| address.digest),
        resume: options.get(c"resume")?.map(cursor).transpose()?,
        retry: arguments::retry(options)?,
        ..scope(environment.hooks()?, &space, options, range)?
    };
    Ok((space, spec))
}

/// The records a query or a job selects, and its limits.
pub fn scope(
    hooks: &Hooks,
    space: &SetRef,
    options: &Options<'_>,
    range: Value<'_>,
) -> Result<QuerySpec> {
    let is_text = options.flag(c"textFilter")?.unwrap_or_default();
    let filter = options.get(c"where")?;
    let filter = filter.map(|it| expression::query_filter(it, is_text)).transpose()?;
    let (filter, source) = filter.map_or_else(Default::default, |(it, source)| (Some(it), source));
    let spec = QuerySpec {
        index: range.present().map(|parts| index(hooks, parts)).transpose()?,
        filter,
        source,
        ..QuerySpec::new(&*space.namespace, &*space.set)
    };
    spec.read(|name| options.argument(name))
}

/// Adds operations to `ops`.
pub fn steps(mut ops: QueryOps, value: Value<'_>) -> Result<QueryOps> {
    for step in operation::steps(value)? {
        ops.push(step.code, &step.bin, step.particle, &step.value)?;
    }
    Ok(ops)
}

fn cursor(value: Value<'_>) -> Result<Vec<u8>> {
    value.with_bytes(<[u8]>::to_vec).ok_or_else(|| {
        Failure::of_type(format!(
            "resume must be the cursor of a query, which is a Buffer, not {}",
            kind_name(value)
        ))
    })
}

/// One partition, or a range of partitions: the first, and their number.
fn partitions(value: Value<'_>) -> Result<(u64, u64)> {
    let all = PARTITIONS as u64;
    match value.kind() {
        Type::Number => Ok((count("partitions", value, (0, all - 1))?, 1)),
        Type::Object if !value.is_array() => {
            let first = count("partitions.first", value.named(c"first")?, (0, all - 1))?;
            let number = count("partitions.count", value.named(c"count")?, (1, all))?;
            Ok((first, number))
        }
        _ => Err(Failure::of_type(format!(
            "partitions must be a partition's number or {{ first, count }}, not {}",
            kind_name(value)
        ))),
    }
}
