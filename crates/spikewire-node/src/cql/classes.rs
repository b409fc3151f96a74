//! The classes that values of user-defined types come back as.
//!
//! No constructor is called: values are made while connections are turned, when no code of the program
//! may run.

use std::cell::RefCell;
use std::rc::Rc;

use spikewire_cql::types::{TypeName, Udt};

use crate::js::Function;
use crate::record::Factories;
use crate::resource::Resource;

/// The classes that a session knows; few, so a search beats a map.
#[derive(Default)]
pub struct Classes(RefCell<Vec<(TypeName, Rc<Class>)>>);

/// What values of a type come back as.
pub struct Class {
    /// `(names)`: what makes objects of these properties.
    pub make: Function,
    /// What was made.
    pub factories: Factories,
}

impl Resource for Classes {}

impl Classes {
    /// The class of a type.
    pub fn of(&self, udt: &Udt) -> Option<Rc<Class>> {
        let known = self.0.borrow();
        known.iter().find(|(name, _)| name.is_of(udt)).map(|(_, class)| class.clone())
    }

    /// Values of a type are made so from now on.
    pub fn add(&self, name: TypeName, class: Class) {
        let mut known = self.0.borrow_mut();
        known.retain(|(other, _)| *other != name);
        known.push((name, Rc::new(class)));
    }
}
