//! Validated info commands, and helpers to read replies.

use std::fmt;

use crate::model::Name;
use crate::model::{Error, Kind, Result};

/// An info command without line breaks, which would start another command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InfoCommand(Box<str>);

impl InfoCommand {
    /// Validates a command.
    pub fn new(text: impl Into<Box<str>>) -> Result<Self> {
        let text = text.into();
        if text.contains(['\n', '\r']) {
            return Err(Error::invalid("an info command must not contain a line break"));
        }
        Ok(Self(text))
    }

    /// A command composed of validated names and fixed words.
    pub(crate) fn of_names(text: String) -> Self {
        debug_assert!(!text.contains(['\n', '\r']), "every part was checked");
        Self(text.into())
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for InfoCommand {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// The value of the first part `name=value` of a reply.
pub(crate) fn field<'a>(answer: &'a str, separator: char, name: &str) -> Option<&'a str> {
    let parts = answer.split(separator).filter_map(|part| part.split_once('='));
    parts.into_iter().find(|(own, _)| *own == name).map(|(_, value)| value)
}

/// Fails for a namespace that is not in a list. Nodes accept commands for unknown namespaces.
pub(crate) fn known_namespace(namespace: &Name, namespaces: &str) -> Result<()> {
    if namespaces.split(';').any(|known| *known == **namespace) {
        return Ok(());
    }
    let namespace = &**namespace;
    let message = format!("namespace {namespace:?} is not in the cluster; it has: {namespaces}");
    Err(Error::new(Kind::NoNamespace, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_one_line() {
        assert_eq!(InfoCommand::new("namespaces").unwrap().as_str(), "namespaces");
        for odd in ["a\nb", "a\rb", "\n"] {
            let error = InfoCommand::new(odd).unwrap_err();
            assert!(error.message().contains("line break"), "{odd:?}: {error}");
        }
    }

    #[test]
    fn fields_have_whole_names() {
        let answer = "load_pct=7;load=8;x;content=a==";
        assert_eq!(field(answer, ';', "load"), Some("8"));
        assert_eq!(field(answer, ';', "content"), Some("a=="));
        assert_eq!(field(answer, ';', "x"), None);
    }
}
