//! Secondary indexes of the cluster: create, list, wait, drop.

use std::time::Duration;

use spikewire_aerospike::admin::Procedure as _;
use spikewire_aerospike::admin::index::{
    CreateIndex, IndexSpec, ListedIndex, drop_index, list_indexes, wait_for_index,
};

pub use spikewire_aerospike::admin::index::IndexType;

use crate::aerospike::administration::Administration;
use crate::aerospike::client_kind::ClientKind;
use crate::aerospike::step::{self, Step};
use crate::{AsyncClient, Client, Collection, Error, IndexOn, Result};

/// The definition of a new index.
///
/// ```
/// use spikewire::{Collection, IndexType, NewIndex};
///
/// let by_age = NewIndex::new("test", "users", "age", IndexType::Numeric);
/// let by_tag = NewIndex::new("test", "users", "tags", IndexType::Text)
///     .of(Collection::List)
///     .named("users_by_tag");
/// # assert_ne!(by_age, by_tag);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NewIndex {
    namespace: String,
    set: String,
    /// What is indexed, and its type; `None`: all records of the set.
    values: Option<(IndexOn, IndexType)>,
    path: Vec<Step>,
    of: Collection,
    name: Option<String>,
}

impl NewIndex {
    /// An index on a bin, or on the result of an expression ([`IndexOn::Expression`]), for the
    /// records of a set; set `""`: for all records of the namespace.
    pub fn new(
        namespace: impl Into<String>,
        set: impl Into<String>,
        on: impl Into<IndexOn>,
        kind: IndexType,
    ) -> Self {
        Self {
            namespace: namespace.into(),
            set: set.into(),
            values: Some((on.into(), kind)),
            path: Vec::new(),
            of: Collection::Value,
            name: None,
        }
    }

    /// An index of all records of a set, which scans of the set use automatically, so that they do
    /// not visit other records. Queries do not name it.
    ///
    /// ```
    /// let of_set = spikewire::NewIndex::on_set("test", "users").named("users_set"); // the default
    /// # drop(of_set);
    /// ```
    pub fn on_set(namespace: impl Into<String>, set: impl Into<String>) -> Self {
        Self {
            namespace: namespace.into(),
            set: set.into(),
            values: None,
            path: Vec::new(),
            of: Collection::Value,
            name: None,
        }
    }

    /// Indexes the elements of lists, or the keys or values of maps, instead of the bin's value.
    #[must_use]
    pub fn of(mut self, of: Collection) -> Self {
        self.of = of;
        self
    }

    /// Indexes the value at this path within a list or map of the bin. Such an index needs a name.
    ///
    /// ```
    /// use spikewire::{Collection, IndexRange, IndexType, NewIndex, ctx};
    ///
    /// let sizes = NewIndex::new("test", "users", "cart", IndexType::Numeric)
    ///     .ctx([ctx::map_key("sizes")])
    ///     .of(Collection::List)
    ///     .named("sizes");
    /// let large = IndexRange::contains("cart", 42, Collection::List).ctx([ctx::map_key("sizes")]);
    /// # drop((sizes, large));
    /// ```
    #[must_use]
    pub fn ctx(mut self, path: impl IntoIterator<Item = Step>) -> Self {
        self.path = path.into_iter().collect();
        self
    }

    /// Its name, required for an index on an expression or a nested value. Default: composed of
    /// set, bin and collection, such as `users_age` or `users_tags_list`.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The command that creates the index.
    fn procedure(&self) -> Result<CreateIndex> {
        let Some((on, kind)) = &self.values else {
            if !self.path.is_empty() || self.of != Collection::Value {
                let message = "an index of a set has no path, and no collection that it is of";
                return Err(Error::invalid(message));
            }
            return CreateIndex::on_set(&self.namespace, &self.set, self.name.as_deref(), None);
        };
        let spec = IndexSpec {
            namespace: &self.namespace,
            set: some(&self.set),
            subject: on.subject()?,
            context: step::packed(&self.path)?,
            collection: self.of,
            kind: *kind,
            name: self.name.as_deref(),
        };
        CreateIndex::new(&spec, None)
    }
}

/// Converts an empty set name to `None`.
fn some(set: &str) -> Option<&str> {
    Some(set).filter(|set| !set.is_empty())
}

/// A secondary index of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// Its set; `None`: all records of the namespace.
    pub set: Option<String>,
    /// Its bin; `None`: on an expression, or of a set.
    pub bin: Option<String>,
    /// Whether it contains all records of its set, for scans.
    pub is_of_set: bool,
    /// The type of its values; `None`: unknown to this client.
    pub kind: Option<IndexType>,
    /// Which part of a bin is indexed.
    pub of: Collection,
    /// Whether it can be queried on the node that replied.
    pub ready: bool,
}

/// Manages the secondary indexes of a client's cluster; from [`Client::indexes`] and
/// [`AsyncClient::indexes`](crate::AsyncClient::indexes).
#[derive(Debug, Clone)]
pub struct Indexes<C = Client>(pub(crate) C);

impl Client {
    /// The secondary indexes of the cluster.
    pub fn indexes(&self) -> Indexes {
        Indexes(self.clone())
    }
}

impl AsyncClient {
    /// The secondary indexes of the cluster.
    pub fn indexes(&self) -> Indexes<Self> {
        Indexes(self.clone())
    }
}

impl<C: ClientKind> Indexes<C> {
    /// Creates an index, and returns its name. The nodes build it in the background: use
    /// [`wait`](Self::wait) to wait for that. Creating the same index again is not an error; a
    /// different one with the same name fails with the server's code 200.
    pub fn create(&self, index: &NewIndex) -> C::Answer<String> {
        let about = Administration {
            operation: "create_index",
            namespace: &index.namespace,
            set: &index.set,
        };
        self.0.administer(about, index.procedure())
    }

    /// Waits until every node has built an index; zero: no limit. Fails with
    /// [`Kind::Timeout`](crate::Kind::Timeout) if that takes longer.
    pub fn wait(&self, namespace: &str, name: &str, limit: Duration) -> C::Answer<()> {
        let about = Administration { operation: "wait_for_index", namespace, set: "" };
        self.0.administer(about, wait_for_index(namespace, name, limit))
    }

    /// The indexes of a namespace, sorted by name.
    pub fn list(&self, namespace: &str) -> C::Answer<Vec<Index>> {
        let listed = |entries: Vec<ListedIndex>| entries.into_iter().map(Index::from).collect();
        let about = Administration { operation: "list_indexes", namespace, set: "" };
        self.0.administer(about, list_indexes(namespace).map(|list| list.map(listed)))
    }

    /// Drops an index of a set (`""`: of all records of the namespace). Does nothing if there is no
    /// index with this name.
    pub fn drop(&self, namespace: &str, set: &str, name: &str) -> C::Answer<()> {
        let about = Administration { operation: "drop_index", namespace, set };
        self.0.administer(about, drop_index(namespace, some(set), name))
    }
}

impl From<ListedIndex> for Index {
    fn from(listed: ListedIndex) -> Self {
        let all = [Collection::List, Collection::MapKeys, Collection::MapValues];
        Self {
            is_of_set: listed.collection == "set",
            kind: IndexType::named(&listed.kind),
            of: all.into_iter().find(|of| of.name() == listed.collection).unwrap_or_default(),
            name: listed.name,
            namespace: listed.namespace,
            set: listed.set,
            bin: listed.bin,
            ready: listed.ready,
        }
    }
}
