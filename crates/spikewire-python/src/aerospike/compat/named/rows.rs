//! The results of the rows of a batch.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList, PyNone};

use super::{NamedRecords, NamedWrites, number};
use crate::aerospike::batch::Batch;
use crate::bridge::cached::intern;

/// Generation and time to live.
type Meta = (u32, Option<u32>);

impl NamedRecords {
    /// The rows of a batch. `of` returns the key of a row, and what creates the bins of its record.
    pub(super) fn rows<'py, B>(
        &self,
        batch: &Bound<'py, Batch>,
        of: impl Fn(usize) -> PyResult<(Bound<'py, PyAny>, B)>,
    ) -> PyResult<Bound<'py, PyList>>
    where
        B: FnOnce(&Batch) -> PyResult<Bound<'py, PyAny>>,
    {
        let rows = batch.get();
        rows.reads_all(|| self.rows_of(batch.py(), rows, of))
    }

    fn rows_of<'py, B>(
        &self,
        py: Python<'py>,
        batch: &Batch,
        of: impl Fn(usize) -> PyResult<(Bound<'py, PyAny>, B)>,
    ) -> PyResult<Bound<'py, PyList>>
    where
        B: FnOnce(&Batch) -> PyResult<Bound<'py, PyAny>>,
    {
        let mut rows = Vec::with_capacity(batch.len());
        // The rows of a batch usually have the same metadata.
        let mut latest = None;
        for at in 0..batch.len() {
            let (key, bins) = of(at)?;
            let items = self.row(py, batch, at, &key, bins, &mut latest)?;
            rows.push(self.row.make(py, items)?);
        }
        PyList::new(py, rows)
    }

    /// The result of a row in a batch write.
    pub(super) fn written_row<'py>(
        &self,
        py: Python<'py>,
        records: &NamedWrites,
        batch: &Batch,
        at: usize,
    ) -> PyResult<[Bound<'py, PyAny>; 4]> {
        let bins = |_: &Batch| records.bins(py, at);
        self.row(py, batch, at, records.key(py, at), bins, &mut None)
    }

    /// The result of a row: the items of its tuple.
    #[inline]
    fn row<'py>(
        &self,
        py: Python<'py>,
        batch: &Batch,
        at: usize,
        key: &Bound<'py, PyAny>,
        bins: impl FnOnce(&Batch) -> PyResult<Bound<'py, PyAny>>,
        latest: &mut Option<(Meta, Bound<'py, PyAny>)>,
    ) -> PyResult<[Bound<'py, PyAny>; 4]> {
        let no = || PyBool::new(py, false).to_owned().into_any();
        let none = || PyNone::get(py).to_owned().into_any();
        let name = self.name(key, &batch.key_of(at).digest)?;
        Ok(match batch.meta(py, at) {
            Err(error) => {
                let error = error.into_value(py).into_bound(py).into_any();
                let doubt = error.getattr(intern!(py, "in_doubt"))?;
                let code = self.code.bind(py).call1((error, batch.code(at)))?;
                [name, code, none(), doubt]
            }
            Ok(None) => [name, number(py, batch.code(at))?, none(), no()],
            Ok(Some(numbers)) => {
                let meta = match latest {
                    Some((same, meta)) if *same == numbers => meta.clone(),
                    _ => self.meta(py, numbers.0, numbers.1)?,
                };
                *latest = Some((numbers, meta.clone()));
                let record = self.record.make(py, [name.clone(), meta, bins(batch)?])?;
                [name, number(py, 0)?, record, no()]
            }
        })
    }
}
