//! List and map operations by their Python names.

use pyo3::prelude::*;

use spikewire_protocol::cdt::flags::{self, list_sort, list_write, map_write};
use spikewire_protocol::cdt::{By, ListOp, MapOp, return_type as returns};

use super::Source;
use crate::errors::value_error;

const LIST_ORDERS: [(&str, i64); 2] = [("unordered", 0), ("ordered", flags::ORDERED as i64)];
const MAP_ORDERS: [(&str, i64); 3] = [
    ("unordered", 0),
    ("key", flags::ORDERED as i64),
    ("key_value", (flags::ORDERED | flags::VALUE_ORDERED) as i64),
];

/// What an operation on chosen elements may answer with.
const RETURNS: [(&str, i64); 16] = [
    ("none", returns::NONE),
    ("value", returns::VALUE),
    ("count", returns::COUNT),
    ("exists", returns::EXISTS),
    ("index", returns::INDEX),
    ("reverse_index", returns::REVERSE_INDEX),
    ("rank", returns::RANK),
    ("reverse_rank", returns::REVERSE_RANK),
    ("index_range", returns::INDEX_RANGE),
    ("reverse_index_range", returns::REVERSE_INDEX_RANGE),
    ("rank_range", returns::RANK_RANGE),
    ("reverse_rank_range", returns::REVERSE_RANK_RANGE),
    ("key", returns::KEY),
    ("key_value", returns::KEY_VALUE),
    ("ordered_map", returns::ORDERED_MAP),
    ("unordered_map", returns::UNORDERED_MAP),
];

type List<V, N> = PyResult<ListOp<V, N>>;
type Map<V, N> = PyResult<MapOp<V, N>>;

/// The list operation of that name.
pub fn list<'py, S: Source<'py>>(name: &str, source: &mut S) -> List<S::Value, S::Number> {
    let s = source;
    let unique = ("unique", list_write::ADD_UNIQUE);
    let bounded = ("bounded", list_write::INSERT_BOUNDED);
    let no_fail = ("no_fail", list_write::NO_FAIL);
    let partial = ("partial", list_write::PARTIAL);
    let op = match name {
        "append" => {
            let (value, order) = (s.value("value")?, order(s, &LIST_ORDERS, true)?);
            ListOp::Append { value, order, flags: s.flags(&[unique, no_fail])? }
        }
        "append_items" => {
            let (items, order) = (s.list("items")?, order(s, &LIST_ORDERS, true)?);
            ListOp::AppendItems { items, order, flags: s.flags(&[unique, no_fail, partial])? }
        }
        "insert" => {
            let (index, value) = (s.number("index")?, s.value("value")?);
            ListOp::Insert { index, value, flags: s.flags(&[unique, bounded, no_fail])? }
        }
        "insert_items" => {
            let (index, items) = (s.number("index")?, s.list("items")?);
            let flags = s.flags(&[unique, bounded, no_fail, partial])?;
            ListOp::InsertItems { index, items, flags }
        }
        "set" => {
            let (index, value) = (s.number("index")?, s.value("value")?);
            ListOp::Set { index, value, flags: s.flags(&[unique, bounded, no_fail])? }
        }
        "increment" => {
            let (index, delta) = (s.number("index")?, s.optional_value("delta")?);
            let order = order(s, &LIST_ORDERS, true)?;
            ListOp::Increment { index, delta, order, flags: s.flags(&[unique, bounded, no_fail])? }
        }
        "pop" => ListOp::Pop(s.number("index")?),
        "pop_range" => ListOp::PopRange(s.number("index")?, s.optional_number("count")?),
        "remove" => ListOp::Remove(s.number("index")?),
        "remove_range" => ListOp::RemoveRange(s.number("index")?, s.optional_number("count")?),
        "trim" => ListOp::Trim(s.number("index")?, s.number("count")?),
        "clear" => ListOp::Clear,
        "sort" => ListOp::Sort(s.flags(&[
            ("descending", list_sort::DESCENDING),
            ("drop_duplicates", list_sort::DROP_DUPLICATES),
        ])?),
        "set_order" | "create" => ListOp::SetOrder(order(s, &LIST_ORDERS, false)?),
        "size" => ListOp::Size,
        "get" => ListOp::Get(s.number("index")?),
        "get_range" => ListOp::GetRange(s.number("index")?, s.optional_number("count")?),
        _ => match way(name) {
            Some((removes, way)) if !way.starts_with("key") => {
                let by = by(way, s)?;
                let returns = returning(way, false, by.is_single(), s)?;
                if removes { ListOp::RemoveBy(returns, by) } else { ListOp::GetBy(returns, by) }
            }
            _ => return Err(value_error(format!("unknown list operation {name:?}"))),
        },
    };
    s.end()?;
    Ok(op)
}

/// The map operation of that name.
pub fn map<'py, S: Source<'py>>(name: &str, source: &mut S) -> Map<S::Value, S::Number> {
    let s = source;
    let create_only = ("create_only", map_write::CREATE_ONLY);
    let update_only = ("update_only", map_write::UPDATE_ONLY);
    let no_fail = ("no_fail", map_write::NO_FAIL);
    let partial = ("partial", map_write::PARTIAL);
    let op = match name {
        "put" => {
            let (key, value) = (s.key("key")?, s.value("value")?);
            let order = order(s, &MAP_ORDERS, true)?;
            let flags = exclusive(s.flags(&[create_only, update_only, no_fail])?)?;
            MapOp::Put { key, value, order, flags }
        }
        "put_items" => {
            let (items, order) = (s.map("items")?, order(s, &MAP_ORDERS, true)?);
            let flags = exclusive(s.flags(&[create_only, update_only, no_fail, partial])?)?;
            MapOp::PutItems { items, order, flags }
        }
        "increment" | "decrement" => {
            let (key, delta) = (s.key("key")?, s.optional_value("delta")?);
            let order = order(s, &MAP_ORDERS, true)?;
            if name == "increment" {
                MapOp::Increment { key, delta, order }
            } else {
                MapOp::Decrement { key, delta, order }
            }
        }
        "clear" => MapOp::Clear,
        "set_order" | "create" => MapOp::SetOrder(order(s, &MAP_ORDERS, false)?),
        "size" => MapOp::Size,
        _ => match way(name) {
            Some((removes, way)) => {
                let by = by(way, s)?;
                let returns = returning(way, true, by.is_single(), s)?;
                if removes { MapOp::RemoveBy(returns, by) } else { MapOp::GetBy(returns, by) }
            }
            None => return Err(value_error(format!("unknown map operation {name:?}"))),
        },
    };
    s.end()?;
    Ok(op)
}

/// The two flags that contradict each other.
pub fn exclusive(flags: i64) -> PyResult<i64> {
    if flags & 3 == 3 {
        return Err(value_error("create_only and update_only exclude each other"));
    }
    Ok(flags)
}

fn order<'py, S: Source<'py>>(source: &mut S, known: &[(&str, i64)], none: bool) -> PyResult<i64> {
    let order = source.word("order", known, none)?;
    Ok(order | source.flags(&[("persist_index", i64::from(flags::PERSIST_INDEX))])?)
}

/// Whether it removes, and how it names elements.
fn way(name: &str) -> Option<(bool, &str)> {
    match name.strip_prefix("get_by_") {
        Some(way) => Some((false, way)),
        None => name.strip_prefix("remove_by_").map(|way| (true, way)),
    }
}

fn by<'py, S: Source<'py>>(way: &str, s: &mut S) -> PyResult<By<S::Value, S::Number>> {
    Ok(match way {
        "index" => By::Index(s.number("index")?),
        "rank" => By::Rank(s.number("rank")?),
        "key" => By::Key(s.value("key")?),
        "value" => By::AllByValue(s.value("value")?),
        "key_list" => By::KeyList(s.list("keys")?),
        "value_list" => By::ValueList(s.list("values")?),
        "index_range" => By::IndexRange(s.number("index")?, s.optional_number("count")?),
        "rank_range" => By::RankRange(s.number("rank")?, s.optional_number("count")?),
        "key_range" => By::KeyInterval(s.value("begin")?, s.optional_value("end")?),
        "value_range" => By::ValueInterval(s.value("begin")?, s.optional_value("end")?),
        "key_relative_index" => {
            By::RelativeIndex(s.value("key")?, s.number("index")?, s.optional_number("count")?)
        }
        "value_relative_rank" => {
            By::RelativeRank(s.value("value")?, s.number("rank")?, s.optional_number("count")?)
        }
        _ => return Err(value_error(format!("unknown way to name elements {way:?}"))),
    })
}

/// The return type and, where several elements are named, whether the others are meant.
fn returning<'py, S: Source<'py>>(
    way: &str,
    map: bool,
    single: bool,
    source: &mut S,
) -> PyResult<i64> {
    let refused = |returns: i64| match returns {
        returns::KEY | returns::KEY_VALUE | returns::ORDERED_MAP | returns::UNORDERED_MAP => !map,
        returns::INDEX_RANGE | returns::REVERSE_INDEX_RANGE => {
            way.ends_with("_list") || way.starts_with("value") || way.starts_with("rank")
        }
        returns::RANK_RANGE | returns::REVERSE_RANK_RANGE => {
            way.ends_with("_list") || way.starts_with("index") || way.starts_with("key")
        }
        returns::RANK | returns::REVERSE_RANK => way == "key_list",
        _ => false,
    };
    let returns = source.word_but("returning", &RETURNS, false, refused)?;
    if single || !source.flag("inverted")? {
        return Ok(returns);
    }
    if (returns::INDEX_RANGE..=returns::REVERSE_RANK_RANGE).contains(&returns) {
        return Err(value_error("a range has no inversion: use returning='index' or 'rank'"));
    }
    Ok(returns | returns::INVERTED)
}
