//! The registered modules.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::bounds::Limits;
use crate::failure::message_of;
use crate::sandbox;

/// Modules by file name as registered: `"counters.lua"` is package `"counters"`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Library {
    modules: BTreeMap<Box<str>, Arc<str>>,
}

impl Library {
    /// Registers a module, replacing one with the same name. Does not compile it; see [`check`].
    pub fn put(&mut self, file: &str, source: &str) {
        self.modules.insert(file.into(), source.into());
    }

    /// Removes a module; returns whether there was one.
    pub fn remove(&mut self, file: &str) -> bool {
        self.modules.remove(file).is_some()
    }

    /// The source of a module.
    pub fn source(&self, file: &str) -> Option<&Arc<str>> {
        self.modules.get(file)
    }

    /// File names and sources, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.modules.iter().map(|(file, source)| (&**file, &**source))
    }

    /// File name and source of a package.
    pub(crate) fn package(&self, name: &str) -> Option<(String, Arc<str>)> {
        let file = format!("{name}.lua");
        let source = self.modules.get(file.as_str())?;
        Some((file, source.clone()))
    }
}

/// Why a source does not compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileError {
    /// Line number from 1; 0 if unknown.
    pub line: u32,
    /// What is wrong there.
    pub message: String,
}

/// Compiles a source without running it.
pub fn check(file: &str, source: &str) -> Result<(), CompileError> {
    let lua = sandbox::bare(Limits::default())
        .map_err(|error| CompileError { line: 0, message: message_of(&error) })?;
    let Err(error) = sandbox::compile(&lua, file, source, lua.globals()) else { return Ok(()) };
    let text = message_of(&error);
    let rest = text.strip_prefix(file).and_then(|rest| rest.strip_prefix(':'));
    Err(match rest.and_then(|rest| rest.split_once(':')) {
        Some((line, message)) => {
            CompileError { line: line.parse().unwrap_or(0), message: message.trim().to_owned() }
        }
        None => CompileError { line: 0, message: text },
    })
}
