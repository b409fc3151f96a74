//! Positions of listed values.

use std::cmp::Ordering;

use spikewire_aerospike_protocol::result_code::ResultCode;

use super::super::item::{self, compare};
use super::{Run, list_of};

/// Where elements lie among searched values.
pub struct Matches {
    /// Which elements are among the values.
    pub marks: Vec<bool>,
    /// For each searched value the number of lesser elements, and of those that are equal. Of a
    /// value that is listed several times, only the last occurrence has any.
    pub hits: Vec<Run>,
    /// Searched values in ascending order.
    order: Vec<usize>,
}

impl Matches {
    /// Looks up all elements among the searched values. Only `with_hits` has the numbers of
    /// elements.
    pub fn find(elements: &[&[u8]], sought: &[&[u8]], with_hits: bool) -> Self {
        let order = sorted(sought);
        let mut matches =
            Self { marks: vec![false; elements.len()], hits: vec![(0, 0); sought.len()], order };
        for (at, element) in elements.iter().enumerate() {
            let (is_listed, above) = position(element, sought, &matches.order, with_hits);
            matches.marks[at] = is_listed;
            if !with_hits {
                continue;
            }
            if is_listed {
                matches.hits[matches.order[above - 1]].1 += 1;
            }
            if let Some(next) = matches.order.get(above) {
                matches.hits[*next].0 += 1;
            }
        }
        let mut below = 0;
        for index in &matches.order {
            below += matches.hits[*index].0;
            matches.hits[*index].0 = below;
        }
        matches
    }

    /// Runs of ranks that the values leave out.
    pub fn gaps(&self, len: usize) -> Vec<Run> {
        let mut gaps = Vec::new();
        let mut end = 0;
        let hits = self.order.iter().map(|index| self.hits[*index]).filter(|hit| hit.1 > 0);
        for (start, count) in hits.chain([(len, 0)]) {
            gaps.push((end, start.saturating_sub(end)));
            end = start + count;
        }
        gaps
    }
}

/// Whether a value is among others in ascending order, and behind the last of those that equal it;
/// or, not `to_the_last`, at any of them. With wildcards there may be no order, so that the way of
/// searching decides: it is that of servers.
fn position(value: &[u8], others: &[&[u8]], order: &[usize], to_the_last: bool) -> (bool, usize) {
    let (mut lower, mut upper) = (0, order.len());
    let mut at = upper / 2;
    let mut is_equal = false;
    while lower < upper {
        let compared = compare(value, others[order[at]]);
        is_equal |= compared.is_eq();
        match compared {
            Ordering::Equal if !to_the_last => break,
            Ordering::Less if at == lower => break,
            Ordering::Less => {
                upper = at;
                at = usize::midpoint(at, lower);
            }
            _ if at + 1 >= upper => return (is_equal, at + 1),
            _ => {
                lower = if is_equal { at } else { at + 1 };
                at = usize::midpoint(at, upper);
            }
        }
    }
    (is_equal, at)
}

/// The values of an encoded list to search for.
pub fn sought_list(values: &[u8]) -> Result<Vec<&[u8]>, ResultCode> {
    list_of(item::sought(values)?)
}

/// Indexes of values in ascending order, equal ones as they come. Wildcards equal everything, so
/// that there may be no order; a sort of the standard library may panic then.
fn sorted(values: &[&[u8]]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    let mut merged = order.clone();
    merge_sort(&mut order, &mut merged, values);
    order
}

fn merge_sort(order: &mut [usize], space: &mut [usize], values: &[&[u8]]) {
    let len = order.len();
    if len < 2 {
        return;
    }
    let middle = len / 2;
    merge_sort(&mut order[..middle], space, values);
    merge_sort(&mut order[middle..], space, values);
    let (mut left, mut right) = (0, middle);
    for slot in &mut space[..len] {
        let takes_left = right == len
            || left < middle && compare(values[order[left]], values[order[right]]).is_le();
        let from = if takes_left { &mut left } else { &mut right };
        *slot = order[*from];
        *from += 1;
    }
    order.copy_from_slice(&space[..len]);
}
