//! The embedded cluster, for `spikewire.testing` and `spikewire serve`.

use std::path::PathBuf;
use std::time::Duration;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use spikewire_sync::RwLock;

use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_server::{
    Certificates, Cluster, Drip, Faults, NamespaceOptions, Options, Refuse, TlsOptions, UserOptions,
};

use crate::aerospike::arguments::{count, seconds};
use crate::arguments::text;
use crate::bridge::forks::forks;
use crate::errors::{type_error, type_name, value_error};

/// A running embedded cluster; `spikewire.testing.Cluster` is built on it.
#[pyclass(frozen, subclass, module = "spikewire._native")]
pub struct ClusterCore {
    cluster: RwLock<Option<Cluster>>,
    addresses: Vec<String>,
    /// Paths of the authority, the client's certificate and its key, if there is TLS.
    certificates: Option<(PathBuf, PathBuf, PathBuf)>,
    fork_generation: u32,
}

impl ClusterCore {
    fn is_stopped(&self) -> bool {
        self.fork_generation == forks() && self.cluster.read().is_none()
    }

    /// Stops the cluster. In a forked child its threads do not exist, so there is nothing to stop,
    /// and a thread of the parent may hold the lock.
    fn end(&self) {
        if self.fork_generation == forks() {
            let cluster = self.cluster.write().take();
            drop(cluster);
        }
    }
}

impl Drop for ClusterCore {
    fn drop(&mut self) {
        let cluster = self.cluster.get_mut().take();
        if self.fork_generation != forks() {
            std::mem::forget(cluster);
        }
    }
}

impl ClusterCore {
    /// Runs detached from the interpreter, because migrations and joins take time.
    fn with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Cluster) -> std::io::Result<R> + Send,
    ) -> PyResult<R> {
        // Its threads do not exist in a forked child, and one of them may hold the lock there.
        if self.fork_generation != forks() {
            return Err(PyOSError::new_err(
                "the embedded cluster belongs to the process that started it: in the child of a \
                 fork, clients can connect to it, but only the parent can change it or look into it",
            ));
        }
        py.detach(|| match &*self.cluster.read() {
            Some(cluster) => work(cluster).map_err(|error| match error.kind() {
                std::io::ErrorKind::InvalidInput => value_error(error.to_string()),
                _ => PyOSError::new_err(error.to_string()),
            }),
            None => Err(stopped()),
        })
    }
}

fn stopped() -> PyErr {
    PyOSError::new_err("the embedded cluster was stopped")
}

#[pymethods]
impl ClusterCore {
    #[new]
    #[pyo3(signature = (**options))]
    fn new(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let options = parse(options)?;
        let cluster =
            py.detach(|| Cluster::start(options)).map_err(|error| match error.kind() {
                std::io::ErrorKind::InvalidInput => value_error(error.to_string()),
                _ => PyOSError::new_err(format!("could not start the embedded cluster: {error}")),
            })?;
        let addresses = cluster.seeds().iter().map(ToString::to_string).collect();
        let paths =
            |files: &Certificates| (files.ca.clone(), files.certificate.clone(), files.key.clone());
        let certificates = cluster.certificates().map(paths);
        let cluster = RwLock::new(Some(cluster));
        Ok(Self { cluster, addresses, certificates, fork_generation: forks() })
    }

    /// Whether it was stopped, by this process.
    fn _is_stopped(&self) -> bool {
        self.is_stopped()
    }

    /// Host and port of every node, dead ones included. A forked child can read them, too.
    fn _addresses(&self) -> PyResult<Vec<String>> {
        if self.is_stopped() { Err(stopped()) } else { Ok(self.addresses.clone()) }
    }

    /// Paths of the authority, the client's certificate and its key, if there is TLS.
    fn _certificates(&self) -> PyResult<Option<(PathBuf, PathBuf, PathBuf)>> {
        if self.is_stopped() { Err(stopped()) } else { Ok(self.certificates.clone()) }
    }

    fn _kill(&self, py: Python<'_>, node: usize) -> PyResult<()> {
        self.with(py, |cluster| cluster.kill(node))
    }

    fn _restart(&self, py: Python<'_>, node: usize) -> PyResult<()> {
        self.with(py, |cluster| cluster.restart(node))
    }

    fn _is_alive(&self, py: Python<'_>, node: usize) -> PyResult<bool> {
        self.with(py, |cluster| cluster.is_alive(node))
    }

    fn _node_name(&self, py: Python<'_>, node: usize) -> PyResult<String> {
        self.with(py, |cluster| cluster.node_name(node))
    }

    fn _truncate(&self, py: Python<'_>, namespace: &str, set: Option<&str>) -> PyResult<()> {
        self.with(py, |cluster| cluster.truncate(namespace, set))
    }

    /// Whether every partition has its owners within `limit` seconds.
    fn _wait_settled(&self, py: Python<'_>, limit: &Bound<'_, PyAny>) -> PyResult<bool> {
        let limit = seconds("timeout", limit)?;
        self.with(py, |cluster| Ok(cluster.wait_settled(limit)))
    }

    #[pyo3(signature = (node, **faults))]
    fn _inject(
        &self,
        py: Python<'_>,
        node: usize,
        faults: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let mut parsed = Faults::default();
        for (name, value) in faults.into_iter().flatten() {
            fault(&mut parsed, text("fault", &name)?, &value)?;
        }
        self.with(py, |cluster| cluster.inject(node, parsed))
    }

    fn _clear_faults(&self, py: Python<'_>, node: usize) -> PyResult<()> {
        self.with(py, |cluster| cluster.clear_faults(node))
    }

    /// Counters and sizes of a node.
    fn _stats<'py>(&self, py: Python<'py>, node: usize) -> PyResult<Bound<'py, PyDict>> {
        let stats = self.with(py, |cluster| cluster.stats(node))?;
        let dict = PyDict::new(py);
        dict.set_item("alive", stats.alive)?;
        dict.set_item("connections", stats.connections)?;
        dict.set_item("connections_opened", stats.connections_opened)?;
        dict.set_item("objects", stats.objects)?;
        dict.set_item("master_objects", stats.master_objects)?;
        dict.set_item("bytes", stats.bytes)?;
        dict.set_item("master_partitions", stats.master_partitions)?;
        dict.set_item("replica_partitions", stats.replica_partitions)?;
        Ok(dict)
    }

    /// Stops every node.
    fn _stop(&self, py: Python<'_>) {
        py.detach(|| self.end());
    }
}

fn parse(keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Options> {
    let mut options = Options::default();
    let mut namespaces = vec!["test".to_owned()];
    let mut each = NamespaceOptions::default();
    for (name, value) in keywords.into_iter().flatten() {
        let name = text("option", &name)?;
        let number = |min, max| count(name, &value, min, max);
        match name {
            "nodes" => options.nodes = number(1, 128)? as usize,
            "port" => options.port = number(0, 65_535)? as u16,
            "threads" => options.threads = number(1, 64)? as usize,
            "replication_factor" => each.replication_factor = number(1, 128)? as usize,
            "default_ttl" => each.default_ttl = number(0, u64::from(u32::MAX))? as u32,
            "nsup_period" => each.nsup_period = number(0, u64::from(u32::MAX))? as u32,
            "max_record_size" => each.max_record_size = number(256, 128 << 20)? as usize,
            "cluster_name" => text(name, &value)?.clone_into(&mut options.cluster_name),
            "build" => text(name, &value)?.clone_into(&mut options.build),
            "bind" => {
                options.bind = text(name, &value)?
                    .parse()
                    .map_err(|_| value_error(format!("bind must be an IP address, got {value}")))?;
            }
            "namespaces" => {
                namespaces = value.extract().map_err(|_| {
                    type_error(format!(
                        "namespaces must be a list of str, not {}",
                        type_name(&value)
                    ))
                })?;
            }
            "indexed_sets" => {
                each.indexed_sets = value.extract().map_err(|_| {
                    type_error(format!(
                        "indexed_sets must be a list of str, not {}",
                        type_name(&value)
                    ))
                })?;
            }
            "racks" => {
                options.racks = value
                    .extract()
                    .map_err(|_| type_error("racks must be a list of int, one per node"))?;
            }
            "udf_time" => options.udf_time = seconds(name, &value)?,
            "migration_pause" => options.migration_pause = seconds(name, &value)?,
            "tls" => options.tls = tls(&value)?,
            "users" => options.users = users(&value)?,
            "quotas" => {
                options.quotas =
                    value.extract().map_err(|_| type_error("quotas must be a bool"))?;
            }
            "session_ttl" => options.session_ttl = seconds(name, &value)?,
            _ => {
                return Err(type_error(format!("unknown option {name:?} of the embedded cluster")));
            }
        }
    }
    options.namespaces =
        namespaces.into_iter().map(|name| NamespaceOptions { name, ..each.clone() }).collect();
    Ok(options)
}

/// Whether connections are encrypted, or a dict of options.
fn tls(argument: &Bound<'_, PyAny>) -> PyResult<Option<TlsOptions>> {
    if let Ok(switch) = argument.cast::<PyBool>() {
        return Ok(switch.is_true().then(TlsOptions::default));
    }
    let Ok(entries) = argument.cast::<PyDict>() else {
        return Err(type_error(format!(
            "tls must be a bool or a dict, not {}",
            type_name(argument)
        )));
    };
    let mut tls = TlsOptions::default();
    for (name, value) in entries {
        match text("entry of tls", &name)? {
            "name" => text("name of tls", &value)?.clone_into(&mut tls.name),
            "client_certificates" => {
                tls.client_certificates = value.extract().map_err(|_| {
                    let kind = type_name(&value);
                    type_error(format!("client_certificates of tls must be a bool, not {kind}"))
                })?;
            }
            other => {
                return Err(type_error(format!(
                    "unknown entry {other:?} of tls; there are: name, client_certificates"
                )));
            }
        }
    }
    Ok(Some(tls))
}

/// Users by name, each with a password or a dict.
fn users(argument: &Bound<'_, PyAny>) -> PyResult<Vec<UserOptions>> {
    let Ok(passwords) = argument.cast::<PyDict>() else {
        let kind = type_name(argument);
        return Err(type_error(format!("users must be a dict of names and passwords, not {kind}")));
    };
    let mut users = Vec::new();
    for (name, value) in passwords {
        let name = text("the name of a user", &name)?;
        let user = match value.cast::<PyDict>() {
            Ok(options) => user(name, options)?,
            Err(_) => {
                UserOptions::new(name, text(&format!("the password of user {name:?}"), &value)?)
            }
        };
        users.push(user);
    }
    Ok(users)
}

fn user(name: &str, options: &Bound<'_, PyDict>) -> PyResult<UserOptions> {
    let about = |option: &str| format!("{option} of user {name:?}");
    let mut user = UserOptions::new(name, "");
    for (option, value) in options {
        match text("option", &option)? {
            "password" => text(&about("password"), &value)?.clone_into(&mut user.password),
            "roles" => {
                user.roles = value.extract().map_err(|_| {
                    let kind = type_name(&value);
                    type_error(format!("{} must be a list of str, not {kind}", about("roles")))
                })?;
            }
            "external" => {
                user.external = value.extract().map_err(|_| {
                    let kind = type_name(&value);
                    type_error(format!("{} must be a bool, not {kind}", about("external")))
                })?;
            }
            other => {
                return Err(type_error(format!(
                    "unknown option {other:?} of user {name:?}; there are: password, roles, external"
                )));
            }
        }
    }
    Ok(user)
}

fn fault(faults: &mut Faults, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let share = || {
        value.extract::<f64>().map_err(|_| {
            type_error(format!("{name} must be a share from 0 to 1, not {}", type_name(value)))
        })
    };
    match name {
        "delay" => faults.delay = seconds(name, value)?,
        "late_end" => faults.late_end = seconds(name, value)?,
        "drop" => faults.drop = share()?,
        "drop_reply" => faults.drop_reply = share()?,
        "cut" => faults.cut = share()?,
        "error" => faults.error = share()?,
        "code" => faults.code = ResultCode(count(name, value, 1, 255)? as u8),
        "info" => faults.info = value.extract()?,
        "seed" => faults.seed = count(name, value, 0, u64::MAX)?,
        "drip" => {
            let (bytes, every): (usize, Bound<'_, PyAny>) = value
                .extract()
                .map_err(|_| type_error("drip must be (bytes, seconds between pieces)"))?;
            let every: Duration = seconds("drip", &every)?;
            faults.drip = Some(Drip { bytes, every });
        }
        "refuse" => {
            faults.refuse = match text(name, value)? {
                "never" => Refuse::Never,
                "close" => Refuse::Close,
                "port" => Refuse::Port,
                other => {
                    return Err(value_error(format!(
                        "refuse must be 'never', 'close' or 'port', got {other:?}"
                    )));
                }
            };
        }
        _ => {
            return Err(type_error(format!(
                "unknown fault {name:?}; there are: delay, late_end, drop, drop_reply, cut, \
                 error, code, refuse, drip, info, seed"
            )));
        }
    }
    Ok(())
}
