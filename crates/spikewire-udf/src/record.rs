//! Records as Lua code sees them, and the changes it made.
//!
//! `rec["bin"]` reads or assigns a bin; nothing is stored until `aerospike:create(rec)` or
//! `aerospike:update(rec)`. Functions such as `record.ttl(rec)` return metadata.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::{Error, Lua, MetaMethod, Result, UserData, UserDataMethods, UserDataRef};
use spikewire_aerospike_protocol::value::Value;

use crate::bounds::Bounds;
use crate::failure::message_of;
use crate::value::{Bytes, Val};

/// Maximum length of a bin name.
const NAME: usize = 15;

/// A record to which a function is applied.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    /// Whether it exists.
    pub exists: bool,
    /// Its bins.
    pub bins: BTreeMap<String, Value>,
    /// Its generation.
    pub generation: u32,
    /// Remaining time to live in seconds; 0 for never expires.
    pub ttl: u32,
    /// The user key, if it is stored.
    pub key: Option<Value>,
    /// Its set.
    pub set: Option<String>,
    /// Its digest.
    pub digest: [u8; 20],
    /// When it was last written, in milliseconds since 2010.
    pub last_update: u64,
    /// Its size in bytes.
    pub size: usize,
    /// What the function stored, if anything.
    pub change: Option<Change>,
}

/// The change that a function made to a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The bins are now those in [`Record::bins`].
    Write {
        /// Names of assigned bins, including removed ones.
        bins: Vec<String>,
        /// Time to live in seconds, as in a write, if the function set it.
        ttl: Option<u32>,
        /// Whether the stored user key is removed.
        drop_key: bool,
    },
    /// The record was removed.
    Remove,
}

/// A record accessed by Lua code.
#[derive(Debug)]
pub(crate) struct RecordState {
    record: Record,
    /// Bins that were read or assigned, as Lua code holds them.
    live: BTreeMap<String, Val>,
    /// Bins assigned since the last store.
    assigned: Vec<String>,
    ttl: Option<u32>,
    drop_key: bool,
    /// Sizes of the bins as currently stored.
    stored: BTreeMap<String, usize>,
    /// Memory reserved for `live`.
    counted: usize,
    bounds: Rc<Bounds>,
}

impl RecordState {
    /// Holds a bin's value from now on.
    fn hold(&mut self, name: &str, value: Val) -> Result<()> {
        let cost = name.len() + value.cost();
        self.bounds.take(cost)?;
        self.counted += cost;
        if let Some(old) = self.live.insert(name.to_owned(), value) {
            let gone = name.len() + old.cost();
            self.counted -= gone;
            self.bounds.give(gone);
        }
        Ok(())
    }
}

impl Drop for RecordState {
    fn drop(&mut self) {
        self.bounds.give(self.counted);
    }
}

/// A handle; clones refer to the same record.
#[derive(Debug, Clone)]
pub(crate) struct Handle(Rc<RefCell<RecordState>>);

impl Handle {
    pub fn new(record: Record, bounds: &Rc<Bounds>) -> Self {
        Self(Rc::new(RefCell::new(RecordState {
            record,
            live: BTreeMap::new(),
            assigned: Vec::new(),
            ttl: None,
            drop_key: false,
            stored: BTreeMap::new(),
            counted: 0,
            bounds: bounds.clone(),
        })))
    }

    /// Takes the record with what was stored. Lua code that kept it sees an empty one.
    pub fn take(&self) -> Record {
        std::mem::take(&mut self.0.borrow_mut().record)
    }

    fn get(&self, name: &str) -> Result<Val> {
        let state = &mut *self.0.borrow_mut();
        if let Some(value) = state.live.get(name) {
            return Ok(value.clone());
        }
        let Some(value) = state.record.bins.get(name) else { return Ok(Val::Nil) };
        let value = Val::new(value, &state.bounds)?;
        state.hold(name, value.clone())?;
        Ok(value)
    }

    fn set(&self, name: &str, value: mlua::Value) -> Result<()> {
        if name.is_empty() || name.len() > NAME {
            let message = format!("bin name {name:?} must have from 1 to {NAME} bytes");
            return Err(Error::runtime(message));
        }
        let value = Val::from_lua(value)
            .map_err(|error| Error::runtime(format!("bin {name:?}: {}", message_of(&error))))?;
        let state = &mut *self.0.borrow_mut();
        state.bounds.check_time()?;
        state.hold(name, value)?;
        if !state.assigned.iter().any(|known| known == name) {
            state.assigned.push(name.to_owned());
        }
        Ok(())
    }

    /// Stores what was assigned.
    fn store(&self) -> Result<()> {
        let state = &mut *self.0.borrow_mut();
        let mut bins = match state.record.change.take() {
            Some(Change::Write { bins, .. }) => bins,
            Some(Change::Remove) | None => Vec::new(),
        };
        for name in std::mem::take(&mut state.assigned) {
            state.stored.remove(&name);
            let most = state.bounds.limits().memory;
            let left = most.saturating_sub(state.stored.values().sum());
            let value = match state.live.get(&name) {
                Some(value) => {
                    let (value, bytes) = value.to_value_within(&state.bounds, left)?;
                    state.stored.insert(name.clone(), bytes);
                    value
                }
                None => Value::Nil,
            };
            if value == Value::Nil {
                state.record.bins.remove(&name);
            } else {
                state.record.bins.insert(name.clone(), value);
            }
            bins.push(name);
        }
        state.record.exists = !state.record.bins.is_empty();
        state.record.change = Some(if state.record.exists {
            Change::Write { bins, ttl: state.ttl, drop_key: state.drop_key }
        } else {
            Change::Remove
        });
        Ok(())
    }

    /// Stores a new record. Returns 0, or 1 if it already exists.
    pub fn create(&self) -> Result<i64> {
        let state = self.0.borrow();
        if state.record.exists {
            return Ok(1);
        }
        drop(state);
        self.store().map(|()| 0)
    }

    /// Stores changes. Returns 0, or -2 if there is no record.
    pub fn update(&self) -> Result<i64> {
        if !self.exists() {
            return Ok(-2);
        }
        self.store().map(|()| 0)
    }

    /// Removes the record. Returns 0, or 1 if there is none.
    pub fn remove(&self) -> i64 {
        let state = &mut *self.0.borrow_mut();
        if !state.record.exists {
            return 1;
        }
        state.record.bins.clear();
        state.live.clear();
        state.assigned.clear();
        state.record.exists = false;
        state.record.change = Some(Change::Remove);
        0
    }

    pub fn exists(&self) -> bool {
        self.0.borrow().record.exists
    }
}

impl UserData for Handle {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::Index, |lua, this, name: Option<String>| {
            let value = name.map_or(Ok(Val::Nil), |name| this.get(&name))?;
            let bounds = this.0.borrow().bounds.clone();
            value.copy_to_lua(lua, &bounds)
        });
        methods.add_meta_method(MetaMethod::NewIndex, |_, this, (name, value): (String, _)| {
            this.set(&name, value)
        });
        methods.add_meta_method(MetaMethod::ToString, |_, this, ()| {
            Ok(format!("Record({} bins)", this.0.borrow().record.bins.len()))
        });
    }
}

type Of = UserDataRef<Handle>;

/// Creates the table `record`, with functions for a record's metadata.
pub(crate) fn register(lua: &Lua) -> Result<()> {
    let record = lua.create_table()?;
    macro_rules! getters {
        ($($name:literal => $getter:expr),* $(,)?) => {
            $(record.set($name, lua.create_function(|_, rec: Of| {
                let state = rec.0.borrow();
                Ok(($getter)(&state.record))
            })?)?;)*
        };
    }
    getters! {
        "ttl" => |record: &Record| record.ttl,
        "gen" => |record: &Record| record.generation,
        "setname" => |record: &Record| record.set.clone(),
        "numbins" => |record: &Record| record.bins.len(),
        "last_update_time" => |record: &Record| record.last_update,
        "size" => |record: &Record| record.size,
        "memory_size" => |record: &Record| record.size,
        "device_size" => |_: &Record| 0,
    }
    let digest = |_: &Lua, rec: Of| {
        let state = rec.0.borrow();
        Bytes::new(state.record.digest.to_vec(), &state.bounds)
    };
    record.set("digest", lua.create_function(digest)?)?;
    let key = |lua: &Lua, rec: Of| {
        let state = rec.0.borrow();
        let key = state.record.key.as_ref().map(|key| Val::new(key, &state.bounds)).transpose()?;
        key.unwrap_or(Val::Nil).to_lua(lua)
    };
    record.set("key", lua.create_function(key)?)?;
    let names = |lua: &Lua, rec: Of| {
        lua.create_sequence_from(rec.0.borrow().record.bins.keys().map(String::as_str))
    };
    record.set("bin_names", lua.create_function(names)?)?;
    let set_ttl = |_: &Lua, (rec, ttl): (Of, i64)| {
        // -1 means never and -2 unchanged, as in a write.
        let slot = u32::try_from(ttl).ok().or(match ttl {
            -1 => Some(u32::MAX),
            -2 => Some(u32::MAX - 1),
            _ => None,
        });
        rec.0.borrow_mut().ttl =
            Some(slot.ok_or_else(|| Error::runtime(format!("{ttl} is not a valid time to live")))?);
        Ok(())
    };
    record.set("set_ttl", lua.create_function(set_ttl)?)?;
    let drop_key = |_: &Lua, rec: Of| {
        rec.0.borrow_mut().drop_key = true;
        Ok(())
    };
    record.set("drop_key", lua.create_function(drop_key)?)?;
    lua.globals().set("record", record)
}
