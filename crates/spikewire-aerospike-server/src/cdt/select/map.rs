//! Elements of maps.

use spikewire_aerospike_protocol::cdt::{By, return_type as rt};
use spikewire_aerospike_protocol::error_details::subcode;
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::super::container::Container;
use super::super::item::{compare, sought};
use super::answer::Answer;
use super::ranks::of_ranks;
use super::search::{Matches, sought_list};
use super::{SelectResult, marked, marks, relative};
use crate::outcome::ReplyValue;

/// Selects from a map.
pub fn pick(answer: Answer<'_, '_>, by: &By<&[u8]>) -> Result<SelectResult, ResultCode> {
    let map = answer.container;
    match *by {
        By::Index(at) => by_index(answer, at, Some(1)),
        By::IndexRange(at, count) => by_index(answer, at, count),
        By::Rank(rank) => by_rank(answer, rank, Some(1)),
        By::RankRange(rank, count) => by_rank(answer, rank, count),
        By::RelativeIndex(key, index, count) => {
            let (index, count) = relative(index, count, lower(map, sought(key)?));
            by_index(answer, index, count)
        }
        By::RelativeRank(value, rank, count) => {
            let (rank, count) = relative(rank, count, map.count_less(sought(value)?));
            by_rank(answer, rank, count)
        }
        By::Key(key) => by_key(answer, sought(key)?),
        By::KeyInterval(begin, end) => {
            by_key_interval(answer, sought(begin)?, end.map(sought).transpose()?)
        }
        By::KeyList(keys) => by_keys(answer, keys),
        By::Value(value) | By::AllByValue(value) => {
            let value = sought(value)?;
            by_value_interval(answer, value, |other| compare(other, value).is_eq())
        }
        By::ValueInterval(begin, end) => {
            let (begin, end) = (sought(begin)?, end.map(sought).transpose()?);
            by_value_interval(answer, begin, |other| {
                compare(other, begin).is_ge() && end.is_none_or(|end| compare(other, end).is_lt())
            })
        }
        By::ValueList(values) => by_values(answer, values),
    }
}

/// Whether it is stored as a map in key order; an unordered map is searched in other ways.
fn is_ordered(map: &Container<'_>) -> bool {
    map.flags != 0
}

/// Number of keys less than this one.
fn lower(map: &Container<'_>, key: &[u8]) -> usize {
    map.keys.partition_point(|other| compare(other, key).is_lt())
}

/// All pairs, after the inverted bit was applied.
fn everything(answer: Answer<'_, '_>) -> Result<SelectResult, ResultCode> {
    answer.upright().runs(&[(0, answer.len())])
}

/// The ranks of the pairs with these indexes; of pairs with equal values, the key decides.
fn ranks(answer: Answer<'_, '_>, indexes: &[usize]) -> Option<ReplyValue> {
    let mut ranks = vec![0; answer.len()];
    for (rank, at) in answer.container.by_rank().into_iter().enumerate() {
        ranks[at] = rank;
    }
    answer.each(indexes.iter().map(|at| ranks[*at]))
}

fn by_index(
    answer: Answer<'_, '_>,
    index: i64,
    count: Option<i64>,
) -> Result<SelectResult, ResultCode> {
    let run = answer.window(index, count, subcode::CDT_INDEX)?;
    answer.reject_if(answer.is_rank_range())?;
    answer.reject_inverted_single()?;
    let runs = answer.selected(run);
    if let [(start, 0)] = runs[..] {
        return Ok(answer.nothing(start as i64));
    }
    let is_all = runs.len() == 1 && runs[0].1 == answer.len();
    if answer.is_rank() && !is_all {
        let indexes: Vec<usize> =
            runs.iter().flat_map(|(start, count)| *start..start + count).collect();
        let value = ranks(answer, &indexes);
        return Ok(SelectResult { indexes, answer: value });
    }
    let mut selected = answer.upright().runs(&runs)?;
    if runs.len() > 1 && !is_ordered(answer.container) && !answer.is_elements() {
        selected.answer = answer.span(run.0, run.1)?;
    }
    Ok(selected)
}

fn by_key(answer: Answer<'_, '_>, key: &[u8]) -> Result<SelectResult, ResultCode> {
    answer.reject_if(answer.is_rank_range())?;
    if !is_ordered(answer.container) {
        answer.reject_inverted_single()?;
    }
    match answer.container.find_key(key) {
        Ok(at) => by_index(answer, at as i64, Some(1)),
        Err(_) => Ok(answer.nothing(-1)),
    }
}

fn by_key_interval(
    answer: Answer<'_, '_>,
    begin: &[u8],
    end: Option<&[u8]>,
) -> Result<SelectResult, ResultCode> {
    answer.reject_if(answer.is_rank_range())?;
    let map = answer.container;
    let start = lower(map, begin);
    let end = end.map_or(map.len(), |end| lower(map, end)).max(start);
    if is_ordered(map) {
        return by_index(answer, start as i64, Some((end - start) as i64));
    }
    let indexes = marked(&marks(&(start..end).collect::<Vec<_>>(), map.len()), !answer.inverted);
    let value = if answer.is_elements() {
        answer.elements(&indexes)
    } else if answer.is_rank() {
        ranks(answer, &indexes)
    } else {
        answer.span(start, end - start)?
    };
    Ok(SelectResult { indexes, answer: value })
}

fn by_rank(
    answer: Answer<'_, '_>,
    rank: i64,
    count: Option<i64>,
) -> Result<SelectResult, ResultCode> {
    let map = answer.container;
    let run = answer.window(rank, count, subcode::CDT_RANK)?;
    answer.reject_if(answer.is_index_range())?;
    answer.reject_inverted_single()?;
    let mut runs = answer.selected(run);
    let mut answer = answer;
    if runs.len() == 1 {
        answer = answer.upright();
    } else {
        runs = vec![run];
    }
    let run = runs[0];
    if run.1 == 0 {
        return Ok(answer.nothing(run.0 as i64));
    }
    let order = of_ranks(map, run);
    let indexes = marked(&marks(&order, map.len()), !answer.inverted);
    let by_index = answer.inverted || answer.returns == rt::ORDERED_MAP;
    let value = if answer.is_elements() {
        answer.elements(if by_index { &indexes } else { &order })
    } else if answer.is_index() {
        answer.each(if by_index { &indexes } else { &order }.iter().copied())
    } else {
        answer.span(run.0, run.1)?
    };
    Ok(SelectResult { indexes, answer: value })
}

/// Pairs whose value passes `test`; `begin` is the least value that does.
fn by_value_interval(
    answer: Answer<'_, '_>,
    begin: &[u8],
    test: impl Fn(&[u8]) -> bool,
) -> Result<SelectResult, ResultCode> {
    answer.reject_if(answer.is_index_range())?;
    answer.reject_inverted_single()?;
    let map = answer.container;
    if map.is_empty() {
        return Ok(answer.nothing(-1));
    }
    let below = map.count_less(begin);
    let most = if answer.many { map.len() } else { 1 };
    let matches: Vec<usize> =
        (0..map.len()).filter(|at| test(map.values[*at])).take(most).collect();
    let count = matches.len();
    if count == 0 {
        return if answer.inverted { everything(answer) } else { Ok(answer.nothing(below as i64)) };
    }
    let indexes = marked(&marks(&matches, map.len()), !answer.inverted);
    let value = if answer.is_elements() {
        answer.elements(&indexes)
    } else if answer.is_index() {
        answer.each(indexes.iter().copied())
    } else {
        answer.span(below, count)?
    };
    Ok(SelectResult { indexes, answer: value })
}

fn by_keys(answer: Answer<'_, '_>, keys: &[u8]) -> Result<SelectResult, ResultCode> {
    let keys = sought_list(keys)?;
    answer.reject_if(answer.is_rank() || answer.is_index_range() || answer.is_rank_range())?;
    match (keys.is_empty(), answer.inverted) {
        (true, false) => return Ok(answer.nothing(0)),
        (true, true) => return everything(answer),
        _ => {}
    }
    let map = answer.container;
    let key_matches = Matches::find(&map.keys, &keys, answer.is_index());
    let indexes = marked(&key_matches.marks, !answer.inverted);
    let value = match answer.plain(&indexes) {
        Some(value) => value,
        None if !is_ordered(map) && answer.inverted => answer.blocks(&key_matches.gaps(map.len())),
        None if answer.inverted => answer.each(indexes.iter().copied()),
        None if !is_ordered(map) => {
            answer.each(key_matches.hits.iter().flat_map(|(start, count)| *start..start + count))
        }
        None => {
            let equal = |key: &&[u8]| {
                let start = lower(map, key);
                let rest = &map.keys[start..];
                (start, rest.partition_point(|other| compare(other, key).is_eq()))
            };
            answer.blocks(&keys.iter().map(equal).collect::<Vec<_>>())
        }
    };
    Ok(SelectResult { indexes, answer: value })
}

fn by_values(answer: Answer<'_, '_>, values: &[u8]) -> Result<SelectResult, ResultCode> {
    let values = sought_list(values)?;
    answer.reject_if(answer.is_index_range() || answer.is_rank_range())?;
    match (values.is_empty(), answer.inverted) {
        (true, false) => return Ok(answer.nothing(0)),
        (true, true) => return everything(answer),
        _ => {}
    }
    let map = answer.container;
    if map.len() <= 1 {
        return Ok(by_values_of_one(answer, &values));
    }
    let value_matches = Matches::find(&map.values, &values, answer.is_rank());
    let indexes = marked(&value_matches.marks, !answer.inverted);
    let value = match answer.plain(&indexes) {
        Some(value) => value,
        None if answer.is_index() => answer.each(indexes.iter().copied()),
        None if answer.inverted => answer.blocks(&value_matches.gaps(map.len())),
        None => {
            answer.each(value_matches.hits.iter().flat_map(|(start, count)| *start..start + count))
        }
    };
    Ok(SelectResult { indexes, answer: value })
}

/// The same in a map of at most one pair, which is answered for value by value.
fn by_values_of_one(answer: Answer<'_, '_>, values: &[&[u8]]) -> SelectResult {
    let map = answer.container;
    let equal = |value: &&&[u8]| map.values.iter().any(|other| compare(other, value).is_eq());
    let hits = values.iter().filter(equal).count();
    let indexes = marked(&vec![hits > 0; map.len()], !answer.inverted);
    let value = answer.plain(&indexes).unwrap_or_else(|| {
        let repeats = if answer.inverted { indexes.len() } else { hits };
        answer.each(std::iter::repeat_n(0, repeats))
    });
    SelectResult { indexes, answer: value }
}
