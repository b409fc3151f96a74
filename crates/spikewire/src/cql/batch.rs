//! Several statements in one request.

use std::fmt;
use std::sync::Arc;

use spikewire_cassandra::session::{Call, Session as Composer};
use spikewire_cassandra::statement::StatementOptions;
use spikewire_cassandra::statement_job::{BatchEntry, BatchTexts, Unready};
use spikewire_cassandra::{Error, Result};
use spikewire_cql::request::BatchKind;

use super::bind::Values;
use super::prepared::{Form, Prepared, Statement, ValueEncoder};

/// Statements that are sent in one request.
///
/// ```no_run
/// use spikewire::cql::{Batch, Session};
///
/// # fn example(session: &Session) -> spikewire::cql::Result<()> {
/// let insert = session.prepare("INSERT INTO items (id, name) VALUES (?, ?)")?;
/// let mut batch = Batch::logged();
/// batch.add(&insert, (1, "pear"))?;
/// batch.add(&insert, (2, "plum"))?;
/// batch.add("DELETE FROM items WHERE id = 3", ())?;
/// batch.add_text("DELETE FROM items WHERE id = ?", (4,));
/// session.batch(&batch)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Batch {
    kind: BatchKind,
    rows: Vec<Row>,
    /// The values of all statements, one after another.
    values: Vec<u8>,
}

#[derive(Clone)]
enum Row {
    Text(Arc<str>),
    /// Text with values, prepared when the batch is executed.
    Unprepared(Arc<str>, Arc<dyn Values>),
    /// With the end of its values.
    Prepared(Prepared, usize),
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.debug_tuple("Text").field(text).finish(),
            Self::Unprepared(text, _) => f.debug_tuple("Unprepared").field(text).finish(),
            Self::Prepared(prepared, _) => f.debug_tuple("Prepared").field(prepared).finish(),
        }
    }
}

impl Batch {
    fn new(kind: BatchKind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// Eventually, all of its statements are applied or none.
    pub fn logged() -> Self {
        Self::new(BatchKind::Logged)
    }

    /// Not atomic across partitions: the statements only share a request.
    pub fn unlogged() -> Self {
        Self::new(BatchKind::Unlogged)
    }

    /// For counter updates only.
    pub fn counter() -> Self {
        Self::new(BatchKind::Counter)
    }

    /// Adds a prepared statement with its values, or a text without values. On failure the batch
    /// stays unchanged.
    pub fn add(&mut self, statement: impl Statement, values: impl Values) -> Result<&mut Self> {
        match statement.form() {
            Form::Text(_) if !values.is_empty() => {
                return Err(Error::invalid(
                    "values are added with prepared statements, whose types they are bound to: \
                     prepare this one first, or add it with `add_text`",
                ));
            }
            Form::Text(text) => self.rows.push(Row::Text(text.into())),
            Form::Prepared(prepared) => {
                let before = self.values.len();
                if let Err(error) = values.bind(prepared.parameters(), &mut self.values) {
                    self.values.truncate(before);
                    return Err(error);
                }
                self.rows.push(Row::Prepared(prepared.clone(), self.values.len()));
            }
        }
        Ok(self)
    }

    /// Adds a text with its values, which the batch keeps: the text is prepared when the batch
    /// runs, unless it is prepared already, and the values are checked then.
    pub fn add_text(&mut self, text: impl AsRef<str>, values: impl Values + 'static) -> &mut Self {
        let text = text.as_ref().into();
        self.rows.push(if values.is_empty() {
            Row::Text(text)
        } else {
            Row::Unprepared(text, Arc::new(values))
        });
        self
    }

    /// Number of statements.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it is empty, in which case it cannot be run.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Composes the request; `texts` has what was prepared for it.
    pub(super) fn compose(
        &self,
        composer: &Arc<Composer>,
        texts: &mut BatchTexts<ValueEncoder>,
        options: &StatementOptions,
    ) -> std::result::Result<Call, Unready<Error>> {
        let mut from = 0;
        let entries = self.rows.iter().map(|row| match row {
            Row::Text(text) => BatchEntry::Text(text),
            Row::Unprepared(text, values) => BatchEntry::Unprepared(text, &**values),
            Row::Prepared(prepared, end) => {
                let values = &self.values[from..*end];
                from = *end;
                BatchEntry::Bound(&prepared.0, values)
            }
        });
        texts.compose(composer, self.kind, entries, options)
    }
}
