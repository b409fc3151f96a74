//! The requested columns.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use spikewire_columns::ExtraColumns;

use crate::arguments::text;
use crate::js::{Failure, Result, Value};

/// Types by name; a list of one is `list<...>`.
const TYPES: [(&str, DataType); 13] = [
    ("bool", DataType::Boolean),
    ("int8", DataType::Int8),
    ("int16", DataType::Int16),
    ("int32", DataType::Int32),
    ("int64", DataType::Int64),
    ("uint8", DataType::UInt8),
    ("uint16", DataType::UInt16),
    ("uint32", DataType::UInt32),
    ("uint64", DataType::UInt64),
    ("float32", DataType::Float32),
    ("float64", DataType::Float64),
    ("utf8", DataType::Utf8),
    ("binary", DataType::Binary),
];

/// The type with this name.
fn of_word(word: &str) -> Option<DataType> {
    if let Some(item) = word.strip_prefix("list<").and_then(|rest| rest.strip_suffix('>')) {
        return Some(DataType::List(Arc::new(Field::new("item", of_word(item)?, true))));
    }
    TYPES.iter().find(|(known, _)| *known == word).map(|(_, kind)| kind.clone())
}

/// The name of a type in JavaScript.
pub fn word(kind: &DataType) -> &'static str {
    match kind {
        DataType::List(_) => "list",
        DataType::Map(..) => "map",
        DataType::Null => "null",
        _ => TYPES.iter().find(|(_, known)| known == kind).map_or("other", |(word, _)| word),
    }
}

/// Reads a schema: names and types, alternating.
pub fn schema(array: Value<'_>) -> Result<SchemaRef> {
    let mut fields: Vec<Field> = Vec::new();
    for at in (0..array.len()?).step_by(2) {
        let name = text("schema", array.element(at)?)?;
        let word = text(&format!("schema: {name:?}"), array.element(at + 1)?)?;
        let Some(kind) = of_word(&word) else {
            let known: Vec<_> = TYPES.iter().map(|(known, _)| *known).collect();
            return Err(Failure::of_range(format!(
                "schema: {name:?} must be {} or list<...> of one, got {word:?}",
                known.join(", ")
            )));
        };
        fields.push(Field::new(name, kind, true));
    }
    Ok(Arc::new(Schema::new(fields)))
}

/// The names of columns that do not come from bins.
pub fn extra(key: Value<'_>, generation: Value<'_>, ttl: Value<'_>) -> Result<ExtraColumns> {
    let name =
        |what: &str, value: Value<'_>| value.present().map(|value| text(what, value)).transpose();
    ExtraColumns::new(name("key", key)?, name("generation", generation)?, name("ttl", ttl)?)
        .map_err(Failure::of_range)
}
