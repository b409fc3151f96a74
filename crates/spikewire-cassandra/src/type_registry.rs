//! What a host registered for the values of user-defined types.

use std::mem::replace;
use std::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Release};

use spikewire_cql::types::{TypeName, Udt};
use spikewire_sync::RwLock;

/// The classes registered with a session. There are few, so a linear search beats a map.
#[derive(Debug)]
pub struct TypeRegistry<C> {
    is_any: AtomicBool,
    known: RwLock<Vec<(TypeName, C)>>,
}

impl<C> Default for TypeRegistry<C> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C> TypeRegistry<C> {
    /// No classes.
    pub const fn new() -> Self {
        Self { is_any: AtomicBool::new(false), known: RwLock::new(Vec::new()) }
    }

    /// Registers the class of a type: `keyspace.name`, or a name in `keyspace`. Returns the one that
    /// it replaces.
    pub fn add(&self, name: &str, keyspace: Option<&str>, class: C) -> Result<Option<C>, String> {
        let name = TypeName::parse(name, keyspace)?;
        let mut known = self.known.write();
        let former = if let Some((_, known)) = known.iter_mut().find(|(other, _)| *other == name) {
            Some(replace(known, class))
        } else {
            known.push((name, class));
            None
        };
        self.is_any.store(true, Release);
        Ok(former)
    }

    /// What `copy` makes of the class of a type.
    #[inline]
    pub fn find<T>(&self, udt: &Udt, copy: impl FnOnce(&C) -> T) -> Option<T> {
        if !self.is_any.load(Acquire) {
            return None;
        }
        let known = self.known.read();
        known.iter().find(|(name, _)| name.is_of(udt)).map(|(_, class)| copy(class))
    }
}
