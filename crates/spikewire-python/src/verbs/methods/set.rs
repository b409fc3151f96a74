//! The verbs on a whole set, as Python methods: queries, and jobs in the background.

/// Adds them to what the class has, and passes all of it on to the next part. `$query` is what the
/// class calls its queries, which it makes in `fn run_query(&self, py, call) -> PyResult<$query>`;
/// it starts jobs in `fn run_job(&self, py, call) -> PyResult<Bound<PyAny>>`.
///
/// Where the class itself does not know the namespace and set, they are parameters `$place`, with
/// `$signature` for Python, and `fn space(&self, $place...) -> PyResult<Arc<Space>>` makes of them
/// what a request needs.
#[macro_export]
macro_rules! verbs_on_a_set {
    (
        $class:ty,
        $query:ty,
        ($($place:ident: $of:ty),*) ($($signature:tt)*) { $($own:tt)* }
    ) => {
        $crate::verbs_on_one!($class {
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
