//! The common part of lists, maps and bytes: their content is shared, counted as memory, and never
//! contains itself.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use mlua::{Error, Result};

use super::{LOOK, MapKey, Val};
use crate::bounds::Bounds;

/// Shared content: the items of a list, the pairs of a map, or bytes.
pub trait Content {
    /// Empties it and returns the containers among its values.
    fn take_containers(&mut self) -> Vec<Val>;
    /// Visits every value that may be a container.
    fn each(&self, visit: &mut dyn FnMut(&Val));
}

impl Content for Vec<u8> {
    fn take_containers(&mut self) -> Vec<Val> {
        Vec::new()
    }

    fn each(&self, _: &mut dyn FnMut(&Val)) {}
}

impl Content for Vec<Val> {
    fn take_containers(&mut self) -> Vec<Val> {
        std::mem::take(self).into_iter().filter(Val::is_container).collect()
    }

    fn each(&self, visit: &mut dyn FnMut(&Val)) {
        self.iter().for_each(visit);
    }
}

impl Content for BTreeMap<MapKey, Val> {
    fn take_containers(&mut self) -> Vec<Val> {
        std::mem::take(self).into_values().filter(Val::is_container).collect()
    }

    fn each(&self, visit: &mut dyn FnMut(&Val)) {
        self.values().for_each(visit);
    }
}

/// The content of a list, map or bytes, and the memory counted for it.
#[derive(Debug)]
pub struct SharedContent<T: Content> {
    pub inner: RefCell<T>,
    counted: Cell<usize>,
    /// Whether it was ever put into a container.
    is_nested: Cell<bool>,
    pub bounds: Rc<Bounds>,
}

impl<T: Content> SharedContent<T> {
    pub fn new(inner: T, bounds: &Rc<Bounds>) -> Rc<Self> {
        inner.each(&mut Val::mark_nested);
        Rc::new(Self {
            inner: RefCell::new(inner),
            counted: Cell::new(0),
            is_nested: Cell::new(false),
            bounds: bounds.clone(),
        })
    }

    /// Reserves memory that is about to be used.
    pub fn grow(&self, bytes: usize) -> Result<()> {
        self.bounds.check_time()?;
        self.bounds.take(bytes)?;
        self.counted.set(self.counted.get() + bytes);
        Ok(())
    }

    /// Releases memory that is no longer used.
    pub fn shrink(&self, bytes: usize) {
        let bytes = bytes.min(self.counted.get());
        self.counted.set(self.counted.get() - bytes);
        self.bounds.give(bytes);
    }

    /// Records that it was put into a container.
    pub(super) fn mark_nested(&self) {
        self.is_nested.set(true);
    }

    /// Identifies it.
    pub fn address(&self) -> *const () {
        std::ptr::from_ref(self).cast()
    }

    /// Rejects a value that contains this container, which would then contain itself.
    pub fn admit(&self, value: &Val) -> Result<()> {
        if !value.is_container() {
            return Ok(());
        }
        let itself = || Err(Error::runtime("a list or map cannot contain itself"));
        if value.address() == Some(self.address()) {
            return itself();
        }
        value.mark_nested();
        // What was never put into a container is in no other one.
        if !self.is_nested.get() {
            return Ok(());
        }
        let mut seen = HashSet::new();
        let mut left = vec![value.clone()];
        let mut looked = 0;
        while let Some(next) = left.pop() {
            let Some(address) = next.address() else { continue };
            if address == self.address() {
                return itself();
            }
            if !seen.insert(address) {
                continue;
            }
            looked += next.each(&mut |inner| {
                if inner.is_container() {
                    left.push(inner.clone());
                }
            });
            if looked >= LOOK {
                looked = 0;
                self.bounds.check_time()?;
            }
        }
        Ok(())
    }
}

impl<T: Content> Drop for SharedContent<T> {
    fn drop(&mut self) {
        self.bounds.give(self.counted.get());
        let containers = self.inner.get_mut().take_containers();
        if !containers.is_empty() {
            let boxed = containers.into_iter().map(|value| Box::new(value) as Box<dyn Any>);
            self.bounds.drop_all(boxed);
        }
    }
}
