//! The syntax tree.

use spikewire_cql::types::Type;

/// A table, and its keyspace if given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) keyspace: Option<String>,
    pub(crate) table: String,
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Statement {
    Use(String),
    CreateKeyspace { name: String, if_not_exists: bool },
    CreateTable(CreateTable),
    DropKeyspace { name: String, if_exists: bool },
    DropTable { name: Name, if_exists: bool },
    Truncate(Name),
    Select(Select),
    Insert { into: Name, columns: Vec<(String, Term)>, using: Vec<String> },
}

/// CREATE TABLE.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CreateTable {
    pub(crate) name: Name,
    pub(crate) columns: Vec<(String, Type)>,
    pub(crate) partition: Vec<String>,
    pub(crate) clustering: Vec<String>,
    pub(crate) if_not_exists: bool,
}

/// SELECT.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Select {
    pub(crate) from: Name,
    /// `None` is `*`.
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) limit: Option<Term>,
}

/// A column, how it is compared, and with what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) column: String,
    pub(crate) is_equality: bool,
    pub(crate) term: Term,
}

/// A value in a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Term {
    /// A bind marker.
    Marker,
    /// A quoted text.
    Text(String),
    /// Any other literal.
    Literal(String),
}
