//! The state of one JavaScript environment: the main thread or a worker.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use spikewire_aerospike::command::SetRef;

use crate::clusters::Clusters;
use crate::cql::shapes::Shapes;
use crate::hooks::Hooks;
use crate::js::scope::AsyncContext;
use crate::js::{Env, Failure, Result, Value};
use crate::record::Factories;
use crate::resource::Resources;
use crate::uv::Loop;
use crate::value::decode::{Maker, Reading};

/// The number of slots reported in one call.
const TOGETHER: usize = 8;

/// The state of one JavaScript environment. It lives until the environment is gone.
pub struct Environment {
    /// The environment's own event loop, if it has one.
    pub uv: Option<Rc<Loop>>,
    /// Functions that make records.
    pub factories: Factories,
    /// Functions that make records of batches, several at a time.
    pub row_factories: Factories,
    /// Functions that make CQL rows.
    pub shapes_of_rows: Shapes,
    /// Functions that make objects of CQL's user-defined types.
    pub factories_of_types: Factories,
    /// Lists of bin names, by number.
    pub shapes: RefCell<Vec<Rc<[String]>>>,
    /// Its embedded clusters.
    pub clusters: Clusters,
    /// Objects that JavaScript refers to by number.
    pub resources: Resources,
    hooks: OnceCell<Hooks>,
    context: OnceCell<AsyncContext>,
    spaces: RefCell<Vec<Arc<SetRef>>>,
    /// Slots of calls that succeeded without a value and have not been reported.
    done: RefCell<Vec<u32>>,
    ending: Cell<bool>,
}

impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Environment").field("ending", &self.ending).finish_non_exhaustive()
    }
}

impl Environment {
    /// An environment with this loop.
    pub fn new(uv: Option<Rc<Loop>>) -> Self {
        Self {
            uv,
            factories: Factories::default(),
            row_factories: Factories::default(),
            shapes_of_rows: Shapes::default(),
            factories_of_types: Factories::default(),
            shapes: RefCell::default(),
            clusters: Clusters::default(),
            resources: Resources::default(),
            hooks: OnceCell::new(),
            context: OnceCell::new(),
            spaces: RefCell::default(),
            done: RefCell::default(),
            ending: Cell::new(false),
        }
    }

    /// Sets the package's functions; called when the package is loaded.
    pub fn set_up(&self, env: Env<'_>, hooks: Hooks) -> Result<()> {
        let _ = self.hooks.set(hooks);
        let _ = self.context.set(AsyncContext::new(env, "Spikewire")?);
        Ok(())
    }

    /// The package's functions, set when it was loaded.
    #[inline]
    pub fn hooks(&self) -> Result<&Hooks> {
        self.hooks.get().ok_or_else(|| Failure::of_type("the package is not set up"))
    }

    /// The async context of callbacks; created when the package is set up.
    pub fn context(&self) -> Option<&AsyncContext> {
        if self.ending.get() { None } else { self.context.get() }
    }

    /// The set with this number.
    #[inline]
    pub fn space(&self, number: Value<'_>) -> Result<Arc<SetRef>> {
        let found = self.spaces.borrow().get(number.index()? as usize).cloned();
        found.ok_or_else(|| Failure::of_range("there is no such set"))
    }

    /// Adds a set and returns its number.
    pub fn add_space(&self, space: Arc<SetRef>) -> u32 {
        let mut spaces = self.spaces.borrow_mut();
        spaces.push(space);
        spaces.len() as u32 - 1
    }

    /// A maker of values according to a client's options.
    #[inline]
    pub fn maker<'e, 'a>(&'a self, env: Env<'e>, reading: Reading) -> Result<Maker<'e, 'a>> {
        Ok(Maker { env, hooks: self.hooks()?, reading })
    }

    /// Called when the environment is torn down: no JavaScript code is called any more.
    pub fn end(&self) {
        self.ending.set(true);
        self.resources.end();
    }

    /// Records that a call succeeded without a value; several are reported together.
    #[inline]
    pub fn done(&self, env: Env<'_>, slot: u32) {
        let mut done = self.done.borrow_mut();
        done.push(slot);
        if done.len() == TOGETHER {
            drop(done);
            self.tell_done(env);
        }
    }

    /// Reports to JavaScript the calls that succeeded without a value.
    pub fn tell_done(&self, env: Env<'_>) {
        if self.done.borrow().is_empty() {
            return;
        }
        let done = std::mem::take(&mut *self.done.borrow_mut());
        for some in done.chunks(TOGETHER) {
            let told = some
                .iter()
                .map(|slot| env.uint32(*slot))
                .collect::<Result<Vec<_>>>()
                .and_then(|slots| self.hooks()?.done.call(env, &slots));
            if told.is_err() {
                let _ = env.take_exception();
            }
        }
        let mut kept = done;
        kept.clear();
        let mut place = self.done.borrow_mut();
        if place.is_empty() {
            *place = kept;
        }
    }

    /// Whether the environment is being torn down.
    pub fn is_ending(&self) -> bool {
        self.ending.get()
    }
}
