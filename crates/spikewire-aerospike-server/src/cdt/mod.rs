//! List and map operations on bins.
//!
//! Lists and maps are processed in their stored form: a container is split into slices, one per
//! element, and assembled from slices again. Nested values are decoded only when elements are
//! compared.
//!
//! | module | what it holds |
//! |---|---|
//! | [`item`] | single values: order, stored form, numbers |
//! | [`container`] | a list or map taken apart |
//! | [`select`] | which elements an operation names, and what it answers of them |
//! | [`list`], [`map`] | the operations |
//! | [`path`] | contexts: finding a nested container, and making what is missing |

pub mod container;
pub mod item;
pub mod list;
pub mod map;
pub mod path;
pub mod select;

use spikewire_aerospike_protocol::cdt::{Op, Request};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::particle;

use self::container::{Container, ContainerKind};
use crate::outcome::{ModifyResult, Old, Outcome, ReplyValue};

/// Maximum number of elements after padding: more than a record of usual size can hold.
const MOST_ELEMENTS: usize = 2 << 20;

/// The particle type of a kind of container.
fn particle_of(kind: ContainerKind) -> u8 {
    match kind {
        ContainerKind::List => particle::LIST,
        ContainerKind::Map => particle::MAP,
    }
}

fn kind_of(op: &Op<&[u8]>) -> ContainerKind {
    match op {
        Op::List(_) => ContainerKind::List,
        Op::Map(_) => ContainerKind::Map,
    }
}

/// The bin's bytes if it is a list or map, else the error code, which differs for operations with a
/// context.
fn root<'a>(old: (u8, &'a [u8]), request: &Request<'_>) -> Result<&'a [u8], ResultCode> {
    match (old.0, kind_of(&request.op)) {
        (particle::LIST | particle::MAP, _) if !request.context.is_empty() => Ok(old.1),
        _ if !request.context.is_empty() => Err(ResultCode::PARAMETER),
        (particle::LIST, ContainerKind::List) | (particle::MAP, ContainerKind::Map) => Ok(old.1),
        _ => Err(ResultCode::BIN_TYPE),
    }
}

/// Runs a read operation on an existing bin.
pub fn read(old: (u8, &[u8]), payload: &[u8]) -> Result<Option<ReplyValue>, ResultCode> {
    let request = Request::decode(payload)?;
    if request.op.modifies() {
        return Err(ResultCode::PARAMETER);
    }
    let target = path::find(root(old, &request)?, &request.context)?;
    let container = container_for(target, &request.op)?;
    match &request.op {
        Op::List(op) => list::read(&container, op),
        Op::Map(op) => map::read(&container, op),
    }
}

/// Runs a modify operation.
pub fn modify(old: Old<'_>, payload: &[u8]) -> ModifyResult {
    let request = Request::decode(payload)?;
    if !request.op.modifies() {
        return Err(ResultCode::PARAMETER);
    }
    let root = old.map(|old| root(old, &request)).transpose()?;
    let edit = path::modify(root, &request.context, |target| {
        let container = target.map(|target| container_for(target, &request.op)).transpose()?;
        match &request.op {
            Op::List(op) => list::modify(container, op),
            Op::Map(op) => map::modify(container, op),
        }
    })?;
    let Some(value) = edit.value else { return Ok(Outcome { bin: None, result: edit.result }) };
    if item::depth(&value) > item::DEPTH {
        return Err(ResultCode::PARAMETER);
    }
    let particle = match (old, request.context.first()) {
        (Some((particle, _)), _) => particle,
        (None, Some(first)) => particle_of(path::created_kind(first)),
        (None, None) => particle_of(kind_of(&request.op)),
    };
    Ok(Outcome { bin: Some((particle, value)), result: edit.result })
}

fn container_for<'a>(target: &'a [u8], op: &Op<&[u8]>) -> Result<Container<'a>, ResultCode> {
    match Container::parse(target) {
        Some(container) if container.kind == kind_of(op) => Ok(container),
        _ => Err(ResultCode::BIN_TYPE),
    }
}

/// The effect of an operation on its list or map.
#[derive(Debug, Default)]
pub struct Edit {
    /// Its new form; `None` if unchanged.
    pub value: Option<Vec<u8>>,
    /// The result.
    pub result: Option<ReplyValue>,
    /// Whether the operation was skipped: containers on the path are not created for it.
    pub is_idle: bool,
}

impl Edit {
    /// Nothing changes.
    fn keep(result: Option<ReplyValue>) -> Self {
        Self { value: None, result, is_idle: false }
    }

    /// Stores the container in this form.
    fn store(container: &Container<'_>, result: Option<ReplyValue>) -> Self {
        Self { value: Some(container.encode()), result, is_idle: false }
    }
}

#[cfg(test)]
mod tests;
