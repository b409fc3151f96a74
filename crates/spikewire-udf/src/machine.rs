//! Runs functions of registered modules.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mlua::{Function, Lua, MultiValue, Table};
use spikewire_aerospike_protocol::value::Value;

use crate::bounds::{Bounds, Limits};
use crate::failure::Failure;
use crate::library::Library;
use crate::record::{Handle, Record};
use crate::sandbox;
use crate::stream::{Pipeline, Side, StreamOps};
use crate::value::Val;

/// Modules loaded into a sandbox, for one thread. Each module is loaded when it is first called,
/// and has its own globals, which live as long as the machine.
pub struct Machine {
    lua: Lua,
    bounds: Rc<Bounds>,
    library: Arc<Library>,
    loaded: RefCell<HashMap<String, Table>>,
}

impl Machine {
    /// A machine for these modules.
    pub fn new(library: Arc<Library>, limits: Limits) -> Result<Self, Failure> {
        let bounds = Bounds::new(limits);
        let lua = sandbox::state(&bounds).map_err(|error| bounds.failure(&error))?;
        Ok(Self { lua, bounds, library, loaded: RefCell::default() })
    }

    /// The modules it was created for.
    pub fn library(&self) -> &Arc<Library> {
        &self.library
    }

    /// Limits the CPU time of each further call, and of each record of a stream.
    pub fn limit_time(&self, time: Duration) {
        self.bounds.limit_time(time);
    }

    /// Whether the time of the last call is up.
    pub fn is_overdue(&self) -> bool {
        self.bounds.is_overdue()
    }

    /// Calls a closure with the machine; meanwhile, functions also end at `deadline`, or soon after
    /// `interrupted` returns true, which is called every few milliseconds.
    pub fn watched<R>(
        &self,
        deadline: Option<Instant>,
        interrupted: &dyn Fn() -> bool,
        work: impl FnOnce() -> R,
    ) -> Result<R, Failure> {
        let outcome = self.lua.scope(|scope| {
            let check = scope.create_function(|_, ()| Ok(interrupted()))?;
            self.bounds.watch(deadline, check);
            let result = work();
            self.bounds.unwatch();
            Ok(result)
        });
        outcome.map_err(|error| self.bounds.failure(&error))
    }

    /// Whether so much memory is in use that the next call may run out of it.
    pub fn is_nearly_full(&self) -> bool {
        let most = self.bounds.limits().memory / 2;
        let is_full = || self.lua.used_memory() > most || self.bounds.used() > most;
        is_full() && (self.lua.gc_collect().is_err() || is_full())
    }

    /// Applies `function` of `package` to a record. Returns the record with what the function
    /// stored, even if it failed afterwards, since that is stored already.
    pub fn apply(
        &self,
        package: &str,
        function: &str,
        record: Record,
        arguments: &[Value],
    ) -> (Record, Result<Value, Failure>) {
        self.bounds.start();
        let handle = Handle::new(record, &self.bounds);
        let result = self.function(package, function).and_then(|function| {
            let call = || {
                let record = mlua::Value::UserData(self.lua.create_userdata(handle.clone())?);
                let arguments = self.arguments(record, arguments)?;
                match function.call(arguments)? {
                    // Servers return nothing for a Lua table.
                    mlua::Value::Table(_) => Ok(Value::Nil),
                    value => Val::from_lua(value)?.to_value(&self.bounds),
                }
            };
            call().map_err(|error| self.bounds.failure(&error))
        });
        (handle.take(), result)
    }

    /// Calls `function` of `package` to learn what it does with a stream.
    pub fn stream(
        &self,
        package: &str,
        function: &str,
        arguments: &[Value],
        side: Side,
    ) -> Result<Pipeline, Failure> {
        self.bounds.start();
        let function = self.function(package, function)?;
        let call = || {
            let stream = mlua::Value::UserData(self.lua.create_userdata(StreamOps::default())?);
            let returned: mlua::Value = function.call(self.arguments(stream, arguments)?)?;
            let plan =
                returned.as_userdata().and_then(|returned| returned.borrow::<StreamOps>().ok());
            match plan {
                Some(plan) => Ok(Pipeline::new(&self.lua, &self.bounds, plan.clone(), side)),
                None => Err(mlua::Error::runtime("a stream function must return its stream")),
            }
        };
        call().map_err(|error| self.bounds.failure(&error))
    }

    fn arguments(&self, first: mlua::Value, rest: &[Value]) -> mlua::Result<MultiValue> {
        let mut all = vec![first];
        for value in rest {
            all.push(Val::new(value, &self.bounds)?.to_lua(&self.lua)?);
        }
        Ok(MultiValue::from_vec(all))
    }

    fn function(&self, package: &str, function: &str) -> Result<Function, Failure> {
        let module = self.module(package)?;
        let value = module.raw_get::<mlua::Value>(function);
        match value.map_err(|error| self.bounds.failure(&error))? {
            mlua::Value::Function(function) => Ok(function),
            _ => Err(Failure::NoFunction(function.to_owned())),
        }
    }

    /// The globals of a module.
    fn module(&self, package: &str) -> Result<Table, Failure> {
        if let Some(module) = self.loaded.borrow().get(package) {
            return Ok(module.clone());
        }
        let Some((file, source)) = self.library.package(package) else {
            return Err(Failure::NoModule(package.to_owned()));
        };
        let load = || {
            let module = sandbox::environment(&self.lua)?;
            sandbox::compile(&self.lua, &file, &source, module.clone())?.call::<()>(())?;
            Ok(module)
        };
        let module: Table = load().map_err(|error| self.bounds.failure(&error))?;
        self.loaded.borrow_mut().insert(package.to_owned(), module.clone());
        Ok(module)
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Machine").field("library", &self.library).finish_non_exhaustive()
    }
}
