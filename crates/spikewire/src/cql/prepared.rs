//! Statements, as text and prepared.

use std::sync::Arc;

use spikewire_cassandra::session::{Call, NoValues, Session as Composer};
use spikewire_cassandra::statement::{self, StatementOptions};
use spikewire_cassandra::statement_job::ParameterEncoder;
use spikewire_cassandra::{Error, Kind, Result};
use spikewire_cql::request::values_with;
use spikewire_cql::response::Column;

use super::bind::Values;

/// A prepared statement. Cheap to clone. Usable with all sessions on the same cluster and with any
/// node: it is prepared automatically on nodes that do not know it, and again when the schema has
/// changed.
#[derive(Debug, Clone)]
pub struct Prepared(pub(super) Arc<statement::Prepared>);

impl Prepared {
    /// The statement's text.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The parameters, in order.
    pub fn parameters(&self) -> &[Column] {
        &self.0.parameters
    }

    /// The columns of its rows, as currently known; none if it has no rows.
    pub fn columns(&self) -> Arc<[Column]> {
        self.0.result().columns.clone()
    }

    /// Warnings of the server when it was prepared.
    pub fn warnings(&self) -> &[String] {
        &self.0.warnings
    }
}

/// An executable statement: a text, or a [`Prepared`] statement.
pub trait Statement: Send + Sync {
    /// The kind of statement.
    #[doc(hidden)]
    fn form(&self) -> Form<'_>;
}

/// A statement, by kind.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub enum Form<'a> {
    Text(&'a str),
    Prepared(&'a Prepared),
}

impl<'a> Form<'a> {
    /// The statement's text.
    pub(super) fn text(self) -> &'a str {
        match self {
            Self::Text(text) => text,
            Self::Prepared(prepared) => prepared.text(),
        }
    }

    /// Whether its values are passed separately.
    pub(super) fn has_markers(self, values: &impl Values) -> bool {
        matches!(self, Self::Prepared(_)) || !values.is_empty()
    }
}

impl Statement for str {
    fn form(&self) -> Form<'_> {
        Form::Text(self)
    }
}

impl Statement for String {
    fn form(&self) -> Form<'_> {
        Form::Text(self)
    }
}

impl Statement for Prepared {
    fn form(&self) -> Form<'_> {
        Form::Prepared(self)
    }
}

impl<S: Statement + ?Sized> Statement for &S {
    fn form(&self) -> Form<'_> {
        (**self).form()
    }
}

/// A request for a prepared statement with its values.
#[inline]
pub(super) fn execute(
    composer: &Arc<Composer>,
    prepared: &Arc<statement::Prepared>,
    values: &impl Values,
    options: &StatementOptions,
) -> Result<Call> {
    let parameters = &*prepared.parameters;
    let bound = values_with(parameters.len(), false, |out| values.bind(parameters, out));
    composer.execute(prepared, options, bound)
}

/// Encodes values for the engine.
#[derive(Debug)]
pub(super) struct ValueEncoder;

impl ParameterEncoder for ValueEncoder {
    type Parameters<'a> = &'a dyn Values;
    type Error = Error;

    fn encode(
        prepared: &statement::Prepared,
        values: Option<&dyn Values>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        values.unwrap_or(&()).bind(&prepared.parameters, out)
    }

    fn may_be_outdated(error: &Error) -> bool {
        error.kind() == Kind::Invalid
    }
}

/// A statement with bound values, to be sent for each page.
#[derive(Debug, Clone)]
pub(super) enum Bound {
    Text(Arc<str>),
    Prepared(Prepared, Arc<[u8]>),
}

impl Bound {
    /// A prepared statement with its values.
    pub fn new(prepared: &Arc<statement::Prepared>, values: &impl Values) -> Result<Self> {
        let mut bytes = Vec::new();
        values.bind(&prepared.parameters, &mut bytes)?;
        Ok(Self::Prepared(Prepared(prepared.clone()), bytes.into()))
    }

    /// A request for the page given in the options.
    pub fn compose(&self, composer: &Arc<Composer>, options: &StatementOptions) -> Result<Call> {
        match self {
            Self::Text(text) => composer.query(text, options, NoValues),
            Self::Prepared(prepared, values) => {
                let bound = values_with(prepared.parameters().len(), false, |out: &mut Vec<u8>| {
                    out.extend_from_slice(values);
                    Ok::<(), Error>(())
                });
                composer.execute(&prepared.0, options, bound)
            }
        }
    }
}
