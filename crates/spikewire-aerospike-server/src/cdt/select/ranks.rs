//! Positions of ranks.

use std::cmp::Ordering;

use super::super::container::{Container, ContainerKind};
use super::super::item::compare;
use super::Run;

/// The index of the element with a rank.
pub fn of_rank(container: &Container<'_>, rank: usize) -> usize {
    of_ranks(container, (rank, 1))[0]
}

/// The indexes of the elements with these ranks, in the order in which results list them: by rank,
/// but in an unordered list from the highest rank down if the run is nearer to the lowest.
pub fn of_ranks(container: &Container<'_>, (start, count): Run) -> Vec<usize> {
    if container.kind == ContainerKind::List && !container.is_sorted_list() {
        return ranks_of_unordered(&container.values, (start, count));
    }
    container.by_rank()[start..start + count].to_vec()
}

/// Elements of an unordered list. Which of several equal ones has which rank results from the
/// search: a heap whose top is the end of the ranks that is nearer to the run.
fn ranks_of_unordered(values: &[&[u8]], (start, count): Run) -> Vec<usize> {
    let tail = values.len() - start - count;
    let (first, skipped) =
        if start <= tail { (Ordering::Less, start) } else { (Ordering::Greater, tail) };
    let mut heap = Heap { values, first, indexes: (0..values.len()).collect() };
    for at in (0..values.len() / 2).rev() {
        heap.sink(at);
    }
    for _ in 0..skipped {
        heap.pop();
    }
    let mut indexes: Vec<usize> = std::iter::from_fn(|| heap.pop()).take(count).collect();
    indexes.reverse();
    indexes
}

/// A binary heap of indexes of values. Unlike that of the standard library, it says which of
/// several equal values is the top.
struct Heap<'a> {
    values: &'a [&'a [u8]],
    /// How the top compares to the others.
    first: Ordering,
    indexes: Vec<usize>,
}

impl Heap<'_> {
    fn compare(&self, a: usize, b: usize) -> Ordering {
        compare(self.values[self.indexes[a]], self.values[self.indexes[b]])
    }

    fn sink(&mut self, mut at: usize) {
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            if left >= self.indexes.len() {
                return;
            }
            let has_right = right < self.indexes.len();
            let order = if has_right { self.compare(left, right) } else { Ordering::Equal };
            let child = if order == self.first || order.is_eq() { left } else { right };
            if self.compare(child, at) != self.first {
                return;
            }
            self.indexes.swap(at, child);
            at = child;
        }
    }

    fn pop(&mut self) -> Option<usize> {
        if self.indexes.is_empty() {
            return None;
        }
        let top = self.indexes.swap_remove(0);
        self.sink(0);
        Some(top)
    }
}
