//! Lua modules with user-defined functions.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest as _, Sha1};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::ask::AwaitNodes;
use super::{AdminAction, Ask, InfoCommand, NodeAnswer, Procedure, Recipients, single};
use crate::clock::Tick;
use crate::cluster::info_command::field;
use crate::model::Name;
use crate::model::{Error, Kind, Result};

/// Maximum length of a source, as on servers.
const MAX_SOURCE: usize = 1 << 20;

/// A registered module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Module {
    /// Its file name, such as `counters.lua`; calls use it without the extension.
    pub name: String,
    /// 40 hex digits that change with the source.
    pub hash: String,
}

/// Registers a module, replacing one with the same name, and waits until every node has it.
pub struct RegisterModule {
    command: InfoCommand,
    stage: RegisterStage,
    waiting: Box<dyn Procedure<Output = ()> + Send>,
}

#[derive(Debug, Clone, Copy)]
enum RegisterStage {
    Begin,
    Put,
    Wait,
}

impl RegisterModule {
    /// Validates name and source; `limit`: how long the nodes may take; zero: no limit.
    pub fn new(name: &str, source: &str, limit: Duration) -> Result<Self> {
        let name = Name::module_file(name)?;
        if source.is_empty() || source.len() > MAX_SOURCE {
            let size = source.len();
            let message = format!("source must have from 1 to {MAX_SOURCE} bytes, not {size}");
            return Err(Error::invalid(message));
        }
        let content = STANDARD.encode(source);
        let length = content.len();
        let command =
            format!("udf-put:filename={name};content={content};content-len={length};udf-type=LUA;");
        let module = Module { name: name.to_string(), hash: hash(&name, &content) };
        let otherwise = format!("module {name} did not reach every node");
        let listing = InfoCommand::of_names("udf-list".to_owned());
        let waiting = AwaitNodes::new(listing, limit, otherwise, move |answer| {
            Ok(listed(&answer?).any(|other| other == module))
        });
        Ok(Self {
            command: InfoCommand::of_names(command),
            stage: RegisterStage::Begin,
            waiting: Box::new(waiting),
        })
    }
}

impl Procedure for RegisterModule {
    type Output = ();

    fn next(&mut self, answers: Vec<NodeAnswer>, now: Tick) -> AdminAction<()> {
        match self.stage {
            RegisterStage::Begin => {
                self.stage = RegisterStage::Put;
                AdminAction::Ask(Recipients::Any, self.command.clone())
            }
            RegisterStage::Put => {
                self.stage = RegisterStage::Wait;
                match single(answers).and_then(|answer| check(&answer)) {
                    Ok(()) => self.waiting.next(Vec::new(), now),
                    Err(error) => AdminAction::Done(Err(error)),
                }
            }
            RegisterStage::Wait => self.waiting.next(answers, now),
        }
    }
}

impl std::fmt::Debug for RegisterModule {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("RegisterModule").field("stage", &self.stage).finish_non_exhaustive()
    }
}

/// The registered modules, sorted by name.
pub fn list_modules() -> Ask<Vec<Module>> {
    Ask::any(InfoCommand::of_names("udf-list".to_owned()), |answer| {
        let mut modules: Vec<Module> = listed(answer).collect();
        modules.sort();
        Ok(modules)
    })
}

/// The source of a module, by its file name; fails if there is no such module.
pub fn module_source(name: &str) -> Result<Ask<String>> {
    let name = Name::module_file(name)?;
    let command = InfoCommand::of_names(format!("udf-get:filename={name}"));
    Ok(Ask::any(command, source))
}

/// Removes a module, by its file name; does nothing if there is no such module.
pub fn remove_module(name: &str) -> Result<Ask<()>> {
    let name = Name::module_file(name)?;
    let command = InfoCommand::of_names(format!("udf-remove:filename={name};"));
    Ok(Ask::any(command, check))
}

fn source(answer: &str) -> Result<String> {
    check(answer)?;
    let content = field(answer, ';', "content").unwrap_or_default();
    let bytes = STANDARD.decode(content).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    bytes.ok_or_else(|| Error::new(Kind::Malformed, "the source is not base64 text"))
}

/// The hash as computed by servers, over the stored form of a module.
fn hash(name: &Name, content: &str) -> String {
    let stored = format!(r#"{{"content64": "{content}", "type": "LUA", "name": "{name}"}}"#);
    let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
    let hash = Sha1::digest(stored.as_bytes());
    hash.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn listed(answer: &str) -> impl Iterator<Item = Module> {
    answer.split(';').filter(|entry| !entry.is_empty()).map(|entry| {
        let part = |name| field(entry, ',', name).unwrap_or_default().to_owned();
        Module { name: part("filename"), hash: part("hash") }
    })
}

/// Fails if a reply contains `error=`.
fn check(answer: &str) -> Result<()> {
    let part = |name| field(answer, ';', name);
    let Some(error) = part("error") else { return Ok(()) };
    let Some(message) = part("message") else {
        let code = Kind::Server(ResultCode::PARAMETER);
        return Err(Error::new(code, error.replace('_', " ")));
    };
    let message = STANDARD.decode(message).unwrap_or_default();
    let (file, line) = (part("file").unwrap_or("?"), part("line").unwrap_or("?"));
    let message = format!("{file}:{line}: {}", String::from_utf8_lossy(&message));
    Err(Error::new(Kind::Server(ResultCode::UDF), message))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{command_of, done, sleeps, text_replies};
    use super::*;

    const SOURCE: &str = "function f() return 1 end";

    fn registering() -> RegisterModule {
        RegisterModule::new("one.lua", SOURCE, Duration::from_secs(1)).unwrap()
    }

    fn listing(hash: &str) -> String {
        format!("filename=other.lua,hash=77,type=LUA;filename=one.lua,hash={hash},type=LUA;")
    }

    #[test]
    fn registering_waits_for_this_source_on_every_node() {
        let mut module = registering();
        let (every, command) = command_of(module.next(Vec::new(), Tick(0)));
        assert!(!every && command.starts_with("udf-put:filename=one.lua;content="), "{command}");
        assert_eq!(
            command_of(module.next(text_replies(&[""]), Tick(0))),
            (true, "udf-list".to_owned())
        );
        let hash = hash(&Name::module_file("one.lua").unwrap(), &STANDARD.encode(SOURCE));
        assert_eq!(hash.len(), 40);
        let (old, new) = (listing("00"), listing(&hash));
        sleeps(module.next(text_replies(&[&new, &old]), Tick(0)));
        module.next(Vec::new(), Tick(0));
        sleeps(module.next(text_replies(&[&new, ""]), Tick(0)));
        module.next(Vec::new(), Tick(0));
        done(module.next(text_replies(&[&new, &new]), Tick(0))).unwrap();
    }

    #[test]
    fn a_compile_error_names_file_and_line() {
        let mut module = registering();
        module.next(Vec::new(), Tick(0));
        let message = STANDARD.encode("'=' expected");
        let answer = format!("error=compile_error;file=one.lua;line=3;message={message}");
        let error = done(module.next(text_replies(&[&answer]), Tick(0))).unwrap_err();
        assert_eq!(error.kind(), Kind::Server(ResultCode::UDF));
        assert_eq!(error.message(), "one.lua:3: '=' expected");
    }

    #[test]
    fn invalid_module_names_and_sources_are_rejected() {
        for name in ["", "one", ".lua", "a/b.lua", "a;b.lua", "a\nb.lua"] {
            assert!(RegisterModule::new(name, SOURCE, Duration::ZERO).is_err(), "{name:?}");
            assert!(module_source(name).is_err() && remove_module(name).is_err(), "{name:?}");
        }
        let long = " ".repeat(MAX_SOURCE + 1);
        for source in ["", &long] {
            let error = RegisterModule::new("one.lua", source, Duration::ZERO).unwrap_err();
            assert!(error.message().starts_with("source must have"), "{error}");
        }
    }

    #[test]
    fn a_module_source_is_decoded() {
        let answer = format!("gen=;type=LUA;content={};", STANDARD.encode(SOURCE));
        let mut ask = module_source("one.lua").unwrap();
        ask.next(Vec::new(), Tick(0));
        assert_eq!(done(ask.next(text_replies(&[&answer]), Tick(0))).unwrap(), SOURCE);
        let mut ask = module_source("one.lua").unwrap();
        ask.next(Vec::new(), Tick(0));
        let error = done(ask.next(text_replies(&["error=not_found"]), Tick(0))).unwrap_err();
        assert_eq!(error.kind(), Kind::Server(ResultCode::PARAMETER));
        assert_eq!(error.message(), "not found");
    }

    #[test]
    fn modules_are_sorted() {
        let mut ask = list_modules();
        ask.next(Vec::new(), Tick(0));
        let modules = done(ask.next(text_replies(&[&listing("1")]), Tick(0))).unwrap();
        let names: Vec<_> = modules.iter().map(|module| (&*module.name, &*module.hash)).collect();
        assert_eq!(names, [("one.lua", "1"), ("other.lua", "77")]);
    }
}
