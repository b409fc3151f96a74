//! The verbs. Each turns checked arguments into a call; the faces run it.
//!
//! This is the one source that the blocking and the asyncio face share, on datasets and on
//! clients: [`verbs!`] writes the Python methods of a class from it.
//!
//! | module | what it holds |
//! |---|---|
//! | [`options`] | the keywords of a call, and what they make of its request |
//! | [`single`] | the verbs on one record |
//! | [`function`] | calls of functions that the cluster runs |
//! | [`steps`] | operations on their way into a request |
//!
//! The verbs on many records are in [`crate::many`].

pub mod function;
pub mod options;
pub mod single;
pub mod steps;

pub use function::{Function, apply};
pub use options::{Defaults, ReadOptions, ReadRules, WriteOptions};
pub use single::{delete, exists, get, operate, touch, write};
pub use steps::{Operations, Steps, write_bins};

/// Writes the verbs as Python methods of `$class`, which offers
/// `fn address(&self, key) -> PyResult<Address>`, `fn defaults(&self) -> Defaults` and
/// `fn run(&self, py, call)` and `fn run_many(&self, py, call)`, both `-> PyResult<Bound<PyAny>>`.
///
/// A class that has queries, too, says what they are: `$query`, which it makes in
/// `fn run_query(&self, py, call) -> PyResult<$query>`. Where the class itself does not know the
/// namespace and set of a query, they are parameters `$place`, with `$signature` for Python, and
/// `fn space(&self, $place...) -> PyResult<Arc<Space>>` makes of them what a request needs.
#[macro_export]
macro_rules! verbs {
    ($class:ty { $($own:tt)* }) => {
        #[allow(clippy::too_many_arguments)] // a keyword is an argument
        #[pymethods]
        impl $class {
            $($own)*

            /// Reads a record.
            ///
            /// `bins` names the bins to read, in a list or tuple: all of them when it is left out,
            /// and none (only generation and TTL) when it is empty. A bin that the record does not
            /// have is left out.
            ///
            /// `default`: returned when there is no such record, or when it does not pass `where`,
            /// instead of raising an error. Default: raise.
            /// `buffers`: True gives bytes in bins (not those inside lists and maps) as read-only
            /// memoryviews of the reply's own memory, without a copy of each. A view keeps the
            /// whole reply alive. Bins that the client's codec reads are read as ever. Default:
            /// False, `bytes`.
            /// `where`: a filter, computed by the server: an expression from `spikewire.exp`, a
            /// text such as `"$.age > 25"`, or a tuple of a text and its parameters. Only a record
            /// for which it is true is read. Default: any.
            /// `read_touch`: renews the record's time to live when no more than this percentage of
            /// it is left (1 to 100); 0: as the server is set up; -1: never. Default: 0.
            /// `read_mode`: how sure the answer is to be the latest. "one" takes what the node has;
            /// "all" compares the copies while they may differ. In strongly consistent namespaces
            /// "session" (never older than what this client has seen), "linearize" (nor than what
            /// any client has seen), "allow_replica" or "allow_unavailable". Default: the
            /// client's `read_mode`, "one" unless set, which there means "session".
            /// `replica`: where the call goes: "master", "sequence" (the master, then the other
            /// replicas on retries), "any" (spread over all replicas) or "prefer-rack". Default:
            /// the client's `replica`.
            /// `timeout`: total time of the call with all its retries, in seconds or as a
            /// timedelta; 0: no limit. Default: the client's `timeout`, 1 s unless set.
            ///
            /// Raises `RecordNotFound`, `FilteredOut`, or `Timeout`, `ConnectionFailed` and the other
            /// errors of `spikewire.errors`; `TypeError`, `ValueError` or `OverflowError` for
            /// arguments that cannot be sent.
            #[pyo3(signature = (key, bins=None, *, default=$crate::arguments::Given::No, buffers=false, r#where=None, read_touch=None, read_mode=None, replica=None, timeout=None))]
            fn get<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
                bins: Option<Bound<'py, PyAny>>,
                default: $crate::arguments::Given<'py>,
                buffers: bool,
                r#where: Option<Bound<'py, PyAny>>,
                read_touch: Option<Bound<'py, PyAny>>,
                read_mode: Option<Bound<'py, PyAny>>,
                replica: Option<Bound<'py, PyAny>>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let rules = $crate::verbs::ReadRules { touch: read_touch, mode: read_mode };
                let filter = r#where;
                let options = $crate::verbs::ReadOptions { filter, rules, replica, timeout };
                let address = self.address(key)?;
                let call = $crate::verbs::get(&self.defaults(), address, bins, default, &options);
                self.run(py, call?.with_buffers(buffers))
            }

            /// Whether there is such a record. Reads no bins.
            ///
            /// `where`: a filter as in `get`; a record that does not pass it counts as absent.
            /// Default: any.
            /// `read_touch`, `read_mode`, `replica`, `timeout`: as in `get`.
            #[pyo3(signature = (key, *, r#where=None, read_touch=None, read_mode=None, replica=None, timeout=None))]
            fn exists<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
                r#where: Option<Bound<'py, PyAny>>,
                read_touch: Option<Bound<'py, PyAny>>,
                read_mode: Option<Bound<'py, PyAny>>,
                replica: Option<Bound<'py, PyAny>>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let rules = $crate::verbs::ReadRules { touch: read_touch, mode: read_mode };
                let filter = r#where;
                let options = $crate::verbs::ReadOptions { filter, rules, replica, timeout };
                let address = self.address(key)?;
                self.run(py, $crate::verbs::exists(&self.defaults(), address, &options)?)
            }

            /// Writes bins, from a dict of names to values; a bin set to `None` is removed. Bins
            /// that are not named keep their values, unless `exists` says to replace the record.
            ///
            /// A value is int (64 bits signed), float, bool, str, bytes, GeoJSON, HyperLogLog, or a
            /// list, tuple or dict of these; map keys are int, str or bytes.
            ///
            /// `ttl`: seconds to live from now (int from 1 to 315,360,000, or a timedelta), the
            /// moment of expiry (a datetime with a time zone, in the future), "default" (the
            /// namespace's own), "never" or "unchanged". Default: "default".
            /// `generation`: the write is done only if the record has this generation (0 to 65535;
            /// 0: there is no record), or with `Newer(n)` only if n is greater than it, else
            /// `GenerationMismatch`. Default: any.
            /// `exists`: "merge" creates or updates, "create" raises `RecordExists` if there is a
            /// record, "update" raises `RecordNotFound` if there is none; "replace" drops the bins
            /// that are not named, "replace_only" does so and raises `RecordNotFound` if there is
            /// no record. Default: "merge".
            /// `durable`: leaves a tombstone if the write removes the last bin, so that the record
            /// cannot come back (Enterprise servers only). Default: False.
            /// `send_key`: stores the user key with the record. Default: the client's `send_key`.
            /// `where`: a filter as in `get`; if there is a record for which it is not true, nothing
            /// is written, and `FilteredOut` is raised. A record that is not there yet is created
            /// all the same, unless `exists` says otherwise. Default: any.
            /// `replica`: as in `get`; a write goes to the master first whatever it says, and
            /// retries move on. Default: the client's `replica`.
            /// `timeout`: total time of the call with all its retries, in seconds or as a
            /// timedelta; 0: no limit. Default: the client's `timeout`, 1 s unless set.
            ///
            /// Raises also `RecordTooBig`, `Timeout`, `ConnectionFailed` and the other errors of
            /// `spikewire.errors`; their `in_doubt` says whether the write may have been applied.
            /// Raises `TypeError`, `ValueError` or `OverflowError`, naming bin and type, for values
            /// that cannot be stored; nothing is sent then.
            #[pyo3(signature = (key, bins, *, ttl=None, generation=None, exists=None, durable=false, send_key=None, r#where=None, replica=None, timeout=None))]
            fn put<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
                bins: &Bound<'py, PyAny>,
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
                let code = spikewire_protocol::message::op::WRITE;
                let address = self.address(key)?;
                self.run(py, $crate::verbs::write(&self.defaults(), address, bins, &options, code)?)
            }

            /// Adds to numbers, from a dict of bin names to int or float. A missing bin, or a
            /// missing record, counts as 0. Integers wrap at 64 bits on the server. Keywords as in
            /// `put`.
            ///
            /// Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
            #[pyo3(signature = (key, bins, *, ttl=None, generation=None, exists=None, durable=false, send_key=None, r#where=None, replica=None, timeout=None))]
            fn add<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
                bins: &Bound<'py, PyAny>,
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
                let code = spikewire_protocol::message::op::ADD;
                let address = self.address(key)?;
                self.run(py, $crate::verbs::write(&self.defaults(), address, bins, &options, code)?)
            }

            /// Appends to text or bytes, from a dict of bin names to str or bytes. A missing bin,
            /// or a missing record, counts as empty. Keywords as in `put`.
            ///
            /// Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
            #[pyo3(signature = (key, bins, *, ttl=None, generation=None, exists=None, durable=false, send_key=None, r#where=None, replica=None, timeout=None))]
            fn append<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
                bins: &Bound<'py, PyAny>,
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
                let code = spikewire_protocol::message::op::APPEND;
                let address = self.address(key)?;
                self.run(py, $crate::verbs::write(&self.defaults(), address, bins, &options, code)?)
            }

            /// Puts text or bytes in front, from a dict of bin names to str or bytes. A missing
            /// bin, or a missing record, counts as empty. Keywords as in `put`.
            ///
            /// Raises `BinTypeError` if a bin holds something else, and the errors of `put`.
            #[pyo3(signature = (key, bins, *, ttl=None, generation=None, exists=None, durable=false, send_key=None, r#where=None, replica=None, timeout=None))]
            fn prepend<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
                bins: &Bound<'py, PyAny>,
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
                let code = spikewire_protocol::message::op::PREPEND;
                let address = self.address(key)?;
                self.run(py, $crate::verbs::write(&self.defaults(), address, bins, &options, code)?)
            }

            /// Deletes a record. Returns whether one was deleted.
            ///
            /// `generation`: as in `put`.
            /// `durable`: leaves a tombstone, so that the record cannot come back after a cold
            /// restart (Enterprise servers only). Default: False.
            /// `send_key`: has the server compare the user key with the one that is stored with
            /// the record, if one is. Default: False.
            /// `where`: a filter as in `get`; a record that does not pass it stays, and the answer
            /// is False. Default: any.
            /// `replica`, `timeout`: as in `put`.
            #[pyo3(signature = (key, *, generation=None, durable=false, send_key=false, r#where=None, replica=None, timeout=None))]
            fn delete<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
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
                let address = self.address(key)?;
                self.run(py, $crate::verbs::delete(&self.defaults(), address, &options)?)
            }

            /// Renews a record's time to live, without reading or writing bins. Counts as a write:
            /// the generation grows. Keywords as in `put`.
            ///
            /// Raises `RecordNotFound` if there is no such record, and the errors of `put`.
            #[pyo3(signature = (key, *, ttl=None, generation=None, send_key=None, r#where=None, replica=None, timeout=None))]
            fn touch<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
                ttl: Option<Bound<'py, PyAny>>,
                generation: Option<Bound<'py, PyAny>>,
                send_key: Option<bool>,
                r#where: Option<Bound<'py, PyAny>>,
                replica: Option<Bound<'py, PyAny>>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let options = $crate::verbs::WriteOptions {
                    ttl, generation, exists: None, durable: false, send_key, filter: r#where, replica, timeout,
                };
                let address = self.address(key)?;
                self.run(py, $crate::verbs::touch(&self.defaults(), address, &options)?)
            }

            /// Calls a function of a registered module on one record, where the record is, and
            /// returns what it returns. See `client.modules` for how modules get there.
            ///
            /// `module`: the module's name without its ending. `function`: the function's name; it
            /// gets the record and then the `arguments`, a list or tuple of values as in `put`
            /// (default: none). It runs also when there is no such record, and may create it.
            ///
            /// `ttl`: seconds to live as in `put`, if the function stores the record and does not
            /// say so itself. `durable`, `send_key`, `where`, `replica` and `timeout`: as in `put`.
            ///
            /// Raises `FunctionFailed` with what the function raised, file and line included, or
            /// when there is no such module or function, and the errors of `put`.
            #[pyo3(signature = (key, module, function, arguments=None, *, ttl=None, durable=false, send_key=None, r#where=None, replica=None, timeout=None))]
            fn apply<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
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
                let address = self.address(key)?;
                let function = $crate::verbs::Function::new(module, function, arguments)?;
                self.run(py, $crate::verbs::apply(&self.defaults(), address, &function, &options)?)
            }

            /// Runs operations from `spikewire.op`, in a list or tuple, on one record: in order,
            /// and all or nothing. Returns a record with the bins that were read; its `results` has
            /// one item per operation, `None` where an operation gives nothing.
            ///
            /// Keywords as in `put` and `get`; `ttl`, `generation`, `exists`, `durable` and `send_key`
            /// need an operation that writes, `read_touch` and `read_mode` need operations that
            /// only read, else `ValueError`.
            ///
            /// Raises `RecordNotFound` if the operations only read and there is no such record,
            /// `FilteredOut` if there is one that does not pass `where`, `BinTypeError` if an
            /// operation does not fit its bin, and the errors of `put`.
            #[pyo3(signature = (key, operations, *, ttl=None, generation=None, exists=None, durable=false, send_key=None, r#where=None, read_touch=None, read_mode=None, replica=None, timeout=None))]
            fn operate<'py>(
                &self,
                py: Python<'py>,
                key: &Bound<'py, PyAny>,
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
                let address = self.address(key)?;
                let rules = $crate::verbs::ReadRules { touch: read_touch, mode: read_mode };
                let defaults = self.defaults();
                let call = $crate::verbs::operate(&defaults, address, operations, &options, &rules);
                self.run(py, call?)
            }

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
    (
        $class:ty,
        $query:ty,
        ($($place:ident: $of:ty),*) ($($signature:tt)*) { $($own:tt)* }
    ) => {
        $crate::verbs!($class {
            $($own)*

            /// A scan of the set, or an index query: an object to iterate over, with `for` or
            /// `async for`. Nothing is sent until the first record is asked for; then the nodes are
            /// read in parallel, at the pace of whoever takes the records. A node that fails is
            /// replaced by the others: no record comes twice, none is left out.
            ///
            /// `where`: a filter as in `get`. Default: every record.
            /// `bins` names the bins to read, in a list or tuple; records that have none of them
            /// are left out. Default: all bins. An empty list is `include_values=False`.
            /// `index`: which records, by a secondary index: `spikewire.between`, `equal`,
            /// `contains`, `within` or `around`. Default: all of them.
            /// `operations`: operations from `spikewire.op` that read, in a list or tuple; each
            /// record has their `results`. Needs server 8.1.2 or later.
            /// `include_values`: False leaves out the bins: keys, digests, generations and times to
            /// live only.
            /// `limit`: most records, from 1 to 4,294,967,295. Default: no limit.
            /// `partitions`: the number of a partition (0 to 4095), or a range of them. Default:
            /// all.
            /// `after`: a key; what follows it in its partition, in the order of digests.
            /// `page_size`: how many records `page()` gives, from 1 to 1,000,000.
            /// `resume`: the cursor of a page, or of a query, with the same arguments.
            /// `records_per_second`: how fast each node sends, from 1. Default: no limit.
            /// `concurrent_nodes`: how many nodes are read at the same time. Default: all.
            /// `replica`: as in `get`.
            /// `socket_timeout`: how long a node may be silent before its part is read from another
            /// one, and how long it waits for a reader that takes nothing, which then gets
            /// `QueryPaused`; in seconds or as a timedelta; 0: no limit. Default: the client's
            /// `socket_timeout`, 30 s where it has none.
            /// `timeout`: total time of the query, in seconds or as a timedelta; 0: no limit.
            /// Default: no limit, whatever the client's `timeout` is.
            ///
            /// Raises `TypeError` or `ValueError` for arguments that cannot be, and, while it is
            /// iterated over, `IndexNotFound` if no index fits, `Timeout`,
            /// `ConnectionFailed`, `NodeUnavailable`, `QueryPaused` and the other errors of
            /// `spikewire.errors`. The query's `cursor` tells then where to go on.
            #[pyo3(signature = ($($signature)* *, r#where=None, bins=None, index=None, operations=None, include_values=true, limit=None, partitions=None, after=None, page_size=None, resume=None, records_per_second=None, concurrent_nodes=None, replica=None, socket_timeout=None, timeout=None))]
            fn query<'py>(
                &self,
                py: Python<'py>,
                $($place: $of,)*
                r#where: Option<Bound<'py, PyAny>>,
                bins: Option<Bound<'py, PyAny>>,
                index: Option<Bound<'py, PyAny>>,
                operations: Option<Bound<'py, PyAny>>,
                include_values: bool,
                limit: Option<Bound<'py, PyAny>>,
                partitions: Option<Bound<'py, PyAny>>,
                after: Option<Bound<'py, PyAny>>,
                page_size: Option<Bound<'py, PyAny>>,
                resume: Option<Bound<'py, PyAny>>,
                records_per_second: Option<Bound<'py, PyAny>>,
                concurrent_nodes: Option<Bound<'py, PyAny>>,
                replica: Option<Bound<'py, PyAny>>,
                socket_timeout: Option<Bound<'py, PyAny>>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<$query> {
                let options = $crate::query::QueryOptions {
                    filter: r#where, bins, index, operations, include_values, limit, partitions,
                    after, page_size, resume, records_per_second, concurrent_nodes, replica,
                    socket_timeout, timeout,
                };
                let space = self.space($($place),*)?;
                let call = $crate::query::QueryCall::compose(&self.defaults(), space, &options)?;
                self.run_query(py, call)
            }

            /// Applies operations from `spikewire.op` that write, in a list or tuple, to every
            /// record of the set in the background: the nodes do it by themselves. Returns a `Job`
            /// as soon as it runs on every node; see there for its progress and end. A record that
            /// vanishes or fails meanwhile is counted and left out.
            ///
            /// `where` and `index`: which records, as in `query`. Default: all.
            /// `ttl`: as in `put`. `durable`: leaves tombstones of records that are deleted
            /// (Enterprise servers only). Default: False.
            /// `records_per_second`: how fast each node goes. Default: as the nodes are set up.
            /// `timeout`: total time for starting it, in seconds or as a timedelta; 0: no limit.
            /// Default: the client's `timeout`.
            ///
            /// Raises `ServerError` when a node refuses it, such as with code 201 when there is no
            /// such index, `ConnectionFailed`, `Timeout`; if it runs on some nodes and not on
            /// others, the error is `in_doubt`.
            #[pyo3(signature = ($($place,)* operations, *, r#where=None, index=None, ttl=None, durable=false, records_per_second=None, timeout=None))]
            fn operate_all<'py>(
                &self,
                py: Python<'py>,
                $($place: $of,)*
                operations: &Bound<'py, PyAny>,
                r#where: Option<Bound<'py, PyAny>>,
                index: Option<Bound<'py, PyAny>>,
                ttl: Option<&Bound<'py, PyAny>>,
                durable: bool,
                records_per_second: Option<Bound<'py, PyAny>>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let options = $crate::query::job::JobOptions {
                    filter: r#where, index, records_per_second, timeout,
                };
                let (space, defaults) = (self.space($($place),*)?, self.defaults());
                let call = $crate::query::job::JobCall::operate(
                    &defaults, &space, operations, durable, ttl, &options,
                );
                self.run_job(py, call?)
            }

            /// Calls a function of a registered module on every record of the set in the
            /// background: the nodes do it by themselves. Returns a `Job` as soon as it runs on
            /// every node. `module`, `function` and `arguments` as in `apply`; what the function
            /// returns is lost, and a record that it fails on is counted.
            ///
            /// Keywords and errors as in `operate_all`.
            #[pyo3(signature = ($($place,)* module, function, arguments=None, *, r#where=None, index=None, records_per_second=None, timeout=None))]
            fn apply_all<'py>(
                &self,
                py: Python<'py>,
                $($place: $of,)*
                module: &Bound<'py, PyAny>,
                function: &Bound<'py, PyAny>,
                arguments: Option<&Bound<'py, PyAny>>,
                r#where: Option<Bound<'py, PyAny>>,
                index: Option<Bound<'py, PyAny>>,
                records_per_second: Option<Bound<'py, PyAny>>,
                timeout: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let options = $crate::query::job::JobOptions {
                    filter: r#where, index, records_per_second, timeout,
                };
                let function = $crate::verbs::Function::new(module, function, arguments)?;
                let (space, defaults) = (self.space($($place),*)?, self.defaults());
                let call = $crate::query::job::JobCall::apply(&defaults, &space, function, &options);
                self.run_job(py, call?)
            }
        });
    };
}
