//! An environment's event loop, with a count of its open handles.

use std::cell::{Cell, RefCell};

use super::library::{Library, RawLoop};

/// An environment's event loop.
pub struct Loop {
    pub(super) library: Library,
    pub(super) raw: RawLoop,
    /// The number of owners whose handles are not closed.
    open: Cell<u32>,
    idle: RefCell<Option<Box<dyn FnOnce()>>>,
}

impl std::fmt::Debug for Loop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loop").field("open", &self.open).finish_non_exhaustive()
    }
}

impl Loop {
    /// The event loop of an environment, on its own thread.
    pub fn new(library: Library, raw: RawLoop) -> Self {
        Self { library, raw, open: Cell::new(0), idle: RefCell::default() }
    }

    pub(super) fn opened(&self) {
        self.open.set(self.open.get() + 1);
    }

    pub(super) fn closed(&self) {
        self.open.set(self.open.get() - 1);
        self.check_idle();
    }

    /// Calls `then` once no handle is open.
    pub fn when_idle(&self, then: impl FnOnce() + 'static) {
        *self.idle.borrow_mut() = Some(Box::new(then));
        self.check_idle();
    }

    fn check_idle(&self) {
        if self.open.get() == 0 {
            let then = self.idle.borrow_mut().take();
            if let Some(then) = then {
                then();
            }
        }
    }
}
