//! The state of one JavaScript environment: the main thread or a worker.
//!
//! | module | what it holds |
//! |---|---|
//! | here | the event loop, the package's functions, sets and lists of bin names by number |
//! | [`resources`] | objects that JavaScript refers to by number |
//! | [`factories`] | functions that make records, and objects of user-defined types |
//! | [`columns`] | columns of CQL results, and functions that make their rows |
//! | [`node_names`] | addresses of nodes of Cassandra |
//! | [`notation`] | types of CQL for JavaScript |
//! | [`clusters`] | embedded clusters |

pub mod clusters;
pub mod columns;
pub mod factories;
pub mod node_names;
pub mod notation;
pub mod resources;

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use spikewire_aerospike::command::SetRef;

use crate::errors;
use crate::hooks::Hooks;
use crate::js::scope::AsyncContext;
use crate::js::{Env, Failure, Result, Value};
use crate::uv::Loop;

use self::clusters::Clusters;
use self::columns::ColumnsCache;
use self::factories::Factories;
use self::node_names::NodeNames;
use self::resources::Resources;

/// The number of slots reported in one call.
const TOGETHER: usize = 8;

/// Calls that succeeded without a value, which JavaScript is told together.
#[derive(Debug, Default)]
struct Done {
    /// The number of the node that answered them, for statements of CQL.
    node: Option<u32>,
    slots: Vec<u32>,
}

/// The state of one JavaScript environment. It lives until the environment is gone.
pub struct Environment {
    /// The environment's own event loop, if it has one.
    pub uv: Option<Rc<Loop>>,
    /// Functions that make records.
    pub factories: Factories,
    /// Functions that make records of batches, several at a time.
    pub row_factories: Factories,
    /// The columns of CQL results, and functions that make their rows.
    pub columns: ColumnsCache,
    /// The addresses of nodes of Cassandra.
    pub node_names: NodeNames,
    /// Functions that make objects of CQL's user-defined types.
    pub udt_factories: Factories,
    /// Its embedded clusters.
    pub clusters: Clusters,
    /// Objects that JavaScript refers to by number.
    pub resources: Resources,
    hooks: OnceCell<Hooks>,
    context: OnceCell<AsyncContext>,
    spaces: RefCell<Vec<Arc<SetRef>>>,
    /// Lists of bin names, by number.
    shapes: RefCell<Vec<Rc<[String]>>>,
    /// Calls that succeeded without a value and have not been reported.
    done: RefCell<Done>,
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
            columns: ColumnsCache::default(),
            node_names: NodeNames::default(),
            udt_factories: Factories::default(),
            clusters: Clusters::default(),
            resources: Resources::default(),
            hooks: OnceCell::new(),
            context: OnceCell::new(),
            spaces: RefCell::default(),
            shapes: RefCell::default(),
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
        let space = self.spaces.borrow().get(number.index()? as usize).cloned();
        space.ok_or_else(|| Failure::of_range("there is no such set"))
    }

    /// Adds a set and returns its number.
    pub fn add_space(&self, space: Arc<SetRef>) -> u32 {
        let mut spaces = self.spaces.borrow_mut();
        spaces.push(space);
        spaces.len() as u32 - 1
    }

    /// The list of bin names with this number.
    #[inline]
    pub fn shape(&self, number: Value<'_>) -> Result<Rc<[String]>> {
        let names = self.shapes.borrow().get(number.index()? as usize).cloned();
        names.ok_or_else(|| Failure::of_range("there is no such shape"))
    }

    /// Adds a list of bin names and returns its number.
    pub fn add_shape(&self, names: Rc<[String]>) -> u32 {
        let mut shapes = self.shapes.borrow_mut();
        shapes.push(names);
        shapes.len() as u32 - 1
    }

    /// Called when the environment is torn down: no JavaScript code is called any more.
    pub fn end(&self) {
        self.ending.set(true);
        self.resources.end();
        self.clusters.end();
    }

    /// Resolves or rejects the promise of a slot.
    pub fn settle<'e>(&self, env: Env<'e>, slot: u32, outcome: Result<Value<'e>>) {
        let settled = (|| {
            let (hooks, number) = (self.hooks()?, env.uint32(slot)?);
            match outcome {
                Ok(value) => hooks.settle.call(env, &[number, value]),
                Err(failure) => {
                    let exception = errors::exception(env, Some(hooks), failure);
                    let error = exception.map_or_else(|| env.undefined(), Ok)?;
                    hooks.fail.call(env, &[number, error])
                }
            }
        })();
        if settled.is_err() {
            // The environment is being torn down, so nothing is waiting.
            let _ = env.take_exception();
        }
    }

    /// The promise of a slot is settled in the next turn of the event loop.
    #[cold]
    pub fn postpone(&self, env: Env<'_>, slot: u32) {
        let postponed = (|| self.hooks()?.postpone.call(env, &[env.uint32(slot)?]))();
        if postponed.is_err() {
            let _ = env.take_exception();
        }
    }

    /// Records that a call succeeded without a value; several are reported together.
    #[inline]
    pub fn done(&self, env: Env<'_>, slot: u32) {
        self.done_by(env, None, slot);
    }

    /// Records that a call succeeded without a value, for a statement of CQL with the number of the
    /// node that answered; several by the same node are reported together.
    #[inline]
    pub fn done_by(&self, env: Env<'_>, node: Option<u32>, slot: u32) {
        if self.done.borrow().node != node {
            self.report_done(env);
        }
        let mut done = self.done.borrow_mut();
        done.node = node;
        done.slots.push(slot);
        if done.slots.len() == TOGETHER {
            drop(done);
            self.report_done(env);
        }
    }

    /// Reports to JavaScript the calls that succeeded without a value.
    pub fn report_done(&self, env: Env<'_>) {
        if self.done.borrow().slots.is_empty() {
            return;
        }
        let Done { node, slots } = std::mem::take(&mut *self.done.borrow_mut());
        for some in slots.chunks(TOGETHER) {
            let result = node
                .iter()
                .chain(some)
                .map(|number| env.uint32(*number))
                .collect::<Result<Vec<_>>>()
                .and_then(|arguments| {
                    let hooks = self.hooks()?;
                    let function = if node.is_some() { &hooks.cql()?.done } else { &hooks.done };
                    function.call(env, &arguments)
                });
            if result.is_err() {
                let _ = env.take_exception();
            }
        }
        let mut buffer = slots;
        buffer.clear();
        let mut place = self.done.borrow_mut();
        if place.slots.is_empty() {
            place.slots = buffer;
        }
    }

    /// Whether the environment is being torn down.
    pub fn is_ending(&self) -> bool {
        self.ending.get()
    }
}
