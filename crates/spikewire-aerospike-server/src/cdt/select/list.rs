//! Elements of lists.

use spikewire_aerospike_protocol::cdt::{By, return_type as rt};
use spikewire_aerospike_protocol::error_details::subcode;
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::super::container::Container;
use super::super::item::{compare, sought};
use super::answer::Answer;
use super::ranks::of_ranks;
use super::search::{Matches, sought_list};
use super::{Run, SelectResult, marked, marks, relative};

/// Most elements in the result of a list of values: in an ordered list, a value that is searched
/// for several times is returned as often.
const MOST_ANSWERS: usize = 1 << 22;

/// Selects from a list.
pub fn pick(answer: Answer<'_, '_>, by: &By<&[u8]>) -> Result<SelectResult, ResultCode> {
    let list = answer.container;
    match *by {
        By::Index(at) => by_index(answer, at, Some(1)),
        By::IndexRange(at, count) => by_index(answer, at, count),
        By::Rank(rank) => by_rank(answer, rank, Some(1)),
        By::RankRange(rank, count) => by_rank(answer, rank, count),
        By::RelativeRank(value, rank, count) => {
            let (rank, count) = relative(rank, count, list.count_less(sought(value)?));
            by_rank(answer, rank, count)
        }
        By::Value(value) | By::AllByValue(value) => {
            let value = sought(value)?;
            if list.is_sorted_list() {
                return by_sorted_run(answer, equal_run(list, value));
            }
            by_interval(answer, value, |other| compare(other, value).is_eq())
        }
        By::ValueInterval(begin, end) => {
            let (begin, end) = (sought(begin)?, end.map(sought).transpose()?);
            if list.is_sorted_list() {
                return by_sorted_run(answer, interval_run(list, begin, end));
            }
            by_interval(answer, begin, |other| {
                compare(other, begin).is_ge() && end.is_none_or(|end| compare(other, end).is_lt())
            })
        }
        By::ValueList(values) if list.is_sorted_list() => by_values_sorted(answer, values),
        By::ValueList(values) => by_values(answer, values),
        By::Key(_) | By::KeyList(_) | By::KeyInterval(..) | By::RelativeIndex(..) => {
            Err(ResultCode::PARAMETER)
        }
    }
}

fn by_index(
    answer: Answer<'_, '_>,
    index: i64,
    count: Option<i64>,
) -> Result<SelectResult, ResultCode> {
    let run = answer.window(index, count, subcode::CDT_INDEX)?;
    answer.reject_inverted_single()?;
    answer.reject_if(answer.inverted && (answer.is_index_range() || answer.is_rank_range()))?;
    let runs = answer.selected(run);
    let answer = answer.upright();
    let list = answer.container;
    match runs[..] {
        [(start, 0)] => return Ok(answer.nothing(start as i64)),
        _ if list.is_sorted_list() => return answer.runs(&runs),
        [(_, count)] if count == list.len() => answer.reject_if(answer.is_rank_range())?,
        _ if answer.is_rank() => return Ok(lowest_ranks(answer, &runs)),
        _ => answer.reject_if(answer.is_rank_range())?,
    }
    answer.runs(&runs)
}

/// The ranks of elements of an unordered list. Equal elements all have the lowest of theirs.
fn lowest_ranks(answer: Answer<'_, '_>, runs: &[Run]) -> SelectResult {
    let list = answer.container;
    let order = list.by_rank();
    let mut ranks = vec![0; list.len()];
    for (rank, at) in order.iter().enumerate() {
        let before = rank.checked_sub(1).map(|before| order[before]);
        ranks[*at] = match before {
            Some(before) if compare(list.values[before], list.values[*at]).is_eq() => ranks[before],
            _ => rank,
        };
    }
    let indexes: Vec<usize> =
        runs.iter().flat_map(|(start, count)| *start..start + count).collect();
    let answer = answer.each(indexes.iter().map(|at| ranks[*at]));
    SelectResult { indexes, answer }
}

fn by_rank(
    answer: Answer<'_, '_>,
    rank: i64,
    count: Option<i64>,
) -> Result<SelectResult, ResultCode> {
    let list = answer.container;
    if list.is_sorted_list() {
        return by_index(answer, rank, count);
    }
    let run = answer.window(rank, count, subcode::CDT_RANK)?;
    answer.reject_inverted_single()?;
    let order = if run.1 == 0 { Vec::new() } else { of_ranks(list, run) };
    let indexes = marked(&marks(&order, list.len()), !answer.inverted);
    if indexes.is_empty() {
        return Ok(answer.nothing(run.0 as i64));
    }
    let value = match answer.returns {
        rt::VALUE if answer.inverted => answer.elements(&indexes),
        rt::VALUE => answer.elements(&order),
        _ if answer.is_index() => answer.each(indexes.iter().copied()),
        _ => {
            answer.reject_if(answer.is_index_range())?;
            answer.span(run.0, run.1)?
        }
    };
    Ok(SelectResult { indexes, answer: value })
}

/// Elements of an ordered list.
fn by_sorted_run(answer: Answer<'_, '_>, (start, count): Run) -> Result<SelectResult, ResultCode> {
    answer.reject_inverted_single()?;
    if count == 0 && !answer.many {
        return Ok(answer.nothing(0));
    }
    by_index(answer, start as i64, Some(count as i64))
}

/// Elements of an unordered list for which `test` is true; none is less than `begin`.
fn by_interval(
    answer: Answer<'_, '_>,
    begin: &[u8],
    test: impl Fn(&[u8]) -> bool,
) -> Result<SelectResult, ResultCode> {
    answer.reject_inverted_single()?;
    let list = answer.container;
    let below = list.count_less(begin);
    let most = if answer.many { list.len() } else { 1 };
    let matches: Vec<usize> =
        (0..list.len()).filter(|at| test(list.values[*at])).take(most).collect();
    let count = matches.len();
    let indexes =
        if answer.inverted { marked(&marks(&matches, list.len()), false) } else { matches };
    let result = match answer.returns {
        rt::VALUE => answer.elements(&indexes),
        _ if answer.is_index() => answer.each(indexes.iter().copied()),
        _ => {
            answer.reject_if(answer.is_index_range())?;
            answer.span(below, count)?
        }
    };
    Ok(SelectResult { indexes, answer: result })
}

/// Checks the searched values, and handles the case that there are none.
fn values_of<'v>(
    answer: Answer<'_, '_>,
    values: &'v [u8],
) -> Result<Result<Vec<&'v [u8]>, SelectResult>, ResultCode> {
    answer.reject_if(answer.is_index_range() || answer.is_rank_range())?;
    let values = sought_list(values)?;
    Ok(match (values.is_empty(), answer.inverted) {
        (true, false) => Err(answer.nothing(0)),
        (true, true) => Err(by_index(answer.upright(), 0, None)?),
        _ => Ok(values),
    })
}

fn by_values(answer: Answer<'_, '_>, values: &[u8]) -> Result<SelectResult, ResultCode> {
    let values = match values_of(answer, values)? {
        Ok(values) => values,
        Err(selected) => return Ok(selected),
    };
    let list = answer.container;
    let value_matches = Matches::find(&list.values, &values, answer.is_rank());
    let indexes = marked(&value_matches.marks, !answer.inverted);
    let value = match answer.plain(&indexes) {
        Some(value) => value,
        None if answer.is_index() => answer.each(indexes.iter().copied()),
        None if answer.inverted => answer.blocks(&value_matches.gaps(list.len())),
        None => {
            answer.each(value_matches.hits.iter().flat_map(|(start, count)| *start..start + count))
        }
    };
    Ok(SelectResult { indexes, answer: value })
}

/// The same in an ordered list, which answers value by value.
fn by_values_sorted(answer: Answer<'_, '_>, values: &[u8]) -> Result<SelectResult, ResultCode> {
    let values = match values_of(answer, values)? {
        Ok(values) => values,
        Err(selected) => return Ok(selected),
    };
    let list = answer.container;
    let runs: Vec<Run> = values.iter().map(|value| equal_run(list, value)).collect();
    let mut marks = vec![false; list.len()];
    for (start, count) in &runs {
        marks[*start..start + count].fill(true);
    }
    let indexes = marked(&marks, !answer.inverted);
    if matches!(answer.returns, rt::NONE | rt::COUNT | rt::EXISTS) || answer.inverted {
        let value = answer.plain(&indexes);
        let value = value.unwrap_or_else(|| answer.each(indexes.iter().copied()));
        return Ok(SelectResult { indexes, answer: value });
    }
    if runs.iter().map(|run| run.1).sum::<usize>() > MOST_ANSWERS {
        return Err(ResultCode::RECORD_TOO_BIG);
    }
    let value = if answer.returns == rt::VALUE {
        let order: Vec<usize> =
            runs.iter().flat_map(|(start, count)| *start..start + count).collect();
        answer.elements(&order)
    } else {
        answer.blocks(&runs)
    };
    Ok(SelectResult { indexes, answer: value })
}

/// The elements of an ordered list from `begin` up to, but not including, `end`.
fn interval_run(list: &Container<'_>, begin: &[u8], end: Option<&[u8]>) -> Run {
    let lower = |bound: &[u8]| list.values.partition_point(|other| compare(other, bound).is_lt());
    let start = lower(begin);
    let end = match end {
        None => list.len(),
        Some(end) if compare(begin, end).is_ge() => start,
        Some(end) => lower(end),
    };
    (start, end.saturating_sub(start))
}

/// The elements of an ordered list that equal a value.
fn equal_run(list: &Container<'_>, value: &[u8]) -> Run {
    let start = list.values.partition_point(|other| compare(other, value).is_lt());
    let count = list.values[start..].partition_point(|other| compare(other, value).is_eq());
    (start, count)
}
