//! How a query would be executed.

use spikewire_aerospike::query::Explanation as QueryPlan;
use spikewire_aerospike::transport::Stream;

use super::Query;
use crate::aerospike::client_kind::ClientKind;

impl<C: ClientKind> Query<C> {
    /// How the query would be executed: whether the nodes read its filter and choose an index, and
    /// which. On nodes before 8.2, and for a query that names its range of an index, says what the
    /// client asks for. Reads no records.
    ///
    /// ```
    /// # use spikewire::{Access, Client, IndexType, NewIndex};
    /// # use spikewire_aerospike_server::{Cluster, Options};
    /// # use std::time::Duration;
    /// # let build = "8.2.0.0".to_owned();
    /// # let cluster = Cluster::start(Options { build, ..Options::default() }).unwrap();
    /// # let client = Client::connect(cluster.seeds())?;
    /// # let users = client.dataset("test", "users")?;
    /// # users.put_many((0..100).map(|id| (id, [("age", id)])))?.check()?;
    /// # let by_age = NewIndex::new("test", "users", "age", IndexType::Numeric).named("users_age");
    /// # client.indexes().create(&by_age)?;
    /// # client.indexes().wait("test", "users_age", Duration::from_secs(10))?;
    /// let plan = client.query("test", "users").filter("$.age >= 90").explain()?;
    /// assert_eq!(plan.access, Access::Index);
    /// assert_eq!(plan.index.as_deref(), Some("users_age"));
    /// # Ok::<(), spikewire::Error>(())
    /// ```
    pub fn explain(&self) -> C::Answer<QueryPlan> {
        let plan = self.request.plan(&self.client.context().defaults, None);
        self.client.work(move |context, is_needed| {
            Stream::explain(context.streams.clone(), plan?.plan, &|| !is_needed())
        })
    }
}
