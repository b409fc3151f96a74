//! Selects the elements of an operation, and builds its result.

use spikewire_aerospike_protocol::cdt::{By, elements, flags, return_type};
use spikewire_aerospike_protocol::msgpack;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::particle;

use super::container::{self, Container, ContainerKind};
use super::item::{self, compare, sought};
use crate::outcome::Found;

/// The selected elements.
#[derive(Debug)]
pub struct Picked {
    /// Their indexes, in result order.
    pub indexes: Vec<usize>,
    /// Their first index or rank, depending on the operation; -1 for a missing key.
    start: i64,
    /// The rank of an element selected by rank.
    rank: Option<i64>,
    /// Whether the operation selects at most one.
    single: bool,
    /// The return type, without the inverted bit.
    returns: i64,
}

/// Clips a range of an operation to existing elements: start and count. Negative starts count from
/// the end.
pub fn range(start: i64, count: Option<i64>, len: usize) -> (usize, usize) {
    let from_end = if start < 0 { len as i128 } else { 0 };
    clip(i128::from(start) + from_end, count, len)
}

/// The same for a start that may be before the first element.
fn clip(start: i128, count: Option<i64>, len: usize) -> (usize, usize) {
    let len = len as i128;
    let count = count.filter(|count| *count >= 0).map(i128::from);
    let end = count.map_or(len, |count| start + count).clamp(0, len);
    let start = start.clamp(0, len);
    (start as usize, (end - start).max(0) as usize)
}

/// The index of one element; -1 is the last. `None` if out of range.
pub fn single(index: i64, len: usize) -> Option<usize> {
    let index = if index < 0 { index.checked_add(len as i64)? } else { index };
    usize::try_from(index).ok().filter(|index| *index < len)
}

/// Checks a return type for an operation; returns it, and whether it is inverted.
fn check(returns: i64, by: &By<&[u8]>, kind: ContainerKind) -> Result<(i64, bool), ResultCode> {
    use return_type as rt;
    let inverted = returns & rt::INVERTED != 0;
    let returns = returns & !rt::INVERTED;
    let ranges = rt::INDEX_RANGE..=rt::REVERSE_RANK_RANGE;
    let known = matches!(returns, rt::NONE..=rt::EXISTS | rt::UNORDERED_MAP | rt::ORDERED_MAP);
    let keyed = matches!(returns, rt::KEY | rt::KEY_VALUE | rt::UNORDERED_MAP | rt::ORDERED_MAP);
    let refused = match by {
        By::Index(_)
        | By::IndexRange(..)
        | By::Key(_)
        | By::KeyInterval(..)
        | By::RelativeIndex(..) => matches!(returns, rt::RANK_RANGE | rt::REVERSE_RANK_RANGE),
        By::Value(_)
        | By::AllByValue(_)
        | By::ValueInterval(..)
        | By::Rank(_)
        | By::RankRange(..)
        | By::RelativeRank(..) => {
            matches!(returns, rt::INDEX_RANGE | rt::REVERSE_INDEX_RANGE)
        }
        By::ValueList(_) => ranges.contains(&returns),
        By::KeyList(_) => {
            matches!(returns, rt::RANK | rt::REVERSE_RANK) || ranges.contains(&returns)
        }
    };
    let bad_inverse = inverted && (by.is_single() || ranges.contains(&returns));
    if !known || keyed && kind == ContainerKind::List || refused || bad_inverse {
        return Err(ResultCode::OP_NOT_APPLICABLE);
    }
    Ok((returns, inverted))
}

/// Selects the elements.
pub fn pick(container: &Container<'_>, returns: i64, by: &By<&[u8]>) -> Result<Picked, ResultCode> {
    let (returns, inverted) = check(returns, by, container.kind)?;
    let len = container.len();
    let out_of_range = ResultCode::OP_NOT_APPLICABLE;
    let (mut start, mut taken) = (0, 0);
    let mut ranks = |(at, count): (usize, usize)| {
        (start, taken) = (at as i64, count);
        if count == 0 { Vec::new() } else { container.by_rank()[at..at + count].to_vec() }
    };
    let mut asked_rank = None;
    let mut indexes = match *by {
        By::Index(index) => {
            let at = single(index, len).ok_or(out_of_range)?;
            start = at as i64;
            vec![at]
        }
        By::Rank(rank) => {
            let at = single(rank, len).ok_or(out_of_range)?;
            asked_rank = Some(at as i64);
            start = at as i64;
            vec![of_rank(container, at)]
        }
        By::RankRange(rank, count) => ranks(range(rank, count, len)),
        By::RelativeRank(_, i64::MIN, _) => Vec::new(),
        By::RelativeRank(value, rank, count) => {
            let base = container.count_less(&sought(value)?);
            ranks(clip(base as i128 + i128::from(rank), count, len))
        }
        By::Value(value) => {
            let value = sought(value)?;
            start = container.count_less(&value) as i64;
            container.find_value(&value).into_iter().collect()
        }
        By::AllByValue(value) => {
            let value = sought(value)?;
            start = container.count_less(&value) as i64;
            having(&container.values, |other| compare(other, &value).is_eq())
        }
        By::ValueInterval(begin, end) => {
            let (begin, end) = (sought(begin)?, end.map(sought).transpose()?);
            start = container.count_less(&begin) as i64;
            within(&container.values, &begin, end.as_deref())
        }
        By::ValueList(values) => {
            let shows = container.is_sorted_list() && !inverted && is_listing(returns);
            in_list(container, values, shows)?
        }
        By::IndexRange(index, count) => {
            let (at, count) = range(index, count, len);
            (start, taken) = (at as i64, count);
            (at..at + count).collect()
        }
        By::Key(key) => {
            let at = container.find_key(&sought(key)?).ok();
            start = at.map_or(-1, |at| at as i64);
            at.into_iter().collect()
        }
        By::KeyInterval(begin, end) => {
            let (begin, end) = (sought(begin)?, end.map(sought).transpose()?);
            start = container.find_key(&begin).unwrap_or_else(|at| at) as i64;
            within(&container.keys, &begin, end.as_deref())
        }
        By::RelativeIndex(key, index, count) => {
            let base = container.find_key(&sought(key)?).unwrap_or_else(|at| at);
            let (at, count) = clip(base as i128 + i128::from(index), count, len);
            start = at as i64;
            (at..at + count).collect()
        }
        By::KeyList(keys) => {
            let mut found = Vec::new();
            for key in list_of(keys)? {
                found.extend(container.find_key(&sought(key)?));
            }
            let mut seen = vec![false; len];
            found.retain(|at| !std::mem::replace(&mut seen[*at], true));
            found
        }
    };
    if inverted {
        let marked = marks(&indexes, len);
        indexes = (0..len).filter(|at| !marked[*at]).collect();
    }
    match order(container, by, inverted, returns, (start as usize, taken)) {
        Order::AsFound => {}
        Order::Index => indexes.sort_unstable(),
        Order::Rank => indexes = sorted_by_rank(container, &indexes),
        Order::Descending => indexes.reverse(),
    }
    if returns == return_type::RANK_RANGE && container.kind == ContainerKind::Map && len == 0 {
        start = -1;
    }
    Ok(Picked { indexes, start, rank: asked_rank, single: by.is_single(), returns })
}

/// The order of several elements in a result.
enum Order {
    /// As found: rank ranges by rank, lists in the order of the searched values, everything else by
    /// index.
    AsFound,
    /// By index.
    Index,
    /// By rank.
    Rank,
    /// By rank, highest first.
    Descending,
}

/// The order of the result, as observed on servers. `start` and `count` are those of a range.
fn order(
    container: &Container<'_>,
    by: &By<&[u8]>,
    inverted: bool,
    returns: i64,
    (start, count): (usize, usize),
) -> Order {
    use return_type as rt;
    let len = container.len();
    let is_list = container.kind == ContainerKind::List;
    let ranks = matches!(returns, rt::RANK | rt::REVERSE_RANK);
    let indexes = matches!(returns, rt::INDEX | rt::REVERSE_INDEX);
    if container.is_sorted_list() {
        return Order::AsFound;
    }
    match by {
        By::RankRange(..) | By::RelativeRank(..) if inverted => {
            let is_one_run = count == 0 || start == 0 || start + count == len;
            if ranks || !is_list && is_one_run { Order::Rank } else { Order::Index }
        }
        By::RankRange(..) | By::RelativeRank(..) if is_list && !ranks => {
            // The search starts at the end of the ranks that is closer to the range.
            match (indexes, start <= len - start - count) {
                (true, _) => Order::Index,
                (false, true) => Order::Descending,
                (false, false) => Order::AsFound,
            }
        }
        By::AllByValue(_) | By::ValueInterval(..) if ranks => Order::Rank,
        By::ValueList(_) if inverted && ranks => Order::Rank,
        By::ValueList(_) if !ranks => Order::Index,
        By::KeyList(_) if !indexes => Order::Index,
        By::IndexRange(..) if ranks && (inverted && is_list || !inverted && count == len) => {
            Order::Rank
        }
        _ => Order::AsFound,
    }
}

/// Whether the result has an entry for each element.
fn is_listing(returns: i64) -> bool {
    use return_type as rt;
    matches!(returns, rt::INDEX | rt::REVERSE_INDEX | rt::RANK | rt::REVERSE_RANK | rt::VALUE)
}

/// The same indexes in the order of ranks.
fn sorted_by_rank(container: &Container<'_>, indexes: &[usize]) -> Vec<usize> {
    let marked = marks(indexes, container.len());
    container.by_rank().into_iter().filter(|at| marked[*at]).collect()
}

/// The index of the element with a rank. Among equal elements of an unordered list, the search from
/// the nearer end decides.
pub fn of_rank(container: &Container<'_>, rank: usize) -> usize {
    let len = container.len();
    let is_unsorted_list = container.kind == ContainerKind::List && !container.is_sorted_list();
    if !is_unsorted_list || rank < len - 1 - rank {
        return container.by_rank()[rank];
    }
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|a, b| compare(container.values[*b], container.values[*a]));
    order[len - 1 - rank]
}

/// Marks the elements whose index is in `indexes`.
pub fn marks(indexes: &[usize], len: usize) -> Vec<bool> {
    let mut marks = vec![false; len];
    for at in indexes {
        marks[*at] = true;
    }
    marks
}

fn having(items: &[&[u8]], test: impl Fn(&[u8]) -> bool) -> Vec<usize> {
    (0..items.len()).filter(|at| test(items[*at])).collect()
}

/// Items from `begin`, inclusive, to `end`, exclusive.
fn within(items: &[&[u8]], begin: &[u8], end: Option<&[u8]>) -> Vec<usize> {
    having(items, |item| {
        compare(item, begin).is_ge() && end.is_none_or(|end| compare(item, end).is_lt())
    })
}

fn list_of(value: &[u8]) -> Result<Vec<&[u8]>, ResultCode> {
    elements(value).ok().flatten().ok_or(ResultCode::PARAMETER)
}

/// Maximum number of matches of a list of values in an ordered list: values may repeat in both.
const MOST_ANSWERS: usize = 1 << 20;

/// Elements whose value is in a list, in the order of that list. For a value listed twice, the last
/// position counts; with `repeats`, each of them.
fn in_list(
    container: &Container<'_>,
    values: &[u8],
    repeats: bool,
) -> Result<Vec<usize>, ResultCode> {
    let order = container.by_rank();
    let mut values = list_of(values)?;
    if !repeats {
        values.reverse();
    }
    let mut taken = vec![false; container.len()];
    let mut found = Vec::new();
    for value in values {
        let value = sought(value)?;
        let matching: Vec<usize> = if item::has_wildcard(&value) {
            having(&container.values, |other| compare(other, &value).is_eq())
        } else {
            let at = |index: &usize| container.values[*index];
            let from = order.partition_point(|index| compare(at(index), &value).is_lt());
            let equal = order[from..].iter();
            // Repeated values in the list were handled the first time.
            let fresh = equal.take_while(|index| {
                (repeats || !taken[**index]) && compare(at(index), &value).is_eq()
            });
            fresh.copied().collect()
        };
        let start = found.len();
        for index in matching {
            let is_known = std::mem::replace(&mut taken[index], true);
            if !is_known || repeats && found.len() < MOST_ANSWERS {
                found.push(index);
            }
        }
        if !repeats {
            found[start..].reverse();
        }
    }
    if !repeats {
        found.reverse();
    }
    Ok(found)
}

impl Picked {
    /// The result of the operation.
    pub fn answer(&self, container: &Container<'_>) -> Option<Found> {
        use return_type as rt;
        let len = container.len();
        let last = len as i64 - 1;
        let ints = |number: &dyn Fn(usize) -> i64| match (self.single, self.indexes.first()) {
            (true, at) => Some(Found::int(at.map_or(-1, |at| number(*at)))),
            (false, _) => Some(int_list(self.indexes.iter().map(|at| number(*at)))),
        };
        let items = |items: &[&[u8]]| {
            if self.single {
                return item::found(items[*self.indexes.first()?]);
            }
            let count = self.indexes.len();
            let value = container::encode(ContainerKind::List, 0, count, |at| {
                (None, items[self.indexes[at]])
            });
            Some(Found { particle: particle::LIST, value })
        };
        match self.returns {
            rt::INDEX => ints(&|at| at as i64),
            rt::REVERSE_INDEX => ints(&|at| last - at as i64),
            rt::RANK if self.rank.is_some() => ints(&|_| self.rank.unwrap_or_default()),
            rt::REVERSE_RANK if self.rank.is_some() => {
                ints(&|_| last - self.rank.unwrap_or_default())
            }
            rt::RANK | rt::REVERSE_RANK => {
                let mut ranks = vec![0; len];
                if !self.indexes.is_empty() {
                    for (rank, at) in container.by_rank().into_iter().enumerate() {
                        ranks[at] = rank as i64;
                    }
                }
                if self.returns == rt::RANK {
                    ints(&|at| ranks[at])
                } else {
                    ints(&|at| last - ranks[at])
                }
            }
            rt::COUNT => Some(Found::count(self.indexes.len())),
            rt::KEY => items(&container.keys),
            rt::VALUE => items(&container.values),
            rt::KEY_VALUE => Some(self.map(container, flags::PRESERVE_ORDER)),
            rt::UNORDERED_MAP => Some(self.map(container, 0)),
            rt::ORDERED_MAP => Some(self.map(container, flags::ORDERED)),
            rt::INDEX_RANGE | rt::RANK_RANGE => Some(self.range(self.start)),
            rt::REVERSE_INDEX_RANGE | rt::REVERSE_RANK_RANGE if self.start < 0 => {
                Some(self.range(-1))
            }
            rt::REVERSE_INDEX_RANGE | rt::REVERSE_RANK_RANGE => {
                Some(self.range(len as i64 - self.start - self.indexes.len() as i64))
            }
            rt::EXISTS => {
                let value = vec![u8::from(!self.indexes.is_empty())];
                Some(Found { particle: particle::BOOL, value })
            }
            _ => None,
        }
    }

    fn range(&self, start: i64) -> Found {
        int_list([start, self.indexes.len() as i64].into_iter())
    }

    fn map(&self, container: &Container<'_>, flags: u8) -> Found {
        let mut indexes = self.indexes.clone();
        if flags == flags::ORDERED {
            indexes.sort_unstable();
        }
        let value = container::encode(ContainerKind::Map, flags, indexes.len(), |at| {
            (Some(container.keys[indexes[at]]), container.values[indexes[at]])
        });
        Found { particle: particle::MAP, value }
    }
}

fn int_list(ints: impl ExactSizeIterator<Item = i64>) -> Found {
    let mut value = Vec::with_capacity(5 + ints.len());
    msgpack::array(&mut value, ints.len() as u32);
    ints.for_each(|int| msgpack::int(&mut value, int));
    Found { particle: particle::LIST, value }
}
