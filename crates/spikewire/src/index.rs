//! Secondary indexes of the cluster: creating, listing, awaiting, dropping.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use spikewire_protocol::limits;
use spikewire_protocol::result_code::ResultCode;

use crate::face::{Face, Tools, field, fields, word};
use crate::query::sleep;
use crate::{Client, Collection, Error, IndexOn, Kind, Result};

/// How often a node is asked whether an index is ready.
const PAUSE: Duration = Duration::from_millis(20);

/// What an index holds; values of other types are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IndexType {
    /// Integers.
    Numeric,
    /// Texts.
    Text,
    /// Bytes.
    Blob,
    /// `GeoJSON` points and regions.
    Geo,
}

impl IndexType {
    const ALL: [Self; 4] = [Self::Numeric, Self::Text, Self::Blob, Self::Geo];

    /// The name in info commands.
    fn name(self) -> &'static str {
        match self {
            Self::Numeric => "numeric",
            Self::Text => "string",
            Self::Blob => "blob",
            Self::Geo => "geo2dsphere",
        }
    }
}

/// An index that is to be created.
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
    on: IndexOn,
    of: Collection,
    kind: IndexType,
    name: Option<String>,
}

impl NewIndex {
    /// On a bin, or on what an expression gives ([`IndexOn::Expression`]), of the records of a
    /// set; set `""`: of all records of the namespace.
    pub fn new(
        namespace: impl Into<String>,
        set: impl Into<String>,
        on: impl Into<IndexOn>,
        kind: IndexType,
    ) -> Self {
        Self {
            namespace: namespace.into(),
            set: set.into(),
            on: on.into(),
            of: Collection::Value,
            kind,
            name: None,
        }
    }

    /// On the elements of lists, or the keys or values of maps, instead of the bin's value.
    #[must_use]
    pub fn of(mut self, of: Collection) -> Self {
        self.of = of;
        self
    }

    /// Its name, which one on an expression needs. Default: of set, bin and what is indexed, such
    /// as `users_age` or `users_tags_list`.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Its name, and the command that creates it.
    fn command(&self) -> Result<(String, String)> {
        word("namespace", &self.namespace, limits::NAMESPACE_NAME)?;
        let mut place = format!("namespace={}", self.namespace);
        if !self.set.is_empty() {
            place = format!("{place};set={}", word("set", &self.set, limits::SET_NAME)?);
        }
        let (subject, default) = match &self.on {
            IndexOn::Bin(bin) => {
                word("bin", bin, limits::BIN_NAME)?;
                let of = if self.of == Collection::Value { "" } else { self.of.name() };
                let parts = [self.set.as_str(), bin, of];
                let parts: Vec<&str> = parts.into_iter().filter(|it| !it.is_empty()).collect();
                (format!("bin={bin}"), Some(parts.join("_")))
            }
            IndexOn::Expression(expression) => {
                (format!("exp={}", STANDARD.encode(expression.value()?)), None)
            }
            IndexOn::Name(name) => {
                return Err(Error::invalid(format!(
                    "a new index is on a bin or an expression, and called by `named`; got the \
                     name {name:?} of one that is there"
                )));
            }
        };
        let name = self.name.clone().or(default);
        let name =
            name.ok_or_else(|| Error::invalid("an index on an expression needs a name: `named`"))?;
        word("name", &name, limits::INDEX_NAME)?;
        let of = match self.of {
            Collection::Value => String::new(),
            of => format!(";indextype={}", of.name()),
        };
        let kind = self.kind.name();
        let command = format!("sindex-create:{place};indexname={name};{subject};type={kind}{of}");
        Ok((name, command))
    }
}

/// A secondary index of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// Of which namespace.
    pub namespace: String,
    /// Of which set; `None`: of all records of the namespace.
    pub set: Option<String>,
    /// On which bin; `None`: on an expression.
    pub bin: Option<String>,
    /// What it holds; `None`: something that this client does not know.
    pub kind: Option<IndexType>,
    /// What of a bin is indexed.
    pub of: Collection,
    /// Whether the node that was asked can be queried by it.
    pub ready: bool,
}

/// The secondary indexes of a client's cluster; from [`Client::indexes`] and
/// [`AsyncClient::indexes`](crate::AsyncClient::indexes).
#[derive(Debug, Clone)]
pub struct Indexes<C = Client>(pub(crate) C);

impl<C: Face> Indexes<C> {
    /// Creates an index, and gives its name. The nodes go on building it:
    /// [`wait`](Self::wait) for that. The same index again is no error; another one of that name
    /// fails with the server's code 200.
    pub fn create(&self, index: &NewIndex) -> C::Answer<String> {
        let namespace = index.namespace.clone();
        let composed = index.command();
        self.0.work(move |tools, _| {
            let (name, command) = composed?;
            // A node says yes to an index of a namespace that is not there.
            let there = tools.ask_one("namespaces")?;
            if !there.split(';').any(|known| known == namespace) {
                let message = format!("namespace {namespace:?} is not in the cluster: {there}");
                return Err(Error::new(Kind::NoNamespace, message));
            }
            tools.ask_one(&command)?;
            Ok(name)
        })
    }

    /// Waits until every node has built an index; zero: without a limit. Fails with
    /// [`Kind::Timeout`] if that takes longer.
    pub fn wait(&self, namespace: &str, name: &str, limit: Duration) -> C::Answer<()> {
        let command = word("namespace", namespace, limits::NAMESPACE_NAME).and_then(|namespace| {
            let name = word("name", name, limits::INDEX_NAME)?;
            Ok(format!("sindex-stat:namespace={namespace};indexname={name}"))
        });
        let name = name.to_owned();
        self.0.work(move |tools, wanted| {
            let (start, command) = (Instant::now(), command?);
            for node in tools.nodes()? {
                while !is_built(tools.ask(&node, &command))? {
                    if !limit.is_zero() && start.elapsed() >= limit {
                        let message =
                            format!("index {name} was not ready on every node within {limit:?}");
                        return Err(Error::new(Kind::Timeout, message));
                    }
                    if !wanted() {
                        return Ok(());
                    }
                    sleep(PAUSE, wanted);
                }
            }
            Ok(())
        })
    }

    /// The indexes of a namespace, sorted by name.
    pub fn list(&self, namespace: &str) -> C::Answer<Vec<Index>> {
        let command = word("namespace", namespace, limits::NAMESPACE_NAME)
            .map(|namespace| format!("sindex-list:namespace={namespace}"));
        self.0.work(move |tools, _| {
            let answer = tools.ask_one(&command?)?;
            let mut found: Vec<Index> =
                answer.split(';').filter(|entry| !entry.is_empty()).map(listed).collect();
            found.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(found)
        })
    }

    /// Drops an index of a set (`""`: of all records of the namespace). Does nothing if there is
    /// none of that name.
    pub fn drop(&self, namespace: &str, set: &str, name: &str) -> C::Answer<()> {
        let command = drop_command(namespace, set, name);
        self.0.work(move |tools: &Tools, _| tools.ask_one(&command?).map(drop))
    }
}

fn drop_command(namespace: &str, set: &str, name: &str) -> Result<String> {
    let namespace = word("namespace", namespace, limits::NAMESPACE_NAME)?;
    let name = word("name", name, limits::INDEX_NAME)?;
    let place = match set {
        "" => String::new(),
        set => format!(";set={}", word("set", set, limits::SET_NAME)?),
    };
    Ok(format!("sindex-delete:namespace={namespace}{place};indexname={name}"))
}

/// Whether a node has built an index; it may not have heard of it yet.
fn is_built(stat: Result<String>) -> Result<bool> {
    match stat {
        Ok(stat) => Ok(field(&stat, ';', "load_pct") == Some("100")),
        Err(error) if error.kind() == Kind::Server(ResultCode::INDEX_NOT_FOUND) => Ok(false),
        Err(error) => Err(error),
    }
}

fn listed(entry: &str) -> Index {
    let part = |name| fields(entry, ':').find(|(own, _)| *own == name).map(|(_, value)| value);
    let known = |name| part(name).filter(|value| *value != "null").map(str::to_owned);
    let all = [Collection::List, Collection::MapKeys, Collection::MapValues];
    let of = part("indextype").and_then(|name| all.into_iter().find(|of| of.name() == name));
    let kind =
        part("type").and_then(|name| IndexType::ALL.into_iter().find(|of| of.name() == name));
    Index {
        name: known("indexname").unwrap_or_default(),
        namespace: known("ns").unwrap_or_default(),
        set: known("set"),
        bin: known("bin"),
        kind,
        of: of.unwrap_or_default(),
        // An index of a whole set has no state; a scan does without until it is there.
        ready: part("state").is_none_or(|state| state == "RW"),
    }
}
