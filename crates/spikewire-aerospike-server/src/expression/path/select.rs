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
    let is_last = walk.is_last(level);
    let is_list = container.kind == ContainerKind::List;
    let has_content = !container.is_empty() || container.flags != 0;
    if is_last && is_list && has_content && values.returns != PathReturn::Value {
        // There are no keys, whatever the step would name; an order counts as content.
        return if walk.no_fail { Ok(()) } else { Err(ResultCode::BIN_TYPE) };
    }
    walk.each(&container, level, |walk, at| {
        if !is_last {
            return gather(walk, container.values[at], level + 1, values);
        }
        if values.returns != PathReturn::Value {
            values.add(container.keys[at]);
        }
        if values.returns != PathReturn::Key {
            values.add(container.values[at]);
        }
        Ok(())
    })
}

/// A list or map with only what leads to the elements. Nothing in it is ordered, but for the
/// elements themselves and for what is empty. A scalar that the path would lead into stays.
fn tree(walk: &mut Walk<'_, '_>, value: &[u8], level: usize) -> Result<Vec<u8>, ResultCode> {
    let Some(container) = Container::parse(value) else { return Ok(value.to_vec()) };
    if container.is_empty() {
        return Ok(value.to_vec());
    }
    let mut branches = Vec::new();
    walk.each(&container, level, |walk, at| {
        let value = container.values[at];
        let branch =
            if walk.is_last(level) { value.to_vec() } else { tree(walk, value, level + 1)? };
        branches.push((container.keys.get(at).copied(), branch));
        Ok(())
    })?;
    Ok(encode(container.kind, 0, branches.len(), |at| (branches[at].0, &branches[at].1)))
}
