//! The verbs on one record, as Python methods.

/// Adds them to what the class has, and passes all of it on to the next part.
#[macro_export]
macro_rules! verbs_on_one {
    ($class:ty { $($own:tt)* }) => {
        $crate::verbs_on_many!($class {
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
        });
    };
}
