//! Map operations.

use spikewire_aerospike_protocol::cdt::MapOp;
use spikewire_aerospike_protocol::cdt::flags::{self, map_write};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::Edit;
use super::container::{Container, ContainerKind};
use super::item::{self, compare, stored};
use super::select::{marks, pick};
use crate::outcome::ReplyValue;

/// Runs a read operation.
pub fn read(map: &Container<'_>, op: &MapOp<&[u8]>) -> Result<Option<ReplyValue>, ResultCode> {
    match op {
        MapOp::Size => Ok(Some(ReplyValue::count(map.len()))),
        MapOp::GetBy(returns, by) => Ok(pick(map, *returns, by)?.answer),
        _ => Err(ResultCode::PARAMETER),
    }
}

/// Runs a modify operation. A missing map is created if the operation does so.
pub fn modify(map: Option<Container<'_>>, op: &MapOp<&[u8]>) -> Result<Edit, ResultCode> {
    let make = |order: i64| Container::new(ContainerKind::Map, order);
    match *op {
        MapOp::SetOrder(order) => set_order(map.unwrap_or_else(|| make(0)), order),
        MapOp::Add { key, value, order } => {
            let map = map.unwrap_or_else(|| make(order));
            put_one(map, key, value, map_write::CREATE_ONLY)
        }
        MapOp::Put { key, value, order, flags } => {
            put_one(map.unwrap_or_else(|| make(order)), key, value, flags)
        }
        MapOp::Replace { key, value } => {
            let map = map.ok_or(ResultCode::ELEMENT_NOT_FOUND)?;
            put_one(map, key, value, map_write::UPDATE_ONLY)
        }
        MapOp::AddItems { items, order } => {
            put_items(map.unwrap_or_else(|| make(order)), items, map_write::CREATE_ONLY)
        }
        MapOp::PutItems { items, order, flags } => {
            put_items(map.unwrap_or_else(|| make(order)), items, flags)
        }
        MapOp::ReplaceItems(items) => {
            put_items(map.ok_or(ResultCode::ELEMENT_NOT_FOUND)?, items, map_write::UPDATE_ONLY)
        }
        MapOp::Increment { key, delta, order } => {
            add(map.unwrap_or_else(|| make(order)), key, delta, false)
        }
        MapOp::Decrement { key, delta, order } => {
            add(map.unwrap_or_else(|| make(order)), key, delta, true)
        }
        MapOp::Clear => Ok(map.map_or_else(Edit::default, |map| {
            Edit::store(&Container::new(ContainerKind::Map, i64::from(map.flags)), None)
        })),
        MapOp::RemoveBy(returns, ref by) => {
            let Some(mut map) = map else { return Ok(Edit::default()) };
            let picked = pick(&map, returns, by)?;
            let result = picked.answer;
            if picked.indexes.is_empty() {
                return Ok(Edit::keep(result));
            }
            map.remove(&marks(&picked.indexes, map.len()));
            Ok(Edit::store(&map, result))
        }
        MapOp::Size | MapOp::GetBy(..) => Err(ResultCode::PARAMETER),
    }
}

fn set_order(mut map: Container<'_>, order: i64) -> Result<Edit, ResultCode> {
    let orders = flags::ORDERED | flags::VALUE_ORDERED;
    if order & !i64::from(orders | flags::PERSIST_INDEX) != 0 {
        return Err(ResultCode::OP_NOT_APPLICABLE);
    }
    map.flags = order as u8 & orders;
    Ok(Edit::store(&map, None))
}

/// Whether the write flags allow setting a key, given whether it exists.
fn allowed(exists: bool, flags: i64) -> Result<(), ResultCode> {
    if exists && flags & map_write::CREATE_ONLY != 0 {
        return Err(ResultCode::ELEMENT_EXISTS);
    }
    if !exists && flags & map_write::UPDATE_ONLY != 0 {
        return Err(ResultCode::ELEMENT_NOT_FOUND);
    }
    Ok(())
}

fn put_one(map: Container<'_>, key: &[u8], value: &[u8], flags: i64) -> Result<Edit, ResultCode> {
    let (key, value) = (item::key(key)?, stored(value)?);
    let mut map = map;
    let place = map.find_key(&key);
    let outcome = allowed(place.is_ok(), flags);
    match outcome {
        Ok(()) => set(&mut map, place, &key, &value),
        Err(_) if flags & map_write::NO_FAIL != 0 => {}
        Err(code) => return Err(code),
    }
    let size = ReplyValue::count(map.len());
    Ok(Edit { is_idle: outcome.is_err(), ..Edit::store(&map, Some(size)) })
}

fn set<'a>(map: &mut Container<'a>, place: Result<usize, usize>, key: &'a [u8], value: &'a [u8]) {
    match place {
        Ok(at) => map.values[at] = value,
        Err(at) => {
            map.keys.insert(at, key);
            map.values.insert(at, value);
        }
    }
}

fn put_items(map: Container<'_>, items: &[u8], flags: i64) -> Result<Edit, ResultCode> {
    let items = stored(items)?;
    let items = Container::parse(&items).filter(|items| items.kind == ContainerKind::Map);
    let items = items.ok_or(ResultCode::PARAMETER)?;
    let lenient = flags & map_write::NO_FAIL != 0;
    let partial = lenient && flags & map_write::PARTIAL != 0;
    // Both are sorted by key, so merge them in one pass.
    let mut merged = Container::new(ContainerKind::Map, i64::from(map.flags));
    let mut old = map.keys.iter().copied().zip(map.values.iter().copied()).peekable();
    let mut push = |(key, value)| {
        merged.keys.push(key);
        merged.values.push(value);
    };
    let mut rejection = None;
    for (key, value) in items.keys.iter().copied().zip(items.values.iter().copied()) {
        while let Some(before) = old.next_if(|(other, _)| compare(other, key).is_lt()) {
            push(before);
        }
        let same = old.next_if(|(other, _)| compare(other, key).is_eq());
        match allowed(same.is_some(), flags) {
            Ok(()) => push((key, value)),
            Err(code) => {
                rejection = rejection.or(Some(code));
                same.into_iter().for_each(&mut push);
            }
        }
    }
    old.for_each(push);
    let map = match rejection {
        Some(code) if !lenient => return Err(code),
        Some(_) if !partial => map,
        _ => merged,
    };
    let size = ReplyValue::count(map.len());
    Ok(Edit::store(&map, Some(size)))
}

fn add(
    map: Container<'_>,
    key: &[u8],
    delta: Option<&[u8]>,
    negate: bool,
) -> Result<Edit, ResultCode> {
    let key = item::key(key)?;
    let place = map.find_key(&key);
    let sum = item::add(place.ok().map(|at| map.values[at]), delta, negate)?;
    let mut map = map;
    set(&mut map, place, &key, &sum);
    Ok(Edit::store(&map, item::reply_value(&sum)))
}
