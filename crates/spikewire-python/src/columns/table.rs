//! The object that `Batch.to_arrow` returns.

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::ArrowError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::value_error;

/// Columns in Arrow memory, from `Batch.to_arrow`.
///
/// Everything that knows the Arrow PyCapsule interface takes it without a copy: `polars.DataFrame`,
/// `pyarrow.table`, `duckdb`, `pandas.DataFrame.from_arrow`, and `schema` of another `to_arrow`.
/// It can be taken any number of times.
#[pyclass(frozen, module = "spikewire")]
pub struct ArrowTable {
    batch: RecordBatch,
}

impl ArrowTable {
    pub fn new(batch: RecordBatch) -> Self {
        Self { batch }
    }
}

/// The exception for an error of the Arrow library.
pub fn arrow_error(error: ArrowError) -> PyErr {
    value_error(error.to_string())
}

#[pymethods]
impl ArrowTable {
    /// The names of the columns, in order.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.batch.schema_ref().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __repr__(&self) -> String {
        let columns: Vec<String> = self
            .batch
            .schema_ref()
            .fields()
            .iter()
            .map(|field| format!("{}: {}", field.name(), field.data_type()))
            .collect();
        format!("ArrowTable({} rows, {})", self.batch.num_rows(), columns.join(", "))
    }

    /// For the Arrow PyCapsule interface: the schema, as a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema =
            FFI_ArrowSchema::try_from(self.batch.schema_ref().as_ref()).map_err(arrow_error)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// For the Arrow PyCapsule interface: the columns, as a capsule. They have the types they
    /// have: a consumer that asks for others casts them.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface leaves it to the producer whether to cast.
        let _ = requested_schema;
        let batches = [Ok(self.batch.clone())];
        let reader = RecordBatchIterator::new(batches, self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
