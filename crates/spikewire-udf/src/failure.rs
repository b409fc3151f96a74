//! Why a function failed.

use std::fmt;

/// Why a function failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// No module with this name is registered.
    NoModule(String),
    /// The module has no such function.
    NoFunction(String),
    /// The code raised this error: `file:line: message` if the place is known.
    Raised(String),
    /// The caller's deadline passed while it ran.
    TimedOut,
    /// The caller was interrupted while it ran.
    Interrupted,
}

/// An error as one line.
pub(crate) fn message_of(error: &mlua::Error) -> String {
    match error {
        // Raised by Rust code called from Lua; the place is in the traceback.
        mlua::Error::CallbackError { traceback, cause } => {
            let message = message_of(cause);
            match place(traceback) {
                Some(place) if !message.starts_with(place) => format!("{place}: {message}"),
                _ => message,
            }
        }
        mlua::Error::RuntimeError(text) | mlua::Error::SyntaxError { message: text, .. } => {
            text.split("\nstack traceback:").next().unwrap_or_default().to_owned()
        }
        mlua::Error::MemoryError(_) => "out of memory".to_owned(),
        mlua::Error::BadArgument { pos, cause, .. } => {
            format!("argument {pos}: {}", message_of(cause))
        }
        mlua::Error::WithContext { context, cause } => format!("{context}: {}", message_of(cause)),
        other => other.to_string(),
    }
}

/// The innermost `file:line` of a traceback.
fn place(traceback: &str) -> Option<&str> {
    traceback.lines().map(str::trim).find_map(|line| {
        let (file, rest) = line.split_once(':')?;
        let (number, _) = rest.split_once(':')?;
        (file.strip_suffix(".lua").is_some() && number.bytes().all(|digit| digit.is_ascii_digit()))
            .then(|| &line[..=file.len() + number.len()])
    })
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoModule(name) => write!(out, "no module {name:?} is registered"),
            Self::NoFunction(name) => write!(out, "function not found: {name}"),
            Self::Raised(text) => out.write_str(text),
            Self::TimedOut => out.write_str("the deadline passed while a function ran"),
            Self::Interrupted => out.write_str("interrupted while a function ran"),
        }
    }
}

impl std::error::Error for Failure {}
