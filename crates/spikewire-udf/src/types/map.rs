//! `map`: values by key, ordered by key.

use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::{Function, Lua, MetaMethod, Result, UserData, UserDataMethods, UserDataRef, Variadic};

use super::callable;
use crate::bounds::Bounds;
use crate::value::{COST, Map, MapKey, Val};

/// What an iteration over a map returns.
#[derive(Debug, Clone, Copy)]
enum Give {
    Pairs,
    Keys,
    Values,
}

impl Map {
    fn get(&self, key: mlua::Value) -> Result<Val> {
        let Ok(key) = MapKey::new(&Val::from_lua(key)?) else { return Ok(Val::Nil) };
        self.0.bounds.work(key.cost())?;
        Ok(self.0.inner.borrow().get(&key).cloned().unwrap_or(Val::Nil))
    }

    /// Sets a value; nil removes the key.
    fn set(&self, key: mlua::Value, value: mlua::Value) -> Result<()> {
        let (key, value) = (MapKey::new(&Val::from_lua(key)?)?, Val::from_lua(value)?);
        if matches!(value, Val::Nil) {
            let gone = self.0.inner.borrow_mut().remove(&key);
            self.0.shrink(gone.map_or(0, |gone| key.cost() + gone.cost()));
            return Ok(());
        }
        self.0.admit(&value)?;
        let cost = key.cost();
        self.0.grow(cost + value.cost())?;
        let old = self.0.inner.borrow_mut().insert(key, value);
        self.0.shrink(old.map_or(0, |old| cost + old.cost()));
        Ok(())
    }

    fn len(&self) -> usize {
        self.0.inner.borrow().len()
    }

    fn iterator(&self, lua: &Lua, give: Give) -> Result<Function> {
        let map = self.clone();
        // The map may be changed during iteration, so it continues after the latest key.
        let latest = std::cell::RefCell::new(None::<MapKey>);
        lua.create_function(move |lua, ()| {
            use std::ops::Bound::{Excluded, Unbounded};
            let from = latest.borrow().clone().map_or(Unbounded, Excluded);
            let next = {
                let pairs = map.0.inner.borrow();
                pairs
                    .range((from, Unbounded))
                    .next()
                    .map(|(key, value)| (key.clone(), value.clone()))
            };
            let Some((key, value)) = next else {
                return Ok((mlua::Value::Nil, mlua::Value::Nil));
            };
            let bounds = &map.0.bounds;
            let entry = match give {
                Give::Pairs => {
                    (key.to_val(bounds)?.copy_to_lua(lua, bounds)?, value.copy_to_lua(lua, bounds)?)
                }
                Give::Keys => (key.to_val(bounds)?.copy_to_lua(lua, bounds)?, mlua::Value::Nil),
                Give::Values => (value.copy_to_lua(lua, bounds)?, mlua::Value::Nil),
            };
            *latest.borrow_mut() = Some(key);
            Ok(entry)
        })
    }

    fn copy(&self) -> Result<Self> {
        Self::from_pairs(self.0.inner.borrow().iter(), &self.0.bounds)
    }

    /// A map of pairs of other maps. The pairs are counted before they are copied.
    fn from_pairs<'a>(
        pairs: impl Iterator<Item = (&'a MapKey, &'a Val)> + Clone,
        bounds: &Rc<Bounds>,
    ) -> Result<Self> {
        let map = Self::new(BTreeMap::new(), bounds)?;
        let mut cost = 0;
        for (key, value) in pairs.clone() {
            bounds.work(COST)?;
            cost += key.cost() + value.cost();
        }
        map.0.grow(cost)?;
        let copies = pairs.map(|(key, value)| (key.clone(), value.clone()));
        map.0.inner.borrow_mut().extend(copies);
        Ok(map)
    }
}

impl UserData for Map {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::Index, |lua, this, key| {
            this.get(key)?.copy_to_lua(lua, &this.0.bounds)
        });
        methods.add_meta_method(MetaMethod::NewIndex, |_, this, (key, value)| this.set(key, value));
        methods.add_meta_method(MetaMethod::Len, |_, this, ()| Ok(this.len()));
        methods.add_meta_method(MetaMethod::ToString, |_, this, ()| {
            Val::Map(this.clone()).show(&this.0.bounds)
        });
    }
}

type Of = UserDataRef<Map>;

pub fn register(lua: &Lua, bounds: &Rc<Bounds>) -> Result<()> {
    let map = lua.create_table()?;
    let own = bounds.clone();
    let make = move |_: &Lua, (_, pairs): (mlua::Value, mlua::Value)| {
        let created = Map::new(BTreeMap::new(), &own)?;
        if let mlua::Value::Table(pairs) = pairs {
            pairs.for_each(|key: mlua::Value, value: mlua::Value| created.set(key, value))?;
        }
        Ok(created)
    };
    callable(lua, &map, lua.create_function(make)?)?;
    let own = bounds.clone();
    let create = move |_: &Lua, _: Variadic<mlua::Value>| Map::new(BTreeMap::new(), &own);
    map.set("create", lua.create_function(create.clone())?)?;
    map.set("new", lua.create_function(create)?)?;
    let walks = [
        ("pairs", Give::Pairs),
        ("iterator", Give::Pairs),
        ("keys", Give::Keys),
        ("values", Give::Values),
    ];
    for (name, give) in walks {
        map.set(name, lua.create_function(move |lua, map: Of| map.iterator(lua, give))?)?;
    }
    map.set("size", lua.create_function(|_, map: Of| Ok(map.len()))?)?;
    let remove = |_: &Lua, (map, key): (Of, _)| map.set(key, mlua::Value::Nil);
    map.set("remove", lua.create_function(remove)?)?;
    map.set("clone", lua.create_function(|_, map: Of| map.copy())?)?;
    map.set("merge", lua.create_function(merge)?)?;
    map.set("diff", lua.create_function(diff)?)?;
    let text = |_: &Lua, map: Of| Val::Map(map.clone()).show(&map.0.bounds);
    map.set("tostring", lua.create_function(text)?)?;
    lua.globals().set("map", map)
}

/// The pairs of both. For a key in both, `join` combines the two values; without it, the second one
/// wins.
fn merge(lua: &Lua, (left, right, join): (Of, Of, Option<Function>)) -> Result<Map> {
    let merged = left.copy()?;
    // The function may change the right one.
    let added = right.copy()?;
    for (key, value) in &*added.0.inner.borrow() {
        let mut value = value.to_lua(lua)?;
        let own = merged.0.inner.borrow().get(key).cloned();
        if let (Some(join), Some(own)) = (&join, own) {
            value = join.call((own.to_lua(lua)?, value))?;
        }
        merged.set(key.to_val(&merged.0.bounds)?.to_lua(lua)?, value)?;
    }
    Ok(merged)
}

/// The pairs whose keys are in only one of the two.
fn diff(_: &Lua, (left, right): (Of, Of)) -> Result<Map> {
    let (left, right) = (left.clone(), right.clone());
    let (one, other) = (left.0.inner.borrow(), right.0.inner.borrow());
    let left_only = one.iter().filter(|(key, _)| !other.contains_key(key));
    let right_only = other.iter().filter(|(key, _)| !one.contains_key(key));
    Map::from_pairs(left_only.chain(right_only), &left.0.bounds)
}
