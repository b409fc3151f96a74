//! `list`: a sequence of values.

use std::rc::Rc;

use mlua::{
    Error, Lua, MetaMethod, Result, Table, UserData, UserDataMethods, UserDataRef, Variadic,
};

use super::{callable, place};
use crate::bounds::Bounds;
use crate::value::{COST, List, Val};

/// Maximum length to which assigning to an index may extend a list.
const LONGEST: usize = 1 << 24;

impl List {
    fn insert(&self, at: usize, value: Val) -> Result<()> {
        if at > LONGEST {
            return Err(Error::runtime(format!("list index {} is too large", at + 1)));
        }
        self.0.admit(&value)?;
        self.0.grow(value.cost() + COST * at.saturating_sub(self.len()))?;
        let mut items = self.0.inner.borrow_mut();
        if at > items.len() {
            items.resize(at, Val::Nil);
        }
        items.insert(at, value);
        Ok(())
    }

    fn set(&self, at: usize, value: Val) -> Result<()> {
        if at >= self.0.inner.borrow().len() {
            return self.insert(at, value);
        }
        self.0.admit(&value)?;
        self.0.grow(value.cost())?;
        let old = std::mem::replace(&mut self.0.inner.borrow_mut()[at], value);
        self.0.shrink(old.cost());
        Ok(())
    }

    /// A new list with some of the items.
    fn part(&self, range: impl std::slice::SliceIndex<[Val], Output = [Val]>) -> Result<Self> {
        let part = Self::new(vec![], &self.0.bounds)?;
        part.extend(self.0.inner.borrow().get(range).unwrap_or_default())?;
        Ok(part)
    }

    /// Appends items of another list, or of this one as it was.
    fn extend(&self, items: &[Val]) -> Result<()> {
        for item in items {
            self.0.bounds.work(COST)?;
            self.0.admit(item)?;
        }
        self.0.grow(items.iter().map(Val::cost).sum())?;
        self.0.inner.borrow_mut().extend_from_slice(items);
        Ok(())
    }

    fn len(&self) -> usize {
        self.0.inner.borrow().len()
    }

    /// An iterator function, which returns the next item on each call.
    fn iterator(&self, lua: &Lua) -> Result<mlua::Function> {
        let list = self.clone();
        let next = std::cell::Cell::new(0);
        lua.create_function(move |lua, ()| {
            let at = next.get();
            next.set(at + 1);
            let item = list.0.inner.borrow().get(at).cloned();
            item.unwrap_or(Val::Nil).copy_to_lua(lua, &list.0.bounds)
        })
    }
}

impl UserData for List {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::Index, |lua, this, index: mlua::Value| {
            if let mlua::Value::String(_) = index {
                // list.append(l, v) may be written l:append(v).
                return lua.globals().get::<Table>("list")?.raw_get(index);
            }
            let at = place(index.as_integer());
            let item = at.and_then(|at| this.0.inner.borrow().get(at).cloned());
            item.unwrap_or(Val::Nil).copy_to_lua(lua, &this.0.bounds)
        });
        methods.add_meta_method(
            MetaMethod::NewIndex,
            |_, this, (index, value): (Option<i64>, mlua::Value)| match place(index) {
                Some(at) => this.set(at, Val::from_lua(value)?),
                None => Err(Error::runtime("a list index is an integer from 1")),
            },
        );
        methods.add_meta_method(MetaMethod::Len, |_, this, ()| Ok(this.len()));
        methods.add_meta_method(MetaMethod::ToString, |_, this, ()| {
            Val::List(this.clone()).show(&this.0.bounds)
        });
    }
}

type Of = UserDataRef<List>;

pub fn register(lua: &Lua, bounds: &Rc<Bounds>) -> Result<()> {
    let list = lua.create_table()?;
    let own = bounds.clone();
    let make = move |_: &Lua, (_, items): (mlua::Value, Option<Table>)| {
        let list = List::new(vec![], &own)?;
        for item in items.iter().flat_map(Table::sequence_values) {
            list.insert(list.len(), Val::from_lua(item?)?)?;
        }
        Ok(list)
    };
    callable(lua, &list, lua.create_function(make)?)?;
    let own = bounds.clone();
    let create = move |_: &Lua, _: Variadic<mlua::Value>| List::new(vec![], &own);
    list.set("create", lua.create_function(create.clone())?)?;
    list.set("new", lua.create_function(create)?)?;
    let set = |name: &str, function: mlua::Function| list.set(name, function);
    set(
        "insert",
        lua.create_function(|_, (list, index, value): (Of, Option<i64>, _)| match place(index) {
            Some(at) => list.insert(at, Val::from_lua(value)?),
            None => Err(Error::runtime("a list index is an integer from 1")),
        })?,
    )?;
    set(
        "append",
        lua.create_function(|_, (list, value): (Of, _)| {
            list.insert(list.len(), Val::from_lua(value)?)
        })?,
    )?;
    set(
        "prepend",
        lua.create_function(|_, (list, value): (Of, _)| list.insert(0, Val::from_lua(value)?))?,
    )?;
    set(
        "remove",
        lua.create_function(|_, (list, index): (Of, Option<i64>)| {
            if let Some(at) = place(index).filter(|at| *at < list.len()) {
                list.0.bounds.check_time()?;
                let gone = list.0.inner.borrow_mut().remove(at);
                list.0.shrink(gone.cost());
            }
            Ok(())
        })?,
    )?;
    set(
        "concat",
        lua.create_function(|_, (list, other): (Of, Of)| {
            if list.0.address() == other.0.address() {
                return list.extend(&other.part(..)?.0.inner.borrow());
            }
            list.extend(&other.0.inner.borrow())
        })?,
    )?;
    set(
        "trim",
        lua.create_function(|_, (list, index): (Of, Option<i64>)| {
            if let Some(at) = place(index).filter(|at| *at < list.len()) {
                let gone = list.0.inner.borrow_mut().split_off(at);
                list.0.shrink(gone.iter().map(Val::cost).sum());
            }
            Ok(())
        })?,
    )?;
    set(
        "take",
        lua.create_function(|_, (list, count): (Of, usize)| list.part(..count.min(list.len())))?,
    )?;
    set("drop", lua.create_function(|_, (list, count): (Of, usize)| list.part(count..))?)?;
    set("size", lua.create_function(|_, list: Of| Ok(list.len()))?)?;
    set("iterator", lua.create_function(|lua, list: Of| list.iterator(lua))?)?;
    set("clone", lua.create_function(|_, list: Of| list.part(..))?)?;
    set(
        "merge",
        lua.create_function(|_, (list, other): (Of, Of)| {
            let merged = list.part(..)?;
            merged.extend(&other.0.inner.borrow())?;
            Ok(merged)
        })?,
    )?;
    set(
        "tostring",
        lua.create_function(|_, list: Of| Val::List(list.clone()).show(&list.0.bounds))?,
    )?;
    lua.globals().set("list", list)
}
