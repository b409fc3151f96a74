//! Selections of index values.

use spikewire_aerospike::command::check_index_bin;
use spikewire_aerospike::query::check_index;
use spikewire_aerospike_protocol::query::{Index, Range, Subject};

use crate::aerospike::arguments::collection;
use crate::aerospike::calls::context::Path;
use crate::aerospike::expression::plain_bytes;
use crate::aerospike::value::classify;
use crate::aerospike::value::encode::whole;
use crate::arguments::text;
use crate::binding::Call;
use crate::errors::{describe, kind_name};
use crate::hooks::Hooks;
use crate::js::{Failure, Result, Type, Value};

/// Parses the parts of an `IndexRange`: the name of the function that created it, the bin, one or
/// two values, `of`, `name`, `ctx`.
pub fn index(hooks: &Hooks, parts: Value<'_>) -> Result<Index> {
    let part = |at| parts.element(at);
    let kind = text("kind", part(0)?)?;
    let subject = subject(hooks, part(1)?, part(5)?)?;
    let range = match &*kind {
        "between" => Range::Int(integer("low", part(2)?)?, integer("high", part(3)?)?),
        "equal" | "contains" => exact(part(2)?)?,
        "within" | "around" => Range::Geo(geo(hooks, part(2)?)?),
        _ => return Err(Failure::of_range(format!("unknown index range {kind:?}"))),
    };
    let (collection, context) = (collection(part(4)?)?, Path::new(part(6)?)?.packed()?);
    let index = Index { subject, collection, context, range };
    check_index(&index)?;
    Ok(index)
}

/// `indexRange(parts)`: validates the parts.
pub fn range<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    index(call.host.environment.hooks()?, call.argument(0))?;
    Ok(None)
}

fn subject(hooks: &Hooks, bin: Value<'_>, name: Value<'_>) -> Result<Subject> {
    match (bin.present(), name.present()) {
        (Some(_), Some(_)) => {
            Err(Failure::of_range("give either a bin or the name of the index, not both"))
        }
        (None, None) => Err(Failure::of_range("give a bin or the name of the index")),
        (None, Some(name)) => Ok(Subject::Name(text("name", name)?)),
        (Some(bin), None) if bin.kind() == Type::String => {
            let name = text("a bin name", bin)?;
            check_index_bin(&name)?;
            Ok(Subject::Bin(name))
        }
        (Some(bin), None) => Ok(Subject::Expression(plain_bytes(hooks, bin)?)),
    }
}

fn integer(what: &str, value: Value<'_>) -> Result<i64> {
    let int = match value.kind() {
        Type::Number => value.number().and_then(whole),
        Type::BigInt => value.bigint().and_then(std::result::Result::ok),
        _ => {
            return Err(Failure::of_type(format!(
                "{what} must be a whole number or a bigint, not {}",
                kind_name(value)
            )));
        }
    };
    int.ok_or_else(|| {
        let got = describe(value);
        Failure::of_range(format!("{what} must be a whole number of 64 bits, got {got}"))
    })
}

fn exact(value: Value<'_>) -> Result<Range> {
    if matches!(value.kind(), Type::Number | Type::BigInt) {
        let int = integer("value", value)?;
        return Ok(Range::Int(int, int));
    }
    if value.kind() == Type::String {
        return Ok(Range::Str(text("value", value)?));
    }
    value.with_bytes(<[u8]>::to_vec).map(Range::Blob).ok_or_else(|| {
        Failure::of_type(format!(
            "value must be a whole number, bigint, string or Buffer, not {}",
            kind_name(value)
        ))
    })
}

fn geo(hooks: &Hooks, place: Value<'_>) -> Result<String> {
    let env = place.env();
    if place.kind() == Type::Object
        && hooks.classify.call(env, &[place])?.index()? == classify::GEOJSON
    {
        return text("the place", hooks.unwrap.call(env, &[place])?);
    }
    Err(Failure::of_type(format!("the place must be a GeoJSON, not {}", kind_name(place))))
}
