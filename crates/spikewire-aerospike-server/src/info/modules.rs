//! User-defined functions: registers, lists and removes modules, which all nodes share.

use std::fmt::Write as _;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest as _, Sha1};
use spikewire_aerospike_protocol::info::Command;
use spikewire_udf::check;

use super::InfoTarget;

/// Maximum length of a source.
const LONGEST: usize = 1 << 20;

pub(super) fn value(target: &InfoTarget<'_>, command: &Command<'_>) -> Option<String> {
    let file = command.param("filename").filter(|file| !file.is_empty());
    Some(match (command.name, file) {
        ("udf-put", file) => {
            put(target, command, file).map_or_else(|why| why, |()| "ok".to_owned())
        }
        ("udf-list", _) => list(target),
        ("udf-get" | "udf-remove", None) => "error=invalid_filename".to_owned(),
        ("udf-get", Some(file)) => match target.state.modules.read().source(file) {
            Some(source) => format!("type=LUA;content={};", STANDARD.encode(source.as_bytes())),
            None => "error=not_found".to_owned(),
        },
        ("udf-remove", Some(file)) => {
            Arc::make_mut(&mut target.state.modules.write()).remove(file);
            "ok".to_owned()
        }
        _ => return None,
    })
}

fn put(target: &InfoTarget<'_>, command: &Command<'_>, file: Option<&str>) -> Result<(), String> {
    let error = |what: &str| Err(format!("error={what}"));
    let Some(file) = file.filter(|file| file.contains('.') && !file.contains('/')) else {
        return error("invalid_filename");
    };
    let Some(content) = command.param("content") else { return error("invalid_content") };
    let length = command.param("content-len").and_then(|length| length.parse().ok());
    if length != Some(content.len()) || !content.len().is_multiple_of(4) {
        return error("invalid_content_len");
    }
    if command.param("udf-type").is_some_and(|kind| kind != "LUA") {
        return error("invalid_udf_type");
    }
    let source = STANDARD.decode(content).ok().filter(|source| !source.is_empty());
    let Some(source) = source else { return error("invalid_base64_content") };
    if source.len() > LONGEST {
        return error("invalid_udf_content_len,>1M");
    }
    let Ok(source) = String::from_utf8(source) else { return error("invalid_base64_content") };
    if let Err(wrong) = check(file, &source) {
        let message = STANDARD.encode(&wrong.message);
        return error(&format!("compile_error;file={file};line={};message={message}", wrong.line));
    }
    Arc::make_mut(&mut target.state.modules.write()).put(file, &source);
    Ok(())
}

fn list(target: &InfoTarget<'_>) -> String {
    let mut list = String::new();
    for (file, source) in target.state.modules.read().iter() {
        let content = STANDARD.encode(source);
        // This text is stored for a module, and hashed.
        let stored =
            format!("{{\"content64\": \"{content}\", \"type\": \"LUA\", \"name\": \"{file}\"}}");
        let _ = write!(list, "filename={file},hash=");
        for byte in Sha1::digest(stored) {
            let _ = write!(list, "{byte:02x}");
        }
        list.push_str(",type=LUA;");
    }
    list
}
