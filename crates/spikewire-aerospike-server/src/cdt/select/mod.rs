//! Selects the elements of an operation, and builds its result.
//!
//! Which of several equal elements is meant, and in which order a result lists what was selected,
//! depends on the way of selecting, the order of the list or map, and whether the rest is asked for.
//! All of it is as on servers, including what looks arbitrary.
//!
//! | module | what it holds |
//! |---|---|
//! | `list`, `map` | the ways of selecting |
//! | `ranks`, `search` | positions of ranks; of listed values |
//! | `answer` | results |

mod answer;
mod list;
mod map;
mod ranks;
mod search;

use spikewire_aerospike_protocol::cdt::{By, elements};
use spikewire_aerospike_protocol::result_code::ResultCode;

use self::answer::Answer;
pub use self::ranks::of_rank;
use super::container::{Container, ContainerKind};
use crate::outcome::ReplyValue;

/// The selected elements, and the result.
#[derive(Debug)]
pub struct SelectResult {
    /// Their indexes in ascending order.
    pub indexes: Vec<usize>,
    /// The result of the operation.
    pub answer: Option<ReplyValue>,
}

/// Selects the elements.
pub fn pick(
    container: &Container<'_>,
    returns: i64,
    by: &By<&[u8]>,
) -> Result<SelectResult, ResultCode> {
    let answer = Answer::new(container, returns, !by.is_single())?;
    match container.kind {
        ContainerKind::List => list::pick(answer, by),
        ContainerKind::Map => map::pick(answer, by),
    }
}

/// A start and a count of elements.
type Run = (usize, usize);

/// Clips a range of an operation to existing elements: start and count. Negative starts count from
/// the end.
pub fn range(start: i64, count: Option<i64>, len: usize) -> Run {
    let from_end = if start < 0 { len as i128 } else { 0 };
    let start = i128::from(start) + from_end;
    let len = len as i128;
    let end = (start + whole(count)).clamp(0, len);
    let start = start.clamp(0, len);
    (start as usize, (end - start).max(0) as usize)
}

/// A count as servers read it: unsigned, and 32 bits of ones if there is none.
fn whole(count: Option<i64>) -> i128 {
    count.map_or(i128::from(u32::MAX), |count| i128::from(count as u64))
}

/// The start and count of an operation relative to a position, as those of an operation that is
/// not. A start before the first element shortens the count.
fn relative(start: i64, count: Option<i64>, base: usize) -> (i64, Option<i64>) {
    let start = i128::from(start) + base as i128;
    if start >= 0 {
        return (start.min(i128::from(i64::MAX)) as i64, count);
    }
    (0, Some((whole(count) + start).clamp(0, i128::from(i64::MAX)) as i64))
}

/// The index of one element; -1 is the last. `None` if out of range.
pub fn single(index: i64, len: usize) -> Option<usize> {
    let index = if index < 0 { index.checked_add(len as i64)? } else { index };
    usize::try_from(index).ok().filter(|index| *index < len)
}

/// All elements outside a run, as one run where that is possible.
fn outside((start, count): Run, len: usize) -> Vec<Run> {
    let end = start + count;
    match (count, start) {
        (0, _) => vec![(0, len)],
        (_, 0) => vec![(end, len - end)],
        _ if end == len => vec![(0, start)],
        _ => vec![(0, start), (end, len - end)],
    }
}

/// Marks the elements whose index is in `indexes`.
pub fn marks(indexes: &[usize], len: usize) -> Vec<bool> {
    let mut marks = vec![false; len];
    for at in indexes {
        marks[*at] = true;
    }
    marks
}

/// Elements that are marked, or that are not, in ascending order.
fn marked(marks: &[bool], mark: bool) -> Vec<usize> {
    (0..marks.len()).filter(|at| marks[*at] == mark).collect()
}

fn list_of(value: &[u8]) -> Result<Vec<&[u8]>, ResultCode> {
    elements(value).ok().flatten().ok_or(ResultCode::PARAMETER)
}
