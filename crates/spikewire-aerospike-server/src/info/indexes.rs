//! Secondary indexes: create, delete, list, progress.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use spikewire_aerospike_protocol::cdt::context::{self, At, Inside};
use spikewire_aerospike_protocol::expression::Expression;
use spikewire_aerospike_protocol::features::{Build, Features, of_expression};
use spikewire_aerospike_protocol::info::Command;
use spikewire_aerospike_protocol::limits;
use spikewire_aerospike_protocol::msgpack::{Reader, Token};
use spikewire_aerospike_protocol::query::Collection;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::particle;

use super::{
    InfoTarget, NO_NAMESPACE, error, index_stat, named_namespace, namespace_param, set_indexes,
};
use crate::expression::Program;
use crate::index::Index;
use crate::index::definition::{
    Definition, IndexedExpression, Source, expected_type, is_indexable, is_plain_context,
};
use crate::index::key::KeyType;
use crate::index::list::IndexCreation;
use crate::record::sets::Sets;
use crate::storage::namespace::Namespace;

/// From this version on, `integer` is another name of the type `numeric`.
const INTEGER_FROM: Build = Build([8, 2, 0, 0]);

pub(super) fn value(target: &InfoTarget<'_>, command: &Command<'_>) -> Option<String> {
    Some(match command.name {
        "sindex-create" => create(target, command).map_or_else(|text| text, |()| "ok".to_owned()),
        "sindex-delete" => delete(target, command),
        "sindex-exists" => exists(target, command),
        "sindex-stat" => {
            index_stat::stat(target, namespace_param(command), command.param("indexname"))
        }
        "sindex-list" => {
            let encoded = command.param("b64") == Some("true");
            list(target, namespace_param(command), encoded, set_indexes::line)
        }
        // The older commands: `sindex`, `sindex/NAMESPACE` and `sindex/NAMESPACE/INDEX`.
        "sindex" if command.params.is_empty() => list(target, None, false, |_, _| None),
        "sindex" => {
            let (namespace, name) = match command.params.split_once('/') {
                Some((namespace, name)) => (namespace, Some(name)),
                None => (command.params, None),
            };
            if target.state.namespace(namespace.as_bytes()).is_none() {
                "ns_type=unknown".to_owned()
            } else if name.is_some() {
                index_stat::stat(target, Some(namespace), name)
            } else {
                list(target, Some(namespace), false, |_, _| None)
            }
        }
        _ => return None,
    })
}

fn create(target: &InfoTarget<'_>, command: &Command<'_>) -> Result<(), String> {
    let bad_param = |text: &str| Err(error(ResultCode::PARAMETER, text));
    let param = |key: &str| command.param(key).filter(|value| !value.is_empty());
    let Some(name) = namespace_param(command).filter(|name| !name.is_empty()) else {
        return Err(error(ResultCode::NAMESPACE, "missing 'namespace'"));
    };
    let Some(index) = param("indexname") else { return bad_param("missing 'indexname'") };
    if index.len() > limits::INDEX_NAME {
        return bad_param("'indexname' value too long");
    }
    let set = param("set");
    if set.is_some_and(|set| set.len() > limits::SET_NAME) {
        return bad_param("'set' value too long");
    }
    let collection = match param("indextype").map(str::to_ascii_lowercase).as_deref() {
        None | Some("default") => Collection::Value,
        Some("list") => Collection::List,
        Some("mapkeys") => Collection::MapKeys,
        Some("mapvalues") => Collection::MapValues,
        Some("set") => return set_indexes::create(target, command, index),
        Some(_) => {
            return bad_param(
                "bad 'indextype' - must be one of 'default', 'list', 'mapkeys', 'mapvalues'",
            );
        }
    };
    // The older form has bin and type in one parameter.
    let data = param("indexdata").map(|data| data.split_once(',').unwrap_or((data, "")));
    let bin = param("bin").or(data.map(|(bin, _)| bin));
    let Some(of) = param("type").or(data.map(|(_, of)| of)) else {
        return bad_param("missing 'type'");
    };
    let mut of = of.to_ascii_lowercase();
    if of == "integer" && target.state.nodes[target.number].build >= INTEGER_FROM {
        KeyType::Int.name().clone_into(&mut of);
    }
    let Some(kind) = KeyType::ALL.into_iter().find(|kind| kind.name() == of) else {
        return bad_param("bad 'type' - must be one of 'numeric', 'string', 'blob', 'geo2dsphere'");
    };
    if collection == Collection::MapKeys && kind == KeyType::Geo {
        return bad_param("bad 'type' - map keys are never 'geo2dsphere'");
    }
    let source = match (bin, param("exp"), param("context")) {
        (None, None, _) => return bad_param("both 'bin' and 'exp' are missing"),
        (Some(_), Some(_), _) => return bad_param("both 'bin' and 'exp' are specified"),
        (None, Some(_), Some(_)) => return bad_param("both 'context' and 'exp' are specified"),
        (None, Some(expression), None) => expression_source(expression, kind, collection)?,
        (Some(bin), None, _) if bin.len() > limits::BIN_NAME => {
            return bad_param("'bin' value too long");
        }
        (Some(bin), None, context) => {
            Source::Bin { name: bin.to_owned(), context: context.map(context_bytes).transpose()? }
        }
    };
    let define = |sets: &Sets| {
        let set = match set {
            None => None,
            Some(set) => Some((set.to_owned(), sets.intern_everywhere(set.as_bytes())?)),
        };
        Some(Definition { set, source, collection, kind })
    };
    let state = target.state;
    let created = match state.namespace(name.as_bytes()) {
        Some((at, namespace)) => {
            let created = define(&namespace.sets);
            let created = created.map(|definition| namespace.indexes.create(index, definition));
            if let Some(IndexCreation::New(index)) = &created {
                target.build(at, index.clone());
            }
            created
        }
        None => state.unknown_namespaces.create(name, index, define),
    };
    match created {
        Some(IndexCreation::New(_) | IndexCreation::There) => Ok(()),
        Some(IndexCreation::NameInUse) => Err(error(
            ResultCode::INDEX_FOUND,
            "'indexname' already exists with different definition",
        )),
        Some(IndexCreation::TooMany) => {
            Err(error(ResultCode::INDEX_MAX_COUNT, "already at sindex definition limit"))
        }
        None => bad_param("too many sets"),
    }
}

fn context_bytes(text: &str) -> Result<Vec<u8>, String> {
    let bytes = STANDARD
        .decode(text)
        .map_err(|_| error(ResultCode::PARAMETER, "'context' invalid base64"))?;
    match is_plain_context(&bytes) {
        Ok(true) => Ok(bytes),
        Ok(false) => Err(error(ResultCode::PARAMETER, "'context' not normalized msgpack")),
        Err(_) => Err(error(ResultCode::PARAMETER, "'context' invalid cdt context")),
    }
}

fn expression_source(text: &str, kind: KeyType, collection: Collection) -> Result<Source, String> {
    let bad = || error(ResultCode::PARAMETER, "bad 'exp'");
    let wire =
        STANDARD.decode(text).map_err(|_| error(ResultCode::PARAMETER, "'exp' invalid base64"))?;
    if of_expression(&wire).has(Features::TEXT_FILTERS) {
        return Err(bad());
    }
    let tree = Expression::decode(&wire).map_err(|_| bad())?;
    let kind_of_tree = tree.check().map_err(|_| bad())?;
    let expected = expected_type(kind, collection);
    if let Some(kind_of_tree) = kind_of_tree
        && kind_of_tree != expected
    {
        let name = |of: spikewire_aerospike_protocol::expression::Type| match of.particle() {
            particle::INTEGER => "numeric".to_owned(),
            particle::GEOJSON => "geo2dsphere".to_owned(),
            _ => of.name().to_ascii_lowercase(),
        };
        return Err(error(
            ResultCode::PARAMETER,
            &format!(
                "bad 'exp' - expression type '{}' does not match expected type '{}'",
                name(kind_of_tree),
                name(expected)
            ),
        ));
    }
    if !is_indexable(&tree) {
        return Err(error(
            ResultCode::PARAMETER,
            "bad 'exp' - only bins and the digest can be indexed",
        ));
    }
    let program = Program::new(tree).map_err(|_| bad())?;
    Ok(Source::Expression(IndexedExpression { wire, program }))
}

fn delete(target: &InfoTarget<'_>, command: &Command<'_>) -> String {
    let Some(name) = namespace_param(command).filter(|name| !name.is_empty()) else {
        return error(ResultCode::NAMESPACE, "missing 'namespace'");
    };
    let Some(index) = command.param("indexname").filter(|name| !name.is_empty()) else {
        // As on servers: both in one message.
        return format!("{}ok", error(ResultCode::PARAMETER, "missing 'indexname'"));
    };
    match target.state.namespace(name.as_bytes()) {
        Some((at, namespace)) => {
            if let Some(index) = namespace.indexes.remove(index) {
                target.build(at, index);
            }
        }
        None => target.state.unknown_namespaces.remove(name, index),
    }
    "ok".to_owned()
}

fn exists(target: &InfoTarget<'_>, command: &Command<'_>) -> String {
    let namespace = match named_namespace(target, namespace_param(command)) {
        Ok(namespace) => namespace,
        Err(text) => return text,
    };
    match command.param("indexname").filter(|name| !name.is_empty()) {
        Some(name) => namespace.indexes.find(name).is_some().to_string(),
        None => error(ResultCode::PARAMETER, "missing 'indexname'"),
    }
}

/// Value indexes, then set indexes, after a semicolon of their own as on servers.
fn list(
    target: &InfoTarget<'_>,
    namespace: Option<&str>,
    encoded: bool,
    of_set: fn(&Namespace, &Index) -> Option<String>,
) -> String {
    let all = || target.state.namespaces.iter().collect::<Vec<_>>();
    let one =
        |name: &str| target.state.namespace(name.as_bytes()).map(|(_, namespace)| vec![namespace]);
    let Some(namespaces) = namespace.map_or_else(|| Some(all()), one) else {
        let absent = error(ResultCode::NAMESPACE, NO_NAMESPACE);
        return format!("{absent};{absent}");
    };
    let lines = |line: &dyn Fn(&Namespace, &Index) -> Option<String>| {
        let of = |namespace: &&Namespace| {
            let indexes = namespace.indexes.all();
            indexes.iter().filter_map(|index| line(namespace, index)).collect::<Vec<_>>()
        };
        namespaces.iter().flat_map(of).collect::<Vec<_>>().join(";")
    };
    let values = lines(&|namespace, index| line(namespace, index, encoded));
    match lines(&of_set) {
        sets if sets.is_empty() => values,
        sets => format!("{values};{sets}"),
    }
}

fn line(namespace: &Namespace, index: &Index, encoded: bool) -> Option<String> {
    let definition = &index.definition;
    let none = || "null".to_owned();
    let (bin, context, expression) = match &definition.source {
        Source::Bin { name, context } => (name.clone(), context.as_deref(), None),
        Source::Expression(expression) => (none(), None, Some(expression.wire.as_slice())),
        Source::Set => return None,
    };
    let text_of = |bytes: Option<&[u8]>, readable: fn(&[u8]) -> String| match bytes {
        None => none(),
        Some(bytes) if encoded => STANDARD.encode(bytes),
        Some(bytes) => readable(bytes),
    };
    Some(format!(
        "ns={}:indexname={}:set={}:bin={bin}:type={}:indextype={}:context={}:exp={}:state={}",
        namespace.options.name,
        index.name(),
        definition.set.as_ref().map_or("null", |(name, _)| name),
        definition.kind.name(),
        definition.collection.name(),
        text_of(context, readable_context),
        text_of(expression, |wire| {
            Expression::decode(wire).map_or_else(|_| String::new(), |tree| tree.to_string())
        }),
        if index.is_ready() { "RW" } else { "WO" },
    ))
}

/// Formats a path for people: `[map_key(<string#1>), list_index(0)]`.
fn readable_context(bytes: &[u8]) -> String {
    let steps = context::decode(bytes).unwrap_or_default();
    let steps = steps.iter().map(|step| {
        let inside = if step.inside == Inside::Map { "map" } else { "list" };
        match &step.at {
            At::Index(at) => format!("{inside}_index({at})"),
            At::Rank(at) => format!("{inside}_rank({at})"),
            At::Key(value) => format!("{inside}_key({})", readable(value)),
            At::Value(value) => format!("{inside}_value({})", readable(value)),
        }
    });
    format!("[{}]", steps.collect::<Vec<_>>().join(", "))
}

fn readable(value: &[u8]) -> String {
    match Reader::new(value).next() {
        Ok(Token::Int(int)) => int.to_string(),
        Ok(Token::Float(float)) => float.to_string(),
        Ok(Token::Bool(flag)) => flag.to_string(),
        Ok(Token::Bytes(particle::STRING, text)) => format!("<string#{}>", text.len()),
        Ok(Token::Bytes(_, bytes)) => format!("<blob#{}>", bytes.len()),
        Ok(Token::Array(count)) => format!("<list#{count}>"),
        Ok(Token::Map(count)) => format!("<map#{count}>"),
        _ => "<value>".to_owned(),
    }
}
