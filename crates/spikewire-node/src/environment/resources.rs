//! Objects that JavaScript refers to by number: clients, sessions, statements, queries, background
//! jobs.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use spikewire_aerospike::{Error, Kind};

use crate::js::Result;

/// An object that JavaScript refers to by number.
pub trait Resource: Any {
    /// Called when the environment is torn down; no JavaScript code can be called.
    fn end(&self) {}
}

/// The resources of an environment.
#[derive(Default)]
pub struct Resources {
    all: RefCell<Vec<Option<Rc<dyn Resource>>>>,
    free: RefCell<Vec<u32>>,
}

impl Resources {
    /// Adds a resource and returns its number.
    pub fn add(&self, resource: Rc<dyn Resource>) -> u32 {
        let mut all = self.all.borrow_mut();
        if let Some(number) = self.free.borrow_mut().pop() {
            all[number as usize] = Some(resource);
            return number;
        }
        all.push(Some(resource));
        all.len() as u32 - 1
    }

    /// The resource with this number.
    #[inline]
    pub fn get<T: Resource>(&self, number: u32) -> Result<Rc<T>> {
        let resource = self.all.borrow().get(number as usize).cloned().flatten();
        let resource = resource.and_then(|resource| (resource as Rc<dyn Any>).downcast::<T>().ok());
        resource.ok_or_else(|| Error::new(Kind::Closed, "it is closed").into())
    }

    /// Removes a resource.
    pub fn remove(&self, number: u32) -> Option<Rc<dyn Resource>> {
        let removed = self.all.borrow_mut().get_mut(number as usize).and_then(Option::take);
        if removed.is_some() {
            self.free.borrow_mut().push(number);
        }
        removed
    }

    /// Ends all resources, the latest first: queries before their clients.
    pub fn end(&self) {
        let all = std::mem::take(&mut *self.all.borrow_mut());
        all.into_iter().rev().flatten().for_each(|resource| resource.end());
    }
}
