//! The methods that the queries of both APIs have, each once.

/// The methods of a query: its own, and those that differ only in what they return. `suffix` is the
/// end of the names of the API's functions in `spikewire/aerospike/query.py`.
macro_rules! query_methods {
    ($class:ident, $suffix:literal { $($own:tt)* }) => {
        #[pymethods]
        impl $class {
            $($own)*

            /// `Query[User]` is one of records of that type, for annotations.
            #[classmethod]
            fn __class_getitem__<'py>(
                class: &Bound<'py, PyType>,
                item: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyAny>> {
                annotation(class, item)
            }

            /// The records as Arrow tables of up to `rows` records (from 1 to 10,000,000; default
            /// 65,536). A table ends at 4 MiB of records, so memory use stays small.
            ///
            /// `schema`, `key`, `generation` and `ttl` as for `Batch.to_arrow`. Without a schema each table
            /// has the columns and types of its own records.
            ///
            /// Raises the errors of `Batch.to_arrow`, with the row of the table, and the errors of
            /// iteration. The records of a table that could not be built are returned again: see
            /// `cursor`.
            #[pyo3(signature = (rows=None, *, schema=None, key=None, generation=None, ttl=None))]
            fn arrow_batches<'py>(
                &self,
                py: Python<'py>,
                rows: Option<&Bound<'py, PyAny>>,
                schema: Option<Bound<'py, PyAny>>,
                key: Option<&Bound<'py, PyAny>>,
                generation: Option<&Bound<'py, PyAny>>,
                ttl: Option<&Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                self.batches(py, |reading| {
                    Batches::arrow(reading, rows, schema, key, generation, ttl)
                })
            }

            /// The records as structured NumPy arrays of up to `rows` records (from 1 to 10,000,000;
            /// default 65,536). An array ends at 4 MiB of records.
            ///
            /// `dtype`, `key`, `generation`, `ttl` and `missing` as for `Batch.to_numpy`.
            ///
            /// Raises the errors of `Batch.to_numpy`, with the row of the array, and the errors of
            /// iteration. The records of an array that could not be built are returned again: see
            /// `cursor`.
            #[allow(clippy::too_many_arguments)] // a keyword is an argument
            #[pyo3(signature = (dtype, rows=None, *, key=None, generation=None, ttl=None, missing="mask"))]
            fn numpy_batches<'py>(
                &self,
                py: Python<'py>,
                dtype: &Bound<'py, PyAny>,
                rows: Option<&Bound<'py, PyAny>>,
                key: Option<&Bound<'py, PyAny>>,
                generation: Option<&Bound<'py, PyAny>>,
                ttl: Option<&Bound<'py, PyAny>>,
                #[pyo3(from_py_with = columns::missing)] missing: &'static str,
            ) -> PyResult<Bound<'py, PyAny>> {
                self.batches(py, |reading| {
                    Batches::numpy(reading, dtype, rows, key, generation, ttl, missing)
                })
            }

            /// The first record that arrives; ends the query. With `limit=1` the nodes send no further
            /// records.
            ///
            /// Raises `RecordNotFound` if there is none, and the errors of iteration.
            fn first<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                call(slf.py(), concat!("_first", $suffix), (slf,))
            }

            /// As `first`, but `None` if there is no record.
            fn first_or_none<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                call(slf.py(), concat!("_first_or_none", $suffix), (slf,))
            }

            /// The remaining records, in a list, in the order in which they arrive. Ends the query.
            ///
            /// Raises the errors of iteration.
            fn to_list<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                call(slf.py(), concat!("_to_list", $suffix), (slf,))
            }

            /// The number of remaining records. Ends the query. Unless it names bins or operations, the
            /// nodes send no bins.
            ///
            /// Raises the errors of iteration.
            fn count<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                slf.get().reading().skip_bins();
                call(slf.py(), concat!("_count", $suffix), (slf,))
            }

            /// The records in one structured NumPy array. Ends the query.
            ///
            /// `dtype`, `key`, `generation`, `ttl` and `missing` as for `Batch.to_numpy`.
            ///
            /// Raises the errors of `numpy_batches`.
            #[pyo3(signature = (dtype, *, key=None, generation=None, ttl=None, missing="mask"))]
            fn to_numpy<'py>(
                slf: &Bound<'py, Self>,
                dtype: &Bound<'py, PyAny>,
                key: Option<&Bound<'py, PyAny>>,
                generation: Option<&Bound<'py, PyAny>>,
                ttl: Option<&Bound<'py, PyAny>>,
                #[pyo3(from_py_with = columns::missing)] missing: &'static str,
            ) -> PyResult<Bound<'py, PyAny>> {
                let arguments = (slf, dtype, key, generation, ttl, missing);
                call(slf.py(), concat!("_to_numpy", $suffix), arguments)
            }

            /// The records in one `pyarrow.Table`; missing bins are null. Ends the query.
            ///
            /// `schema`, `key`, `generation` and `ttl` as for `Batch.to_arrow`.
            ///
            /// Raises the errors of `arrow_batches`, `TypeError` if a bin has values of different types
            /// and no schema gives its type, and `ImportError` without pyarrow.
            #[pyo3(signature = (schema=None, *, key=None, generation=None, ttl=None))]
            fn to_arrow<'py>(
                slf: &Bound<'py, Self>,
                schema: Option<&Bound<'py, PyAny>>,
                key: Option<&Bound<'py, PyAny>>,
                generation: Option<&Bound<'py, PyAny>>,
                ttl: Option<&Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                call(slf.py(), concat!("_to_arrow", $suffix), (slf, schema, key, generation, ttl))
            }

            /// The records in one `pandas.DataFrame`, with a column of a nullable pandas type for each
            /// bin. Ends the query.
            ///
            /// `key`, `generation`, `ttl`: names of columns for these values. Default: none.
            ///
            /// Raises the errors of `to_arrow`, and `ImportError` without pandas or pyarrow.
            #[pyo3(signature = (*, key=None, generation=None, ttl=None))]
            fn to_pandas<'py>(
                slf: &Bound<'py, Self>,
                key: Option<&Bound<'py, PyAny>>,
                generation: Option<&Bound<'py, PyAny>>,
                ttl: Option<&Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                call(slf.py(), concat!("_to_pandas", $suffix), (slf, key, generation, ttl))
            }

            /// The position of the caller, as bytes: `query(resume=cursor)` with the same arguments
            /// continues after the last record consumed, in this process or another one. Available even
            /// after an error or `close()`.
            #[getter]
            fn cursor<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
                self.reading().cursor(py)
            }

            fn __repr__(&self) -> String {
                self.reading().repr(stringify!($class))
            }
        }
    };
}
