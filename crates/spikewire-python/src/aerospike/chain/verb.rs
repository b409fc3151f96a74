//! The verbs that begin a step.

use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::bridge::cached::intern;
use crate::errors::value_error;

/// What a step does to its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verb {
    #[default]
    Query,
    Insert,
    Upsert,
    Update,
    Replace,
    ReplaceIfExists,
    Delete,
    Touch,
    Exists,
}

impl Verb {
    const ALL: [Self; 9] = [
        Self::Query,
        Self::Insert,
        Self::Upsert,
        Self::Update,
        Self::Replace,
        Self::ReplaceIfExists,
        Self::Delete,
        Self::Touch,
        Self::Exists,
    ];

    /// The name of its method.
    pub fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Insert => "insert",
            Self::Upsert => "upsert",
            Self::Update => "update",
            Self::Replace => "replace",
            Self::ReplaceIfExists => "replace_if_exists",
            Self::Delete => "delete",
            Self::Touch => "touch",
            Self::Exists => "exists",
        }
    }

    pub fn named(name: &str) -> PyResult<Self> {
        let verb = Self::ALL.into_iter().find(|verb| verb.name() == name);
        verb.ok_or_else(|| value_error(format!("there is no step {name:?}")))
    }

    /// The index of its step class.
    pub fn kind(self) -> usize {
        match self {
            Self::Query => 0,
            Self::Insert | Self::Upsert | Self::Update | Self::Replace | Self::ReplaceIfExists => 1,
            Self::Delete => 2,
            Self::Touch => 3,
            Self::Exists => 4,
        }
    }

    /// What a write does if the record exists, or does not.
    pub fn rule(self, py: Python<'_>) -> Option<&Bound<'_, PyString>> {
        Some(match self {
            Self::Insert => intern!(py, "create"),
            Self::Update => intern!(py, "update"),
            Self::Replace => intern!(py, "replace"),
            Self::ReplaceIfExists => intern!(py, "replace_only"),
            _ => return None,
        })
    }

    /// How a missing record is treated, unless the call sets it.
    pub fn missing(self, py: Python<'_>) -> &Bound<'_, PyString> {
        match self {
            Self::Update | Self::ReplaceIfExists | Self::Touch => intern!(py, "error"),
            _ => intern!(py, "keep"),
        }
    }
}
