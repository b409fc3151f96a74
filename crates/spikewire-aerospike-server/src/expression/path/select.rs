//! What is returned of the elements at the end of a path.

use spikewire_aerospike_protocol::expression::PathReturn;
use spikewire_aerospike_protocol::msgpack;
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::walk::Walk;
use crate::cdt::container::{Container, ContainerKind, encode};

/// The tree, or the list of what is returned.
pub fn selected(
    walk: &mut Walk<'_, '_>,
    returns: PathReturn,
    value: &[u8],
) -> Result<Vec<u8>, ResultCode> {
    if returns == PathReturn::Tree {
        return tree(walk, value, 0);
    }
    let mut values = Values { returns, count: 0, items: Vec::new() };
    gather(walk, value, 0, &mut values)?;
    let mut out = Vec::with_capacity(values.items.len() + 5);
    msgpack::array(&mut out, values.count);
    out.extend_from_slice(&values.items);
    Ok(out)
}

struct Values {
    returns: PathReturn,
    count: u32,
    items: Vec<u8>,
}

impl Values {
    fn add(&mut self, item: &[u8]) {
        self.count += 1;
        self.items.extend_from_slice(item);
    }
}

fn gather(
    walk: &mut Walk<'_, '_>,
    value: &[u8],
    level: usize,
    values: &mut Values,
) -> Result<(), ResultCode> {
    let Some(container) = Container::parse(value) else { return Ok(()) };
    for at in walk.matches(&container, level)? {
        if !walk.is_last(level) {
            gather(walk, container.values[at], level + 1, values)?;
            continue;
        }
        match (values.returns, container.keys.get(at)) {
            (PathReturn::Value | PathReturn::Tree, _) => values.add(container.values[at]),
            (PathReturn::Key, Some(key)) => values.add(key),
            (PathReturn::KeyValue, Some(key)) => {
                values.add(key);
                values.add(container.values[at]);
            }
            (PathReturn::Key | PathReturn::KeyValue, None) if walk.no_fail => {}
            (PathReturn::Key | PathReturn::KeyValue, None) => return Err(ResultCode::BIN_TYPE),
        }
    }
    Ok(())
}

/// A list or map with only what leads to the elements. Nothing in it is ordered, but for the
/// elements themselves. A scalar that the path would lead into stays.
fn tree(walk: &mut Walk<'_, '_>, value: &[u8], level: usize) -> Result<Vec<u8>, ResultCode> {
    let Some(container) = Container::parse(value) else { return Ok(value.to_vec()) };
    let matches = walk.matches(&container, level)?;
    let mut branches = Vec::with_capacity(matches.len());
    for at in &matches {
        let value = container.values[*at];
        let last = walk.is_last(level);
        branches.push(if last { value.to_vec() } else { tree(walk, value, level + 1)? });
    }
    let is_map = container.kind == ContainerKind::Map;
    Ok(encode(container.kind, 0, branches.len(), |at| {
        (is_map.then(|| container.keys[matches[at]]), &branches[at])
    }))
}
