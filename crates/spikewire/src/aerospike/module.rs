//! Lua modules with user-defined functions: register, list, remove.

use std::time::Duration;

use spikewire_aerospike::admin::module::{
    RegisterModule, list_modules, module_source, remove_module,
};

pub use spikewire_aerospike::admin::module::Module;

use crate::aerospike::administration::Administration;
use crate::aerospike::client_kind::ClientKind;
use crate::{AsyncClient, Client};

/// Manages the Lua modules of a client's cluster; from [`Client::modules`] and
/// [`AsyncClient::modules`](crate::AsyncClient::modules).
///
/// ```
/// # use spikewire::{Client, Value};
/// # use std::time::Duration;
/// # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
/// # let client = Client::connect(cluster.seeds())?;
/// let source = "
///     function visit(rec, times)
///         rec['visits'] = (rec['visits'] or 0) + times
///         if aerospike:exists(rec) then aerospike:update(rec) else aerospike:create(rec) end
///         return rec['visits']
///     end";
/// client.modules().register("counters.lua", source, Duration::from_secs(10))?;
///
/// let users = client.dataset("test", "users")?;
/// users.apply("alice", "counters", "visit", &[1.into()])?;
/// assert_eq!(users.apply("alice", "counters", "visit", &[2.into()])?, Value::Int(3));
/// # Ok::<(), spikewire::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Modules<C = Client>(pub(crate) C);

impl Client {
    /// The Lua modules of the cluster.
    pub fn modules(&self) -> Modules {
        Modules(self.clone())
    }
}

impl AsyncClient {
    /// The Lua modules of the cluster.
    pub fn modules(&self) -> Modules<Self> {
        Modules(self.clone())
    }
}

impl<C: ClientKind> Modules<C> {
    /// Registers a module under a file name such as `counters.lua`, replacing an existing one, and
    /// waits until every node has it; zero: no limit.
    ///
    /// Fails with the line number if the source does not compile, and with
    /// [`Kind::Timeout`](crate::Kind::Timeout) if a node does not get it in time.
    pub fn register(&self, name: &str, source: &str, limit: Duration) -> C::Answer<()> {
        self.0.administer(
            Administration::of("register_module"),
            RegisterModule::new(name, source, limit),
        )
    }

    /// The registered modules, sorted by name.
    pub fn list(&self) -> C::Answer<Vec<Module>> {
        self.0.administer(Administration::of("list_modules"), Ok(list_modules()))
    }

    /// The source of a module; fails if there is no module with this name.
    pub fn source(&self, name: &str) -> C::Answer<String> {
        self.0.administer(Administration::of("module_source"), module_source(name))
    }

    /// Removes a module; does nothing if there is no module with this name.
    pub fn remove(&self, name: &str) -> C::Answer<()> {
        self.0.administer(Administration::of("remove_module"), remove_module(name))
    }
}
