//! A slab: items with small, reusable numbers.

/// A growing table with holes.
#[derive(Debug)]
pub struct Slab<T> {
    items: Vec<Option<T>>,
    free: Vec<usize>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { items: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    /// Reserves a free number until [`Slab::release`].
    pub fn reserve(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            self.items.push(None);
            self.items.len() - 1
        })
    }

    /// Stores an item under a reserved number.
    pub fn put(&mut self, at: usize, item: T) {
        self.items[at] = Some(item);
    }

    /// The item with this number.
    pub fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        self.items.get_mut(at)?.as_mut()
    }

    /// Removes an item; its number stays reserved.
    pub fn take(&mut self, at: usize) -> Option<T> {
        self.items.get_mut(at)?.take()
    }

    /// Frees a number.
    pub fn release(&mut self, at: usize) {
        self.free.push(at);
    }

    /// The stored items.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.items.iter().flatten()
    }

    /// The numbers of the matching items.
    pub fn find(&self, is_match: impl Fn(&T) -> bool) -> Vec<usize> {
        let matches = |at: &usize| self.items[*at].as_ref().is_some_and(&is_match);
        (0..self.items.len()).filter(matches).collect()
    }
}
