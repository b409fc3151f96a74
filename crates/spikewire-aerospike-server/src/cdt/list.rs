//! List operations.

use spikewire_aerospike_protocol::cdt::flags::{self, list_sort, list_write};
use spikewire_aerospike_protocol::cdt::{ListOp, elements};
use spikewire_aerospike_protocol::error_details::subcode;
use spikewire_aerospike_protocol::msgpack::{Reader, Token};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::particle;

use super::container::{self, Container, ContainerKind};
use super::item::{self, compare, stored};
use super::select::{marks, pick, range, single};
use super::{Edit, MOST_ELEMENTS};
use crate::outcome::ReplyValue;
use crate::reason;

const NIL: &[u8] = &[0xc0];
/// The most bytes of a joined text.
const LARGEST_TEXT: usize = 8 << 20;

/// Runs a read operation.
pub fn read(list: &Container<'_>, op: &ListOp<&[u8]>) -> Result<Option<ReplyValue>, ResultCode> {
    match op {
        ListOp::Size => Ok(Some(ReplyValue::count(list.len()))),
        ListOp::Get(index) => Ok(item::reply_value(list.values[at(list, *index)?])),
        ListOp::GetRange(index, count) => Ok(Some(slice(list, range(*index, *count, list.len())))),
        ListOp::GetBy(returns, by) => Ok(pick(list, *returns, by)?.answer),
        ListOp::Join(separator) => joined(&list.values, *separator).map(Some),
        _ => Err(ResultCode::PARAMETER),
    }
}

/// The strings of a list, joined.
fn joined(items: &[&[u8]], separator: Option<&[u8]>) -> Result<ReplyValue, ResultCode> {
    let text = |item: &[u8]| match Reader::new(item).next() {
        Ok(Token::Bytes(particle::STRING, text)) if std::str::from_utf8(text).is_ok() => {
            Ok(text.to_vec())
        }
        _ => Err(ResultCode::PARAMETER),
    };
    let separator = separator.map(text).transpose()?.unwrap_or_default();
    let texts = items.iter().map(|item| text(item)).collect::<Result<Vec<_>, _>>()?;
    let length = texts.iter().map(|text| text.len() + separator.len()).sum::<usize>();
    if length > LARGEST_TEXT {
        return Err(ResultCode::PARAMETER);
    }
    Ok(ReplyValue { particle: particle::STRING, value: texts.join(&separator[..]) })
}

/// Runs a modify operation. A missing list is created if the operation does so.
pub fn modify(list: Option<Container<'_>>, op: &ListOp<&[u8]>) -> Result<Edit, ResultCode> {
    let make = |order: i64| Container::new(ContainerKind::List, order);
    match *op {
        ListOp::SetOrder(order) => set_order(list.unwrap_or_else(|| make(0)), order),
        ListOp::Append { value, order, flags } => {
            let list = list.unwrap_or_else(|| make(order));
            let value = stored(value)?;
            put(list, None, &[&value], flags, false)
        }
        ListOp::AppendItems { items, order, flags } => {
            let list = list.unwrap_or_else(|| make(order));
            let items = stored(items)?;
            put(list, None, &list_of(&items)?, flags, true)
        }
        ListOp::Insert { index, value, flags } => {
            let list = list.unwrap_or_else(|| make(0));
            let value = stored(value)?;
            put(list, Some(index), &[&value], flags, false)
        }
        ListOp::InsertItems { index, items, flags } => {
            let list = list.unwrap_or_else(|| make(0));
            let items = stored(items)?;
            put(list, Some(index), &list_of(&items)?, flags, true)
        }
        ListOp::Set { index, value, flags } => {
            let value = stored(value)?;
            set(list.unwrap_or_else(|| make(0)), index, &value, flags)
        }
        ListOp::Increment { index, delta, order, flags } => {
            increment(list.unwrap_or_else(|| make(order)), index, delta, flags)
        }
        ListOp::Sort(flags) => sort(list.ok_or(ResultCode::BIN_TYPE)?, flags),
        _ => match list {
            Some(list) => take_out(list, op),
            None => Ok(Edit::default()),
        },
    }
}

/// Operations that only remove elements.
fn take_out(mut list: Container<'_>, op: &ListOp<&[u8]>) -> Result<Edit, ResultCode> {
    let len = list.len();
    let (from, count, result) = match *op {
        ListOp::Pop(index) => {
            let at = at(&list, index)?;
            (at, 1, item::reply_value(list.values[at]))
        }
        ListOp::PopRange(index, count) => {
            let range = range(index, count, len);
            (range.0, range.1, Some(slice(&list, range)))
        }
        ListOp::Remove(index) => (at(&list, index)?, 1, Some(ReplyValue::count(1))),
        ListOp::RemoveRange(index, count) => {
            let (from, count) = range(index, count, len);
            (from, count, Some(ReplyValue::count(count)))
        }
        ListOp::Clear => (0, len, None),
        ListOp::Trim(index, count) => {
            let (from, count) = range(index, Some(count), len);
            list.values.truncate(from + count);
            (0, from, Some(ReplyValue::count(len - count)))
        }
        ListOp::RemoveBy(returns, ref by) => {
            let picked = pick(&list, returns, by)?;
            list.remove(&marks(&picked.indexes, len));
            (0, 0, picked.answer)
        }
        _ => return Err(ResultCode::PARAMETER),
    };
    list.values.drain(from..from + count);
    Ok(if list.len() == len { Edit::keep(result) } else { Edit::store(&list, result) })
}

fn set_order(mut list: Container<'_>, order: i64) -> Result<Edit, ResultCode> {
    if order & !i64::from(flags::ORDERED | flags::PERSIST_INDEX) != 0 {
        return Err(ResultCode::OP_NOT_APPLICABLE);
    }
    list.flags = order as u8 & flags::ORDERED;
    if list.is_sorted_list() {
        list.sort();
    }
    Ok(Edit::store(&list, None))
}

/// Appends or inserts values. With `several`, they are the items of a list.
fn put<'a>(
    mut list: Container<'a>,
    index: Option<i64>,
    items: &[&'a [u8]],
    flags: i64,
    several: bool,
) -> Result<Edit, ResultCode> {
    let lenient = flags & list_write::NO_FAIL != 0;
    if index.is_some() && list.is_sorted_list() {
        return Err(ResultCode::OP_NOT_APPLICABLE);
    }
    if index.is_some_and(|index| index > i64::from(i32::MAX)) {
        return Err(ResultCode::OP_NOT_APPLICABLE);
    }
    let unchanged = Edit::keep(Some(ReplyValue::count(list.len())));
    if items.is_empty() && list.is_empty() {
        return Ok(unchanged);
    }
    let index = match index.map(|index| position(&list, index)).transpose()? {
        Some(index) if index > list.len() && flags & list_write::INSERT_BOUNDED != 0 => {
            return if lenient { Ok(unchanged) } else { Err(reason::of(subcode::BOUNDED_LIST)) };
        }
        index => index,
    };
    let partial = several && lenient && flags & list_write::PARTIAL != 0;
    let items = if flags & list_write::ADD_UNIQUE == 0 {
        items.to_vec()
    } else {
        match unique(&list, items, partial) {
            Ok(items) if items.is_empty() && partial => return Ok(unchanged),
            Ok(items) => items,
            Err(_) if lenient => return Ok(unchanged),
            Err(code) => return Err(code),
        }
    };
    match index {
        Some(index) if !items.is_empty() => {
            pad(&mut list, index)?;
            list.values.splice(index..index, items);
        }
        _ => list.values.extend(items),
    }
    if list.is_sorted_list() {
        list.sort();
    }
    let size = ReplyValue::count(list.len());
    Ok(Edit::store(&list, Some(size)))
}

/// The items that are neither in the list nor among the items before them. Unless `partial`, this
/// must hold for all of them.
fn unique<'a>(
    list: &Container<'_>,
    items: &[&'a [u8]],
    partial: bool,
) -> Result<Vec<&'a [u8]>, ResultCode> {
    let mut dropped = vec![false; items.len()];
    let ranks = if items.len() > 1 { list.by_rank() } else { Vec::new() };
    for (at, item) in items.iter().enumerate() {
        let exists = if items.len() > 1 {
            let value = |index: &usize| list.values[*index];
            let from = ranks.partition_point(|index| compare(value(index), item).is_lt());
            ranks.get(from).is_some_and(|index| compare(value(index), item).is_eq())
        } else {
            list.find_value(item).is_some()
        };
        if exists && !partial {
            return Err(ResultCode::ELEMENT_EXISTS);
        }
        dropped[at] |= exists;
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|a, b| compare(items[*a], items[*b]));
    let again = |pair: &[usize]| compare(items[pair[0]], items[pair[1]]).is_eq();
    for pair in order.windows(2).filter(|pair| again(pair)) {
        if !partial {
            return Err(ResultCode::OP_NOT_APPLICABLE);
        }
        dropped[pair[1]] = true;
    }
    let remaining = items.iter().zip(dropped).filter(|(_, dropped)| !dropped);
    Ok(remaining.map(|(item, _)| *item).collect())
}

fn set(mut list: Container<'_>, index: i64, value: &[u8], flags: i64) -> Result<Edit, ResultCode> {
    if list.is_sorted_list() {
        return Err(ResultCode::OP_NOT_APPLICABLE);
    }
    let index = position(&list, index)?;
    if let Err(code) = allowed(&list, index, value, flags) {
        return if flags & list_write::NO_FAIL != 0 { Ok(Edit::default()) } else { Err(code) };
    }
    pad(&mut list, index)?;
    Ok(replace(list, index, value, None))
}

fn increment(
    mut list: Container<'_>,
    index: i64,
    delta: Option<&[u8]>,
    flags: i64,
) -> Result<Edit, ResultCode> {
    let index = position(&list, index)?;
    if list.is_sorted_list() && index > list.len() {
        return Err(ResultCode::OP_NOT_APPLICABLE);
    }
    let sum = item::add(list.values.get(index).copied(), delta, false)?;
    let result = item::reply_value(&sum);
    let is_same = list.values.get(index).is_some_and(|old| compare(old, &sum).is_eq());
    let flags = if is_same { flags & !list_write::ADD_UNIQUE } else { flags };
    if let Err(code) = allowed(&list, index, &sum, flags) {
        return if flags & list_write::NO_FAIL != 0 { Ok(Edit::keep(result)) } else { Err(code) };
    }
    pad(&mut list, index)?;
    Ok(replace(list, index, &sum, result))
}

/// Whether the write flags allow setting this value at this index.
fn allowed(list: &Container<'_>, index: usize, value: &[u8], flags: i64) -> Result<(), ResultCode> {
    if flags & list_write::INSERT_BOUNDED != 0 && index > list.len() {
        return Err(reason::of(subcode::BOUNDED_LIST));
    }
    if flags & list_write::ADD_UNIQUE != 0 && list.find_value(value).is_some() {
        return Err(ResultCode::ELEMENT_EXISTS);
    }
    Ok(())
}

/// Sets the element at an index up to the length.
fn replace<'a>(
    mut list: Container<'a>,
    index: usize,
    value: &'a [u8],
    result: Option<ReplyValue>,
) -> Edit {
    match list.values.get_mut(index) {
        Some(element) => *element = value,
        None => list.values.push(value),
    }
    if list.is_sorted_list() {
        list.sort();
    }
    Edit::store(&list, result)
}

fn sort(mut list: Container<'_>, flags: i64) -> Result<Edit, ResultCode> {
    let descends = flags & list_sort::DESCENDING != 0;
    let drops = flags & list_sort::DROP_DUPLICATES != 0;
    if descends && drops && list.len() > 1 {
        return Err(ResultCode::PARAMETER);
    }
    list.sort();
    if drops {
        list.values.dedup_by(|a, b| compare(a, b).is_eq());
    }
    if descends && !list.is_sorted_list() {
        list.values.reverse();
    }
    Ok(Edit::store(&list, None))
}

/// Pads the list with nil to `len` elements.
pub fn pad(list: &mut Container<'_>, len: usize) -> Result<(), ResultCode> {
    if len > MOST_ELEMENTS {
        return Err(ResultCode::RECORD_TOO_BIG);
    }
    if len > list.len() {
        list.values.resize(len, NIL);
    }
    Ok(())
}

/// The index of an existing element.
fn at(list: &Container<'_>, index: i64) -> Result<usize, ResultCode> {
    single(index, list.len()).ok_or_else(|| outside(list, index))
}

/// An index to write to, possibly beyond the end.
fn position(list: &Container<'_>, index: i64) -> Result<usize, ResultCode> {
    let place = if index < 0 { index.saturating_add(list.len() as i64) } else { index };
    usize::try_from(place).map_err(|_| outside(list, index))
}

/// The reason of a failure that is an index.
fn outside(list: &Container<'_>, index: i64) -> ResultCode {
    reason::because(subcode::CDT_INDEX, || {
        format!("index {index} is outside a list of {} elements", list.len())
    })
}

fn slice(list: &Container<'_>, (from, count): (usize, usize)) -> ReplyValue {
    let value =
        container::encode(ContainerKind::List, 0, count, |at| (None, list.values[from + at]));
    ReplyValue { particle: particle::LIST, value }
}

fn list_of(value: &[u8]) -> Result<Vec<&[u8]>, ResultCode> {
    elements(value).ok().flatten().ok_or(ResultCode::PARAMETER)
}
