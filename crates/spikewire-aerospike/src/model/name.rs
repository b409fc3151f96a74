//! Names that are embedded in other text, validated here so that none of them can end an info
//! command and start another one.

use std::fmt;
use std::ops::Deref;

use super::{Error, Result};

/// A validated name: without separators of info commands, quotes or line breaks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Name(Box<str>);

impl Name {
    /// The name of a namespace, a set, a bin or an index (`what`), of at most `longest` bytes.
    pub fn new(what: &str, text: &str, longest: usize) -> Result<Self> {
        if text.is_empty() || text.len() > longest || text.contains(is_separator) {
            return Err(Error::invalid(format!(
                "{what} must have from 1 to {longest} bytes, none of : ; = , or a line break; got \
                 {text:?}"
            )));
        }
        Ok(Self(text.into()))
    }

    /// The file name of a module, such as `counters.lua`.
    pub fn module_file(text: &str) -> Result<Self> {
        match text.rsplit_once('.') {
            Some((stem, ending)) if !stem.is_empty() && !ending.is_empty() && is_word(text) => {
                Ok(Self(text.into()))
            }
            _ => Err(Error::invalid(format!(
                "a module is named like a file, such as \"counters.lua\", not {text:?}"
            ))),
        }
    }

    /// The name of a module as used in calls: the file name without its extension.
    pub fn module(text: &str) -> Result<Self> {
        if text.is_empty() || text.strip_suffix(".lua").is_some() {
            return Err(Error::invalid(format!(
                "module must be the name of a module without its ending .lua, got {text:?}"
            )));
        }
        Self::word("module", text)
    }

    /// The name of a function of a module.
    pub fn function(text: &str) -> Result<Self> {
        if text.is_empty() {
            return Err(Error::invalid("function must not be empty"));
        }
        Self::word("function", text)
    }

    fn word(what: &str, text: &str) -> Result<Self> {
        if !is_word(text) {
            return Err(Error::invalid(format!(
                "{what} must have none of : ; = , / \\ \" or a line break; got {text:?}"
            )));
        }
        Ok(Self(text.into()))
    }
}

/// Whether a character separates parts of info commands and their replies.
fn is_separator(sign: char) -> bool {
    matches!(sign, ':' | ';' | '=' | ',') || sign.is_control()
}

/// Whether a string can be part of a file name and of a quoted string.
fn is_word(text: &str) -> bool {
    !text.contains(|sign| is_separator(sign) || matches!(sign, '/' | '\\' | '"'))
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INJECTION: &str = "x;\ntruncate-namespace:namespace=test;\nudf-get:filename=y";

    #[test]
    fn no_name_has_a_separator_or_a_line_break() {
        for odd in [INJECTION, "a\nb", "a\rb", "a;b", "a:b", "a=b", "a,b", "a\0b", "a\tb"] {
            assert!(Name::new("set", odd, 63).is_err(), "{odd:?}");
            assert!(Name::module(odd).is_err(), "{odd:?}");
            assert!(Name::function(odd).is_err(), "{odd:?}");
            assert!(Name::module_file(&format!("{odd}.lua")).is_err(), "{odd:?}");
        }
        for odd in ["a/b", "a\\b", "a\"b"] {
            assert!(Name::module(odd).is_err(), "{odd:?}");
            assert!(Name::module_file(&format!("{odd}.lua")).is_err(), "{odd:?}");
        }
    }

    #[test]
    fn names_have_a_length() {
        assert_eq!(&*Name::new("bin", "a", 15).unwrap(), "a");
        for odd in ["", "sixteen bytes ..", "ééééééé "] {
            let error = Name::new("bin", odd, 14).unwrap_err();
            assert!(error.message().starts_with("bin must have from 1 to 14 bytes"), "{error}");
        }
    }

    #[test]
    fn modules_are_called_without_their_ending() {
        assert_eq!(&*Name::module("my counters.v2").unwrap(), "my counters.v2");
        assert_eq!(&*Name::module_file("my counters.v2.lua").unwrap(), "my counters.v2.lua");
        for odd in ["", "a.lua"] {
            assert!(Name::module(odd).is_err());
        }
        for odd in ["", ".lua", "counters", "counters."] {
            assert!(Name::module_file(odd).is_err());
        }
    }
}
