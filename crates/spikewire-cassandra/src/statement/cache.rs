//! The prepared statements of a session, by text, and what changes of the schema mean for them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use rustc_hash::FxHashMap;
use spikewire_cql::response::SchemaChange;
use spikewire_cql::response::schema::{Change, Target};
use spikewire_cql::types::Type;
use spikewire_sync::RwLock;
use spikewire_transport::Tick;

use super::first::{FirstPreparations, FirstShare};
use super::prepared::{Name, Prepared};
use crate::cluster::SchemaListener;

/// Maximum number of prepared statements kept. Beyond it all of them are dropped, which costs a
/// request for each that is used again.
const MOST: usize = 10_000;

/// The prepared statements of a session.
#[derive(Debug, Default)]
pub(crate) struct StatementCache {
    all: RwLock<FxHashMap<Name, Arc<Prepared>>>,
    /// Number of changes of the schema.
    changes: AtomicU64,
    first: FirstPreparations,
}

/// What was known when a statement was to be prepared.
#[derive(Debug, Clone)]
pub(crate) struct PrepareContext {
    /// The statement that the new one is for, if it was prepared before.
    pub renews: Option<Arc<Prepared>>,
    /// Its part in what requests share that need a text for the first time.
    pub first: Option<FirstShare>,
    /// Whether another request is about to find out the same, for which this one waits.
    pub follows: bool,
    /// The changes of the schema, and those that concerned this statement.
    changes: u64,
    concerned: u64,
}

impl StatementCache {
    /// The statement, if it is prepared.
    pub fn get(&self, name: &Name) -> Option<Arc<Prepared>> {
        self.all.read().get(name).cloned()
    }

    /// To be called before a node is asked to prepare a statement; `renews` was prepared before.
    pub fn ask(&self, renews: Option<Arc<Prepared>>) -> PrepareContext {
        let concerned = renews.as_ref().map_or(0, |known| known.changes());
        let stale = renews.as_ref().filter(|known| known.is_stale());
        let follows = stale.is_some_and(|known| !known.begin_renewal(Tick::now()));
        let changes = self.changes.load(SeqCst);
        PrepareContext { renews, first: None, follows, changes, concerned }
    }

    /// The same for a statement that was not prepared before.
    pub fn ask_first(&self, name: &Name) -> PrepareContext {
        self.ask_in_turn(self.first.join(name, Tick::now()))
    }

    /// The same for a request that may have to wait for others.
    pub fn ask_in_turn(&self, share: FirstShare) -> PrepareContext {
        PrepareContext { follows: !share.has_turn(), first: Some(share), ..self.ask(None) }
    }

    /// Stores a statement as a node has just prepared it. If it is as before, the existing one
    /// stays, together with what hosts keep with it.
    pub fn remember(&self, fresh: Prepared, context: &PrepareContext) -> Arc<Prepared> {
        let mut all = self.all.write();
        let name = (fresh.keyspace.clone(), fresh.text.clone());
        let cached = all.get(&name).cloned();
        let before = [cached.as_ref(), context.renews.as_ref()].into_iter().flatten();
        let same = before.clone().find(|known| known.is_same(&fresh)).cloned();
        let current = if let Some(same) = same {
            same.refresh(&fresh);
            if context.renews.as_ref().is_some_and(|known| Arc::ptr_eq(known, &same)) {
                same.confirm(context.concerned);
            }
            same
        } else {
            let fresh = Arc::new(fresh);
            // Whether it was before or after these is not known.
            if self.changes.load(SeqCst) != context.changes {
                fresh.note_change();
            }
            fresh
        };
        for former in before {
            if !Arc::ptr_eq(former, &current) {
                former.supersede(&current);
            }
        }
        if all.len() >= MOST && cached.is_none() {
            // Changes of the schema do not reach them any more.
            all.values().for_each(|known| known.note_change());
            all.clear();
        }
        all.insert(name, current.clone());
        drop(all);
        if let Some(share) = &context.first {
            share.settle(Ok(current.clone()));
        }
        current
    }

    /// Drops a statement, so that preparing its text asks a node.
    pub fn forget(&self, prepared: &Arc<Prepared>) {
        let name = (prepared.keyspace.clone(), prepared.text.clone());
        let mut all = self.all.write();
        if all.get(&name).is_some_and(|known| Arc::ptr_eq(known, prepared)) {
            all.remove(&name);
        }
    }

    /// Takes note of a change of the schema: the statements that it may concern are prepared again
    /// before they are used.
    pub fn note(&self, change: &SchemaChange) {
        // Before something was created, no statement was about it.
        if change.change == Change::Created {
            return;
        }
        self.changes.fetch_add(1, SeqCst);
        for known in self.all.read().values() {
            if concerns(change, known) {
                known.note_change();
            }
        }
    }

    /// Takes note that the schema may have changed in any way.
    fn note_any(&self) {
        self.changes.fetch_add(1, SeqCst);
        self.all.read().values().for_each(|known| known.note_change());
    }
}

impl SchemaListener for StatementCache {
    fn schema_changed(&self, change: Option<&SchemaChange>) {
        change.map_or_else(|| self.note_any(), |change| self.note(change));
    }
}

/// Whether the parameters of a statement may have other types after this change.
fn concerns(change: &SchemaChange, known: &Prepared) -> bool {
    let keyspace = &*change.keyspace;
    let name = match &change.target {
        Target::Keyspace | Target::Other(_) => None,
        Target::Table(name)
        | Target::Type(name)
        | Target::Function(name, _)
        | Target::Aggregate(name, _) => Some(name.as_str()),
    };
    known.parameters.iter().any(|parameter| {
        let in_keyspace = &*parameter.keyspace == keyspace;
        in_keyspace && name.is_none_or(|name| &*parameter.table == name)
            || uses(&parameter.ty, keyspace, name)
    })
}

/// Whether a type contains the user-defined type with this name, or any of the keyspace.
fn uses(ty: &Type, keyspace: &str, name: Option<&str>) -> bool {
    let within = |ty: &Type| uses(ty, keyspace, name);
    match ty {
        Type::Udt(udt) => {
            (udt.keyspace == keyspace && name.is_none_or(|name| udt.name == name))
                || udt.fields.iter().any(|(_, ty)| within(ty))
        }
        Type::List(element) | Type::Set(element) => within(element),
        Type::Map(pair) => within(&pair.0) || within(&pair.1),
        Type::Tuple(elements) => elements.iter().any(within),
        Type::Vector(vector) => within(&vector.element),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use spikewire_cql::response::Column;
    use spikewire_cql::types::Udt;

    use super::*;
    use crate::statement::Shape;

    fn prepared(ty: Type) -> Prepared {
        let [keyspace, table, name] = ["k", "t", "v"].map(Arc::from);
        let parameters = Arc::from([Column { keyspace, table, name, ty }]);
        let shape = Shape::new(&[], Arc::default());
        Prepared::new("INSERT".into(), None, b"id", parameters, Vec::new(), shape, Vec::new())
    }

    fn change(change: Change, keyspace: &str, target: Target) -> SchemaChange {
        SchemaChange { change, keyspace: keyspace.to_owned(), target }
    }

    fn udt(fields: &[(&str, Type)]) -> Type {
        let fields = fields.iter().map(|(name, ty)| ((*name).to_owned(), ty.clone())).collect();
        let udt = Udt { keyspace: "k".to_owned(), name: "u".to_owned(), fields };
        Type::list(Type::Udt(Arc::new(udt)))
    }

    #[test]
    fn changes_make_the_statements_stale_that_they_concern() {
        let table = |name: &str| Target::Table(name.to_owned());
        for (what, stale) in [
            (change(Change::Dropped, "k", table("t")), true),
            (change(Change::Updated, "k", table("t")), true),
            (change(Change::Dropped, "k", Target::Keyspace), true),
            (change(Change::Updated, "k", Target::Type("u".to_owned())), true),
            (change(Change::Dropped, "k", Target::Function("t".to_owned(), Vec::new())), true),
            (change(Change::Created, "k", table("t")), false),
            (change(Change::Updated, "k", table("other")), false),
            (change(Change::Updated, "other", table("t")), false),
            (change(Change::Updated, "k", Target::Type("other".to_owned())), false),
        ] {
            let cache = StatementCache::default();
            let known = cache.remember(prepared(udt(&[("a", Type::Int)])), &cache.ask(None));
            cache.note(&what);
            assert_eq!(known.is_stale(), stale, "{what}");
            cache.note_any();
            assert!(known.is_stale());
        }
    }

    #[test]
    fn an_unchanged_statement_stays_cached_and_is_no_longer_stale() {
        let cache = StatementCache::default();
        let known = cache.remember(prepared(Type::Int), &cache.ask(None));
        cache.note_any();
        let context = cache.ask(Some(known.clone()));
        assert!(Arc::ptr_eq(&cache.remember(prepared(Type::Int), &context), &known));
        assert!(!known.is_stale());
        // Another change while the node is asked counts.
        let context = cache.ask(Some(known.clone()));
        cache.note_any();
        cache.remember(prepared(Type::Int), &context);
        assert!(known.is_stale());
    }

    #[test]
    fn a_changed_statement_leads_to_its_latest_version() {
        let cache = StatementCache::default();
        let first = cache.remember(prepared(Type::Int), &cache.ask(None));
        let renew = |known: &Arc<Prepared>, ty| {
            cache.remember(prepared(ty), &cache.ask(Some(known.clone())))
        };
        let second = renew(&first, Type::Text);
        assert!(first.is_stale() && !second.is_stale());
        assert!(Arc::ptr_eq(&first.latest(), &second));
        assert!(Arc::ptr_eq(&cache.get(&(None, "INSERT".into())).unwrap(), &second));
        // The types of before are those of a statement of its own.
        let third = renew(&second, Type::Int);
        assert!(!Arc::ptr_eq(&third, &first) && !third.is_stale());
        assert!(Arc::ptr_eq(&first.latest(), &third));
    }

    #[test]
    fn a_change_while_a_statement_is_prepared_makes_it_stale() {
        let cache = StatementCache::default();
        let context = cache.ask(None);
        cache.note(&change(Change::Dropped, "k", Target::Table("t".to_owned())));
        assert!(cache.remember(prepared(Type::Int), &context).is_stale());
    }

    #[test]
    fn statements_that_are_dropped_are_prepared_again() {
        let cache = StatementCache::default();
        let first = cache.remember(prepared(Type::Int), &cache.ask(None));
        for number in 0..MOST {
            let mut other = prepared(Type::Int);
            other.text = number.to_string().into();
            cache.remember(other, &cache.ask(None));
        }
        assert!(first.is_stale());
    }
}
