//! Profiles in files: each is a table with options and sections; `derives` names the profile that it
//! is based on.

mod document;
#[cfg(test)]
mod tests;
mod toml;
mod yaml;

use std::fmt;

use spikewire_options::Literal;
use spikewire_options::opening::quoted;

use crate::profile::{Setting, compile, derive};
use document::{Document, Node};

/// A mistake in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// What is wrong.
    pub message: String,
    /// The name of the file.
    pub file: String,
    /// Its line, if that is known.
    pub line: Option<usize>,
    /// The profile, section or option, such as `fast.read.timeout`; may be empty.
    pub key: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if !self.key.is_empty() {
            write!(f, ", {}", self.key)?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for FileError {}

/// What a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

impl Format {
    /// The endings of files.
    pub const ENDINGS: [&str; 3] = [".toml", ".yaml", ".yml"];

    /// The format of a file with this name.
    pub fn of(name: &str) -> Option<Self> {
        let ending = name.rsplit_once('.')?.1.to_lowercase();
        match ending.as_str() {
            "toml" => Some(Self::Toml),
            "yaml" | "yml" => Some(Self::Yaml),
            _ => None,
        }
    }
}

/// The value of a setting in a file, and where it stands, in words.
#[derive(Debug, Clone, PartialEq)]
pub struct FileValue {
    /// The value; durations are in seconds.
    pub value: Literal,
    /// The profile, the place in it, the file and the line.
    pub source: String,
}

/// A profile of a file, with what it derives from.
#[derive(Debug, Clone, PartialEq)]
pub struct FileProfile {
    /// Its name.
    pub name: String,
    /// Its settings.
    pub settings: Vec<Setting<FileValue>>,
}

/// Reads the profiles of a file, in its order, and checks all of them.
pub fn read(text: &[u8], format: Format, file: &str) -> Result<Vec<FileProfile>, FileError> {
    let error = |message: &str, line| FileError {
        message: message.to_owned(),
        file: file.to_owned(),
        line,
        key: String::new(),
    };
    let text = std::str::from_utf8(text).map_err(|at| {
        let line = text[..at.valid_up_to()].split(|byte| *byte == b'\n').count();
        error("the file is not UTF-8", Some(line))
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document = match format {
        Format::Toml => toml::parse(text),
        Format::Yaml => yaml::parse(text),
    };
    let document = document
        .map_err(|wrong| FileError { key: wrong.key, ..error(&wrong.message, wrong.line) })?;
    File { name: file, document }.profiles()
}

struct File<'a> {
    name: &'a str,
    document: Document,
}

impl File<'_> {
    fn error(&self, path: &[String], message: String) -> FileError {
        let (file, key) = (self.name.to_owned(), path.join("."));
        FileError { message, file, line: self.document.line(path), key }
    }

    fn profiles(&self) -> Result<Vec<FileProfile>, FileError> {
        let mut own = Vec::new();
        let mut bases = Vec::new();
        for (name, node) in self.document.entries() {
            let (settings, base) = self.own(name, node)?;
            own.push(settings);
            bases.push(base);
        }
        let mut done: Vec<Option<Vec<Setting<FileValue>>>> = vec![None; own.len()];
        for at in 0..own.len() {
            self.derived(at, &own, &bases, &mut done)?;
        }
        let names = self.document.entries().iter().map(|it| it.0.clone());
        let settings = done.into_iter().map(Option::unwrap_or_default);
        Ok(names.zip(settings).map(|(name, settings)| FileProfile { name, settings }).collect())
    }

    /// What a profile says itself, and the number of the one that it derives from.
    fn own(
        &self,
        name: &str,
        node: &Node,
    ) -> Result<(Vec<Setting<FileValue>>, Option<usize>), FileError> {
        let path = |place: &[String]| [&[name.to_owned()], place].concat();
        let (mut sections, mut base) = (node.value(), None);
        match &mut sections {
            Literal::None => sections = Literal::Map(Vec::new()),
            Literal::Map(entries) => {
                if let Some(at) = entries.iter().position(|(key, _)| key == "derives") {
                    base = Some(self.base(name, &entries.remove(at).1)?);
                }
            }
            _ => {}
        }
        let check = |name: &str, value: &Literal| {
            crate::check(name, value).map_err(|error| error.message().to_owned())
        };
        let compiled = compile(sections, check);
        let compiled = compiled.map_err(|error| self.error(&path(&[]), error.to_string()))?;
        let compiled = compiled.map_err(|it| self.error(&path(&it.place), it.message))?;
        let setting = |it: Setting<Literal>| {
            let sections = it.section.split('.').filter(|part| !part.is_empty());
            let place: Vec<String> = sections.chain([it.option]).map(str::to_owned).collect();
            let line = self.document.line(&path(&place)).unwrap_or(1);
            let (name, file) = (quoted(name), self.name);
            let source = format!("profile {name}, {} ({file}, line {line})", place.join("."));
            let value = FileValue { value: with_unit(it.option, it.value), source };
            Setting { section: it.section, option: it.option, value }
        };
        Ok((compiled.into_iter().map(setting).collect(), base))
    }

    fn base(&self, name: &str, base: &Literal) -> Result<usize, FileError> {
        let known = |base: &String| self.document.entries().iter().position(|it| it.0 == *base);
        let display = match base {
            Literal::Text(base) => match known(base) {
                Some(at) => return Ok(at),
                None => quoted(base),
            },
            other => other.to_string(),
        };
        let path = [name.to_owned(), "derives".to_owned()];
        Err(self.error(&path, format!("there is no profile {display} in this file")))
    }

    /// Completes a profile with its bases, the furthest first.
    fn derived(
        &self,
        at: usize,
        own: &[Vec<Setting<FileValue>>],
        bases: &[Option<usize>],
        done: &mut [Option<Vec<Setting<FileValue>>>],
    ) -> Result<(), FileError> {
        let mut chain = vec![at];
        let mut last = at;
        while let (Some(base), None) = (bases[last], &done[last]) {
            let is_circle = chain.contains(&base);
            chain.push(base);
            if is_circle {
                let name = |at: &usize| self.document.entries()[*at].0.clone();
                let names: Vec<String> = chain.iter().map(name).collect();
                let message = format!("it derives from itself: {}", names.join(" -> "));
                return Err(self.error(&[name(&at), "derives".to_owned()], message));
            }
            last = base;
        }
        for each in chain.into_iter().rev() {
            if done[each].is_none() {
                let base = bases[each].and_then(|base| done[base].clone());
                done[each] = Some(derive(&own[each], &base.unwrap_or_default()));
            }
        }
        Ok(())
    }
}

/// Durations as such, which hosts have in their own unit.
fn with_unit(option: &str, value: Literal) -> Literal {
    let is_span = matches!(
        option,
        "timeout"
            | "socket_timeout"
            | "sleep_between_retries"
            | "max_sleep_between_retries"
            | "hedge"
            | "deadline"
    );
    match value {
        Literal::Number(number) if is_span => Literal::Span(number),
        value => value,
    }
}
