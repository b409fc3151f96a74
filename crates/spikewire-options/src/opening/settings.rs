//! The settings that a client is opened with, and where each comes from.

use super::text::is_secret;
use crate::Literal;

/// The settings that a client is opened with.
#[derive(Debug)]
pub struct Opening<V> {
    /// The seeds, separated by commas.
    pub seeds: String,
    /// Where the seeds come from, in words.
    pub seeds_source: String,
    /// The path of the URL, and its source.
    pub path: Option<(String, String)>,
    /// The options that differ from their defaults.
    pub options: Vec<Used<V>>,
}

/// An option that is used.
#[derive(Debug)]
pub struct Used<V> {
    /// The engine's name, or the host's for an option of its own.
    pub name: String,
    /// Its value.
    pub value: Setting<V>,
    /// Where it comes from, in words.
    pub source: String,
}

/// The value of an option.
#[derive(Debug)]
pub enum Setting<V> {
    /// From a URL or a variable. Entries of `tls` have the engine's names.
    Text(Literal),
    /// From an argument.
    Argument(V),
}

/// Options with one place in the order of precedence.
pub(super) type Level<V> = Vec<Used<V>>;

impl<V> Opening<V> {
    /// The options and their sources, one per line, without secrets; `show` writes the value of an
    /// option.
    pub fn explain(&self, path: &str, show: impl Fn(&str, &Setting<V>) -> String) -> String {
        let mut lines = vec![format!("seeds = {}  ({})", self.seeds, self.seeds_source)];
        // A keyspace is an option.
        let is_option = self.options.iter().any(|it| it.name == path);
        if let Some((namespace, source)) = self.path.as_ref().filter(|_| !is_option) {
            lines.push(format!("{path} = {namespace}  ({source})"));
        }
        let mut options: Vec<_> = self.options.iter().collect();
        options.sort_by(|one, other| one.name.cmp(&other.name));
        for Used { name, value, source } in options {
            let value = if is_secret(name) { "'***'".to_owned() } else { show(name, value) };
            lines.push(format!("{name} = {value}  ({source})"));
        }
        lines.join("\n")
    }
}

impl Setting<Literal> {
    /// The value, wherever it comes from.
    pub fn literal(&self) -> &Literal {
        match self {
            Self::Text(value) | Self::Argument(value) => value,
        }
    }
}
