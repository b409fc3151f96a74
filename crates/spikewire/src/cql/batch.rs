//! Several statements in one request.

use std::fmt;
use std::sync::Arc;

use spikewire_cassandra::session::{Call, Session as Composer};
use spikewire_cassandra::statement::StatementOptions;
use spikewire_cassandra::{Error, Result};
use spikewire_cql::request::{BatchKind, values_with};

use super::bind::Values;
use super::prepared::{Form, Prepared, Statement};

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

    /// The texts to prepare before it runs, in order.
    pub(super) fn unprepared(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(|row| match row {
            Row::Unprepared(text, _) => Some(&**text),
            _ => None,
        })
    }

    /// The statements to prepare again before it runs, because the schema has changed.
    pub(super) fn stale(&self) -> impl Iterator<Item = &Prepared> {
        self.rows.iter().filter_map(|row| match row {
            Row::Prepared(prepared, _) if prepared.0.is_stale() => Some(prepared),
            _ => None,
        })
    }

    /// Number of statements.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it is empty, in which case it cannot be run.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Composes the request; `prepared` are the statements of [`Batch::unprepared`].
    pub(super) fn compose(
        &self,
        composer: &Arc<Composer>,
        prepared: &[Prepared],
        options: &StatementOptions,
    ) -> Result<Call> {
        let mut batch = composer.batch(self.kind, options)?;
        let (mut from, mut texts) = (0, prepared.iter());
        for row in &self.rows {
            match row {
                Row::Text(text) => batch.add_text(text)?,
                Row::Unprepared(_, values) => {
                    let Some(prepared) = texts.next() else { break };
                    let parameters = prepared.parameters();
                    let put = |out: &mut Vec<u8>| values.bind(parameters, out);
                    batch.add(&prepared.0, values_with(parameters.len(), false, put))?;
                }
                Row::Prepared(prepared, end) => {
                    let latest = if prepared.0.is_stale() {
                        &prepared.0.for_bound_values()?
                    } else {
                        &prepared.0
                    };
                    let values = &self.values[from..*end];
                    from = *end;
                    let put = |out: &mut Vec<u8>| {
                        out.extend_from_slice(values);
                        Ok::<(), Error>(())
                    };
                    batch.add(latest, values_with(prepared.parameters().len(), false, put))?;
                }
            }
        }
        composer.run_batch(batch, options)
    }
}
