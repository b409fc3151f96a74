//! Replaces or removes the elements at the end of a path.

use spikewire_aerospike_protocol::expression::PathAction;
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::element::Element;
use super::walk::Walk;
use crate::cdt::container::Container;
use crate::cdt::item;
use crate::cdt::select::marks;
use crate::expression::Val;
use crate::expression::compare::pack;

/// The list or map with its elements replaced or removed; `None` if there are none.
pub fn changed(walk: &mut Walk<'_, '_>, value: &[u8]) -> Result<Option<Vec<u8>>, ResultCode> {
    change(walk, value, 0)
}

fn change(
    walk: &mut Walk<'_, '_>,
    value: &[u8],
    level: usize,
) -> Result<Option<Vec<u8>>, ResultCode> {
    let Some(mut container) = Container::parse(value) else { return Ok(None) };
    if walk.is_last(level) && *walk.action == PathAction::Remove {
        let mut matches = Vec::new();
        walk.each(&container, level, |_, at| {
            matches.push(at);
            Ok(())
        })?;
        let removed = marks(&matches, container.len());
        container.remove(&removed);
        return Ok((!matches.is_empty()).then(|| container.encode()));
    }
    let mut changes = Vec::new();
    walk.each(&container, level, |walk, at| {
        let changed = if walk.is_last(level) {
            replacement(walk, &container, at, level)?
        } else {
            change(walk, container.values[at], level + 1)?
        };
        changes.extend(changed.map(|changed| (at, changed)));
        Ok(())
    })?;
    if changes.is_empty() {
        return Ok(None);
    }
    for (at, changed) in &changes {
        container.values[*at] = changed;
    }
    if container.is_sorted_list() {
        container.sort();
    }
    Ok(Some(container.encode()))
}

/// The new value of an element; `None` if it stays.
fn replacement(
    walk: &mut Walk<'_, '_>,
    container: &Container<'_>,
    at: usize,
    level: usize,
) -> Result<Option<Vec<u8>>, ResultCode> {
    let PathAction::Modify(expression) = walk.action else { return Ok(None) };
    let value = walk.judged(expression, Element::of(container, at), level);
    if value == Val::Unknown {
        return if walk.no_fail { Ok(None) } else { Err(ResultCode::SERVER) };
    }
    let mut packed = Vec::new();
    if !pack(&value, &mut packed) {
        return Err(ResultCode::PARAMETER);
    }
    // Such as a list with infinity in it.
    item::stored(&packed).map(Some).map_err(|_| ResultCode::BIN_TYPE)
}
