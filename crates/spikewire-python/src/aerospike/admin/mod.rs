//! Administrative commands of both clients: converts arguments, runs the engine's procedure and
//! converts its result.
//!
//! | module | contents |
//! |---|---|
//! | here | info, indexes and modules: the methods of clients |
//! | [`accounts`] | users and roles |

pub mod accounts;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyString};

use spikewire_aerospike::admin::index::{
    CreateIndex, IndexSpec, IndexType, drop_index, list_indexes, wait_for_index,
};
use spikewire_aerospike::admin::module::{
    RegisterModule, list_modules, module_source, remove_module,
};
use spikewire_aerospike::admin::{Ask, InfoCommand, Recipients};

use crate::aerospike::api::asynchronous::AsyncClient;
use crate::aerospike::api::blocking::Client;
use crate::aerospike::query::index;
use crate::aerospike::task::{AdminTask, Origin, limit};
use crate::aerospike::value::GeoJSON;
use crate::arguments::text;
use crate::errors::{to_python, type_error};

/// The origin on which the administrative commands of a client run.
pub fn origin(client: &Bound<'_, PyAny>) -> PyResult<Origin> {
    match client.cast::<Client>() {
        Ok(client) => Ok(client.get().admin_origin()),
        Err(_) => Ok(client.cast::<AsyncClient>()?.get().admin_origin()),
    }
}

/// The administrative commands of a client, for `spikewire.indexes` and `spikewire.modules`.
#[pyclass(frozen, module = "spikewire._native")]
pub struct Admin {
    origin: Origin,
    /// Keeps the client alive, and so prevents its warning that it was not closed.
    _client: Py<PyAny>,
}

#[pymethods]
impl Admin {
    #[new]
    fn new(client: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self { origin: origin(client)?, _client: client.clone().unbind() })
    }

    /// A node's answer to an info command; without a node's name, that of any node.
    #[pyo3(signature = (command, node=None))]
    fn info(
        &self,
        py: Python<'_>,
        command: &Bound<'_, PyAny>,
        node: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<AdminTask> {
        let command = InfoCommand::new(text("command", command)?);
        let command = command.map_err(|error| to_python(py, &error, None))?;
        let name = node.map(|node| text("node", node).map(str::to_owned)).transpose()?;
        Ok(AdminTask::new(self.origin.clone(), move |cluster| {
            let nodes = match name {
                Some(name) => Recipients::These(vec![cluster.member(&name)?]),
                None => Recipients::Any,
            };
            Ok(Ask::info(nodes, command))
        }))
    }

    /// Creates an index; its name. A timeout of `None`: does not wait for it; 0: no limit.
    #[allow(clippy::too_many_arguments)] // a keyword is an argument
    fn create_index(
        &self,
        py: Python<'_>,
        namespace: &Bound<'_, PyAny>,
        set: Option<&Bound<'_, PyAny>>,
        bin: &Bound<'_, PyAny>,
        kind: &Bound<'_, PyAny>,
        of: Option<&Bound<'_, PyAny>>,
        name: Option<&Bound<'_, PyAny>>,
        ctx: Option<&Bound<'_, PyAny>>,
        timeout: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<AdminTask> {
        let kind = index_type(kind)?;
        let (subject, context) = index::subject_of_new(bin, ctx)?;
        let spec = IndexSpec {
            namespace: text("namespace", namespace)?,
            set: set.map(|set| text("set", set)).transpose()?,
            subject,
            context,
            collection: index::collection(of)?,
            kind,
            name: name.map(|name| text("name", name)).transpose()?,
        };
        let wait = timeout.map(limit).transpose()?;
        AdminTask::of(py, &self.origin, CreateIndex::new(&spec, wait))
    }

    /// Creates an index of all records of a set; its name. The timeout as in `create_index`.
    fn create_index_on_set(
        &self,
        py: Python<'_>,
        namespace: &Bound<'_, PyAny>,
        set: &Bound<'_, PyAny>,
        name: Option<&Bound<'_, PyAny>>,
        timeout: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<AdminTask> {
        let (namespace, set) = (text("namespace", namespace)?, text("set", set)?);
        let name = name.map(|name| text("name", name)).transpose()?;
        let wait = timeout.map(limit).transpose()?;
        AdminTask::of(py, &self.origin, CreateIndex::on_set(namespace, set, name, wait))
    }

    /// Waits until every node has built an index; a timeout of 0 is no limit.
    fn wait_for_index(
        &self,
        py: Python<'_>,
        namespace: &Bound<'_, PyAny>,
        name: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
    ) -> PyResult<AdminTask> {
        let (namespace, name) = (text("namespace", namespace)?, text("name", name)?);
        let wait = wait_for_index(namespace, name, limit(timeout)?);
        AdminTask::of(py, &self.origin, wait)
    }

    /// The indexes of a namespace, sorted by name.
    fn list_indexes(&self, py: Python<'_>, namespace: &Bound<'_, PyAny>) -> PyResult<AdminTask> {
        let list = list_indexes(text("namespace", namespace)?);
        AdminTask::of(py, &self.origin, list)
    }

    /// Drops an index.
    fn drop_index(
        &self,
        py: Python<'_>,
        namespace: &Bound<'_, PyAny>,
        set: Option<&Bound<'_, PyAny>>,
        name: &Bound<'_, PyAny>,
    ) -> PyResult<AdminTask> {
        let set = set.map(|set| text("set", set)).transpose()?;
        let drop = drop_index(text("namespace", namespace)?, set, text("name", name)?);
        AdminTask::of(py, &self.origin, drop)
    }

    /// Registers a module and waits until every node has it; a timeout of 0 is no limit.
    fn register_module(
        &self,
        py: Python<'_>,
        name: &Bound<'_, PyAny>,
        source: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
    ) -> PyResult<AdminTask> {
        let (name, source) = (text("the name of a module", name)?, text("source", source)?);
        let register = RegisterModule::new(name, source, limit(timeout)?);
        AdminTask::of(py, &self.origin, register)
    }

    /// The registered modules, sorted by name.
    fn list_modules(&self, py: Python<'_>) -> PyResult<AdminTask> {
        AdminTask::of(py, &self.origin, Ok(list_modules()))
    }

    /// The source of a module.
    fn module_source(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<AdminTask> {
        let source = module_source(text("the name of a module", name)?);
        AdminTask::of(py, &self.origin, source)
    }

    /// Removes a module.
    fn remove_module(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<AdminTask> {
        let remove = remove_module(text("the name of a module", name)?);
        AdminTask::of(py, &self.origin, remove)
    }
}

fn index_type(kind: &Bound<'_, PyAny>) -> PyResult<IndexType> {
    let py = kind.py();
    let all = [
        (py.get_type::<PyInt>(), IndexType::Numeric),
        (py.get_type::<PyString>(), IndexType::Text),
        (py.get_type::<PyBytes>(), IndexType::Blob),
        (py.get_type::<GeoJSON>(), IndexType::Geo),
    ];
    let known_kind = all.into_iter().find(|(of, _)| kind.is(of)).map(|(_, kind)| kind);
    known_kind.ok_or_else(|| match kind.repr() {
        Ok(repr) => {
            type_error(format!("kind must be int, str, bytes or spikewire.GeoJSON, not {repr}"))
        }
        Err(error) => error,
    })
}
