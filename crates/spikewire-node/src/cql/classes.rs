//! The classes registered for user-defined types.
//!
//! Constructors are not called: values are created while connections are turned, when no code of
//! the program may run.

use std::rc::Rc;

use spikewire_cassandra::type_registry::TypeRegistry;

use crate::environment::factories::Factories;
use crate::environment::resources::Resource;
use crate::js::Function;

/// The classes registered with a session.
pub type Classes = TypeRegistry<Rc<Class>>;

impl Resource for Classes {}

/// How values of a type are created.
pub struct Class {
    /// `(names)`: returns a function that makes objects with these properties.
    pub make: Function,
    /// The functions made so far.
    pub factories: Factories,
}
