//! The rows of a result, kept in wire form. Each row is created on access.

use std::sync::{Arc, OnceLock};

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PySlice, PyTuple};
use spikewire_cassandra::statement_job::{Extras, ResponseMeta, ResultPages};

use super::classes::Classes;
use super::columns::{to_arrays, to_arrow, to_pandas, to_polars, to_structured};
use super::errors::BoxedPyErr;
use super::fill;
use super::pages::{CellBytes, Page, Pages};
use super::recent_rows::{self, RecentRows};
use super::row::{Names, Row};
use super::value::ValueDecoder;
use crate::bridge::cached::intern;
use crate::bridge::imports::typed;
use crate::bridge::python_code::PythonCode;
use crate::columns::{self, ArrowTable};

/// The result of a statement: a sequence of rows.
///
/// Rows are created on access: `result[0]` and iteration create new ones each time. A statement
/// without rows has a result of length 0.
#[pyclass(frozen, sequence, module = "spikewire.cql")]
pub struct Rows {
    came: Pages,
    count: usize,
    /// Where each row begins: page and offset. Built on the first access by index.
    offsets: OnceLock<Vec<(u32, u32)>>,
}

impl Rows {
    /// A result with these pages.
    #[inline]
    pub fn new(result: ResultPages<CellBytes>, classes: Arc<Classes>) -> Self {
        let count = result.pages.iter().map(|page| page.count).sum();
        Self { came: Pages { result, classes }, count, offsets: OnceLock::new() }
    }

    fn meta(&self) -> &ResponseMeta {
        &self.came.result.meta
    }

    fn offset(&self, py: Python<'_>, index: usize) -> Result<(u32, u32), BoxedPyErr> {
        if index == 0 && self.came.result.pages.first().is_some_and(|page| page.count > 0) {
            return Ok((0, 0));
        }
        if self.offsets.get().is_none() {
            let mut offsets = Vec::with_capacity(self.count);
            for (at, page) in self.came.result.pages.iter().enumerate() {
                let columns = self.came.shape_of(page).map_or(0, |shape| shape.columns.len());
                let (mut cells, len) = (page.cells.at(py, 0), page.cells.len(py));
                for _ in 0..page.count {
                    let offset = len - cells.0.rest().len();
                    offsets.push((at as u32, offset as u32));
                    cells.skip(columns)?;
                }
            }
            let _ = self.offsets.set(offsets);
        }
        let offset = self.offsets.get().and_then(|offsets| offsets.get(index)).copied();
        Ok(offset.ok_or_else(|| PyIndexError::new_err("row index out of range"))?)
    }

    fn extras(&self) -> Option<&Extras> {
        self.meta().extras.as_deref()
    }

    fn row<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, Row>> {
        let (page, offset) = self.offset(py, index)?;
        let page = &self.came.result.pages[page as usize];
        let Some(shape) = self.came.shape_of(page) else {
            return Err(PyIndexError::new_err("row index out of range"));
        };
        let mut cells = page.cells.at(py, offset as usize);
        let decoder = ValueDecoder { py, classes: &self.came.classes };
        Ok(recent_rows::row(Names::of(py, shape)?, &shape.columns, &mut cells, decoder)?)
    }
}

impl Rows {
    /// All rows.
    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let decoder = ValueDecoder { py, classes: &self.came.classes };
        let page = |page: &Page| {
            let Some(shape) = self.came.shape_of(page) else { return Ok(PyList::empty(py)) };
            let names = Names::of(py, shape)?;
            let mut cells = page.cells.at(py, 0);
            fill::list(py, page.count, || {
                recent_rows::row(names, &shape.columns, &mut cells, decoder)
            })
        };
        let mut pages = self.came.result.pages.iter();
        let all = pages.next().map_or_else(|| Ok(PyList::empty(py)), page)?;
        for more in pages {
            all.call_method1(intern!(py, "extend"), (page(more)?,))?;
        }
        Ok(all)
    }
}

/// What a function of `spikewire.typed` makes of rows and a class of the program.
fn typed_rows<'py>(
    class: &Bound<'py, PyAny>,
    function: &str,
    rows: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    typed(class.py())?.call_method1(function, (class, rows))
}

#[pymethods]
impl Rows {
    fn __len__(&self) -> usize {
        self.count
    }

    fn __bool__(&self) -> bool {
        self.count > 0
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = key.py();
        if let Ok(slice) = key.cast::<PySlice>() {
            let range = slice.indices(self.count as isize)?;
            let rows = PyList::empty(py);
            let mut at = range.start;
            for _ in 0..range.slicelength {
                rows.append(self.row(py, at as usize)?)?;
                at += range.step;
            }
            return Ok(rows.into_any());
        }
        let at: isize = key.extract()?;
        let index = if at < 0 { at + self.count as isize } else { at };
        match usize::try_from(index) {
            Ok(index) if index < self.count => Ok(self.row(py, index)?.into_any()),
            _ => Err(PyIndexError::new_err(format!("no row {at}: there are {}", self.count))),
        }
    }

    fn __iter__(slf: Bound<'_, Self>) -> PyResult<RowIterator> {
        RowIterator::new(slf)
    }

    fn __repr__(&self) -> String {
        format!("<{} rows from {}>", self.count, self.node())
    }

    /// The first row, or `None` if there is none; with a type, an instance of it.
    #[pyo3(signature = (r#type=None, /))]
    fn first<'py>(
        &self,
        py: Python<'py>,
        r#type: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.count == 0 {
            return Ok(None);
        }
        let row = self.row(py, 0)?.into_any();
        r#type.map_or_else(|| Ok(row.clone()), |class| typed_rows(class, "of_row", &row)).map(Some)
    }

    /// The only row, or `None` if there is none; with a type, an instance of it. Raises `ValueError`
    /// if there are more.
    #[pyo3(signature = (r#type=None, /))]
    fn one<'py>(
        &self,
        py: Python<'py>,
        r#type: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.count > 1 {
            return Err(PyValueError::new_err(format!(
                "{} rows where one was expected",
                self.count
            )));
        }
        self.first(py, r#type)
    }

    /// All rows as a list; with a type, as instances of it.
    #[pyo3(signature = (r#type=None, /))]
    fn all<'py>(
        &self,
        py: Python<'py>,
        r#type: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let all = self.list(py)?.into_any();
        r#type.map_or_else(|| Ok(all.clone()), |class| typed_rows(class, "of_rows", &all))
    }

    /// The rows as an Arrow table, decoded straight from the server's reply, for all consumers
    /// of the Arrow PyCapsule interface, such as `pyarrow.table`, `polars.DataFrame` and
    /// `duckdb`.
    ///
    /// Integers, floats, booleans, text and bytes have the corresponding types; `timestamp` is
    /// `timestamp[ms, UTC]`, `date` is `date32`, `time` is `time64[ns]`, UUIDs are 16 bytes
    /// marked `arrow.uuid`, addresses are text. `varint` and `decimal` become decimals of 38
    /// digits, or of 76, with the largest scale of the column; a column whose numbers do not fit
    /// is text. Nothing is rounded. A `duration` is an interval of months, days and nanoseconds.
    /// Lists and sets are lists, vectors are fixed-size lists, tuples and user-defined types are
    /// structs. The empty value, if a type has one, is null.
    fn to_arrow(&self, py: Python<'_>) -> PyResult<ArrowTable> {
        Ok(ArrowTable::new(to_arrow(py, &self.came)?))
    }

    /// The rows for NumPy.
    ///
    /// Without `dtype`, the result is a dictionary with an array for each column: numbers,
    /// booleans, timestamps (`datetime64[ms]`, UTC), dates (`datetime64[D]`), times
    /// (`timedelta64[ns]`) and vectors of numbers (two dimensions) in their own types,
    /// everything else as the objects found in rows. With a structured `dtype` it is one array
    /// of that type: fields take the columns of the same names, other columns are left out, and
    /// no Python objects are created.
    ///
    /// Two columns of one name raise `ValueError`. Nulls are masked; with `missing="raise"` arrays are plain, and a null raises
    /// `ValueError`.
    #[pyo3(signature = (dtype=None, *, missing=None))]
    fn to_numpy<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        missing: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _code = PythonCode::enter(py);
        let strict = missing.map(columns::missing).transpose()? == Some("raise");
        match dtype {
            Some(dtype) => to_structured(&self.came, dtype, strict),
            None => Ok(to_arrays(py, &self.came, strict)?.into_any()),
        }
    }

    /// The rows as a `pandas.DataFrame`: numbers and booleans as nullable arrays, text as
    /// `string`, timestamps in UTC, everything else as the objects found in rows.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let _code = PythonCode::enter(py);
        to_pandas(py, &self.came)
    }

    /// The rows as a `polars.DataFrame`.
    fn to_polars<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let _code = PythonCode::enter(py);
        to_polars(py, &self.came)
    }

    /// The names of the columns, in order; empty if the statement has no rows. If the schema was
    /// changed while the pages were fetched, these are the columns of the first page, and each
    /// row has those of its own.
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match &self.came.result.shape {
            Some(shape) => Ok(Names::of(py, shape)?.all.bind(py).clone()),
            None => Ok(PyTuple::empty(py)),
        }
    }

    /// The types of the columns as CQL spells them, in order.
    #[getter]
    fn types(&self) -> Vec<String> {
        let columns = self.came.result.shape.iter().flat_map(|shape| shape.columns.iter());
        columns.map(|column| column.ty.to_string()).collect()
    }

    /// The types of the columns as the server's class names, in order: they hold the keyspace and
    /// the fields of user-defined types.
    #[getter]
    fn class_names(&self) -> Vec<String> {
        let columns = self.came.result.shape.iter().flat_map(|shape| shape.columns.iter());
        columns.map(|column| column.ty.class_name()).collect()
    }

    /// Whether a conditional statement was applied; `None` if the statement has no condition.
    #[getter]
    fn applied(&self, py: Python<'_>) -> PyResult<Option<bool>> {
        let first = self.came.result.shape.as_ref().and_then(|shape| shape.columns.first());
        if self.count == 0 || first.is_none_or(|column| &*column.name != "[applied]") {
            return Ok(None);
        }
        self.row(py, 0)?.get_item(0)?.extract().map(Some)
    }

    /// The start of the next page, for `paging_state`; `None` on the last one. Opaque bytes;
    /// they contain keys, so do not trust them if they come from outside.
    #[getter]
    fn paging_state<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.came.result.paging_state.as_ref().map(|state| PyBytes::new(py, state))
    }

    /// The server's warnings.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.extras().map_or_else(Vec::new, |extras| extras.warnings.clone())
    }

    /// The ids of the traces kept by the server, one per page (`tracing=True`).
    #[getter]
    fn tracing_ids<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let decoder = ValueDecoder { py, classes: &self.came.classes };
        let ids = self.extras().into_iter().flat_map(|extras| &extras.tracing_ids);
        Ok(ids.map(|id| decoder.uuid_of(*id)).collect::<Result<_, _>>()?)
    }

    /// The custom payload of the answer.
    #[getter]
    fn payload<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let payload = PyDict::new(py);
        for (name, bytes) in self.extras().into_iter().flat_map(|extras| &extras.payload) {
            payload.set_item(name, bytes.as_ref().map(|bytes| PyBytes::new(py, bytes)))?;
        }
        Ok(payload)
    }

    /// The address of the node that answered.
    #[getter]
    fn node(&self) -> String {
        self.meta().node.as_ref().map_or_else(String::new, ToString::to_string)
    }

    /// The number of requests sent, including retries.
    #[getter]
    fn attempts(&self) -> u32 {
        self.meta().attempts
    }

    /// After a schema change, whether all nodes agreed on the schema.
    #[getter]
    fn schema_agreed(&self) -> bool {
        self.meta().schema_agreed
    }
}

/// Goes through the rows of a result.
#[pyclass(module = "spikewire._native")]
pub struct RowIterator {
    rows: Py<Rows>,
    names: Option<Arc<Names>>,
    /// Page, row within the page, offset.
    at: (usize, usize, usize),
    recent: RecentRows,
}

impl RowIterator {
    /// An iterator that begins at the first row.
    fn new(rows: Bound<'_, Rows>) -> PyResult<Self> {
        let py = rows.py();
        let shape = rows.get().came.result.shape.as_ref();
        let names = shape.map(|shape| Names::of(py, shape).cloned()).transpose()?;
        Ok(Self { rows: rows.unbind(), names, at: (0, 0, 0), recent: RecentRows::default() })
    }

    #[inline]
    fn next<'py>(&mut self, py: Python<'py>) -> Result<Option<Bound<'py, Row>>, BoxedPyErr> {
        let rows = self.rows.get();
        let (Some(shape), Some(names)) = (&rows.came.result.shape, &self.names) else {
            return Ok(None);
        };
        let (mut page, mut at, mut offset) = self.at;
        while rows.came.result.pages.get(page).is_some_and(|it| at >= it.count) {
            (page, at, offset) = (page + 1, 0, 0);
        }
        let Some(here) = rows.came.result.pages.get(page) else {
            self.recent.clear();
            return Ok(None);
        };
        let mut cells = here.cells.at(py, offset);
        let decoder = ValueDecoder { py, classes: &rows.came.classes };
        let row = match &here.other {
            None => self.recent.row(names, &shape.columns, &mut cells, decoder)?,
            Some(other) => {
                recent_rows::row(Names::of(py, other)?, &other.columns, &mut cells, decoder)?
            }
        };
        self.at = (page, at + 1, here.cells.len(py) - cells.0.rest().len());
        Ok(Some(row))
    }
}

#[pymethods]
impl RowIterator {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, Row>>> {
        let Ok(mut this) = slf.try_borrow_mut() else {
            return Err(PyValueError::new_err("this iterator is at work on its next row already"));
        };
        Ok(this.next(slf.py())?)
    }

    fn __length_hint__(&self, py: Python<'_>) -> usize {
        self.rows.bind(py).get().count
    }
}
