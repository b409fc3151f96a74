//! Secondary indexes of the cluster.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use spikewire_aerospike_protocol::limits;
use spikewire_aerospike_protocol::query::{Collection, Subject};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::ask::AwaitNodes;
use super::{AdminAction, Ask, InfoCommand, NodeAnswer, Procedure, Recipients, single};
use crate::clock::Tick;
use crate::cluster::info_command::{field, known_namespace};
use crate::model::Name;
use crate::model::{Error, Kind, Result};

/// The type of indexed values; values of other types are not indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IndexType {
    /// Integers.
    Numeric,
    /// Strings.
    Text,
    /// Bytes.
    Blob,
    /// `GeoJSON` points and regions.
    Geo,
}

impl IndexType {
    const ALL: [Self; 4] = [Self::Numeric, Self::Text, Self::Blob, Self::Geo];

    /// The name in info commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::Numeric => "numeric",
            Self::Text => "string",
            Self::Blob => "blob",
            Self::Geo => "geo2dsphere",
        }
    }

    /// The type with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|of| of.name() == name)
    }
}

/// The definition of a new index.
#[derive(Debug, Clone)]
pub struct IndexSpec<'a> {
    /// Its namespace.
    pub namespace: &'a str,
    /// Its set; `None`: all records of the namespace.
    pub set: Option<&'a str>,
    /// Its bin or expression.
    pub subject: Subject,
    /// The encoded path to a nested list or map.
    pub context: Option<Vec<u8>>,
    /// Which part of the value is indexed.
    pub collection: Collection,
    /// The type of its values.
    pub kind: IndexType,
    /// Its name; `None`: composed of set, bin and collection.
    pub name: Option<&'a str>,
}

impl IndexSpec<'_> {
    /// Validates it; returns its name, and the command that creates it.
    fn command(&self) -> Result<(Name, InfoCommand)> {
        let place = place(self.namespace, self.set)?;
        let (subject, default) = self.subject()?;
        let name = self.name.map(str::to_owned).or(default).ok_or_else(|| {
            Error::invalid("an index on an expression or a nested value needs a name")
        })?;
        let name = Name::new("name", &name, limits::INDEX_NAME)?;
        let kind = self.kind.name();
        let of = match self.collection {
            Collection::Value => String::new(),
            of => format!(";indextype={}", of.name()),
        };
        let command = format!("sindex-create:{place};indexname={name};{subject};type={kind}{of}");
        Ok((name, InfoCommand::of_names(command)))
    }

    /// The parameters for what is indexed, and the default name of the index.
    fn subject(&self) -> Result<(String, Option<String>)> {
        match (&self.subject, &self.context) {
            (Subject::Bin(bin), context) => {
                let bin = Name::new("bin", bin, limits::BIN_NAME)?;
                let context = context.as_ref().map(|packed| STANDARD.encode(packed));
                let Some(context) = context else {
                    let of = match self.collection {
                        Collection::Value => "",
                        of => of.name(),
                    };
                    let parts = [self.set.unwrap_or_default(), &bin, of];
                    let parts: Vec<&str> = parts.into_iter().filter(|it| !it.is_empty()).collect();
                    return Ok((format!("bin={bin}"), Some(parts.join("_"))));
                };
                Ok((format!("bin={bin};context={context}"), None))
            }
            (Subject::Expression(_), Some(_)) => {
                Err(Error::invalid("ctx goes with a bin, not with an expression"))
            }
            (Subject::Expression(bytes), None) => {
                Ok((format!("exp={}", STANDARD.encode(bytes)), None))
            }
            (Subject::Name(name), _) => Err(Error::invalid(format!(
                "a new index is on a bin or an expression; got the name {name:?} of one that is \
                 there"
            ))),
        }
    }
}

/// Creates an index and returns its name; creating the same one again is not an error.
#[derive(Debug)]
pub struct CreateIndex {
    namespace: Name,
    name: Name,
    command: InfoCommand,
    wait: Option<Duration>,
    stage: CreateStage,
}

enum CreateStage {
    Begin,
    Namespaces,
    Create,
    Wait(Box<dyn Procedure<Output = ()> + Send>),
}

impl std::fmt::Debug for CreateStage {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Begin => "Begin",
            Self::Namespaces => "Namespaces",
            Self::Create => "Create",
            Self::Wait(_) => "Wait",
        })
    }
}

impl CreateIndex {
    /// Validates the definition. `wait`: how long to wait until every node has built the index;
    /// zero: no limit; `None`: do not wait.
    pub fn new(spec: &IndexSpec<'_>, wait: Option<Duration>) -> Result<Self> {
        let (name, command) = spec.command()?;
        let namespace = Name::new("namespace", spec.namespace, limits::NAMESPACE_NAME)?;
        Ok(Self { namespace, name, command, wait, stage: CreateStage::Begin })
    }

    /// An index of all records of a set, for scans of it. The default of `name` is the name of the
    /// set and `_set`. `wait` as in `new`.
    pub fn on_set(
        namespace: &str,
        set: &str,
        name: Option<&str>,
        wait: Option<Duration>,
    ) -> Result<Self> {
        let place = place(namespace, Some(set))?;
        let name = name.map_or_else(|| format!("{set}_set"), str::to_owned);
        let name = Name::new("name", &name, limits::INDEX_NAME)?;
        let command = format!("sindex-create:{place};indexname={name};indextype=set");
        let command = InfoCommand::of_names(command);
        let namespace = Name::new("namespace", namespace, limits::NAMESPACE_NAME)?;
        Ok(Self { namespace, name, command, wait, stage: CreateStage::Begin })
    }

    fn step(&mut self, answers: Vec<NodeAnswer>, now: Tick) -> Result<AdminAction<String>> {
        match &mut self.stage {
            CreateStage::Begin => {
                self.stage = CreateStage::Namespaces;
                let command = InfoCommand::of_names("namespaces".to_owned());
                return Ok(AdminAction::Ask(Recipients::Any, command));
            }
            CreateStage::Namespaces => {
                known_namespace(&self.namespace, &single(answers)?)?;
                self.stage = CreateStage::Create;
                return Ok(AdminAction::Ask(Recipients::Any, self.command.clone()));
            }
            CreateStage::Create => {
                single(answers)?;
                let Some(limit) = self.wait else {
                    return Ok(AdminAction::Done(Ok(self.name.to_string())));
                };
                let waiting = wait_until_built(&self.namespace, &self.name, limit);
                self.stage = CreateStage::Wait(Box::new(waiting));
            }
            CreateStage::Wait(waiting) => {
                let action = waiting.next(answers, now);
                return Ok(action.map(|()| self.name.to_string()));
            }
        }
        self.step(Vec::new(), now)
    }
}

impl Procedure for CreateIndex {
    type Output = String;

    fn next(&mut self, answers: Vec<NodeAnswer>, now: Tick) -> AdminAction<String> {
        self.step(answers, now).unwrap_or_else(|error| AdminAction::Done(Err(error)))
    }
}

/// Waits until every node has built an index; `limit` zero: no limit.
pub fn wait_for_index(
    namespace: &str,
    name: &str,
    limit: Duration,
) -> Result<impl Procedure<Output = ()> + Send + use<>> {
    let namespace = Name::new("namespace", namespace, limits::NAMESPACE_NAME)?;
    let name = Name::new("name", name, limits::INDEX_NAME)?;
    Ok(wait_until_built(&namespace, &name, limit))
}

fn wait_until_built(
    namespace: &Name,
    name: &Name,
    limit: Duration,
) -> impl Procedure<Output = ()> + Send + use<> {
    let command = format!("sindex-stat:namespace={namespace};indexname={name}");
    let otherwise = format!("index {name} was not ready on every node");
    AwaitNodes::new(InfoCommand::of_names(command), limit, otherwise, is_built)
}

/// Whether a node has built an index; it may not know it yet.
fn is_built(answer: Result<String>) -> Result<bool> {
    match answer {
        Ok(stat) => Ok(field(&stat, ';', "load_pct") == Some("100")),
        Err(error) if error.kind() == Kind::Server(ResultCode::INDEX_NOT_FOUND) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Drops an index; does nothing if there is no index with this name.
pub fn drop_index(namespace: &str, set: Option<&str>, name: &str) -> Result<Ask<()>> {
    let place = place(namespace, set)?;
    let name = Name::new("name", name, limits::INDEX_NAME)?;
    let command = format!("sindex-delete:{place};indexname={name}");
    Ok(Ask::any(InfoCommand::of_names(command), |_| Ok(())))
}

/// An index of the cluster, as listed by a node.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListedIndex {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// Its set; `None`: all records of the namespace.
    pub set: Option<String>,
    /// Its bin; `None`: on an expression, or of a set.
    pub bin: Option<String>,
    /// The name of its type; empty for an index of a set.
    pub kind: String,
    /// The part of a bin that is indexed, in the servers' terms; `set`: all records of a set.
    pub collection: String,
    /// Whether it can be queried on the node that replied.
    pub ready: bool,
}

/// The indexes of a namespace, sorted by name.
pub fn list_indexes(namespace: &str) -> Result<Ask<Vec<ListedIndex>>> {
    let namespace = Name::new("namespace", namespace, limits::NAMESPACE_NAME)?;
    let command = InfoCommand::of_names(format!("sindex-list:namespace={namespace}"));
    Ok(Ask::any(command, |answer| {
        let entries = answer.split(';').filter(|entry| !entry.is_empty());
        let mut indexes: Vec<ListedIndex> = entries.map(listed).collect();
        indexes.sort();
        Ok(indexes)
    }))
}

fn listed(entry: &str) -> ListedIndex {
    let part = |name| field(entry, ':', name);
    let known = |name| part(name).filter(|value| *value != "null").map(str::to_owned);
    ListedIndex {
        name: part("indexname").unwrap_or_default().to_owned(),
        namespace: part("ns").unwrap_or_default().to_owned(),
        set: known("set"),
        bin: known("bin"),
        kind: part("type").unwrap_or_default().to_owned(),
        collection: part("indextype").unwrap_or("default").to_owned(),
        // A set index has no state; scans do not use it until it is complete.
        ready: part("state").is_none_or(|state| state == "RW"),
    }
}

fn place(namespace: &str, set: Option<&str>) -> Result<String> {
    let namespace = Name::new("namespace", namespace, limits::NAMESPACE_NAME)?;
    match set {
        None => Ok(format!("namespace={namespace}")),
        Some(set) => {
            let set = Name::new("set", set, limits::SET_NAME)?;
            Ok(format!("namespace={namespace};set={set}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{command_of, done, server_error, sleeps, text_replies};
    use super::*;

    fn spec() -> IndexSpec<'static> {
        IndexSpec {
            namespace: "test",
            set: Some("users"),
            subject: Subject::Bin("tags".to_owned()),
            context: None,
            collection: Collection::List,
            kind: IndexType::Text,
            name: None,
        }
    }

    fn command(spec: &IndexSpec<'_>) -> Result<String> {
        spec.command().map(|(_, command)| command.to_string())
    }

    #[test]
    fn an_index_gets_a_default_name_and_its_command() {
        let (name, command) = spec().command().unwrap();
        assert_eq!(&*name, "users_tags_list");
        let expected = "sindex-create:namespace=test;set=users;indexname=users_tags_list;\
                        bin=tags;type=string;indextype=list";
        assert_eq!(command.as_str(), expected);
        let whole = IndexSpec { set: None, collection: Collection::Value, ..spec() };
        assert_eq!(
            whole.command().unwrap().1.as_str(),
            "sindex-create:namespace=test;indexname=tags;bin=tags;type=string"
        );
    }

    #[test]
    fn a_set_index_has_neither_bin_nor_type() {
        let of = |name| CreateIndex::on_set("test", "users", name, None);
        let expected = "sindex-create:namespace=test;set=users;indexname=users_set;indextype=set";
        assert_eq!(of(None).unwrap().command.as_str(), expected);
        assert_eq!(&*of(Some("small")).unwrap().name, "small");
        let error = CreateIndex::on_set("test", "", None, None).unwrap_err();
        assert!(error.message().starts_with("set"), "{error}");
        assert!(of(Some("a;b")).is_err());
    }

    #[test]
    fn nested_values_and_expressions_need_a_name() {
        let nested = IndexSpec { context: Some(vec![0x90]), name: Some("n"), ..spec() };
        assert!(command(&nested).unwrap().contains(";bin=tags;context=kA==;"));
        let subject = Subject::Expression(vec![0x93]);
        let computed = IndexSpec { subject, name: Some("n"), ..spec() };
        assert!(command(&computed).unwrap().contains(";exp=kw==;"));
        for spec in [&nested, &computed] {
            let error = command(&IndexSpec { name: None, ..spec.clone() }).unwrap_err();
            assert!(error.message().contains("needs a name"), "{error}");
        }
        let both = IndexSpec { context: Some(vec![0x90]), ..computed };
        assert!(command(&both).unwrap_err().message().contains("ctx goes with a bin"));
    }

    #[test]
    fn names_that_break_an_info_command_are_rejected() {
        let odd = "x;\ntruncate-namespace:namespace=test";
        for spec in [
            IndexSpec { namespace: odd, ..spec() },
            IndexSpec { set: Some(odd), ..spec() },
            IndexSpec { set: Some(""), ..spec() },
            IndexSpec { name: Some(odd), ..spec() },
            IndexSpec { subject: Subject::Bin(odd.to_owned()), ..spec() },
            IndexSpec { subject: Subject::Name("there".to_owned()), ..spec() },
        ] {
            assert_eq!(command(&spec).unwrap_err().kind(), Kind::Invalid, "{spec:?}");
        }
        assert!(wait_for_index("test", odd, Duration::ZERO).is_err());
        assert!(drop_index("test", None, odd).is_err());
        assert!(list_indexes(odd).is_err());
    }

    #[test]
    fn creating_with_a_limit_waits_until_the_index_is_built() {
        let mut create = CreateIndex::new(&spec(), Some(Duration::from_secs(9))).unwrap();
        let start = Tick(5);
        assert_eq!(command_of(create.next(Vec::new(), start)), (false, "namespaces".to_owned()));
        assert!(
            command_of(create.next(text_replies(&["bar;test"]), start))
                .1
                .starts_with("sindex-create:")
        );
        let stat = "sindex-stat:namespace=test;indexname=users_tags_list".to_owned();
        assert_eq!(command_of(create.next(text_replies(&["ok"]), start)), (true, stat.clone()));
        sleeps(create.next(text_replies(&["load_pct=100", "load_pct=7"]), start));
        assert_eq!(command_of(create.next(Vec::new(), start)), (true, stat));
        sleeps(create.next(server_error(ResultCode::INDEX_NOT_FOUND), start));
        create.next(Vec::new(), start);
        let built = create.next(text_replies(&["a=1;load_pct=100", "load_pct=100"]), start);
        assert_eq!(done(built).unwrap(), "users_tags_list");
    }

    #[test]
    fn creating_without_a_limit_returns_at_once() {
        let mut create = CreateIndex::new(&spec(), None).unwrap();
        create.next(Vec::new(), Tick(0));
        create.next(text_replies(&["test"]), Tick(0));
        assert_eq!(done(create.next(text_replies(&["ok"]), Tick(0))).unwrap(), "users_tags_list");
    }

    #[test]
    fn an_unknown_namespace_is_an_error() {
        let mut create = CreateIndex::new(&spec(), None).unwrap();
        create.next(Vec::new(), Tick(0));
        let error = done(create.next(text_replies(&["testing;bar"]), Tick(0))).unwrap_err();
        assert_eq!((error.kind(), error.kind().code()), (Kind::NoNamespace, 20));
        assert!(error.message().contains("testing;bar"), "{error}");
    }

    #[test]
    fn an_existing_index_name_is_an_error() {
        let mut create = CreateIndex::new(&spec(), None).unwrap();
        create.next(Vec::new(), Tick(0));
        create.next(text_replies(&["test"]), Tick(0));
        let error = done(create.next(server_error(ResultCode(200)), Tick(0))).unwrap_err();
        assert_eq!(error.kind(), Kind::Server(ResultCode(200)));
    }

    #[test]
    fn listed_indexes_are_sorted_by_name() {
        let mut list = list_indexes("test").unwrap();
        list.next(Vec::new(), Tick(0));
        let answer = "ns=test:indexname=b:set=s:bin=a:type=numeric:indextype=list:state=WO;\
                      ns=test:indexname=a:set=null:bin=null:type=string:indextype=default:state=RW;\
                      ns=test:indexname=c:set=few:indextype=set;";
        let indexes = done(list.next(text_replies(&[answer]), Tick(0))).unwrap();
        let named: Vec<_> = indexes.iter().map(|index| (&*index.name, index.ready)).collect();
        assert_eq!(named, [("a", true), ("b", false), ("c", true)]);
        assert_eq!((&indexes[0].set, &indexes[0].bin), (&None, &None));
        assert_eq!((&*indexes[1].kind, &*indexes[1].collection), ("numeric", "list"));
        assert_eq!((&*indexes[2].kind, &*indexes[2].collection), ("", "set"));
        assert_eq!(IndexType::named(&indexes[0].kind), Some(IndexType::Text));
    }
}
