//! What the classes of all faces have in common: how a verb reaches its runner, and the methods
//! that clients and datasets have besides the verbs.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::Call;
use crate::client::Shared;
use crate::identity::Registry;
use crate::many::ManyCall;
use crate::query::QueryCall;
use crate::query::job::{self, JobCall};
use crate::space::{Address, Space};
use crate::verbs::Defaults;

/// Runs calls: on the calling thread, on an event loop, or on a thread of ours.
pub trait Runner {
    /// The client whose calls these are.
    fn shared(&self) -> &Shared;

    /// Runs a call; returns its result or its future.
    fn run<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>>;

    /// Runs a batch; returns its result or its future.
    fn run_many<'py>(&self, py: Python<'py>, call: ManyCall) -> PyResult<Bound<'py, PyAny>>;
}

/// A runner that clients can be made of, blocking or for asyncio.
pub trait Face: Runner + Sized + 'static {
    /// What it calls its queries.
    type Query;
    /// The function of `spikewire.jobs` that starts a background job.
    const START: &'static str;

    /// Every client of this face.
    fn known() -> &'static Registry<Self>;

    /// Refuses options that make no sense here.
    fn check(_options: &Bound<'_, PyDict>) -> PyResult<()> {
        Ok(())
    }

    /// A client that is not connected yet.
    fn of(shared: Shared) -> Self;

    /// A query that has not started yet.
    fn query(&self, py: Python<'_>, call: QueryCall) -> PyResult<Self::Query>;

    /// Ends every connection. Ending twice does nothing.
    fn end(&self, py: Python<'_>) -> PyResult<()>;
}

/// A class with verbs: a client, or a dataset.
pub trait Verbs {
    type Runner: Runner;

    fn runner(&self) -> &Self::Runner;

    /// A dataset's set, which its user keys belong to.
    fn home(&self) -> Option<&Arc<Space>>;

    fn address<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Address<'py>> {
        match self.home() {
            Some(space) => Address::within(space, key),
            None => Address::whole(key),
        }
    }

    fn defaults(&self) -> Defaults {
        self.runner().shared().defaults.clone()
    }

    fn run<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>> {
        self.runner().run(py, call)
    }

    fn run_many<'py>(&self, py: Python<'py>, call: ManyCall) -> PyResult<Bound<'py, PyAny>> {
        self.runner().run_many(py, call)
    }

    fn run_query(&self, py: Python<'_>, call: QueryCall) -> PyResult<<Self::Runner as Face>::Query>
    where
        Self::Runner: Face,
    {
        self.runner().query(py, call)
    }

    fn run_job<'py>(&self, py: Python<'py>, call: JobCall) -> PyResult<Bound<'py, PyAny>>
    where
        Self::Runner: Face,
    {
        job::run(py, self.runner().shared().core(py)?, call, Self::Runner::START)
    }
}

/// Ends the clients of a face that unpickled datasets brought along.
pub fn close_adopted<F: Face>(py: Python<'_>) -> PyResult<()> {
    F::known().release().iter().try_for_each(|face| face.end(py))
}

/// Writes the class of a client: methods of its own, those that clients of both faces have, and the
/// verbs. It has a field `face`, and its datasets have that and a `space`.
macro_rules! client {
    ($class:ident, $dataset:ident, $face:ty, $query:ty { $($own:tt)* }) => {
        impl $crate::face::classes::Verbs for $class {
            type Runner = $face;

            fn runner(&self) -> &$face {
                &self.face
            }

            fn home(&self) -> Option<&Arc<$crate::space::Space>> {
                None
            }
        }

        impl $class {
            fn space(
                &self,
                namespace: Bound<'_, PyAny>,
                set: Option<Bound<'_, PyAny>>,
            ) -> PyResult<Arc<$crate::space::Space>> {
                $crate::space::Space::named(&namespace, set.as_ref())
            }
        }

        $crate::verbs!($class, $query,
            (namespace: Bound<'py, PyAny>, set: Option<Bound<'py, PyAny>>) (namespace, set=None,) {
            $($own)*

            #[new]
            #[pyo3(signature = (seeds, **options))]
            fn new(
                seeds: &Bound<'_, PyAny>,
                options: Option<&Bound<'_, pyo3::types::PyDict>>,
            ) -> PyResult<Self> {
                options.map_or(Ok(()), <$face>::check)?;
                let face = Arc::new(<$face>::of($crate::client::Shared::new(seeds, options)?));
                <$face>::known().note(face.shared().token, &face);
                Ok(Self { face })
            }

            /// Finds the cluster; blocks. For asyncio, the Python half calls it off the loop.
            fn _open(&self, py: Python<'_>) -> PyResult<()> {
                self.face.shared().open(py)
            }

            /// Whether the client is connected and not closed.
            #[getter]
            fn is_connected(&self) -> bool {
                self.face.shared().is_open()
            }

            /// Whether this process, and not the parent of a fork, made the connections.
            #[getter]
            fn _holds_connections(&self) -> bool {
                self.face.shared().holds_connections()
            }

            fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
                slf.get().face.shared().shown(slf.as_any())
            }

            fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<()> {
                Err($crate::face::not_picklable(slf.as_any())?)
            }

            fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
                slf
            }

            fn __deepcopy__<'py>(
                slf: Bound<'py, Self>,
                _memo: &Bound<'py, PyAny>,
            ) -> Bound<'py, Self> {
                slf
            }

            fn _nodes(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
                Ok($crate::face::nodes(&*self.face.shared().core(py)?))
            }

            fn _info(
                &self,
                py: Python<'_>,
                command: &Bound<'_, PyAny>,
                node: Option<&Bound<'_, PyAny>>,
            ) -> PyResult<String> {
                $crate::face::info(py, &*self.face.shared().core(py)?, command, node)
            }

            /// Whether a dataset is one of this client.
            fn _owns(&self, dataset: &$dataset) -> bool {
                Arc::ptr_eq(&self.face, &dataset.face)
            }

            /// A namespace and a set of this client. Cheap to make and to keep.
            ///
            /// Raises `ValueError` for names that the server does not take. Whether the namespace exists
            /// shows on first use.
            #[pyo3(signature = (namespace, set=None))]
            fn dataset(
                &self,
                namespace: &Bound<'_, PyAny>,
                set: Option<&Bound<'_, PyAny>>,
            ) -> PyResult<$dataset> {
                let space = $crate::space::Space::named(namespace, set)?;
                Ok($dataset { face: self.face.clone(), space })
            }
        });
    };
}

/// Writes the class of a dataset: methods of its own, those that datasets of both faces have, and
/// the verbs. It has the fields `face` and `space`.
macro_rules! dataset {
    ($class:ident, $face:ty, $query:ty { $($own:tt)* }) => {
        impl $crate::face::classes::Verbs for $class {
            type Runner = $face;

            fn runner(&self) -> &$face {
                &self.face
            }

            fn home(&self) -> Option<&Arc<$crate::space::Space>> {
                Some(&self.space)
            }
        }

        impl $class {
            fn space(&self) -> PyResult<Arc<$crate::space::Space>> {
                Ok(self.space.clone())
            }
        }

        $crate::verbs!($class, $query, () () {
            $($own)*

            /// The namespace's name.
            #[getter]
            fn namespace(&self) -> &str {
                &self.space.namespace
            }

            /// The set's name; `None` for records without a set.
            #[getter]
            fn set(&self) -> Option<&str> {
                self.space.set_name()
            }

            fn __eq__(&self, other: &Self) -> bool {
                self.face.shared().token == other.face.shared().token
                    && self.space.same_as(&other.space)
            }

            fn __hash__(&self) -> u64 {
                $crate::face::hash(&self.space, &self.face.shared().token)
            }

            fn __reduce__<'py>(
                &self,
                py: Python<'py>,
            ) -> PyResult<(Bound<'py, PyAny>, $crate::client::Pickled<'py>)> {
                let rebuild = py.get_type::<Self>().getattr("_rebuild")?;
                Ok((rebuild, self.face.shared().pickled(py, &self.space)))
            }

            /// For unpickling: the client with this token, or one like it.
            #[staticmethod]
            fn _rebuild(
                token: $crate::identity::Token,
                seeds: &Bound<'_, PyAny>,
                options: &Bound<'_, pyo3::types::PyDict>,
                namespace: &str,
                set: Option<&str>,
            ) -> PyResult<Self> {
                let (known, fits) = (<$face>::known(), |face: &$face| !face.shared().is_closed());
                let face = match known.find(&token, fits) {
                    Some(face) => face,
                    None => {
                        let shared = $crate::client::Shared::adopted(token, seeds, options)?;
                        known.keep(token, Arc::new(<$face>::of(shared)), fits)
                    }
                };
                Ok(Self { face, space: $crate::space::Space::new(namespace, set)? })
            }

            fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
                slf
            }

            fn __deepcopy__<'py>(
                slf: Bound<'py, Self>,
                _memo: &Bound<'py, PyAny>,
            ) -> Bound<'py, Self> {
                slf
            }

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                $crate::face::shown(py, stringify!($class), &self.space)
            }
        });
    };
}

pub(super) use {client, dataset};
