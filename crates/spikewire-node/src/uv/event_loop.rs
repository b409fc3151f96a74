//! An environment's loop, and how many handles are open on it.

use std::cell::{Cell, RefCell};

use super::library::{Library, RawLoop};

/// An environment's loop.
pub struct Loop {
    pub(super) library: Library,
    pub(super) raw: RawLoop,
    /// Owners of handles that are not closed.
    open: Cell<u32>,
    idle: RefCell<Option<Box<dyn FnOnce()>>>,
}

impl std::fmt::Debug for Loop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loop").field("open", &self.open).finish_non_exhaustive()
    }
}

impl Loop {
    /// The loop of an environment, on its own thread.
    pub fn new(library: Library, raw: RawLoop) -> Self {
        Self { library, raw, open: Cell::new(0), idle: RefCell::default() }
    }

    pub(super) fn opened(&self) {
        self.open.set(self.open.get() + 1);
    }

    pub(super) fn closed(&self) {
        self.open.set(self.open.get() - 1);
        self.look();
    }

    /// Calls back once no handle is open.
    pub fn when_idle(&self, then: impl FnOnce() + 'static) {
        *self.idle.borrow_mut() = Some(Box::new(then));
        self.look();
    }

    fn look(&self) {
        if self.open.get() == 0 {
            let then = self.idle.borrow_mut().take();
            if let Some(then) = then {
                then();
            }
        }
    }
}
