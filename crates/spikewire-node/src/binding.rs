//! The module's state in one JavaScript environment, which calls carry.

use std::rc::Rc;

use crate::environment::Environment;
use crate::errors;
use crate::js::call::Host;
use crate::js::{self, Env, Failure};

/// A call from JavaScript.
pub type Call<'e> = js::Call<'e, Binding>;

/// The module's state in one JavaScript environment.
#[derive(Debug)]
pub struct Binding {
    pub environment: Rc<Environment>,
}

impl Host for Binding {
    fn throw(&self, env: Env<'_>, failure: Failure) {
        errors::throw(env, self.environment.hooks().ok(), failure);
    }
}

impl Binding {
    /// A binding for an environment.
    pub fn new(environment: Environment) -> Rc<Self> {
        Rc::new(Self { environment: Rc::new(environment) })
    }
}
