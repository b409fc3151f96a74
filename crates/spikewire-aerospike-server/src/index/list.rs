//! The indexes of a namespace.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use spikewire_aerospike_protocol::query::{self, Subject};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_sync::RwLock;

use super::Index;
use super::definition::{Definition, Source};

/// Maximum number of indexes per namespace.
const MOST: usize = 256;

/// The indexes of a namespace.
#[derive(Debug, Default)]
pub struct Indexes(RwLock<Vec<Arc<Index>>>);

/// The result of creating an index.
#[derive(Debug)]
pub enum IndexCreation {
    /// A new index, to be built.
    New(Arc<Index>),
    /// It existed already, possibly under another name.
    There,
    /// The name is used by a different index.
    NameInUse,
    /// There are too many.
    TooMany,
}

impl Indexes {
    /// Adds an index. An existing one with another name is renamed.
    pub fn create(&self, name: &str, definition: Definition) -> IndexCreation {
        let mut list = self.0.write();
        let named = |index: &&Arc<Index>| !name.is_empty() && *index.name.read() == name;
        if let Some(known) = list.iter().find(named) {
            let same = known.definition == definition;
            return if same { IndexCreation::There } else { IndexCreation::NameInUse };
        }
        if let Some(known) = list.iter().find(|index| index.definition == definition) {
            if !name.is_empty() {
                name.clone_into(&mut known.name.write());
            }
            return IndexCreation::There;
        }
        let whole_set = matches!(definition.source, Source::Set);
        if !whole_set && list.iter().filter(|index| !index.is_of_set()).count() >= MOST {
            return IndexCreation::TooMany;
        }
        let index = Arc::new(Index::new(name, definition));
        list.push(index.clone());
        IndexCreation::New(index)
    }

    /// Removes an index. Its entries have to be freed afterwards.
    pub fn remove(&self, name: &str) -> Option<Arc<Index>> {
        let mut list = self.0.write();
        let at = list.iter().position(|index| *index.name.read() == name)?;
        let index = list.remove(at);
        index.dropped.store(true, Ordering::Release);
        Some(index)
    }

    /// Removes the index of all records of a set, unless it has a name. Its entries have to be
    /// freed afterwards. `Err`: the name.
    pub fn disable(&self, set: u16) -> Result<Option<Arc<Index>>, String> {
        let mut list = self.0.write();
        let Some(at) = list.iter().position(|index| index.is_all_of(set)) else { return Ok(None) };
        let name = list[at].name();
        if !name.is_empty() {
            return Err(name);
        }
        let index = list.remove(at);
        index.dropped.store(true, Ordering::Release);
        Ok(Some(index))
    }

    /// The index of all records of a set.
    pub fn all_of(&self, set: u16) -> Option<Arc<Index>> {
        self.0.read().iter().find(|index| index.is_all_of(set)).cloned()
    }

    /// The index with this name.
    pub fn find(&self, name: &str) -> Option<Arc<Index>> {
        self.0.read().iter().find(|index| *index.name.read() == name).cloned()
    }

    /// All indexes, oldest first.
    pub fn all(&self) -> Vec<Arc<Index>> {
        self.0.read().clone()
    }

    /// Number of value indexes of a set.
    pub fn of_set(&self, number: u16) -> usize {
        let is_its = |index: &&Arc<Index>| {
            let set = index.definition.set.as_ref();
            !index.is_of_set() && set.is_some_and(|(_, set)| *set == number)
        };
        self.0.read().iter().filter(is_its).count()
    }

    /// The index that a query of this set can use: one of the set, else one of the namespace. `set`
    /// is 0 for a query without a set, `None` for a set that was never written to.
    pub fn choose(&self, set: Option<u16>, query: &query::Index) -> Result<Arc<Index>, ResultCode> {
        let list = self.0.read();
        let of_set = |index: &&Arc<Index>| {
            index.definition.set.as_ref().is_some_and(|(_, number)| Some(*number) == set)
        };
        let of_namespace = |index: &&Arc<Index>| index.definition.set.is_none();
        let fits = |index: &&Arc<Index>| answers(index, query);
        let index = list
            .iter()
            .filter(fits)
            .find(of_set)
            .or_else(|| list.iter().filter(fits).find(of_namespace));
        let index = index.ok_or(ResultCode::INDEX_NOT_FOUND)?;
        if index.is_ready() { Ok(index.clone()) } else { Err(ResultCode::INDEX_NOT_READABLE) }
    }
}

/// Whether an index matches a query, apart from the set.
fn answers(index: &Index, query: &query::Index) -> bool {
    let definition = &index.definition;
    let source = match (&query.subject, &definition.source) {
        (_, Source::Set) => return false,
        // The name is sufficient; an index of other values just has no matches.
        (Subject::Name(name), _) => return *index.name.read() == *name,
        (Subject::Bin(bin), Source::Bin { name, context }) => {
            bin == name && *context == query.context
        }
        (Subject::Expression(bytes), Source::Expression(expression)) => *bytes == expression.wire,
        _ => false,
    };
    source
        && definition.collection == query.collection
        && definition.kind.particle() == query.range.particle()
}

#[cfg(test)]
mod tests {
    use super::super::key::KeyType;
    use super::*;
    use spikewire_aerospike_protocol::query::{Collection, Range};

    fn definition(bin: &str, set: Option<u16>) -> Definition {
        Definition {
            set: set.map(|number| (format!("s{number}"), number)),
            source: Source::Bin { name: bin.to_owned(), context: None },
            collection: Collection::Value,
            kind: KeyType::Int,
        }
    }

    fn query_of(subject: Subject) -> query::Index {
        let range = Range::Int(1, 2);
        query::Index { subject, collection: Collection::Value, context: None, range }
    }

    #[test]
    fn indexes_are_created_once_and_renamed() {
        let list = Indexes::default();
        let create = |name: &str, bin: &str| list.create(name, definition(bin, Some(1)));
        assert!(matches!(create("i", "a"), IndexCreation::New(_)));
        assert!(matches!(create("i", "a"), IndexCreation::There));
        assert!(matches!(create("i", "b"), IndexCreation::NameInUse));
        assert!(matches!(create("j", "a"), IndexCreation::There));
        assert!(list.find("i").is_none() && list.find("j").is_some());
        for at in 1..MOST {
            assert!(matches!(create(&format!("n{at}"), &format!("b{at}")), IndexCreation::New(_)));
        }
        assert!(matches!(create("more", "more"), IndexCreation::TooMany));
        assert!(list.remove("j").unwrap().is_dropped() && list.remove("j").is_none());
        assert_eq!(list.of_set(1), MOST - 1);
    }

    #[test]
    fn a_query_takes_the_index_of_its_set_once_it_is_built() {
        let list = Indexes::default();
        let IndexCreation::New(whole) = list.create("whole", definition("a", None)) else {
            panic!()
        };
        let IndexCreation::New(own) = list.create("own", definition("a", Some(1))) else {
            panic!()
        };
        let bin = || query_of(Subject::Bin("a".to_owned()));
        let choose = |set, query| list.choose(set, &query).map(|index| index.name());
        assert_eq!(choose(Some(1), bin()), Err(ResultCode::INDEX_NOT_READABLE));
        for _ in 0..4096 {
            assert!(!own.is_ready() && own.percent() < 100);
            own.pass_partition();
        }
        assert_eq!(choose(Some(1), bin()).unwrap(), "own");
        assert_eq!(choose(Some(2), bin()), Err(ResultCode::INDEX_NOT_READABLE));
        whole.built.store(4096, Ordering::Release);
        assert_eq!(choose(Some(2), bin()).unwrap(), "whole");
        assert_eq!(choose(Some(0), bin()).unwrap(), "whole");
        assert_eq!(choose(None, bin()).unwrap(), "whole");
        let named = || query_of(Subject::Name("own".to_owned()));
        assert_eq!(choose(Some(1), named()).unwrap(), "own");
        assert_eq!(choose(Some(0), named()), Err(ResultCode::INDEX_NOT_FOUND));
        let other = query_of(Subject::Bin("b".to_owned()));
        assert_eq!(choose(Some(1), other), Err(ResultCode::INDEX_NOT_FOUND));
        let list_of = query::Index { collection: Collection::List, ..bin() };
        assert_eq!(choose(Some(1), list_of), Err(ResultCode::INDEX_NOT_FOUND));
    }
}
