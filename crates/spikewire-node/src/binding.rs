//! The module's state in one JavaScript environment: the environment and its clients.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use spikewire_aerospike::Error;

use crate::client::Client;
use crate::environment::Environment;
use crate::errors;
use crate::js::call::Host;
use crate::js::{self, Env, Failure, Result, Value};

/// A call from JavaScript.
pub type Call<'e> = js::Call<'e, Binding>;

/// The module's state in one JavaScript environment.
#[derive(Debug)]
pub struct Binding {
    this: Weak<Self>,
    pub environment: Rc<Environment>,
    clients: RefCell<Vec<Option<Rc<Client>>>>,
}

impl Host for Binding {
    fn throw(&self, env: Env<'_>, failure: Failure) {
        errors::throw(env, self.environment.hooks().ok(), failure);
    }
}

impl Binding {
    /// A binding without clients.
    pub fn new(environment: Environment) -> Rc<Self> {
        Rc::new_cyclic(|this| Self {
            this: this.clone(),
            environment: Rc::new(environment),
            clients: RefCell::default(),
        })
    }

    /// Another reference to it.
    pub fn shared(&self) -> Rc<Self> {
        self.this.upgrade().expect("a binding in use has a strong reference")
    }

    /// Adds a client and returns its handle.
    pub fn add(&self, client: Rc<Client>) -> u32 {
        let mut clients = self.clients.borrow_mut();
        let free = clients.iter().position(Option::is_none);
        let at = free.unwrap_or(clients.len());
        if at == clients.len() {
            clients.push(None);
        }
        clients[at] = Some(client);
        at as u32
    }

    /// The client with this handle.
    #[inline]
    pub fn client(&self, handle: Value<'_>) -> Result<Rc<Client>> {
        let found = self.clients.borrow().get(handle.index()? as usize).cloned().flatten();
        found.ok_or_else(|| Error::closed().into())
    }

    /// Removes a client.
    pub fn remove(&self, handle: u32) -> Option<Rc<Client>> {
        self.clients.borrow_mut().get_mut(handle as usize).and_then(Option::take)
    }

    /// Ends all clients when the environment is torn down.
    pub fn end(&self) {
        self.environment.end();
        let clients = std::mem::take(&mut *self.clients.borrow_mut());
        clients.into_iter().flatten().for_each(|client| client.end());
        self.environment.clusters.end();
    }
}
