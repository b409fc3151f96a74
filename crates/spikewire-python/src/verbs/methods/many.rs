//! The verbs on many records, as Python methods.

/// Adds them to what the class has, and writes the class.
#[macro_export]
macro_rules! verbs_on_many {
    ($class:ty { $($own:tt)* }) => {
        #[allow(clippy::too_many_arguments)] // a keyword is an argument
        #[pymethods]
        impl $class {
            $($own)*

            /// Reads many records in one call, in parallel over the nodes.
            ///
            /// `keys` is any iterable of keys, also of several sets on a client. `bins` and the
            /// keywords are those of `get`. Returns a `Batch` in input order: a `Record` per row, `None`
            /// where there is no such record or `where` is not true for it. A row that fails does
            /// not disturb the others. With `buffers`, a view keeps the replies to the whole call.
            #[pyo3(signature = (keys, bins=None, *, buffers=false, r#where=None, read_touch=None, read_mode=None, replica=None, timeout=None))]
            fn get_many<'py>(
                &self,
                py: Python<'py>,
                keys: &Bound<'py, PyAny>,
                bins: Option<Bound<'py, PyAny>>,
                buffers: bool,
                r#where: Option<Bound<'py, PyAny>>,
                read_touch: Option<Bound<'py, PyAny>>,
                read_mode: Option<Bound<'py, PyAny>>,
                replica: Option<Bound<'py, PyAny>>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let resolve = |key: &Bound<'_, PyAny>| $crate::many::whole(self.address(key));
                let rules = $crate::verbs::ReadRules { touch: read_touch, mode: read_mode };
                let filter = r#where;
                let options = $crate::verbs::ReadOptions { filter, rules, replica, timeout };
                let (defaults, bins) = (self.defaults(), bins.as_ref());
                let call = $crate::many::get(&defaults, &resolve, keys, bins, &options)?;
                self.run_many(py, call.with_buffers(buffers))
            }

            /// Reads many records straight into a structured NumPy array, one row per key.
            ///
            /// `keys` is any iterable of keys. `dtype`, `key`, `generation`, `ttl` and `errors` are
            /// those of `Batch.to_numpy`; the bins that are read are those that `dtype` has fields
            /// for. Returns a `numpy.ma.MaskedArray` that masks what is not there. It is filled
            /// while the replies arrive, and they are not kept: this takes less memory and time than
            /// `get_many(keys).to_numpy(dtype)`. The other keywords are those of `get`.
            #[allow(clippy::too_many_arguments)]
            #[pyo3(signature = (keys, dtype, *, key=None, generation=None, ttl=None, errors="raise", r#where=None, read_touch=None, read_mode=None, replica=None, timeout=None))]
            fn get_numpy<'py>(
                &self,
                py: Python<'py>,
                keys: &Bound<'py, PyAny>,
                dtype: &Bound<'py, PyAny>,
                key: Option<&Bound<'py, PyAny>>,
                generation: Option<&Bound<'py, PyAny>>,
                ttl: Option<&Bound<'py, PyAny>>,
                #[pyo3(from_py_with = $crate::columns::errors)] errors: &'static str,
                r#where: Option<Bound<'py, PyAny>>,
                read_touch: Option<Bound<'py, PyAny>>,
                read_mode: Option<Bound<'py, PyAny>>,
                replica: Option<Bound<'py, PyAny>>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let resolve = |key: &Bound<'_, PyAny>| $crate::many::whole(self.address(key));
                let rules = $crate::verbs::ReadRules { touch: read_touch, mode: read_mode };
                let filter = r#where;
                let options = $crate::verbs::ReadOptions { filter, rules, replica, timeout };
                let wanted = $crate::columns::Wanted {
                    extra: $crate::columns::Extra::new(key, generation, ttl)?,
                    strict: false,
                    lenient: errors == "mask",
                };
                let defaults = self.defaults();
                let call = $crate::columns::get_numpy(
                    &defaults, &resolve, keys, dtype, &wanted, &options,
                );
                self.run_many(py, call?)
            }

            /// Looks for many records without reading their bins.
            ///
            /// Returns a `Batch`: a `Record` without bins per row, `None` where there is no such
            /// record or `where` is not true for it. Keywords as in `get`.
            #[pyo3(signature = (keys, *, r#where=None, read_touch=None, read_mode=None, replica=None, timeout=None))]
            fn exists_many<'py>(
                &self,
                py: Python<'py>,
                keys: &Bound<'py, PyAny>,
                r#where: Option<Bound<'py, PyAny>>,
                read_touch: Option<Bound<'py, PyAny>>,
                read_mode: Option<Bound<'py, PyAny>>,
                replica: Option<Bound<'py, PyAny>>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let resolve = |key: &Bound<'_, PyAny>| $crate::many::whole(self.address(key));
                let rules = $crate::verbs::ReadRules { touch: read_touch, mode: read_mode };
                let filter = r#where;
                let options = $crate::verbs::ReadOptions { filter, rules, replica, timeout };
                self.run_many(py, $crate::many::exists(&self.defaults(), &resolve, keys, &options)?)
            }

            /// Writes many records in one call, in parallel over the nodes.
            ///
            /// `records` is a mapping of keys to bins, or an iterable of such pairs; for a dataset
            /// also a table: a structured NumPy array, plain or masked, a pandas or polars data
            /// frame, or whatever offers the Arrow PyCapsule interface, such as the tables and
            /// streams of pyarrow and duckdb. Rows of tables are encoded from their memory and sent
            /// in windows, so that a stream may be longer than memory; `timeout` holds for each
            /// window. Do not change an array while it is written.
            ///
            /// `key`: the column of the user keys, needed for tables: integers, text or bytes. A
            /// pandas frame may name a level of its index; left out, it is the index.
            /// `bins`: for tables, the columns to write, in a list or tuple, or a dict of columns
            /// to bin names. Default: all but the key's, under their own names.
            /// `nulls`: for tables, what nulls and masked values do: "skip" leaves their bins as
            /// they are, "remove" removes them. Default: "skip".
            ///
            /// The other keywords are those of `put` and hold for every row. Returns a `Batch`: a
            /// `Record` without bins per row that was written, `None` where `where` was not true;
            /// see `Batch.errors` and `Batch.raise_for_errors`.
            ///
            /// Raises `TypeError`, `ValueError` or `OverflowError`, naming row, column and type, for
            /// what cannot be written. Nothing is sent then; when the error is beyond the first
            /// window of a table it says how many rows were.
            #[pyo3(signature = (records, *, key=None, bins=None, nulls=None, ttl=None, generation=None, exists=None, durable=false, send_key=None, r#where=None, replica=None, timeout=None))]
            fn put_many<'py>(
                &self,
                py: Python<'py>,
                records: &Bound<'py, PyAny>,
                key: Option<Bound<'py, PyAny>>,
                bins: Option<Bound<'py, PyAny>>,
                nulls: Option<Bound<'py, PyAny>>,
                ttl: Option<Bound<'py, PyAny>>,
                generation: Option<Bound<'py, PyAny>>,
                exists: Option<Bound<'py, PyAny>>,
                durable: bool,
                send_key: Option<bool>,
                r#where: Option<Bound<'py, PyAny>>,
                replica: Option<Bound<'py, PyAny>>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let options = $crate::verbs::WriteOptions {
                    ttl, generation, exists, durable, send_key, filter: r#where, replica, timeout,
                };
                let resolve = |key: &Bound<'_, PyAny>| $crate::many::whole(self.address(key));
                let choice = $crate::columns::source::Choice { key, bins, nulls };
                let defaults = self.defaults();
                let call = $crate::many::put(&defaults, &resolve, records, &choice, &options);
                self.run_many(py, call?)
            }

            /// Deletes many records in one call.
            ///
            /// Returns a `Batch`: a `Record` without bins per row that was deleted, `None` where
            /// there was no such record or `where` was not true for it. Keywords as in `delete`.
            #[pyo3(signature = (keys, *, generation=None, durable=false, send_key=false, r#where=None, replica=None, timeout=None))]
            fn delete_many<'py>(
                &self,
                py: Python<'py>,
                keys: &Bound<'py, PyAny>,
                generation: Option<Bound<'py, PyAny>>,
                durable: bool,
                send_key: bool,
                r#where: Option<Bound<'py, PyAny>>,
                replica: Option<Bound<'py, PyAny>>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let options = $crate::verbs::WriteOptions {
                    ttl: None, generation, exists: None, durable, send_key: Some(send_key),
                    filter: r#where, replica, timeout,
                };
                let resolve = |key: &Bound<'_, PyAny>| $crate::many::whole(self.address(key));
                self.run_many(py, $crate::many::delete(&self.defaults(), &resolve, keys, &options)?)
            }

            /// Applies the same operations to many records in one call.
            ///
            /// Returns a `Batch` of `Record`s as `operate` gives them, `None` where there is no
            /// such record or `where` is not true for it. Keywords as in `operate`.
            #[pyo3(signature = (keys, operations, *, ttl=None, generation=None, exists=None, durable=false, send_key=None, r#where=None, read_touch=None, read_mode=None, replica=None, timeout=None))]
            fn operate_many<'py>(
                &self,
                py: Python<'py>,
                keys: &Bound<'py, PyAny>,
                operations: &Bound<'py, PyAny>,
                ttl: Option<Bound<'py, PyAny>>,
                generation: Option<Bound<'py, PyAny>>,
                exists: Option<Bound<'py, PyAny>>,
                durable: bool,
                send_key: Option<bool>,
                r#where: Option<Bound<'py, PyAny>>,
                read_touch: Option<Bound<'py, PyAny>>,
                read_mode: Option<Bound<'py, PyAny>>,
                replica: Option<Bound<'py, PyAny>>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let options = $crate::verbs::WriteOptions {
                    ttl, generation, exists, durable, send_key, filter: r#where, replica, timeout,
                };
                let resolve = |key: &Bound<'_, PyAny>| $crate::many::whole(self.address(key));
                let defaults = self.defaults();
                let rules = $crate::verbs::ReadRules { touch: read_touch, mode: read_mode };
                let call = $crate::many::operate(
                    &defaults, &resolve, keys, operations, &options, &rules,
                );
                self.run_many(py, call?)
            }

            /// Calls a function of a registered module on many records in one call, each where it is.
            ///
            /// Returns a `Batch` of `Record`s whose `results` hold what the function returned. A
            /// row whose function raised has `FunctionFailed` as its error. Arguments and keywords
            /// as in `apply`.
            #[pyo3(signature = (keys, module, function, arguments=None, *, ttl=None, durable=false, send_key=None, r#where=None, replica=None, timeout=None))]
            fn apply_many<'py>(
                &self,
                py: Python<'py>,
                keys: &Bound<'py, PyAny>,
                module: &Bound<'py, PyAny>,
                function: &Bound<'py, PyAny>,
                arguments: Option<&Bound<'py, PyAny>>,
                ttl: Option<Bound<'py, PyAny>>,
                durable: bool,
                send_key: Option<bool>,
                r#where: Option<Bound<'py, PyAny>>,
                replica: Option<Bound<'py, PyAny>>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let options = $crate::verbs::WriteOptions {
                    ttl, generation: None, exists: None, durable, send_key, filter: r#where, replica, timeout,
                };
                let function = $crate::verbs::Function::new(module, function, arguments)?;
                let resolve = |key: &Bound<'_, PyAny>| $crate::many::whole(self.address(key));
                let defaults = self.defaults();
                let call = $crate::many::apply(&defaults, &resolve, keys, &function, &options);
                self.run_many(py, call?)
            }

            /// Reads, writes and deletes in one call, each row on its own record.
            ///
            /// `rows` is an iterable of `Read`, `Write`, `Delete` and `Apply`, which have the rules of
            /// their row. Rows for one node travel in one request and are run in order; those for
            /// different nodes run side by side. Returns a `Batch` in input order: a `Record` per
            /// row (`results` where it is made of operations), `None` where there is no such record
            /// or the row's `where` is not true for it. A row that fails does not disturb the
            /// others.
            ///
            /// `replica`, `timeout`: as in `get`, for all rows.
            ///
            /// Raises `TypeError`, `ValueError` or `OverflowError` for a row that cannot be sent,
            /// with its number; nothing is sent then.
            #[pyo3(signature = (rows, *, replica=None, timeout=None))]
            fn batch<'py>(
                &self,
                py: Python<'py>,
                rows: &Bound<'py, PyAny>,
                replica: Option<Bound<'py, PyAny>>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let resolve = |key: &Bound<'_, PyAny>| $crate::many::whole(self.address(key));
                let (defaults, replica, timeout) =
                    (self.defaults(), replica.as_ref(), timeout.as_ref());
                let call =
                    $crate::many::mixed::batch(&defaults, &resolve, rows, replica, timeout);
                self.run_many(py, call?)
            }
        }
    };
}
