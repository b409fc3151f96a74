//! Streams: `stream : filter(f) : map(f) : aggregate(init, f) : reduce(f)`.
//!
//! A function that gets a stream returns what to do with it. The nodes do everything up to and
//! including the first `reduce`, each for its own records. The client continues from that `reduce`
//! with their results.

use std::rc::Rc;

use mlua::{Function, Lua, Result, Table, UserData, UserDataMethods};
use spikewire_aerospike_protocol::value::Value;

use crate::bounds::Bounds;
use crate::failure::Failure;
use crate::record::{Handle, Record};
use crate::value::{List, Map, Val};

/// Where a stream is processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// On a node: up to and including the first `reduce`.
    Node,
    /// On the client: from the first `reduce` on.
    Client,
}

/// At this size an aggregate is passed on at once, and the next one started.
const FULL: f64 = 1000.0;

#[derive(Debug, Clone)]
enum StreamOp {
    Filter(Function),
    Map(Function),
    Aggregate(mlua::Value, Function),
    Reduce(Function),
}

/// The operations that a function requested on its stream.
#[derive(Debug, Clone, Default)]
pub(crate) struct StreamOps(Vec<StreamOp>);

impl StreamOps {
    fn with(&self, step: StreamOp) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }

    /// The operations of one side.
    fn select(self, side: Side) -> Vec<StreamOp> {
        let reduce = self.0.iter().position(|step| matches!(step, StreamOp::Reduce(_)));
        match (side, reduce) {
            (Side::Node, Some(at)) => self.0.into_iter().take(at + 1).collect(),
            (Side::Node, None) => self.0,
            (Side::Client, Some(at)) => self.0.into_iter().skip(at).collect(),
            (Side::Client, None) => Vec::new(),
        }
    }
}

impl UserData for StreamOps {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_method("filter", |_, this, f| Ok(this.with(StreamOp::Filter(f))));
        methods.add_method("map", |_, this, f| Ok(this.with(StreamOp::Map(f))));
        methods.add_method("reduce", |_, this, f| Ok(this.with(StreamOp::Reduce(f))));
        methods.add_method("aggregate", |_, this, (init, f)| {
            Ok(this.with(StreamOp::Aggregate(init, f)))
        });
        methods.add_method("groupby", |lua, this, f: Function| {
            let table: Table = lua.named_registry_value(GROUP)?;
            let collect: Function = table.get("collect")?;
            let create: Function = lua.globals().get::<Table>("map")?.get("create")?;
            let init: mlua::Value = create.call(())?;
            let grouped = this.with(StreamOp::Aggregate(init, collect.call(f)?));
            Ok(grouped.with(StreamOp::Reduce(table.get("merge")?)))
        });
    }
}

const GROUP: &str = "spikewire groups";

/// Defines the functions that `groupby` is made of.
pub(crate) fn register(lua: &Lua) -> Result<()> {
    let source = "
        local list, map = list, map
        local function join(ours, theirs) return list.merge(ours, theirs) end
        return {
            merge = function(ours, theirs) return map.merge(ours, theirs, join) end,
            collect = function(key_of)
                return function(groups, value)
                    local key = key_of(value)
                    local group = groups[key] or list()
                    list.append(group, value)
                    groups[key] = group
                    return groups
                end
            end,
        }";
    let table: Table = lua.load(source).set_name("=groupby").eval()?;
    lua.set_named_registry_value(GROUP, table)
}

/// A stage of the pipeline, with its state.
#[derive(Debug)]
struct Stage {
    step: StreamOp,
    /// The aggregate or reduction so far.
    accumulator: Option<mlua::Value>,
    /// Whether the stream has ended, because a `map` returned nil.
    ended: bool,
}

/// A stream being processed: values go in, results of the last stage come out.
#[derive(Debug)]
pub struct Pipeline {
    lua: Lua,
    bounds: Rc<Bounds>,
    stages: Vec<Stage>,
}

impl Pipeline {
    pub(crate) fn new(lua: &Lua, bounds: &Rc<Bounds>, plan: StreamOps, side: Side) -> Self {
        let stage = |step| Stage { step, accumulator: None, ended: false };
        let stages = plan.select(side).into_iter().map(stage).collect();
        Self { lua: lua.clone(), bounds: bounds.clone(), stages }
    }

    /// Processes a record; results go into `out`.
    pub fn record(
        &mut self,
        record: Record,
        out: &mut Vec<Value>,
    ) -> std::result::Result<(), Failure> {
        self.bounds.start();
        let handle = Handle::new(record, &self.bounds);
        let value = self.lua.create_userdata(handle).map(mlua::Value::UserData);
        let done = value.and_then(|value| self.push(0, value, out));
        done.map_err(|error| self.bounds.failure(&error))
    }

    /// Processes a value, such as one sent by a node; results go into `out`.
    pub fn value(
        &mut self,
        value: &Value,
        out: &mut Vec<Value>,
    ) -> std::result::Result<(), Failure> {
        self.bounds.start();
        let value = Val::new(value, &self.bounds).and_then(|value| value.to_lua(&self.lua));
        let done = value.and_then(|value| self.push(0, value, out));
        done.map_err(|error| self.bounds.failure(&error))
    }

    /// Ends the stream: the results of aggregates and reductions go into `out`.
    pub fn finish(mut self, out: &mut Vec<Value>) -> std::result::Result<(), Failure> {
        for at in 0..self.stages.len() {
            self.bounds.start();
            let last = match &self.stages[at].step {
                StreamOp::Aggregate(..) => Some(self.aggregate(at)),
                StreamOp::Reduce(_) => self.stages[at].accumulator.take().map(Ok),
                _ => None,
            };
            let Some(last) = last else { continue };
            let done = last.and_then(|last| self.push(at + 1, last, out));
            done.map_err(|error| self.bounds.failure(&error))?;
        }
        Ok(())
    }

    /// The current aggregate, or a fresh initial value.
    fn aggregate(&mut self, at: usize) -> Result<mlua::Value> {
        let stage = &mut self.stages[at];
        match (stage.accumulator.take(), &stage.step) {
            (Some(value), _) => Ok(value),
            (None, StreamOp::Aggregate(init, _)) => fresh(&self.lua, init),
            (None, _) => Ok(mlua::Value::Nil),
        }
    }

    fn push(&mut self, at: usize, value: mlua::Value, out: &mut Vec<Value>) -> Result<()> {
        let mut value = value;
        for at in at..self.stages.len() {
            let stage = &mut self.stages[at];
            if stage.ended {
                return Ok(());
            }
            match &stage.step {
                StreamOp::Filter(keep) => {
                    let keep: mlua::Value = keep.call(value.clone())?;
                    if matches!(keep, mlua::Value::Nil | mlua::Value::Boolean(false)) {
                        return Ok(());
                    }
                }
                StreamOp::Map(turn) => {
                    value = turn.call(value)?;
                    if value.is_nil() {
                        stage.ended = true;
                        return Ok(());
                    }
                }
                StreamOp::Aggregate(_, add) => {
                    let add = add.clone();
                    let accumulator = self.aggregate(at)?;
                    let accumulator: mlua::Value = add.call((accumulator, value))?;
                    if accumulator.as_number().is_none_or(|number| number < FULL) {
                        self.stages[at].accumulator = Some(accumulator);
                        return Ok(());
                    }
                    value = accumulator;
                }
                StreamOp::Reduce(join) => {
                    stage.accumulator = Some(match stage.accumulator.take() {
                        Some(accumulator) => join.call((accumulator, value))?,
                        None => value,
                    });
                    return Ok(());
                }
            }
        }
        if let mlua::Value::UserData(object) = &value
            && object.is::<Handle>()
        {
            return Err(mlua::Error::runtime(
                "a stream must end in values: map its records to values",
            ));
        }
        out.push(Val::from_lua(value)?.to_value(&self.bounds)?);
        Ok(())
    }
}

/// A fresh initial value for an aggregate: lists and maps are copied, because the code changes
/// them.
fn fresh(lua: &Lua, init: &mlua::Value) -> Result<mlua::Value> {
    if let mlua::Value::UserData(object) = init {
        let table = if object.is::<Map>() {
            "map"
        } else if object.is::<List>() {
            "list"
        } else {
            return Ok(init.clone());
        };
        return lua.globals().get::<Table>(table)?.get::<Function>("clone")?.call(init.clone());
    }
    Ok(init.clone())
}
