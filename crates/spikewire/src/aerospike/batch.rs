//! Results of verbs on many records.

use spikewire_aerospike::command::batch::{Batch as Rows, ResultFlags};
use spikewire_aerospike::{Error, Result};

use crate::aerospike::record::Record;

/// The outcomes of many records, one per row, in input order. Rows are decoded on access; a failed
/// row does not affect the others.
///
/// ```
/// # use spikewire::Client;
/// # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
/// # let users = Client::connect(cluster.seeds())?.dataset("test", "users")?;
/// users.put_many((0..3).map(|id| (id, [("age", 20 + id)])))?.check()?;
/// let people = users.get_many([2, 7, 0])?;
/// let ages: Vec<_> = people
///     .iter()
///     .map(|row| Ok(row?.and_then(|record| record.get("age").cloned())))
///     .collect::<spikewire::Result<_>>()?;
/// assert_eq!(ages, [Some(22.into()), None, Some(20.into())]);
/// # Ok::<(), spikewire::Error>(())
/// ```
#[derive(Debug)]
pub struct Batch {
    rows: Rows,
    answered: ResultFlags<Vec<bool>>,
}

impl Batch {
    pub(crate) fn new(rows: Rows, answered: ResultFlags<Vec<bool>>) -> Self {
        Self { rows, answered }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The record of a row; `None` if there is none. Returns the error of a failed row, or a timeout
    /// for a row that [is late](Self::is_late).
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn row(&self, row: usize) -> Result<Option<Record>> {
        let Some(body) = self.rows.record(row)? else { return Ok(None) };
        let record = Record::decode(body, self.answered.of(row).unwrap_or_default());
        record.map(Some).map_err(|error| self.rows.unreadable(row, &error.to_string()))
    }

    /// All rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Result<Option<Record>>> {
        (0..self.len()).map(|row| self.row(row))
    }

    /// Whether a row is late: its reply did not come by the
    /// [deadline](crate::CallOptions::deadline), so the record may exist or not.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn is_late(&self, row: usize) -> bool {
        self.rows.is_late(row)
    }

    /// The late rows. They are neither missing nor failed.
    pub fn late(&self) -> impl Iterator<Item = usize> {
        self.rows.late()
    }

    /// The result code of a row: the server's, or a negative client-side one; -16 for a late row.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn code(&self, row: usize) -> i32 {
        self.rows.code(row)
    }

    /// The failed rows and their errors. Missing records and late rows are not failures.
    pub fn errors(&self) -> impl Iterator<Item = (usize, Error)> {
        let rows = (0..self.len()).filter(|row| !self.is_late(*row));
        rows.filter_map(|row| self.row(row).err().map(|error| (row, error)))
    }

    /// The batch itself, or the error of the first failed row.
    pub fn check(self) -> Result<Self> {
        let failed = self.errors().next();
        failed.map_or(Ok(self), |(_, error)| Err(error))
    }
}
