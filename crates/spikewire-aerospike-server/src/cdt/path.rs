//! Contexts: finds a nested list or map, and creates missing ones on the way.

use spikewire_aerospike_protocol::cdt::Step;
use spikewire_aerospike_protocol::cdt::context::{At, Create, Inside};
use spikewire_aerospike_protocol::cdt::flags;
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::container::{Container, ContainerKind};
use super::item;
use super::list::pad;
use super::select::{of_rank, single};
use super::{Edit, MOST_ELEMENTS};

const NOWHERE: ResultCode = ResultCode::OP_NOT_APPLICABLE;

/// The value that a path leads to.
pub fn find<'a>(root: &'a [u8], path: &[Step<&[u8]>]) -> Result<&'a [u8], ResultCode> {
    let mut value = root;
    for step in path {
        let container = inside(value, step)?;
        value = container.values[locate(&container, step)?.ok_or(NOWHERE)?];
    }
    Ok(value)
}

/// Runs `edit` on the value at a path, or on nothing if that is missing and the path creates it,
/// and stores the result there.
pub fn modify(
    root: Option<&[u8]>,
    path: &[Step<&[u8]>],
    edit: impl FnOnce(Option<&[u8]>) -> Result<Edit, ResultCode>,
) -> Result<Edit, ResultCode> {
    // The containers along the path, and the position of the next one in each.
    let mut way: Vec<(Container<'_>, usize)> = Vec::new();
    let mut value = root;
    for (at, step) in path.iter().enumerate() {
        let Some(bytes) = value else { return make(way, None, &path[at..], edit) };
        let container = inside(bytes, step)?;
        let Some(index) = locate(&container, step)? else {
            return make(way, Some(container), &path[at..], edit);
        };
        value = Some(container.values[index]);
        way.push((container, index));
    }
    let mut edit = edit(value)?;
    edit.value = edit.value.map(|value| put_back(way, value));
    Ok(edit)
}

/// Puts the new value back into the containers along the path, innermost first.
fn put_back(way: Vec<(Container<'_>, usize)>, mut value: Vec<u8>) -> Vec<u8> {
    for (mut container, index) in way.into_iter().rev() {
        container.values[index] = &value;
        if container.is_sorted_list() {
            container.sort();
        }
        value = container.encode();
    }
    value
}

/// Continues where the first step of `path` found nothing in `parent`, or where there is no parent.
fn make(
    way: Vec<(Container<'_>, usize)>,
    parent: Option<Container<'_>>,
    path: &[Step<&[u8]>],
    edit: impl FnOnce(Option<&[u8]>) -> Result<Edit, ResultCode>,
) -> Result<Edit, ResultCode> {
    let [first, rest @ ..] = path else { return Err(NOWHERE) };
    if first.create == Create::No || path.len() > item::DEPTH {
        return Err(NOWHERE);
    }
    let mut edit = edit(None)?;
    // A path that cannot be created is rejected even if nothing is stored at its end.
    let inner = edit.value.take().filter(|_| !edit.is_idle);
    let mut value = inner.clone().unwrap_or_else(|| vec![0xc0]);
    let mut padding = MOST_ELEMENTS;
    for step in rest.iter().rev() {
        value = place(fresh(step), step, &value, &mut padding)?;
    }
    value = place(parent.unwrap_or_else(|| fresh(first)), first, &value, &mut padding)?;
    edit.value = inner.map(|_| put_back(way, value));
    Ok(edit)
}

/// The kind of container that a step creates.
pub fn created_kind(step: &Step<&[u8]>) -> ContainerKind {
    match step.inside {
        Inside::Map => ContainerKind::Map,
        Inside::List | Inside::Either => ContainerKind::List,
    }
}

/// The empty container that a step creates.
fn fresh<'a>(step: &Step<&[u8]>) -> Container<'a> {
    let kind = created_kind(step);
    let order = match (kind, step.create) {
        (_, Create::No | Create::Unordered) | (ContainerKind::List, Create::OrderedOrPadded) => 0,
        (ContainerKind::List, Create::FullyOrdered)
        | (ContainerKind::Map, Create::OrderedOrPadded) => flags::ORDERED,
        (ContainerKind::Map, Create::FullyOrdered) => flags::ORDERED | flags::VALUE_ORDERED,
    };
    Container::new(kind, i64::from(order))
}

/// Adds a value where a step found nothing, and returns the container's new form. `padding` is how
/// many elements may still be added before the values of a path.
fn place(
    container: Container<'_>,
    step: &Step<&[u8]>,
    value: &[u8],
    padding: &mut usize,
) -> Result<Vec<u8>, ResultCode> {
    match (container.kind, &step.at) {
        (ContainerKind::Map, At::Key(key)) => {
            let key = item::key(key).map_err(|_| NOWHERE)?;
            let mut container = container;
            let (Ok(at) | Err(at)) = container.find_key(&key);
            container.keys.insert(at, &key);
            container.values.insert(at, value);
            Ok(container.encode())
        }
        (ContainerKind::List, At::Index(index)) => {
            let mut container = container;
            let len = container.len();
            let index = if *index == -1 && len == 0 { 0 } else { *index };
            let index = usize::try_from(index).map_err(|_| NOWHERE)?;
            if container.is_sorted_list() {
                container.values.push(value);
                container.sort();
                return Ok(container.encode());
            }
            if index > len && step.create != Create::OrderedOrPadded {
                return Err(NOWHERE);
            }
            let left = padding.checked_sub(index.saturating_sub(len));
            *padding = left.ok_or(ResultCode::RECORD_TOO_BIG)?;
            pad(&mut container, index)?;
            container.values.push(value);
            Ok(container.encode())
        }
        _ => Err(NOWHERE),
    }
}

/// The container that a step selects from.
fn inside<'a>(value: &'a [u8], step: &Step<&[u8]>) -> Result<Container<'a>, ResultCode> {
    let container = Container::parse(value).ok_or(NOWHERE)?;
    match (step.inside, container.kind) {
        (Inside::List, ContainerKind::Map) | (Inside::Map, ContainerKind::List) => Err(NOWHERE),
        _ => Ok(container),
    }
}

/// The position that a step selects in the container; `None` if it is not found.
fn locate(container: &Container<'_>, step: &Step<&[u8]>) -> Result<Option<usize>, ResultCode> {
    let len = container.len();
    let unusable = |_| NOWHERE;
    Ok(match step.at {
        At::Index(index) => single(index, len),
        At::Rank(rank) => single(rank, len).map(|rank| of_rank(container, rank)),
        At::Key(key) if container.kind == ContainerKind::Map => {
            container.find_key(&item::stored(key).map_err(unusable)?).ok()
        }
        At::Key(_) => return Err(NOWHERE),
        At::Value(value) => container.find_value(item::sought(value).map_err(unusable)?),
    })
}
