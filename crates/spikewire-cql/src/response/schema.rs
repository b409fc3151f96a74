//! Schema changes: results of statements, and events caused by others.

use std::fmt;

use crate::notation::{Reader, Result, TooLong, put_string, put_string_list};

/// A change of the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaChange {
    /// The kind of change.
    pub change: Change,
    /// The keyspace.
    pub keyspace: String,
    /// What was changed.
    pub target: Target,
}

/// The kind of change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Created.
    Created,
    /// Altered.
    Updated,
    /// Dropped.
    Dropped,
    /// An unknown change.
    Other(String),
}

/// What was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The keyspace itself.
    Keyspace,
    /// A table or materialized view; indexes are parts of it.
    Table(String),
    /// A user-defined type.
    Type(String),
    /// A function with these argument types.
    Function(String, Vec<String>),
    /// An aggregate with these argument types.
    Aggregate(String, Vec<String>),
    /// An unknown kind of object.
    Other(String),
}

impl Change {
    fn name(&self) -> &str {
        match self {
            Self::Created => "CREATED",
            Self::Updated => "UPDATED",
            Self::Dropped => "DROPPED",
            Self::Other(name) => name,
        }
    }
}

impl Target {
    fn kind(&self) -> &str {
        match self {
            Self::Keyspace => "KEYSPACE",
            Self::Table(_) => "TABLE",
            Self::Type(_) => "TYPE",
            Self::Function(..) => "FUNCTION",
            Self::Aggregate(..) => "AGGREGATE",
            Self::Other(kind) => kind,
        }
    }
}

impl SchemaChange {
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let change = match reader.string()? {
            "CREATED" => Change::Created,
            "UPDATED" => Change::Updated,
            "DROPPED" => Change::Dropped,
            other => Change::Other(other.to_owned()),
        };
        let kind = reader.string()?;
        let keyspace = reader.string()?.to_owned();
        let target = match kind {
            "KEYSPACE" => Target::Keyspace,
            "TABLE" => Target::Table(reader.string()?.to_owned()),
            "TYPE" => Target::Type(reader.string()?.to_owned()),
            "FUNCTION" => Target::Function(reader.string()?.to_owned(), reader.string_list()?),
            "AGGREGATE" => Target::Aggregate(reader.string()?.to_owned(), reader.string_list()?),
            other => Target::Other(other.to_owned()),
        };
        Ok(Self { change, keyspace, target })
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) -> std::result::Result<(), TooLong> {
        put_string(out, "a change", self.change.name())?;
        put_string(out, "what was changed", self.target.kind())?;
        put_string(out, "the name of a keyspace", &self.keyspace)?;
        match &self.target {
            Target::Keyspace | Target::Other(_) => Ok(()),
            Target::Table(name) | Target::Type(name) => put_string(out, "a name", name),
            Target::Function(name, arguments) | Target::Aggregate(name, arguments) => {
                put_string(out, "a name", name)?;
                put_string_list(out, "arguments of a function", arguments)
            }
        }
    }
}

impl fmt::Display for SchemaChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { change, keyspace, target } = self;
        write!(f, "{} {} {keyspace}", change.name(), target.kind())?;
        match target {
            Target::Keyspace | Target::Other(_) => Ok(()),
            Target::Table(name) | Target::Type(name) => write!(f, ".{name}"),
            Target::Function(name, arguments) | Target::Aggregate(name, arguments) => {
                write!(f, ".{name}({})", arguments.join(", "))
            }
        }
    }
}
