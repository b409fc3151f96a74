//! Secondary indexes: creating, waiting, listing, dropping.

use spikewire_aerospike::admin::index::{
    CreateIndex, IndexSpec, IndexType, drop_index, list_indexes, wait_for_index,
};
use spikewire_aerospike_protocol::query::Subject;

use super::{begin, limit, optional_text};
use crate::aerospike::arguments::collection;
use crate::aerospike::calls::context::Path;
use crate::aerospike::expression;
use crate::arguments::text;
use crate::binding::Call;
use crate::errors::{describe, kind_name};
use crate::js::{Failure, Result, Type, Value};

/// `indexCreate(client, slot, namespace, set, bin, kind, of, name, ctx, timeout)`: settles with the
/// index's name. Without a timeout, does not wait for the index; 0: no limit.
pub fn create<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let namespace = text("namespace", call.argument(2))?;
    let (set, name) =
        (optional_text("set", call.argument(3))?, optional_text("name", call.argument(7))?);
    let spec = IndexSpec {
        namespace: &namespace,
        set: set.as_deref(),
        subject: subject(call, call.argument(4))?,
        context: Path::new(call.argument(8))?.packed()?,
        collection: collection(call.argument(6))?,
        kind: kind(call.argument(5))?,
        name: name.as_deref(),
    };
    let wait = call.argument(9).present().map(limit).transpose()?;
    begin(call, CreateIndex::new(&spec, wait)?)
}

/// `indexCreateOnSet(client, slot, namespace, set, name, timeout)`: gives its name. The timeout as
/// in `indexCreate`.
pub fn create_on_set<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let namespace = text("namespace", call.argument(2))?;
    let set = text("set", call.argument(3))?;
    let name = optional_text("name", call.argument(4))?;
    let wait = call.argument(5).present().map(limit).transpose()?;
    begin(call, CreateIndex::on_set(&namespace, &set, name.as_deref(), wait)?)
}

/// The subject of an index: a bin or an expression.
fn subject(call: &Call<'_>, value: Value<'_>) -> Result<Subject> {
    match value.kind() {
        Type::String => Ok(Subject::Bin(text("bin", value)?)),
        Type::Object => {
            let bytes = expression::plain_bytes(call.host.environment.hooks()?, value);
            bytes.map(Subject::Expression).map_err(|failure| failure.about("bin"))
        }
        _ => Err(Failure::of_type(format!(
            "bin must be the name of a bin or an expression, not {}",
            kind_name(value)
        ))),
    }
}

fn kind(value: Value<'_>) -> Result<IndexType> {
    IndexType::named(&text("kind", value)?).ok_or_else(|| {
        Failure::of_range(format!(
            "kind must be 'numeric', 'string', 'blob' or 'geo2dsphere', got {}",
            describe(value)
        ))
    })
}

/// `indexWait(client, slot, namespace, name, timeout)`: waits until every node has built it.
pub fn wait<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (namespace, name) = (text("namespace", call.argument(2))?, text("name", call.argument(3))?);
    begin(call, wait_for_index(&namespace, &name, limit(call.argument(4))?)?)
}

/// `indexList(client, slot, namespace)`: the indexes of a namespace, sorted by name.
pub fn list<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    begin(call, list_indexes(&text("namespace", call.argument(2))?)?)
}

/// `indexDrop(client, slot, namespace, set, name)`
pub fn drop<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (namespace, set) =
        (text("namespace", call.argument(2))?, optional_text("set", call.argument(3))?);
    let name = text("name", call.argument(4))?;
    begin(call, drop_index(&namespace, set.as_deref(), &name)?)
}
