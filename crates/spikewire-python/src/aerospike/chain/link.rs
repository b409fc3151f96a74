//! The steps before a step.

use std::sync::Arc;

use pyo3::prelude::*;

/// A step and those before it. Chains may be long, so they are dropped without recursion.
pub struct Link<T> {
    step: Option<Py<T>>,
    before: Option<Arc<Self>>,
}

impl<T> Link<T> {
    pub fn new(step: Py<T>, before: Option<Arc<Self>>) -> Arc<Self> {
        Arc::new(Self { step: Some(step), before })
    }

    pub fn step(&self) -> &Py<T> {
        self.step.as_ref().expect("a link has its step until it is dropped")
    }

    /// This step and those before it, the latest first.
    pub fn all(&self) -> impl Iterator<Item = &Py<T>> {
        std::iter::successors(Some(self), |link| link.before.as_deref()).map(Self::step)
    }
}

impl<T> Drop for Link<T> {
    fn drop(&mut self) {
        let (mut step, mut before) = (self.step.take(), self.before.take());
        loop {
            // The step refers to the previous link too, but not exclusively: `before` also does.
            drop(step);
            let Some(mut link) = before.and_then(Arc::into_inner) else { return };
            (step, before) = (link.step.take(), link.before.take());
        }
    }
}
