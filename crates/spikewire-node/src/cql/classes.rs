//! The classes registered for user-defined types.
//!
//! Constructors are not called: values are created while connections are turned, when no code of
//! the program may run.

use std::cell::RefCell;
use std::rc::Rc;

use spikewire_cql::types::{TypeName, Udt};

use crate::environment::factories::Factories;
use crate::environment::resources::Resource;
use crate::js::Function;

/// The classes registered with a session; few, so a linear search is faster than a map.
#[derive(Default)]
pub struct Classes(RefCell<Vec<(TypeName, Rc<Class>)>>);

/// How values of a type are created.
pub struct Class {
    /// `(names)`: returns a function that makes objects with these properties.
    pub make: Function,
    /// The functions made so far.
    pub factories: Factories,
}

impl Resource for Classes {}

impl Classes {
    /// The class of a type.
    pub fn of(&self, udt: &Udt) -> Option<Rc<Class>> {
        let known = self.0.borrow();
        known.iter().find(|(name, _)| name.is_of(udt)).map(|(_, class)| class.clone())
    }

    /// Registers the class of a type, replacing any earlier one.
    pub fn add(&self, name: TypeName, class: Class) {
        let mut known = self.0.borrow_mut();
        known.retain(|(other, _)| *other != name);
        known.push((name, Rc::new(class)));
    }
}
