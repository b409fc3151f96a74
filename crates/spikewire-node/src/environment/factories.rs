//! Functions that make JavaScript objects with certain properties, cached. Setting properties from
//! here would cost several times as much.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::js::{Function, Result, Value};

/// The maximum number of factories; beyond it, records are made without one.
const MOST: usize = 1024;

/// A function that makes objects with certain properties: records with certain bins, or values of a
/// user-defined type.
#[derive(Debug)]
pub struct Factory(pub Function);

/// The factories of an environment.
#[derive(Debug, Default)]
pub struct Factories {
    known: RefCell<FxHashMap<Vec<u8>, Rc<Factory>>>,
    /// The one used last: most objects are like the previous one.
    last: RefCell<Option<(Vec<u8>, Rc<Factory>)>>,
}

impl Factories {
    /// The factory for a key, such as bin names each preceded by its length. It is created by
    /// `make` the first time; `None` if there are too many factories.
    pub fn of<'e>(
        &self,
        key: &[u8],
        make: impl FnOnce() -> Result<Value<'e>>,
    ) -> Result<Option<Rc<Factory>>> {
        if let Some((last, factory)) = &*self.last.borrow()
            && last == key
        {
            return Ok(Some(factory.clone()));
        }
        let known = self.known.borrow().get(key).cloned();
        let factory = match known {
            Some(factory) => factory,
            None if self.known.borrow().len() >= MOST => return Ok(None),
            None => {
                let factory = Rc::new(Factory(Function::keep(make()?)?));
                self.known.borrow_mut().insert(key.to_vec(), factory.clone());
                factory
            }
        };
        *self.last.borrow_mut() = Some((key.to_vec(), factory.clone()));
        Ok(Some(factory))
    }
}
